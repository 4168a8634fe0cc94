"""Short names of models, for tables and paths."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

_MAX_SLUG = 80
_MAX_NAME = 100
_MAX_VARIANT = 200  # as in result.schema.json
_MAX_VALUE = 24
_DIGITS = 6
_CUT = "..."


def short_name(name: str) -> str:
    """The last two parts of a path or of a name on the Hub, such as "org/model" or "runs/best"."""
    parts = [part for part in PurePath(name).parts if part.strip("./\\")]
    return "/".join(parts[-2:]) or name


def name_variant(name: str, options: Mapping[str, Any]) -> str:
    """Name a model together with the options that make it another one, such as "org/model (truncate_dim=128)".

    Args:
        name: Its name without them.
        options: Those options; none for the model as it is.

    Returns:
        The name, in one line; long values are cut, and told apart by the beginning of their SHA-256.
    """
    values = [f"{key}={_plain(str(value))}" for key, value in options.items()]
    suffix = f" ({', '.join(values)})" if values else ""
    return _shorten(_shorten(name, _MAX_NAME) + suffix, _MAX_VARIANT)


def _plain(text: str) -> str:
    """A value that any table, page and leaderboard takes: single blanks, and no signs that mean something there."""
    shown = re.sub(r"[^A-Za-z0-9_.,:/@+-]+", " ", text).strip()
    return text if shown == text and len(text) <= _MAX_VALUE else _cut(shown, text, _MAX_VALUE)


def _shorten(text: str, length: int) -> str:
    if len(text) <= length and text.isprintable():
        return text
    return _cut("".join(letter if letter.isprintable() else " " for letter in text), text, length)


def _cut(shown: str, text: str, length: int) -> str:
    """The beginning of what is shown, and what tells the text apart from others that begin alike."""
    return f"{shown[: length - _DIGITS - len(_CUT)].rstrip()}{_CUT}{_hash(text)}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]


def slug(name: str) -> str:
    """A name of a folder for a model: letters, digits, dots, hyphens and underscores only."""
    text = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "model"
    return text if len(text) <= _MAX_SLUG else f"{text[: _MAX_SLUG - _DIGITS - 1]}-{_hash(name)}"
