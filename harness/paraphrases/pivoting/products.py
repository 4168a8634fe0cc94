"""The terms of pivoting: products of the probabilities of two phrases that share a translation.

The phrase pairs of a table are divided by pivot, multiplied, and written as pairs of phrases, sorted by their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import load_arrays, load_rows, save_rows
from harness.paraphrases.pivoting.numbering import Numbering, Numbers
from harness.paraphrases.pivoting.reading import ARRAYS, read_line
from harness.paraphrases.pivoting.rules import PivotRules
from pyramid_paraphrase.errors import InputError, LimitError

UNIT = 10**18
"""Probabilities are summed as whole multiples of 1 / UNIT, so that sums do not depend on the order of the terms."""

MAX_PAIRS_PER_PIVOT = 100_000_000
"""Largest number of phrase pairs of a pivot. It bounds time and disk space: even a short table can have many pairs."""

MAX_ENTRIES = 1 << 16
"""Approximate number of phrase pairs whose pivots are looked at together, unless one pivot has more."""

MAX_PRODUCTS = 1 << 18
"""Largest number of products that are summed at once."""

SAMPLE_EVERY = 256
"""Of so many pairs of phrases, one is looked at to divide the phrases evenly."""

_BUCKETS = 1 << 10
_BUCKET_SHIFT = np.uint64(64 - 10)
_ENTRY_COLUMNS = 6
_PAIR_COLUMNS = 2
_SHIFT = np.uint64(32)
_LOW_BITS = np.uint64(30)
_LOW = np.uint64((1 << 30) - 1)

Columns = NDArray[np.uint64]


class EntryRun(NamedTuple):
    """The usable phrase pairs of a chunk in a file, by bucket of the pivot.

    Attributes:
        path: The file: two hashes of the pivot, the number of the phrase, both probabilities, the number of the line.
        starts: First row of each bucket, and the number of rows.
    """

    path: Path
    starts: Numbers


class Buckets(NamedTuple):
    """Neighbouring buckets of all runs.

    Attributes:
        name: Number of the first bucket.
        slices: First row in each run, and the row end the last.
    """

    name: int
    slices: list[tuple[int, int]]


class PairRun(NamedTuple):
    """Pairs of phrases in a file, sorted, each once, with the sum of their products.

    Attributes:
        path: The file: phrase and paraphrase in the two halves of a number, and the sum.
        pairs: Number of pairs.
        sample: Number of the phrase, of every pair of `SAMPLE_EVERY`.
    """

    path: Path
    pairs: int
    sample: Numbers


def divide_chunk(chunk: tuple[int, Path], numbering: Numbering) -> EntryRun:
    """Write the phrase pairs of a chunk by bucket of their pivot; the file of the chunk is removed.

    Args:
        chunk: Position of the chunk, and its file.
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
    starts = np.searchsorted(rows[:, 0] >> _BUCKET_SHIFT, np.arange(_BUCKETS + 1, dtype=np.uint64))
    run = path.with_name(f"{path.name}-run")
    save_rows(run, rows)
    return EntryRun(run, starts)


def divide_buckets(runs: Sequence[EntryRun]) -> Iterator[Buckets]:
    """Divide the buckets of all runs into ranges that fit into memory."""
    starts = np.stack([run.starts for run in runs])
    totals, first = starts.sum(axis=0), 0
    while first < _BUCKETS:
        # The most buckets that fit, but at least one.
        end = max(first + 1, int(np.searchsorted(totals, totals[first] + MAX_ENTRIES, "right")) - 1)
        slices = np.stack([starts[:, first], starts[:, end]], axis=1).tolist()
        yield Buckets(first, [(start, stop) for start, stop in slices])
        first = end


class _Entries(NamedTuple):
    """Phrase pairs, sorted by pivot and phrase.

    Attributes:
        pivots: Position of the first phrase pair of each pivot.
        sizes: Number of phrase pairs of each pivot.
        phrases: Numbers of phrases.
        pivot_given_phrase: Probabilities.
        phrase_given_pivot: Probabilities.
        lines: Numbers of lines.
    """

    pivots: Numbers
    sizes: Numbers
    phrases: NDArray[np.uint64]
    pivot_given_phrase: NDArray[np.float64]
    phrase_given_pivot: NDArray[np.float64]
    lines: NDArray[np.uint64]


def multiply_buckets(buckets: Buckets, runs: Sequence[Path], table: Path, rules: PivotRules) -> list[PairRun]:
    """Multiply the probabilities of all pairs of phrases that share a pivot of some buckets.

    Raises:
        InputError: If a phrase pair is repeated.
        LimitError: If a pivot has more pairs than `MAX_PAIRS_PER_PIVOT`.
        OutputError: If a file cannot be written.
    """
    slices = zip(runs, buckets.slices, strict=True)
    rows = np.concatenate([load_rows(path, _ENTRY_COLUMNS, first, end) for path, (first, end) in slices])
    entries = _sort_entries(rows)
    _refuse_repetition(entries, table)
    pair_runs = list[PairRun]()
    for products in _multiply(entries, table, rules):
        path = runs[0].with_name(f"pairs-{buckets.name}-{len(pair_runs)}")
        pairs = sum_pairs(products)
        save_rows(path, pairs)
        pair_runs.append(PairRun(path, len(pairs), (pairs[::SAMPLE_EVERY, 0] >> _SHIFT).astype(np.int64)))
    return pair_runs


def _sort_entries(rows: Columns) -> _Entries:
    rows = rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))]
    is_first = np.ones(len(rows), bool)
    is_first[1:] = (rows[1:, :2] != rows[:-1, :2]).any(axis=1)
    pivots = np.flatnonzero(is_first)
    probabilities = np.ascontiguousarray(rows[:, 3:5].T).view(np.float64)
    sizes = np.diff(np.append(pivots, len(rows)))
    return _Entries(pivots, sizes, rows[:, 2], probabilities[0], probabilities[1], rows[:, 5])


def _refuse_repetition(entries: _Entries, table: Path) -> None:
    """Check that no phrase pair is repeated.

    Raises:
        InputError: If one is.
    """
    is_repeated = entries.phrases[1:] == entries.phrases[:-1]
    is_repeated[entries.pivots[1:] - 1] = False
    if is_repeated.any():
        positions = np.flatnonzero(is_repeated)
        line = int(np.maximum(entries.lines[positions], entries.lines[positions + 1]).min())
        source, target = read_line(table, line)
        reason = f"has {source!a} and {target!a} as a phrase pair twice"
        raise InputError(str(table), reason, "unite the two, or drop one", line)


def _multiply(entries: _Entries, table: Path, rules: PivotRules) -> Iterator[Columns]:
    """Multiply p(f|e1) p(e2|f) for all pairs of different phrases e1 and e2 that share a pivot f, some at a time."""
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
        LimitError: If there are more than `MAX_PAIRS_PER_PIVOT`.
    """
    too_many = np.flatnonzero(sources * targets > MAX_PAIRS_PER_PIVOT)
    if len(too_many):
        pivot = too_many[0]
        line = int(entries.lines[entries.pivots[pivot]])
        source, target = read_line(table, line)
        phrases = f"{source[:40]!a} or {target[:40]!a}"
        pairs = f"{sources[pivot]:,} times {targets[pivot]:,} pairs"
        reason = f"the pivot {phrases} makes {pairs}; at most {MAX_PAIRS_PER_PIVOT:,} are allowed"
        raise LimitError(str(table), reason, "raise --min-translation-probability", line)


def sum_pairs(pairs: Columns) -> Columns:
    """Sum the products of each pair of phrases, sorted by phrase and paraphrase; a sum above 1 becomes 1."""
    pairs = pairs[np.argsort(pairs[:, 0])]
    is_first = np.ones(len(pairs), bool)
    is_first[1:] = pairs[1:, 0] != pairs[:-1, 0]
    starts = np.flatnonzero(is_first)
    sums = np.empty((len(starts), _PAIR_COLUMNS), np.uint64)
    sums[:, 0] = pairs[starts, 0]
    if len(starts) == len(pairs):
        sums[:, 1] = pairs[:, 1]
    elif len(starts):
        # 19 products of 1 are more than a number holds, so that high and low bits are summed separately.
        high = np.add.reduceat(pairs[:, 1] >> _LOW_BITS, starts)
        low = np.add.reduceat(pairs[:, 1] & _LOW, starts)
        high = np.minimum(high + (low >> _LOW_BITS), np.uint64(UNIT >> 29))
        sums[:, 1] = np.minimum((high << _LOW_BITS) | (low & _LOW), np.uint64(UNIT))
    return sums
