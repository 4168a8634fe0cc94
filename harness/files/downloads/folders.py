"""Download files into a folder. A file gets its final name when its content is verified."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.parse import quote

from harness.files.downloads.remote_files import CHUNK_BYTES, RemoteFile, hash_blob, start_digest
from harness.files.downloads.transfer import SECONDS, open_transfer, read_remote_file
from harness.files.writing import make_folder
from harness.support.errors import DownloadError
from harness.support.progress import Listener, StepAdvanced, StepStarted, ignore
from pyramid_paraphrase.errors import OutputError, cannot_read, cannot_write
from pyramid_paraphrase.files.inputs import exists
from pyramid_paraphrase.files.temporary import locked_file

if TYPE_CHECKING:
    from harness.support.http_client import Client


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
    with open_transfer(address) as client:
        for file in missing:
            target = folder / file.path
            make_folder(target.parent)
            try:
                _download_file(client, file, f"{address}/{quote(file.path)}", target, listener, seconds)
            except OSError as error:
                raise cannot_write(target, error) from None


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
            if not content.size:
                part.unlink(missing_ok=True)


def _complete(client: Client, content: _Content, file: RemoteFile, address: str, target: Path, seconds: float) -> None:
    """Receive the missing bytes of a file, and verify the whole content.

    Raises:
        DownloadError: If the content is too short or too long, or has another digest.
        OSError: If the file cannot be written.
    """
    remedy = f"Run the command again later, or get the file in another way and save it as {target}"
    if content.size < file.size:
        pieces = read_remote_file(client, address, content.size, file.size, remedy, seconds)
        with closing(pieces):
            for position, piece in pieces:
                if position == 0:
                    content.clear()
                if position + len(piece) > file.size:
                    content.clear()
                    raise DownloadError(f"{address}: the server sends more than {file.size:,} bytes. {remedy}")
                content.append(piece)
    if content.size < file.size:
        reason = f"the server stopped after {content.size:,} of {file.size:,} bytes"
        raise DownloadError(f"{address}: {reason}. {remedy}")
    digest = content.compute_digest()
    if digest != file.digest:
        content.clear()
        reason = f"the content has digest {digest}, expected {file.digest}, and was removed"
        raise DownloadError(f"{address}: {reason}. {remedy}")


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
