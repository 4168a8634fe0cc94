"""JSON files: written in one form, read within limits, and checked against a schema. Files are untrusted."""

from __future__ import annotations

import functools
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

from pyramid_paraphrase.errors import InputError, cannot_read, shorten
from pyramid_paraphrase.files.inputs import open_input, refuse_document

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
"""A JSON value."""

_MAX_INTEGER = 1 << 53
_MOST_DIGITS, _SHOWN_DIGITS = 20, 20
_MAX_DEPTH = 20
_MAX_QUOTED = 200


def render_json(value: Mapping[str, Any]) -> bytes:
    """Render a value as JSON, in the layout of all JSON files of this program."""
    return (json.dumps(value, indent=1, allow_nan=False) + "\n").encode()


def _is_integer(_checker: object, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _match_pattern(validator: Any, pattern: str, value: object, _schema: object) -> Iterator[Any]:  # noqa: ANN401
    import jsonschema

    if validator.is_type(value, "string") and not re.fullmatch(pattern, str(value)):
        yield jsonschema.ValidationError(f"{value!r} does not match {pattern!r}")


@functools.cache
def _validator(schema: str) -> Any:  # noqa: ANN401
    import jsonschema

    # JSON Schema also accepts 20.0 as an integer, but ranges and counts in Python do not.
    base = jsonschema.Draft202012Validator
    strict = base.TYPE_CHECKER.redefine("integer", _is_integer)
    # Patterns must match whole texts, but "$" in Python also matches before a final line feed.
    patterns = {"pattern": _match_pattern}
    validator = jsonschema.validators.extend(base, patterns, type_checker=strict)  # type: ignore[no-untyped-call]
    text = files("harness").joinpath(schema).read_text(encoding="utf-8")
    return validator(json.loads(text))


def read_json(path: Path, *, schema: str, kind: str, limit: int, remedy: str) -> Any:  # noqa: ANN401
    """Read an untrusted JSON file, and check it against a schema.

    Args:
        path: The file.
        schema: Path of the schema in the package `harness`.
        kind: Kind of the file, for errors.
        limit: Maximum size of the file in bytes.
        remedy: Remedy for an invalid file, for errors.

    Returns:
        The parsed value.

    Raises:
        InputError: If the file cannot be read, is too large, is not JSON, or is not valid.
    """
    value = parse_json(read_bytes(path, limit, remedy), str(path), remedy)
    check_schema(value, schema, str(path), kind, remedy)
    return value


def check_schema(value: Any, schema: str, name: str, kind: str, remedy: str) -> None:  # noqa: ANN401
    """Check a value against a schema of this package. A float such as 20.0 is not an integer.

    Args:
        value: The parsed content of a file.
        schema: Path of the schema in the package `harness`.
        name: Name of the file, for errors.
        kind: Kind of the file, such as "leaderboard", for errors.
        remedy: Remedy for an invalid value, for errors.

    Raises:
        InputError: If the value is not valid. The message names the first wrong field.
    """
    error = next(iter(_validator(schema).iter_errors(value)), None)
    if error is not None:
        field = ".".join(map(str, error.absolute_path)) or "its top level"
        wrong = error.message[:_MAX_QUOTED]
        if isinstance(error.schema, dict) and error.schema.get("description"):
            wrong = f"expected {error.schema['description']}"
        raise InputError(name, f"is not a valid {kind}: {field}: {wrong}", remedy)


def parse_json(data: bytes, name: str, remedy: str) -> Any:  # noqa: ANN401
    """Parse untrusted JSON.

    Raises:
        InputError: If the data is not JSON, is nested too deeply, or contains a number that is not finite or is too
            large, a repeated key in an object, or a text that UTF-8 cannot encode.
    """
    try:
        value = json.loads(
            data,
            object_pairs_hook=_make_object,
            parse_constant=_parse_finite,
            parse_float=_parse_finite,
            parse_int=_parse_integer,
        )
        json.dumps(value, ensure_ascii=False).encode()  # fails on lone surrogates, which cannot be written to a page
    except _RepeatedKeyError as error:
        raise InputError(name, f"contains the key '{error}' twice in an object", remedy) from None
    except UnicodeEncodeError:
        raise InputError(name, "contains half of a surrogate pair, such as \\ud83d alone", remedy) from None
    except _NumberError as error:
        reason = f"contains the number {shorten(str(error), _SHOWN_DIGITS)}, which is not finite or too large"
        raise InputError(name, reason, remedy) from None
    except RecursionError:
        raise _refuse_depth(name, remedy) from None
    except json.JSONDecodeError as error:
        place = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno}, column {error.colno}"
        reason = f"is not valid JSON ({error.msg}, {place})" if data.strip() else "is empty"
        raise InputError(name, reason, remedy) from None
    except UnicodeDecodeError:
        raise InputError(name, "is not text in UTF-8", remedy) from None
    if _is_deep(value):
        raise _refuse_depth(name, remedy)
    return value


def _refuse_depth(name: str, remedy: str) -> InputError:
    return InputError(name, f"is nested more than {_MAX_DEPTH} deep", remedy)


class _NumberError(Exception):
    """A number is not finite, or too large for the programs that read the file."""


class _RepeatedKeyError(Exception):
    """A JSON object contains a key twice. Parsers disagree on the value of this key."""


def _make_object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        repeated, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise _RepeatedKeyError(repeated)
    return value


def _parse_finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _NumberError(text)
    return value


def _parse_integer(text: str) -> int:
    value = int(text) if len(text) <= _MOST_DIGITS else _MAX_INTEGER + 1
    if abs(value) > _MAX_INTEGER:
        raise _NumberError(text)
    return value


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


def read_bytes(path: Path, limit: int, remedy: str) -> bytes:
    """Read a text file of limited size.

    Args:
        path: The file.
        limit: Maximum size of the file in bytes.
        remedy: Remedy for an unreadable or too large file, for errors.

    Raises:
        InputError: If the file cannot be read, is a document of another program, or is larger than the limit.
    """
    try:
        with open_input(path) as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise cannot_read(path, error, remedy) from None
    refuse_document(str(path), data)
    if len(data) > limit:
        raise InputError(str(path), f"is larger than {limit:,} bytes", remedy)
    return data
