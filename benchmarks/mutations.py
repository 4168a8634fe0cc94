"""Mutants of a Python module: copies with one small wrong change that its tests should notice.

Changed are comparisons, Boolean and arithmetic operators, numbers, truth values, conditions, `min` and `max`, `any` and
`all`, `continue` and `break`. Calls whose value is not used and `raise` statements are deleted. Raw strings count as
regular expressions: each character is left out in turn. Annotations, decorators, `strict=` of `zip`, format
specifications and other strings stay, because tests cannot or should not notice their changes.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, AnyStr, NamedTuple

_CONTEXT = 25
"""Characters of code on either side of a change in its name."""

_INSEPARABLE = re.compile(r"[\w<>=!]")
"""Characters of names, numbers and comparisons, which names of mutants show whole."""

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.BitXor: ast.BitAnd,
}
_OPPOSITES = {"min": "max", "max": "min", "any": "all", "all": "any"}
_SKIPPED_FIELDS = frozenset({"annotation", "returns", "decorator_list", "format_spec"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef)


class Mutant(NamedTuple):
    """A changed module.

    Attributes:
        name: Where and what is changed: the scope, then the code around "[old -> new]". It stays the same when lines
            move.
        function: First line of the innermost function that runs the changed code, as in its code object; 0 if that is
            run when the module is imported.
        source: All of the changed module.
    """

    name: str
    function: int
    source: str


class _Site(NamedTuple):
    """A place in a syntax tree: the statement that it is in, that statement's scope, and its function's line."""

    parent: ast.AST
    field: str
    place: int | None
    statement: ast.AST
    scope: str
    function: int

    def get(self) -> Any:  # noqa: ANN401
        value = getattr(self.parent, self.field)
        return value if self.place is None else value[self.place]

    def put(self, value: object) -> None:
        if self.place is None:
            setattr(self.parent, self.field, value)
        else:
            getattr(self.parent, self.field)[self.place] = value


def list_mutants(source: str) -> list[Mutant]:
    """Make all mutants of a module.

    Args:
        source: The module.

    Returns:
        The mutants in the order of their places. Changes that give the same code are listed once.
    """
    tree = ast.parse(source)
    lines = source.encode().split(b"\n")
    # Unparsing the whole module for each mutant would take quadratic time.
    statements = [ast.unparse(statement) for statement in tree.body]
    seen, mutants = set(enumerate(statements)), []
    names: dict[str, int] = {}
    index = 0
    for site in list(_walk(tree, tree, "module")):
        if site.parent is tree and site.place is not None:
            index = site.place
        original = site.get()
        for replacement in _replace(original, site, lines):
            before = ast.unparse(site.statement)
            site.put(replacement)
            after, changed = ast.unparse(site.statement), ast.unparse(tree.body[index])
            site.put(original)
            if (index, changed) in seen:
                continue
            seen.add((index, changed))
            name = f"{site.scope}: {_describe(before, after)}"
            names[name] = names.get(name, 0) + 1
            if names[name] > 1:
                name += f" ({names[name]})"
            module = "\n".join([*statements[:index], changed, *statements[index + 1 :]])
            mutants.append(Mutant(name, site.function, module))
    return mutants


def _walk(node: ast.AST, statement: ast.AST, scope: str, function: int = 0) -> Iterator[_Site]:
    """Yield every place below a node whose code may be changed."""
    if isinstance(node, _SCOPES):
        scope = f"{scope}.{node.name}".removeprefix("module.")
    for field, value in ast.iter_fields(node):
        if field in _SKIPPED_FIELDS or _is_strictness(node):
            continue
        if field == "body" and isinstance(node, _FUNCTIONS):
            function = min(place.lineno for place in (node, *node.decorator_list))
        children = value if isinstance(value, list) else [value]
        for index, child in enumerate(children):
            if not isinstance(child, ast.AST):
                continue
            place = index if isinstance(value, list) else None
            inner = child if isinstance(child, ast.stmt | ast.comprehension) else statement
            # A statement that is deleted is shown within the one that it stands in.
            shown_node = statement if isinstance(child, ast.stmt) else inner
            yield _Site(node, field, place, shown_node, scope, function)
            yield from _walk(child, inner, scope, function)


def _is_strictness(node: ast.AST) -> bool:
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _replace(node: ast.AST, site: _Site, lines: Sequence[bytes]) -> Iterator[ast.AST]:
    """Yield the possible replacements of a node."""
    if isinstance(node, ast.cmpop | ast.boolop | ast.operator):
        yield from _replace_operator(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield node.operand
    elif isinstance(node, ast.Name) and node.id in _OPPOSITES and isinstance(site.parent, ast.Call):
        yield ast.Name(_OPPOSITES[node.id], node.ctx)
    elif isinstance(node, ast.Constant):
        yield from _replace_constant(node, site, lines)
    elif isinstance(node, ast.stmt):
        yield from _replace_statement(node)
    if isinstance(node, ast.expr) and _is_condition(node, site):
        yield ast.UnaryOp(ast.Not(), node)


def _replace_operator(node: ast.cmpop | ast.boolop | ast.operator) -> Iterator[ast.AST]:
    if isinstance(node, ast.cmpop):
        yield _COMPARISONS[type(node)]()
    elif isinstance(node, ast.boolop):
        yield ast.Or() if isinstance(node, ast.And) else ast.And()
    elif type(node) in _OPERATORS:
        yield _OPERATORS[type(node)]()


def _replace_constant(node: ast.Constant, site: _Site, lines: Sequence[bytes]) -> Iterator[ast.Constant]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
    elif isinstance(value, float):
        yield ast.Constant(value * 2 if value else 1.0)
    elif _is_pattern(node, site, lines):
        yield from _shorten_pattern(value) if isinstance(value, bytes) else _shorten_pattern(str(value))


def _is_pattern(node: ast.Constant, site: _Site, lines: Sequence[bytes]) -> bool:
    text = lines[node.lineno - 1][node.col_offset :]
    return bool(re.match(rb"(?:[rR][bB]?|[bB][rR])['\"]", text)) and not isinstance(site.parent, ast.JoinedStr)


def _shorten_pattern(pattern: AnyStr) -> Iterator[ast.Constant]:
    for place in range(len(pattern)):
        shorter = pattern[:place] + pattern[place + 1 :]
        if _compiles(shorter):
            yield ast.Constant(shorter)


def _compiles(pattern: str | bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            re.compile(pattern)
        except (re.error, Warning):
            return False
    return True


def _replace_statement(node: ast.stmt) -> Iterator[ast.stmt]:
    if isinstance(node, ast.Continue):
        yield ast.Break()
    elif isinstance(node, ast.Break):
        yield ast.Continue()
    elif isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield ast.Pass()


def _is_condition(node: ast.expr, site: _Site) -> bool:
    """Return whether a node is a condition without operators. Conditions with operators are changed at these."""
    is_test = (site.field == "test" and isinstance(site.parent, ast.If | ast.IfExp | ast.While)) or (
        site.field == "ifs" and isinstance(site.parent, ast.comprehension)
    )
    return is_test and not isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp)


def _describe(before: str, after: str) -> str:
    """Show a change with some code on either side, in one line."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    while start and _INSEPARABLE.match(before[start - 1]):
        start -= 1
    ends = 0
    room = min(len(before), len(after)) - start
    while ends < room and before[-1 - ends] == after[-1 - ends]:
        ends += 1
    while ends and _INSEPARABLE.match(before[-ends]):
        ends -= 1
    left = before[max(0, start - _CONTEXT) : start]
    right = before[len(before) - ends :][:_CONTEXT]
    change = f"[{before[start : len(before) - ends]} -> {after[start : len(after) - ends]}]"
    return " ".join(f"{left}{change}{right}".split())
