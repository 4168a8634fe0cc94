"""JSON files: written in one form, and read within limits. Files are untrusted."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from pyramid_paraphrase.errors import InputError, cannot_read, shorten
from pyramid_paraphrase.files.inputs import open_input, refuse_document

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
"""A JSON value."""

_MAX_INTEGER = 1 << 53
_MOST_DIGITS, _SHOWN_DIGITS = 20, 20
_MAX_DEPTH = 20


def render_json(value: Mapping[str, Any]) -> bytes:
    """Render a value as JSON, in the layout of all JSON files of this program."""
    return (json.dumps(value, indent=1, allow_nan=False) + "\n").encode()


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
