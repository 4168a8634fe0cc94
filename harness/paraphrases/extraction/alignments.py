"""Reading parallel text and its word alignments: three files, read in step and never as a whole.

Alignments are in the format of Pharaoh, `0-0 1-2`: which word of the source is aligned to which of the target, from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from harness.files.lines import decode_line, open_lines
from pyramid_paraphrase.errors import InputError

MAX_SENTENCE_WORDS = 100
"""Words of a sentence; pairs with longer ones are left out, as aligners do: their alignments are rarely right."""

CHUNK_BYTES = 1 << 20
"""Bytes of text and alignments, more or less, that are handed over at a time."""

_POINT = re.compile(rb"(\d{1,9})-(\d{1,9})")
_SHOWN = 40
_SAME_LINES = "give files with a line for each sentence pair"


class ParallelText(NamedTuple):
    """Where a parallel text lies, each file plain or compressed.

    Attributes:
        source: Sentences, their words divided by blanks.
        target: Their translations.
        alignments: Which words are translations of each other.
    """

    source: Path
    target: Path
    alignments: Path


class Chunk(NamedTuple):
    """Consecutive lines of a parallel text.

    Attributes:
        first: Number of the first of them, 1-based.
        lines: Per sentence pair the line of the source, of the target, of the alignments.
        consumed: Bytes of the source's file, as it lies on the disk, that were read since the last chunk.
    """

    first: int
    lines: list[tuple[bytes, bytes, bytes]]
    consumed: int


class SentencePair(NamedTuple):
    """Two sentences that translate each other.

    Attributes:
        source: Words, as UTF-8.
        target: Words of the translation.
        points: Pairs of the place of a source word and the place of a target word that are aligned.
    """

    source: list[bytes]
    target: list[bytes]
    points: list[tuple[int, int]]


def read_chunks(text: ParallelText) -> Iterator[Chunk]:
    """Read a parallel text piece by piece.

    Raises:
        InputError: If a file cannot be read, or one has fewer lines than another.
        LimitError: If a line is too long.
    """
    with ExitStack() as stack:
        files = [stack.enter_context(open_lines(path, _SAME_LINES)) for path in text]
        first, size, told = 1, 0, 0
        lines: list[tuple[bytes, bytes, bytes]] = []
        for read in zip_longest(*files):
            source, target, alignment = read
            if source is None or target is None or alignment is None:
                raise _tell_which_ends(text, read, first + len(lines) - 1)
            lines.append((source, target, alignment))
            size += len(source) + len(target) + len(alignment)
            if size >= CHUNK_BYTES:
                yield Chunk(first, lines, files[0].tell() - told)
                first, size, told, lines = first + len(lines), 0, files[0].tell(), []
        yield Chunk(first, lines, files[0].tell() - told)


def _tell_which_ends(text: ParallelText, read: Sequence[bytes | None], count: int) -> InputError:
    """Describe that one of the files has no more lines, and another has."""
    short = text[[line is None for line in read].index(True)]
    longer = text[[line is None for line in read].index(False)]
    return InputError(str(short), f"ends after {count:,} lines, and {longer} goes on", _SAME_LINES)


def parse_sentence(line: bytes, file: str, number: int, *, keep_case: bool) -> list[bytes]:
    """Split a line into its words, in lower case unless asked not to.

    Raises:
        InputError: If it is no UTF-8.
    """
    text = decode_line(line, file, number)
    return (line if keep_case else text.lower().encode()).split()


def parse_points(line: bytes, file: str, number: int, lengths: tuple[int, int]) -> list[tuple[int, int]]:
    """Parse the alignment of a sentence pair.

    Args:
        line: Such as ``0-0 1-2``.
        file: Where it is from.
        number: Its line.
        lengths: Number of words of source and target.

    Raises:
        InputError: If it is malformed, or names a word that is not there.
    """
    points = []
    for token in line.split():
        point = _parse_point(token)
        if point is None:
            shown = ascii(token[:_SHOWN].decode("utf-8", "replace"))
            raise InputError(file, f"{shown} is no pair of words", "write it as in 0-0 1-2", number)
        if point[0] >= lengths[0] or point[1] >= lengths[1]:
            reason = (
                f"{point[0]}-{point[1]} is beyond the words, {lengths[0]} of the source and {lengths[1]} of the target"
            )
            raise InputError(
                file, reason, "count from 0, source first, words divided by blanks as when aligned", number
            )
        points.append(point)
    return points


@lru_cache(maxsize=1 << 14)
def _parse_point(token: bytes) -> tuple[int, int] | None:
    found = _POINT.fullmatch(token)
    return (int(found[1]), int(found[2])) if found else None
