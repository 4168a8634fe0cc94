"""How exact scores are: what is equal to six decimals is equal."""

from __future__ import annotations

from typing import NewType

import numpy as np
import numpy.typing as npt

DECIMALS = 6
"""Scores are rounded to it before they are compared, so that ties do not depend on the order of floating-point sums."""


RoundedScores = NewType("RoundedScores", npt.NDArray[np.float64])
"""Scores that `round_scores` has rounded, or a selection of them."""


def round_scores(scores: npt.ArrayLike) -> RoundedScores:
    """Round to `DECIMALS`; minus zero becomes zero. The shape stays."""
    with np.errstate(over="ignore"):  # what is too large to be rounded becomes infinite, and is refused for that
        return RoundedScores(np.asarray(np.round(np.asarray(scores, dtype=np.float64), DECIMALS) + 0.0))
