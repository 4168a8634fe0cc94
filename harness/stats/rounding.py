"""Rounding of scores. Scores that are equal after rounding to six decimals are tied."""

from __future__ import annotations

from typing import NewType

import numpy as np
import numpy.typing as npt

DECIMALS = 6
"""Decimals of scores. They are rounded before they are compared, so ties do not depend on the order of sums."""


RoundedScores = NewType("RoundedScores", npt.NDArray[np.float64])
"""Scores that `round_scores` has rounded, or a selection of them."""


def round_scores(scores: npt.ArrayLike) -> RoundedScores:
    """Round scores of any shape to `DECIMALS`. Minus zero becomes zero."""
    with np.errstate(over="ignore"):  # a number that is too large becomes infinite, and callers refuse it
        return RoundedScores(np.asarray(np.round(np.asarray(scores, dtype=np.float64), DECIMALS) + 0.0))
