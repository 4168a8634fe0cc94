"""Measure the clarity of code: constructions that are hard to read, per package.

usage: clarity.py [PACKAGE...]

Blank lines, comments and docstrings are not lines of code. A comprehension is nested if it has several `for` or
contains another comprehension. A name is generic if it does not describe its value, such as `one` or `found`. The share
of generic names is among all bound names: variables and parameters.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("pyramid_paraphrase", "harness")
GENERIC = frozenset({"one", "other", "found", "shown", "told", "given", "known"})

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def measure_source(text: str) -> Counter[str]:
    """Count the lines and constructions of a module.

    Args:
        text: The source of the module.

    Returns:
        Counts of "lines", "nested" comprehensions, "conditional" expressions, bound "names", and "generic" names among
        them.
    """
    tree = ast.parse(text)
    counts = Counter(lines=_count_lines(text, tree))
    for node in ast.walk(tree):
        counts["nested"] += _is_nested(node)
        counts["conditional"] += isinstance(node, ast.IfExp)
        name = _find_bound_name(node)
        counts["names"] += name is not None
        counts["generic"] += name in GENERIC
    return counts


def measure_package(folder: Path) -> Counter[str]:
    """Sum the counts of all modules of a package."""
    return sum((measure_source(path.read_text("utf-8")) for path in folder.rglob("*.py")), Counter[str]())


def _count_lines(text: str, tree: ast.Module) -> int:
    docstrings: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            docstrings.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = (line.strip() for number, line in enumerate(text.splitlines(), 1) if number not in docstrings)
    return sum(bool(line) and not line.startswith("#") for line in lines)


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
    """Render a row per package."""
    header = "| package | lines of code | nested comprehensions | conditional expressions | generic names |"
    lines = [header, "| --- | --- | --- | --- | --- |"]
    for package in PACKAGES:
        counts = measure_package(ROOT / package)
        nested, conditional = (1000 * counts[name] / counts["lines"] for name in ("nested", "conditional"))
        share = counts["generic"] / counts["names"]
        lines.append(f"| `{package}` | {counts['lines']:,} | {nested:.1f} | {conditional:.1f} | {share:.1%} |")
    return "\n".join(lines)


def list_modules(folders: list[str]) -> str:
    """List the modules of folders with their counts, the modules with the most constructions first."""
    rows = []
    for folder in folders:
        for path in Path(folder).rglob("*.py"):
            counts = measure_source(path.read_text("utf-8"))
            rows.append((counts["nested"] + counts["conditional"] + counts["generic"], path, counts))
    rows.sort(key=lambda row: (-row[0], str(row[1])))
    return "\n".join(
        f"{path}: {counts['nested']} nested, {counts['conditional']} conditional, {counts['generic']} generic"
        for total, path, counts in rows
        if total
    )


if __name__ == "__main__":
    print(list_modules(sys.argv[1:]) if sys.argv[1:] else render())
