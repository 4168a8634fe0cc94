"""Splits: shares by hand, the choice by hashes."""

from __future__ import annotations

from collections import Counter

import pytest

from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.splits import _share, split_rows, split_topics


@pytest.mark.parametrize(("rows", "validation"), [(0, 0), (4, 0), (5, 1), (14, 1), (15, 2), (24, 2), (1000, 100)])
def test_a_tenth_of_the_rows_validates_rounded_half_up(rows: int, validation: int) -> None:
    ids = (f"row {number}" for number in range(rows))
    assert int(split_rows(ids, rows, seed=0).sum()) == validation


def test_half_a_row_is_one_and_less_is_none() -> None:
    assert [_share(percent, 1) for percent in (49, 50, 51)] == [0, 1, 1]


def test_rows_with_the_smallest_hashes_validate() -> None:
    """sha256sum of "0", a unit separator (0x1f) and the id: 0a04... for "c", and from 2c38... on for the others."""
    assert split_rows(["a", "b", "c", "d", "e"], 5, seed=0).tolist() == [False, False, True, False, False]


@pytest.mark.parametrize(
    ("topics", "counts"), [(100, (60, 20, 20)), (10, (6, 2, 2)), (5, (3, 1, 1)), (4, (2, 1, 1)), (3, (2, 0, 0))]
)
def test_topics_are_dealt_sixty_twenty_twenty(topics: int, counts: tuple[int, int, int]) -> None:
    names = [f"D{number:04}" for number in range(topics)]
    if not counts[1]:
        with pytest.raises(EmptyResultError, match=f"{topics} topics are too few"):
            split_topics(names, seed=0)
        return
    dealt = Counter(split_topics(names, seed=0).values())
    assert (dealt["train"], dealt["validation"], dealt["test"]) == counts
