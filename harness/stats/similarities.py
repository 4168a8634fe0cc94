"""Similarities of rows of dense and sparse vectors. Rounded to `DECIMALS`, cosines are the same on any machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.support.arrays import Floats, Indices

Matrix = Any
"""A dense array in double precision, or a `scipy.sparse.csr_matrix`. Importing scipy takes long, and happens late."""


COSINE, DOT, EUCLIDEAN, MANHATTAN = SIMILARITIES = ("cosine", "dot", "euclidean", "manhattan")
"""The similarities, which have the names and definitions of sentence-transformers. Distances are negative, so that
higher numbers are more similar."""

_ROWS_AT_ONCE = 4096
_SMALLEST, _LARGEST = 2.0**-100, float(np.finfo(np.float32).max)
"""Range of the largest absolute value of a row that keeps its digits in single precision."""


def prepare_vectors(vectors: Matrix, similarity: str) -> Matrix:
    """Return vectors in double precision, in the form that a similarity compares: unit vectors for the cosine.

    Args:
        vectors: Shape (n, dimension), a dense array or a `scipy.sparse.csr_matrix`.
        similarity: One of `SIMILARITIES`.
    """
    if similarity == COSINE:
        return normalize(vectors)
    return vectors.astype(np.float64)


def normalize(vectors: Matrix) -> Matrix:
    """Divide every row by its Euclidean norm, in double precision. Rows of zeros do not change.

    Args:
        vectors: Shape (n, dimension). Dense vectors are first converted to single precision, as by `to_single`.

    Returns:
        Unit vectors of the same shape and kind.
    """
    import scipy.sparse as sp

    if isinstance(vectors, sp.csr_matrix):
        # Block by block, because a block needs several copies.
        data, indices = np.empty(vectors.nnz), np.empty(vectors.nnz, dtype=vectors.indices.dtype)
        ends = [np.zeros(1, dtype=vectors.indptr.dtype)]
        for start in range(0, vectors.shape[0], _ROWS_AT_ONCE):
            part = _scale_rows(vectors[start : start + _ROWS_AT_ONCE])
            norms = np.sqrt(np.asarray(part.multiply(part).sum(axis=1)).ravel())
            units = sp.csr_matrix(sp.diags_array(1 / np.where(norms > 0, norms, 1)) @ part)
            ends.append(ends[-1][-1] + units.indptr[1:])
            place = slice(ends[-2][-1], ends[-1][-1])
            data[place], indices[place] = units.data, units.indices
        count = ends[-1][-1]
        return sp.csr_matrix((data[:count], indices[:count], np.concatenate(ends)), shape=vectors.shape)
    dense = to_single(np.asarray(vectors)).astype(np.float64)
    # First divide by the largest value, because squares of very small or large numbers would be 0 or infinite.
    largest = np.abs(dense).max(axis=1, initial=0, keepdims=True)
    dense /= np.where(largest > 0, largest, 1)
    norms = np.linalg.norm(dense, axis=1, keepdims=True)
    return np.asarray(dense / np.where(norms > 0, norms, 1))


def _scale_rows(vectors: Matrix) -> Matrix:
    """Multiply each row of a sparse matrix by a power of two, so that its largest absolute value is about 1.

    Squares of the values are then neither 0 nor infinite. All digits stay as they are, and so do all cosines.
    """
    double = vectors.astype(np.float64)
    largest = abs(double).max(axis=1).toarray().ravel()
    exponents = np.frexp(largest)[1]
    double.data = np.ldexp(double.data, -np.repeat(exponents, np.diff(double.indptr)))
    return double


def is_beyond_single(vectors: npt.NDArray[Any]) -> bool:
    """Return whether `to_single` changes the length of a row of dense vectors."""
    return bool(_find_beyond_single(vectors)[1].any())


def _find_beyond_single(vectors: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Return the largest absolute value of each row, and whether the row is beyond single precision."""
    largest = np.maximum(vectors.max(axis=1, initial=0), -vectors.min(axis=1, initial=0))
    if vectors.dtype.kind != "f" or vectors.dtype.itemsize <= np.dtype(np.float32).itemsize:
        return largest, np.zeros(len(vectors), dtype=bool)
    return largest, np.isfinite(largest) & ((largest < _SMALLEST) | (largest > _LARGEST)) & (largest > 0)


def to_single(vectors: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Convert dense vectors to single precision.

    Args:
        vectors: Shape (n, dimension), integers or floats.

    Returns:
        A new array of the same shape. Rows whose values are beyond single precision are first multiplied by a power of
        two, so that they do not become infinite or zero. That changes no cosine, but the length of these rows.
    """
    largest, is_beyond = _find_beyond_single(vectors)
    if is_beyond.any():
        vectors = vectors.copy()
        vectors[is_beyond] = np.ldexp(vectors[is_beyond], -np.frexp(largest[is_beyond])[1][:, None])
    with np.errstate(over="ignore"):  # of rows with an infinite value, which callers refuse
        return np.array(vectors, dtype=np.float32)


def compare_vectors(prepared: Matrix, pairs: Indices, similarity: str) -> Floats:
    """Compute the similarity of each pair of rows, in blocks of pairs to bound memory.

    Args:
        prepared: Vectors from `prepare_vectors`, shape (texts, dimension).
        pairs: Indices of rows, shape (n, 2).
        similarity: One of `SIMILARITIES`.

    Returns:
        Shape (n,). Only the cosine is always finite. It is in [-1, 1], and 0 where a vector is zero.
    """
    compare = _COMPARE[similarity]
    with np.errstate(over="ignore", invalid="ignore"):  # the caller refuses values that are not finite
        parts = (pairs[start : start + _ROWS_AT_ONCE] for start in range(0, len(pairs), _ROWS_AT_ONCE))
        return np.concatenate([compare(prepared[part[:, 0]], prepared[part[:, 1]]) for part in parts] or [np.zeros(0)])


def dot_rows(left: Matrix, right: Matrix) -> Floats:
    """Compute the dot product of each row of a matrix with the same row of another matrix.

    Args:
        left: Shape (n, dimension).
        right: The same shape and kind.

    Returns:
        Shape (n,).
    """
    if not isinstance(left, np.ndarray):
        return np.asarray(left.multiply(right).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("nd,nd->n", left, right)


def _negate_euclidean(left: Matrix, right: Matrix) -> Floats:
    """Return minus the Euclidean distance of each row of a matrix and the same row of another matrix."""
    difference = left - right
    return -np.sqrt(dot_rows(difference, difference))


def _negate_manhattan(left: Matrix, right: Matrix) -> Floats:
    """Return minus the sum of the absolute differences, as `_negate_euclidean` does for the Euclidean distance."""
    return -np.asarray(abs(left - right).sum(axis=1), dtype=np.float64).ravel()


_COMPARE: dict[str, Callable[[Matrix, Matrix], Floats]] = {
    COSINE: dot_rows,
    DOT: dot_rows,
    EUCLIDEAN: _negate_euclidean,
    MANHATTAN: _negate_manhattan,
}


def find_zero_rows(vectors: Matrix) -> Indices:
    """Return the indices of the rows of zeros of a dense or sparse matrix."""
    if isinstance(vectors, np.ndarray):
        return np.flatnonzero(~vectors.any(axis=1))
    vectors.sum_duplicates()
    has_entries = np.diff(vectors.indptr) > 0
    is_zero = ~has_entries
    is_zero[has_entries] = ~np.logical_or.reduceat(vectors.data != 0, vectors.indptr[:-1][has_entries])
    return np.flatnonzero(is_zero)


def link_nearest(similarities: Floats, groups: Sequence[str]) -> list[tuple[float, int, int]]:
    """Join items into clusters, the most similar clusters first, but never two items of one group.

    The similarity of two clusters is the mean over their pairs of items (average linkage). It falls from step to step,
    so the steps down to a threshold make the clusters of that threshold. Among equal similarities, the first clusters
    are joined.

    Args:
        similarities: Shape (items, items), symmetric.
        groups: The group of each item.

    Returns:
        The steps: the similarity, the first item of a cluster, and that of the cluster that is joined to it.
    """
    sums, sizes = np.array(similarities, dtype=np.float64), np.ones(len(groups))
    _, group_of = np.unique(np.asarray(groups), return_inverse=True)
    members = np.eye(group_of.max(initial=-1) + 1, dtype=np.int64)[group_of]  # numbers of items by cluster and group
    may_join = np.triu(members @ members.T == 0)
    steps = []
    while may_join.any():
        means = np.where(may_join, sums / np.outer(sizes, sizes), -np.inf)
        first, second = map(int, divmod(int(means.argmax()), len(sizes)))
        steps.append((float(means[first, second]), first, second))
        sums[first] += sums[second]
        sums[:, first] += sums[:, second]
        sizes[first] += sizes[second]
        members[first] += members[second]
        may_join[second] = may_join[:, second] = False
        shares_group = members @ members[first] > 0
        may_join[first] &= ~shares_group
        may_join[:, first] &= ~shares_group
    return steps
