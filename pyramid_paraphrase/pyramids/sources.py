"""Read annotation files and score tables from any combination of files, folders and archives.

Files are recognized by their names and their first bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

from pyramid_paraphrase.catalog import OBTAINABLE_NAMES, SAMPLE_DIR, SAMPLE_NAME
from pyramid_paraphrase.errors import (
    CLOSE,
    InputError,
    LimitError,
    NoAnnotationError,
    cannot_read,
    find_similar,
)
from pyramid_paraphrase.files import inputs, limits
from pyramid_paraphrase.files.archives import is_archive, open_gzip, read_bounded, refusing_damage
from pyramid_paraphrase.files.markup import find_start
from pyramid_paraphrase.pyramids.records import Problem

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

    def fits(self, name: str) -> bool:
        """Return whether a file of this kind can have this name, with or without the suffix of a compression."""
        path, _, base_name = name.replace("!", "/").lower().removesuffix(GZIP_SUFFIX).rpartition("/")
        if self.folder not in ("", path.rpartition("/")[2]):
            return False
        if self.suffix.startswith("."):
            return base_name.endswith(self.suffix) and not base_name.startswith(".")
        return base_name == self.suffix


HEAD_BYTES = 2048
"""Size of the head of a file, which contains the marks."""


def recognize(name: str, head: bytes, kinds: Iterable[FileKind]) -> FileKind | None:
    """Return the kind of a file, or None if it is of no kind.

    Args:
        name: Name of the file.
        head: Its first `HEAD_BYTES` bytes, after decompression. Empty to recognize files by their names only.
        kinds: The kinds. The first that fits is returned.
    """
    return next((kind for kind in kinds if kind.fits(name) and all(mark in head for mark in kind.marks)), None)


Source = str | os.PathLike[str]

MANIFEST_NAME = "manifest.json"
"""The file that marks a folder as the output of a build."""

_ANNOTATION_SUFFIXES = (".pyr", ".pan", ".sea", ".sep")
_ANNOTATION_MARKS = (
    *(b"<!DOCTYPE pyramid", b"<!DOCTYPE peerAnnotation", b"<pyramid", b"<peerAnnotation"),
    *(b"<!DOCTYPE SEA [", b"<!DOCTYPE SEP [", b"<SEA>", b"<SEP>"),
)
_SCORE_TABLE = re.compile(r"(?s:.*)(?:_modified_scores\.txt|(?:^|[/!])manual\.peer(?:\.[A-Z])?)")
_REMEDY = (
    "use pyramids (.pyr, .pan) or content units, as files, a folder or an archive (.tar.gz, .tgz, .tar, .zip). "
    "For a corpus of labelled pairs, use its folder and the test pairs, pit_identification or pit_similarity"
)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """An annotation, a score table, or a file of an aligned corpus.

    Attributes:
        name: Its name within the sources (``archive.tar.gz!folder/member``).
        data: Its bytes, decompressed if the file is compressed by gzip.
        kind: Its kind, if it belongs to an aligned corpus.
    """

    name: str
    data: bytes
    kind: FileKind | None = None


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file on disk, for the record: name, size in bytes, SHA-256."""

    name: str
    size: int
    sha256: str


class _TotalLimitError(LimitError):
    """All sources together are larger than `limits` allows. Leaving out a single file is not a remedy."""


class SourceFiles:
    """The files of all sources.

    Attributes:
        annotations: Pyramids and peer annotations.
        aligned: Files of aligned corpora.
        score_tables: Published score tables.
        inputs: Files on disk that contain these files.
        rejected: Errors of files that could not be read.
        skipped: Problems of files that are not regular.
        other_files: Number of all other files.
        kept_bytes: Size of all files that were kept so far, also in the archives that contain these files.
    """

    def __init__(self, kept_bytes: int = 0) -> None:
        self.annotations: list[SourceFile] = []
        self.aligned: list[SourceFile] = []
        self.score_tables: list[SourceFile] = []
        self.inputs: list[InputFile] = []
        self.rejected: list[InputError] = []
        self.skipped: list[Problem] = []
        self.other_files = 0
        self.kept_bytes = kept_bytes

    def keep(self, file: SourceFile) -> None:
        """Add an annotation, a score table, or a file of an aligned corpus.

        Raises:
            LimitError: If all files together are larger than `limits` allows.
        """
        self.kept_bytes += len(file.data)
        if self.kept_bytes > limits.MAX_KEPT_BYTES:
            reason = f"more than {limits.MAX_KEPT_BYTES // limits.MEBIBYTE} MiB of annotations up to this file"
            remedy = "read fewer files at a time. Most tests need only the pyramids (.pyr)"
            raise _TotalLimitError(file.name, reason, remedy)
        if file.kind is not None:
            self.aligned.append(file)
        elif _SCORE_TABLE.fullmatch(file.name):
            self.score_tables.append(file)
        else:
            self.annotations.append(file)

    def add(self, members: SourceFiles) -> None:
        """Add the files of an archive that was read to its end."""
        self.annotations += members.annotations
        self.aligned += members.aligned
        self.score_tables += members.score_tables
        self.rejected += members.rejected
        self.skipped += members.skipped
        self.other_files += members.other_files

    @property
    def digest(self) -> str:
        """The SHA-256 of the bytes of all annotations. It does not depend on names, order or packing."""
        hashes = sorted(hashlib.sha256(file.data).digest() for file in (*self.annotations, *self.aligned))
        return hashlib.sha256(b"".join(hashes)).hexdigest()


def list_sources(sources: Source | Sequence[Source]) -> list[Source]:
    """Return a list of sources, given one source or several."""
    return [sources] if isinstance(sources, str | os.PathLike) else list(sources)


def resolve_source(source: Source) -> Path:
    """Expand ``~`` and the built-in name "sample" to an absolute path.

    Raises:
        InputError: If the path does not exist.
    """
    if str(source) == SAMPLE_NAME:
        return SAMPLE_DIR
    if not str(source):
        raise InputError("''", "is not a path", _REMEDY)
    try:
        path = Path(source).expanduser().absolute()
        path_exists = path.is_file() or path.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(str(source), f"is not a usable path ({error})", "check the path") from None
    if not path_exists:
        raise InputError(str(source), "no such file or folder", _suggest_source(str(source)))
    return path


def _suggest_source(name: str) -> str:
    """Suggest what to use instead of a file that does not exist, which may be meant as the name of a collection."""
    if name in OBTAINABLE_NAMES:
        return f"to get the files of this collection, run `pyramid-paraphrase download {name}`"
    if similar := find_similar(name, OBTAINABLE_NAMES, CLOSE):
        return f"did you mean '{similar}'?"
    return "check the path"


def read_sources(sources: Sequence[Source], kinds: Sequence[FileKind]) -> SourceFiles:
    """Read all annotation files and score tables of files, folders and archives.

    A file that cannot be read is an error if it is itself a source. Within a folder or an archive, it is left out and
    listed in `SourceFiles.rejected`.

    Args:
        sources: Paths, or the name "sample" for the built-in corpus.
        kinds: Kinds of files of aligned corpora.

    Returns:
        The files, sorted by name. Except for the names, they do not depend on the order of sources or on packing.

    Raises:
        InputError: If a source is missing or unreadable, an archive among the sources is damaged, or the sources
            contain no annotation.
        LimitError: If a source is larger than `limits` allows.
    """
    paths = [resolve_source(source) for source in sources]
    files = SourceFiles()
    for path in paths:
        if inputs.is_file(path / MANIFEST_NAME):
            remedy = f"load it by its path: load_dataset({str(path)!r}, ...)"
            raise InputError(str(path), "is a built dataset, not a folder with annotation files", remedy)
        if path.is_dir():
            for file in inputs.walk_folder(path, path.name):
                _read_or_reject(file, files, kinds)
        else:
            _read_file(inputs.WalkedFile(path.name, path.name, path), files, kinds)
    if not files.annotations and not files.aligned:
        raise explain_missing(sources, files)
    for sorted_files in (files.annotations, files.aligned, files.score_tables, files.inputs):
        sorted_files.sort(key=lambda file: file.name)
    return files


def explain_missing(sources: Iterable[Source], files: SourceFiles) -> InputError:
    """Return the error for sources without annotations: the error of the first rejected file, if any."""
    if files.rejected:
        return min(files.rejected, key=str)
    paths = [resolve_source(source) for source in sources]
    for path in paths:
        if inputs.is_file(path) and not is_archive(path.name):
            inputs.refuse_document_at(path)
    names = ", ".join(map(str, paths)) or "no source was given"
    count = files.other_files + len(files.skipped) + len(files.aligned)
    reason = f"none of {count} files contains pyramids, peer annotations or content units" if count else "empty"
    if count == 1:
        is_empty = all(path.is_file() and not path.stat().st_size for path in paths)
        reason = "empty" if is_empty else "contains no pyramid, no peer annotation and no content units"
    return NoAnnotationError(names, reason, _REMEDY)


def _read_or_reject(file: inputs.WalkedFile, files: SourceFiles, kinds: Sequence[FileKind]) -> None:
    """Add a file of a folder or an archive. A file that cannot be used is rejected."""
    try:
        _read_file(file, files, kinds)
    except _TotalLimitError:
        raise
    except InputError as error:
        if file.path is None and not error.file.startswith(file.full_name):
            raise  # the error is in the archive that contains the file
        files.rejected.append(error)


def _read_file(file: inputs.WalkedFile, files: SourceFiles, kinds: Sequence[FileKind]) -> None:
    """Add a file, or the files of an archive. The file may be on disk or in an archive.

    A file that is not regular is left out, and a problem if it has the name of an annotation or an archive.
    """
    if not file.is_regular:
        if is_readable_name(file.full_name):
            message = "not a regular file, or a broken link: left out"
            files.skipped.append(Problem(file.full_name, 0, "member-skipped", "", message))
        else:
            files.other_files += 1
        return
    with file.open() as stream:
        if file.is_archive:
            if file.path is not None:
                files.inputs.append(hash_file(stream, file.full_name))
            _read_archive(file, stream, files, kinds)
            return
        source_file = _read_if_relevant(stream, file.full_name, kinds)
        if source_file is None:
            files.other_files += 1
            return
        if file.path is not None:
            files.inputs.append(hash_file(stream, file.full_name))
    files.keep(source_file)


def hash_file(stream: IO[bytes], name: str) -> InputFile:
    """Hash an open file from its start, and return to the start."""
    digest = hashlib.sha256()
    stream.seek(0)
    while block := stream.read(limits.MEBIBYTE):
        digest.update(block)
    size = stream.tell()
    stream.seek(0)
    return InputFile(name, size, digest.hexdigest())


def _read_archive(archive: inputs.WalkedFile, stream: IO[bytes], files: SourceFiles, kinds: Sequence[FileKind]) -> None:
    """Read all members of an archive before any of them is used, so that a damaged archive adds no files.

    A member that cannot be used is left out. Damage to the archive itself is an error.
    """
    members = SourceFiles(kept_bytes=files.kept_bytes)
    try:
        for member in inputs.walk_archive(archive, stream):
            _read_or_reject(member, members, kinds)
    finally:
        files.kept_bytes = members.kept_bytes
    files.add(members)


def _read_if_relevant(stream: IO[bytes], name: str, kinds: Sequence[FileKind]) -> SourceFile | None:
    """Read a file that belongs to a corpus. For any other file, read only the head and return None."""
    content: IO[bytes] | gzip.GzipFile = stream
    has_aligned_name = any(kind.fits(name) for kind in kinds)
    if has_aligned_name and name.lower().endswith(GZIP_SUFFIX):
        content = open_gzip(stream, name)
    with refusing_damage(name):
        head = content.read(HEAD_BYTES)
        kind = recognize(name, head, kinds)
        is_relevant = kind is not None
        if not has_aligned_name:
            is_table = bool(_SCORE_TABLE.fullmatch(name))
            is_relevant = is_table or _is_annotation_name(name) or _looks_annotated(name, head)
        return SourceFile(name, read_bounded(content, limits.MAX_FILE_BYTES, name, head), kind) if is_relevant else None


def is_readable_name(name: str) -> bool:
    """Return whether a file has the name of an annotation or an archive."""
    return _is_annotation_name(name) or is_archive(name)


def _is_annotation_name(name: str) -> bool:
    return name.lower().endswith(_ANNOTATION_SUFFIXES) and not base_name(name).startswith("._")


def _looks_annotated(name: str, head: bytes) -> bool:
    """Return whether a file begins like an annotation, because peer annotations of some years have no suffix.

    Files named ``._...``, which macOS adds to archives, are excluded.
    """
    start = find_start(head)
    is_markup = start.startswith(b"<") and not base_name(name).startswith("._")
    return is_markup and any(mark in start for mark in _ANNOTATION_MARKS)


def base_name(name: str) -> str:
    """Return the name of a file without its folders and archives."""
    return name.replace("!", "/").rsplit("/", 1)[-1]


def read_score_table(path: Source) -> SourceFile:
    """Read a published score table.

    Raises:
        InputError: If it does not exist or cannot be read.
    """
    try:
        with inputs.open_input(Path(path).expanduser()) as stream:
            name = Path(path).name
            return SourceFile(name, read_bounded(stream, limits.MAX_FILE_BYTES, name))
    except OSError as error:
        raise cannot_read(path, error, "use NIST's table, such as 2007_modified_scores.txt") from None
