"""Downloads: the lists of files, transfers that resume, and the check of each file."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from threading import Event

import pytest
from helpers.checkout import ROOT
from helpers.commands import HEED_INTERRUPTIONS, Run
from helpers.dripping_server import LIES, serve_drops
from helpers.file_server import FileServer, serve_files
from helpers.local_copies import read_local_copies
from helpers.messages import mentions

from harness.files.downloads import (
    SECONDS,
    SLOWEST_RATE,
    RemoteFile,
    download_files,
    hash_blob,
    list_missing_files,
    list_remote_files,
    read_remote_file,
)
from harness.support.errors import DownloadError
from harness.support.http_client import open_client
from harness.support.progress import Event as ProgressEvent
from harness.support.progress import StepAdvanced, StepStarted
from pyramid_paraphrase.catalog import DOWNLOADABLE
from pyramid_paraphrase.errors import InputError, OutputError

NAMES = [collection.name for collection in DOWNLOADABLE]


@pytest.fixture(autouse=True)
def online(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library reads HF_HUB_OFFLINE when it is imported, and the tests run with it."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)


def test_blob_ids_are_those_of_git(tmp_path: Path) -> None:
    """The expected value is the output of `git hash-object`."""
    for content, digest in (
        (b"", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
        (b"The bridge fell.\n", "f5b3ee57e3123139ad485700e0b8370d3af78fca"),
        (b"The river rose.\n" * 100_000, "e3072aa65c70a943e6d5c78737a47df0a1ba76a0"),
    ):
        (tmp_path / "file").write_bytes(content)
        assert hash_blob(tmp_path / "file") == digest


@pytest.mark.parametrize(("name", "count", "size"), [("propsegment", 3, 5_041_104), ("superpal", 1, 131_530)])
def test_files_of_collections(name: str, count: int, size: int) -> None:
    remote_files = list_remote_files(name)
    assert (len(remote_files), sum(file.size for file in remote_files)) == (count, size)


def test_files_of_realsumm() -> None:
    """Labels and summaries of 25 systems; the summaries that were judged, their SCUs and their ids."""
    paths = [PurePosixPath(file.path) for file in list_remote_files("realsumm")]
    assert len(paths) == 53
    assert {str(path) for path in paths if path.parent == PurePosixPath()} == {"SCUs.txt", "ids.txt", "references.txt"}
    systems = {suffix: {path.stem for path in paths if path.suffix == suffix} for suffix in (".label", ".summary")}
    assert len(systems[".label"]) == 25
    assert systems[".label"] == systems[".summary"]


@pytest.mark.parametrize("name", NAMES)
def test_every_row_is_well_formed(name: str) -> None:
    remote_files = list_remote_files(name)
    assert len(remote_files) == len({file.path for file in remote_files}) > 0
    for file in remote_files:
        assert re.fullmatch(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_]+)?(\.[A-Za-z_]+)+", file.path)
        assert file.size > 0
        assert re.fullmatch(r"[0-9a-f]{40}", file.digest)


def test_an_unknown_collection_has_no_files() -> None:
    assert list_remote_files("duc2007-main") == []


@pytest.mark.parametrize("name", NAMES)
def test_the_table_describes_the_real_files(name: str, tmp_path: Path) -> None:
    copies = read_local_copies(name)
    for file in list_remote_files(name):
        (tmp_path / "copy").write_bytes(copies[file.path])
        assert (len(copies[file.path]), hash_blob(tmp_path / "copy")) == (file.size, file.digest), file.path


TEXT = b"The river rose and the bridge fell."


def read(address: str, start: int = 0, size: int = len(TEXT), seconds: float = 10) -> tuple[int, bytes]:
    """Return the position of the first piece, and the bytes of all pieces."""

    def refuse(reason: str) -> DownloadError:
        return DownloadError(f"{address}: {reason}. Do this")

    with open_client() as client:
        pieces = list(read_remote_file(client, address, start, size, refuse, seconds))
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
        pieces = list(read_remote_file(client, f"{server.url}/long", 10, 1_000_000, DownloadError, 10))
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
        ({"Content-Encoding": "x" * 1000}, f"compressed ({'x' * 50}[...]{'x' * 50}). Do this"),
    ],
)
def test_parts_that_cannot_be_used(server: FileServer, headers: dict[str, str], reason: str) -> None:
    server.headers["/text"] = headers
    with pytest.raises(DownloadError) as caught:
        read(f"{server.url}/text", 10)
    assert re.search(mentions(f"{server.url}/text: ... {reason}"), str(caught.value))


def test_a_size_of_many_digits(server: FileServer) -> None:
    server.headers["/text"] = {"Content-Length": "9" * 19}
    with pytest.raises(DownloadError, match=mentions("/text: ... announces a size ... Do this")):
        read(f"{server.url}/text")


def test_long_words_of_a_server_are_shortened() -> None:
    with serve_drops(LIES["long reason"], None) as server, pytest.raises(DownloadError) as caught:
        read(f"http://127.0.0.1:{server.port}/text")
    assert str(caught.value).endswith(f"the server answers 404 ({'x' * 50}[...]{'x' * 50}). Do this")


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
from harness.files.downloads import read_remote_file
from harness.support.errors import DownloadError
from harness.support.http_client import open_client
with open_client() as client:
    print(b"".join(piece for _, piece in read_remote_file(client, sys.argv[1], 0, 35, DownloadError)))
"""


def test_proxy(run_python: Run, server: FileServer) -> None:
    """The library asks the proxy for the whole address."""
    server.contents["http://files.invalid/text"] = TEXT
    result = run_python(READ, "http://files.invalid/text", HF_HUB_OFFLINE="0", HTTP_PROXY=server.url)
    assert result.stdout == f"{TEXT!r}\n"


RIVER = b"The river rose.\n" * 40_000
BRIDGE = b"The bridge fell.\n"
EMPTY = b""
RIVER_FILE = RemoteFile("texts/river 1.txt", 640_000, "39aa89f441a801c4520b01ee3cd560dc984a699e")
BRIDGE_FILE = RemoteFile("bridge.txt", 17, "f5b3ee57e3123139ad485700e0b8370d3af78fca")
EMPTY_FILE = RemoteFile("empty.txt", 0, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")
FILES = [BRIDGE_FILE, RIVER_FILE, EMPTY_FILE]
RIVER_PATH, BRIDGE_PATH = "/base/texts/river%201.txt", "/base/bridge.txt"
HALF = 320_000


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serve_files() as server:
        server.contents = {RIVER_PATH: RIVER, BRIDGE_PATH: BRIDGE, "/base/empty.txt": EMPTY, "/text": TEXT}
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "corpus"


@pytest.fixture
def download(server: FileServer, folder: Path) -> Callable[..., None]:
    def download(*files: RemoteFile, seconds: float = 10) -> None:
        download_files(files or FILES, f"{server.url}/base", folder, seconds=seconds)

    return download


def list_files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


PART = f"texts/.river 1.txt.{RIVER_FILE.digest}.part"


def test_files_are_downloaded_once(server: FileServer, folder: Path, download: Callable[..., None]) -> None:
    download()
    assert list_files(folder) == ["bridge.txt", "empty.txt", "texts/river 1.txt"]
    assert (folder / "texts" / "river 1.txt").read_bytes() == RIVER
    assert (folder / "bridge.txt").read_bytes() == BRIDGE
    assert server.asked == [(BRIDGE_PATH, ""), (RIVER_PATH, "")]  # an empty file needs no request
    server.asked.clear()
    download()
    assert server.asked == []
    (folder / "bridge.txt").unlink()
    download()
    assert server.asked == [(BRIDGE_PATH, "")]
    assert list_missing_files(FILES, folder) == []


def test_a_file_is_on_disk_before_it_gets_its_name(
    folder: Path, download: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last bytes could be in the memory of a process that is killed."""
    sizes, rename = [], Path.replace

    def replace(part: Path, target: Path) -> Path:
        sizes.append(part.stat().st_size)
        return rename(part, target)

    monkeypatch.setattr(Path, "replace", replace)
    download(BRIDGE_FILE)
    assert sizes == [17]


def test_progress_counts_what_is_there(server: FileServer, folder: Path, download: Callable[..., None]) -> None:
    download(BRIDGE_FILE)
    server.stops[RIVER_PATH] = HALF
    with pytest.raises(DownloadError):
        download(RIVER_FILE)
    server.stops.clear()
    for knows_parts in (False, True):
        server.knows_parts = knows_parts
        events: list[ProgressEvent] = []
        (folder / RIVER_FILE.path).unlink(missing_ok=True)
        download_files(FILES, f"{server.url}/base", folder, listener=events.append)
        assert events[0] == StepStarted("downloading", 640_017, 17, "B")
        assert 17 + sum(event.items for event in events[1:] if not isinstance(event, StepStarted)) == 640_017


@pytest.mark.parametrize("knows_parts", [True, False])
def test_a_download_continues_where_it_stopped(
    server: FileServer, folder: Path, download: Callable[..., None], knows_parts: bool
) -> None:
    """A server without support for ranges sends the file from its beginning, which is not an error."""
    server.stops[RIVER_PATH] = HALF
    with pytest.raises(DownloadError) as caught:
        download(RIVER_FILE)
    assert re.search(
        mentions(
            f"{server.url}{RIVER_PATH}: ... received 320000 bytes, expected 640000 ... {folder}/texts/river 1.txt"
        ),
        str(caught.value),
    )
    assert list_files(folder) == [PART]
    assert (folder / PART).read_bytes() == RIVER[:HALF]
    server.stops.clear()
    server.asked.clear()
    server.knows_parts = knows_parts
    download(RIVER_FILE)
    assert server.asked == [(RIVER_PATH, "bytes=320000-")]
    assert list_files(folder) == ["texts/river 1.txt"]
    assert (folder / "texts" / "river 1.txt").read_bytes() == RIVER


def test_a_download_that_stopped_before_its_last_step_needs_no_server(
    server: FileServer, folder: Path, download: Callable[..., None]
) -> None:
    (folder / "texts").mkdir(parents=True)
    (folder / PART).write_bytes(RIVER)
    download(RIVER_FILE)
    assert server.asked == []
    assert list_files(folder) == ["texts/river 1.txt"]


@pytest.mark.parametrize("left", [RIVER + b"x", b"x" * HALF, b"x" * 640_000])
def test_a_beginning_with_other_bytes_is_no_trap(
    server: FileServer, folder: Path, download: Callable[..., None], left: bytes
) -> None:
    """A machine that lost power can leave any bytes; too many are noticed at once, others by the digest."""
    (folder / "texts").mkdir(parents=True)
    (folder / PART).write_bytes(left)
    if len(left) <= 640_000:
        with pytest.raises(
            DownloadError,
            match=mentions(
                f"/base/texts/river%201.txt: ... expected {RIVER_FILE.digest}, ... corpus/texts/river 1.txt"
            ),
        ):
            download(RIVER_FILE)
        assert list_files(folder) == []
    download(RIVER_FILE)
    assert (folder / "texts" / "river 1.txt").read_bytes() == RIVER


def test_other_bytes_of_the_same_length(server: FileServer, folder: Path, download: Callable[..., None]) -> None:
    server.contents[BRIDGE_PATH] = BRIDGE.upper()
    with pytest.raises(DownloadError) as caught:
        download(BRIDGE_FILE)
    wrong = hashlib.sha1(b"blob 17\0THE BRIDGE FELL.\n").hexdigest()
    assert str(caught.value).startswith(
        f"{server.url}/base/bridge.txt: the content has digest {wrong}, expected {BRIDGE_FILE.digest}, and was removed"
    )
    assert list_files(folder) == []


def test_too_many_bytes_announced(server: FileServer, folder: Path, download: Callable[..., None]) -> None:
    server.contents[BRIDGE_PATH] = BRIDGE + b"!"
    with pytest.raises(DownloadError, match=mentions("/base/bridge.txt: ... 18 bytes ... 17 ... corpus/bridge.txt")):
        download(BRIDGE_FILE)
    assert list_files(folder) == []


def test_too_many_bytes(server: FileServer, folder: Path, download: Callable[..., None]) -> None:
    """A server that announces no size is read until one piece is too long. The pieces before it are removed."""
    server.contents[RIVER_PATH] = RIVER + b"!"
    server.headers[RIVER_PATH] = {"Content-Length": ""}
    with pytest.raises(
        DownloadError, match=mentions("/base/texts/river%201.txt: ... 640,000 bytes ... corpus/texts/river 1.txt")
    ):
        download(RIVER_FILE)
    assert list_files(folder) == []


def test_no_more_is_read_than_declared(server: FileServer, folder: Path, download: Callable[..., None]) -> None:
    """50 MB instead of 17 bytes. The download function of the library would write all of them to disk."""
    server.contents[BRIDGE_PATH] = b"x" * 50_000_000
    server.headers[BRIDGE_PATH] = {"Content-Length": ""}
    sizes: list[int] = []

    def follow(event: ProgressEvent) -> None:
        if not isinstance(event, StepStarted):
            sizes.append(event.items)

    with pytest.raises(DownloadError, match=mentions("/base/bridge.txt: ... 17 bytes ... corpus/bridge.txt")):
        download_files([BRIDGE_FILE], f"{server.url}/base", folder, listener=follow)
    assert set(sizes) <= {0}
    assert list_files(folder) == []


@pytest.mark.parametrize("content", [BRIDGE[:5], b""])
def test_too_few_bytes(server: FileServer, folder: Path, download: Callable[..., None], content: bytes) -> None:
    server.contents[BRIDGE_PATH] = content
    with pytest.raises(
        DownloadError, match=mentions(f"/base/bridge.txt: ... file of {len(content)} bytes, expected 17")
    ):
        download(BRIDGE_FILE)
    server.headers[BRIDGE_PATH] = {"Content-Length": ""}
    with pytest.raises(
        DownloadError, match=mentions(f"/base/bridge.txt: ... stopped after {len(content)} of 17 bytes")
    ):
        download(BRIDGE_FILE)
    assert list_files(folder) == [f".bridge.txt.{BRIDGE_FILE.digest}.part"][: len(content)]


def test_a_server_that_answers_and_then_hangs(server: FileServer, folder: Path, download: Callable[..., None]) -> None:
    """The server sends half of the file, and then neither bytes nor an end."""
    server.hanging_after[RIVER_PATH] = HALF
    with pytest.raises(
        DownloadError, match=mentions("/base/texts/river%201.txt: ... (timed out) ... corpus/texts/river 1.txt")
    ):
        download(RIVER_FILE, seconds=2)  # a busy machine has received the half by then
    assert list_files(folder) == [PART]


def test_a_server_that_never_answers(server: FileServer, folder: Path, download: Callable[..., None]) -> None:
    server.hanging.add(BRIDGE_PATH)
    with pytest.raises(DownloadError, match=mentions("/base/bridge.txt: ... (timed out) ... corpus/bridge.txt")):
        download(seconds=0.1)
    assert list_files(folder) == []


def test_a_proxy_of_an_unknown_kind(
    server: FileServer, folder: Path, download: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "gopher://127.0.0.1")
    with pytest.raises(
        DownloadError, match=mentions(f"{server.url}/base: ... a proxy ... address ... Check the proxies")
    ):
        download()
    assert list_files(folder) == []


def test_files_before_an_error_stay(server: FileServer, folder: Path, download: Callable[..., None]) -> None:
    server.statuses[RIVER_PATH] = 500
    del server.contents[RIVER_PATH]
    with pytest.raises(
        DownloadError,
        match=mentions(
            "/base/texts/river%201.txt: ... answers 500 (Internal Server Error) ... corpus/texts/river 1.txt"
        ),
    ):
        download()
    assert list_files(folder) == ["bridge.txt"]


def test_a_file_with_another_content_is_kept(server: FileServer, folder: Path, download: Callable[..., None]) -> None:
    """The file is found before any download."""
    (folder / "texts").mkdir(parents=True)
    (folder / "texts" / "river 1.txt").write_bytes(b"notes of the user")
    with pytest.raises(OutputError) as caught:
        download()
    assert re.search(
        mentions(f"river 1.txt: ... (digest {_git_blob(b'notes of the user')}, expected {RIVER_FILE.digest}). Move"),
        str(caught.value),
    )
    assert server.asked == []
    assert list_files(folder) == ["texts/river 1.txt"]


def _git_blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def test_what_is_no_file(server: FileServer, folder: Path, download: Callable[..., None], tmp_path: Path) -> None:
    (folder / "bridge.txt").mkdir(parents=True)
    with pytest.raises(InputError, match=mentions("corpus/bridge.txt: ... (Is a directory) ... Move")):
        download(BRIDGE_FILE)
    (folder / "bridge.txt").rmdir()
    os.mkfifo(folder / "bridge.txt")
    with pytest.raises(InputError, match=mentions("corpus/bridge.txt: ... pipe ... content")):
        download(BRIDGE_FILE)
    (folder / "bridge.txt").unlink()
    (folder / f".bridge.txt.{BRIDGE_FILE.digest}.part").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(
        OutputError, match=mentions("corpus/bridge.txt: ... (Too many levels of symbolic links) ... path")
    ):
        download(BRIDGE_FILE)
    assert not (tmp_path / "elsewhere").exists()
    (tmp_path / "file").touch()
    with pytest.raises(
        OutputError, match=mentions("file/texts: cannot be written (Not a directory). ... another path")
    ):
        download_files([RIVER_FILE], f"{server.url}/base", tmp_path / "file")
    assert server.asked == []


def test_two_downloads_at_the_same_time(server: FileServer, folder: Path) -> None:
    """Ten processes wait for each other, so that each file is sent once."""
    with ThreadPoolExecutor(10) as pool:
        runs = [pool.submit(download_files, FILES, f"{server.url}/base", folder) for _ in range(10)]
        for run in runs:
            run.result()
    assert sorted(server.asked) == [(BRIDGE_PATH, ""), (RIVER_PATH, "")]
    assert list_files(folder) == ["bridge.txt", "empty.txt", "texts/river 1.txt"]
    assert (folder / "texts" / "river 1.txt").read_bytes() == RIVER


def test_waiting_for_another_download(server: FileServer, folder: Path) -> None:
    """The waiting process finds the complete file, counts it as done, and leaves no temporary file."""
    server.hanging.add(BRIDGE_PATH)
    has_started, events = Event(), list[ProgressEvent]()

    def follow(event: ProgressEvent) -> None:
        events.append(event)
        has_started.set()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(download_files, [BRIDGE_FILE], f"{server.url}/base", folder)
        while not server.asked:
            time.sleep(0.01)
        second = pool.submit(download_files, [BRIDGE_FILE], f"{server.url}/base", folder, listener=follow)
        has_started.wait()
        server.ended.set()
        first.result()
        second.result()
    assert events == [StepStarted("downloading", 17, 0, "B"), StepAdvanced(0), StepAdvanced(17)]
    assert server.asked == [(BRIDGE_PATH, "")]
    assert list_files(folder) == ["bridge.txt"]


def test_a_file_that_appears_in_the_meantime(server: FileServer, folder: Path) -> None:
    """A file that appears under the name after the download began is kept."""

    def follow(event: ProgressEvent) -> None:
        if isinstance(event, StepStarted):
            folder.mkdir()
            (folder / "bridge.txt").write_bytes(b"notes of the user")

    with pytest.raises(
        OutputError, match=mentions("corpus/bridge.txt: ... different content (digest ... Move it away")
    ):
        download_files([BRIDGE_FILE], f"{server.url}/base", folder, listener=follow)
    assert server.asked == []
    assert list_files(folder) == ["bridge.txt"]


DOWNLOAD = f"""
import sys
from pathlib import Path
from harness.files.downloads import download_files
from harness.files.downloads import RemoteFile
download_files([RemoteFile(*{tuple(RIVER_FILE)!r})], sys.argv[1] + "/base", Path(sys.argv[2]), seconds=60)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_download_that_is_ended_can_be_continued(
    server: FileServer, folder: Path, download: Callable[..., None], how: signal.Signals
) -> None:
    server.hanging_after[RIVER_PATH] = HALF
    command = [sys.executable, "-c", HEED_INTERRUPTIONS + DOWNLOAD, server.url, str(folder)]
    environment = os.environ | {"HF_HUB_OFFLINE": "0"}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        while not (folder / PART).exists() or (folder / PART).stat().st_size < HALF // 2:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(how)
        assert process.wait() != 0
    assert list_files(folder) == [PART]
    server.hanging_after.clear()
    download(RIVER_FILE)
    assert server.asked[-1][1] > "bytes=1"
    assert list_files(folder) == ["texts/river 1.txt"]
