"""Limits on the texts in a submitted result. Pages show these texts, and they must not contain licensed text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from harness.files.json_files import Json
from harness.support.errors import LeaderboardError

MAX_TEXT = 300
"""Maximum number of characters of a text in a result, except for the spec, the prompts and the signature."""

MAX_TEXTS = 10_000
"""Maximum number of characters of all texts in a result together. A result on four tests has about 3,000."""

_MAX_LONG_TEXT = 2000
_LONG_TEXTS = (
    "signature",
    "model.spec",
    "model.options.prompt",
    "model.options.summary_prompt",
    "model.options.question_prompt",
    "model.effective.prompt",
)
_MAX_NAME = 150
_NAME = r"[A-Za-z0-9_][\w.,:=@/()+-]*( [\w.,:=@/()+-]+)*"
_OF_KEY = " (a key)"
_SHAPES = (
    (rf".*{re.escape(_OF_KEY)}", r"[\w.-]{1,50}"),
    (rf"tests\.[^.]*\.(metrics|intervals){re.escape(_OF_KEY)}", r"[a-z0-9_]*"),
    (r"versions\..*|dataset\.data_version", r"[\w.+!-]{1,50}"),
    (r"model\.kind", r"[\w-]{1,50}"),
    (r"time\.date", r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\+00:00"),
)
"""Patterns of places in a record, and patterns of the texts that are allowed there."""

_REMEDY = "Submit the file that `pyramid-paraphrase evaluate` wrote"


def check_texts(value: Mapping[str, Json], name: str, path: Path) -> None:
    """Check the name of a model, and every other text of a result.

    Args:
        value: The content of the JSON file of the result.
        name: The name of the model in it.
        path: That file, for errors.

    Raises:
        LeaderboardError: If a text does not have the form for its place, has several lines, or is too long, or if all
            texts together are too long.
    """
    if len(name) > _MAX_NAME or not re.fullmatch(_NAME, name, re.ASCII):
        allowed = f"up to {_MAX_NAME} letters a to z, digits, single spaces and any of _.,:=@/()+-"
        remedy = f"Evaluate the model under another name of {allowed}"
        raise LeaderboardError(f"{path}: the model name {name[:50]!r} is not allowed. {remedy}")
    total = 0
    for place, text in _list_texts(value, ""):
        line, limit = text, MAX_TEXT
        if place in _LONG_TEXTS:
            line, limit = text.replace("\n", " "), _MAX_LONG_TEXT  # prompts may have several lines
        if len(text) > limit or not line.isprintable():
            reason = f"contains a text of {len(text):,} characters at {place}"
            raise LeaderboardError(f"{path}: {reason}. Use one printable line of at most {limit:,} characters")
        if not _has_shape(place, text):
            raise LeaderboardError(f"{path}: the text {text!r} at {place} is not allowed. {_REMEDY}")
        total += len(text)
    if total > MAX_TEXTS:
        reason = f"{path}: contains {total:,} characters, but at most {MAX_TEXTS:,} are allowed"
        raise LeaderboardError(f"{reason}. Shorten its texts")


def _has_shape(place: str, text: str) -> bool:
    shapes = [shape for places, shape in _SHAPES if re.fullmatch(places, place)]
    return all(re.fullmatch(shape, text, re.ASCII) for shape in shapes)


def _list_texts(value: Json, place: str) -> Iterator[tuple[str, str]]:
    """List every text in a record, including keys, with its place."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield f"{place}{_OF_KEY}", key
            yield from _list_texts(inner, f"{place}.{key}".lstrip("."))
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _list_texts(inner, place)
