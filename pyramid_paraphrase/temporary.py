"""Temporary files and folders beside what they become, and the removal of those that killed runs left behind.

A killed process runs no clean-up code, so the next run that writes to the same folder removes what it left. The names
say that a file is ours, but not whether its writer still lives. A lock (flock) tells: the writer holds it for as long
as it lives, and the system releases it when the process ends, however it ends. Where there are no such locks, nothing
is removed.
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


@contextmanager
def temporary_file(folder: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """Make a file that is removed at the end, unless it was renamed.

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
def temporary_folder(folder: Path) -> Iterator[Path]:
    """Make a folder within a folder; it is removed at the end with everything in it, unless it was renamed.

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
    """Remove the temporary files and folders of writers on this machine that no longer live.

    Args:
        folder: Where to look. Nothing else in it is touched, and neither is what belongs to other users.
    """
    if fcntl is None:
        return
    own_names = re.compile(re.escape(f"{_PREFIX}-{_hash_machine()}-") + r"\d+-[0-9a-f]{16}\.tmp")
    try:
        paths = [path for path in folder.iterdir() if own_names.fullmatch(path.name)]
    except OSError:
        return
    for path in paths:
        with suppress(OSError):  # its writer lives, another process was faster, or it cannot be removed
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
    """Lock an open file or folder until it is closed, once no other process has it locked.

    Where there are no locks, nothing happens; there, nothing is ever taken for abandoned.
    """
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)


def _is_at(handle: int, path: Path) -> bool:
    """Whether a path leads to an open file or folder: another process may have removed it before it was locked."""
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


def _make_name() -> str:
    return f"{_PREFIX}-{_hash_machine()}-{os.getpid()}-{secrets.token_hex(8)}.tmp"


def _hash_machine() -> str:
    """Tell machines apart: on shared file systems, the locks of one may be invisible to another."""
    return hashlib.sha256(platform.node().encode(errors="replace")).hexdigest()[:8]
