"""Walk through files, folders and archives. Archives are read in memory and never unpacked."""

from __future__ import annotations

import io
import os
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pyramid_paraphrase.errors import InputError, cannot_read
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.archives import Member, is_archive, read_bounded, read_members, require_depth
from pyramid_paraphrase.files.inputs import is_file, open_input


@dataclass(frozen=True, slots=True)
class WalkedFile:
    """A file on disk or a member of an archive.

    Attributes:
        name: Its path within the folder or the archive that is walked. The name of a member may be any text and is
            never used as a path on disk.
        full_name: Its full name, for messages: ``archive.tar.gz!folder/member``.
        path: Its path on disk, or None for a member.
        member: The member, or None for a file on disk.
        depth: The number of archives that contain it.
    """

    name: str
    full_name: str
    path: Path | None = None
    member: Member | None = None
    depth: int = 0

    @property
    def is_archive(self) -> bool:
        """Whether its name is that of an archive."""
        return is_archive(self.name)

    @property
    def is_regular(self) -> bool:
        """Whether it can be opened: links on disk are followed, links in archives are not."""
        if self.path is not None:
            return is_file(self.path)
        return self.member is not None and self.member.open is not None

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open a regular file. A member can be opened until the walk reaches the next member.

        Raises:
            InputError: If it cannot be opened, or cannot be read in the body of the `with` statement.
        """
        try:
            with self._open() as stream:
                yield stream
        except OSError as error:
            raise cannot_read(self.path or self.full_name, error, "check the file") from None

    def _open(self) -> IO[bytes]:
        if self.path is not None:
            return open_input(self.path)
        if self.member is None or self.member.open is None:
            raise refuse_unopenable(self.full_name)
        return self.member.open()


def refuse_unopenable(full_name: str) -> InputError:
    """Describe a file that is not regular, as an error to be raised by the caller."""
    return InputError(full_name, "is not a regular file, or is a broken link", "replace it with the file itself")


def walk_folder(
    folder: Path, full_name: str, *, follows_links: bool = True, skips_unreadable: bool = False
) -> Iterator[WalkedFile]:
    """Yield everything in a folder and in its subfolders except these folders themselves.

    Args:
        folder: The folder.
        full_name: Its name, for messages.
        follows_links: Whether links to folders are followed. A link to a folder that was already visited is never
            followed, so that the walk ends.
        skips_unreadable: Whether folders that cannot be read are left out.

    Raises:
        InputError: If a folder cannot be read.
    """

    def refuse(error: OSError) -> None:
        if not skips_unreadable:
            raise cannot_read(error.filename, error, "check its permissions")

    visited = {folder.resolve()}
    for parent, subfolders, names in os.walk(folder, onerror=refuse, followlinks=follows_links):
        if follows_links:
            _remove_visited(Path(parent), subfolders, visited)
        for name in names:
            path = Path(parent, name)
            relative = path.relative_to(folder).as_posix()
            yield WalkedFile(relative, f"{full_name}/{relative}", path)


def _remove_visited(parent: Path, subfolders: list[str], visited: set[Path]) -> None:
    """Remove the subfolders that were already visited from a list, so that `os.walk` does not enter them again."""
    for name in list(subfolders):
        target = Path(parent, name).resolve()
        if target in visited:
            subfolders.remove(name)
        visited.add(target)


def walk_archive(
    archive: WalkedFile,
    stream: IO[bytes],
    *,
    as_paths: bool = False,
    max_members: int | None = None,
    remedy: str = "split the archive",
) -> Iterator[WalkedFile]:
    """Yield the members of an archive. To walk an archive among the members, call this function again.

    Args:
        archive: The archive.
        stream: The stream that `archive.open` returned, at its start.
        as_paths: Whether members are named like files in a folder, ``archive/folder/member``, without leading slashes
            and parts such as ".". Otherwise they keep their names in the archive, as ``archive!./folder/member``.
        max_members: Maximum number of entries. If None, `limits.MAX_MEMBERS`.
        remedy: The remedy for an archive with more entries.

    Raises:
        LimitError: If the archive is nested too deep, has too many entries, or expands too much.
        InputError: If it is truncated or damaged.
    """
    if archive.path is not None:
        size = archive.path.stat().st_size
    else:
        data = read_bounded(stream, limits.MAX_FILE_BYTES, archive.full_name)
        stream, size = io.BytesIO(data), len(data)
    depth = archive.depth + 1
    require_depth(depth, archive.full_name)
    budget = archive.member.budget if archive.member is not None else None
    for member in read_members(stream, size, archive.full_name, budget, max_members=max_members, remedy=remedy):
        if as_paths:
            name = posixpath.normpath(member.name.lstrip("/"))
            full_name = f"{archive.full_name}/{name}"
        else:
            name, full_name = member.name, f"{archive.full_name}!{member.name}"
        yield WalkedFile(name, full_name, None, member, depth)
