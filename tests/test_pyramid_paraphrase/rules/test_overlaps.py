"""Sets that share words against a comparison of each with each other one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramid_paraphrase.rules import pairs
from pyramid_paraphrase.rules.pairs import WordSets

SETS = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=7), max_size=9)


def find(sets: list[list[str]], groups: list[int], minimum: int) -> set[tuple[int, int]]:
    overlaps = WordSets(sets).find_overlapping(np.array(groups, dtype=np.int64), minimum)
    return {pair for pairs in overlaps for pair in map(tuple, pairs.tolist())}


@settings(max_examples=200)
@given(SETS, st.integers(0, 5), st.integers(1, 3))
def test_overlaps_are_those_of_the_definition(sets: list[list[str]], minimum: int, group_count: int) -> None:
    groups = [index % group_count for index in range(len(sets))]
    assert find(sets, groups, minimum) == {
        (left, right)
        for left, right in combinations(range(len(sets)), 2)
        if groups[left] == groups[right] and len({*sets[left]} & {*sets[right]}) >= minimum
    }


@pytest.mark.parametrize("minimum", [1, 4])
def test_division_into_blocks_changes_nothing(minimum: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks bound the memory. No pair must be lost at their boundaries."""
    random = np.random.RandomState(0)
    sets = [[f"w{number}" for number in random.randint(30, size=8)] for _ in range(60)]
    whole = find(sets, [0] * 60, minimum)
    monkeypatch.setattr(pairs, "_FOLLOWERS_AT_ONCE", 1)
    monkeypatch.setattr(pairs, "_PRODUCTS_AT_ONCE", 1)
    assert whole
    assert find(sets, [0] * 60, minimum) == whole


def test_frequent_words_alone_bring_nothing_together() -> None:
    """Each proposition was compared with all that share "the": 400,000 of them took 5 minutes."""
    sets = [["the", "of", "in", f"rare{index // 2}"] for index in range(1000)]
    blocks = list(WordSets(sets).find_overlapping(np.zeros(1000, dtype=np.int64), 4))
    assert sorted(pair for pairs in blocks for pair in map(tuple, pairs.tolist())) == [
        (index, index + 1) for index in range(0, 1000, 2)
    ]
    postings = pairs._Postings(*WordSets(sets)._rank(np.zeros(1000, dtype=np.int64)), 4)
    assert len(postings._entries) == 1000  # one per set: that of its rarest word
    assert list(postings.batches()) == [(0, 1000)]  # rare words are compared together


def test_equal_words_of_two_groups_are_different_words() -> None:
    """There are more groups than words."""
    assert find([["a", "b"], ["a"], ["a"]], [0, 2, 2], 1) == {(1, 2)}


def test_words_of_a_single_set_have_no_rank() -> None:
    """Of the three words, only "b" is in two sets of a group."""
    words, sets = WordSets([["a", "b"], ["b"], ["c"], ["c"]])._rank(np.array([0, 0, 0, 1]))
    assert (len(words), sets.tolist()) == (2, [0, 1])


def test_rows_are_cut_by_their_multiplications() -> None:
    """The cumulative sums are 12, 15, 19, 20, 29 and 31. A range ends where they exceed a multiple of 10."""
    assert list(pairs._cut(np.array([12, 3, 4, 1, 9, 2]), 10)) == [(0, 3), (3, 5), (5, 6)]
    assert list(pairs._cut(np.array([], dtype=np.int64), 10)) == []


def test_shared_words_are_counted() -> None:
    sets = WordSets([["a", "b", "a"], ["b", "a"], [], ["c"]])
    assert sets.count_shared(np.array([[0, 1], [0, 2], [1, 3]])).tolist() == [2, 0, 0]


def test_numbers_of_words_and_sets_take_four_bytes() -> None:
    """Arrays with an entry for each word of each set take most of the memory of a build."""
    words, sets = WordSets([["a", "b"], ["b", "a"], ["a", "c"]])._rank(np.zeros(3, dtype=np.int64))
    assert (len(words), words.nbytes, sets.nbytes) == (5, 20, 20)


def test_numbers_are_sorted_without_repetitions() -> None:
    assert pairs._sort_distinct(np.array([4, 0, 4, 1, 0])).tolist() == [0, 1, 4]
    assert pairs._sort_distinct(np.array([], dtype=np.int64)).tolist() == []
