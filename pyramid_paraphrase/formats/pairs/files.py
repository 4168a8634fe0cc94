"""Records of pair corpora, and their files in a folder or an archive, plain or compressed by gzip.

The first visible sheet of an Excel workbook is read as CSV.
"""

from __future__ import annotations

import csv
import hashlib
import io
import posixpath
import re
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.archives import allow_expansion, is_archive, open_gzip, read_bounded, refusing_damage
from pyramid_paraphrase.files.inputs import (
    WalkedFile,
    decode,
    refuse_document_at,
    split_lines,
    walk_archive,
    walk_folder,
)
from pyramid_paraphrase.files.workbooks import MAX_CELLS, is_workbook, is_workbook_at, read_sheets
from pyramid_paraphrase.pyramids.sources import Source, resolve_source

DEBATABLE = -1
"""The label of a pair that people disagree on, or call half a paraphrase. `datasets` treats -1 as a missing label."""


GRADED = "graded pairs"
"""The format of corpora with grades only. No configuration is made from them: models are correlated with them."""

UNLABELLED = "unlabelled pairs"
"""The format of a table without labels and grades. No configuration is made from it, either."""


class AnnotatedPair(NamedTuple):
    """A labelled pair of sentences.

    Attributes:
        line: Its line in its file, 1-based.
        topic: An identifier. Pairs of the same topic are not independent.
        sentence1: The first sentence. If a sentence was compared with several sentences, it is the first of each pair.
        sentence2: The second sentence.
        label: 1 for a paraphrase, 0 for other pairs, or `DEBATABLE`.
        grade: Degree of paraphrase from 0 to 5, or None if the corpus has no grades. Whole in PIT-2015.
        topic_name: Name of the topic, or "" if the corpus has no names.
        tags1: The first sentence with the tags of the corpus.
        tags2: The second sentence with the tags of the corpus.
    """

    line: int
    topic: str
    sentence1: str
    sentence2: str
    label: int
    grade: float | None = None
    topic_name: str = ""
    tags1: str = ""
    tags2: str = ""


@lru_cache(1 << 12)
def share_sentence(sentence: str) -> tuple[str, str]:
    """Return a first sentence and the topic of all its pairs, as the same objects for pairs near each other.

    The topic is a prefix of the SHA-256 of the sentence, which does not reveal words.
    """
    return sentence, hashlib.sha256(sentence.encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class PairCorpus:
    """The pairs of all files.

    Attributes:
        name: Its name in the catalog.
        format: The origin of its configurations, `options.PAIR_CORPUS` or `options.PIT`, `GRADED` or
            `UNLABELLED`.
        splits: Pairs in the order of the files, by split: any of "train", "validation" and "test".
        digest: SHA-256 over its pairs.
    """

    name: str
    format: str
    splits: Mapping[str, list[AnnotatedPair]]
    digest: str


_GZIP = ".gz"


class CorpusFile(NamedTuple):
    """A file of a corpus.

    Attributes:
        folder: Path of its folder within the source, or "" for the source itself.
        name: Its name without the folder and without the suffix of a compression.
        full_name: Its full name, for messages.
        text: Its content. CSV with commas for a workbook, whose rows have the same numbers as the lines.
        is_sheet: Whether it is a workbook, from whose texts the apostrophes in front of formulas were removed.
    """

    folder: str
    name: str
    full_name: str
    text: str
    is_sheet: bool = False

    @property
    def first_line(self) -> str:
        """The first line of the text, without its line break. Empty rows above the table of a sheet do not count."""
        text = self.text.lstrip("\n") if self.is_sheet else self.text
        return text.partition("\n")[0].removesuffix("\r")

    def lines(self) -> list[str]:
        """Split the text into lines. An empty text has none."""
        return split_lines(self.text, self.full_name) if self.text else []


_FIRST_LINE_BYTES = 1 << 16
_logger = make_logger(__name__)


def read_pair_files(
    source: Source, has_name: Callable[[str], bool], check_alone: Callable[[CorpusFile], None]
) -> list[CorpusFile]:
    """Read the files with certain names in a folder or an archive, or a single file.

    Args:
        source: A folder, an archive, or a file.
        has_name: Returns whether a file of a folder or an archive is read, by its name without the folder and without
            the suffix of a compression.
        check_alone: Raises an `InputError` if a single file of any name is not a corpus by its first line.

    Returns:
        The files, sorted by folder and name.

    Raises:
        InputError: If a file cannot be read, is damaged, is not UTF-8, or exists twice.
        LimitError: If a file is larger than `limits` allows, or there are more files.
        MissingExtraError: If a file is a workbook of Excel, and the package to read it is not installed.
    """
    path = resolve_source(source)
    if path.is_file() and not is_archive(path.name):
        if not is_workbook_at(path):
            refuse_document_at(path)
        file = _read(WalkedFile(path.name, path.name, path))
        check_alone(file)
        return [file]
    files: list[CorpusFile] = []
    size = 0
    with closing(_walk_wanted(path, has_name)) as wanted:
        for walked in wanted:
            files.append(_read(walked))
            size += len(files[-1].text)
            if len(files) > limits.MAX_CORPUS_FILES:
                reason = f"has more than {limits.MAX_CORPUS_FILES} files of pair corpora"
                raise LimitError(str(source), reason, "use the folder of one corpus")
            if size > limits.MAX_KEPT_BYTES:
                reason = f"has files of more than {limits.MAX_KEPT_BYTES // limits.MEBIBYTE} MiB in total"
                raise LimitError(str(source), reason, "read one split at a time")
    files.sort(key=lambda file: (file.folder, file.name, file.full_name))
    for previous, file in pairwise(files):
        if (previous.folder, previous.name) == (file.folder, file.name):
            raise InputError(file.full_name, "exists twice, possibly once compressed", "remove one of the two")
    return files


def list_pair_files(source: Source, has_name: Callable[[str], bool]) -> set[tuple[str, str]]:
    """List the names and the first lines of files in a folder or an archive, without reading the rest of the files.

    Args:
        source: A folder, an archive, or a single file, which is listed under the name "".
        has_name: As for `read_pair_files`.

    Raises:
        InputError: If the source does not exist, or an archive or a compressed file is damaged.
    """
    path = resolve_source(source)
    if path.is_file() and not is_archive(path.name):
        return {("", _read_first_line(WalkedFile(path.name, path.name, path)))}
    with closing(_walk_wanted(path, has_name)) as wanted:
        return {(_base_name(file), _read_first_line(file)) for file in wanted}


def _walk_wanted(path: Path, has_name: Callable[[str], bool]) -> Generator[WalkedFile, None, None]:
    """Yield the wanted files of a folder or an archive, which is open until the generator is closed.

    Archives inside them are not opened. A file of an archive can be read until the next file is requested.
    """
    if path.is_dir():
        files = walk_folder(path, path.name, follows_links=False, skips_unreadable=True)
        yield from (file for file in files if has_name(_base_name(file)) and file.is_regular)
        return
    archive = WalkedFile(path.name, path.name, path)
    with archive.open() as stream:
        members = walk_archive(archive, stream)
        yield from (member for member in members if has_name(_base_name(member)) and member.is_regular)


def _base_name(file: WalkedFile) -> str:
    return posixpath.basename(file.name).removesuffix(_GZIP)


def _read_first_line(file: WalkedFile) -> str:
    """Read the first line, without characters that are not UTF-8. Only its beginning if it is long."""
    with file.open() as stream, refusing_damage(file.full_name):
        content = open_gzip(stream, file.full_name) if file.name.endswith(_GZIP) else stream
        data = content.read(_FIRST_LINE_BYTES)
        if data.startswith(b"PK"):
            data = read_bounded(content, limits.MAX_FILE_BYTES, file.full_name, data)
    if is_workbook(data):
        text, _ = _convert(data, file.full_name)
        return CorpusFile("", "", "", text, True).first_line
    return CorpusFile("", "", "", data.decode("utf-8", "ignore")).first_line


def _read(file: WalkedFile) -> CorpusFile:
    folder, _, name = file.name.rpartition("/")
    with file.open() as stream:
        data = read_bounded(stream, limits.MAX_FILE_BYTES, file.full_name)
    if name.endswith(_GZIP):
        bound = min(limits.MAX_FILE_BYTES, allow_expansion(len(data)))
        with refusing_damage(file.full_name):
            data = read_bounded(open_gzip(io.BytesIO(data), file.full_name), bound, file.full_name)
    if is_workbook(data):
        text, notes = _convert(data, file.full_name)
        for note in notes:
            _logger.warning("%s", note)
        return CorpusFile(folder, name.removesuffix(_GZIP), file.full_name, text, True)
    text = decode(data, file.full_name, "get the file again, or convert it to UTF-8")
    return CorpusFile(folder, name.removesuffix(_GZIP), file.full_name, text)


def _convert(data: bytes, name: str) -> tuple[str, list[str]]:
    """Convert the first visible sheet of a workbook to CSV, whose lines have the numbers of the rows.

    Returns:
        The text, and notes about the other sheets.
    """
    sheets, notes = read_sheets(name, data, MAX_CELLS)
    others = ", ".join(title.rpartition(", sheet ")[2] for title, _ in sheets[1:])
    if others:
        notes.append(f"{name}: only the first sheet was read, without {others}")
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    line = 1
    for number, cells in sheets[0][1] if sheets else ():
        stream.write("\n" * (number - line))
        writer.writerow([re.sub(r"[\r\n]+", " ", cell or "") for cell in cells])
        line = number + 1
    return stream.getvalue(), notes
