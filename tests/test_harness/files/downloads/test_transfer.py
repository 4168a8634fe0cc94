"""Responses of servers: ranges, redirects, compression, refusals, and missing responses."""

from __future__ import annotations

import gzip
import re
import socket
from collections.abc import Iterator

import pytest
from helpers.checkout import ROOT
from helpers.commands import Run
from helpers.dripping_server import serve_drops
from helpers.file_server import FileServer, serve_files
from helpers.messages import mentions

from harness.files.downloads.transfer import SECONDS, SLOWEST_RATE, read_remote_file
from harness.support.errors import DownloadError
from harness.support.http_client import open_client

TEXT = b"The river rose and the bridge fell."


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serve_files() as server:
        server.contents["/text"] = TEXT
        yield server


def read(address: str, start: int = 0, size: int = len(TEXT), seconds: float = 10) -> tuple[int, bytes]:
    """Return the position of the first piece, and the bytes of all pieces."""
    with open_client() as client:
        pieces = list(read_remote_file(client, address, start, size, "Do this", seconds))
    return pieces[0][0], b"".join(piece for _, piece in pieces)


def test_a_file_from_any_byte_on(server: FileServer) -> None:
    assert read(f"{server.url}/text") == (0, TEXT)
    assert read(f"{server.url}/text", 10) == (10, b"rose and the bridge fell.")
    assert server.asked == [("/text", ""), ("/text", "bytes=10-")]
    server.knows_parts = False
    assert read(f"{server.url}/text", 10) == (0, TEXT)


def test_pieces_have_their_positions(server: FileServer) -> None:
    server.contents["/long"] = bytes(1_000_000)
    with open_client() as client:
        pieces = list(read_remote_file(client, f"{server.url}/long", 10, 1_000_000, "", 10))
    assert len(pieces) > 1
    assert [position for position, _ in pieces[1:]] == [position + len(piece) for position, piece in pieces[:-1]]


def test_a_size_that_is_not_told(server: FileServer) -> None:
    server.headers["/text"] = {"Content-Range": "bytes 10-34/*"}
    assert read(f"{server.url}/text", 10) == (10, b"rose and the bridge fell.")


def test_redirects(server: FileServer) -> None:
    for path, goal in (("/away", "/text"), ("/loop", "/loop"), ("/file", "file:///etc/passwd")):
        server.statuses[path] = 302
        server.headers[path] = {"Location": goal}
    assert read(f"{server.url}/away") == (0, TEXT)
    assert read(f"{server.url}/away", 10) == (10, b"rose and the bridge fell.")
    for path, cause in (("/loop", "redirects"), ("/file", "unsupported protocol 'file://'")):
        with pytest.raises(DownloadError, match=mentions(f"{path}: cannot be read ( ... {cause} ... ). Do this")):
            read(f"{server.url}{path}")
    assert len(server.asked) == 2 * 2 + 21 + 1  # the library follows 20 redirects


@pytest.mark.parametrize(
    ("status", "reason"), [(404, "Not Found"), (500, "Internal Server Error"), (204, "No Content")]
)
def test_refusals(server: FileServer, status: int, reason: str) -> None:
    server.statuses["/none"] = status
    with pytest.raises(DownloadError) as caught:
        read(f"{server.url}/none")
    assert re.search(mentions(f"{server.url}/none: ... {status} ({reason}). Do this"), str(caught.value))


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"Content-Range": "bytes 11-34/35"}, "different range ... Do this"),
        ({"Content-Range": "words 10-34/35"}, "different range ... Do this"),
        ({"Content-Range": ""}, "different range ... Do this"),
        ({"Content-Range": "bytes 10-34/36"}, "36 bytes, expected 35. Do this"),
        ({"Content-Range": f"bytes 10-34/{'9' * 5000}"}, "different range ... Do this"),
        ({"Content-Encoding": "zstd"}, "compressed (zstd). Do this"),
    ],
)
def test_parts_that_cannot_be_used(server: FileServer, headers: dict[str, str], reason: str) -> None:
    server.headers["/text"] = headers
    with pytest.raises(DownloadError) as caught:
        read(f"{server.url}/text", 10)
    assert re.search(mentions(f"{server.url}/text: ... {reason}"), str(caught.value))


def test_nothing_is_decompressed(server: FileServer) -> None:
    """100 KB would become 100 MB."""
    server.contents["/bomb"] = gzip.compress(bytes(100_000_000), 9)
    server.headers["/bomb"] = {"Content-Encoding": "gzip"}
    with pytest.raises(DownloadError, match=mentions("/bomb: ... compressed (gzip). Do this")):
        read(f"{server.url}/bomb")


def test_no_server() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/text"
        with pytest.raises(DownloadError, match=mentions("/text: cannot be read ( ... Connection refused). Do this")):
            read(address)


@pytest.mark.parametrize("address", ["raw.example.org/text", "file:///etc/passwd", "", "http://", "http://[/"])
def test_addresses_that_are_not_of_the_web(address: str) -> None:
    with pytest.raises(DownloadError, match=r": cannot be read \(.+\)\. Do this"):
        read(address)


def test_offline(server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(DownloadError) as caught:
        read(f"{server.url}/text")
    assert re.search(mentions(f"{server.url}/text: ... HF_HUB_OFFLINE ... Unset"), str(caught.value))
    assert server.asked == []


def test_the_time_limit_is_that_of_the_security_page() -> None:
    assert SECONDS == 30
    assert SLOWEST_RATE == 10_000
    page = " ".join((ROOT / "docs" / "security.md").read_text().split())
    assert "sends nothing for 30 seconds, or on average less than 10,000 bytes per second" in page


@pytest.mark.parametrize(
    ("first", "again"),
    [(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"), (b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"x")],
)
def test_a_server_that_drips(first: bytes, again: bytes) -> None:
    """The file has 1000 bytes, so it must arrive within 0.2 + 0.1 seconds. The server needs 10 seconds."""
    with (
        serve_drops(first, again) as server,
        pytest.raises(DownloadError, match=mentions("cannot be read (timed out). Do this")),
    ):
        read(f"http://127.0.0.1:{server.port}/text", size=1000, seconds=0.2)


READ = """
import sys
from harness.files.downloads.transfer import read_remote_file
from harness.support.http_client import open_client
with open_client() as client:
    print(b"".join(piece for _, piece in read_remote_file(client, sys.argv[1], 0, 35, "Do this")))
"""


def test_proxy(run_python: Run, server: FileServer) -> None:
    """The library asks the proxy for the whole address."""
    server.contents["http://files.invalid/text"] = TEXT
    result = run_python(READ, "http://files.invalid/text", HF_HUB_OFFLINE="0", HTTP_PROXY=server.url)
    assert result.stdout == f"{TEXT!r}\n"
