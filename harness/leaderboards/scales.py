"""Scales of charts: a range between round numbers, and positions on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Possible distances between ticks. Metrics are between -1 and 1."""

_MOST_STEPS = 6
"""Maximum number of steps. More labels would overlap on a phone."""


class Scale(NamedTuple):
    """A scale that begins and ends at a tick.

    Attributes:
        ticks: Ascending values of the ticks, at least two.
        labels: Labels of the ticks.
    """

    ticks: tuple[float, ...]
    labels: tuple[str, ...]

    def place(self, value: float) -> float:
        """Return the position of a value as a share of the length of the scale."""
        low, high = self.ticks[0], self.ticks[-1]
        return (value - low) / (high - low)


def make_scale(values: Sequence[float]) -> Scale:
    """Make the scale with the finest steps that contains all values.

    Args:
        values: At least one value between -1 and 1.

    Returns:
        A scale of at most `_MOST_STEPS` steps where possible.
    """
    for step in _STEPS:
        # Rounded before floor and ceil, because 0.3 / 0.1 is slightly less than 3.
        first = math.floor(round(min(values) / step, 6))
        last = max(math.ceil(round(max(values) / step, 6)), first + 1)
        if last - first <= _MOST_STEPS:
            break
    decimals = 2 if step < 0.1 else 1
    ticks = tuple(round(number * step, 2) for number in range(first, last + 1))
    return Scale(ticks, tuple(f"{tick:.{decimals}f}" for tick in ticks))
