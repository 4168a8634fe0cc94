"""Write folders atomically: either completely or not at all."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from pyramid_paraphrase.errors import OutputError, cannot_write
from pyramid_paraphrase.files.temporary import lock, remove_abandoned, temporary_folder

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
    with _locked(folder.parent):
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
    with _locked(folder.parent):
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
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder against other processes that replace folders in it, on systems with locks."""
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
