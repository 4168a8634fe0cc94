"""Similarities of vectors: by hand, against sentence-transformers, dense and sparse."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from helpers.commands import Run
from scipy.cluster.hierarchy import linkage

from harness.stats import similarities
from harness.stats.similarities import SIMILARITIES, compare_vectors, find_zero_rows, link_nearest, prepare_vectors

VECTORS = np.array([[3.0, 4.0], [0.0, 2.0], [0.0, 0.0]], dtype=np.float32)
PAIRS = np.array([[0, 1], [0, 2], [1, 1]])
BY_HAND = {
    "cosine": [0.8, 0.0, 1.0],
    "dot": [8.0, 0.0, 4.0],
    "euclidean": [-(13**0.5), -5.0, 0.0],
    "manhattan": [-5.0, -7.0, 0.0],
}


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_by_hand_dense_and_sparse(similarity: str) -> None:
    for vectors in (VECTORS, sp.csr_matrix(VECTORS), sp.csr_matrix(VECTORS.astype(np.int32))):
        prepared = prepare_vectors(vectors, similarity)
        assert compare_vectors(prepared, PAIRS, similarity) == pytest.approx(BY_HAND[similarity])


@pytest.mark.needs("sentence_transformers")
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_values_are_those_of_sentence_transformers(similarity: str) -> None:
    from sentence_transformers import SimilarityFunction

    vectors = np.random.default_rng(0).normal(size=(20, 8)).astype(np.float32)
    pairs = np.random.default_rng(1).integers(0, 20, size=(50, 2))
    compare = SimilarityFunction.to_similarity_pairwise_fn(similarity)
    expected = compare(vectors[pairs[:, 0]], vectors[pairs[:, 1]]).numpy()
    assert compare_vectors(prepare_vectors(vectors, similarity), pairs, similarity) == pytest.approx(expected, abs=1e-5)


def test_vectors_can_be_too_long_for_other_similarities_than_the_cosine() -> None:
    """The square of 1e200 is beyond double precision. The caller refuses the result."""
    vectors = sp.csr_matrix(np.array([[1e200]]))
    assert compare_vectors(prepare_vectors(vectors, "dot"), np.array([[0, 0]]), "dot").tolist() == [np.inf]


def test_the_given_vectors_do_not_change() -> None:
    vectors = VECTORS.copy()
    for similarity in SIMILARITIES:
        compare_vectors(prepare_vectors(vectors, similarity), PAIRS, similarity)
    assert vectors.tolist() == VECTORS.tolist()


def test_the_names_do_not_need_scipy(run_python: Run) -> None:
    """The command `models` lists the names, and importing scipy takes long."""
    assert run_python("import sys, harness.stats.similarities; print('scipy' in sys.modules)").stdout == "False\n"


def test_blocks_of_rows_do_not_change_sparse_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even the order of their entries, in which products are summed."""
    vectors = sp.random_array((9, 30), density=0.3, format="csr", random_state=1)
    vectors = sp.csr_matrix(vectors[[0, 1, 2, 3, 4, 4, 5, 6, 7]])
    whole = prepare_vectors(vectors, "cosine")
    monkeypatch.setattr(similarities, "_ROWS_AT_ONCE", 2)
    blocks = prepare_vectors(vectors, "cosine")
    assert blocks.shape == (9, 30)
    for name in ("data", "indices", "indptr"):
        assert getattr(blocks, name).tolist() == getattr(whole, name).tolist()
    assert len(whole.data) > 50


def test_rows_of_zeros_dense_and_sparse() -> None:
    """A sparse matrix may store zeros explicitly."""
    assert find_zero_rows(VECTORS).tolist() == [2]
    stored_zero = sp.csr_matrix((np.array([0.0, 5.0]), np.array([0, 0]), np.array([0, 1, 2, 2])), shape=(3, 2))
    assert find_zero_rows(stored_zero).tolist() == [0, 2]
    assert find_zero_rows(np.array([[1.0, -1.0]])).tolist() == []


def test_items_of_one_group_are_never_joined() -> None:
    """Items 0 and 1 are the most similar, but of one group. 0 and 2 are joined first, and then nothing can join 1.

    Item 3 joins both by the mean of 0.2 and 0.6.
    """
    similarities = np.array([[1, 0.9, 0.8, 0.2], [0.9, 1, 0.7, 0.1], [0.8, 0.7, 1, 0.6], [0.2, 0.1, 0.6, 1]])
    assert link_nearest(similarities, ["a", "a", "b", "c"]) == [(0.8, 0, 2), (pytest.approx(0.4), 0, 3)]


def test_no_items_are_not_joined() -> None:
    assert link_nearest(np.zeros((0, 0)), []) == []


def test_items_of_different_groups_are_joined_as_by_scipy() -> None:
    """Average linkage of scipy 1.16 on 30 random points."""
    points = np.random.default_rng(7).normal(size=(30, 3))
    distances = np.sqrt(((points[:, np.newaxis] - points) ** 2).sum(axis=2))
    steps = link_nearest(-distances, [str(number) for number in range(30)])
    expected = linkage(points, method="average")[:, 2]
    assert [-similarity for similarity, _, _ in steps] == pytest.approx(expected.tolist())
