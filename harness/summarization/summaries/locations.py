"""Locations of summaries and scores: files and folders, also within archives, which are never unpacked."""

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
        name: The location that leads to it alone, such as `mainEval.tar.gz/mainEval/manual/content.table`.
        data: Its bytes.
    """

    name: str
    data: bytes


class FileLimit(NamedTuple):
    """A limit on the number of files.

    Attributes:
        most: Highest number of files in a folder and of entries in an archive.
        remedy: Advice if there are more.
    """

    most: int
    remedy: str


class _Place(NamedTuple):
    """A file or folder on disk, and the path within it if it is an archive that a location leads through, else ""."""

    path: Path
    within: str


def read_files(location: Location, limit: FileLimit | None = None) -> list[LocatedFile]:
    """Read a file, all files of a folder or an archive, or a file or folder within an archive.

    An archive in an archive or in a folder counts as a folder. Files and folders below the location whose names begin
    with a dot are left out: operating systems and editors add them.

    Args:
        location: A path, which may lead through archives, or "sample" for the sample corpus.
        limit: Limit on the number of files; `limits.MAX_MEMBERS` if None.

    Returns:
        The files sorted by name, at least one.

    Raises:
        InputError: If the location does not exist, something cannot be read or is not a regular file, or two files
            have the same name.
        LimitError: If a file is larger, or there are more files, than `limits` allows.
    """
    limit = limit or FileLimit(limits.MAX_MEMBERS, "name the folder within it, or split the archive")
    place, label = _find_place(location), Path(location).as_posix()
    contents: dict[str, bytes] = {}
    size = 0
    for name, data in _read_place(place, label, limit):
        if name in contents:
            raise InputError(name, "is there twice", "leave one out")
        if len(contents) == limit.most:
            raise LimitError(label, f"more than {limit.most:,} files", limit.remedy)
        contents[name] = data
        size += len(data)
        if size > limits.MAX_KEPT_BYTES:
            reason = f"files of more than {limits.MAX_KEPT_BYTES // limits.MEBIBYTE} MiB in all"
            raise LimitError(label, reason, "name the folder within it")
    if not contents:
        is_there = not place.within and (is_folder(place.path) or is_archive(place.path.name))
        reason = "holds no file" if is_there else "no such file or folder"
        raise InputError(label, reason, _WHAT_TO_GIVE)
    return [LocatedFile(name, contents[name]) for name in sorted(contents)]


def _find_place(location: Location) -> _Place:
    """Split a location where it enters an archive."""
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


def _read_place(place: _Place, label: str, limit: FileLimit) -> Iterator[tuple[str, bytes]]:
    path, within = place
    if is_folder(path):
        for inner in walk_folder(path):
            relative = inner.relative_to(path).as_posix()
            if not _is_hidden(relative):
                yield from _read_path(inner, f"{label}/{relative}", "", limit)
    else:
        outer = label.removesuffix(f"/{within}") if within else label
        yield from _read_path(path, outer, within, limit)


def _read_path(path: Path, label: str, within: str, limit: FileLimit) -> Iterator[tuple[str, bytes]]:
    if not is_file(path):
        raise _irregular(label)
    try:
        with open_input(path) as stream:
            if is_archive(path.name):
                yield from _read_archive(_Archive(stream, path.stat().st_size, label), within, limit)
            else:
                yield label, read_bounded(stream, limits.MAX_FILE_BYTES, label)
    except OSError as error:
        raise cannot_read(label, error, "check the file") from None


class _Archive(NamedTuple):
    """An open archive.

    Attributes:
        stream: Its bytes.
        size: Number of its bytes.
        label: Its location, for messages.
        depth: 1 on disk, 2 within such an archive, and so on.
        budget: What its outer archive leaves to it; None on disk.
    """

    stream: IO[bytes]
    size: int
    label: str
    depth: int = 1
    budget: Budget | None = None


def _read_archive(archive: _Archive, within: str, limit: FileLimit) -> Iterator[tuple[str, bytes]]:
    """Yield the files at a path within an archive, or all files for ""."""
    require_depth(archive.depth, archive.label)
    members = read_members(
        archive.stream, archive.size, archive.label, archive.budget, max_members=limit.most, remedy=limit.remedy
    )
    for member in members:
        name = posixpath.normpath(member.name.lstrip("/"))
        if _leads_to(within, name):
            yield from _read_member(member, name, archive, within, limit)


def _leads_to(within: str, name: str) -> bool:
    """Tell whether a member is at a path, is below it and not hidden there, or is an archive on the way to it."""
    if is_archive(name) and within.startswith(f"{name}/"):
        return True
    if name == within:
        return True
    if not within:
        return not _is_hidden(name)
    return name.startswith(f"{within}/") and not _is_hidden(name.removeprefix(f"{within}/"))


def _read_member(
    member: Member, name: str, archive: _Archive, within: str, limit: FileLimit
) -> Iterator[tuple[str, bytes]]:
    label = f"{archive.label}/{name}"
    if member.open is None:
        raise _irregular(label)
    with member.open() as content:
        data = read_bounded(content, limits.MAX_FILE_BYTES, label)
    if is_archive(name):
        inner = _Archive(io.BytesIO(data), len(data), label, archive.depth + 1, member.budget)
        inner_path = within.removeprefix(name).lstrip("/") if within.startswith(name) else ""
        yield from _read_archive(inner, inner_path, limit)
    else:
        yield label, data


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") and part != ".." for part in path.split("/"))


def _irregular(label: str) -> InputError:
    return InputError(label, "is no regular file, or a link that leads nowhere", "replace it by what it stands for")
