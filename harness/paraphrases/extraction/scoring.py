"""Scores of phrase pairs: probabilities and lexical weights, written as lines of a phrase table.

Counts are discounted as in Moses: Good-Turing and Kneser-Ney (Foster, Kuhn and Johnson, 2006). Each column is rendered
as a list of texts, then the columns are joined to lines.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.writing import GZIP_LEVEL
from harness.paraphrases.extraction.encoding import read_words
from harness.paraphrases.extraction.packing import Columns, Layout, list_points, unpack_phrases
from harness.paraphrases.extraction.phrase_pairs import arrange_fields, unpack_weights
from harness.paraphrases.sorting import find_starts
from pyramid_paraphrase.errors import OptionError, cannot_write

Discount = Literal["good-turing", "kneser-ney"]
DISCOUNTS: tuple[Discount, ...] = ("good-turing", "kneser-ney")

_LARGEST_DISCOUNTED = 8
"""Largest count that Good-Turing discounts."""
_SMOOTHING = 0.1
"""Number that Good-Turing adds to the numbers of phrase pairs, so that none is 0."""
_FLOOR = 0.01
"""Smallest factor of Good-Turing."""

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


class PhraseCounts(NamedTuple):
    """Counts of phrase pairs, as arrays with an element per pair.

    Attributes:
        joint: Number of occurrences of the pair.
        source: Number of occurrences of its source phrase.
        target: Number of occurrences of its target phrase.
        source_distinct: Number of distinct targets of the source phrase.
        target_distinct: Number of distinct sources of the target phrase.
    """

    joint: Counts
    source: Counts
    target: Counts
    source_distinct: Counts
    target_distinct: Counts


class CountStatistics(NamedTuple):
    """The distribution of the counts of phrase pairs.

    Attributes:
        distinct: Number of distinct phrase pairs.
        sizes: Number of distinct phrase pairs that occur 0, 1, 2, ... times.
    """

    distinct: int
    sizes: tuple[int, ...]


def estimate_probabilities(
    counts: PhraseCounts, discount: Discount | None, statistics: CountStatistics
) -> tuple[Floats, Floats]:
    """Estimate p(source|target) and p(target|source) as relative frequencies, with or without a discount.

    Good-Turing multiplies a joint count c of at most 8 by (c + 1) (n(c + 1) + 0.1) / (c (n(c) + 0.1)), where n(c) is
    the number of phrase pairs that occur c times. The factor is at most 1, and at least the factor of c - 1.

    Kneser-Ney subtracts D1, D2 or D3 from counts of 1, 2, and 3 or more. These are the discounts of Chen and Goodman
    (1998), at most 0.9, 1.9 and 2.9. The mass that is subtracted for a phrase is redistributed to its translations, in
    proportion to the share of each translation in all distinct phrase pairs.

    Raises:
        OptionError: If the text is too small for the discounts of Kneser-Ney.
    """
    if discount == "kneser-ney":
        return _interpolate(counts, statistics)
    joint = counts.joint.astype(np.float64)
    if discount == "good-turing":
        factors = np.ones(_LARGEST_DISCOUNTED + 2)
        factors[1:-1] = list_good_turing_factors(statistics.sizes)
        joint = joint * factors[np.minimum(counts.joint, _LARGEST_DISCOUNTED + 1)]
    return joint / counts.target, joint / counts.source


def list_good_turing_factors(sizes: tuple[int, ...]) -> list[float]:
    """List the Good-Turing factors of the counts from 1 to 8."""
    factors = [_FLOOR]
    for count in range(1, _LARGEST_DISCOUNTED + 1):
        factor = (count + 1) / count * (sizes[count + 1] + _SMOOTHING) / (sizes[count] + _SMOOTHING)
        factors.append(max(min(factor, 1.0), factors[-1]))
    return factors[1:]


def list_kneser_ney_discounts(sizes: tuple[int, ...]) -> tuple[float, float, float]:
    """List the Kneser-Ney discounts D1, D2 and D3, for counts of 1, of 2, and of 3 or more.

    Raises:
        OptionError: If no phrase pair occurs once, no phrase pair occurs twice, or none occurs three times.
    """
    once, twice, thrice, fourfold = sizes[1:5]
    if not once or not twice or not thrice:
        reason = "--discount kneser-ney requires phrase pairs that occur once, twice and three times"
        raise OptionError(f"{reason}. Use a larger text, or another discount")
    share = once / (once + 2 * twice)
    return (
        min(1 - 2 * share * twice / once, 0.9),
        min(2 - 3 * share * thrice / twice, 1.9),
        min(3 - 4 * share * fourfold / thrice, 2.9),
    )


def _interpolate(counts: PhraseCounts, statistics: CountStatistics) -> tuple[Floats, Floats]:
    """Estimate both probabilities from counts with the discount of Kneser-Ney."""
    by_count = np.array([0.0, *list_kneser_ney_discounts(statistics.sizes)])
    subtracted = by_count[np.minimum(counts.joint, 3)]
    redistributed = subtracted * counts.source_distinct * counts.target_distinct / statistics.distinct
    joint = counts.joint - subtracted + redistributed
    return joint / counts.target, joint / counts.source


@dataclass(frozen=True)
class ExtractionRules:
    """The rules of extraction.

    Attributes:
        max_words: Maximum number of words of a phrase, on either side.
        min_count: Minimum number of occurrences of a phrase pair. Rarer pairs are not written, but count in the
            probabilities.
        keep_case: Whether words keep their case. Otherwise they are lower-cased.
        discount: Name of the discount of the counts of phrase pairs, or None.
    """

    max_words: int = 7
    min_count: int = 1
    keep_case: bool = False
    discount: Discount | None = None


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


@dataclass(frozen=True)
class Scoring:
    """The settings and statistics to score and render phrase pairs in any process.

    Attributes:
        folder: Folder of the vocabularies.
        layout: Layout of the rows.
        rules: The rules of extraction.
        statistics: Statistics of all phrase pairs.
        compressed: Whether to compress the lines.
    """

    folder: Path
    layout: Layout
    rules: ExtractionRules
    statistics: CountStatistics
    compressed: bool


def write_lines(rows: Columns, path: Path, scoring: Scoring) -> int:
    """Score phrase pairs, and write them as lines of a phrase table.

    Args:
        rows: Rows of `count_rows`, sorted by source and target.
        path: File to write.
        scoring: The settings and statistics.

    Returns:
        The number of lines.

    Raises:
        OptionError: If the text is too small for the discount.
        OutputError: If the file cannot be written.
    """
    lines = _score_rows(rows, scoring)
    try:
        with path.open("wb") as file:
            for block in render_lines(lines, scoring.folder, scoring.layout):
                # Each block is a separate gzip member, so that processes can compress in parallel.
                file.write(gzip.compress(block, GZIP_LEVEL, mtime=0) if scoring.compressed else block)
    except OSError as error:
        raise cannot_write(scoring.folder, error) from None
    return len(lines.source)


def _score_rows(rows: Columns, scoring: Scoring) -> TableLines:
    """Compute the scores of phrase pairs, which are sorted by source, and drop rare phrase pairs."""
    fields = arrange_fields(scoring.layout)
    joint, target, target_distinct = rows[:, fields.numbers : fields.numbers + 3].T.astype(np.int64)
    starts = find_starts(rows[:, fields.source])
    sizes = np.diff(np.append(starts, len(rows)))
    source = np.repeat(np.add.reduceat(joint, starts), sizes) if len(rows) else joint
    counts = PhraseCounts(joint, source, target, np.repeat(sizes, sizes), target_distinct)
    given_target, given_source = estimate_probabilities(counts, scoring.rules.discount, scoring.statistics)
    source_weights, target_weights = unpack_weights(rows[:, -1])
    kept = joint >= scoring.rules.min_count
    scores = tuple(values[kept] for values in (given_target, source_weights, given_source, target_weights))
    return TableLines(
        rows[kept][:, fields.source],
        rows[kept][:, fields.target],
        rows[kept][:, fields.alignment],
        scores,
        (target[kept], source[kept], joint[kept]),
    )
