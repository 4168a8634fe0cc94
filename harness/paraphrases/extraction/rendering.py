"""Rendering of phrase tables: each column is rendered as a list of texts, then the columns are joined to lines."""

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
"""Number of lines that are rendered at once. It bounds the memory for their texts."""

_SEPARATOR = b"\t"
"""Separator of texts that are rendered at once."""

_FORMATS = {np.dtype(np.float64): b"%.9g\t", np.dtype(np.float32): b"%.6g\t", np.dtype(np.int64): b"%d\t"}
"""Formats of numbers. Probabilities have nine digits. Lexical weights have as many digits as in Moses."""

_LINE = b"%b ||| %b ||| %b %b %b %b ||| %b ||| %b %b %b\n"


class TableLines(NamedTuple):
    """The columns of a phrase table, with an element or row per phrase pair.

    Attributes:
        source: Packed source phrases.
        target: Packed target phrases.
        alignment: Packed alignments.
        scores: p(source|target), lexical weight of the source, p(target|source), and lexical weight of the target.
        counts: Numbers of occurrences of the target, of the source, and of the pair.
    """

    source: Columns
    target: Columns
    alignment: Columns
    scores: tuple[NDArray[np.floating], ...]
    counts: tuple[NDArray[np.int64], ...]


def render_lines(lines: TableLines, folder: Path, layout: Layout) -> Iterator[bytes]:
    """Render lines of a phrase table in the format of Moses.

    Args:
        lines: The phrase pairs.
        folder: Folder of the vocabularies, which `LexiconBuilder` wrote.
        layout: Layout of the packed phrases and alignments.

    Yields:
        Blocks of up to `LINES_AT_ONCE` whole lines.
    """
    for first in range(0, len(lines.source), LINES_AT_ONCE):
        yield _render_block(_slice_lines(lines, slice(first, first + LINES_AT_ONCE)), folder, layout)


def _slice_lines(lines: TableLines, rows: slice) -> TableLines:
    source, target, alignment, scores, counts = lines
    scores = tuple(values[rows] for values in scores)
    return TableLines(source[rows], target[rows], alignment[rows], scores, tuple(values[rows] for values in counts))


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
    """Render phrases. The words of all phrases are joined at once, and the result is split into phrases."""
    words = unpack_phrases(phrases, layout)
    present = np.zeros(words.max(initial=0) + 1, bool)
    present[words] = True
    distinct = np.flatnonzero(present[1:]) + 1
    end = len(present)
    texts = np.full(end + 1, _SEPARATOR, object)
    texts[distinct] = [b" " + word for word in read_words(folder, side, distinct)]
    pieces = np.full((len(words), layout.max_words + 1), end)
    pieces[:, :-1] = words
    joined = b"".join(texts[pieces[pieces > 0]].tolist())
    # Drop the space before the first phrase and the separator after the last phrase.
    return joined[1:-1].split(_SEPARATOR + b" ")


def _render_numbers(numbers: NDArray[Any]) -> list[bytes]:
    distinct, positions = np.unique(numbers, return_inverse=True)
    # A single format for all numbers takes half the time of a format per number.
    texts = (_FORMATS[numbers.dtype] * len(distinct) % tuple(distinct.tolist())).split(_SEPARATOR)
    return np.array(texts, object)[positions].tolist()


def _render_alignments(alignments: Columns, layout: Layout) -> list[bytes]:
    if alignments.shape[1] == 1:  # NumPy sorts numbers faster than rows
        distinct, positions = np.unique(alignments[:, 0], return_inverse=True)
    else:
        distinct, positions = np.unique(alignments, axis=0, return_inverse=True)
    codes = map(tuple, distinct.reshape(-1, alignments.shape[1]).tolist())
    texts = np.array([_render_alignment(code, layout) for code in codes], object)
    return texts[positions.ravel()].tolist()


@lru_cache(maxsize=1 << 15)
def _render_alignment(code: tuple[int, ...], layout: Layout) -> bytes:
    return b" ".join(b"%d-%d" % point for point in list_points(code, layout))
