"""Cases, the inputs of fuzzing: a folder of files, links and pipes, and arguments."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

MAX_BYTES = 1 << 20
"""Maximum size of all files of a case. The limit of processor time is meant for inputs of this size."""

MAX_FILES = 200
"""Maximum number of files of a case."""


class Link(NamedTuple):
    """A symbolic link to a path."""

    target: str


class Pipe(NamedTuple):
    """A named pipe without a writer. A process that opens it waits forever."""


Content = bytes | Link | Pipe


@dataclass(frozen=True)
class Case:
    """The input of a target.

    Attributes:
        files: Contents by path within the folder of the case, such as "board/leaderboard.json".
        arguments: Further arguments of the target, for instance a command line.
    """

    files: Mapping[str, Content] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Number of bytes of all files."""
        return sum(len(content) for content in self.files.values() if isinstance(content, bytes))

    def plain_files(self) -> dict[str, bytes]:
        """Return the files that are neither links nor pipes."""
        return {name: content for name, content in self.files.items() if isinstance(content, bytes)}

    def with_file(self, name: str, content: Content) -> Case:
        """Return the same case with one file added or replaced."""
        return replace(self, files={**self.files, name: content})

    def without_file(self, name: str) -> Case:
        """Return the same case without one file."""
        return replace(self, files={path: content for path, content in self.files.items() if path != name})


def write_case(case: Case, folder: Path) -> None:
    """Write the files of a case into an empty folder.

    Raises:
        OSError: If the system refuses a name.
        ValueError: If a name cannot be encoded or contains a zero byte.
    """
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            path.symlink_to(content.target)
        elif isinstance(content, Pipe):
            os.mkfifo(path)
        else:
            path.write_bytes(content)


def read_case(folder: Path, arguments: tuple[str, ...] = ()) -> Case:
    """Read the files, links and pipes below a folder. Empty folders are not part of a case."""
    files: dict[str, Content] = {}
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if Path(parent, name).is_symlink()]
        for name in (*links, *names):
            path = Path(parent, name)
            files[path.relative_to(folder).as_posix()] = _read_content(path)
    return Case(dict(sorted(files.items())), arguments)


def _read_content(path: Path) -> Content:
    if path.is_symlink():
        return Link(os.readlink(path))  # noqa: PTH115 - Path.readlink would normalize the target
    if stat.S_ISFIFO(path.lstat().st_mode):
        return Pipe()
    return path.read_bytes()
