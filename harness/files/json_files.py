"""JSON files: written in one form, read within limits, and checked against the types of their records.

Files are untrusted. The types of the records are the only description of the files, and msgspec checks values against
them.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Meta

from pyramid_paraphrase.errors import InputError, shorten
from pyramid_paraphrase.files.inputs import read_bytes

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
"""A JSON value."""

_CONVERTING = Lock()
"""Held while msgspec converts a value. If two threads convert to the same type for the first time, it can crash,
because one of them uses the description of a nested type while the other one makes it (msgspec 0.22)."""

_MAX_INTEGER = 1 << 53
_MOST_DIGITS, _SHOWN_DIGITS = 20, 20
_MAX_DEPTH = 20
_TOO_DEEP = f"is nested more than {_MAX_DEPTH} deep"


def render_json(value: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> bytes:
    """Render a value as JSON, in the layout of all JSON files of this program."""
    return (json.dumps(value, indent=1, allow_nan=False) + "\n").encode()


def parse_json(data: bytes, name: str, remedy: str, *, keeps_numbers: bool = False) -> Any:  # noqa: ANN401
    """Parse untrusted JSON.

    Args:
        data: The content of a file, or a line of it.
        name: Name of the file, for errors.
        remedy: Remedy for a file that is not valid, for errors.
        keeps_numbers: Whether numbers of any size stay texts, as they are written, and so do NaN and Infinity, which
            are not JSON, but which Python writes.

    Raises:
        InputError: If the data is not JSON, is nested too deeply, or contains a number that is not finite or is too
            large, a repeated key in an object, or a text that UTF-8 cannot encode.
    """
    try:
        text = data.decode(json.detect_encoding(data), "surrogatepass")
        value = (_TEXT_DECODER if keeps_numbers else _DECODER).decode(text)
        if "\\u" in text or not text.isascii():
            json.dumps(value, ensure_ascii=False).encode()  # fails on lone surrogates, which no page can contain
        if text.count("[") + text.count("{") <= _MAX_DEPTH or not _is_deep(value):
            return value
        reason = _TOO_DEEP
    except _RefusedError as error:
        reason = str(error)
    except UnicodeEncodeError:
        reason = "contains half of a surrogate pair, such as \\ud83d alone"
    except RecursionError:
        reason = _TOO_DEEP
    except json.JSONDecodeError as error:
        place = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}, column {error.colno}"
        reason = f"is not valid JSON ({error.msg}, {place})" if data.strip() else "is empty"
    except UnicodeDecodeError:
        reason = "is not text in UTF-8"
    raise InputError(name, reason, remedy)


class _RefusedError(Exception):
    """A value is refused although the syntax is valid. The message is the reason."""


def _make_object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object. Parsers disagree on the value of a key that it contains twice."""
    value = dict(pairs)
    if len(value) < len(pairs):
        repeated, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise _RefusedError(f"contains the key '{repeated}' twice in an object")
    return value


def _parse_finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _refuse_number(text)
    return value


def _parse_integer(text: str) -> int:
    """Parse an integer that all programs which read the file can represent."""
    value = int(text) if len(text) <= _MOST_DIGITS else _MAX_INTEGER + 1
    if abs(value) > _MAX_INTEGER:
        raise _refuse_number(text)
    return value


def _refuse_number(text: str) -> _RefusedError:
    return _RefusedError(f"contains the number {shorten(text, _SHOWN_DIGITS)}, which is not finite or too large")


def _is_deep(value: object) -> bool:
    """Return whether a value is nested so deeply that recursive functions, such as its `repr`, might fail."""
    layer = [value]
    for _ in range(_MAX_DEPTH):
        next_layer: list[Any] = []
        for node in layer:
            if isinstance(node, dict):
                next_layer += node.values()
            elif isinstance(node, list):
                next_layer += node
        layer = next_layer
    return bool(layer)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_make_object,
    parse_constant=_parse_finite,
    parse_float=_parse_finite,
    parse_int=_parse_integer,
)
_TEXT_DECODER = json.JSONDecoder(object_pairs_hook=_make_object, parse_constant=str, parse_float=str, parse_int=str)


class JsonRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of the records of JSON files. Fields with defaults are optional, and left out if they say nothing."""


_Record = TypeVar("_Record", bound=JsonRecord)

LINE = r"^[^\u0000-\u001f\u007f-\u009f]+\Z"
"""Pattern of texts of one line. Patterns match whole texts: they end with \\Z, since $ also matches before a final line
feed."""

Line = Annotated[str, Meta(pattern=LINE, max_length=5000, description="1 to 5,000 characters in one line")]
ShortLine = Annotated[str, Meta(pattern=LINE, max_length=200, description="1 to 200 characters in one line")]
Name = Annotated[
    str, Meta(pattern=r"^[a-z0-9_]{1,50}\Z", description="a name of at most 50 letters a to z, digits and _")
]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z", description="a SHA-256 in hexadecimal")]
Date = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}\Z", description="a date such as 2026-01-31")]
Share = Annotated[float, Meta(ge=0, le=1)]
Amount = Annotated[float, Meta(ge=0)]
Count = Annotated[int, Meta(ge=0, le=_MAX_INTEGER)]
PositiveCount = Annotated[int, Meta(ge=1, le=_MAX_INTEGER)]

_MAX_QUOTED = 200
_WORDS = {
    "bool": "true or false",
    "int": "an integer",
    "float": "a number",
    "str": "a text",
    "array": "a list",
    "object": "an object",
}
_WITHIN = " - at `"
"""Precedes the place in a message about a part of a value."""

_ABOUT_FIELD = re.compile(r"Object (missing|contains).* field `(.*)`", re.DOTALL)


def read_record(path: Path, record_type: type[_Record], *, kind: str, limit: int, remedy: str) -> _Record:
    """Read an untrusted JSON file.

    Args:
        path: The file.
        record_type: Type of the record that the file contains.
        kind: Kind of the file, for errors.
        limit: Maximum size of the file in bytes.
        remedy: Remedy for an invalid file, for errors.

    Raises:
        InputError: If the file cannot be read, is too large, is not JSON, or is not valid.
    """
    value = parse_json(read_bytes(path, limit, remedy), str(path), remedy)
    return make_record(value, record_type, str(path), kind, remedy)


def make_record(value: Any, record_type: type[_Record], name: str, kind: str, remedy: str) -> _Record:  # noqa: ANN401
    """Make a record of an untrusted JSON value. A float such as 20.0 is not an integer.

    Args:
        value: The parsed content of a file.
        record_type: Type of the record.
        name: Name of the file, for errors.
        kind: Kind of the file, such as "leaderboard", for errors.
        remedy: Remedy for an invalid value, for errors.

    Raises:
        InputError: If the value is not valid. The message names the first wrong field.
    """
    try:
        with _CONVERTING:
            record = msgspec.convert(value, record_type)
    except msgspec.ValidationError:
        fault = _find_fault(value, record_type)
    else:
        fault = _find_difference(value, msgspec.to_builtins(record), ())
    if fault:
        raise InputError(name, f"is not a valid {kind}: {fault}", remedy)
    return record


def _find_difference(value: Any, rendered: Any, place: tuple[str, ...]) -> str:  # noqa: ANN401
    """Describe a field that only a value has, or only its record when it is rendered. Return "" if there is none.

    msgspec accepts a file without a version, and null in the place of an absent field.
    """
    if not isinstance(rendered, Mapping):
        return ""
    for field in sorted(rendered.keys() - value.keys()):
        return f"{_join(place)}: lacks the field '{field}'"
    for field in sorted(value.keys() - rendered.keys()):
        return f"{_join((*place, field))}: is {value[field]!r}, and must be left out"
    differences = (_find_difference(value[field], inner, (*place, field)) for field, inner in rendered.items())
    return next(filter(None, differences), "")


def _join(place: Iterable[str]) -> str:
    return ".".join(place) or "its top level"


def _find_fault(value: Any, kind: Any, place: tuple[str, ...] = ()) -> str:  # noqa: ANN401
    """Describe the first fault that msgspec finds: its place, the value, and what is expected there.

    Args:
        value: The value, or a part of it.
        kind: Its type.
        place: The fields that lead to the part.

    Returns:
        The description, or "" without a fault.
    """
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        reason = str(error)
    else:
        return ""
    for field, part, part_kind in _list_parts(value, kind) if _WITHIN in reason else ():
        if fault := _find_fault(part, part_kind, (*place, *field)):
            return fault
    if about_field := _ABOUT_FIELD.fullmatch(reason):
        verb = "lacks the" if about_field[1] == "missing" else "contains the unexpected"
        return f"{_join(place)}: {verb} field '{about_field[2]}'"
    kind, expected = _unwrap(kind)
    if get_origin(kind) is Literal:
        expected = " or ".join(map(repr, sorted(get_args(kind))))
    if not expected:  # "Expected `int | null`, got `str`" becomes "an integer or null"
        names = re.sub(r"Expected |, got .*|`", "", reason).replace(" | ", " or ")
        expected = re.sub("|".join(_WORDS), lambda word: _WORDS[word[0]], names)
    return f"{_join(place)}: {shorten(repr(value), _MAX_QUOTED)} is not {expected}"


def _list_parts(value: Any, kind: Any) -> Iterator[tuple[tuple[str, ...], Any, Any]]:  # noqa: ANN401
    """Yield the parts of a value: the field of each one, its value, and its type. Keys of a mapping have no field."""
    kind, _ = _unwrap(kind)
    if isinstance(value, dict) and isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        kinds = {field.name: field.type for field in msgspec.structs.fields(kind)}
        config = kind.__struct_config__
        kinds[config.tag_field or ""] = Literal[config.tag]
        yield from (((name,), part, kinds[name]) for name, part in value.items() if name in kinds)
    elif isinstance(value, dict):
        key_kind, part_kind = get_args(kind)
        for key, part in value.items():
            yield (), key, key_kind
            yield (key,), part, part_kind
    elif isinstance(value, list):
        kinds_of_parts = get_args(kind)
        has_fixed_length = len(kinds_of_parts) > 1 and kinds_of_parts[1] is not Ellipsis
        for index, part in enumerate(value):
            yield (str(index),), part, kinds_of_parts[index if has_fixed_length else 0]


def _unwrap(kind: Any) -> tuple[Any, str]:  # noqa: ANN401
    """Return a type without its metadata and without null as an alternative, and its description."""
    description = ""
    while get_origin(kind) in (Annotated, Union, UnionType):
        if get_origin(kind) is Annotated:
            kind, *metadata = get_args(kind)
            description = next((part.description for part in metadata if part.description), "")
        else:
            kind = next(option for option in get_args(kind) if option is not NoneType)
    return kind, description
