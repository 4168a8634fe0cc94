"""Counting of phrase pairs in temporary files: first in parts by target phrase, then in ranges of source phrases.

Each part fits into memory and is sorted separately. The counts of a phrase pair are complete, because equal phrases are
in the same part. The division into parts depends only on the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import save_rows
from harness.paraphrases.extraction.packing import Columns, Layout, choose_alignments
from harness.paraphrases.extraction.phrase_pairs import (
    limit_rows,
    pack_weights,
    unpack_weights,
)
from harness.paraphrases.sorting import (
    Range,
    find_borders,
    find_starts,
    read_range,
    sample_keys,
)

LARGEST_COUNT = 10
"""Largest count for which the number of phrase pairs with this count is needed."""


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


def count_part(buckets: Range, runs: Sequence[Path], layout: Layout) -> tuple[Path, PartStatistics]:
    """Count the phrase pairs of a range of buckets, and write them to a file in the folder of the runs.

    Returns:
        The file, with the rows of `count_rows`, and the statistics of the phrase pairs.
    """
    pairs = count_rows(read_range(runs, buckets, layout.occurrence_width), layout)
    path = runs[0].with_name(f"part-{buckets.name}")
    save_rows(path, pairs)
    return path, describe_pairs(pairs, layout)


def count_rows(rows: Columns, layout: Layout) -> Columns:
    """Count the phrase pairs of a part of the target phrases. The order of the rows does not matter.

    Returns:
        A row per distinct phrase pair, sorted by the first column of the source.
    """
    numbers = layout.numbers
    rows = rows[np.lexsort(rows[:, :numbers].T[::-1])]
    starts = find_starts(rows[:, :numbers])
    counts = np.add.reduceat(rows[:, numbers], starts).astype(np.int64)
    rows = rows[starts]
    pair_starts = find_starts(rows[:, layout.pair])
    joint = np.add.reduceat(counts, pair_starts)
    target_starts = find_starts(rows[pair_starts][:, layout.target])
    best_target, best_source = choose_alignments(rows[:, layout.alignment], counts, pair_starts, layout.max_words)
    pairs = np.empty((len(pair_starts), layout.pair_width), np.uint64)
    pairs[:, :numbers] = rows[best_target, :numbers]
    pairs[:, numbers] = joint
    sizes = np.diff(np.append(target_starts, len(pair_starts)))
    pairs[:, numbers + 1] = np.repeat(np.add.reduceat(joint, target_starts), sizes)
    pairs[:, numbers + 2] = np.repeat(sizes, sizes)
    weights = unpack_weights(rows[best_source, -1])[0], unpack_weights(rows[best_target, -1])[1]
    pairs[:, -1] = pack_weights(*weights)
    return pairs[np.argsort(pairs[:, layout.source.start], kind="stable")]


def describe_pairs(pairs: Columns, layout: Layout) -> PartStatistics:
    """Compute the statistics of the rows of `count_rows`."""
    joint = pairs[:, layout.numbers].astype(np.int64)
    count_sizes = np.bincount(np.minimum(joint, LARGEST_COUNT + 1), minlength=LARGEST_COUNT + 2)[:-1]
    return PartStatistics(len(pairs), int(joint.sum()), count_sizes, sample_keys(pairs[:, layout.source.start]))


def find_source_borders(parts: Sequence[PartStatistics], layout: Layout) -> NDArray[np.uint64]:
    """Find values of the first column of source phrases that divide the rows of all parts into ranges for memory."""
    return find_borders([part.sample for part in parts], limit_rows(layout.pair_width))


def sort_pairs(rows: Columns, layout: Layout) -> Columns:
    """Sort phrase pairs by source and target."""
    keys = np.hstack([rows[:, layout.source], rows[:, layout.target]])
    return rows[np.lexsort(keys.T[::-1])]
