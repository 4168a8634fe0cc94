"""Packages depend one way: `harness` on `pyramid_paraphrase`, and no package on one that depends on it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from helpers.checkout import ROOT

ENTRANCE = "harness"
"""The package that offers the public names. Its imports are for type checkers only and do not count."""

MOST_MODULES, MOST_ENTRIES = 12, 20


def list_modules(package: str) -> dict[str, Path]:
    """Return every module below a package by its dotted name, packages included."""
    paths = sorted((ROOT / package).rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


def list_imports(path: Path, modules: dict[str, Path]) -> Iterator[str]:
    """Yield the modules of ours that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield inner if inner in modules else node.module


def find_package(module: str, modules: dict[str, Path]) -> str:
    """Return the package that a module lies in; a package is its own."""
    return module if modules[module].name == "__init__.py" else module.rpartition(".")[0]


def make_graph(package: str) -> dict[str, set[str]]:
    """Return which packages each package imports from."""
    modules = list_modules(package)
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        importer = find_package(module, modules)
        imported = {find_package(name, modules) for name in list_imports(path, modules)}
        graph.setdefault(importer, set()).update(imported - {importer} if importer != ENTRANCE else ())
    return graph


def test_imports_of_a_package_are_found() -> None:
    """A graph without edges would pass the test of circles."""
    graph = make_graph("harness")
    assert "harness.metrics" in graph["harness.evaluation"]
    assert "harness.leaderboards.files" in graph["harness.leaderboards.judging"]


def test_no_circle_of_packages() -> None:
    try:
        order = list(TopologicalSorter(make_graph("harness")).static_order())
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))
    assert order.index("harness.support") < order.index("harness.files") < order.index("harness.evaluation")


def test_the_data_package_does_not_know_the_harness() -> None:
    files = {**list_modules("pyramid_paraphrase"), **list_modules("harness")}
    for module, path in list_modules("pyramid_paraphrase").items():
        assert [name for name in list_imports(path, files) if name.startswith("harness")] == [], module


def test_packages_are_small() -> None:
    modules = list_modules("harness")
    packages = [find_package(module, modules) for module in modules]
    assert {name: packages.count(name) for name in packages if packages.count(name) > MOST_MODULES} == {}
    entries = [path for path in (ROOT / "harness").iterdir() if path.name != "__pycache__"]
    assert len(entries) <= MOST_ENTRIES


def test_tests_mirror_the_packages() -> None:
    """A test lies in a folder called like the package that it tests, with "test_" in front of the first name."""
    tests = ROOT / "tests"
    for package in ("pyramid_paraphrase", "harness"):
        folders = {
            path.parent.relative_to(tests / f"test_{package}") for path in tests.glob(f"test_{package}/**/test_*.py")
        }
        assert len(folders) > 0
        assert [str(folder) for folder in folders if not (ROOT / package / folder / "__init__.py").is_file()] == []


def test_tests_import_nothing_of_each_other() -> None:
    imported = re.compile(r"^\s*(?:from|import) (?:test_\w+|conftest)\b", re.MULTILINE)
    texts = {path: path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py")}
    assert len(texts) > 100
    assert [path.name for path, text in texts.items() if imported.search(text)] == []
