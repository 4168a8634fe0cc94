"""Files and folders that appear completely or not at all: temporary files next to their targets, renamed when complete.

A killed process runs no clean-up code, so the next run that writes to the same folder removes its temporary files. The
names of the files show which program made them, but not whether their writer is still running. A lock (flock) shows
that: the writer holds it, and the system releases it when the process ends for any reason. On systems without such
locks, nothing is removed.

The package filelock does not replace this: it locks a second file that stays beside the target, cannot open a folder,
asks for a lock again and again instead of waiting in the system, and falls back on files that a killed process leaves.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import hashlib
import os
import platform
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from pyramid_paraphrase.errors import OutputError, cannot_write

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
    path, handle = _open_locked(lambda: folder / _make_name(), _NEW_FILE, 0o600)
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
    _, handle = _open_locked(lambda: path, _KEPT_FILE, 0o666)
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


def _open_locked(make_path: Callable[[], Path], flags: int, mode: int) -> tuple[Path, int]:
    """Open a file and lock it. Try again if another process removed the file before it was locked."""
    while True:
        path = make_path()
        handle = os.open(path, flags, mode)
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


def lock(handle: int, *, waits: bool = True, is_shared: bool = False) -> bool:
    """Lock an open file or folder until it is closed.

    Args:
        handle: The handle of the file.
        waits: Whether to wait until no other process holds the lock.
        is_shared: Whether other processes can have a shared lock at the same time.

    Returns:
        False if another process holds the lock. Always True on systems without locks, on which `remove_abandoned`
        removes nothing.
    """
    if fcntl is not None:
        operation = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
        try:
            fcntl.flock(handle, operation if waits else operation | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno not in (errno.EWOULDBLOCK, errno.EACCES)
    return True


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


_CURRENT_FOLDER = -100  # AT_FDCWD
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS

ListOwnFiles = Callable[[Path], Collection[str] | None]
"""Lists the files that this program wrote to a folder, as relative POSIX paths. Returns None for any other folder."""


def write_whole_folder(folder: Path, list_own_files: ListOwnFiles, write: Callable[[Path], None]) -> None:
    """Write a folder under a temporary name, and exchange it with the existing folder, if any, when it is complete.

    If the process is killed, either the old folder or the new one is in place, and the next call removes the temporary
    files. If the system cannot exchange folders atomically, there is a moment without a folder. If the process is
    killed at that moment, the next call restores the old folder before it writes.

    Args:
        folder: The path of the folder.
        list_own_files: Lists the files that may be replaced. A folder with any other file, at any depth, is not
            replaced.
        write: Writes the files into an empty folder.

    Raises:
        OutputError: If anything else is at this path, or the folder cannot be written.
    """
    try:
        folder = folder.expanduser().resolve()
        _recover(folder, list_own_files)
        _require_replaceable(folder, list_own_files)
        folder.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(folder.parent)
        with temporary_folder(folder.parent) as temporary:
            write(temporary)
            temporary.chmod(0o755)
            _require_replaceable(folder, list_own_files)  # it may have changed while the new folder was written
            put_folder(temporary, folder)
    except (OSError, RuntimeError) as error:
        raise cannot_write(folder, error) from None


def put_folder(ready: Path, folder: Path) -> None:
    """Move a complete folder to its place. An existing folder is moved to the old path of the complete one, or removed.

    Args:
        ready: The complete folder, on the same file system.
        folder: The target path.

    Raises:
        OSError: If the folder cannot be moved. In this case, nothing has changed.
    """
    if not folder.exists():
        try:
            ready.rename(folder)
        except OSError:
            if not folder.exists():  # otherwise another process created it in the meantime
                raise
        else:
            return
    if not exchange(ready, folder):
        _replace_in_steps(ready, folder)


def exchange(first: Path, second: Path) -> bool:
    """Exchange two files or folders of one file system atomically.

    Returns:
        Whether they were exchanged. If the system or the file system does not support it, nothing changes.
    """
    rename = _find_system_call()
    return rename is not None and rename(os.fsencode(first), os.fsencode(second)) == 0


@functools.cache
def _find_system_call() -> Callable[[bytes, bytes], int] | None:
    """Find the function of the C library, which returns 0 for success."""
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):  # Windows has no library without a name
        return None
    if sys.platform == "linux" and hasattr(library, "renameat2"):
        rename = library.renameat2
        rename.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
        return lambda first, second: int(rename(_CURRENT_FOLDER, first, _CURRENT_FOLDER, second, _EXCHANGE))
    if sys.platform == "darwin" and hasattr(library, "renamex_np"):
        swap = library.renamex_np
        swap.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint)
        return lambda first, second: int(swap(first, second, _EXCHANGE))
    return None


def _replace_in_steps(ready: Path, folder: Path) -> None:
    with locked_folder(folder.parent):
        retired = _name_retired(folder)
        # A killed run may have left this folder. The folder that replaced it is complete.
        shutil.rmtree(retired, ignore_errors=True)
        folder.rename(retired)
        try:
            ready.rename(folder)
        except OSError:
            retired.rename(folder)
            raise
        shutil.rmtree(retired, ignore_errors=True)


def _recover(folder: Path, list_own_files: ListOwnFiles) -> None:
    """Complete or undo a `_replace_in_steps` that was killed."""
    retired = _name_retired(folder)
    if not retired.is_dir():
        return
    with locked_folder(folder.parent):
        if not retired.is_dir():
            return
        if not folder.exists():
            retired.rename(folder)
        elif list_own_files(folder) is not None:  # the new folder, which replaced the retired one
            shutil.rmtree(retired, ignore_errors=True)


def _name_retired(folder: Path) -> Path:
    """Return the path of an old folder while it is replaced. The name is hashed, because file systems limit names."""
    digest = hashlib.sha256(os.fsencode(folder.name)).hexdigest()
    return folder.with_name(f".pyramid-paraphrase-{digest[:16]}.old")


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Lock a folder against other processes that lock it before they change it, on systems with locks."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows does not open folders
        yield
        return
    try:
        lock(handle)
        yield
    finally:
        os.close(handle)


def _require_replaceable(folder: Path, list_own_files: ListOwnFiles) -> None:
    """Check that this program wrote everything in a folder.

    Raises:
        OutputError: If the folder has other files or is not a folder.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    reason = "already exists, and this program did not write it, or its content was changed"
    own_files = None
    if folder.is_dir():
        own_files = list_own_files(folder)
    if own_files is None:
        raise OutputError(f"{folder}: {reason}. Choose another folder, or remove this one")
    foreign = sorted(_list_files(folder) - set(own_files))
    if foreign:
        problem = f"{folder}: {reason}: it contains {foreign[0]}"
        raise OutputError(f"{problem}. Choose another folder, or move this file away")


def _list_files(folder: Path) -> set[str]:
    """List everything in a folder, at any depth, except folders. Links are listed, but not followed."""

    def fail(error: OSError) -> None:
        raise error

    files: set[str] = set()
    for parent, subfolders, names in os.walk(folder, onerror=fail):
        links = [name for name in subfolders if Path(parent, name).is_symlink()]
        files.update(Path(parent, name).relative_to(folder).as_posix() for name in (*names, *links))
    return files
