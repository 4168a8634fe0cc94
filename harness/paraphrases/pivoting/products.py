"""The terms of the sums of pivoting: products of probabilities of two phrases that share a translation.

The phrase pairs of a table are divided by pivot. Pairs of phrases with the same pivot are written with the products of
their probabilities, sorted by the numbers of the phrases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import load_arrays, save_rows
from harness.paraphrases.pivoting.numbering import Numbering, Numbers
from harness.paraphrases.pivoting.reading import ARRAYS, read_line
from harness.paraphrases.pivoting.rules import PivotRules
from harness.paraphrases.sorting import (
    Range,
    Rows,
    divide_runs,
    find_bucket_starts,
    find_starts,
    read_range,
    sample_keys,
)
from pyramid_paraphrase.errors import InputError, LimitError

UNIT = 10**18
"""Probabilities are summed as integer multiples of 1 / UNIT, so that sums do not depend on the order of terms."""

MAX_PAIRS_PER_PIVOT = 100_000_000
"""Maximum number of pairs of a pivot. It bounds time and disk space, because even a short table can have many pairs."""

MAX_ENTRIES = 1 << 16
"""Approximate number of phrase pairs that are multiplied at once. Pairs with the same pivot may be more."""

MAX_PRODUCTS = 1 << 18
"""Maximum number of products that are summed at once."""

_ENTRY_COLUMNS = 6
_PAIR_COLUMNS = 2
_SHIFT = np.uint64(32)
_LOW_BITS = np.uint64(30)
_LOW = np.uint64((1 << 30) - 1)


class EntryRun(NamedTuple):
    """The usable phrase pairs of a chunk in a file, sorted by bucket of the pivot.

    Attributes:
        path: File with the columns: two hashes of the pivot, number of the phrase, two probabilities, number of the
            line.
        starts: First row of each bucket, and finally the number of rows.
    """

    path: Path
    starts: Numbers


class PairRun(NamedTuple):
    """A file with distinct pairs of phrases and the sums of their products, sorted.

    Attributes:
        path: File with the columns: phrase and paraphrase as the two halves of a number, and the sum.
        pairs: Number of pairs.
        sample: First column of some pairs, from `sample_keys`.
    """

    path: Path
    pairs: int
    sample: NDArray[np.uint64]


def divide_chunk(chunk: tuple[int, Path], numbering: Numbering) -> EntryRun:
    """Write the phrase pairs of a chunk sorted by bucket of the pivot, and remove the file of the chunk.

    Args:
        chunk: Index of the chunk, and its file.
        numbering: Numbers of the phrases.
    """
    position, path = chunk
    high, low, phrases, *probabilities, lines = load_arrays(path, ARRAYS)
    path.unlink()
    rows = np.empty((len(high), _ENTRY_COLUMNS), np.uint64)
    rows[:, 0], rows[:, 1], rows[:, 5] = high, low, lines
    rows[:, 2] = numbering.number_chunk(position)[phrases]
    rows[:, 3], rows[:, 4] = (values.view(np.uint64) for values in probabilities)
    rows = rows[np.argsort(high)]
    starts = find_bucket_starts(rows[:, 0])
    run = path.with_name(f"{path.name}-run")
    save_rows(run, rows)
    return EntryRun(run, starts)


def divide_pivots(runs: Sequence[EntryRun]) -> Iterator[Range]:
    """Divide the buckets of all runs into ranges that fit into memory."""
    return divide_runs([run.starts for run in runs], MAX_ENTRIES)


class _Entries(NamedTuple):
    """Phrase pairs, sorted by pivot and phrase.

    Attributes:
        pivots: Index of the first phrase pair of each pivot.
        sizes: Number of phrase pairs of each pivot.
        phrases: Numbers of phrases.
        pivot_given_phrase: Probability of the pivot given the phrase.
        phrase_given_pivot: Probability of the phrase given the pivot.
        lines: Number of the line in the phrase table, 1-based.
    """

    pivots: Numbers
    sizes: Numbers
    phrases: NDArray[np.uint64]
    pivot_given_phrase: NDArray[np.float64]
    phrase_given_pivot: NDArray[np.float64]
    lines: NDArray[np.uint64]


def multiply_buckets(buckets: Range, runs: Sequence[Path], table: Path, rules: PivotRules) -> list[PairRun]:
    """Multiply the probabilities of all pairs of phrases that share a pivot, for a range of buckets.

    Raises:
        InputError: If a phrase pair is repeated.
        LimitError: If a pivot has more pairs than `MAX_PAIRS_PER_PIVOT`.
        OutputError: If a file cannot be written.
    """
    entries = _sort_entries(read_range(runs, buckets, _ENTRY_COLUMNS))
    _refuse_duplicates(entries, table)
    pair_runs = list[PairRun]()
    for products in _multiply(entries, table, rules):
        path = runs[0].with_name(f"pairs-{buckets.name}-{len(pair_runs)}")
        pairs = sum_pairs(products)
        save_rows(path, pairs)
        pair_runs.append(PairRun(path, len(pairs), sample_keys(pairs[:, 0])))
    return pair_runs


def _sort_entries(rows: Rows) -> _Entries:
    rows = rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))]
    pivots = find_starts(rows[:, :2])
    probabilities = np.ascontiguousarray(rows[:, 3:5].T).view(np.float64)
    sizes = np.diff(np.append(pivots, len(rows)))
    return _Entries(pivots, sizes, rows[:, 2], probabilities[0], probabilities[1], rows[:, 5])


def _refuse_duplicates(entries: _Entries, table: Path) -> None:
    """Check that the phrase table contains no phrase pair twice.

    Raises:
        InputError: If a phrase pair is repeated.
    """
    is_repeated = entries.phrases[1:] == entries.phrases[:-1]
    is_repeated[entries.pivots[1:] - 1] = False  # equal phrases of different pivots
    if is_repeated.any():
        positions = np.flatnonzero(is_repeated)
        line = int(np.maximum(entries.lines[positions], entries.lines[positions + 1]).min())
        source, target = read_line(table, line)
        reason = f"repeats the phrase pair {source!a} and {target!a}"
        raise InputError(str(table), reason, "merge the two lines, or remove one", line)


def _multiply(entries: _Entries, table: Path, rules: PivotRules) -> Iterator[Rows]:
    """Yield p(f|e1) p(e2|f) for all pairs of different phrases e1 and e2 that share a pivot f, in blocks.

    All products are numbered, and a block is a range of numbers. A binary search finds the row of e1 of each number,
    and the rest of the number selects e2 among the phrases with the same pivot.
    """
    least = rules.min_translation_probability
    owners = np.repeat(np.arange(len(entries.pivots)), entries.sizes)
    sources = np.flatnonzero(entries.pivot_given_phrase >= least)
    targets = np.flatnonzero(entries.phrase_given_pivot >= least)
    target_counts = np.bincount(owners[targets], minlength=len(entries.pivots))
    _require_few(entries, np.bincount(owners[sources], minlength=len(target_counts)), target_counts, table)
    first_targets = np.cumsum(target_counts) - target_counts
    counts = target_counts[owners[sources]]
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    for first in range(0, total, MAX_PRODUCTS):
        numbers = np.arange(first, min(first + MAX_PRODUCTS, total))
        rows = np.searchsorted(ends, numbers, "right")
        left = sources[rows]
        right = targets[first_targets[owners[left]] + numbers - (ends[rows] - counts[rows])]
        different = left != right
        left, right = left[different], right[different]
        products = entries.pivot_given_phrase[left] * entries.phrase_given_pivot[right] * UNIT
        units = np.rint(products).astype(np.uint64)
        yield np.stack([(entries.phrases[left] << _SHIFT) | entries.phrases[right], units], axis=1)


def _require_few(entries: _Entries, sources: Numbers, targets: Numbers, table: Path) -> None:
    """Check the number of pairs of each pivot.

    Raises:
        LimitError: If a pivot has more than `MAX_PAIRS_PER_PIVOT` pairs.
    """
    too_many = np.flatnonzero(sources * targets > MAX_PAIRS_PER_PIVOT)
    if len(too_many):
        pivot = too_many[0]
        line = int(entries.lines[entries.pivots[pivot]])
        source, target = read_line(table, line)
        phrases = f"{source[:40]!a} or {target[:40]!a}"
        pairs = f"{sources[pivot]:,} times {targets[pivot]:,} pairs"
        reason = f"the pivot {phrases} makes {pairs}, more than the limit of {MAX_PAIRS_PER_PIVOT:,}"
        raise LimitError(str(table), reason, "raise --min-translation-probability", line)


def sum_pairs(pairs: Rows) -> Rows:
    """Sum the products of each pair of phrases. The result is sorted by phrase and paraphrase. Sums are at most 1."""
    pairs = pairs[np.argsort(pairs[:, 0])]
    starts = find_starts(pairs[:, :1])
    sums = np.empty((len(starts), _PAIR_COLUMNS), np.uint64)
    sums[:, 0] = pairs[starts, 0]
    if len(starts) == len(pairs):
        sums[:, 1] = pairs[:, 1]
    elif len(starts):
        # The sum of 19 products of 1 overflows 64 bits, so high and low bits are summed separately.
        high = np.add.reduceat(pairs[:, 1] >> _LOW_BITS, starts)
        low = np.add.reduceat(pairs[:, 1] & _LOW, starts)
        high = np.minimum(high + (low >> _LOW_BITS), np.uint64(UNIT >> 29))
        sums[:, 1] = np.minimum((high << _LOW_BITS) | (low & _LOW), np.uint64(UNIT))
    return sums
