"""Cosines of rows of dense and sparse vectors. Rounded to `DECIMALS`, they are the same on any machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Matrix = Any
"""A dense array in double precision, or a `scipy.sparse.csr_matrix`."""

Floats = npt.NDArray[np.float64]

_ROWS_AT_ONCE = 4096


def normalize(vectors: npt.ArrayLike | sp.csr_matrix) -> Matrix:
    """Divide every row by its Euclidean norm, in double precision. Rows of zeros do not change.

    Args:
        vectors: Shape (n, dimension). Dense vectors are first converted to single precision.

    Returns:
        Unit vectors of the same shape and kind.
    """
    if isinstance(vectors, sp.csr_matrix):
        starts = range(0, vectors.shape[0], _ROWS_AT_ONCE)
        parts = (vectors[start : start + _ROWS_AT_ONCE].astype(np.float64, copy=False) for start in starts)
        squares = [np.asarray(part.multiply(part).sum(axis=1)).ravel() for part in parts]
        norms = np.sqrt(np.concatenate([np.zeros(0), *squares]))
        return sp.csr_matrix(sp.diags_array(1 / np.where(norms > 0, norms, 1)) @ vectors)
    dense = np.asarray(vectors, dtype=np.float32).astype(np.float64)
    # First divide by the largest value, because squares of very small or large numbers would be 0 or infinite.
    largest = np.abs(dense).max(axis=1, initial=0, keepdims=True)
    dense /= np.where(largest > 0, largest, 1)
    norms = np.linalg.norm(dense, axis=1, keepdims=True)
    return np.asarray(dense / np.where(norms > 0, norms, 1))


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


def cosine_of_pairs(unit: Matrix, pairs: npt.NDArray[np.int64]) -> Floats:
    """Compute the cosine of each pair of rows.

    Args:
        unit: Normalized rows, shape (texts, dimension).
        pairs: Indices of rows, shape (n, 2).

    Returns:
        Shape (n,), in [-1, 1]. It is 0 where a vector is zero.
    """
    return compare_pairs(unit, pairs, dot_rows)


def compare_pairs(vectors: Matrix, pairs: npt.NDArray[np.int64], compare: Callable[[Matrix, Matrix], Floats]) -> Floats:
    """Compare each pair of rows, in blocks of pairs to bound memory.

    Args:
        vectors: Rows, shape (texts, dimension).
        pairs: Indices of rows, shape (n, 2).
        compare: Function of the rows of two matrices, shape (block, dimension). It returns shape (block,).

    Returns:
        Shape (n,).
    """
    chunks = range(0, len(pairs), _ROWS_AT_ONCE)
    parts = (pairs[start : start + _ROWS_AT_ONCE] for start in chunks)
    return np.concatenate([compare(vectors[part[:, 0]], vectors[part[:, 1]]) for part in parts] or [np.zeros(0)])
