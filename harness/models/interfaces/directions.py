"""Rules by which the scores of the two orders of a pair of texts become one score."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class DirectionRule(NamedTuple):
    """A rule.

    Attributes:
        name: Its name in a spec and in results.
        combine: Returns the scores of pairs from the scores of their texts in order and in reverse order.
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
"""All rules. The first one follows from the definition: paraphrases entail each other."""
