"""The bootstrap over topics for correlations, and intervals that are centred on what was found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from harness.meta_evaluation.blocks import Block
from harness.meta_evaluation.correlations import Floats
from harness.meta_evaluation.settings import Settings
from harness.metrics.rounding import DECIMALS
from harness.statistics import Samples, bootstrap, find_intervals

Interval = tuple[float, float]

_CELLS_AT_ONCE = 1 << 19
"""Resamples times systems: few enough for little memory, and enough to be fast."""


def resample(measure: Callable[[Floats], Samples], block: Block, settings: Settings) -> dict[str, Floats]:
    """Measure correlations on topics drawn anew.

    Args:
        measure: From weights of topics, shape (n, topics), to values by name, shape (n,).
        block: What is measured.
        settings: How often topics are drawn, and by which seed.

    Returns:
        By name, shape (resamples,).
    """
    step = max(1, _CELLS_AT_ONCE // len(block.systems))

    def measure_in_parts(weights: Floats) -> dict[str, Floats]:
        parts = [measure(weights[start : start + step]) for start in range(0, len(weights), step)]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    return dict(bootstrap(measure_in_parts, len(block.topics), settings.resamples, settings.seed))


def find_interval(value: float, drawn: Floats, widest: float = 1.0) -> Interval:
    """Find an interval of 95 % around a value.

    Means over a resample, which has fewer distinct topics, are noisier than means over all topics, so that correlations
    of systems are lower in resamples by about as much as noise lowers the value itself. Percentiles of the resamples
    would take that off twice. They are shifted by as much as the mean of the resamples is off the value: [value + l -
    mean, value + u - mean] with the percentiles l and u, which are the differences that the bootstrap's p is of.

    Args:
        value: What all topics give.
        drawn: Shape (n,), at least one: what resamples give.
        widest: The largest size that the value can have; the ends are cut there.

    Returns:
        Both ends.
    """
    ends = find_intervals({"": drawn - drawn.mean() + value})[""]
    lower, upper = (round(min(max(end, -widest), widest), DECIMALS) + 0.0 for end in ends)
    return lower, upper
