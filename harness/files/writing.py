"""Atomic writing of files: a reader never sees a part of a file."""

from __future__ import annotations

import gzip
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, cast

from pyramid_paraphrase.errors import OutputError, cannot_write
from pyramid_paraphrase.files.archives import GZIP_LEVEL
from pyramid_paraphrase.files.atomic import remove_abandoned, temporary_file, temporary_folder
from pyramid_paraphrase.files.inputs import exists

_MODE = 0o644


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write files under temporary names. When all are written, rename them in their order.

    Each file is replaced atomically. If a file cannot be written, no file is changed. If the process is killed between
    two renames, the first files are new and the other files are old. So a file that refers to others should be the last
    one. A file that is replaced keeps its permissions.

    Args:
        contents: Content by path. The folders must exist.

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


def _require_regular(target: Path) -> None:
    """Refuse a path that exists and is not a regular file, or that cannot be checked."""
    try:
        is_file = stat.S_ISREG(target.stat().st_mode)
    except FileNotFoundError:
        return
    except OSError as error:
        raise cannot_write(target, error) from None
    if not is_file:
        raise OutputError(f"{target}: exists and is not a regular file. Use another path")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a temporary file for writing, and rename it when the block ends. Create its folder if necessary.

    Raises:
        OutputError: If the file cannot be written.
    """
    target = Path(path)
    _require_regular(target)
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
    """Return whether a file is written compressed, by its suffix."""
    return path.suffix.lower() == ".gz"


@contextmanager
def writing_lines(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to write line by line, compressed if its name ends in `.gz`. It appears when the block ends.

    Raises:
        OutputError: If the file cannot be written.
    """
    with ExitStack() as stack:
        file = stack.enter_context(replacing(path))
        if is_compressed(path):  # without name and time, so that equal lines make equal files
            file = cast(IO[bytes], stack.enter_context(gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0)))
        yield file


@contextmanager
def working_folder(output: Path, folder: Path | None) -> Iterator[Path]:
    """Make a temporary directory for large files, and remove it with its content when the block ends, even by an error.

    Args:
        output: File to be written. The folder is made in the same folder, which has room for large files.
        folder: Another parent folder, or None.

    Yields:
        The temporary directory.

    Raises:
        OutputError: If the folder cannot be made.
    """
    parent = make_folder(folder or output.parent)
    remove_abandoned(parent)
    with ExitStack() as stack:
        try:
            made = stack.enter_context(temporary_folder(parent))
        except OSError as error:
            raise cannot_write(parent, error) from None
        yield made


def make_folder(folder: str | os.PathLike[str]) -> Path:
    """Make a folder if it does not exist. Expand ``~``, and return the path.

    Raises:
        OutputError: If the folder cannot be made.
    """
    try:
        path = Path(folder).expanduser()
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:
        raise cannot_write(folder, error) from None
    return path


def find_cache() -> Path:
    """Return the folder of this program in the user's cache."""
    import platformdirs  # imported here, because most commands need no cache

    return Path(platformdirs.user_cache_dir("pyramid-paraphrase", appauthor=False))


def expand_home(path: str | os.PathLike[str]) -> Path:
    """Replace ``~`` at the beginning of a path by the user's home folder."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - leaves an unknown user as it is, unlike Path.expanduser


def real_path(path: str | os.PathLike[str]) -> Path:
    """Return an absolute path without links. Unlike `Path.resolve`, accept a link that leads to itself."""
    return Path(os.path.realpath(path))


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically. Create its folder if necessary.

    Raises:
        OutputError: If the file cannot be written.
    """
    write_outputs({Path(path): data})


def create_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically if nothing is at its path. Create its folder if necessary.

    Of several processes that create the same file at the same time, all but one fail. On file systems without hard
    links, such as FAT, this is not certain.

    Raises:
        FileExistsError: If anything is at the path.
        OutputError: If the file cannot be written.
    """
    target = Path(path)
    folder = make_folder(target.parent)
    remove_abandoned(folder)
    try:
        with temporary_file(folder) as (ready, file):
            with file:
                file.write(data)
            ready.chmod(_MODE)
            try:
                target.hardlink_to(ready)
            except FileExistsError:
                raise
            except OSError:
                if exists(target):
                    raise FileExistsError from None
                ready.replace(target)
    except FileExistsError:
        raise
    except OSError as error:
        raise cannot_write(target, error) from None


def write_outputs(contents: Mapping[Path, bytes]) -> None:
    """Write the output files of a command, all or none. Create their folders if necessary.

    Args:
        contents: Content by path.

    Raises:
        OutputError: If a file cannot be written.
    """
    for target in contents:
        _require_regular(target)
    try:
        write_files({make_folder(target.parent) / target.name: data for target, data in contents.items()})
    except OSError as error:
        raise cannot_write(", ".join(map(str, contents)), error) from None
