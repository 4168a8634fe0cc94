"""Arithmetic of arrays that never warns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def divide(numerator: Floats, denominator: Floats) -> Floats:
    """Divide; 0 where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)


def centre(values: Floats) -> Floats:
    """Scale values to a range of 1, and shift them so that their mean is 0; correlations stay what they are.

    Args:
        values: Shape (n,), rounded, and so of a size that has room for their range.

    Returns:
        The same shape; zeros if all are equal.
    """
    if not len(values):
        return values
    above = values - values.min()
    scaled = above / (above.max() or 1)
    return np.asarray(scaled - scaled.mean())
