"""Keys of servers: they come from the environment, and are hidden in everything that is written or shown."""

from __future__ import annotations

import os
import re

from pyramid_paraphrase.errors import OptionError

OPENAI_VARIABLE = "OPENAI_API_KEY"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_HIDDEN = "[key]"
_NO_KEY = "none"
"""Sent to servers that ask for no key, because the client needs a text."""


class Key:
    """A key in an environment variable.

    Args:
        variable: Name of the variable.
        value: The key; empty if there is none.
    """

    def __init__(self, variable: str, value: str) -> None:
        self.variable, self._value = variable, value

    def __repr__(self) -> str:
        return f"Key({self.variable!r}, {_HIDDEN!r})"

    @property
    def exists(self) -> bool:
        """Whether the variable holds a key."""
        return bool(self._value)

    def reveal(self) -> str:
        """Return the key itself, for the client alone."""
        return self._value or _NO_KEY

    def hide(self, text: str) -> str:
        """Replace the key in a text, which may be a server's answer that quotes it."""
        return text.replace(self._value, _HIDDEN) if self._value else text


def parse_variable(text: str) -> str:
    """Parse the name of an environment variable that holds a key.

    Raises:
        OptionError: If there is no such variable. The message does not quote the text, which may be the key itself.
    """
    if text != OPENAI_VARIABLE and not (_NAME.fullmatch(text) and os.environ.get(text)):
        reason = "option key_variable does not name a variable of the environment"
        raise OptionError(f"{reason}; export the key, and give the name of its variable")
    return text


def read_key(variable: str) -> Key:
    """Read a key from the environment.

    Raises:
        OptionError: If the variable holds a text that cannot be sent as a key.
    """
    value = os.environ.get(variable, "").strip()
    if not value.isascii() or not value.isprintable():
        raise OptionError(f"the environment variable {variable} holds characters that a key cannot have; set it again")
    return Key(variable, value)
