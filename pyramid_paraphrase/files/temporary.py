"""Temporary files and folders next to their targets, and the removal of temporary files that killed runs left.

A killed process runs no clean-up code, so the next run that writes to the same folder removes its temporary files. The
names of the files show which program made them, but not whether their writer is still running. A lock (flock) shows
that: the writer holds it, and the system releases it when the process ends for any reason. On systems without such
locks, nothing is removed.

The package filelock does not replace this: it locks a second file that stays beside the target, cannot open a folder,
asks for a lock again and again instead of waiting in the system, and falls back on files that a killed process leaves.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PREFIX = ".pyramid-paraphrase"
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_KEPT_FILE = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | _NO_LINKS


@contextmanager
def temporary_file(folder: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """Make a temporary file. At the end it is removed, unless it was renamed.

    Args:
        folder: An existing folder.

    Yields:
        Its path, and the file opened for writing. Close it before renaming it.

    Raises:
        OSError: If it cannot be made.
    """
    path, handle = _create_file(folder)
    held = os.dup(handle) if fcntl else None  # keeps the lock when the file is closed
    try:
        with os.fdopen(handle, "wb") as file:
            yield path, file
    finally:
        path.unlink(missing_ok=True)
        if held is not None:
            os.close(held)


@contextmanager
def locked_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that persists between runs, and lock it against other processes, on systems with locks.

    If a process has to wait for the lock, it afterwards opens the file that is at the path at that time.

    Args:
        path: The file, in an existing folder. It is created if it does not exist. A link is refused.

    Yields:
        The file, opened for reading and writing. Close it before renaming or removing it.

    Raises:
        OSError: If it cannot be opened.
    """
    handle = _open_locked(path)
    held = os.dup(handle) if fcntl else None  # keeps the lock when the file is closed
    try:
        with os.fdopen(handle, "r+b") as file:
            yield file
    finally:
        if held is not None:
            os.close(held)


@contextmanager
def temporary_folder(folder: Path) -> Iterator[Path]:
    """Make a temporary directory. At the end it is removed with its content, unless it was renamed.

    Args:
        folder: An existing folder.

    Yields:
        Its path.

    Raises:
        OSError: If it cannot be made.
    """
    path, held = _create_folder(folder)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        if held is not None:
            os.close(held)


def remove_abandoned(folder: Path) -> None:
    """Remove the temporary files and folders of writers on this machine that are no longer running.

    Args:
        folder: The folder. Other files in it, and files of other users, are not removed.
    """
    if fcntl is None:
        return
    own_names = re.compile(re.escape(f"{_PREFIX}-{_hash_machine()}-") + r"\d+-[0-9a-f]{16}\.tmp")
    try:
        paths = [path for path in folder.iterdir() if own_names.fullmatch(path.name)]
    except OSError:
        return
    for path in paths:
        with suppress(OSError):  # its writer is running, another process removed it first, or it cannot be removed
            _remove_if_abandoned(path)


def _remove_if_abandoned(path: Path) -> None:
    """Remove a temporary file or folder.

    Raises:
        OSError: If its lock is held, or it cannot be removed.
    """
    status = path.lstat()
    if status.st_uid != os.geteuid() or not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return
    handle = os.open(path, os.O_RDONLY | _NO_LINKS)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _is_at(handle, path):
            return
        if stat.S_ISDIR(status.st_mode):
            shutil.rmtree(path)
        else:
            path.unlink()
    finally:
        os.close(handle)


def _open_locked(path: Path) -> int:
    while True:
        handle = os.open(path, _KEPT_FILE, 0o666)
        lock(handle)
        if _is_at(handle, path):
            return handle
        os.close(handle)


def _create_file(folder: Path) -> tuple[Path, int]:
    while True:
        path = folder / _make_name()
        handle = os.open(path, _NEW_FILE, 0o600)
        lock(handle)
        if _is_at(handle, path):
            return path, handle
        os.close(handle)


def _create_folder(folder: Path) -> tuple[Path, int | None]:
    while True:
        path = folder / _make_name()
        path.mkdir(mode=0o700)
        if fcntl is None:
            return path, None
        try:
            handle = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            continue
        lock(handle)
        if _is_at(handle, path):
            return path, handle
        os.close(handle)


def lock(handle: int) -> None:
    """Wait until no other process holds the lock of an open file or folder, and lock it until it is closed.

    On systems without locks, this does nothing, and `remove_abandoned` removes nothing.
    """
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)


def _is_at(handle: int, path: Path) -> bool:
    """Return whether an open file is still at its path. Another process can remove it before it is locked."""
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


def _make_name() -> str:
    return f"{_PREFIX}-{_hash_machine()}-{os.getpid()}-{secrets.token_hex(8)}.tmp"


def _hash_machine() -> str:
    """Identify this machine, because on shared file systems a machine may not see the locks of other machines."""
    return hashlib.sha256(platform.node().encode(errors="replace")).hexdigest()[:8]
