"""Scales of charts: a range of round numbers, and places on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Distances between ticks; metrics lie between -1 and 1."""

_MOST_STEPS = 6
"""More labels would touch each other on a telephone."""


class Scale(NamedTuple):
    """A scale that begins and ends at a tick.

    Attributes:
        ticks: Values of the ticks, rising; at least two.
        labels: Their labels.
    """

    ticks: tuple[float, ...]
    labels: tuple[str, ...]

    def place(self, value: float) -> float:
        """Return the place of a value, as a share of the length of the scale."""
        low, high = self.ticks[0], self.ticks[-1]
        return (value - low) / (high - low)


def make_scale(values: Sequence[float]) -> Scale:
    """Make the scale of the finest steps that holds all values.

    Args:
        values: At least one value between -1 and 1.

    Returns:
        A scale of at most `_MOST_STEPS` steps where possible.
    """
    for step in _STEPS:
        # Rounded first, because 0.3 / 0.1 is a little less than 3.
        first = math.floor(round(min(values) / step, 6))
        last = max(math.ceil(round(max(values) / step, 6)), first + 1)
        if last - first <= _MOST_STEPS:
            break
    decimals = 2 if step < 0.1 else 1
    ticks = tuple(round(number * step, 2) for number in range(first, last + 1))
    return Scale(ticks, tuple(f"{tick:.{decimals}f}" for tick in ticks))
