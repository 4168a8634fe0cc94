"""Measure the clarity of code: constructions that are hard to read, the parts of the packages, and ways through them.

usage: clarity.py [PACKAGE...]

Without a package, the script prints three tables: constructions, parts, and ways (see `ways.py`). With packages, it
lists their modules with the most constructions, and their private functions with a single use.

Blank lines, comments and docstrings are not lines of code. A comprehension is nested if it has several `for` or
contains another comprehension. A name is generic if it does not describe its value, such as `one` or `found`. The share
of generic names is among all bound names: variables and parameters. A record class has a dataclass decorator, or
NamedTuple, Struct or TypedDict as a base. A private function has a single use if its name begins with one underscore
and occurs once in both packages outside its definition. A name that several functions have is not counted.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypeGuard

import ways
from import_graph import PACKAGES, Modules, find_package, list_modules, make_graph
from markdown_tables import tabulate

GENERIC = frozenset({"one", "other", "found", "shown", "told", "given", "known"})
RECORD_BASES = frozenset({"JsonRecord", "NamedTuple", "Struct", "TypedDict"})

_FORMATS = {
    "lines of imports": ".1%",
    "private functions with a single use": ".1%",
    "functions per record class": ".1f",
}
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def measure_source(text: str) -> Counter[str]:
    """Count the lines and constructions of a module.

    Args:
        text: The source of the module.

    Returns:
        Counts of "lines", "imports" (lines of code of import statements), "nested" comprehensions, "conditional"
        expressions, bound "names", "generic" names among them, "functions" (methods and nested functions included) and
        "records" (record classes).
    """
    tree = ast.parse(text)
    lines = _find_code_lines(text, tree)
    counts = Counter(lines=len(lines))
    for node in ast.walk(tree):
        counts["nested"] += _is_nested(node)
        counts["conditional"] += isinstance(node, ast.IfExp)
        name = _find_bound_name(node)
        counts["names"] += name is not None
        counts["generic"] += name in GENERIC
        counts["functions"] += isinstance(node, _Function)
        counts["records"] += isinstance(node, ast.ClassDef) and _is_record(node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            counts["imports"] += len(lines.intersection(_span(node)))
    return counts


def measure_modules(paths: Iterable[Path]) -> Counter[str]:
    """Sum the counts of modules."""
    return sum((measure_source(path.read_text("utf-8")) for path in paths), Counter[str]())


def find_single_uses(texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Find the private functions whose name occurs once in all sources outside the definition.

    Args:
        texts: The sources by the names of the modules.

    Returns:
        Modules and names of functions, in the order of the sources.
    """
    trees = {module: ast.parse(text) for module, text in texts.items()}
    places = {module: list(_locate_names(tree)) for module, tree in trees.items()}
    totals = Counter(name for names in places.values() for name, _ in names)
    functions = [(module, node) for module, tree in trees.items() for node in ast.walk(tree) if _is_private(node)]
    return [
        (module, node.name)
        for module, node in functions
        if totals[node.name] - sum(name == node.name and line in _span(node) for name, line in places[module]) == 1
    ]


TABLE_ROWS = 5
"""A module that is the single importer of as many modules is a table, and they are its rows, such as formats."""


def find_single_importers(modules: Modules) -> list[str]:
    """Find the modules, without packages and rows of tables, that a single module imports."""
    graph = make_graph(modules)
    importers: dict[str, list[str]] = {}
    for importer, imported in graph.items():
        for module in imported:
            importers.setdefault(module, []).append(importer)
    single = {
        module: importers[module][0]
        for module, path in modules.items()
        if len(importers.get(module, ())) == 1 and path.name != "__init__.py"
    }
    rows = Counter(single.values())
    return [module for module, importer in single.items() if rows[importer] < TABLE_ROWS]


def _find_code_lines(text: str, tree: ast.Module) -> set[int]:
    docstrings: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            docstrings.update(_span(node))
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if number not in docstrings)
    return {number for number, line in lines if line and not line.startswith("#")}


def _span(node: ast.stmt | ast.expr) -> range:
    """Return the numbers of the lines of a node, without its decorators."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _locate_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the names of variables, attributes, definitions and imports with the numbers of their lines."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                yield name, node.lineno
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno


def _is_private(node: ast.AST) -> TypeGuard[_Function]:
    return isinstance(node, _Function) and node.name.startswith("_") and not node.name.startswith("__")


def _is_record(node: ast.ClassDef) -> bool:
    decorators = {_find_last_name(decorator) for decorator in node.decorator_list}
    return "dataclass" in decorators or not RECORD_BASES.isdisjoint(map(_find_last_name, node.bases))


def _find_last_name(node: ast.expr) -> str:
    """Return the name of a decorator or base, without its module and its arguments."""
    if isinstance(node, ast.Call | ast.Subscript):
        return _find_last_name(node.func if isinstance(node, ast.Call) else node.value)
    return ast.unparse(node).rpartition(".")[2]


def _is_nested(node: ast.AST) -> bool:
    if not isinstance(node, _COMPREHENSIONS):
        return False
    has_inner = any(isinstance(inner, _COMPREHENSIONS) for inner in ast.walk(node) if inner is not node)
    return has_inner or len(node.generators) > 1


def _find_bound_name(node: ast.AST) -> str | None:
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    return None


def render() -> str:
    """Render the constructions of each package."""
    header = ["package", "lines of code", "nested comprehensions", "conditional expressions", "generic names"]
    rows = []
    for package in PACKAGES:
        counts = measure_modules(list_modules(package).values())
        nested, conditional = (1000 * counts[name] / counts["lines"] for name in ("nested", "conditional"))
        share = counts["generic"] / counts["names"]
        rows.append([f"`{package}`", f"{counts['lines']:,}", f"{nested:.1f}", f"{conditional:.1f}", f"{share:.1%}"])
    return tabulate(header, rows)


def measure_parts(package: str = "") -> dict[str, float]:
    """Count functions, classes, imports and modules of a package, or of both packages by default.

    Returns:
        Numbers by name. The names are those of the rows of the table, and `_FORMATS` names the shares.
    """
    modules = list_modules()
    ours = {name: path for name, path in modules.items() if f"{name}.".startswith(package and f"{package}.")}
    counts = measure_modules(ours.values())
    functions = counts["functions"]
    folders = Counter(find_package(module, modules) for module in ours)
    return {
        "lines of code": counts["lines"],
        "lines of imports": counts["imports"] / counts["lines"],
        "functions": functions,
        "private functions with a single use": sum(module in ours for module, _ in _find_all_single_uses()) / functions,
        "record classes": counts["records"],
        "functions per record class": functions / counts["records"],
        "modules": len(ours),
        "modules with a single importer": sum(module in ours for module in find_single_importers(modules)),
        "most modules in a folder": max(folders.values()),
    }


@cache
def _find_all_single_uses() -> list[tuple[str, str]]:
    """Find the private functions with a single use in both packages."""
    return find_single_uses({name: _read(path) for name, path in list_modules().items()})


def render_parts() -> str:
    """Render functions, classes, imports and modules of each package, and of both together."""
    columns = [measure_parts(package) for package in (*PACKAGES, "")]
    rows = [[name, *(format(column[name], _FORMATS.get(name, ",")) for column in columns)] for name in columns[0]]
    return tabulate(["", *(f"`{package}`" for package in PACKAGES), "both"], rows)


def _read(path: Path) -> str:
    return path.read_text("utf-8")


def list_findings(folders: Sequence[str]) -> str:
    """List the modules of folders with their constructions, most first, and the private functions with a single use."""
    modules = list_modules()
    rows = []
    for folder in folders:
        for path in Path(folder).rglob("*.py"):
            counts = measure_source(_read(path))
            rows.append((counts["nested"] + counts["conditional"] + counts["generic"], path, counts))
    rows.sort(key=lambda row: (-row[0], str(row[1])))
    lines = [
        f"{path}: {counts['nested']} nested, {counts['conditional']} conditional, {counts['generic']} generic"
        for total, path, counts in rows
        if total
    ]
    ours = {path.resolve() for _, path, _ in rows}
    lines += [
        f"{module}: {name} has a single use" for module, name in _find_all_single_uses() if modules[module] in ours
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:]:
        print(list_findings(sys.argv[1:]))
    else:
        print(render(), render_parts(), ways.render(), sep="\n\n")
