"""Packages depend one way: `harness` on `pyramid_paraphrase`, and no package on one that depends on it."""

from __future__ import annotations

import re
import sys
from itertools import pairwise

from helpers.checkout import ROOT
from helpers.commands import Run

sys.path.insert(0, str(ROOT / "benchmarks"))

from import_graph import (
    Graph,
    find_layers,
    find_package,
    find_reachable,
    list_circles,
    list_imports,
    list_modules,
    make_graph,
)

MOST_MODULES, MOST_ENTRIES = 12, 20


def make_package_graph(package: str) -> Graph:
    """Return which packages below a package import from which, itself included."""
    modules = list_modules(package)
    return make_graph(modules, lambda module: find_package(module, modules))


def find_topic(module: str) -> str:
    """Return the module or package directly below the first package that a module is, or lies in."""
    return ".".join(module.split(".")[:2])


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": {"e"}, "e": {"f"}, "f": {"d"}, "g": {"a"}}
    assert list_circles(graph) == {frozenset("bc"), frozenset("def")}
    assert list_circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == set()


def test_a_layer_is_above_all_that_it_imports() -> None:
    graph = {"top": {"middle", "low"}, "middle": {"low"}, "low": set(), "alone": set()}
    assert find_layers(graph) == {"low": 0, "middle": 1, "top": 2, "alone": 0}


def test_imports_count_in_functions_but_not_for_type_checkers() -> None:
    text = """
import a, other
from a import b, name
if TYPE_CHECKING:
    from a import c
else:
    import d
def f():
    from e import name
"""
    assert sorted(list_imports(text, {"a", "a.b", "a.c", "d", "e"})) == ["a", "a", "a.b", "d", "e"]


def test_packages_of_the_harness_make_no_circle() -> None:
    graph = make_package_graph("harness")
    assert len(graph) > 40
    assert {"harness.metrics", "harness.models"} <= graph["harness.evaluation"]
    assert "harness.reports" in graph["harness.leaderboards.site"]
    assert list_circles(graph) == set()
    for upper, lower in pairwise(("harness.evaluation", "harness.files", "harness.support")):
        assert lower in find_reachable(graph, upper)


def test_modules_of_the_data_package_make_no_circle() -> None:
    graph = make_graph(list_modules("pyramid_paraphrase"))
    assert len(graph) > 35
    assert {"pyramid_paraphrase.pyramids.corpus", "pyramid_paraphrase.formats.ducview"} <= graph[
        "pyramid_paraphrase.reading"
    ]
    assert list_circles(graph) == set()


def test_packages_of_the_data_package_make_no_circle() -> None:
    """The modules directly in the package stand for themselves: some are below all packages, others above."""
    graph = make_graph(list_modules("pyramid_paraphrase"), find_topic)
    assert len(graph) > 8
    assert list_circles(graph) == set()
    below = find_reachable(graph, "pyramid_paraphrase.pyramids")
    assert "pyramid_paraphrase.formats" in graph["pyramid_paraphrase.reading"]
    assert "pyramid_paraphrase.files" in below
    assert "pyramid_paraphrase.formats" not in below


def test_the_data_package_does_not_know_the_harness() -> None:
    modules = list_modules("pyramid_paraphrase")
    files = {**modules, **list_modules("harness")}
    imports = {module: list(list_imports(path.read_text("utf-8"), files)) for module, path in modules.items()}
    assert sum(map(len, imports.values())) > 100
    assert {
        module: names for module, names in imports.items() if any(name.startswith("harness") for name in names)
    } == {}


def test_packages_are_small() -> None:
    for package, least in (("pyramid_paraphrase", 35), ("harness", 200)):
        modules = list_modules(package)
        packages = [find_package(module, modules) for module in modules]
        assert len(packages) > least
        assert {name: packages.count(name) for name in packages if packages.count(name) > MOST_MODULES} == {}
        entries = [path for path in (ROOT / package).iterdir() if path.name != "__pycache__"]
        assert len(entries) <= MOST_ENTRIES


def test_tests_mirror_the_packages() -> None:
    """A test lies in a folder called like the package that it tests, with "test_" in front of the first name."""
    tests = ROOT / "tests"
    for package, least in (("pyramid_paraphrase", 25), ("harness", 100)):
        files = sorted((tests / f"test_{package}").rglob("test_*.py"))
        assert len(files) > least
        folders = {path.parent.relative_to(tests / f"test_{package}") for path in files}
        assert [str(folder) for folder in folders if not (ROOT / package / folder / "__init__.py").is_file()] == []


def test_tests_import_nothing_of_each_other() -> None:
    imported = re.compile(r"^\s*(?:from|import) (?:test_\w+|conftest)\b", re.MULTILINE)
    texts = {path: path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py")}
    assert len(texts) > 100
    assert [path.name for path, text in texts.items() if imported.search(text)] == []


def test_the_environment_of_tests_is_set_before_a_library_reads_it(run_python: Run) -> None:
    """`conftest.py` sets variables that these libraries read when they are imported."""
    libraries = {"datasets", "huggingface_hub", "numpy"}
    code = f"import sys, conftest; print({libraries} & set(sys.modules), bool(conftest.room))"
    assert run_python(code, PYTHONPATH=str(ROOT / "tests")).stdout == "set() True\n"
