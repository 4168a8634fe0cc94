"""Atomic exchange of two paths, on systems that support it."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path

_CURRENT_FOLDER = -100  # AT_FDCWD
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS


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
