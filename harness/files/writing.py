"""Writing files as a whole: a reader never sees a part of a file."""

from __future__ import annotations

import gzip
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, cast

from pyramid_paraphrase import temporary
from pyramid_paraphrase.errors import OutputError, cannot_write
from pyramid_paraphrase.temporary import remove_abandoned, temporary_file

_MODE = 0o644
GZIP_LEVEL = 6
"""Level of compression of large files."""


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write files under temporary names, and rename them in their order once all are written.

    Each file is replaced atomically. If a file cannot be written, no file is changed. A process that is killed between
    two renames leaves the first files new and the others old. So the last file should be the one that refers to the
    others. A file that is replaced keeps its permissions.

    Args:
        contents: Content by path; the folders exist.

    Raises:
        OSError: If a file cannot be written.
    """
    for folder in {path.parent for path in contents}:
        remove_abandoned(folder)
    with ExitStack() as stack:
        waiting = []
        for path, data in contents.items():
            ready, file = stack.enter_context(temporary_file(path.parent))
            with file:
                file.write(data)
            _set_mode(ready, path)
            waiting.append((ready, path))
        for ready, path in waiting:
            ready.replace(path)


def _set_mode(ready: Path, target: Path) -> None:
    """Give a temporary file the permissions of the file that it replaces."""
    mode = _MODE
    if target.exists():
        mode = stat.S_IMODE(target.stat().st_mode)
    ready.chmod(mode)


def _require_replaceable(target: Path) -> None:
    """Refuse a path at which something other than a file exists, or at which no file can be."""
    try:
        is_file = stat.S_ISREG(target.stat().st_mode)
    except FileNotFoundError:
        return
    except OSError as error:
        raise cannot_write(target, error) from None
    if not is_file:
        raise OutputError(f"{target}: is no file that could be replaced; give another path")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a temporary file for writing, and rename it when the block ends; its folder is made if necessary.

    Raises:
        OutputError: If the file cannot be written.
    """
    target = Path(path)
    _require_replaceable(target)
    folder = make_folder(target.parent)
    remove_abandoned(folder)
    try:
        with temporary_file(folder) as (ready, file):
            with file:
                yield file
            _set_mode(ready, target)
            ready.replace(target)
    except OSError as error:
        raise cannot_write(target, error) from None


def is_compressed(path: Path) -> bool:
    """Whether a file is written compressed, by its name."""
    return path.suffix.lower() == ".gz"


@contextmanager
def writing_lines(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to write line by line, compressed by gzip if its name ends in `.gz`; it appears when it is complete.

    Raises:
        OutputError: If it cannot be written.
    """
    with ExitStack() as stack:
        file = stack.enter_context(replacing(path))
        if is_compressed(path):  # without name and time, so that equal lines make equal files
            file = cast(IO[bytes], stack.enter_context(gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0)))
        yield file


@contextmanager
def temporary_folder(output: Path, folder: Path | None) -> Iterator[Path]:
    """Make a temporary folder for large files, which is removed with its content at the end, even after an error.

    Args:
        output: File to be written; the folder is beside it, where there is room for large files.
        folder: Another parent folder, or None.

    Raises:
        OutputError: If the folder cannot be made.
    """
    parent = make_folder(folder or output.parent)
    remove_abandoned(parent)
    with ExitStack() as stack:
        try:
            made = stack.enter_context(temporary.temporary_folder(parent))
        except OSError as error:
            raise cannot_write(parent, error) from None
        yield made


def make_folder(folder: str | os.PathLike[str]) -> Path:
    """Make a folder, if it does not exist.

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
    """Replace ``~`` at the beginning of a path by the home of the user."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - leaves an unknown user as it is, unlike Path.expanduser


def real_path(path: str | os.PathLike[str]) -> Path:
    """Return an absolute path without links; unlike `Path.resolve`, accept a link that leads to itself."""
    return Path(os.path.realpath(path))


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file as a whole; its folder is made if necessary.

    Raises:
        OutputError: If it cannot be written.
    """
    write_outputs({Path(path): data})


def write_outputs(contents: Mapping[Path, bytes]) -> None:
    """Write the files that a user asked for, all or none; their folders are made if necessary.

    Args:
        contents: Content by path.

    Raises:
        OutputError: If a file cannot be written.
    """
    for target in contents:
        _require_replaceable(target)
    try:
        write_files({make_folder(target.parent) / target.name: data for target, data in contents.items()})
    except OSError as error:
        raise cannot_write(", ".join(map(str, contents)), error) from None
