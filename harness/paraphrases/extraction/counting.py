"""Counting of phrase pairs in temporary files: first in parts by target phrase, then in ranges of source phrases.

Each part fits into memory and is sorted separately. The counts of a phrase pair are complete, because equal phrases are
in the same part. The division into parts depends only on the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import load_rows, map_rows, save_rows
from harness.paraphrases.extraction.packing import Columns, Layout, choose_alignments
from harness.paraphrases.extraction.runs import (
    BUCKETS,
    OCCURRENCE_NUMBERS,
    PAIR_NUMBERS,
    Run,
    arrange_fields,
    find_starts,
    limit_rows,
    pack_weights,
    unpack_weights,
)

SAMPLE_EVERY = 256
"""One in this number of rows is sampled to divide the source phrases evenly."""

LARGEST_COUNT = 10
"""Largest count for which the number of phrase pairs with this count is needed."""


class Range(NamedTuple):
    """A range of the rows of several files: neighbouring buckets of runs, or neighbouring source phrases.

    Attributes:
        name: Its number, in the order of the ranges.
        slices: First row and end (exclusive) of the range in each file.
    """

    name: int
    slices: list[tuple[int, int]]


def divide_buckets(runs: Sequence[Run], layout: Layout) -> Iterator[Range]:
    """Divide the buckets of all runs into ranges that fit into memory."""
    starts = np.stack([run.starts for run in runs])
    for first, end in divide_sizes(np.diff(starts.sum(axis=0, dtype=np.int64)).tolist(), layout):
        yield _slice_files(first, starts[:, first], starts[:, end])


def _slice_files(name: int, first: NDArray[Any], end: NDArray[Any]) -> Range:
    return Range(name, list(zip(first.tolist(), end.tolist(), strict=True)))


def _read_range(paths: Sequence[Path], rows: Range, width: int) -> Columns:
    slices = zip(paths, rows.slices, strict=True)
    return np.concatenate([load_rows(path, width, first, end) for path, (first, end) in slices])


def divide_sizes(sizes: Sequence[int], layout: Layout) -> list[tuple[int, int]]:
    """Divide buckets into ranges that fit into memory.

    Args:
        sizes: Number of rows of each bucket.
        layout: Layout of the rows.

    Returns:
        First bucket and end (exclusive) of each range.
    """
    limit = limit_rows(arrange_fields(layout).numbers + OCCURRENCE_NUMBERS)
    parts, first, total = list[tuple[int, int]](), 0, 0
    for bucket, size in enumerate(sizes):
        if total and total + size > limit:
            parts.append((first, bucket))
            first, total = bucket, 0
        total += size
    return [*parts, (first, BUCKETS)]


class PartStatistics(NamedTuple):
    """Statistics of the distinct phrase pairs of a part.

    Attributes:
        pairs: Number of distinct phrase pairs.
        occurrences: Number of extracted phrase pairs.
        count_sizes: Number of distinct phrase pairs that occur 0, 1, 2, ... `LARGEST_COUNT` times.
        sample: First column of the source phrase, for one in `SAMPLE_EVERY` rows.
    """

    pairs: int
    occurrences: int
    count_sizes: NDArray[np.int64]
    sample: NDArray[np.uint64]


class CountedPart(NamedTuple):
    """A file with the distinct phrase pairs of a part of the target phrases, sorted by the first column of the source.

    Attributes:
        path: The file.
        statistics: Statistics of the phrase pairs.
    """

    path: Path
    statistics: PartStatistics


def count_part(buckets: Range, runs: Sequence[Path], layout: Layout) -> CountedPart:
    """Count the phrase pairs of a range of buckets, and write them to a file in the folder of the runs."""
    rows = _read_range(runs, buckets, arrange_fields(layout).numbers + OCCURRENCE_NUMBERS)
    pairs = count_rows(rows, layout)
    path = runs[0].with_name(f"part-{buckets.name}")
    save_rows(path, pairs)
    return CountedPart(path, describe_pairs(pairs, layout))


def count_rows(rows: Columns, layout: Layout) -> Columns:
    """Count the phrase pairs of a part of the target phrases. The order of the rows does not matter.

    Returns:
        A row per distinct phrase pair, sorted by the first column of the source.
    """
    fields = arrange_fields(layout)
    rows = rows[np.lexsort(rows[:, : fields.numbers].T[::-1])]
    starts = find_starts(rows[:, : fields.numbers])
    counts = np.add.reduceat(rows[:, fields.numbers], starts).astype(np.int64)
    rows = rows[starts]
    pair_starts = find_starts(rows[:, fields.pair])
    joint = np.add.reduceat(counts, pair_starts)
    target_starts = find_starts(rows[pair_starts][:, fields.target])
    best_target, best_source = choose_alignments(rows[:, fields.alignment], counts, pair_starts, layout)
    pairs = np.empty((len(pair_starts), fields.numbers + PAIR_NUMBERS), np.uint64)
    pairs[:, : fields.numbers] = rows[best_target, : fields.numbers]
    pairs[:, fields.numbers] = joint
    sizes = np.diff(np.append(target_starts, len(pair_starts)))
    pairs[:, fields.numbers + 1] = np.repeat(np.add.reduceat(joint, target_starts), sizes)
    pairs[:, fields.numbers + 2] = np.repeat(sizes, sizes)
    weights = unpack_weights(rows[best_source, -1])[0], unpack_weights(rows[best_target, -1])[1]
    pairs[:, -1] = pack_weights(*weights)
    return pairs[np.argsort(pairs[:, fields.source.start], kind="stable")]


def describe_pairs(pairs: Columns, layout: Layout) -> PartStatistics:
    """Compute the statistics of the rows of `count_rows`."""
    fields = arrange_fields(layout)
    joint = pairs[:, fields.numbers].astype(np.int64)
    count_sizes = np.bincount(np.minimum(joint, LARGEST_COUNT + 1), minlength=LARGEST_COUNT + 2)[:-1]
    sample = pairs[::SAMPLE_EVERY, fields.source.start].copy()
    return PartStatistics(len(pairs), int(joint.sum()), count_sizes, sample)


def find_borders(parts: Sequence[PartStatistics], layout: Layout) -> NDArray[np.uint64]:
    """Find values of the first column of source phrases that divide the rows of all parts into ranges for memory."""
    sample = np.sort(np.concatenate([part.sample for part in parts]))
    step = max(1, limit_rows(arrange_fields(layout).numbers + PAIR_NUMBERS) // SAMPLE_EVERY)
    return np.unique(sample[step::step])


def divide_rows(sources: NDArray[np.uint64], borders: NDArray[np.uint64]) -> list[int]:
    """Return the first row of each range, and finally the number of rows.

    Args:
        sources: First column of the source phrases, sorted.
        borders: Values that separate the ranges.
    """
    return [0, *np.searchsorted(sources, borders).tolist(), len(sources)]


def divide_sources(parts: Sequence[CountedPart], layout: Layout) -> Iterator[Range]:
    """Divide the source phrases into ranges that fit into memory, by their first column."""
    fields = arrange_fields(layout)
    width = fields.numbers + PAIR_NUMBERS
    borders = find_borders([part.statistics for part in parts], layout)
    sources = (map_rows(part.path, width)[:, fields.source.start] for part in parts)
    starts = np.array([divide_rows(values, borders) for values in sources])
    for number, (first, end) in enumerate(pairwise(starts.T)):
        yield _slice_files(number, first, end)


def read_sources(parts: Sequence[Path], sources: Range, layout: Layout) -> Columns:
    """Read the phrase pairs of a range of source phrases, sorted by source and target."""
    rows = _read_range(parts, sources, arrange_fields(layout).numbers + PAIR_NUMBERS)
    return sort_pairs(rows, layout)


def sort_pairs(rows: Columns, layout: Layout) -> Columns:
    """Sort phrase pairs by source and target."""
    fields = arrange_fields(layout)
    keys = np.hstack([rows[:, fields.source], rows[:, fields.target]])
    return rows[np.lexsort(keys.T[::-1])]
