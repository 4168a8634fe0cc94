"""Keys of servers. They come from environment variables and are hidden in all output."""

from __future__ import annotations

import os
import re

from pyramid_paraphrase.errors import OptionError

OPENAI_VARIABLE = "OPENAI_API_KEY"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_HIDDEN = "[key]"
_PART = 4
"""Number of consecutive characters of a key by which `Key.hide_parts` recognizes a part of it."""

_NO_KEY = "none"
"""Sent to servers that do not require a key. Some refuse a request without the header."""


class Key:
    """A key in an environment variable.

    Args:
        variable: Name of the variable.
        value: The key. Empty if there is no key.
    """

    def __init__(self, variable: str, value: str) -> None:
        self.variable, self._value = variable, value

    def __repr__(self) -> str:
        return f"Key({self.variable!r}, {_HIDDEN!r})"

    @property
    def exists(self) -> bool:
        """Whether the variable contains a key."""
        return bool(self._value)

    def reveal(self) -> str:
        """Return the key itself, for the client only."""
        return self._value or _NO_KEY

    def hide(self, text: str) -> str:
        """Replace the key in a text, such as the answer of a server that quotes the key."""
        return text.replace(self._value, _HIDDEN) if self._value else text

    def hide_parts(self, text: str) -> str:
        """Replace each word of a text that contains a part of the key. Servers show the ends of a key in messages."""
        parts = {self._value[start : start + _PART] for start in range(max(1, len(self._value) - _PART + 1))} - {""}
        return " ".join(_HIDDEN if any(part in word for part in parts) else word for word in text.split())


def parse_variable(text: str) -> str:
    """Parse the name of an environment variable that contains a key.

    Raises:
        OptionError: If there is no such variable. The message does not quote the text, which may be the key itself.
    """
    if text != OPENAI_VARIABLE and not (_NAME.fullmatch(text) and os.environ.get(text)):
        reason = "option key_variable does not name an environment variable"
        raise OptionError(f"{reason}. Export the key, and use the name of its variable")
    return text


def read_key(variable: str) -> Key:
    """Read a key from the environment.

    Raises:
        OptionError: If the variable contains a text that cannot be sent as a key.
    """
    value = os.environ.get(variable, "").strip()
    if not value.isascii() or not value.isprintable():
        reason = f"the environment variable {variable} contains characters that a key cannot contain"
        raise OptionError(f"{reason}. Set it again")
    return Key(variable, value)
