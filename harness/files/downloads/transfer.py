"""Read a file from a web server, from any byte on.

The transfer uses the HTTP client of huggingface_hub, which follows redirects, obeys the proxy variables, and refuses to
connect if HF_HUB_OFFLINE is set. `http_get` of the same library would write all that a server sends to disk, even
unpacked, and only then compare sizes.
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
    """An answer cannot be used. The message is the reason."""


class _Answer(Protocol):
    """What is needed of an answer, whose class depends on the version of the library."""

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

    A server that has no parts of files to give sends the file from its beginning. A server can send more or fewer bytes
    than a file should have, so that the caller has to count.

    Args:
        address: Its address, http or https. Redirects are followed to such addresses only.
        start: Position of the first byte that is needed.
        size: Size that the file should have, in bytes.
        remedy: What the user can do about an error.
        seconds: Longest time to wait for a connection or for the next bytes.

    Yields:
        The position of a piece, `start` or 0 at first, and its bytes.

    Raises:
        DownloadError: If the server cannot be reached, refuses, sends nothing for too long, breaks off, or announces
            another size, another part or a compressed content.
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
        raise DownloadError(f"{address}: {error}; {remedy}") from None
    except OfflineModeIsEnabled:
        raise DownloadError(f"{address}: is not read, because HF_HUB_OFFLINE is set; unset it and {remedy}") from None
    except Exception as error:  # the library has two families of exceptions, by its version
        raise DownloadError(f"{address}: cannot be read ({describe_cause(error)}); {remedy}") from error


def _find_position(answer: _Answer, start: int, size: int) -> int:
    """Return the position of the first byte of an answer: `start`, or 0 if the whole file is sent.

    Raises:
        _UnusableError: If the answer is not that file or its part.
    """
    if answer.status_code not in (_OK, _PARTIAL_CONTENT):
        raise _UnusableError(f"the server answers {answer.status_code} ({answer.reason_phrase})")
    encoding = answer.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise _UnusableError(f"the server sends the file compressed ({encoding})")
    position, total = 0, answer.headers.get("Content-Length", "*")
    if answer.status_code == _PARTIAL_CONTENT:
        extent = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", ""))
        if extent is None or int(extent[1]) != start:
            raise _UnusableError("the server sends another part of the file than was asked for")
        position, total = start, extent[2]
    if total != "*" and int(total) != size:
        raise _UnusableError(f"the server has a file of {int(total):,} bytes, expected {size:,}")
    return position
