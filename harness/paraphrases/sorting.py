"""A partitioned external sort: rows in files, in stages of which each fits into memory.

1. *Extract*: rows are written to runs, each sorted by bucket, which is the beginning of a hash of the rows' first key.
2. *Sort*: the rows of some consecutive buckets are read from all runs, and combined by the first key.
3. *Score*: the results, sorted by a second key, are divided at sampled values of this key, and read range by range.

The division depends only on the rows, not on the number of processes.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import load_rows

Rows = NDArray[np.uint64]
"""Rows of 64-bit numbers, of shape (rows, columns)."""

BUCKETS = 1 << 10
BUCKET_SHIFT = np.uint64(64 - 10)
"""The highest 10 bits of a hash of 64 bits are the number of a bucket."""

HALF = np.uint64(32)
"""Number of bits of each of two numbers that `join_halves` joins."""

SAMPLE_EVERY = 256
"""One in this number of rows is sampled to divide the values of the second key evenly."""


def find_bucket_starts(hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the first row of each bucket, and finally the number of rows, given the hashes in ascending order."""
    return np.searchsorted(hashes >> BUCKET_SHIFT, np.arange(BUCKETS + 1, dtype=np.uint64))


def divide_buckets(sizes: Sequence[int], limit: int) -> list[tuple[int, int]]:
    """Divide the buckets into ranges that fit into memory.

    Args:
        sizes: Number of rows of each bucket.
        limit: Maximum number of rows of a range. A bucket may have more rows.

    Returns:
        First bucket and end (exclusive) of each range.
    """
    ranges, first, total = list[tuple[int, int]](), 0, 0
    for bucket, size in enumerate(sizes):
        if total and total + size > limit:
            ranges.append((first, bucket))
            first, total = bucket, 0
        total += size
    return [*ranges, (first, BUCKETS)]


def divide_runs(starts: Sequence[NDArray[np.integer]], limit: int) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Divide runs into ranges of buckets that fit into memory.

    Args:
        starts: Per run, what `find_bucket_starts` returns.
        limit: As for `divide_buckets`.

    Yields:
        The number of a range, and its first row and end (exclusive) in each run. Ranges are in the order of their
        numbers.
    """
    stacked = np.stack(starts).astype(np.int64)
    for first, end in divide_buckets(np.diff(stacked.sum(axis=0)).tolist(), limit):
        yield first, list(zip(stacked[:, first].tolist(), stacked[:, end].tolist(), strict=True))


def sample_keys(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the second key of one in `SAMPLE_EVERY` rows, given the sorted keys of all rows."""
    return keys[::SAMPLE_EVERY].copy()


def find_borders(samples: Sequence[NDArray[np.uint64]], limit: int) -> NDArray[np.uint64]:
    """Find values of the second key that divide the rows of all files into ranges that fit into memory.

    Args:
        samples: Per file, what `sample_keys` returns.
        limit: Approximate maximum number of rows of a range.
    """
    step = max(1, limit // SAMPLE_EVERY)
    return np.unique(np.sort(np.concatenate(samples))[step::step])


def divide_keys(keys: NDArray[np.uint64], borders: NDArray[np.uint64]) -> list[int]:
    """Return the first row of each range, and finally the number of rows, given the sorted second keys of a file."""
    return [0, *np.searchsorted(keys, borders).tolist(), len(keys)]


def divide_files(starts: Sequence[Sequence[int]]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Divide files into ranges of the second key, given what `divide_keys` returns for each file.

    Yields:
        What `divide_runs` yields, for files.
    """
    for number, (first, end) in enumerate(pairwise(zip(*starts, strict=True))):
        yield number, list(zip(first, end, strict=True))


def read_range(paths: Sequence[Path], slices: Sequence[tuple[int, int]], width: int) -> Rows:
    """Read the rows of a range, given its first row and end in each file. The rows have `width` columns."""
    parts = zip(paths, slices, strict=True)
    return np.concatenate([load_rows(path, width, first, end) for path, (first, end) in parts])


def append_file(path: Path, file: IO[bytes]) -> None:
    """Append the lines of a range to an open file, and remove their file."""
    with path.open("rb") as lines:
        shutil.copyfileobj(lines, file, 1 << 20)
    path.unlink()


def join_halves(upper: NDArray[np.integer], lower: NDArray[np.integer]) -> NDArray[np.uint64]:
    """Join pairs of numbers below 2^32 to single numbers, which have the order of the pairs."""
    joined = upper.astype(np.uint64)  # changed in place below, because each array of a large table needs 80 MiB
    joined <<= HALF
    joined |= lower.astype(np.uint64, copy=False)
    return joined


def split_halves(joined: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Split numbers into the two numbers that `join_halves` joined."""
    return (joined >> HALF).astype(np.uint32), joined.astype(np.uint32)


def find_starts(rows: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return the indices of the rows that differ from the row before, and of the first row."""
    different = np.ones(len(rows), bool)
    different[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return np.flatnonzero(different)
