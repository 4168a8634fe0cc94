"""Open the files that users name. Only regular files are accepted, so that no command blocks on a named pipe."""

from __future__ import annotations

import errno
import io
import os
import re
import stat
from contextlib import suppress

from pyramid_paraphrase.errors import InputError

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
        raise refuse_irregular(path)
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


def refuse_irregular(path: str | os.PathLike[str]) -> InputError:
    """Describe a pipe, a socket or a device in place of a file, as an error to be raised by the caller."""
    return InputError(str(path), "is a pipe or a device", "write its content to a file first")
