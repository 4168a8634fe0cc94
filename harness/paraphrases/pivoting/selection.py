"""Selection of paraphrases: sums of products, filters, and the most probable paraphrases of each phrase."""

from __future__ import annotations

import gzip
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import map_rows
from harness.files.writing import GZIP_LEVEL
from harness.paraphrases.pivoting.numbering import Numbering, Numbers, list_filters
from harness.paraphrases.pivoting.products import UNIT, PairRun, sum_pairs
from harness.paraphrases.pivoting.rules import PivotRules
from harness.paraphrases.sorting import Range, divide_files, divide_keys, find_borders, read_range
from pyramid_paraphrase.errors import cannot_write

MAX_PAIRS = 1 << 17
"""Approximate number of pairs that are processed at once. Pairs of the same phrase may be more."""

IMPROBABLE, BEYOND = "improbable", "beyond the most probable of a phrase"
"""Reasons why paraphrases are left out, in addition to the filters."""

_PAIR_COLUMNS = 2
_SHIFT = np.uint64(32)
_LOW_HALF = np.uint64(0xFFFFFFFF)


class Selected(NamedTuple):
    """A file with lines of paraphrases.

    Attributes:
        path: The file.
        left_out: Number of left-out pairs, by reason.
        written: Number of lines.
        phrases: Number of phrases with paraphrases.
        summed: Number of pairs in the runs.
    """

    path: Path
    left_out: Counter[str]
    written: int
    phrases: int
    summed: int


def divide_pairs(runs: Sequence[PairRun]) -> Iterator[Range]:
    """Divide the pairs of all runs by phrase into ranges that fit into memory."""
    borders = np.unique(find_borders([run.sample for run in runs], MAX_PAIRS) >> _SHIFT) << _SHIFT
    return divide_files([divide_keys(map_rows(run.path, _PAIR_COLUMNS)[:, 0], borders) for run in runs])


class _Pairs(NamedTuple):
    """Pairs of phrases.

    Attributes:
        phrases: Number of the phrase.
        paraphrases: Number of the paraphrase.
        units: Probability in multiples of 1 / `UNIT`.
    """

    phrases: Numbers
    paraphrases: Numbers
    units: NDArray[np.uint64]

    def keep(self, rows: NDArray[np.bool_] | Numbers) -> _Pairs:
        """Return the pairs at the given rows."""
        return _Pairs(self.phrases[rows], self.paraphrases[rows], self.units[rows])


def select_range(
    pairs: Range, runs: Sequence[Path], numbering: Numbering, rules: PivotRules, compressed: bool
) -> Selected:
    """Select the paraphrases of a range of phrases, and write their lines to a file in the folder of the runs.

    Raises:
        OutputError: If the file cannot be written.
    """
    rows = read_range(runs, pairs, _PAIR_COLUMNS)
    sums = sum_pairs(rows)
    kept = _Pairs((sums[:, 0] >> _SHIFT).astype(np.int64), (sums[:, 0] & _LOW_HALF).astype(np.int64), sums[:, 1])
    left_out = Counter[str]()
    is_probable = kept.units >= np.uint64(math.ceil(rules.min_probability * UNIT))
    left_out[IMPROBABLE] = int(len(kept.units) - is_probable.sum())
    kept = _filter(kept.keep(is_probable), numbering, rules, left_out)
    kept = _keep_best(kept, rules, left_out)
    path = runs[0].with_name(f"lines-{pairs.name}")
    lines = _render(kept, numbering, rules)
    try:
        path.write_bytes(gzip.compress(lines, GZIP_LEVEL, mtime=0) if compressed else lines)
    except OSError as error:
        raise cannot_write(path.parent, error) from None
    return Selected(path, left_out, len(kept.phrases), len(np.unique(kept.phrases)), len(rows))


def _filter(pairs: _Pairs, numbering: Numbering, rules: PivotRules, left_out: Counter[str]) -> _Pairs:
    """Apply the filters. Words are compared only for pairs with equal keys."""
    filters = list_filters(rules)
    if not filters or not len(pairs.phrases):
        return pairs
    numbers, positions = np.unique(np.stack(pairs[:2]), return_inverse=True)
    sides, keys = positions.reshape(2, -1), numbering.read_keys(numbers)
    has_equal_keys = keys[:, sides[0]] == keys[:, sides[1]]
    is_kept = np.ones(len(pairs.phrases), bool)
    needed = np.unique(sides[:, has_equal_keys.any(axis=0)])
    texts = (phrase.decode().split(" ") for phrase in numbering.read_phrases(numbers[needed]))
    words = dict(zip(needed.tolist(), texts, strict=True))
    for pair_filter, is_candidate in zip(filters, has_equal_keys, strict=True):
        candidates = np.flatnonzero(is_candidate & is_kept)
        pairs_of_places = zip(*sides[:, candidates].tolist(), strict=True)
        matches = [pair_filter.matches(words[first], words[second]) for first, second in pairs_of_places]
        is_kept[candidates[np.array(matches, bool)]] = False
        left_out[pair_filter.text] = sum(matches)
    return pairs.keep(is_kept)


def _keep_best(pairs: _Pairs, rules: PivotRules, left_out: Counter[str]) -> _Pairs:
    """Keep the most probable paraphrases of each phrase, sorted by probability. Ties are sorted by bytes."""
    if rules.has_probabilities:
        pairs = pairs.keep(np.lexsort((pairs.paraphrases, np.uint64(UNIT) - pairs.units, pairs.phrases)))
    firsts = np.searchsorted(pairs.phrases, pairs.phrases)
    is_best = np.arange(len(firsts)) - firsts < rules.max_paraphrases
    left_out[BEYOND] = int(len(is_best) - is_best.sum())
    return pairs.keep(is_best)


def _render(pairs: _Pairs, numbering: Numbering, rules: PivotRules) -> bytes:
    if not len(pairs.phrases):
        return b""
    numbers, positions = np.unique(np.stack(pairs[:2]), return_inverse=True)
    texts = numbering.read_phrases(numbers)
    sides = positions.reshape(2, -1).tolist()
    phrases, paraphrases = ([texts[position] for position in side] for side in sides)
    if not rules.has_probabilities:
        return b"".join(b"%b\t%b\t1\n" % pair for pair in zip(phrases, paraphrases, strict=True))
    probabilities = (units / UNIT for units in pairs.units.tolist())
    return b"".join(b"%b\t%b\t%.6g\n" % line for line in zip(phrases, paraphrases, probabilities, strict=True))
