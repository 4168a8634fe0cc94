"""Read a file from a web server, starting at any byte, within a time that depends on its size.

`http_get` of huggingface_hub is not used, because it writes all data of a server to disk, even unpacked, before it
compares sizes.
"""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from harness.support.errors import DownloadError, describe_cause

if TYPE_CHECKING:
    from harness.support.http_client import Client, Response

SECONDS = 30
"""Longest time to wait for the beginning of an answer, and then for the next bytes."""

SLOWEST_RATE = 10_000
"""Bytes per second that a transfer must have on average, after the time to wait."""

_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,18})-[0-9]{1,18}/([0-9]{1,18}|\*)")
_OK, _PARTIAL_CONTENT = 200, 206


class _UnusableError(Exception):
    """A response cannot be used. The message is the reason."""


@contextmanager
def open_transfer(address: str) -> Iterator[Client]:
    """Make a client that reads files from a server.

    Args:
        address: The address of the server, for the message of an error.

    Raises:
        DownloadError: If the proxies or certificates that environment variables name cannot be used.
    """
    from harness.support.http_client import RequestError, open_client  # imported here, because it takes long

    try:
        with open_client() as client:
            yield client
    except RequestError as error:
        raise DownloadError(f"{address}: cannot be read ({error}). Check the proxies in the environment") from None


def read_remote_file(
    client: Client, address: str, start: int, size: int, remedy: str, seconds: float = SECONDS
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the content of a remote file in pieces, as the server sends them.

    A server that does not support ranges sends the file from its beginning. A server can send more or fewer bytes than
    expected, so the caller has to count them.

    Args:
        client: The client. It uses the proxies that environment variables name.
        address: The address of the file, http or https. Redirects are followed only to such addresses.
        start: Position of the first byte that is needed.
        size: Expected size of the file, in bytes.
        remedy: The remedy for an error, as a sentence without a final full stop.
        seconds: Longest time to wait for the beginning of the answer, redirects included, and for the next bytes.

    Yields:
        The position and the bytes of a piece. The first position is `start` or 0.

    Raises:
        DownloadError: If the server cannot be reached, refuses, sends nothing for too long or too slowly, breaks off,
            or announces another size, another range or compressed content, or if HF_HUB_OFFLINE is set.
    """
    from huggingface_hub import constants

    from harness.support.http_client import RequestError

    if constants.HF_HUB_OFFLINE:
        raise DownloadError(f"{address}: cannot be read, because HF_HUB_OFFLINE is set. Unset it. {remedy}")
    headers = {"Range": f"bytes={start}-"} if start else {}
    deadline = time.monotonic() + seconds + size / SLOWEST_RATE
    try:
        with client.get(address, headers, seconds=seconds) as response:
            position = _find_position(response, start, size)
            while piece := response.read(min(seconds, deadline - time.monotonic())):
                yield position, piece
                position += len(piece)
    except _UnusableError as error:
        raise DownloadError(f"{address}: {error}. {remedy}") from None
    except RequestError as error:
        raise DownloadError(f"{address}: cannot be read ({describe_cause(error)}). {remedy}") from error


def _find_position(response: Response, start: int, size: int) -> int:
    """Return the position of the first byte of a response: `start`, or 0 if the server sends the whole file.

    Raises:
        _UnusableError: If the response is neither the file nor the requested range of it.
    """
    if response.status not in (_OK, _PARTIAL_CONTENT):
        raise _UnusableError(f"the server answers {response.status} ({response.reason})")
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise _UnusableError(f"the server sends the file compressed ({encoding})")
    position, total = 0, response.headers.get("Content-Length", "*")
    if response.status == _PARTIAL_CONTENT:
        extent = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
        if extent is None or int(extent[1]) != start:
            raise _UnusableError("the server sends a different range of the file than requested")
        position, total = start, extent[2]
    if total != "*" and int(total) != size:
        raise _UnusableError(f"the server has a file of {int(total):,} bytes, expected {size:,}")
    return position
