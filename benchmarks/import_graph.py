"""The imports between modules as a graph: its circles, and the layer of each module."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("pyramid_paraphrase", "harness")

Modules = dict[str, Path]
Graph = dict[str, set[str]]


def list_modules(*packages: str) -> Modules:
    """Return the file of every module of packages by its dotted name, packages included. Default: both packages."""
    paths = [path for package in packages or PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return {name_module(path.relative_to(ROOT)): path for path in paths}


def name_module(path: Path) -> str:
    """Return the dotted name of a module from its path in the repository. The file `__init__.py` is its folder."""
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def walk_executed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all nodes in it, except those for type checkers only."""
    yield node
    children: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        children = list(node.orelse)
    for child in children:
        yield from walk_executed(child)


def list_imports(text: str, modules: Collection[str]) -> Iterator[str]:
    """Yield the modules that a source imports, also within functions.

    Args:
        text: The source.
        modules: Names of modules. Imports of other modules are not listed.
    """
    for node in walk_executed(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module in modules:
            package = node.module or ""
            inner = [f"{package}.{name.name}" for name in node.names]
            yield from (name if name in modules else package for name in inner)


def find_package(module: str, modules: Modules) -> str:
    """Return the package that a module lies in. A package is its own."""
    return module if modules[module].name == "__init__.py" else module.rpartition(".")[0]


def make_graph(modules: Modules, find_node: Callable[[str], str] = str) -> Graph:
    """Return which nodes each node imports from.

    Args:
        modules: Modules with their files.
        find_node: Function that returns the node of a module. Several modules may be one node. Default: its name.
    """
    graph: Graph = {}
    for module, path in modules.items():
        importer = find_node(module)
        imported = {find_node(name) for name in list_imports(path.read_text("utf-8"), modules)}
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


def find_layers(graph: Graph) -> dict[str, int]:
    """Return the layer of each node: 0 if it imports from no node, otherwise 1 above the highest that it imports from.

    Args:
        graph: A graph without circles.
    """
    layers: dict[str, int] = {}

    def find_layer(node: str) -> int:
        if node not in layers:
            layers[node] = 1 + max(map(find_layer, graph[node]), default=-1)
        return layers[node]

    for node in graph:
        find_layer(node)
    return layers
