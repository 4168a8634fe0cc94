"""Access to servers: their addresses, whether they are this machine, and their keys, which are hidden in all output."""

from __future__ import annotations

import base64
import codecs
import ipaddress
import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import Any
from unicodedata import normalize

from pyramid_paraphrase.errors import OptionError, shorten

OPENAI_VARIABLE = "OPENAI_API_KEY"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_HIDDEN = "[key]"
_PART = 4
"""Number of consecutive characters of a key by which `Key.hide_parts` recognizes a part of it."""

_LETTERS = 8
"""Number of consecutive letters and digits of a key by which `Key.hide` recognizes a part of it."""

_END = 4
"""Number of characters by which `Key.hide` recognizes the beginning or the end of a key. Ordinary words stay."""

_MASKED_END = 3
"""The same for the characters that remain of a masked key, such as `sk-ab***wxyz`, at both ends together."""

_WORD = re.compile(r"(?<![\w-])[\w-]+")
_MASKED = re.compile(r"(?<![\w-])([\w-]*)(?:[*•…]+|\.{2,})([\w-]*)")

_MOST_CHARACTERS = 10_000
"""Number of characters in which `Key.hide` looks for a key. Messages show fewer."""

_LONGEST_KEY = 8192
"""Number of characters of a key. Servers refuse headers that are much longer."""

_MARKS = re.compile("[^a-z0-9]+")
_CHARACTER = re.compile(".", re.DOTALL)
_ESCAPED_CHARACTER = re.compile(
    r"(?:%(?:25)?|\\x|\\u00|\\u{0*|=|&(?:amp;)?#x0*)(?P<hexadecimal>[0-9A-Fa-f]{2})[;}]?"
    r"|&(?:amp;)?#0*(?P<decimal>[0-9]{1,7});?|.",
    re.DOTALL,
)
"""A character, or its escape sequence in URLs, Python, JSON, HTML or mail."""

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

    @cached_property
    def _parts(self) -> tuple[set[str], int]:
        return _list_parts(self._value)

    def reveal(self) -> str:
        """Return the key itself, for the client only."""
        return self._value or _NO_KEY

    def hide(self, text: str) -> str:
        """Replace the key and its parts in a text, such as the answer of a server that quotes the key.

        A part is recognized by `_LETTERS` consecutive letters and digits, in upper or lower case, with any marks and
        spaces between them, backwards, and as base64, base32, rot13, numbers or escaped
        characters. Shorter parts are recognized at the ends of the key, as words of their own or of a masked key. The
        middle of a very long text is left out.
        """
        if not self._value:
            return text
        text = shorten(text, _MOST_CHARACTERS)
        spans = [match.span() for match in re.finditer(re.escape(self._value), text)]
        spans += _find_ends(text, self._value)
        for pattern in (_CHARACTER, _ESCAPED_CHARACTER):
            spans += _find_parts(text, *self._parts, pattern)
        hidden, position = "", 0
        for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
            if start >= position:
                hidden += text[position:start] + _HIDDEN
            position = max(position, end)
        return hidden + text[position:]

    def hide_parts(self, text: str) -> str:
        """Replace each word of a text that contains a part of the key. Servers show the ends of a key in messages."""
        parts = {self._value[start : start + _PART] for start in range(max(1, len(self._value) - _PART + 1))} - {""}
        return " ".join(_HIDDEN if any(part in word for part in parts) else word for word in text.split())


def _find_ends(text: str, key: str) -> Iterator[tuple[int, int]]:
    """Find the ends of a key in a text: words that begin or end it, and masked keys, as servers print them.

    Words without a digit and in a single case stay, because they can be ordinary words of a message.

    Yields:
        The beginning and the end of each word.
    """
    for match in _WORD.finditer(text):
        word = match[0]
        is_ordinary = word.isdecimal() or (word.replace("-", "").isalpha() and word[1:] == word[1:].lower())
        if len(word) >= _END and not is_ordinary and (key.startswith(word) or key.endswith(word)):
            yield match.span()
    for match in _MASKED.finditer(text):
        head, tail = match.groups()
        if len(head + tail) >= _MASKED_END and key.startswith(head) and key.endswith(tail):
            yield match.span()


def _find_parts(text: str, parts: set[str], length: int, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Find the parts of a key in a text.

    Args:
        text: The text.
        parts: The parts, in lower case.
        length: Their length.
        pattern: Matches a character of the text, or an escape sequence.

    Yields:
        The beginning and the end of each part. Parts can overlap.
    """
    letters, places = "", list[tuple[int, int]]()
    for match in pattern.finditer(text):
        decoded = _decode(match)
        letters += decoded
        places += [match.span()] * len(decoded)
    first = end = 0
    for start in range(len(letters) - length + 1):
        if letters[start : start + length] in parts:
            if start >= end:
                first = start
            end = start + length
            yield places[first][0], places[end - 1][1]


def _decode(match: re.Match[str]) -> str:
    """Return the letters and digits in lower case that a character of a text, or an escape sequence, stands for."""
    groups = match.groupdict()
    character = match[0]
    if code := groups.get("hexadecimal"):
        character = chr(int(code, 16))
    elif code := groups.get("decimal"):
        character = chr(min(int(code), sys.maxunicode))
    return _MARKS.sub("", normalize("NFKD", character).casefold())


def _list_parts(key: str) -> tuple[set[str], int]:
    """List the parts of a key, of letters and digits in lower case, and return their length, too.

    The characters of base64 and base32 depend on the position of the key in the text that is encoded. There are three
    and five cases. Of the first and the last characters, only those are parts that no other character influences.
    """
    data = key.encode()
    forms = [key, codecs.encode(key, "rot13"), data.hex(), "".join(f"{byte:03o}" for byte in data)]
    forms.append("".join(map(str, data)))
    for encode, bits, cases in ((base64.b64encode, 6, 3), (base64.b32encode, 5, 5)):
        for shift in range(cases):
            encoded = encode(bytes(shift) + data).decode()
            forms.append(encoded[-(-8 * shift // bits) : 8 * (shift + len(data)) // bits])
    plain_forms = [_MARKS.sub("", form.casefold()) for form in forms]
    length = min(_LETTERS, len(plain_forms[0]))
    if length < _PART:
        return set(), _LETTERS
    parts = set()
    for form in chain(plain_forms, [form[::-1] for form in plain_forms]):
        parts |= {form[start : start + length] for start in range(len(form) - length + 1)}
    return parts, length


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
    if len(value) > _LONGEST_KEY:
        reason = (
            f"the environment variable {variable} contains {len(value):,} characters, at most {_LONGEST_KEY:,} can be"
        )
        raise OptionError(f"{reason} a key. Set it again")
    if not value.isascii() or not value.isprintable():
        reason = f"the environment variable {variable} contains characters that a key cannot contain"
        raise OptionError(f"{reason}. Set it again")
    return Key(variable, value)


OPENAI_URL = "https://api.openai.com/v1"

_HOST = r"(?P<host>[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])"
_URL = re.compile(rf"(?P<scheme>https?)://{_HOST}(?::(?P<port>[0-9]{{1,5}}))?(?P<path>(?:/[A-Za-z0-9._~%-]+)*)/?")
"""Addresses without user, password, query and fragment, which could contain a key. Anything that two parsers might read
differently is excluded, too."""

_NUMBER = re.compile(r"(?:^|\.)(?:[0-9]+|0[xX][0-9A-Fa-f]*)\.?$")
"""A number at the end of a host. Some systems read such hosts as IP addresses, in several notations."""

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
    url = _normalize(text)
    if url is None:
        raise OptionError(f"option url {_OTHER_FORM}. Name the variable that contains the key with key_variable")
    return url


def parse_mirror(text: str) -> str:
    """Parse the address of a server for downloads, the value of ``--mirror``, as `parse_url` does.

    Raises:
        OptionError: If the text has another form. The message does not quote the text, which may contain a password.
    """
    url = _normalize(text)
    if url is None:
        raise OptionError(f"the address {_OTHER_FORM}. Use an address such as https://mirror.example")
    return url


_OTHER_FORM = "does not have the form http://HOST:PORT/PATH or https://HOST/PATH, without user, password and query"


def _normalize(text: str) -> str | None:
    """Return the normalized form of an address. Return None if the text is not an address."""
    match = _URL.fullmatch(text)
    if match is None or int(match["port"] or 1) not in range(1, 1 << 16) or not _is_host(match["host"]):
        return None
    scheme, host, port = match["scheme"], match["host"].lower(), match["port"]
    place = host if port is None or str(int(port)) == _USUAL_PORTS[scheme] else f"{host}:{int(port)}"
    return f"{scheme}://{place}{match['path']}"


def _is_host(host: str) -> bool:
    """Return whether a host is a name or a valid IP address. Names that end in a number, such as 127.1, are neither."""
    if not host.startswith("[") and not _NUMBER.search(host):
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return (address.version == 6) == host.startswith("[")


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
