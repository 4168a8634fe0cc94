"""Statistics computed in the plainest way, to compare with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def flip_all(differences: npt.ArrayLike) -> float:
    """The share of all sums with flipped signs that are as far from 0 as the sum itself: one after another."""
    sums = np.zeros(1)
    for difference in np.asarray(differences, dtype=float):
        sums = np.concatenate([sums - difference, sums + difference])
    return float((np.abs(sums) >= abs(np.sum(differences)) - 1e-9).mean())
