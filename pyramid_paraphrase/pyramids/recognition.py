"""Recognize the files of a corpus by their names and their first bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

GZIP_SUFFIX = ".gz"


class FileKind(NamedTuple):
    """A kind of file.

    Attributes:
        title: Its content, for messages.
        suffix: The suffix of its name in lower case, without the suffix of a compression. If it does not begin with a
            full stop, it is the whole name.
        marks: Byte strings that its head contains.
        folder: Name of its folder, or "" for any folder.
    """

    title: str
    suffix: str
    marks: tuple[bytes, ...] = ()
    folder: str = ""

    def fits(self, folder: str, base_name: str) -> bool:
        """Return whether a file of this kind can have this folder and name, as `_split_name` returns them."""
        if self.folder not in ("", folder):
            return False
        if self.suffix.startswith("."):
            return base_name.endswith(self.suffix) and not base_name.startswith(".")
        return base_name == self.suffix


HEAD_BYTES = 2048
"""Size of the head of a file, which contains the marks."""


def can_belong(name: str, kinds: Iterable[FileKind]) -> bool:
    """Return whether the name of a file, compressed or not, is one that files of some kinds can have."""
    place = _split_name(name)
    return any(kind.fits(*place) for kind in kinds)


def recognize(name: str, head: bytes, kinds: Iterable[FileKind]) -> FileKind | None:
    """Return the kind of a file, or None if it is of no kind.

    Args:
        name: Name of the file.
        head: Its first `HEAD_BYTES` bytes, after decompression. Empty to recognize files by their names only.
        kinds: The kinds. The first that fits is returned.
    """
    place = _split_name(name)
    fitting = (kind for kind in kinds if kind.fits(*place) and all(mark in head for mark in kind.marks))
    return next(fitting, None)


def _split_name(name: str) -> tuple[str, str]:
    """Return the folder name and the base name of a file, in lower case and without the suffix of a compression."""
    path, _, base_name = name.replace("!", "/").lower().removesuffix(GZIP_SUFFIX).rpartition("/")
    return path.rpartition("/")[2], base_name
