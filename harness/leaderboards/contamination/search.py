"""The search for the texts of tests in a training corpus, by several processes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from harness.leaderboards.contamination.corpora import Part, list_files, list_parts, read_blocks
from harness.leaderboards.contamination.grams import GramIndex
from harness.support.progress import Progress
from harness.support.workers import map_in_order
from pyramid_paraphrase.errors import EmptyResultError, InputError


class SearchedFile(NamedTuple):
    """A file of a corpus.

    Attributes:
        name: Its path, as the user named it.
        words: Number of words that were searched.
        found: The hashes of grams that it contains, as indices into those of all tests.
        sha256: SHA-256 of its words.
        problem: Why it was not read, or not to its end. "" if it was.
    """

    name: str
    words: int
    found: frozenset[int]
    sha256: str
    problem: str


def search_corpus(
    index: GramIndex, paths: Sequence[Path], fields: Sequence[str] = (), workers: int = 1, *, visible: bool = False
) -> tuple[list[SearchedFile], Counter[str]]:
    """Search files for the grams of tests. The outcome does not depend on the number of processes.

    Args:
        index: The hashes of the grams.
        paths: Files and folders.
        fields: Names of the fields of JSON, or of the columns of Parquet, that are searched. All of them if empty.
        workers: Number of processes.
        visible: Whether to show a progress bar.

    Returns:
        The files, and the numbers of lines and places that were not read as they should be, by reason.

    Raises:
        InputError: If a path is missing.
        EmptyResultError: If there are no files.
    """
    counts, problems = Counter[str](), dict[Path, str]()
    files = list(dict.fromkeys(list_files(paths, counts)))
    if not files:
        raise EmptyResultError(f"{paths[0]}: contains no files. Name a file or folder with text")
    words, found = Counter[Path](), {path: set[int]() for path in files}
    digests = {path: hashlib.sha256() for path in files}

    def list_all_parts() -> Iterator[Part]:
        for path in files:
            try:
                yield from list_parts(path)
            except InputError as error:
                problems[path] = str(error)

    total = sum(path.stat().st_size for path in files if path.is_file())
    with Progress(visible=visible) as progress:
        progress.start("search", total, unit="B")
        for part, part_words, part_found, part_counts, digest, problem in map_in_order(
            partial(_search_part, index, tuple(fields)), list_all_parts(), workers
        ):
            words[part.path] += part_words
            found[part.path] |= part_found
            counts.update(part_counts)
            digests[part.path].update(digest)
            if problem:
                problems.setdefault(part.path, problem)
            progress.advance(part.size)
    searched = [
        SearchedFile(str(path), words[path], frozenset(found[path]), digests[path].hexdigest(), problems.get(path, ""))
        for path in files
    ]
    return searched, +counts


def _search_part(
    index: GramIndex, fields: Sequence[str], part: Part
) -> tuple[Part, int, set[int], Counter[str], bytes, str]:
    """Search a part of a file.

    Returns:
        The part, its number of words, the grams that were found, counts, a digest of the words, and a problem or "".
    """
    counts, found, words, problem, digest = Counter[str](), set[int](), 0, "", hashlib.sha256()
    try:
        for block, shared in read_blocks(part, fields, counts):
            block_found, block_words = index.find(block)
            found |= block_found
            words += block_words - shared
            digest.update(block)
    except InputError as error:
        problem = str(error)
    return part, words, found, counts, digest.digest(), problem


def hash_corpus(files: Iterable[SearchedFile]) -> str:
    """Return the SHA-256 of the words of a corpus, which does not depend on names, compression or order of files."""
    return hashlib.sha256("".join(sorted(file.sha256 for file in files)).encode()).hexdigest()
