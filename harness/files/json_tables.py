"""Tables in JSON: lists of objects, of rows or of columns, nested objects, and JSON lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from harness.files.json_files import parse_json
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.tab_separated import Rows
from pyramid_paraphrase.files.workbooks import MAX_CELLS

NUMBER = re.compile(r"[+\u2212-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
"""A number with a decimal point or a decimal comma."""

MAX_COLUMNS = 10_000

_JSON = re.compile(r'\s*(?:{\s*["}]|\[\s*[]{"[])')
_JSON_REMEDY = 'use a list of objects with the same keys, such as {"topic": "t1", "system": "s1", "score": 0.5}'

_Parts = tuple[Rows, str, frozenset[str]]
_Path = str | tuple[str, ...]
"""The key of a value, or the keys that lead to a nested value."""


def looks_like_json(text: str) -> bool:
    """Return whether a text begins like an object or a list of JSON."""
    return bool(_JSON.match(text))


def read_json(file: str, text: str) -> _Parts:
    """Read the table of a text of JSON or JSON lines.

    The forms are those of `DataFrame.to_json` of pandas, nested objects, and lines of SacreROUGE and SummEval.

    Args:
        file: Name of the file, for errors.
        text: Its content.

    Returns:
        The rows with their numbers, the first of which is the header, what the numbers count ("line" or "record"), and
        the names of columns whose values come from lists within a record. Numbers are as the file has them.

    Raises:
        InputError: If the text is not JSON, or not a table.
        LimitError: If it has too many lines or values.
    """
    first, _, others = text.lstrip().partition("\n")
    if others.strip() and _is_json(first):
        if text.count("\n") > limits.MAX_LINES:
            raise LimitError(file, f"has more than {limits.MAX_LINES:,} lines", "split the file")
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        values = [(number, _parse(line, file, number)) for number, line in lines]
        if all(isinstance(value, list) for _, value in values):
            return [(number, list(map(_show, value))) for number, value in values], "line", frozenset()
        return _make_records(file, (((), number, value) for number, value in values), "line")
    return _make_table(file, _unwrap(_parse(text, file)))


def _parse(text: str, file: str, line: int = 0) -> Any:  # noqa: ANN401
    try:
        return parse_json(text.encode(), file, _JSON_REMEDY, keeps_numbers=True)
    except InputError as error:
        raise InputError(file, error.reason, error.remedy, line) from None


def _is_json(text: str) -> bool:
    try:
        _parse(text, "")
    except InputError:
        return False
    return True


def _unwrap(value: Any) -> Any:  # noqa: ANN401
    """Return the table of an object that contains little else, such as {"data": [...]} or pandas' "split" form."""
    if isinstance(value, dict):
        if _are_lists(value.get("data")):
            names = value.get("columns")
            return [names, *value["data"]] if isinstance(names, list) else value["data"]
        lists = [part for part in value.values() if isinstance(part, list) and _are(part, dict)]
        if len(lists) == 1 and (len(value) == 1 or "data" in value):
            return lists[0]
    return value


def _are(values: Iterable[object], kind: type) -> bool:
    return all(isinstance(value, kind) for value in values)


def _are_lists(value: object) -> bool:
    return isinstance(value, list) and _are(value, list)


def _make_table(file: str, value: Any) -> _Parts:  # noqa: ANN401
    if isinstance(value, list) and _are(value, dict):
        return _make_records(file, (((), number, record) for number, record in enumerate(value, 1)), "record")
    if _are_lists(value):
        return [(number, list(map(_show, row))) for number, row in enumerate(value)], "record", frozenset()
    if not isinstance(value, dict):
        raise InputError(file, "is JSON, but not a table", _JSON_REMEDY)
    if columns := _find_columns(value):
        rows: Rows = [(0, list(columns))]
        rows += [
            (number, list(map(_show, cells))) for number, cells in enumerate(zip(*columns.values(), strict=True), 1)
        ]
        return rows, "record", frozenset()
    if _are_numbered(value) and _are(value.values(), dict) and _have_text(value.values()):
        records = (((key,), number, record) for number, (key, record) in enumerate(value.items(), 1))
        return _make_records(file, records, "record", ("index",))
    if _have_text([value]) and not _are_joined(value):  # a single line of JSON lines
        return _make_records(file, [((), 1, value)], "record")
    return _make_keyed(file, value)


def _find_columns(value: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of an object of columns: lists of the same length, or objects whose keys number the rows.

    Nested objects such as {topic: {system: score}} have the same form if systems are numbered. They are no columns: a
    column of names or texts has other values than numbers. If all columns have texts, only numbers from 0 count.
    """
    if _are_joined(value):
        return {}
    if _are(value.values(), list):
        columns = value
    else:
        parts = [part if isinstance(part, dict) else {} for part in value.values()]
        keys = list(parts[0])
        is_whole = all(key.isdecimal() for key in keys) and all(list(part) == keys for part in parts)
        is_sure = _are_numbered(keys) or not all(_have_text([part]) for part in parts)
        if not (is_whole and is_sure and _have_text(parts)):
            return {}
        columns = {name: list(part.values()) for name, part in value.items()}
    are_flat = not any(isinstance(cell, dict | list) for column in columns.values() for cell in column)
    return columns if are_flat and len(set(map(len, columns.values()))) == 1 else {}


def _are_numbered(keys: Iterable[str]) -> bool:
    """Return whether keys are the numbers from 0, in order."""
    return all(key == str(number) for number, key in enumerate(keys))


def _are_joined(keys: Iterable[str]) -> bool:
    """Return whether all keys consist of two parts, such as "t1/s1"."""
    return all(key.count("/") == 1 for key in keys)


def _have_text(records: Iterable[dict[str, Any]]) -> bool:
    """Return whether a value of objects is a text, and not a number, in contrast to a NaN of Python."""
    values = (value for record in records for value in record.values() if isinstance(value, str))
    return any(value != "NaN" and not NUMBER.fullmatch(value) for value in values)


def _make_keyed(file: str, value: dict[str, Any]) -> _Parts:
    """Make a table of nested objects: up to two levels of keys, and values by name.

    Keys such as "t1/s1" are divided at the slash.
    """
    is_joined = _are_joined(value)
    records: list[tuple[tuple[str, ...], Any]] = []
    for first, inner in value.items():
        keys = tuple(first.split("/")) if is_joined else (first,)
        if is_joined or not isinstance(inner, dict):
            records.append((keys, inner))
        else:
            records += [((*keys, second), values) for second, values in inner.items()]
    name = PurePath(file).name.partition(".")[0]
    rows = (
        (keys, number, values if isinstance(values, dict) else {name: values})
        for number, (keys, values) in enumerate(records, 1)
    )
    return _make_records(file, rows, "record", ("key 1", "key 2"))


def _make_records(
    file: str, records: Iterable[tuple[tuple[str, ...], int, Any]], unit: str, key_names: tuple[str, ...] = ()
) -> _Parts:
    """Make a table of objects with the same keys, in any order. An item of a list is a row.

    Args:
        file: Name of the file, for errors.
        records: The keys that lead to each object, its number, and the object.
        unit: What the numbers count.
        key_names: Names of the columns of the keys.
    """
    columns: dict[_Path, None] = {}
    listed: set[_Path] = set()
    flat: list[tuple[int, dict[_Path, str | None]]] = []
    cells = 0
    for keys, number, record in records:
        if not isinstance(record, dict):
            raise InputError(f"{file}, {unit} {number:,}", "is not a JSON object", _JSON_REMEDY)
        # The second part keeps these names apart from a key of the same name.
        named_keys: dict[_Path, str] = {(name, ""): key for name, key in zip(key_names, keys, strict=False)}
        for values in _list_rows(record, named_keys, listed):
            cells += len(values)
            if cells > MAX_CELLS or len(flat) > limits.MAX_LINES:
                raise LimitError(file, f"has more than {MAX_CELLS:,} values", "split the file")
            flat.append((number, values))
            columns.update(dict.fromkeys(values))
    if len(columns) > MAX_COLUMNS or len(columns) * len(flat) > MAX_CELLS:
        reason = f"has {len(columns):,} different keys in {len(flat):,} records"
        raise LimitError(file, reason, _JSON_REMEDY)
    names = _name_columns(columns)
    rows: Rows = [(number, [values.get(path) for path in columns]) for number, values in flat]
    return [(0, list(names.values())), *rows], unit, frozenset(names[path] for path in listed)


def _name_columns(paths: Iterable[_Path]) -> dict[_Path, str]:
    """Join keys by dots. The first key of ("metrics", "ROUGE-1") is left out if all nested values have the same one."""
    full = {path: path if isinstance(path, str) else ".".join(filter(None, path)) for path in paths}
    nested = [path for path in full if isinstance(path, tuple) and path[1]]
    shorter = full | {path: ".".join(path[1:]) for path in nested}
    has_one_root = len({path[0] for path in nested}) == 1
    return shorter if has_one_root and len(set(shorter.values())) == len(full) else full


def _list_rows(
    record: dict[str, Any], keys: Mapping[_Path, str], listed: set[_Path]
) -> Iterator[dict[_Path, str | None]]:
    """Yield the rows of an object: one, or one per item of its lists. Paths of lists are added to `listed`."""
    values: dict[_Path, str | None] = dict(keys)
    lists: dict[_Path, list[Any]] = {}
    _flatten(record, (), values, lists)
    for path, items in lists.items():
        for item in items:
            row: dict[_Path, str | None] = {}
            inner: dict[_Path, list[Any]] = {}
            if isinstance(item, dict):
                _flatten(item, path if isinstance(path, tuple) else (path,), row, inner)
                row |= {inner_path: _show(part) for inner_path, part in inner.items()}
            else:
                row[path] = _show(item)
            listed.update(row)
            yield values | row
    if not any(lists.values()):
        yield values


def _flatten(
    record: dict[str, Any], path: tuple[str, ...], values: dict[_Path, str | None], lists: dict[_Path, list[Any]]
) -> None:
    """Add the values and the lists in an object to dictionaries. `parse_json` limits the depth."""
    for name, value in record.items():
        key = (*path, name) if path else name
        if isinstance(value, dict):
            _flatten(value, (*path, name), values, lists)
        elif isinstance(value, list):
            lists[key] = value
        else:
            values[key] = _show(value)


def _show(value: Any) -> str | None:  # noqa: ANN401
    """Return the text of a value of JSON: JSON again if the value is a list or an object where a text is expected."""
    if isinstance(value, str):
        return value.strip()
    return None if value is None else json.dumps(value, ensure_ascii=False)
