"""Records of pair corpora, and their files in a folder or an archive, plain or compressed by gzip."""

from __future__ import annotations

import io
import posixpath
from collections.abc import Container, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from pyramid_paraphrase.errors import InputError, LimitError
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
from pyramid_paraphrase.pyramids.sources import Source, resolve_source

DEBATABLE = -1
"""The label of a pair that people disagree on, or call half a paraphrase. `datasets` treats -1 as a missing label."""


class AnnotatedPair(NamedTuple):
    """A labelled pair of sentences.

    Attributes:
        line: Its line in its file, 1-based.
        topic: An identifier. Pairs of the same topic are not independent.
        sentence1: The first sentence. If a sentence was compared with several sentences, it is the first of each pair.
        sentence2: The second sentence.
        label: 1 for a paraphrase, 0 for other pairs, or `DEBATABLE`.
        grade: Degree of paraphrase from 0 to 5, or None if the corpus has no grades.
        topic_name: Name of the topic, or "" if the corpus has no names.
        tags1: The first sentence with the tags of the corpus.
        tags2: The second sentence with the tags of the corpus.
    """

    line: int
    topic: str
    sentence1: str
    sentence2: str
    label: int
    grade: int | None = None
    topic_name: str = ""
    tags1: str = ""
    tags2: str = ""


@dataclass(frozen=True, slots=True)
class PairCorpus:
    """The pairs of all files.

    Attributes:
        name: Its name in the catalog.
        format: The origin of its configurations, `options.PAIR_CORPUS` or `options.PIT`.
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
        text: Its content.
    """

    folder: str
    name: str
    full_name: str
    text: str

    def lines(self) -> list[str]:
        """Split the text into lines. An empty text has none."""
        return split_lines(self.text, self.full_name) if self.text else []


def read_pair_files(source: Source, names: Container[str]) -> list[CorpusFile]:
    """Read the files with certain names in a folder or an archive.

    Args:
        source: A folder or an archive.
        names: Names of the files, without folder and suffix of a compression.

    Returns:
        The files, sorted by folder and name.

    Raises:
        InputError: If a file cannot be read, is damaged, is not UTF-8, or exists twice.
        LimitError: If a file is larger than `limits` allows, or there are more files.
    """
    path = resolve_source(source)
    if path.is_file() and not is_archive(path.name):
        refuse_document_at(path)
        reason = "is a single file, but a pair corpus consists of several files"
        raise InputError(str(source), reason, "use the folder that contains it")
    files: list[CorpusFile] = []
    size = 0
    with closing(_walk_wanted(path, names)) as wanted:
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


def list_pair_files(source: Source, names: Container[str]) -> set[str]:
    """List the names of the files with certain names in a folder or an archive, without reading the files.

    Args:
        source: A folder or an archive. The result is empty for any other file.
        names: As for `read_pair_files`.

    Raises:
        InputError: If the source does not exist, or an archive is damaged.
    """
    path = resolve_source(source)
    if path.is_file() and not is_archive(path.name):
        return set()
    with closing(_walk_wanted(path, names)) as wanted:
        return {_base_name(file) for file in wanted}


def _walk_wanted(path: Path, names: Container[str]) -> Generator[WalkedFile, None, None]:
    """Yield the wanted files of a folder or an archive, which is open until the generator is closed.

    Archives inside them are not opened. A file of an archive can be read until the next file is requested.
    """
    if path.is_dir():
        files = walk_folder(path, path.name, follows_links=False, skips_unreadable=True)
        yield from (file for file in files if _base_name(file) in names and file.is_regular)
        return
    archive = WalkedFile(path.name, path.name, path)
    with archive.open() as stream:
        members = walk_archive(archive, stream)
        yield from (member for member in members if _base_name(member) in names and member.is_regular)


def _base_name(file: WalkedFile) -> str:
    return posixpath.basename(file.name).removesuffix(_GZIP)


def _read(file: WalkedFile) -> CorpusFile:
    folder, _, name = file.name.rpartition("/")
    with file.open() as stream:
        data = read_bounded(stream, limits.MAX_FILE_BYTES, file.full_name)
    if name.endswith(_GZIP):
        bound = min(limits.MAX_FILE_BYTES, allow_expansion(len(data)))
        with refusing_damage(file.full_name):
            data = read_bounded(open_gzip(io.BytesIO(data), file.full_name), bound, file.full_name)
    text = decode(data, file.full_name, "get the file again, or convert it to UTF-8")
    return CorpusFile(folder, name.removesuffix(_GZIP), file.full_name, text)
