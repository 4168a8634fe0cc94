"""The sign-flip test, compared with the enumeration of all signs and with scipy."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.brute_force import flip_all
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.stats.significance import (
    MOST_TOPICS,
    SIGNIFICANCE,
    find_lowest_p,
    find_significant,
    flip_signs,
    flip_signs_of_rows,
)


@pytest.mark.parametrize(
    ("differences", "p_value"),
    [
        ([], 1.0),
        ([0.0, 0.0], 1.0),
        ([0.3], 1.0),  # of +0.3 and -0.3 both
        ([1.0, 1.0], 0.5),  # 2 of 4
        ([0.1, 0.2, 0.3], 0.25),  # 2 of 8
        ([0.1, 0.2, -0.3], 1.0),  # the sum is 0
        ([0.1, 0.2, 0.2, -0.1], 0.375),  # 0.4 is reached by 0.6, 0.4 twice, and their negatives: 6 of 16
        ([0.1, 0.2, 0.2, 0.0, -0.1], 0.375),  # a topic on which both are equal changes nothing
        ([1 / 3, 1 / 3, -2 / 3, 2 / 3, 1 / 3], 0.5625),  # thirds, with ties that rounding must not break: 18 of 32
        ([1.0] * 23, 2**-22),
        ([1.0] * 22 + [-1.0], 2.0**-22 * 24),  # none or one of 23 flipped
    ],
)
def test_by_hand(differences: list[float], p_value: float) -> None:
    assert flip_signs(np.array(differences)) == pytest.approx(p_value, abs=1e-12)


@given(st.lists(st.integers(-12, 12), min_size=1, max_size=11))
def test_all_signs_give_the_same(differences: list[int]) -> None:
    """Integers have many ties. The p-value is never below the exact p-value, and hardly above it."""
    expected = flip_all(differences)
    assert expected - 1e-12 <= flip_signs(np.array(differences) / 12) <= expected * 1.02 + 1e-12


def test_scipy_gives_the_same() -> None:
    """scipy also enumerates all 2^12 signs, and doubles the smaller tail, which is the same by symmetry."""
    values = np.random.RandomState(5).normal(0.5, 1, 12)
    found = stats.permutation_test((values,), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert flip_signs(values) == pytest.approx(found.pvalue, rel=0.02)


def test_the_signs_and_the_scale_do_not_matter() -> None:
    values = np.random.RandomState(6).normal(0.4, 1, 23)
    assert flip_signs(values) == flip_signs(-values) == flip_signs(values / 1024)


def test_many_topics_do_not_overflow() -> None:
    """2^256 sums; with equal sizes p is twice the tail of the binomial distribution from 150 signs of 256 on."""
    values = np.where(np.arange(MOST_TOPICS) < 150, 1.0, -1.0)
    assert flip_signs(values) == pytest.approx(2 * stats.binom.sf(149, MOST_TOPICS, 0.5), rel=0.02)


def test_the_smallest_p_value() -> None:
    assert [find_lowest_p(count) for count in (0, 1, 5, 8)] == [1.0, 1.0, 0.0625, 0.0078125]
    assert find_lowest_p(10_000) == find_lowest_p(MOST_TOPICS) > 0


def test_all_pairs_are_decided_as_one_is() -> None:
    """Random flips decide only clear pairs. Near the level, the exact test decides."""
    stream = np.random.RandomState(7)
    contributions = stream.normal(0, 1, (30, 12)) + np.linspace(0, 1.2, 30)[:, None]
    expected = [[flip_signs(one - other) < 0.05 for one in contributions] for other in contributions]
    assert find_significant(contributions, 0.05).tolist() == expected
    assert not find_significant(contributions[:, :5], 0.05).any()  # 2 / 2^5 is above 0.05
    assert find_significant(contributions[:1], 0.05).tolist() == [[False]]


def test_the_last_two_models_are_compared_and_a_p_value_at_the_level_does_not_count() -> None:
    """With equal differences in 5 topics, p is 2 / 2^5 = 0.0625."""
    contributions = np.array([[0.0] * 5, [0.0] * 5, [1.0] * 5])
    assert find_significant(contributions, 0.0626).tolist() == [
        [False, False, True], [False, False, True], [True, True, False],
    ]  # fmt: skip
    assert not find_significant(contributions, 0.0625).any()


def test_the_level_and_the_grid_are_those_of_published_p_values() -> None:
    """Another grid would give other p-values above the exact one, the share of all 2^16 flips."""
    values = np.random.RandomState(1).normal(0.4, 1, 16).round(3)
    assert SIGNIFICANCE == 0.05
    assert flip_signs(values) == 0.41180419921875
    assert flip_all(values) == 0.41082763671875


def count_by_programming(values: np.ndarray) -> float:
    """The p-value by a dynamic program over the whole grid, without shortcuts."""
    topics, total = len(values), float(np.abs(values).sum())
    scale = 1024 * topics / total
    steps = np.rint(np.abs(values) * scale).astype(int)
    counts = np.zeros(int(steps.sum()) + 1)
    counts[0] = 1
    for step in steps:
        counts[step:] += counts[: len(counts) - step].copy()
    sums = np.abs(2 * np.arange(len(counts)) - int(steps.sum()))
    return float(counts[sums >= abs(float(values.sum())) * scale - topics / 2].sum() / counts.sum())


def test_many_rows_at_once_have_the_p_values_of_the_whole_grid() -> None:
    """To the last digit, for 1,000 random rows: few and many topics, ties, zeros, and equal signs."""
    stream, count = np.random.RandomState(2), 0
    for topics in (1, 2, 3, 5, 8, 12, 22, 23, 24, 25, 30, 40):
        rows = stream.normal(stream.choice([0, 0.4, 3], (84, 1)), 1, (84, topics)).round(1 + topics % 5)
        rows[:3, ::2] = 0
        rows = rows[np.abs(rows).sum(axis=1) > 0]
        count += len(rows)
        assert flip_signs_of_rows(rows).tolist() == [count_by_programming(row) for row in rows]
    assert count > 1000
    assert flip_signs_of_rows(np.zeros((2, 9))).tolist() == [1, 1]
    assert flip_signs_of_rows(np.zeros((0, 9))).tolist() == []
    assert flip_signs_of_rows(np.zeros((1, 0))).tolist() == [1]


def test_sums_that_rounding_may_have_moved_count() -> None:
    """Rounding moves each of four sizes by half a step at most, and so their sum by two steps.

    These sizes are whole steps of the grid, 4096 together. Flipping the first one leaves 4096 - 2, which counts.
    """
    assert flip_signs(np.array([1.0, 1365.0, 1365.0, 1365.0])) == 4 / 16
    assert flip_signs(np.array([2.0, 1364.0, 1365.0, 1365.0])) == 2 / 16


def test_eight_equal_differences_are_significant_and_one_is_not() -> None:
    contributions = np.zeros((4, 8))
    contributions[1], contributions[2, 0], contributions[3] = 0.1, 0.1, -0.1
    differs = find_significant(contributions, SIGNIFICANCE)
    assert np.argwhere(np.triu(differs)).tolist() == [[0, 1], [0, 3], [1, 2], [1, 3], [2, 3]]


def test_rows_do_not_depend_on_their_blocks() -> None:
    """Rows of all sizes of effects, which are tested in blocks, have the p-values that they have alone."""
    stream = np.random.RandomState(3)
    differences = stream.normal(size=(200, 12)) + np.linspace(0, 4, 200)[:, None]
    differences[::7] = np.round(differences[::7])
    p_values = flip_signs_of_rows(differences)
    assert p_values.tolist() == [flip_signs(row) for row in differences]
    assert p_values.min() == find_lowest_p(12)
    assert p_values.max() > 0.5
