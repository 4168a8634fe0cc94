"""Similarities of rows of dense and sparse vectors. Distances are negative, so that higher numbers are more similar."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from harness.stats.cosine import Floats, Matrix

COSINE, DOT, EUCLIDEAN, MANHATTAN = SIMILARITIES = ("cosine", "dot", "euclidean", "manhattan")
"""The similarities, which have the names and definitions of sentence-transformers."""


def prepare_vectors(vectors: Matrix, similarity: str) -> Matrix:
    """Return vectors in double precision, in the form that a similarity compares: unit vectors for the cosine.

    Args:
        vectors: Shape (n, dimension), a dense array or a `scipy.sparse.csr_matrix`.
        similarity: One of `SIMILARITIES`.
    """
    from harness.stats.cosine import normalize  # imported here, because importing scipy takes long

    if similarity == COSINE:
        return normalize(vectors)
    return vectors.astype(np.float64)


def compare_vectors(prepared: Matrix, pairs: npt.NDArray[np.int64], similarity: str) -> Floats:
    """Compute the similarity of each pair of rows.

    Args:
        prepared: Vectors from `prepare_vectors`.
        pairs: Indices of rows, shape (n, 2).
        similarity: One of `SIMILARITIES`.

    Returns:
        Shape (n,). Only the cosine is always finite.
    """
    from harness.stats.cosine import compare_pairs, dot_rows

    compare = {COSINE: dot_rows, DOT: dot_rows, EUCLIDEAN: _negate_euclidean, MANHATTAN: _negate_manhattan}[similarity]
    with np.errstate(over="ignore", invalid="ignore"):  # the caller refuses values that are not finite
        return compare_pairs(prepared, pairs, compare)


def _negate_euclidean(left: Matrix, right: Matrix) -> Floats:
    """Return minus the Euclidean distance of each row of a matrix and the same row of another matrix."""
    from harness.stats.cosine import dot_rows

    difference = left - right
    return -np.sqrt(dot_rows(difference, difference))


def _negate_manhattan(left: Matrix, right: Matrix) -> Floats:
    """Return minus the sum of the absolute differences, as `_negate_euclidean` does for the Euclidean distance."""
    return -np.asarray(abs(left - right).sum(axis=1), dtype=np.float64).ravel()


def find_zero_rows(vectors: Matrix) -> npt.NDArray[np.int64]:
    """Return the indices of the rows of zeros of a dense or sparse matrix."""
    if isinstance(vectors, np.ndarray):
        return np.flatnonzero(~vectors.any(axis=1))
    return np.flatnonzero(np.asarray((vectors != 0).sum(axis=1)).ravel() == 0)
