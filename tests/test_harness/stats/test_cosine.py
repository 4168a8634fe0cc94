"""Cosines: zero vectors, extremes, sparse and dense, rounding."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from harness.stats.rounding import round_scores
from harness.stats.similarities import COSINE, compare_vectors, is_beyond_single, normalize, to_single

PAIRS = np.array([[0, 1], [1, 2], [0, 3], [2, 2]])


def test_by_hand_dense_and_sparse() -> None:
    vectors = np.array([[3.0, 4.0], [4.0, 3.0], [0.0, 2.0], [0.0, 0.0]], dtype=np.float32)
    expected = [24 / 25, 3 / 5, 0.0, 1.0]
    assert compare_vectors(normalize(vectors), PAIRS, COSINE) == pytest.approx(expected)
    assert compare_vectors(normalize(sp.csr_matrix(vectors)), PAIRS, COSINE) == pytest.approx(expected)


def test_the_cosine_with_a_zero_vector_is_zero() -> None:
    """Other harnesses return 0.5, or divide by zero."""
    assert compare_vectors(normalize(np.zeros((2, 3))), np.array([[0, 1], [1, 1]]), COSINE).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e-200, -1e-38, 1e-20, 1e20, 1e38, -1e200, 5e307])
def test_the_length_of_vectors_does_not_matter(scale: float) -> None:
    vectors = np.array([[1.0, 2.0], [2.0, 1.0]]) * scale
    assert compare_vectors(normalize(vectors), np.array([[0, 1]]), COSINE) == pytest.approx([0.8], abs=1e-6)
    assert compare_vectors(normalize(sp.csr_matrix(vectors)), np.array([[0, 1]]), COSINE) == pytest.approx([0.8])


TOP = float(np.finfo(np.float32).max)
BOTTOM = (
    2.0**-100
)  # far above the smallest numbers in single precision, so that small values of a row keep their digits


@pytest.mark.parametrize("row", [[1.0, 2.0], [TOP, -1.0], [-TOP, 1.0], [BOTTOM, 0.0], [0.0, -BOTTOM], [0.0, 0.0]])
def test_rows_within_single_precision_stay_as_they_are(row: list[float]) -> None:
    """Even if other rows are beyond it. These have a largest value from 0.5 to 1 afterwards."""
    single = to_single(np.array([row, [1e100, -2e100], [3e-50, 0.0], [0.0, -3e-50]]))
    assert single.dtype == np.float32
    assert single[0].tolist() == np.array(row, dtype=np.float32).tolist()
    assert single[1, 0] == -0.5 * single[1, 1]
    assert (np.abs(single[1:]).max(axis=1) >= 0.5).all()
    assert (np.abs(single[1:]).max(axis=1) < 1).all()


@pytest.mark.parametrize("largest", [np.nextafter(BOTTOM, 0), np.nextafter(TOP, np.inf)])
def test_rows_beyond_single_precision_begin_here(largest: float) -> None:
    assert 0.5 <= to_single(np.array([[largest, 0.0]]))[0, 0] <= 1


@pytest.mark.parametrize(
    "values", [np.array([[2**40, 3]]), np.array([[1e-35, 0]], dtype=np.float32), np.array([[2, 3]], dtype=np.float16)]
)
def test_other_types_are_copied_as_they_are(values: np.ndarray) -> None:
    single = to_single(values)
    assert single.tolist() == values.tolist()
    assert not np.shares_memory(single, values)
    assert to_single(values[:, :0]).shape == (1, 0)


def test_values_that_are_not_finite_stay_so() -> None:
    single = to_single(np.array([[np.inf, 1e100], [np.nan, 1e-100], [1e100, 0.0]]))
    assert np.isinf(single[0, 0])
    assert np.isnan(single[1, 0])
    assert single[2].tolist() == [pytest.approx(0.571494, abs=1e-6), 0.0]


def test_counts_of_50_000_equal_words() -> None:
    """The square of 50,000 does not fit into 32 bits, in which words are counted."""
    counts = sp.csr_matrix(np.array([[50_000, 0], [30_000, 40_000]], dtype=np.int32))
    assert compare_vectors(normalize(counts), np.array([[0, 1]]), COSINE) == pytest.approx([0.6])


@given(st.lists(st.lists(st.floats(-1e6, 1e6, width=32), min_size=4, max_size=4), min_size=2, max_size=20))
def test_cosines_are_symmetric_and_between_minus_one_and_one(rows: list[list[float]]) -> None:
    unit = normalize(np.array(rows))
    forth = compare_vectors(unit, np.array([[0, 1]]), COSINE)
    assert forth == compare_vectors(unit, np.array([[1, 0]]), COSINE)
    assert abs(forth[0]) <= 1 + 1e-9


def test_no_pairs_no_cosines() -> None:
    assert compare_vectors(np.zeros((1, 2)), np.zeros((0, 2), dtype=np.int64), COSINE).shape == (0,)


def test_many_pairs_are_compared_part_by_part() -> None:
    vectors = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
    pairs = np.random.default_rng(1).integers(0, 50, size=(10_000, 2))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = (unit[pairs[:, 0]] * unit[pairs[:, 1]]).sum(axis=1)
    assert compare_vectors(normalize(vectors), pairs, COSINE) == pytest.approx(expected, abs=1e-6)


def test_many_sparse_rows_are_normalized_part_by_part() -> None:
    """More rows than are normalized at a time, and fewer columns."""
    assert normalize(sp.csr_matrix(np.full((5000, 2), 3.0))).toarray() == pytest.approx(np.full((5000, 2), 0.5**0.5))


def test_rounding_makes_ties_and_no_minus_zero() -> None:
    rounded = round_scores([0.12345649, 0.1234561, -1e-9])
    assert rounded.tolist() == [0.123456, 0.123456, 0.0]
    assert not np.signbit(rounded[2])


@given(st.floats(allow_nan=False))
def test_rounding_again_changes_nothing(score: float) -> None:
    """Scores are rounded when they are made, and again when their file is read: ties have to stay the same."""
    rounded = round_scores(score)
    assert round_scores(rounded) == rounded


def test_which_vectors_lose_their_length() -> None:
    """Single precision reaches from about 1.2e-38 to 3.4e38."""
    for value, is_beyond in ((1.0, False), (1e-30, False), (1e30, False), (1e-60, True), (-1e60, True)):
        assert is_beyond_single(np.array([[1.0, 0.0], [0.0, value]])) is is_beyond
    assert not is_beyond_single(np.array([[0.0, 0.0]]))
    assert not is_beyond_single(np.array([[1e30]], dtype=np.float32))
