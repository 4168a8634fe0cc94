"""The partitioned external sort."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.files.arrays import save_rows
from harness.paraphrases import sorting
from harness.paraphrases.sorting import (
    BUCKETS,
    divide_buckets,
    divide_files,
    divide_keys,
    divide_runs,
    find_borders,
    find_bucket_starts,
    find_starts,
    read_range,
    sample_keys,
)


def numbers(*values: int) -> NDArray[np.uint64]:
    return np.array(values, np.uint64)


def test_the_highest_ten_bits_of_a_hash_are_its_bucket() -> None:
    starts = find_bucket_starts(numbers(0, 2**54 - 1, 2**54, 3 * 2**54, 2**64 - 1))
    assert len(starts) == 1025
    assert starts[:5].tolist() == [0, 2, 3, 3, 4]
    assert starts[-2:].tolist() == [4, 5]


def test_a_bucket_with_more_rows_than_the_limit_is_a_range_of_its_own() -> None:
    assert divide_buckets([10, 0, 1, 9, 20, 3], 10) == [(0, 2), (2, 4), (4, 5), (5, BUCKETS)]
    assert divide_buckets([0, 0], 10) == [(0, BUCKETS)]


def test_runs_are_divided_at_the_same_buckets() -> None:
    first, second = np.zeros(BUCKETS + 1, np.uint32), np.zeros(BUCKETS + 1, np.uint32)
    first[1:], second[2:] = 4, 3
    assert list(divide_runs([first, second], 4)) == [(0, [(0, 4), (0, 0)]), (1, [(4, 4), (0, 3)])]


def test_borders_are_sampled_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorting, "SAMPLE_EVERY", 2)
    samples = [sample_keys(numbers(1, 2, 5, 6, 9)), sample_keys(numbers(3, 3, 7))]
    assert [sample.tolist() for sample in samples] == [[1, 5, 9], [3, 7]]
    assert find_borders(samples, 1).tolist() == [3, 5, 7, 9]
    assert find_borders(samples, 4).tolist() == [5, 9]
    assert find_borders([numbers(4, 4, 4)], 2).tolist() == [4]


def test_files_are_divided_at_the_borders(tmp_path: Path) -> None:
    """A range begins with the rows whose key is the border."""
    keys = [numbers(1, 5, 5, 9), numbers(2, 3)]
    paths = [tmp_path / "first", tmp_path / "second"]
    for path, values in zip(paths, keys, strict=True):
        save_rows(path, np.stack([values, values * np.uint64(10)], axis=1))
    starts = [divide_keys(values, numbers(5, 9)) for values in keys]
    assert starts == [[0, 1, 3, 4], [0, 2, 2, 2]]
    ranges = list(divide_files(starts))
    assert ranges == [(0, [(0, 1), (0, 2)]), (1, [(1, 3), (2, 2)]), (2, [(3, 4), (2, 2)])]
    assert read_range(paths, ranges[0][1], 2).tolist() == [[1, 10], [2, 20], [3, 30]]
    assert read_range(paths, ranges[2][1], 2).tolist() == [[9, 90]]


def test_starts_of_equal_rows() -> None:
    rows = np.array([[1, 1], [1, 1], [1, 2], [2, 2], [2, 2]], np.uint64)
    assert find_starts(rows).tolist() == [0, 2, 3]
    assert find_starts(rows[:0]).tolist() == []
