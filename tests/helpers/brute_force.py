"""Statistics computed by brute force, for comparison."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def flip_all(differences: npt.ArrayLike) -> float:
    """Return the share of all sign flips whose sum is at least as far from 0 as the sum itself, by enumeration."""
    sums = np.zeros(1)
    for difference in np.asarray(differences, dtype=float):
        sums = np.concatenate([sums - difference, sums + difference])
    return float((np.abs(sums) >= abs(np.sum(differences)) - 1e-9).mean())
