"""Rounding of scores: scores of any size keep their order, and rounding again, also of a part, changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.stats.rounding import (
    LARGEST_SCORE,
    count_merged,
    find_decimals,
    round_as,
    round_new_scores,
    round_scores,
    round_to_size,
)

FLOATS = st.floats(-1e300, 1e300)


@pytest.mark.parametrize(
    ("largest", "decimals"),
    [
        (0.0, 6),
        (0.1, 6),
        (0.0999999999, 6),  # rounded to 0.1
        (0.099999, 7),
        (-0.01, 7),
        (1.2e-6, 11),
        (1e-310, 315),
        (1e9, 6),
        (1.1e9, 4),
        (1e13, 0),
        (-1e300, -287),
    ],
)
def test_decimals_follow_from_the_largest_score(largest: float, decimals: int) -> None:
    assert find_decimals([0.0, largest, np.nan, -np.inf, largest / 3]) == decimals
    assert find_decimals([]) == find_decimals([np.nan]) == 6


@pytest.mark.parametrize("factor", [1e-320, 1e-300, 1e-50, 1e-7, 0.03, 1.0, 3e8, 3e9, 1e100, 1e298])
def test_a_factor_changes_no_order(factor: float) -> None:
    """0.1 + 0.2 and 0.3 differ by a rounding error only, and are ties at any size but the last digits of floats."""
    scores = np.array([3.0, 0.0, 12.0, 3.0, 7.0, -1.0])
    ranks = np.unique(scores, return_inverse=True)[1].tolist()
    for rounded in (round_to_size(scores * factor), round_new_scores(scores * factor)):
        assert np.unique(rounded, return_inverse=True)[1].tolist() == ranks
    if 1e-300 <= factor != 3e8:  # up to 1e9, scores have six decimals, which tell rounding errors apart
        assert len(np.unique(round_to_size(np.array([0.1 + 0.2, 0.3, 1.0]) * factor))) == 2


@given(st.lists(FLOATS, min_size=1, max_size=20), st.integers(-320, 0))
@example([0.0999999996, 0.012345678], 0)
@example([9.999999999999999e299, 1.0], 0)
@example([1e9 + 4000, 0.1234567], 0)
def test_rounding_a_part_again_changes_nothing(scores: list[float], exponent: int) -> None:
    """Files are rounded when they are read, and metrics round the test split again."""
    values = np.array(scores) * float(f"1e{exponent}")
    for rounded in (round_to_size(values), round_new_scores(values)):
        for part in (rounded, rounded[:1], rounded[::2]):
            assert round_to_size(part).tolist() == part.tolist()


@given(st.lists(FLOATS, min_size=1, max_size=20), st.integers(-320, 0))
def test_rounded_scores_are_those_of_their_decimal_notation(scores: list[float], exponent: int) -> None:
    rounded = round_to_size(np.array(scores) * float(f"1e{exponent}"))
    decimals = find_decimals(rounded)
    assert [round(score, decimals) for score in rounded.tolist()] == rounded.tolist()


def test_six_decimals_stay_if_they_tell_all_scores_apart() -> None:
    assert round_new_scores([0.0123456789, 0.02]).tolist() == [0.012346, 0.02]
    assert round_new_scores([0.0123456789, 0.0123459, 0.02]).tolist() == [0.0123457, 0.0123459, 0.02]
    assert round_new_scores([0.5, 4e-7, 3e-7]).tolist() == [0.5, 0.0, 0.0]


def test_differences_of_the_largest_scores_are_finite() -> None:
    assert LARGEST_SCORE == 1e300  # as docs/file_formats.md says
    assert round_to_size([LARGEST_SCORE, -LARGEST_SCORE]).tolist() == [1e300, -1e300]


def test_noise_of_large_scores_is_rounded_away() -> None:
    assert round_new_scores([3e15, 3e15 + 0.5, 1e15]).tolist() == [3e15, 3e15, 1e15]


def test_values_are_rounded_as_the_scores_that_they_come_from() -> None:
    assert round_as([1e-9, 1.5e-13], [2e-8]).tolist() == [1e-9, 2e-13]
    assert round_as([1e-9], [1.0]).tolist() == [0.0]


def test_rounding_keeps_shape_nan_and_infinity() -> None:
    rounded = round_to_size([[1e-9, np.nan], [np.inf, -0.0]])
    assert rounded[0, 0] == 1e-9
    assert np.isnan(rounded[0, 1])
    assert rounded[1].tolist() == [np.inf, 0.0]
    assert not np.signbit(rounded[1, 1])
    assert round_to_size(4.4e-9) == 4.4e-9
    assert round_to_size(np.zeros((0, 3))).shape == (0, 3)


STEPS = np.arange(8) / 8


@pytest.mark.parametrize(
    ("scores", "merged"),
    [
        (STEPS, None),
        (np.r_[STEPS, np.nan], None),
        (1 - STEPS * 1e-8, (8, 1)),
        (1e13 + STEPS, (8, 2)),
        (np.r_[STEPS, 1e20], (9, 2)),
        (0.9 - np.r_[STEPS[:5] * 1e-8, 0.1, 0.2, 0.3], None),  # eight scores, of which four are left
        (0.9 - np.r_[STEPS * 1e-8, 0.1, 0.2], (10, 3)),
        (1 - np.arange(3) * 2.0**-50, None),
        (np.r_[np.arange(1000) / 1000, 1 + np.arange(2000) * 1e-10], None),
        (np.zeros(0), None),
    ],
)
def test_scores_that_rounding_merges(scores: np.ndarray, merged: tuple[int, int] | None) -> None:
    """Scores on a large offset, or beside a much larger one, became ties, and nothing said so."""
    assert count_merged(scores, round_new_scores(scores), are_sums=False) == merged


def test_small_sums_can_be_rounding_errors() -> None:
    scores = np.r_[STEPS * 1e-15, 1.0]
    assert count_merged(scores, round_scores(scores), are_sums=False) == (9, 2)
    assert count_merged(scores, round_scores(scores), are_sums=True) is None
    assert count_merged(STEPS * 1e-15, round_scores(STEPS * 1e-15), are_sums=True) == (8, 1)
