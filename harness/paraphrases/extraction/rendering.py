"""Lines of phrase tables: each column becomes a list of texts, and the lines are joined from the columns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.paraphrases.extraction.lexicons import read_words
from harness.paraphrases.extraction.packing import Columns, Layout, list_points, unpack_phrases

LINES_AT_ONCE = 1 << 14
"""Number of lines that are rendered at once, which bounds the memory of their texts."""

_DIVIDER = b"\t"
"""Divides texts that are rendered at once."""

_FORMATS = {np.dtype(np.float64): b"%.9g\t", np.dtype(np.float32): b"%.6g\t", np.dtype(np.int64): b"%d\t"}
"""Formats of numbers. Probabilities are exact to nine digits. Lexical weights have as many digits as those of Moses."""

_LINE = b"%b ||| %b ||| %b %b %b %b ||| %b ||| %b %b %b\n"


class TableLines(NamedTuple):
    """The columns of a phrase table, an element or row per phrase pair.

    Attributes:
        source: Packed source phrases.
        target: Packed target phrases.
        alignment: Packed alignments.
        scores: p(source|target), lexical weight of the source, p(target|source), lexical weight of the target.
        counts: Number of occurrences of the target, of the source, and of both.
    """

    source: Columns
    target: Columns
    alignment: Columns
    scores: tuple[NDArray[np.floating], ...]
    counts: tuple[NDArray[np.int64], ...]


def render_lines(lines: TableLines, folder: Path, layout: Layout) -> Iterator[bytes]:
    """Render lines of a phrase table as Moses writes them.

    Args:
        lines: The phrase pairs.
        folder: Folder with the vocabularies that the lexicon wrote.
        layout: Layout of the packed phrases and alignments.

    Yields:
        Whole lines, many at a time.
    """
    for first in range(0, len(lines.source), LINES_AT_ONCE):
        yield _render_block(_slice_lines(lines, slice(first, first + LINES_AT_ONCE)), folder, layout)


def _slice_lines(lines: TableLines, kept: slice) -> TableLines:
    source, target, alignment, scores, counts = lines
    scores = tuple(values[kept] for values in scores)
    return TableLines(source[kept], target[kept], alignment[kept], scores, tuple(values[kept] for values in counts))


def _render_block(lines: TableLines, folder: Path, layout: Layout) -> bytes:
    columns = (
        _render_phrases(lines.source, folder, "source", layout),
        _render_phrases(lines.target, folder, "target", layout),
        *map(_render_numbers, lines.scores),
        _render_alignments(lines.alignment, layout),
        *map(_render_numbers, lines.counts),
    )
    return b"".join(map(_LINE.__mod__, zip(*columns, strict=True)))


def _render_phrases(phrases: Columns, folder: Path, side: str, layout: Layout) -> list[bytes]:
    words = unpack_phrases(phrases, layout)
    present = np.zeros(words.max(initial=0) + 1, bool)
    present[words] = True
    distinct = np.flatnonzero(present[1:]) + 1
    end = len(present)
    texts = np.full(end + 1, _DIVIDER, object)
    texts[distinct] = [b" " + word for word in read_words(folder, side, distinct)]
    pieces = np.full((len(words), layout.max_words + 1), end)
    pieces[:, :-1] = words
    joined = b"".join(texts[pieces[pieces > 0]].tolist())
    # Without the blank before the first phrase, and without the divider behind the last phrase.
    return joined[1:-1].split(_DIVIDER + b" ")


def _render_numbers(numbers: NDArray[Any]) -> list[bytes]:
    distinct, positions = np.unique(numbers, return_inverse=True)
    # A single format of all numbers takes half the time of a format of each number.
    texts = (_FORMATS[numbers.dtype] * len(distinct) % tuple(distinct.tolist())).split(_DIVIDER)
    return np.array(texts, object)[positions].tolist()


def _render_alignments(alignments: Columns, layout: Layout) -> list[bytes]:
    if alignments.shape[1] == 1:  # numbers are sorted faster than rows
        distinct, positions = np.unique(alignments[:, 0], return_inverse=True)
    else:
        distinct, positions = np.unique(alignments, axis=0, return_inverse=True)
    codes = map(tuple, distinct.reshape(-1, alignments.shape[1]).tolist())
    texts = np.array([_render_alignment(code, layout) for code in codes], object)
    return texts[positions.ravel()].tolist()


@lru_cache(maxsize=1 << 15)
def _render_alignment(code: tuple[int, ...], layout: Layout) -> bytes:
    return b" ".join(b"%d-%d" % point for point in list_points(code, layout))
