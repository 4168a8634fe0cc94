"""Packages depend one way: `harness` on `pyramid_paraphrase`, and no package on one that depends on it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from pathlib import Path

from helpers.checkout import ROOT, list_sources
from helpers.commands import Run

MOST_MODULES, MOST_ENTRIES = 12, 20

Modules = dict[str, Path]
Graph = dict[str, set[str]]


def list_modules(package: str) -> Modules:
    """Return every module below a package by its dotted name, packages included."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in list_sources(package)
    }


def walk_executed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all nodes in it, except those for type checkers only."""
    yield node
    children: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        children = list(node.orelse)
    for child in children:
        yield from walk_executed(child)


def list_imports(text: str, modules: Collection[str]) -> Iterator[str]:
    """Yield the modules of ours that a source imports, also within functions."""
    for node in walk_executed(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                yield inner if inner in modules else node.module


def find_package(module: str, modules: Modules) -> str:
    """Return the package that a module lies in; a package is its own."""
    return module if modules[module].name == "__init__.py" else module.rpartition(".")[0]


def find_topic(module: str, modules: Modules) -> str:
    """Return the module or package directly below the first package that a module is, or lies in."""
    del modules
    return ".".join(module.split(".")[:2])


def make_graph(package: str, find_node: Callable[[str, Modules], str]) -> Graph:
    """Return which nodes each node imports from. Several modules may be one node."""
    modules = list_modules(package)
    graph: Graph = {}
    for module, path in modules.items():
        importer = find_node(module, modules)
        imported = {find_node(name, modules) for name in list_imports(path.read_text("utf-8"), modules)}
        graph.setdefault(importer, set()).update(imported - {importer})
    return graph


def find_reachable(graph: Graph, start: str) -> set[str]:
    """Return the nodes that a node imports from, directly or over others."""
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached


def list_circles(graph: Graph) -> set[frozenset[str]]:
    """Return the largest sets of nodes in which each imports from each, directly or over others."""
    reachable = {node: find_reachable(graph, node) for node in graph}
    return {
        frozenset(other for other in reachable[node] if node in reachable[other])
        for node in graph
        if node in reachable[node]
    }


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": {"e"}, "e": {"f"}, "f": {"d"}, "g": {"a"}}
    assert list_circles(graph) == {frozenset("bc"), frozenset("def")}
    assert list_circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == set()


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
    graph = make_graph("harness", find_package)
    assert len(graph) > 50
    assert {"harness.metrics", "harness.models"} <= graph["harness.evaluation"]
    assert "harness.leaderboards.files" in graph["harness.leaderboards.judging"]
    assert list_circles(graph) == set()
    for upper, lower in pairwise(("harness.evaluation", "harness.files", "harness.support")):
        assert lower in find_reachable(graph, upper)


def test_modules_of_the_data_package_make_no_circle() -> None:
    graph = make_graph("pyramid_paraphrase", lambda module, _: module)
    assert len(graph) > 60
    assert {"pyramid_paraphrase.pyramids.corpus", "pyramid_paraphrase.ducview.reading"} <= graph[
        "pyramid_paraphrase.reading"
    ]
    assert list_circles(graph) == set()


def test_packages_of_the_data_package_make_no_circle() -> None:
    """The modules directly in the package stand for themselves: some are below all packages, others above."""
    graph = make_graph("pyramid_paraphrase", find_topic)
    assert len(graph) > 15
    assert list_circles(graph) == set()
    below = find_reachable(graph, "pyramid_paraphrase.pyramids")
    formats = {f"pyramid_paraphrase.{name}" for name in ("aligned_corpora", "ducview", "pair_corpora")}
    assert formats <= graph["pyramid_paraphrase.reading"]
    assert "pyramid_paraphrase.files" in below
    assert not formats & below


def test_the_data_package_does_not_know_the_harness() -> None:
    modules = list_modules("pyramid_paraphrase")
    files = {**modules, **list_modules("harness")}
    imports = {module: list(list_imports(path.read_text("utf-8"), files)) for module, path in modules.items()}
    assert sum(map(len, imports.values())) > 200
    assert {
        module: names for module, names in imports.items() if any(name.startswith("harness") for name in names)
    } == {}


def test_packages_are_small() -> None:
    for package, least in (("pyramid_paraphrase", 60), ("harness", 350)):
        modules = list_modules(package)
        packages = [find_package(module, modules) for module in modules]
        assert len(packages) > least
        assert {name: packages.count(name) for name in packages if packages.count(name) > MOST_MODULES} == {}
        entries = [path for path in (ROOT / package).iterdir() if path.name != "__pycache__"]
        assert len(entries) <= MOST_ENTRIES


def test_tests_mirror_the_packages() -> None:
    """A test lies in a folder called like the package that it tests, with "test_" in front of the first name."""
    tests = ROOT / "tests"
    for package, least in (("pyramid_paraphrase", 35), ("harness", 100)):
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
