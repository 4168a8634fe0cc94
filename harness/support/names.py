"""Short names of models, for tables and paths."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any
from unicodedata import normalize

from pyramid_paraphrase.escaping import is_visible

NAME_RULE = "a name of 1 to 100 characters in one line"
"""The names of models that users can give."""

_MAX_SLUG = 80
_MAX_NAME = 100
_MAX_VARIANT = 200  # as a `ShortLine`
_MAX_VALUE = 24
_DIGITS = 6
_CUT = "..."


def parse_name(text: str) -> str:
    """Return the name that a user gives to a model.

    Raises:
        ValueError: If it does not follow `NAME_RULE`: it is blank or too long, or contains a control character, half of
            a surrogate pair, or another character that cannot be printed.
    """
    if not text.strip() or len(text) > _MAX_NAME or not is_visible(text):
        raise ValueError
    return text


def short_name(name: str) -> str:
    """Return the last two parts of a path or of a name on the Hub, such as "org/model" or "runs/best"."""
    parts = [part for part in PurePath(name).parts if part.strip("./\\")]
    return "/".join(parts[-2:]) or name


def name_variant(name: str, options: Mapping[str, Any]) -> str:
    """Name a model together with the options that change it, such as "org/model (truncate_dim=128)".

    Args:
        name: The name of the model without options.
        options: The options that change the model. Can be empty.

    Returns:
        The name, in one line. Long values are cut, and end with the first digits of their SHA-256.
    """
    variant = _shorten(name, _MAX_NAME)
    if options:
        values = ", ".join(f"{key}={_simplify(str(value))}" for key, value in options.items())
        variant += f" ({values})"
    return _shorten(variant, _MAX_VARIANT)


def _simplify(text: str) -> str:
    """Replace all characters of a value that leaderboards do not allow or that tables interpret, and shorten it."""
    simple = re.sub(r"[^A-Za-z0-9_.,:/@+-]+", " ", text).strip()
    if simple == text and len(text) <= _MAX_VALUE:
        return text
    return _cut(simple, text, _MAX_VALUE)


def _shorten(text: str, length: int) -> str:
    if len(text) <= length and text.isprintable():
        return text
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return _cut(printable, text, length)


def _cut(simple: str, text: str, length: int) -> str:
    """Cut a simplified text, and add a hash of the original text, so that similar texts stay distinct."""
    beginning = simple[: length - _DIGITS - len(_CUT)].rstrip()
    return f"{beginning}{_CUT}{_hash(text)}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]


def slug(name: str) -> str:
    """Make a folder name from the name of a model: letters, digits, dots, hyphens and underscores only.

    A name with other letters gets the first digits of a SHA-256, because names in other alphabets would all be equal.
    """
    name = normalize("NFC", name)
    text = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "model"
    if not name.isascii():
        text = f"{text}-{_hash(name.casefold())}"
    if len(text) <= _MAX_SLUG:
        return text
    return f"{text[: _MAX_SLUG - _DIGITS - 1]}-{_hash(name)}"
