"""Lines of phrase tables, rendered many at a time: every line is a sequence of pieces, which are gathered at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.paraphrases.extraction.lexicons import read_words
from harness.paraphrases.extraction.packing import Columns, Layout, list_points, unpack_phrases

LINES_AT_ONCE = 1 << 13

_DIVIDER = b"\t"
"""What divides pieces that are rendered at once."""

_TEMPLATES = {np.dtype(np.float64): b"%.9g \t", np.dtype(np.float32): b"%.6g \t"}
"""How numbers are written: as many digits as their type holds for certain, and for lexical weights as many as Moses."""

_Pieces = NDArray[np.int32]


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
    scores: tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]
    counts: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


class _Pool:
    """Distinct pieces of text, each with a number."""

    def __init__(self) -> None:
        self._texts: list[bytes] = [b""]

    def add(self, texts: Iterable[bytes]) -> int:
        """Add texts, and return the number of the first."""
        first = len(self._texts)
        self._texts += texts
        return first

    def render(self, pieces: _Pieces) -> Iterator[bytes]:
        """Render rows of pieces, some at a time."""
        text = np.frombuffer(b"".join(self._texts), np.uint8)
        lengths = np.array([len(piece) for piece in self._texts], np.int32)
        starts = np.cumsum(lengths, dtype=np.int32) - lengths
        for first in range(0, len(pieces), LINES_AT_ONCE):
            numbers = pieces[first : first + LINES_AT_ONCE].ravel()
            sizes = lengths[numbers]
            ends = np.cumsum(sizes, dtype=np.int32)
            places = np.repeat(starts[numbers] - (ends - sizes), sizes)
            places += np.arange(len(places), dtype=np.int32)
            yield text[places].tobytes()


def render_lines(lines: TableLines, folder: Path, layout: Layout) -> Iterator[bytes]:
    """Render lines of a phrase table as Moses writes them.

    Args:
        lines: The phrase pairs.
        folder: Folder with the vocabularies that the lexicon wrote.
        layout: Layout of the packed phrases and alignments.

    Yields:
        Whole lines, many at a time.
    """
    pool = _Pool()
    bar = np.full((len(lines.source), 1), pool.add([b"||| "]), np.int32)
    columns = [
        _add_words(pool, unpack_phrases(lines.source, layout), folder, "source"),
        bar,
        _add_words(pool, unpack_phrases(lines.target, layout), folder, "target"),
        bar,
        *(_add_values(pool, values, _TEMPLATES[values.dtype]) for values in lines.scores),
        bar,
        _add_alignments(pool, lines.alignment, layout),
        *(_add_values(pool, values, b"%d \t") for values in lines.counts[:-1]),
        _add_values(pool, lines.counts[-1], b"%d\n\t"),
    ]
    return pool.render(np.hstack(columns))


def _add_words(pool: _Pool, words: NDArray[np.int64], folder: Path, side: str) -> _Pieces:
    present = np.zeros(words.max(initial=0) + 1, bool)
    present[words] = True
    distinct = np.flatnonzero(present[1:]) + 1
    texts = [b"%b " % word for word in read_words(folder, side, distinct)]
    pieces = np.zeros(len(present), np.int32)  # 0, behind the end of a phrase, is the empty piece
    pieces[distinct] = pool.add(texts) + np.arange(len(texts), dtype=np.int32)
    return pieces[words]


def _add_values(pool: _Pool, values: NDArray[Any], template: bytes) -> _Pieces:
    distinct, places = np.unique(values, return_inverse=True)
    # One formatting of all values takes half the time of a formatting of each.
    texts = (template * len(distinct) % tuple(distinct.tolist())).split(_DIVIDER)[:-1]
    return (places.reshape(-1, 1) + pool.add(texts)).astype(np.int32)


def _add_alignments(pool: _Pool, alignments: Columns, layout: Layout) -> _Pieces:
    if alignments.shape[1] == 1:
        distinct, places = np.unique(alignments[:, 0], return_inverse=True)
        distinct = distinct.reshape(-1, 1)
    else:
        distinct, places = np.unique(alignments, axis=0, return_inverse=True)
    points = (list_points(code, layout) for code in distinct.tolist())
    first = pool.add(b" ".join(b"%d-%d" % point for point in listed) + b" ||| " for listed in points)
    return (places.reshape(-1, 1) + first).astype(np.int32)
