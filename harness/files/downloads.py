"""Download of collections: lists of their files, and transfers that resume and check every file.

A file gets its final name when its content is verified. `http_get` of huggingface_hub is not used, because it writes
all data of a server to disk, even unpacked, before it compares sizes.
"""

from __future__ import annotations

import csv
import hashlib
import re
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from importlib.resources import files
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from harness.files.writing import make_folder
from harness.support.errors import DownloadError, describe_cause
from harness.support.progress import Listener, StepAdvanced, StepStarted, ignore
from pyramid_paraphrase.errors import OutputError, cannot_read, cannot_write, shorten
from pyramid_paraphrase.files.atomic import locked_file
from pyramid_paraphrase.files.inputs import exists, open_input

if TYPE_CHECKING:
    from harness.support.http_client import Client, Response


_TABLE = "files/downloads.tsv"
CHUNK_BYTES = 1 << 20


class RemoteFile(NamedTuple):
    """A file of a collection.

    Attributes:
        path: Path of the file in the folder of the collection, with slashes.
        size: Size of the file in bytes.
        digest: Git blob id of the file, in hexadecimal: the SHA-1 of "blob", the size, and the content. A commit of a
            repository lists the blob ids of its files, so that anybody can verify this table.
    """

    path: str
    size: int
    digest: str


def list_remote_files(name: str) -> list[RemoteFile]:
    """List the files of a collection by the name of the collection. An unknown collection has no files."""
    text = files("harness").joinpath(_TABLE).read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t")
    return [RemoteFile(row["path"], int(row["bytes"]), row["blob"]) for row in rows if row["collection"] == name]


def start_digest(size: int) -> hashlib._Hash:
    """Return a SHA-1 object that gives the Git blob id after an update with content of this size in bytes."""
    # The id identifies published content and is not a signature, so SHA-1 suffices.
    return hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)


def hash_blob(path: Path) -> str:
    """Compute the Git blob id of a file on disk.

    Raises:
        InputError: If the file is a pipe or a device.
        OSError: If the file cannot be read.
    """
    digest = start_digest(path.stat().st_size)
    with open_input(path) as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


SECONDS = 30
"""Longest time to wait for the beginning of an answer, and then for the next bytes."""

SLOWEST_RATE = 10_000
"""Bytes per second that a transfer must have on average, after the time to wait."""

_SIZE = r"[0-9]{1,18}"
_CONTENT_RANGE = re.compile(rf"bytes ({_SIZE})-{_SIZE}/({_SIZE}|\*)")
_OK, _PARTIAL_CONTENT = 200, 206
_SHOWN_WORDS = 100
"""Number of characters that are shown of a server's words."""


def read_remote_file(
    client: Client,
    address: str,
    start: int,
    size: int,
    refuse: Callable[[str], DownloadError],
    seconds: float = SECONDS,
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the content of a remote file in pieces, as the server sends them.

    A server that does not support ranges sends the file from its beginning. A server can send more or fewer bytes than
    expected, so the caller has to count them.

    Args:
        client: The client. It uses the proxies that environment variables name, and decides which redirects it follows.
        address: The address of the file, http or https.
        start: Position of the first byte that is needed.
        size: Expected size of the file, in bytes.
        refuse: Function that makes an error from the reason.
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
        raise refuse("cannot be read, because HF_HUB_OFFLINE is set. Unset it")
    headers = {"Range": f"bytes={start}-"} if start else {}
    deadline = time.monotonic() + seconds + size / SLOWEST_RATE
    try:
        with client.get(address, headers, seconds=seconds) as response:
            position, fault = _find_position(response, start, size)
            if fault:
                raise refuse(fault)
            while piece := response.read(min(seconds, deadline - time.monotonic())):
                yield position, piece
                position += len(piece)
    except RequestError as error:
        raise refuse(f"cannot be read ({describe_cause(error)})") from error


def _find_position(response: Response, start: int, size: int) -> tuple[int, str]:
    """Find the position of the first byte of a response: `start`, or 0 if the server sends the whole file.

    Returns:
        The position, and why the response is neither the file nor the requested range of it, or "".
    """
    from harness.support.http_client import PROXY_REFUSES, is_compressed

    if response.status == PROXY_REFUSES:
        return 0, f"the proxy answers {PROXY_REFUSES}"
    if response.status not in (_OK, _PARTIAL_CONTENT):
        return 0, f"the server answers {response.status} ({shorten(response.reason, _SHOWN_WORDS)})"
    if is_compressed(response.headers):
        encoding = response.headers["Content-Encoding"]
        return 0, f"the server sends the file compressed ({shorten(encoding, _SHOWN_WORDS)})"
    position, total = 0, response.headers.get("Content-Length", "*")
    if response.status == _PARTIAL_CONTENT:
        extent = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
        if extent is None or int(extent[1]) != start:
            return 0, "the server sends a different range of the file than requested"
        position, total = start, extent[2]
    if total != "*" and not re.fullmatch(_SIZE, total):
        return 0, "the server announces a size that is not a number of bytes"
    if total != "*" and int(total) != size:
        return 0, f"the server has a file of {int(total):,} bytes, expected {size:,}"
    return position, ""


def list_missing_files(remote_files: Sequence[RemoteFile], folder: Path) -> list[RemoteFile]:
    """Return the files that are missing in a folder.

    Args:
        remote_files: All files that the folder should contain.
        folder: The folder. It may be missing.

    Raises:
        OutputError: If a file in the folder has different content.
        InputError: If a file in the folder cannot be read.
    """
    return [file for file in remote_files if not _is_complete(folder / file.path, file)]


def _is_complete(target: Path, file: RemoteFile) -> bool:
    """Return whether a file exists with the expected content.

    Raises:
        OutputError: If the file has different content.
        InputError: If the file cannot be read.
    """
    if not exists(target):
        return False
    try:
        digest = hash_blob(target)
    except OSError as error:
        raise cannot_read(target, error, "move it away, or choose another folder") from None
    if digest != file.digest:
        reason = f"has different content (digest {digest}, expected {file.digest})"
        raise OutputError(f"{target}: {reason}. Move it away, or choose another folder")
    return True


def download_files(
    remote_files: Sequence[RemoteFile],
    address: str,
    folder: Path,
    *,
    listener: Listener = ignore,
    seconds: float = SECONDS,
) -> None:
    """Download the files that are missing in a folder.

    A transfer that stops leaves a hidden file ``.NAME.DIGEST.part``, and the next call continues it. A file gets its
    final name when it has the expected digest. Content with another digest is removed.

    Args:
        remote_files: All files that the folder should contain.
        address: The address that the paths are relative to, without a slash at the end.
        folder: The folder, which is created if necessary.
        listener: Receives the number of bytes on disk, and each change of it.
        seconds: Longest time to wait for the beginning of a file, and for its next bytes.

    Raises:
        DownloadError: If a file cannot be downloaded, or its content is not as expected.
        InputError: If a file in the folder cannot be read.
        OutputError: If a file in the folder has different content, or cannot be written.
    """
    missing = list_missing_files(remote_files, folder)
    total = sum(file.size for file in remote_files)
    listener(StepStarted("downloading", total, total - sum(file.size for file in missing), "B"))
    if not missing:
        return
    from harness.support.http_client import CHECK_ENVIRONMENT, RequestError, open_client  # imported here: takes long

    try:
        with open_client() as client:
            for file in missing:
                target = folder / file.path
                make_folder(target.parent)
                try:
                    _download_file(client, file, f"{address}/{quote(file.path)}", target, listener, seconds)
                except OSError as error:
                    raise cannot_write(target, error) from None
    except RequestError as error:
        raise DownloadError(f"{address}: cannot be read ({error}). {CHECK_ENVIRONMENT}") from None


def _download_file(
    client: Client, file: RemoteFile, address: str, target: Path, listener: Listener, seconds: float
) -> None:
    """Continue or begin a download, and rename the file when it is complete.

    Raises:
        DownloadError: If the download cannot be completed.
        OutputError: If another file with its name appeared in the meantime.
        OSError: If the file cannot be written.
    """
    part = target.with_name(f".{target.name}.{file.digest}.part")
    with locked_file(part) as stream:
        content = _Content(stream, file.size, listener)
        try:
            if _is_complete(target, file):  # another process downloaded it in the meantime
                content.clear()
                listener(StepAdvanced(file.size))
            else:
                _complete(client, content, file, address, target, seconds)
                stream.close()
                part.replace(target)
        finally:
            stream.close()
            with suppress(FileNotFoundError):  # it is complete and has its final name
                # Not the counted size, because Ctrl-C can come between writing and counting.
                if not part.stat().st_size:
                    part.unlink()


def _complete(client: Client, content: _Content, file: RemoteFile, address: str, target: Path, seconds: float) -> None:
    """Receive the missing bytes of a file, and verify the whole content.

    Raises:
        DownloadError: If the content is too short or too long, or has another digest.
        OSError: If the file cannot be written.
    """
    remedy = f"Run the command again later, or get the file in another way and save it as {target}"

    def refuse(reason: str) -> DownloadError:
        return DownloadError(f"{address}: {reason}. {remedy}")

    if content.size < file.size:
        with closing(read_remote_file(client, address, content.size, file.size, refuse, seconds)) as pieces:
            for position, piece in pieces:
                if position == 0:
                    content.clear()
                if position + len(piece) > file.size:
                    content.clear()
                    raise refuse(f"the server sends more than {file.size:,} bytes")
                content.append(piece)
    if content.size < file.size:
        raise refuse(f"the server stopped after {content.size:,} of {file.size:,} bytes")
    digest = content.compute_digest()
    if digest != file.digest:
        content.clear()
        raise refuse(f"the content has digest {digest}, expected {file.digest}, and was removed")


class _Content:
    """The beginning of a file that is being downloaded.

    Args:
        stream: The file with the bytes that an earlier run received, opened for reading and writing.
        limit: The size of the whole file. If the file has more bytes, they are removed.
        listener: Receives each change of the size.

    Attributes:
        size: Number of received bytes.
    """

    def __init__(self, stream: IO[bytes], limit: int, listener: Listener) -> None:
        self._stream, self._limit, self._listener = stream, limit, listener
        self.size, self._digest = 0, start_digest(limit)
        while chunk := stream.read(CHUNK_BYTES):
            self._count(chunk)
        if self.size > limit:
            self.clear()

    def append(self, piece: bytes) -> None:
        """Add bytes at the end."""
        self._stream.write(piece)
        self._count(piece)

    def clear(self) -> None:
        """Remove all bytes."""
        self._stream.seek(0)
        self._stream.truncate()
        self._listener(StepAdvanced(-self.size))
        self.size, self._digest = 0, start_digest(self._limit)

    def compute_digest(self) -> str:
        """Compute the Git blob id of the content, if it has the size of the whole file."""
        return self._digest.hexdigest()

    def _count(self, piece: bytes) -> None:
        self._digest.update(piece)
        self.size += len(piece)
        self._listener(StepAdvanced(len(piece)))
