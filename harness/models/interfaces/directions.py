"""Rules that combine the scores of the two orders of a pair of texts into one score."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class DirectionRule(NamedTuple):
    """A rule that combines the scores of both orders of a pair.

    Attributes:
        name: Name of the rule in a spec and in results.
        combine: Function of the scores of pairs in the given order and in reverse order. It returns one score per pair.
    """

    name: str
    combine: Callable[[Floats, Floats], Floats]


def _average(forward: Floats, backward: Floats) -> Floats:
    return (forward + backward) / 2


DIRECTION_RULES = (
    DirectionRule("minimum", np.minimum),
    DirectionRule("mean", _average),
    DirectionRule("product", np.multiply),
)
"""All rules. The first rule, minimum, follows from the definition: paraphrases entail each other."""
