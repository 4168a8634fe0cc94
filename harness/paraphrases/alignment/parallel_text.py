"""Reading of parallel text and its word alignments: three files, read line by line in parallel.

Alignments are in Pharaoh format, such as `0-0 1-2`: pairs of a source word and a target word, counted from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from harness.files.lines import decode_line, open_lines
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.text.unicode_words import compose, split_at_blanks

MAX_SENTENCE_WORDS = 100
"""Maximum number of words in a sentence. Aligners omit longer sentences, too: their alignments are rarely right."""

CHUNK_BYTES = 1 << 20
"""Approximate number of bytes of text and alignments in a chunk."""

_POINT = re.compile(rb"(\d{1,9})-(\d{1,9})")
_SHOWN = 40
"""Number of bytes of a malformed link that a message quotes."""

_SAME_LINES = "use files with one line per sentence pair"


class ParallelText(NamedTuple):
    """The files of a parallel text, each plain or compressed.

    Attributes:
        source: Sentences, one per line, with space-separated words.
        target: Translations of the sentences.
        alignments: Word alignments of the sentence pairs.
    """

    source: Path
    target: Path
    alignments: Path


class Chunk(NamedTuple):
    """Consecutive lines of a parallel text.

    Attributes:
        first: Number of the first line, 1-based.
        lines: Per sentence pair, the lines of the source, the target and the alignments.
        consumed: Number of bytes of the source file on disk that were read since the last chunk.
    """

    first: int
    lines: list[tuple[bytes, bytes, bytes]]
    consumed: int


class SentencePair(NamedTuple):
    """Two sentences that translate each other.

    Attributes:
        source: Words of the source, as UTF-8.
        target: Words of the translation.
        points: Links, each a pair of a source position and a target position.
    """

    source: list[bytes]
    target: list[bytes]
    points: list[tuple[int, int]]


def read_chunks(text: ParallelText) -> Iterator[Chunk]:
    """Read a parallel text chunk by chunk.

    Raises:
        InputError: If a file cannot be read, or the numbers of lines differ.
        LimitError: If a line is too long.
    """
    with ExitStack() as stack:
        files = [stack.enter_context(open_lines(path, _SAME_LINES)) for path in text]
        first, size, consumed_before = 1, 0, 0
        lines: list[tuple[bytes, bytes, bytes]] = []
        for source, target, alignment in _join_lines(text, files):
            lines.append((source, target, alignment))
            size += len(source) + len(target) + len(alignment)
            if size >= CHUNK_BYTES:
                yield Chunk(first, lines, files[0].tell() - consumed_before)
                first, size, consumed_before, lines = first + len(lines), 0, files[0].tell(), []
        yield Chunk(first, lines, files[0].tell() - consumed_before)


def read_in_parallel(*paths: Path) -> Iterator[tuple[bytes, ...]]:
    """Read files line by line: the first lines of all files, the second lines of all files, and so on.

    Raises:
        InputError: If a file cannot be read, or the numbers of lines differ.
        LimitError: If a line is too long.
    """
    with ExitStack() as stack:
        yield from _join_lines(paths, [stack.enter_context(open_lines(path, _SAME_LINES)) for path in paths])


def _join_lines(paths: Sequence[Path], files: Sequence[Iterable[bytes]]) -> Iterator[tuple[bytes, ...]]:
    for count, lines in enumerate(zip_longest(*files)):
        if None in lines:
            raise _describe_missing_lines(paths, lines, count)
        yield lines


def _describe_missing_lines(paths: Sequence[Path], lines: Sequence[bytes | None], count: int) -> InputError:
    """Describe that a file has fewer lines than another file. The line of the shorter file is None."""
    has_ended = [line is None for line in lines]
    shorter, longer = paths[has_ended.index(True)], paths[has_ended.index(False)]
    return InputError(str(shorter), f"has fewer lines than {longer}: it ends after line {count:,}", _SAME_LINES)


def parse_sentence(line: bytes, file: str, number: int, *, keep_case: bool) -> list[bytes]:
    """Split a line into its words (`split_at_blanks`), in normal form C, and in lower case unless `keep_case` is set.

    Raises:
        InputError: If it is not UTF-8.
    """
    text = compose(decode_line(line, file, number))
    if not keep_case:
        text = text.lower()
    return split_at_blanks(text.encode().rstrip(b"\r\n"))


def parse_points(line: bytes, file: str, number: int, lengths: tuple[int, int]) -> list[tuple[int, int]]:
    """Parse the alignment of a sentence pair.

    Args:
        line: The alignment, such as ``0-0 1-2``.
        file: Name of its file, for messages.
        number: Number of the line, 1-based, for messages.
        lengths: Numbers of source and target words.

    Raises:
        InputError: If the line is malformed, or links a word that does not exist.
    """
    points = parse_links(line, file, number)
    for source, target in points:
        if source >= lengths[0] or target >= lengths[1]:
            sizes = f"a source of {lengths[0]} and a target of {lengths[1]} words"
            reason = f"link {source}-{target} is out of range for {sizes}"
            remedy = "count words from 0, source first, and give the same sentences as to the aligner"
            raise InputError(file, reason, remedy, number)
    return points


def parse_links(line: bytes, file: str, number: int) -> list[tuple[int, int]]:
    """Parse the alignment of a sentence pair of unknown lengths.

    Raises:
        InputError: If the line is malformed.
    """
    points = []
    for token in line.split():
        point = _parse_point(token)
        if point is None:
            beginning = ascii(token[:_SHOWN].decode("utf-8", "replace"))
            raise InputError(file, f"{beginning} is not a link of two words", "write links as in 0-0 1-2", number)
        points.append(point)
    return points


@lru_cache(maxsize=1 << 14)
def _parse_point(token: bytes) -> tuple[int, int] | None:
    """Parse a link, or return None if it is malformed. Cached, because the same links occur in many sentence pairs."""
    match = _POINT.fullmatch(token)
    return (int(match[1]), int(match[2])) if match else None
