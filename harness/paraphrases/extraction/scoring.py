"""Scores of phrase pairs: probabilities and lexical weights, written as lines of a phrase table.

Counts are discounted as in Moses: Good-Turing and Kneser-Ney (Foster, Kuhn and Johnson, 2006). Each column is rendered
as a list of texts, then the columns are joined to lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import TextList
from harness.paraphrases.extraction.packing import Columns, Layout, list_points, unpack_phrases
from harness.paraphrases.extraction.phrase_pairs import unpack_weights
from harness.paraphrases.sorting import find_starts
from harness.support.arrays import Floats
from pyramid_paraphrase.errors import OptionError, cannot_write
from pyramid_paraphrase.files.archives import compress_pieces

Discount = Literal["good-turing", "kneser-ney"]
DISCOUNTS: tuple[Discount, ...] = ("good-turing", "kneser-ney")

_LARGEST_DISCOUNTED = 8
"""Largest count that Good-Turing discounts."""
_SMOOTHING = 0.1
"""Number that Good-Turing adds to the numbers of phrase pairs, so that none is 0."""
_FLOOR = 0.01
"""Smallest factor of Good-Turing."""

Counts = NDArray[np.int64]


def estimate_probabilities(
    counts: Counts, discount: Discount | None, distinct: int, sizes: tuple[int, ...]
) -> tuple[Floats, Floats]:
    """Estimate p(source|target) and p(target|source) as relative frequencies, with or without a discount.

    Good-Turing multiplies a joint count c of at most 8 by (c + 1) (n(c + 1) + 0.1) / (c (n(c) + 0.1)), where n(c) is
    the number of phrase pairs that occur c times. The factor is at most 1, and at least the factor of c - 1.

    Kneser-Ney subtracts D1, D2 or D3 from counts of 1, 2, and 3 or more. These are the discounts of Chen and Goodman
    (1998), at most 0.9, 1.9 and 2.9. The mass that is subtracted for a phrase is redistributed to its translations, in
    proportion to the share of each translation in all distinct phrase pairs.

    Args:
        counts: Shape (5, pairs): numbers of occurrences of the pair, of its source phrase, and of its target phrase,
            and numbers of distinct targets of the source phrase and of distinct sources of the target phrase.
        discount: Name of the discount, or None.
        distinct: Number of distinct phrase pairs of the text.
        sizes: Number of distinct phrase pairs of the text that occur 0, 1, 2, ... times.

    Raises:
        OptionError: If the text is too small for the discounts of Kneser-Ney.
    """
    occurrences, source, target, source_distinct, target_distinct = counts
    joint = occurrences.astype(np.float64)
    if discount == "good-turing":
        factors = np.ones(_LARGEST_DISCOUNTED + 2)
        factors[1:-1] = list_good_turing_factors(sizes)
        joint *= factors[np.minimum(occurrences, _LARGEST_DISCOUNTED + 1)]
    elif discount == "kneser-ney":
        by_count = np.array([0.0, *list_kneser_ney_discounts(sizes)])
        subtracted = by_count[np.minimum(occurrences, 3)]
        redistributed = subtracted * source_distinct * target_distinct / distinct
        joint = occurrences - subtracted + redistributed
    return joint / target, joint / source


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


def _render_phrases(phrases: Columns, folder: Path, side: str, layout: Layout) -> list[bytes]:
    """Render phrases. The words of all phrases are joined at once, and the result is split into phrases."""
    words = unpack_phrases(phrases, layout)
    present = np.zeros(words.max(initial=0) + 1, bool)
    present[words] = True
    distinct = np.flatnonzero(present[1:]) + 1
    end = len(present)
    texts = np.full(end + 1, _SEPARATOR, object)
    texts[distinct] = [b" " + word for word in TextList.open(folder / side).read(distinct - 1)]
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


def _render_alignments(alignments: Columns, max_words: int) -> list[bytes]:
    if alignments.shape[1] == 1:  # NumPy sorts numbers faster than rows
        distinct, positions = np.unique(alignments[:, 0], return_inverse=True)
    else:
        distinct, positions = np.unique(alignments, axis=0, return_inverse=True)
    codes = map(tuple, distinct.reshape(-1, alignments.shape[1]).tolist())
    texts = np.array([_render_alignment(code, max_words) for code in codes], object)
    return texts[positions.ravel()].tolist()


@lru_cache(maxsize=1 << 15)
def _render_alignment(code: tuple[int, ...], max_words: int) -> bytes:
    return b" ".join(b"%d-%d" % point for point in list_points(code, max_words))


@dataclass(frozen=True)
class Scoring:
    """The settings and statistics to score and render phrase pairs in any process.

    Attributes:
        folder: Folder of the vocabularies.
        layout: Layout of the rows.
        rules: The rules of extraction.
        distinct: Number of distinct phrase pairs.
        count_sizes: Number of distinct phrase pairs that occur 0, 1, 2, ... times.
        compressed: Whether to compress the lines.
    """

    folder: Path
    layout: Layout
    rules: ExtractionRules
    distinct: int
    count_sizes: tuple[int, ...]
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
    kept, numbers = _score_rows(rows, scoring)
    try:
        with path.open("wb") as file:
            for first in range(0, len(kept), LINES_AT_ONCE):
                block = slice(first, first + LINES_AT_ONCE)
                lines = _render_block(kept[block], [values[block] for values in numbers], scoring)
                # Each block is a separate gzip member, so that processes can compress in parallel.
                file.write(compress_pieces([lines]) if scoring.compressed else lines)
    except OSError as error:
        raise cannot_write(scoring.folder, error) from None
    return len(kept)


def _score_rows(rows: Columns, scoring: Scoring) -> tuple[Columns, list[NDArray[Any]]]:
    """Compute the scores of phrase pairs, which are sorted by source, and drop rare phrase pairs.

    Returns:
        The remaining rows, and the columns of their numbers in the order of a line: p(source|target), lexical weight of
        the source, p(target|source), and lexical weight of the target. Then the numbers of occurrences of the target,
        of the source, and of the pair.
    """
    layout = scoring.layout
    joint, target, target_distinct = rows[:, layout.numbers : layout.numbers + 3].T.astype(np.int64)
    starts = find_starts(rows[:, layout.source])
    sizes = np.diff(np.append(starts, len(rows)))
    source = np.repeat(np.add.reduceat(joint, starts), sizes) if len(rows) else joint
    counts = np.stack([joint, source, target, np.repeat(sizes, sizes), target_distinct])
    given_target, given_source = estimate_probabilities(
        counts, scoring.rules.discount, scoring.distinct, scoring.count_sizes
    )
    source_weights, target_weights = unpack_weights(rows[:, -1])
    kept = joint >= scoring.rules.min_count
    numbers = (given_target, source_weights, given_source, target_weights, target, source, joint)
    return rows[kept], [values[kept] for values in numbers]


def _render_block(rows: Columns, numbers: list[NDArray[Any]], scoring: Scoring) -> bytes:
    """Render lines in the format of Moses, of the rows and the numbers that `_score_rows` returns."""
    layout = scoring.layout
    texts = [_render_numbers(values) for values in numbers]
    columns = (
        _render_phrases(rows[:, layout.source], scoring.folder, "source", layout),
        _render_phrases(rows[:, layout.target], scoring.folder, "target", layout),
        *texts[:4],
        _render_alignments(rows[:, layout.alignment], layout.max_words),
        *texts[4:],
    )
    return b"".join(map(_LINE.__mod__, zip(*columns, strict=True)))
