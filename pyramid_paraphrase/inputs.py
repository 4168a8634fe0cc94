"""Opening the files that users name: regular files only, so that no command waits for a pipe."""

from __future__ import annotations

import os
import stat
from typing import IO

from pyramid_paraphrase.errors import InputError

_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0)
"""Opening a named pipe that nobody writes to waits for ever without this flag, which regular files ignore."""


def exists(path: str | os.PathLike[str]) -> bool:
    """Return whether something lies at a path.

    A path that the system refuses, for instance because its name is too long, is an error for `Path.exists` before
    Python 3.14. Here nothing lies at such a path. The same holds for `is_file` and `is_folder`.
    """
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file lies at a path; see `exists`."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder lies at a path; see `exists`."""
    return os.path.isdir(path)  # noqa: PTH112


def open_input(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a regular file for reading.

    Pipes are refused as well as devices, also those of a shell's process substitution: inputs are read more than once.

    Args:
        path: The file.

    Returns:
        The file, to be closed by the caller.

    Raises:
        InputError: If it is a pipe, a socket or a device.
        OSError: If it is a folder or cannot be opened.
    """
    file = open(path, "rb", opener=_open_without_waiting)  # noqa: SIM115 - pathlib has no opener
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise refuse_irregular(path)
    return file


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | _WITHOUT_WAITING)


def refuse_irregular(path: str | os.PathLike[str]) -> InputError:
    """Describe a pipe, a socket or a device where a file is expected, as an error to be raised by the caller."""
    return InputError(str(path), "is a pipe or a device", "write what it gives to a file first")
