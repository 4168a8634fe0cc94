"""JSON files of our own and of strangers: written alike, read within limits, checked against a schema."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema

from pyramid_paraphrase.errors import InputError, cannot_read
from pyramid_paraphrase.inputs import open_input

_MAX_INTEGER = 1 << 53
_MAX_DEPTH = 20


def render_json(value: Mapping[str, Any]) -> bytes:
    """A value as our JSON files hold it."""
    return (json.dumps(value, indent=1, allow_nan=False) + "\n").encode()


def _is_integer(_checker: object, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# JSON Schema also accepts 20.0 as an integer, but ranges and counts in Python do not.
_STRICT_VALIDATOR = jsonschema.validators.extend(  # type: ignore[no-untyped-call]
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer),
)


@functools.cache
def _validator(schema: str) -> Any:  # noqa: ANN401
    text = files("harness").joinpath(schema).read_text(encoding="utf-8")
    return _STRICT_VALIDATOR(json.loads(text))


def check_schema(value: Any, schema: str, name: str, what: str, remedy: str) -> None:  # noqa: ANN401
    """Check a value against one of our schemas; a float such as 20.0 is not an integer.

    Args:
        value: What was read.
        schema: Name of the schema, beside this module.
        name: Name of the file, for errors.
        what: What the file should be.
        remedy: What to do if it is not.

    Raises:
        InputError: If it is not valid; the message says where.
    """
    error = next(iter(_validator(schema).iter_errors(value)), None)
    if error is not None:
        where = ".".join(map(str, error.absolute_path)) or "its top level"
        described = error.schema.get("description") if isinstance(error.schema, dict) else None
        wrong = f"give {described}" if described else error.message[:200]
        raise InputError(name, f"is no {what}: {where}: {wrong}", remedy)


def parse_json(data: bytes, name: str, remedy: str) -> Any:  # noqa: ANN401
    """Parse JSON of a stranger: its numbers are finite floats, its texts can be written, and it is not deep.

    Raises:
        InputError: If it is no JSON, or not such JSON.
    """
    try:
        value = json.loads(data, parse_constant=_parse_finite, parse_float=_parse_finite, parse_int=_parse_integer)
        json.dumps(value, ensure_ascii=False).encode()  # halves of characters, which no page could hold
    except (ValueError, RecursionError):
        raise InputError(name, "is no JSON, or holds a number that is too large", remedy) from None
    if _is_deep(value):
        raise InputError(name, f"is nested more than {_MAX_DEPTH} deep", remedy)
    return value


def _parse_finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _parse_integer(text: str) -> int:
    value = int(text)
    if abs(value) > _MAX_INTEGER:
        raise ValueError(text)
    return value


def _is_deep(value: object) -> bool:
    """Whether a value is nested so deep that whatever recurses over it, such as its `repr`, might fail."""
    layer = [value]
    for _ in range(_MAX_DEPTH):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(layer)


def read_bytes(path: Path, limit: int, remedy: str) -> bytes:
    """Read a file that may not be larger than a limit.

    Raises:
        InputError: If it cannot be read, or is.
    """
    try:
        with open_input(path) as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise cannot_read(path, error, remedy) from None
    if len(data) > limit:
        raise InputError(str(path), f"is larger than {limit:,} bytes", remedy)
    return data
