"""Counting of phrase pairs in temporary files: first in parts by target phrase, then in ranges of source phrases.

Each part fits into memory and is sorted separately. The counts of a phrase pair are complete, because equal phrases are
in the same part. The division into parts depends only on the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import map_rows, save_rows
from harness.paraphrases.extraction.packing import Columns, Layout, choose_alignments
from harness.paraphrases.extraction.phrase_pairs import (
    OCCURRENCE_NUMBERS,
    PAIR_NUMBERS,
    Run,
    arrange_fields,
    limit_rows,
    pack_weights,
    unpack_weights,
)
from harness.paraphrases.sorting import (
    Range,
    divide_buckets,
    divide_files,
    divide_keys,
    divide_runs,
    find_borders,
    find_starts,
    read_range,
    sample_keys,
)

LARGEST_COUNT = 10
"""Largest count for which the number of phrase pairs with this count is needed."""


def divide_parts(sizes: Sequence[int], layout: Layout) -> list[tuple[int, int]]:
    """Divide the buckets of target phrases into parts, as `divide_buckets` does."""
    return divide_buckets(sizes, _limit_occurrences(layout))


def divide_into_parts(runs: Sequence[Run], layout: Layout) -> Iterator[Range]:
    """Divide the buckets of all runs into parts that fit into memory."""
    return divide_runs([run.starts for run in runs], _limit_occurrences(layout))


def _limit_occurrences(layout: Layout) -> int:
    return limit_rows(arrange_fields(layout).numbers + OCCURRENCE_NUMBERS)


class PartStatistics(NamedTuple):
    """Statistics of the distinct phrase pairs of a part.

    Attributes:
        pairs: Number of distinct phrase pairs.
        occurrences: Number of extracted phrase pairs.
        count_sizes: Number of distinct phrase pairs that occur 0, 1, 2, ... `LARGEST_COUNT` times.
        sample: First column of some source phrases, from `sample_keys`.
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
    rows = read_range(runs, buckets, arrange_fields(layout).numbers + OCCURRENCE_NUMBERS)
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
    sample = sample_keys(pairs[:, fields.source.start])
    return PartStatistics(len(pairs), int(joint.sum()), count_sizes, sample)


def find_source_borders(parts: Sequence[PartStatistics], layout: Layout) -> NDArray[np.uint64]:
    """Find values of the first column of source phrases that divide the rows of all parts into ranges for memory."""
    return find_borders([part.sample for part in parts], limit_rows(arrange_fields(layout).numbers + PAIR_NUMBERS))


def divide_sources(parts: Sequence[CountedPart], layout: Layout) -> Iterator[Range]:
    """Divide the source phrases into ranges that fit into memory, by their first column."""
    fields = arrange_fields(layout)
    width = fields.numbers + PAIR_NUMBERS
    borders = find_source_borders([part.statistics for part in parts], layout)
    sources = (map_rows(part.path, width)[:, fields.source.start] for part in parts)
    return divide_files([divide_keys(values, borders) for values in sources])


def read_sources(parts: Sequence[Path], sources: Range, layout: Layout) -> Columns:
    """Read the phrase pairs of a range of source phrases, sorted by source and target."""
    rows = read_range(parts, sources, arrange_fields(layout).numbers + PAIR_NUMBERS)
    return sort_pairs(rows, layout)


def sort_pairs(rows: Columns, layout: Layout) -> Columns:
    """Sort phrase pairs by source and target."""
    fields = arrange_fields(layout)
    keys = np.hstack([rows[:, fields.source], rows[:, fields.target]])
    return rows[np.lexsort(keys.T[::-1])]
