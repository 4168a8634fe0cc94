"""Writing files so that what is there is whole."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pyramid_paraphrase.errors import OutputError, cannot_write

_MODE = 0o644


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write files under temporary names, and rename them once all are written.

    Where one cannot be written, none is changed. A file that is replaced keeps its permissions.

    Args:
        contents: What to write, by where to; the folders are there.

    Raises:
        OSError: If one cannot be written.
    """
    waiting: list[tuple[Path, Path]] = []
    try:
        for path, data in contents.items():
            handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            waiting.append((Path(temporary), path))
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(temporary).chmod(stat.S_IMODE(path.stat().st_mode) if path.exists() else _MODE)
        for ready, path in waiting:
            ready.replace(path)
    finally:
        for ready, _ in waiting:
            ready.unlink(missing_ok=True)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write piece by piece, which takes its place once it is whole; its folder is made if need be.

    Raises:
        OutputError: If it cannot be written.
    """
    target = Path(path)
    if target.exists() and not target.is_file():
        raise OutputError(f"{target}: is no file that could be replaced; give another path")
    folder = make_folder(target.parent)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=folder)
        ready = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
            ready.chmod(stat.S_IMODE(target.stat().st_mode) if target.exists() else _MODE)
            ready.replace(target)
        finally:
            ready.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(target, error) from None


def make_folder(folder: str | os.PathLike[str]) -> Path:
    """Make a folder, if it is not there.

    Raises:
        OutputError: If it cannot be made.
    """
    try:
        path = Path(folder).expanduser()
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:
        raise cannot_write(folder, error) from None
    return path


def expand_home(path: str | os.PathLike[str]) -> Path:
    """A path, ``~`` at its beginning being the user's home."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - which leaves alone what it cannot expand


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file as a whole, making its folder if need be.

    Raises:
        OutputError: If it cannot be written.
    """
    target = Path(path)
    try:
        if target.exists() and not target.is_file():
            raise OutputError(f"{target}: is no file that could be replaced; give another path")
        write_files({make_folder(target.parent) / target.name: data})
    except OSError as error:
        raise cannot_write(target, error) from None
