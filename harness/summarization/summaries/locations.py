"""Where summaries and scores lie: files and folders, also those within archives, which are never unpacked."""

from __future__ import annotations

import io
import os
import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from harness.files.writing import expand_home
from pyramid_paraphrase import limits
from pyramid_paraphrase.archives import Budget, Member, is_archive, read_bounded, read_members, require_depth
from pyramid_paraphrase.errors import InputError, LimitError, cannot_read
from pyramid_paraphrase.inputs import is_file, is_folder, open_input
from pyramid_paraphrase.sample import SAMPLE_DIR, SAMPLE_NAME
from pyramid_paraphrase.sources import walk_folder

_WHAT_TO_GIVE = "give a file, a folder, an archive, or what lies in one as ARCHIVE/PATH"

Location = str | os.PathLike[str]


class LocatedFile(NamedTuple):
    """A file.

    Attributes:
        name: Where it lies, a location that leads to it alone: `mainEval.tar.gz/mainEval/manual/content.table`.
        data: Its bytes.
    """

    name: str
    data: bytes


class FileLimit(NamedTuple):
    """How many files are accepted.

    Attributes:
        most: Highest number of files in a folder and of entries in an archive.
        remedy: What to do if there are more.
    """

    most: int
    remedy: str


class _Place(NamedTuple):
    """A file or folder on disk, and the path that leads on within it if it is an archive, or ""."""

    path: Path
    within: str


def read_files(location: Location, limit: FileLimit | None = None) -> list[LocatedFile]:
    """Read a file, all files of a folder or an archive, or those of a file or folder that lies in an archive.

    An archive in an archive or in a folder is a folder itself. Files and folders below the location whose names begin
    with a dot are left out: they are what systems and editors add.

    Args:
        location: A path, which may lead through archives, or "sample" for the sample corpus.
        limit: How many files are accepted; `limits.MAX_MEMBERS` if None.

    Returns:
        The files by name, at least one.

    Raises:
        InputError: If nothing is at that place, something cannot be read or is no regular file, or is there twice.
        LimitError: If a file is larger, or there are more, than `limits` allows.
    """
    limit = limit or FileLimit(limits.MAX_MEMBERS, "name the folder within it, or split the archive")
    place, shown = _find_place(location), Path(location).as_posix()
    found: dict[str, bytes] = {}
    size = 0
    for name, data in _read_place(place, shown, limit):
        if name in found:
            raise InputError(name, "is there twice", "leave one out")
        if len(found) == limit.most:
            raise LimitError(shown, f"more than {limit.most:,} files", limit.remedy)
        found[name] = data
        size += len(data)
        if size > limits.MAX_KEPT_BYTES:
            reason = f"files of more than {limits.MAX_KEPT_BYTES // limits.MEBIBYTE} MiB in all"
            raise LimitError(shown, reason, "name the folder within it")
    if not found:
        is_there = not place.within and (is_folder(place.path) or is_archive(place.path.name))
        raise InputError(shown, "holds no file" if is_there else "no such file or folder", _WHAT_TO_GIVE)
    return [LocatedFile(name, found[name]) for name in sorted(found)]


def _find_place(location: Location) -> _Place:
    """Divide a location where it enters an archive."""
    text = os.fspath(location)
    if text == SAMPLE_NAME:
        return _Place(SAMPLE_DIR, "")
    path = expand_home(location)
    try:
        if text and (path.is_file() or path.is_dir()):
            return _Place(path, "")
        for outer in path.parents:
            if outer.is_file() and is_archive(outer.name):
                return _Place(outer, path.relative_to(outer).as_posix())
        if text and os.path.lexists(path):
            raise _irregular(text)
    except (OSError, ValueError) as error:
        raise InputError(text, f"is no usable path ({error})", "check the path") from None
    raise InputError(text or "''", "no such file or folder", _WHAT_TO_GIVE)


def _read_place(place: _Place, shown: str, limit: FileLimit) -> Iterator[tuple[str, bytes]]:
    path, within = place
    if is_folder(path):
        for inner in walk_folder(path):
            relative = inner.relative_to(path).as_posix()
            if not _is_hidden(relative):
                yield from _read_path(inner, f"{shown}/{relative}", "", limit)
    else:
        yield from _read_path(path, shown.removesuffix(f"/{within}") if within else shown, within, limit)


def _read_path(path: Path, shown: str, within: str, limit: FileLimit) -> Iterator[tuple[str, bytes]]:
    if not is_file(path):
        raise _irregular(shown)
    try:
        with open_input(path) as stream:
            if is_archive(path.name):
                yield from _read_archive(stream, path.stat().st_size, shown, within, limit)
            else:
                yield shown, read_bounded(stream, limits.MAX_FILE_BYTES, shown)
    except OSError as error:
        raise cannot_read(shown, error, "check the file") from None


def _read_archive(
    stream: IO[bytes],
    size: int,
    shown: str,
    within: str,
    limit: FileLimit,
    depth: int = 1,
    outer: Budget | None = None,
) -> Iterator[tuple[str, bytes]]:
    """Yield what lies at a path within an archive, or all of it for ""."""
    require_depth(depth, shown)
    for member in read_members(stream, size, shown, outer, max_members=limit.most, remedy=limit.remedy):
        name = posixpath.normpath(member.name.lstrip("/"))
        if _leads(within, name):
            yield from _read_member(member, name, f"{shown}/{name}", within, limit, depth)


def _leads(within: str, name: str) -> bool:
    """Whether a member is at a path or below it and not hidden there, or an archive on the way."""
    if is_archive(name) and within.startswith(f"{name}/"):
        return True
    if name == within:
        return True
    below = name.removeprefix(f"{within}/") if within else name
    return (not within or below != name) and not _is_hidden(below)


def _read_member(
    member: Member, name: str, shown: str, within: str, limit: FileLimit, depth: int
) -> Iterator[tuple[str, bytes]]:
    if member.open is None:
        raise _irregular(shown)
    with member.open() as content:
        data = read_bounded(content, limits.MAX_FILE_BYTES, shown)
    if is_archive(name):
        rest = within.removeprefix(name).lstrip("/") if within.startswith(name) else ""
        yield from _read_archive(io.BytesIO(data), len(data), shown, rest, limit, depth + 1, member.budget)
    else:
        yield shown, data


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") and part != ".." for part in path.split("/"))


def _irregular(shown: str) -> InputError:
    return InputError(shown, "is no regular file, or a link that leads nowhere", "replace it by what it stands for")
