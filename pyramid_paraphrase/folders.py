"""Folders that are written as a whole, or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from pyramid_paraphrase.errors import OutputError, cannot_write


def write_whole_folder(folder: Path, is_ours: Callable[[Path], bool], write: Callable[[Path], None]) -> None:
    """Write a folder beside its place and move it there once it is complete; what was there goes away only then.

    Args:
        folder: Where to.
        is_ours: Whether a folder that is there and not empty may be replaced.
        write: Fills an empty folder.

    Raises:
        OutputError: If there is something else at that path, or it cannot be written.
    """
    try:
        folder = folder.expanduser().resolve()
        if folder.exists() and not _may_be_replaced(folder, is_ours):
            reason = "exists, and was not written by this program or was added to"
            raise OutputError(f"{folder}: {reason}; name another folder or remove it")
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            write(temporary)
            _replace(temporary, folder)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except (OSError, RuntimeError) as error:
        raise cannot_write(folder, error) from None


def _may_be_replaced(folder: Path, is_ours: Callable[[Path], bool]) -> bool:
    return folder.is_dir() and (not any(folder.iterdir()) or is_ours(folder))


def _replace(temporary: Path, folder: Path) -> None:
    temporary.chmod(0o755)
    retired = temporary.with_name(temporary.name + ".old")
    if folder.exists():
        folder.rename(retired)
    temporary.rename(folder)
    shutil.rmtree(retired, ignore_errors=True)
