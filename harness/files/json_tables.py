"""Tables in JSON: lists of objects, of rows or of columns, nested objects, and JSON lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any

from harness.files.json_files import parse_json
from pyramid_paraphrase.errors import InputError, LimitError, place
from pyramid_paraphrase.files import limits

Cells = list[str | None]
"""The cells of a row. None where a row has no cell, or JSON has null or no value."""

Rows = list[tuple[int, Cells]]
"""Rows with their numbers."""

MAX_CELLS = 20_000_000
"""Maximum number of cells of a file, which bounds the memory of its tables."""

MAX_COLUMNS = 10_000

_JSON = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*[\[{\]])")
_JSON_REMEDY = (
    'use a list of objects with the same keys, such as {"topic": "t1", "system": "s1", "score": 0.5}, and numbers of '
    "more than 15 digits in quotes"
)
_Parts = tuple[Rows, str, frozenset[str]]


def looks_like_json(text: str) -> bool:
    """Return whether a text begins like an object or a list of JSON."""
    return bool(_JSON.match(text))


def read_json(file: str, text: str) -> _Parts:
    """Read the table of a text of JSON or JSON lines.

    Args:
        file: Name of the file, for errors.
        text: Its content.

    Returns:
        The rows with their numbers, the first of which is the header, what the numbers count ("line" or "record"), and
        the names of columns whose values come from lists within a record.

    Raises:
        InputError: If the text is not JSON, or not a table.
        LimitError: If it has too many lines or values.
    """
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > limits.MAX_LINES:
        raise LimitError(file, f"has more than {limits.MAX_LINES:,} lines", "split the file")
    if len(lines) > 1:
        with suppress(InputError):
            parse_json(lines[0][1].encode(), file, _JSON_REMEDY)
            values = [(number, parse_json(line.encode(), place(file, number), _JSON_REMEDY)) for number, line in lines]
            return _make_records(file, values, "line")
    value = parse_json(text.encode(), file, _JSON_REMEDY)
    return _make_table(file, _unwrap(value))


def _unwrap(value: Any) -> Any:  # noqa: ANN401
    """Return the table of an object that contains little else, such as {"data": [...]} or pandas' "split" form."""
    if isinstance(value, dict):
        if _are_lists(value.get("data")) and isinstance(value.get("columns"), list):
            return [value["columns"], *value["data"]]
        lists = [part for part in value.values() if isinstance(part, list) and all(isinstance(x, dict) for x in part)]
        if len(lists) == 1 and (len(value) == 1 or "data" in value):
            return lists[0]
    return value


def _are_lists(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(part, list) for part in value)


def _make_table(file: str, value: Any) -> _Parts:  # noqa: ANN401
    if isinstance(value, list) and all(isinstance(record, dict) for record in value):
        return _make_records(file, list(enumerate(value, 1)), "record")
    if _are_lists(value):
        return [(number, list(map(_show, row))) for number, row in enumerate(value)], "record", frozenset()
    if isinstance(value, dict) and (columns := _find_columns(value)):
        rows: Rows = [(0, list(columns))]
        rows += [(place, list(map(_show, cells))) for place, cells in enumerate(zip(*columns.values(), strict=True), 1)]
        return rows, "record", frozenset()
    if isinstance(value, dict):
        return _make_keyed(file, value)
    raise InputError(file, "is JSON, but not a table", _JSON_REMEDY)


def _find_columns(value: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of an object of columns: lists of the same length, or objects from "0" to "n-1" of pandas."""
    columns = {}
    for name, column in value.items():
        if isinstance(column, dict) and list(column) == list(map(str, range(len(column)))):
            columns[name] = list(column.values())
        elif isinstance(column, list):
            columns[name] = column
        else:
            return {}
    return columns if len(set(map(len, columns.values()))) == 1 else {}


def _make_keyed(file: str, value: dict[str, Any]) -> _Parts:
    """Make a table of nested objects: up to two levels of keys, and values by name.

    Keys such as "t1/s1" are divided at the slash.
    """
    is_joined = all(key.count("/") == 1 for key in value)
    levels = 1 if is_joined else 2
    records = []
    for first, inner in value.items():
        keys = tuple(first.split("/")) if is_joined else (first,)
        if levels == 1 or not isinstance(inner, dict):
            records.append((keys, inner))
        else:
            records += [((*keys, second), values) for second, values in inner.items()]
    titles = ("key 1", "key 2")
    name = PurePath(file).name.partition(".")[0]
    rows = []
    for number, (keys, values) in enumerate(records, 1):
        by_name = values if isinstance(values, dict) else {name: values}
        rows.append((number, {**dict(zip(titles, keys, strict=False)), **by_name}))
    return _make_records(file, rows, "record")


def _make_records(file: str, records: Sequence[tuple[int, Any]], unit: str) -> _Parts:
    """Make a table of objects with the same keys, in any order. An item of a list is a row."""
    columns: dict[str, int] = {}
    listed: set[str] = set()
    flat: list[tuple[int, dict[str, str | None]]] = []
    cells = 0
    for number, record in records:
        if not isinstance(record, dict):
            raise InputError(f"{file}, {unit} {number:,}", "is not a JSON object", _JSON_REMEDY)
        for values in _flatten(record, listed):
            cells += len(values)
            if cells > MAX_CELLS or len(flat) > limits.MAX_LINES:
                raise LimitError(file, f"has more than {MAX_CELLS:,} values", "split the file")
            flat.append((number, values))
            for name in values:
                columns.setdefault(name, len(columns))
    if len(columns) > MAX_COLUMNS or len(columns) * len(flat) > MAX_CELLS:
        reason = f"has {len(columns):,} different keys in {len(flat):,} records"
        raise LimitError(file, reason, _JSON_REMEDY)
    names = _shorten_names(columns)
    rows: Rows = [(number, [values.get(name) for name in columns]) for number, values in flat]
    return [(0, list(names)), *rows], unit, frozenset(names[columns[name]] for name in listed)


def _shorten_names(names: Iterable[str]) -> list[str]:
    """Remove the first part of names such as "metrics.ROUGE-1" if all nested values have the same one."""
    names = list(names)
    firsts = {name.partition(".")[0] for name in names if "." in name}
    shorter = [name.partition(".")[2] or name if "." in name else name for name in names]
    return shorter if len(firsts) == 1 and len(set(shorter)) == len(names) else names


def _flatten(record: dict[str, Any], listed: set[str]) -> list[dict[str, str | None]]:
    """Return the rows of an object. Names of columns that come from lists are added to `listed`."""
    values: dict[str, str | None] = {}
    lists: list[tuple[str, list[Any]]] = []
    waiting = [(name, value) for name, value in reversed(record.items())]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{name}.{key}", part) for key, part in reversed(value.items())]
        elif isinstance(value, list):
            lists.append((name, value))
        else:
            values[name] = _show(value)
    rows = []
    for name, items in lists:
        for item in items:
            parts = _flatten(item, listed)[0] if isinstance(item, dict) else {"": _show(item)}
            row = {f"{name}.{key}" if key else name: part for key, part in parts.items()}
            listed.update(row)
            rows.append({**values, **row})
    return rows or [values]


def _show(value: Any) -> str | None:  # noqa: ANN401
    """Return the text of a value of JSON. Values of other types than text and numbers are no text."""
    if value is None or isinstance(value, dict | list):
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)
