"""Read a file from a web server, starting at any byte.

The transfer uses the HTTP client of huggingface_hub, which follows redirects, obeys the proxy variables, and refuses to
connect if HF_HUB_OFFLINE is set. `http_get` of the same library is not used, because it writes all data of a server to
disk, even unpacked, before it compares sizes.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from typing import Protocol

from harness.support.errors import DownloadError, describe_cause

SECONDS = 30
"""Longest time to wait for a connection or for the next bytes."""

_CONTENT_RANGE = re.compile(r"bytes ([0-9]+)-[0-9]+/([0-9]+|\*)")
_OK, _PARTIAL_CONTENT = 200, 206


class _UnusableError(Exception):
    """A response cannot be used. The message is the reason."""


class _Response(Protocol):
    """The required attributes of a response, whose class depends on the version of the library."""

    @property
    def status_code(self) -> int: ...

    @property
    def reason_phrase(self) -> str: ...

    @property
    def headers(self) -> Mapping[str, str]: ...


def read_remote_file(
    address: str, start: int, size: int, remedy: str, seconds: float = SECONDS
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the content of a remote file in pieces, as the server sends them.

    A server that does not support ranges sends the file from its beginning. A server can send more or fewer bytes than
    expected, so the caller has to count them.

    Args:
        address: The address of the file, http or https. Redirects are followed only to such addresses.
        start: Position of the first byte that is needed.
        size: Expected size of the file, in bytes.
        remedy: The remedy for an error, as a sentence without a final full stop.
        seconds: Longest time to wait for a connection or for the next bytes.

    Yields:
        The position and the bytes of a piece. The first position is `start` or 0.

    Raises:
        DownloadError: If the server cannot be reached, refuses, sends nothing for too long, breaks off, or announces
            another size, another range or compressed content.
    """
    from huggingface_hub import get_session
    from huggingface_hub.errors import OfflineModeIsEnabled

    headers = {"Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    try:
        with get_session().stream("GET", address, headers=headers, timeout=seconds) as response:
            position = _find_position(response, start, size)
            for piece in response.iter_raw():
                yield position, piece
                position += len(piece)
    except _UnusableError as error:
        raise DownloadError(f"{address}: {error}. {remedy}") from None
    except OfflineModeIsEnabled:
        raise DownloadError(f"{address}: cannot be read, because HF_HUB_OFFLINE is set. Unset it. {remedy}") from None
    except Exception as error:  # the family of exceptions depends on the version of the library
        raise DownloadError(f"{address}: cannot be read ({describe_cause(error)}). {remedy}") from error


def _find_position(response: _Response, start: int, size: int) -> int:
    """Return the position of the first byte of a response: `start`, or 0 if the server sends the whole file.

    Raises:
        _UnusableError: If the response is neither the file nor the requested range of it.
    """
    if response.status_code not in (_OK, _PARTIAL_CONTENT):
        raise _UnusableError(f"the server answers {response.status_code} ({response.reason_phrase})")
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise _UnusableError(f"the server sends the file compressed ({encoding})")
    position, total = 0, response.headers.get("Content-Length", "*")
    if response.status_code == _PARTIAL_CONTENT:
        extent = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
        if extent is None or int(extent[1]) != start:
            raise _UnusableError("the server sends a different range of the file than requested")
        position, total = start, extent[2]
    if total != "*" and int(total) != size:
        raise _UnusableError(f"the server has a file of {int(total):,} bytes, expected {size:,}")
    return position
