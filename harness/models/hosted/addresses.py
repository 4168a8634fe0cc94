"""Addresses of servers: their form, the host that texts are sent to, and whether that host is this machine."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import Any

from pyramid_paraphrase.errors import OptionError

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
