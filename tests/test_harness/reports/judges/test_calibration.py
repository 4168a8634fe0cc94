"""Calibration of probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression

from harness.reports.judges.measuring import BINS, find_bins, fit_probabilities, measure_reliability


def test_bins_have_equal_width_and_the_last_one_contains_1() -> None:
    assert find_bins(np.array([0.0, 0.09, 0.1, 0.55, 0.99, 1.0])).tolist() == [0, 0, 1, 5, 9, 9]


def test_reliability_by_hand() -> None:
    """Two bins: 0.1 and 0.15 with one of two labels, and 0.8 with its label. (2 * 0.375 + 1 * 0.2) / 3."""
    curve = measure_reliability(np.array([0.1, 0.15, 0.8]), [0, 1, 1])
    assert curve.counts.tolist() == [0, 2, 0, 0, 0, 0, 0, 0, 1, 0]
    assert (curve.means[1], curve.shares[1]) == (pytest.approx(0.125), 0.5)
    assert (curve.means[8], curve.shares[8]) == (0.8, 1.0)
    assert (curve.means[0], curve.shares[0]) == (0, 0)
    assert curve.error == pytest.approx((2 * 0.375 + 0.2) / 3)


def test_the_error_of_certain_and_right_answers_is_0() -> None:
    assert measure_reliability(np.array([0.0, 1.0, 1.0]), [0, 1, 1]).error == 0
    assert measure_reliability(np.array([1.0, 0.0]), [0, 1]).error == 1


@given(st.lists(st.tuples(st.floats(0, 1, width=16), st.integers(0, 1)), min_size=1, max_size=60))
def test_the_curve_is_that_of_scikit_learn(rows: list[tuple[float, int]]) -> None:
    """scikit-learn puts a probability on the bound of two bins into the lower one, so no such probability is drawn."""
    probabilities = np.array([(np.floor(value * 50) + 0.37) / 50 for value, _ in rows]).clip(0, 0.999)
    labels = [label for _, label in rows]
    shares, means = calibration_curve(labels, probabilities, n_bins=BINS)
    curve = measure_reliability(probabilities, labels)
    assert curve.means[curve.counts > 0] == pytest.approx(means)
    assert curve.shares[curve.counts > 0] == pytest.approx(shares)


def test_fitted_probabilities_by_hand() -> None:
    """Scores 2 and 3 violate the order, so both get the mean of their labels. Beyond the ends, the steps go on."""
    probability = fit_probabilities(np.array([1.0, 2.0, 3.0, 4.0]), [0, 1, 0, 1])
    assert probability(np.array([-9.0, 1.0, 2.0, 3.0, 3.5, 4.0, 99.0])).tolist() == pytest.approx(
        [0, 0, 0.5, 0.5, 0.75, 1, 1]
    )


def test_equal_scores_have_one_probability() -> None:
    probability = fit_probabilities(np.zeros(4), [0, 0, 0, 1])
    assert probability(np.array([0.0, 5.0])).tolist() == [0.25, 0.25]


def test_scores_of_any_size_are_fitted() -> None:
    scores = np.array([-1e300, 0, 1e300, 1.5e300])
    assert fit_probabilities(scores, [0, 0, 1, 1])(scores).tolist() == [0, 0, 1, 1]
    expected = IsotonicRegression(out_of_bounds="clip").fit([1, 2, 3], [0, 1, 1]).predict([1.5])
    assert fit_probabilities(np.array([1e-9, 2e-9, 3e-9]), [0, 1, 1])(np.array([1.5e-9])) == pytest.approx(expected)
