"""Read the files and texts that users name, and walk through folders and archives. Archives are never unpacked.

Only regular files are accepted, so that no command blocks on a named pipe.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pyramid_paraphrase.errors import InputError, LimitError, cannot_read
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.archives import Budget, is_archive, read_bounded, read_members

_BEGINNING = 1 << 16
"""Number of bytes by which a document is recognized."""

_OPEN_DOCUMENT = rb"mimetypeapplication/vnd\.oasis\.opendocument\."
_SAVE = "save its content as text in UTF-8 (from a spreadsheet: as CSV or tab-separated), and use that file"
_UNPACK = "unpack it, and use the files in it"
_DOCUMENTS = (
    (
        re.compile(rb"PK\x03\x04.*(?:xl/(?:_rels|styles|theme|work)|%sspreadsheet)" % _OPEN_DOCUMENT, re.DOTALL),
        "is a file of Excel or another spreadsheet program, not text",
        _SAVE,
    ),
    (
        re.compile(rb"PK\x03\x04.*(?:word/(?:_rels|document|styles|theme)|ppt/|%s)" % _OPEN_DOCUMENT, re.DOTALL),
        "is a file of Word or another office program, not text",
        _SAVE,
    ),
    (
        re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        "is a file of Excel, Word or another office program (.xls, .doc), not text",
        _SAVE,
    ),
    (re.compile(rb"%PDF-"), "is a PDF file, not text", _SAVE),
    (re.compile(rb"PAR1"), "is a Parquet file, not text", _SAVE),
    (re.compile(rb"\{\\rtf1"), "is a file of a word processor (RTF), not text", _SAVE),
    (
        re.compile(rb"version https://git-lfs\.github\.com/spec/"),
        "is a pointer of Git LFS in place of the file",
        "get the file with `git lfs pull`",
    ),
    (re.compile(rb"7z\xbc\xaf\x27\x1c"), "is a 7z archive", _UNPACK),
    (re.compile(rb"Rar!\x1a\x07"), "is a RAR archive", _UNPACK),
    (re.compile(rb"\xfd7zXZ\0"), "is a file compressed by xz", _UNPACK),
    (re.compile(rb"\x28\xb5\x2f\xfd"), "is a file compressed by zstd", _UNPACK),
)
"""Documents by their beginnings, with the problem and the remedy. Files of current office programs are zip archives."""

_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)
"""Without this flag, opening a named pipe without a writer waits forever. It has no effect on regular files."""


def exists(path: str | os.PathLike[str]) -> bool:
    """Return whether a path exists.

    Before Python 3.14, `Path.exists` raises an error for a path that the system refuses, for instance because its name
    is too long. This function returns False for it, and so do `is_file` and `is_folder`.
    """
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a file, as `exists` does."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a folder, as `exists` does."""
    return os.path.isdir(path)  # noqa: PTH112


class _Reader(io.BufferedReader):
    """A file whose `read` raises an error instead of returning None, as for a system log without new messages."""

    def read(self, size: int | None = -1, /) -> bytes:
        data: bytes | None = super().read(size)
        if data is None:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), self.name)
        return data


def open_input(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a regular file for reading.

    Pipes and devices are refused, including the pipes of a shell's process substitution, because inputs are read
    more than once.

    Args:
        path: The file.

    Returns:
        The file, to be closed by the caller.

    Raises:
        InputError: If it is a pipe, a socket or a device.
        OSError: If it is a folder or cannot be opened.
    """
    file = _Reader(io.FileIO(path, opener=lambda name, flags: os.open(name, flags | _WITHOUT_WAITING)))
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise describe_pipe(path)
    return file


def read_input(path: str | os.PathLike[str]) -> bytes:
    """Read a regular file as a whole.

    Raises:
        InputError: If it is a pipe, a socket or a device.
        OSError: If it is a folder or cannot be read.
    """
    with open_input(path) as file:
        return file.read()


def refuse_document(name: str, data: bytes) -> None:
    """Refuse the content of a file that is a document of another program, which users pass in place of a text.

    Args:
        name: Name of the file.
        data: Its content, or the beginning of it.

    Raises:
        InputError: If it is one of `_DOCUMENTS`, such as a spreadsheet, a PDF file or a pointer of Git LFS.
    """
    beginning = data[:_BEGINNING]
    for pattern, reason, remedy in _DOCUMENTS:
        if pattern.match(beginning):
            raise InputError(name, reason, remedy)


def refuse_document_at(path: str | os.PathLike[str]) -> None:
    """Refuse a file as `refuse_document` does. Nothing happens if the path cannot be read as a file.

    Raises:
        InputError: If it is such a document.
    """
    beginning = b""
    with suppress(OSError), open_input(path) as file:
        beginning = file.read(_BEGINNING)
    refuse_document(str(path), beginning)


def read_bytes(path: Path, limit: int, remedy: str) -> bytes:
    """Read a text file of limited size.

    Args:
        path: The file.
        limit: Maximum size of the file in bytes.
        remedy: Remedy for an unreadable or too large file, for errors.

    Raises:
        InputError: If the file cannot be read, is a document of another program, or is larger than the limit.
    """
    try:
        with open_input(path) as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise cannot_read(path, error, remedy) from None
    refuse_document(str(path), data)
    if len(data) > limit:
        raise InputError(str(path), f"is larger than {limit:,} bytes", remedy)
    return data


def decode(data: bytes, name: str, remedy: str) -> str:
    """Decode UTF-8, without a byte order mark.

    Args:
        data: Content of a file.
        name: Name of the file, for errors.
        remedy: Remedy for a file that is not UTF-8, for errors.

    Raises:
        InputError: If the data is not UTF-8. The message names the line.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        refuse_document(name, data)
        raise InputError(name, "is not UTF-8", remedy, data[: error.start].count(b"\n") + 1) from None


def split_lines(text: str, name: str) -> list[str]:
    """Divide a text into lines at line feeds only: at least one line, without their line breaks.

    Args:
        text: Content of a file.
        name: Name of the file, for errors.

    Raises:
        LimitError: If there are more lines than `limits` allows.
    """
    lines = text.removesuffix("\n").split("\n")
    if len(lines) > limits.MAX_LINES:
        raise LimitError(name, f"has more than {limits.MAX_LINES:,} lines", "split the file")
    return [line.removesuffix("\r") for line in lines]


def read_lines(path: Path, remedy: str) -> list[str]:
    """Read the lines of a text file, at least one, without their line breaks.

    Args:
        path: The file.
        remedy: Remedy for a file that cannot be read, for errors.

    Raises:
        InputError: If the file cannot be read, or is not UTF-8.
        LimitError: If the file is larger than `limits` allows.
    """
    data = read_bytes(path, limits.MAX_FILE_BYTES, remedy)
    return split_lines(decode(data, str(path), "convert the file to UTF-8"), str(path))


def describe_pipe(path: str | os.PathLike[str]) -> InputError:
    """Describe a pipe, a socket or a device in place of a file, as an error to be raised by the caller."""
    return InputError(str(path), "is a pipe or a device", "write its content to a file first")


@dataclass(frozen=True, slots=True)
class WalkedFile:
    """A file on disk or a member of an archive.

    Attributes:
        name: Its path within the folder or the archive that is walked. The name of a member may be any text and is
            never used as a path on disk.
        full_name: Its full name, for messages: ``archive.tar.gz!folder/member``.
        path: Its path on disk, or None for a member.
        opener: Function that opens a member until the next member is read. None for a file on disk, and for a member
            that is a link, a device or a sparse file.
        budget: The budget of the archive of a member. Archives inside this archive also spend it.
        depth: The number of archives that contain it.
    """

    name: str
    full_name: str
    path: Path | None = None
    opener: Callable[[], IO[bytes]] | None = None
    budget: Budget | None = None
    depth: int = 0

    @property
    def is_archive(self) -> bool:
        """Whether its name is that of an archive."""
        return is_archive(self.name)

    @property
    def is_regular(self) -> bool:
        """Whether it can be opened: links on disk are followed, links in archives are not."""
        if self.path is not None:
            return is_file(self.path)
        return self.opener is not None

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open a regular file. A member can be opened until the walk reaches the next member.

        Raises:
            InputError: If it cannot be opened, or cannot be read in the body of the `with` statement.
        """
        try:
            with self._open() as stream:
                yield stream
        except OSError as error:
            raise cannot_read(self.path or self.full_name, error, "check the file") from None

    def _open(self) -> IO[bytes]:
        if self.path is not None:
            return open_input(self.path)
        if self.opener is None:
            raise describe_unopenable(self.full_name)
        return self.opener()


def describe_unopenable(full_name: str) -> InputError:
    """Describe a file that is not regular, as an error to be raised by the caller."""
    return InputError(full_name, "is not a regular file, or is a broken link", "replace it with the file itself")


def walk_folder(
    folder: Path, full_name: str, *, follows_links: bool = True, skips_unreadable: bool = False
) -> Iterator[WalkedFile]:
    """Yield everything in a folder and in its subfolders except these folders themselves.

    Args:
        folder: The folder.
        full_name: Its name, for messages.
        follows_links: Whether links to folders are followed. A link to a folder that was already visited is never
            followed, so that the walk ends.
        skips_unreadable: Whether folders that cannot be read are left out.

    Raises:
        InputError: If a folder cannot be read.
    """

    def refuse(error: OSError) -> None:
        if not skips_unreadable:
            raise cannot_read(error.filename, error, "check its permissions")

    visited = {folder.resolve()}
    for parent, subfolders, names in os.walk(folder, onerror=refuse, followlinks=follows_links):
        if follows_links:
            _remove_visited(Path(parent), subfolders, visited)
        for name in names:
            path = Path(parent, name)
            relative = path.relative_to(folder).as_posix()
            yield WalkedFile(relative, f"{full_name}/{relative}", path)


def _remove_visited(parent: Path, subfolders: list[str], visited: set[Path]) -> None:
    """Remove the subfolders that were already visited from a list, so that `os.walk` does not enter them again."""
    for name in list(subfolders):
        target = Path(parent, name).resolve()
        if target in visited:
            subfolders.remove(name)
        visited.add(target)


def walk_archive(
    archive: WalkedFile, stream: IO[bytes], *, max_members: int | None = None, remedy: str = "split the archive"
) -> Iterator[WalkedFile]:
    """Yield the members of an archive. To walk an archive among the members, call this function again.

    Args:
        archive: The archive.
        stream: The stream that `archive.open` returned, at its start.
        max_members: Maximum number of entries. If None, `limits.MAX_MEMBERS`.
        remedy: The remedy for an archive with more entries.

    Raises:
        LimitError: If the archive is nested too deep, has too many entries, or expands too much.
        InputError: If it is truncated or damaged.
    """
    file, depth = archive.full_name, archive.depth + 1
    if archive.path is not None:
        size = archive.path.stat().st_size
    else:
        data = read_bounded(stream, limits.MAX_FILE_BYTES, file)
        stream, size = io.BytesIO(data), len(data)
    if depth > limits.MAX_ARCHIVE_DEPTH:
        reason = f"is nested more than {limits.MAX_ARCHIVE_DEPTH} archives deep"
        raise LimitError(file, reason, "unpack the outer archive")
    budget = Budget(size, file, archive.budget)
    for name, opener in read_members(stream, file, budget, max_members=max_members, remedy=remedy):
        yield WalkedFile(name, f"{file}!{name}", None, opener, budget, depth)
