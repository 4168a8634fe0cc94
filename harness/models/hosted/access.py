"""Access to servers: their addresses, whether they are this machine, and their keys, which are hidden in all output."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from typing import Any

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


OPENAI_URL = "https://api.openai.com/v1"

_HOST = r"(?P<host>[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])"
_URL = re.compile(rf"(?P<scheme>https?)://{_HOST}(?::(?P<port>[0-9]{{1,5}}))?(?P<path>(?:/[A-Za-z0-9._~%-]+)*)/?")
"""Addresses without user, password, query and fragment, which could contain a key. Anything that two parsers might read
differently is excluded, too."""

_HOST_ALONE = re.compile(_HOST)
_USUAL_PORTS = {"http": "80", "https": "443"}


def parse_url(text: str) -> str:
    """Parse the address of a server.

    Args:
        text: An address such as ``http://localhost:7997/v1``.

    Returns:
        The normalized address: the host in lower case, no default port, and no slash at the end.

    Raises:
        OptionError: If the text has another form. The message does not quote the text, which may contain a key.
    """
    match = _URL.fullmatch(text)
    if match is None or int(match["port"] or 1) not in range(1, 1 << 16):
        form = "http://HOST:PORT/PATH or https://HOST/PATH, without user, password and query"
        raise OptionError(
            f"option url does not have the form {form}. Name the variable that contains the key with key_variable"
        )
    scheme, host, port = match["scheme"], match["host"].lower(), match["port"]
    place = host if port is None or str(int(port)) == _USUAL_PORTS[scheme] else f"{host}:{int(port)}"
    return f"{scheme}://{place}{match['path']}"


def parse_host(text: str) -> str:
    """Parse the name of a host, such as the value of ``--send-text-to``.

    Returns:
        The host in lower case. An IPv6 address has no brackets.

    Raises:
        OptionError: If the text has another form.
    """
    host = f"[{text}]" if text.count(":") > 1 and not text.startswith("[") else text
    if _HOST_ALONE.fullmatch(host) is None:
        raise OptionError(f"'{text}' is not the name of a host. Use a name alone, such as api.openai.com")
    return host.strip("[]").lower()


def find_recipient(options: Mapping[str, Any]) -> str | None:
    """Return the host in the option ``url``, to which a model sends texts. Return None if the host is this machine."""
    match = _URL.fullmatch(options["url"])
    if match is None:
        raise AssertionError("`parse_url` has checked the address")
    host = match["host"].strip("[]")
    return None if is_loopback(host) else host


def is_loopback(host: str) -> bool:
    """Return whether the name or address of a host refers to this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
