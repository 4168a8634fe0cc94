"""Rounding of scores: scores that are equal to six decimals are equal."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

DECIMALS = 6
"""Decimals of scores. They are rounded before they are compared, so ties do not depend on the order of sums."""


def round_scores(scores: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Round to `DECIMALS`; minus zero becomes zero. The shape stays."""
    with np.errstate(over="ignore"):  # a number too large to be rounded becomes infinite, which callers refuse
        return np.asarray(np.round(np.asarray(scores, dtype=np.float64), DECIMALS) + 0.0)
