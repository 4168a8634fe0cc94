"""The files of a pair corpus, in a folder or an archive, plain or compressed by gzip."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import IO, NamedTuple

from pyramid_paraphrase import limits
from pyramid_paraphrase.archives import is_archive, open_gzip, read_bounded, read_members, refusing_damage
from pyramid_paraphrase.errors import InputError, LimitError, cannot_read
from pyramid_paraphrase.inputs import open_input
from pyramid_paraphrase.sources import Source, resolve_source

_GZIP = ".gz"


class CorpusFile(NamedTuple):
    """A file of a corpus.

    Attributes:
        folder: The folder it lies in, within the source.
        name: Its name without folder and without the ending of its compression.
        shown: Its full name, for messages.
        text: Its content.
    """

    folder: str
    name: str
    shown: str
    text: str

    def lines(self) -> list[str]:
        """Its lines; only line feeds end one."""
        lines = self.text.split("\n")
        if lines[-1] == "":
            del lines[-1]
        if len(lines) > limits.MAX_LINES:
            raise LimitError(self.shown, f"more than {limits.MAX_LINES:,} lines", "split the file")
        return [line.removesuffix("\r") for line in lines]


def split_columns(line: str, count: int, shown: str, number: int, remedy: str) -> list[str]:
    """Divide a line by its tabs.

    Args:
        line: The line.
        count: How many columns it should have.
        shown: Name of its file, for errors.
        number: Its number in it.
        remedy: What to do if it has others.

    Raises:
        InputError: If it has others.
    """
    columns = line.split("\t")
    if len(columns) != count:
        raise InputError(shown, f"has {len(columns)} columns, and {count} divided by tabs are due", remedy, number)
    return columns


def read_files(source: Source, is_wanted: Callable[[str], bool]) -> list[CorpusFile]:
    """Read those files of a folder or an archive that are wanted by their name.

    Args:
        source: A folder or an archive.
        is_wanted: Says of a name, without folder and compression, whether the file matters.

    Returns:
        The files, sorted by folder and name.

    Raises:
        InputError: If something cannot be read, is damaged, is no UTF-8, or is there twice.
        LimitError: If a file is larger, or there are more, than `limits` allows.
    """
    path = resolve_source(source)
    if path.is_file() and not is_archive(path.name):
        raise InputError(str(source), "is a single file, and a pair corpus has several", "give the folder it lies in")
    found = _read_folder(path, is_wanted) if path.is_dir() else _read_archive(path, is_wanted)
    files = sorted(_keep_within_limits(found, str(source)), key=lambda file: (file.folder, file.name, file.shown))
    for one, other in pairwise(files):
        if one[:2] == other[:2]:
            raise InputError(other.shown, "is there twice, as it is or compressed", "leave one out")
    return files


def _keep_within_limits(found: Iterator[CorpusFile], source: str) -> list[CorpusFile]:
    kept: list[CorpusFile] = []
    size = 0
    for file in found:
        kept.append(file)
        size += len(file.text)
        if len(kept) > limits.MAX_CORPUS_FILES:
            reason = f"more than {limits.MAX_CORPUS_FILES} files of pair corpora"
            raise LimitError(source, reason, "give the folder of one")
        if size > limits.MAX_KEPT_BYTES:
            reason = f"files of more than {limits.MAX_KEPT_BYTES // limits.MEBIBYTE} MiB in all"
            raise LimitError(source, reason, "give the splits one after another")
    return kept


def _read_folder(folder: Path, is_wanted: Callable[[str], bool]) -> Iterator[CorpusFile]:
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            if is_wanted(name.removesuffix(_GZIP)) and path.is_file():
                inner = Path(parent).relative_to(folder).as_posix()
                shown = f"{folder.name}/{path.relative_to(folder).as_posix()}"
                try:
                    with open_input(path) as stream:
                        yield _read(stream, inner, name, shown)
                except OSError as error:
                    raise cannot_read(path, error, "check it") from None


def _read_archive(path: Path, is_wanted: Callable[[str], bool]) -> Iterator[CorpusFile]:
    try:
        with open_input(path) as stream:
            for member in read_members(stream, path.stat().st_size, path.name):
                folder, _, name = member.name.rpartition("/")
                if member.open is not None and is_wanted(name.removesuffix(_GZIP)):
                    with member.open() as content:
                        yield _read(content, folder, name, f"{path.name}!{member.name}")
    except OSError as error:
        raise cannot_read(path, error, "check it") from None


def _read(stream: IO[bytes], folder: str, name: str, shown: str) -> CorpusFile:
    data = read_bounded(stream, limits.MAX_FILE_BYTES, shown)
    if name.endswith(_GZIP):
        bound = min(limits.MAX_FILE_BYTES, max(limits.RATIO_FLOOR_BYTES, limits.MAX_RATIO * len(data)))
        with refusing_damage(shown):
            data = read_bounded(open_gzip(io.BytesIO(data), shown), bound, shown)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(shown, "is no UTF-8", "get the file again, or convert it", line) from None
    return CorpusFile(folder, name.removesuffix(_GZIP), shown, text)
