"""The bootstrap over topics and systems for correlations, and intervals that are centred on the observed value."""

from __future__ import annotations

import numpy as np

from harness.stats.bootstrap import Samples, bootstrap, find_intervals, join_samples
from harness.stats.rounding import DECIMALS
from harness.stats.significance import MIN_TOPICS
from harness.summarization.meta_evaluation.blocks import Block
from harness.summarization.meta_evaluation.correlations import LEVELS, SUMMARY, Floats, Indices
from harness.summarization.meta_evaluation.settings import Settings

Interval = tuple[float, float]

MIN_DRAWN_SYSTEMS = 5
"""With fewer systems, many resamples contain only two distinct systems, whose correlation is always 1 or -1."""

_CELLS_AT_ONCE = 1 << 19
"""Maximum number of resamples times scores to correlate at a time: a compromise between memory and speed."""

SLACK = 1e-9
"""Differences of correlations that are this close are treated as equal, because sums have rounding errors."""


def can_resample(block: Block, topic_count: int, settings: Settings) -> bool:
    """Return whether there are enough topics and systems to draw from.

    Args:
        block: The scores to correlate.
        topic_count: Number of its topics that have a correlation.
        settings: The settings, with the units to draw.

    Returns:
        Whether there are `MIN_TOPICS` topics and `MIN_DRAWN_SYSTEMS` systems, if these are drawn.
    """
    has_topics = topic_count >= MIN_TOPICS or not settings.draws_topics
    has_systems = len(block.systems) >= MIN_DRAWN_SYSTEMS or not settings.draws_systems
    return has_topics and has_systems


class Resampler:
    """Correlates metrics with judgements on topics and systems drawn with replacement (Deutsch et al. 2021).

    All correlations of a block use the same resamples, so differences are paired. Each correlation is computed once,
    although it is part of many differences.

    Args:
        settings: The units to draw, the number of resamples, and the seed.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._drawn: dict[tuple[object, ...], dict[str, Floats]] = {}

    def correlate(self, names: tuple[str, str], level: str, block: Block, sides: tuple[int, int]) -> dict[str, Floats]:
        """Correlate two measures of a block on each resample.

        Args:
            names: Names of the metric and the judgement.
            level: One of `LEVELS`.
            block: The block that contains the scores of both.
            sides: Indices of the metric and the judgement in the block.

        Returns:
            Arrays of shape (resamples,) by name of the coefficient, or NaN where a coefficient is not defined.
        """
        key = (*names, level, block.systems, block.topics)
        if key not in self._drawn:
            self._drawn[key] = self._correlate(level, block.values[sides[0]], block.values[sides[1]])
        return self._drawn[key]

    def _correlate(self, level: str, metric: Floats, judgement: Floats) -> dict[str, Floats]:
        topic_count, system_count = metric.shape
        settings = self.settings
        stream = np.random.RandomState([settings.seed, 1])  # independent of the stream that draws topics
        cells = system_count * topic_count if settings.draws_systems and level == SUMMARY else system_count
        step = max(1, _CELLS_AT_ONCE // cells)

        def measure(weights: Floats) -> Samples:
            if not settings.draws_topics:
                weights = np.ones_like(weights)
            parts = []
            for start in range(0, len(weights), step):
                part = weights[start : start + step]
                systems = stream.randint(system_count, size=(len(part), system_count))
                drawn: Indices | None = systems if settings.draws_systems else None
                parts.append(LEVELS[level](metric, judgement, part, drawn))
            return join_samples(parts)

        return dict(bootstrap(measure, topic_count, settings.resamples, settings.seed))


def find_bootstrap_p(value: float, drawn: Floats) -> float:
    """Return the two-sided p-value of a difference, from resamples that are centred on 0.

    Args:
        value: The observed difference.
        drawn: Shape (n,), the differences of resamples.

    Returns:
        (1 + number of resamples that are at least as far from their mean as the value is from 0) / (1 + n).
    """
    extreme = np.abs(drawn - drawn.mean()) >= abs(value) - SLACK
    return round(float((1 + extreme.sum()) / (1 + len(drawn))), DECIMALS)


def find_interval(value: float, drawn: Floats, widest: float = 1.0) -> Interval:
    """Find a 95 % interval around a value.

    A resample has fewer distinct topics, so its means are noisier than means over all topics. Noise lowers correlations
    of systems. It lowers the value itself, and it lowers the resamples by about the same amount again. Percentiles of
    the resamples would contain this bias twice, whether or not systems are drawn as well. They are therefore shifted by
    the difference between the value and the mean of the resamples: [value + l - mean, value + u - mean] with the
    percentiles l and u. `find_bootstrap_p` uses the same differences from the mean. If only systems are drawn, the mean
    of the resamples is close to the value, and the shift is small.

    Args:
        value: The value on all topics.
        drawn: Shape (n,), n > 0, the values on resamples.
        widest: The largest possible absolute value. The ends are clipped to it.

    Returns:
        The lower and the upper end.
    """
    ends = find_intervals({"": drawn - drawn.mean() + value})[""]
    lower, upper = (round(min(max(end, -widest), widest), DECIMALS) + 0.0 for end in ends)
    return lower, upper
