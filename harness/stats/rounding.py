"""Rounding of scores: scores that are equal to six decimals are equal."""

from __future__ import annotations

from typing import NewType

import numpy as np
import numpy.typing as npt

DECIMALS = 6
"""Decimals of scores. They are rounded before they are compared, so ties do not depend on the order of sums."""


RoundedScores = NewType("RoundedScores", npt.NDArray[np.float64])
"""Scores that `round_scores` has rounded, or a selection of them."""


def round_scores(scores: npt.ArrayLike) -> RoundedScores:
    """Round to `DECIMALS`; minus zero becomes zero. The shape stays."""
    with np.errstate(over="ignore"):  # a number too large to be rounded becomes infinite, which callers refuse
        return RoundedScores(np.asarray(np.round(np.asarray(scores, dtype=np.float64), DECIMALS) + 0.0))
