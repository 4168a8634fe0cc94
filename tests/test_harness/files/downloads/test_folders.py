"""Downloads from a server on this machine that breaks off, sends other bytes, hangs, or is used twice."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from helpers.commands import HEED_INTERRUPTIONS
from helpers.file_server import FileServer, serve_files
from helpers.messages import mentions

from harness.files.downloads.folders import download_files, list_missing_files
from harness.files.downloads.remote_files import RemoteFile
from harness.support.errors import DownloadError
from harness.support.progress import Event as ProgressEvent
from harness.support.progress import StepAdvanced, StepStarted
from pyramid_paraphrase.errors import InputError, OutputError

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
        server.contents = {RIVER_PATH: RIVER, BRIDGE_PATH: BRIDGE, "/base/empty.txt": EMPTY}
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
        download(RIVER_FILE, seconds=0.1)
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
    with pytest.raises(DownloadError, match=mentions(f"{server.url}/base: ... gopher:// ... Check the proxies")):
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
        OutputError, match=mentions("corpus/bridge.txt: ... (Too many levels of symbolic links) ... free")
    ):
        download(BRIDGE_FILE)
    assert not (tmp_path / "elsewhere").exists()
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=mentions("file/texts: cannot be written (Not a directory). ... free space")):
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
from harness.files.downloads.folders import download_files
from harness.files.downloads.remote_files import RemoteFile
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
