"""Files, folders and archives, in any mixture, to the annotation files they hold."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from pyramid_paraphrase import limits
from pyramid_paraphrase.archives import Budget, Member, is_archive, read_members, require_depth
from pyramid_paraphrase.errors import InputError, LimitError, NoAnnotationError, cannot_read
from pyramid_paraphrase.inputs import open_input
from pyramid_paraphrase.naming import parse_peer_name
from pyramid_paraphrase.records import Problem
from pyramid_paraphrase.sample import SAMPLE_DIR, SAMPLE_NAME

Source = str | os.PathLike[str]

MANIFEST_NAME = "manifest.json"
"""The file by which a folder that was built is known."""

_ANNOTATION_SUFFIXES = (".pyr", ".pan")
_ANNOTATION_MARKS = (b"<!DOCTYPE pyramid", b"<!DOCTYPE peerAnnotation", b"<pyramid", b"<peerAnnotation")
_SCORE_TABLE_SUFFIX = "_modified_scores.txt"
_HEAD_BYTES = 2048
_WHAT_TO_GIVE = "give .pyr or .pan files, a folder of them, or a .tar.gz, .tgz, .tar or .zip archive"
_WHAT_ELSE = "; for a corpus of labelled pairs, name the configuration: pairs, pit_identification or pit_similarity"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that matters: its name within the sources (``archive.tar.gz!folder/member``) and its bytes."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file on disk that was read, for the record: name, size in bytes, SHA-256."""

    name: str
    size: int
    sha256: str


class _TotalLimitError(LimitError):
    """All sources together are larger than `limits` allows; leaving out a single file is not a remedy."""


@dataclass
class _Memory:
    """Counts the bytes of all sources that are kept in memory."""

    kept: int = 0

    def keep(self, file: SourceFile) -> None:
        self.kept += len(file.data)
        if self.kept > limits.MAX_KEPT_BYTES:
            reason = f"more than {limits.MAX_KEPT_BYTES // limits.MEBIBYTE} MiB of annotations up to this file"
            remedy = "give fewer files at a time; tests are made from the pyramids (.pyr) alone"
            raise _TotalLimitError(file.name, reason, remedy)


@dataclass
class SourceFiles:
    """All that was found in the sources; ``rejected`` could not be read, ``skipped`` are no regular files."""

    annotations: list[SourceFile] = field(default_factory=list)
    score_tables: list[SourceFile] = field(default_factory=list)
    inputs: list[InputFile] = field(default_factory=list)
    rejected: list[InputError] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)
    other_files: int = 0
    _memory: _Memory = field(default_factory=_Memory, repr=False)

    def keep(self, file: SourceFile) -> None:
        """Add an annotation or a score table.

        Raises:
            LimitError: If all files together are larger than `limits` allows.
        """
        self._memory.keep(file)
        is_table = file.name.endswith(_SCORE_TABLE_SUFFIX)
        (self.score_tables if is_table else self.annotations).append(file)

    def begin_archive(self) -> SourceFiles:
        """Return a new collection for the files of an archive, under the same limit on memory."""
        return SourceFiles(_memory=self._memory)

    def digest(self) -> str:
        """SHA-256 over the bytes of all annotations, whatever their names, order and packing."""
        hashes = sorted(hashlib.sha256(file.data).digest() for file in self.annotations)
        return hashlib.sha256(b"".join(hashes)).hexdigest()


def resolve_source(source: Source) -> Path:
    """Expand ``~`` and the built-in name "sample" to an absolute path.

    Raises:
        InputError: If there is nothing at that path.
    """
    if str(source) == SAMPLE_NAME:
        return SAMPLE_DIR
    if not str(source):
        raise InputError("''", "is no path", _WHAT_TO_GIVE)
    try:
        path = Path(source).expanduser().absolute()
        is_there = path.is_file() or path.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(str(source), f"is no usable path ({error})", "check the path") from None
    if not is_there:
        raise InputError(str(source), "no such file or folder", "check the path; " + _WHAT_TO_GIVE)
    return path


def read_sources(sources: Iterable[Source]) -> SourceFiles:
    """Read all annotation files and score tables of some files, folders and archives.

    What cannot be read within a folder or an archive is left out and said; what was named itself is an error.

    Args:
        sources: Paths, or the name "sample" for the built-in corpus.

    Returns:
        What they hold; the same for any order of sources and any packing, but for the names.

    Raises:
        InputError: If a path is missing or unreadable, a named archive is damaged, or nothing in the sources is an
            annotation.
        LimitError: If a named file is larger than `limits` allows.
    """
    paths = [resolve_source(source) for source in sources]
    found = SourceFiles()
    for path in paths:
        if path.joinpath(MANIFEST_NAME).is_file():
            remedy = f"load it by its path: load_dataset({str(path)!r}, ...)"
            raise InputError(str(path), "is a folder that was built, not one with annotation files", remedy)
        if path.is_dir():
            _read_folder(path, found)
        else:
            _read_file(path, path.name, found)
    if not found.annotations:
        if found.rejected:
            raise min(found.rejected, key=str)
        names = ", ".join(str(path) for path in paths) or "no source"
        count = found.other_files + len(found.skipped)
        seen = f"no pyramid or peer annotation among {count} files" if count else "empty"
        raise NoAnnotationError(names, seen, _WHAT_TO_GIVE + _WHAT_ELSE)
    for files in (found.annotations, found.score_tables, found.inputs):
        files.sort(key=lambda file: file.name)
    return found


def _read_folder(folder: Path, found: SourceFiles) -> None:
    for path in walk_folder(folder):
        shown = f"{folder.name}/{path.relative_to(folder).as_posix()}"
        if not path.is_file():
            _skip(shown, found)
            continue
        try:
            _read_file(path, shown, found)
        except _TotalLimitError:
            raise
        except InputError as error:
            found.rejected.append(error)


def walk_folder(folder: Path) -> Iterator[Path]:
    """Everything in a folder and the folders in it but these themselves; links are followed, and none in circles.

    Raises:
        InputError: If a folder cannot be read.
    """

    def refuse(error: OSError) -> None:
        raise cannot_read(error.filename, error, "check its permissions")

    seen = {folder.resolve()}
    for parent, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        for name in list(folders):
            target = Path(parent, name).resolve()
            if target in seen:
                folders.remove(name)
            seen.add(target)
        for name in names:
            yield Path(parent, name)


def _skip(shown: str, found: SourceFiles) -> None:
    """Leave out what is no regular file, and say so if its name is that of something to read."""
    if is_readable_name(shown):
        message = "no regular file, or a link that leads nowhere; left out"
        found.skipped.append(Problem(shown, 0, "member-skipped", "", message))
    else:
        found.other_files += 1


def _read_file(path: Path, shown: str, found: SourceFiles) -> None:
    try:
        with open_input(path) as stream:
            if is_archive(path.name):
                size = path.stat().st_size
                found.inputs.append(InputFile(shown, size, _digest(stream)))
                _merge(found, _read_archive(stream, size, shown, found.begin_archive()))
            elif (data := _read_if_relevant(stream, shown)) is not None:
                found.inputs.append(InputFile(shown, len(data), hashlib.sha256(data).hexdigest()))
                found.keep(SourceFile(shown, data))
            else:
                found.other_files += 1
    except OSError as error:
        raise cannot_read(path, error, "check the file") from None


def _digest(stream: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while block := stream.read(limits.MEBIBYTE):
        digest.update(block)
    stream.seek(0)
    return digest.hexdigest()


def _read_archive(
    stream: IO[bytes], size: int, shown: str, found: SourceFiles, depth: int = 1, outer: Budget | None = None
) -> SourceFiles:
    """Read an archive as a whole before anything of it is used, so that a damaged one leaves no half.

    A member that cannot be used is left out; an archive that is damaged itself is an error.
    """
    require_depth(depth, shown)
    for member in read_members(stream, size, shown, outer):
        name = f"{shown}!{member.name}"
        try:
            _read_member(member, name, depth, found)
        except _TotalLimitError:
            raise
        except InputError as error:
            if not error.file.startswith(name):
                raise  # it is this archive that is at fault
            found.rejected.append(error)
    return found


def _read_member(member: Member, shown: str, depth: int, found: SourceFiles) -> None:
    if member.open is None:
        _skip(shown, found)
        return
    with member.open() as content:
        if is_archive(member.name):
            data, inner = _read_all(content, shown), found.begin_archive()
            _merge(found, _read_archive(io.BytesIO(data), len(data), shown, inner, depth + 1, member.budget))
        elif (relevant := _read_if_relevant(content, shown)) is not None:
            found.keep(SourceFile(shown, relevant))
        else:
            found.other_files += 1


def _merge(found: SourceFiles, more: SourceFiles) -> None:
    found.annotations += more.annotations
    found.score_tables += more.score_tables
    found.rejected += more.rejected
    found.skipped += more.skipped
    found.other_files += more.other_files


def _read_if_relevant(stream: IO[bytes], name: str) -> bytes | None:
    """Content of an annotation or a score table; None for any other file, of which only the head is read."""
    head = stream.read(_HEAD_BYTES)
    if _is_annotation_name(name) or name.endswith(_SCORE_TABLE_SUFFIX) or _looks_annotated(name, head):
        return _read_all(stream, name, head)
    return None


def is_readable_name(name: str) -> bool:
    """Whether a file is an annotation or an archive by its name."""
    return _is_annotation_name(name) or is_archive(name)


def _is_annotation_name(name: str) -> bool:
    return name.lower().endswith(_ANNOTATION_SUFFIXES) and not _base_name(name).startswith("._")


def _looks_annotated(name: str, head: bytes) -> bool:
    """Peer annotations of some years have no suffix; files called ``._...`` are what macOS adds to archives."""
    is_markup = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and not _base_name(name).startswith("._")
    return is_markup and any(mark in head for mark in _ANNOTATION_MARKS)


def _base_name(name: str) -> str:
    return name.replace("!", "/").rsplit("/", 1)[-1]


def _read_all(stream: IO[bytes], name: str, head: bytes = b"") -> bytes:
    blocks, size = [head], len(head)
    while block := stream.read(limits.MEBIBYTE):
        blocks.append(block)
        size += len(block)
        if size > limits.MAX_FILE_BYTES:
            reason = f"larger than {limits.MAX_FILE_BYTES // limits.MEBIBYTE} MiB"
            raise LimitError(name, reason, "split the file")
    return b"".join(blocks)


def iter_annotations(found: SourceFiles) -> Iterator[SourceFile]:
    """The annotations without repetitions: `.pyr` files first, then the others, by name.

    A repetition has the same bytes and, unless it is a `.pyr`, stands for the same peer and annotator: only the name of
    a file tells whose summary it annotates.
    """
    seen: set[tuple[bytes, object]] = set()
    for file in sorted(found.annotations, key=lambda file: not file.name.lower().endswith(".pyr")):
        whose = None if file.name.lower().endswith(".pyr") else parse_peer_name(file.name) or _base_name(file.name)
        key = (hashlib.sha256(file.data).digest(), whose)
        if key not in seen:
            seen.add(key)
            yield file


def read_score_table(path: Source) -> SourceFile:
    """Read a published score table.

    Raises:
        InputError: If it is not there or cannot be read.
    """
    try:
        with open_input(Path(path).expanduser()) as stream:
            return SourceFile(Path(path).name, _read_all(stream, Path(path).name))
    except OSError as error:
        raise cannot_read(path, error, "give NIST's table, such as 2007_modified_scores.txt") from None
