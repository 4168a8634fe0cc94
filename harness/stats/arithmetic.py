"""Arithmetic of arrays without warnings."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def divide(numerator: Floats, denominator: Floats) -> Floats:
    """Divide two arrays of the same shape. The quotient is 0 where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)
