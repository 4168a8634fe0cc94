"""Types of arrays, by their elements, and the numbering of values."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def number_values(values: Indices) -> tuple[Indices, Indices]:
    """Number the distinct values of an array in ascending order.

    Args:
        values: Non-negative integers of any shape.

    Returns:
        The distinct values, shape (k,), and the number of each value, from 0 to k - 1, in the shape of the array.
    """
    if values.max(initial=0) > values.size:
        distinct, numbers = np.unique(values, return_inverse=True)
        return distinct, numbers.reshape(values.shape)  # some versions of NumPy return them flat
    distinct = np.flatnonzero(np.bincount(values.ravel()))  # several times faster than sorting
    numbers = np.zeros(int(values.max(initial=0)) + 1, dtype=np.int64)
    numbers[distinct] = np.arange(len(distinct))
    return distinct, numbers[values]
