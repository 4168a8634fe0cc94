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
"""With fewer systems, many resamples hold only two distinct systems, whose correlation is always 1 or -1."""

_CELLS_AT_ONCE = 1 << 19
"""Resamples times correlated scores: few enough for little memory, and enough to be fast."""

SLACK = 1e-9
"""Differences of correlations that are this close count as equal, since sums are rounded."""


def can_resample(block: Block, topic_count: int, settings: Settings) -> bool:
    """Tell whether there are enough topics and systems to draw from.

    Args:
        block: The scores to correlate.
        topic_count: Number of its topics that count.
        settings: Decides what is drawn.

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
        settings: What is drawn, the number of resamples, and the seed.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._drawn: dict[tuple[object, ...], dict[str, Floats]] = {}

    def correlate(self, names: tuple[str, str], level: str, block: Block, sides: tuple[int, int]) -> dict[str, Floats]:
        """Correlate two measures of a block on each resample.

        Args:
            names: Of the metric and the judgement.
            level: One of `LEVELS`.
            block: The block of scores that holds both.
            sides: Their indices in the block.

        Returns:
            By name of the coefficient, shape (resamples,); NaN where it is not defined.
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
    """Return the p-value of a difference: the share of resamples that are as far from their mean as the value from 0.

    Args:
        value: The observed difference.
        drawn: Shape (n,), the differences of resamples.

    Returns:
        (1 + number of such resamples) / (1 + n).
    """
    extreme = np.abs(drawn - drawn.mean()) >= abs(value) - SLACK
    return round(float((1 + extreme.sum()) / (1 + len(drawn))), DECIMALS)


def find_interval(value: float, drawn: Floats, widest: float = 1.0) -> Interval:
    """Find a 95 % interval around a value.

    A resample has fewer distinct topics, so its means are noisier than means over all topics. Noise lowers correlations
    of systems: in resamples by about as much again as in the value itself. Percentiles of the resamples would contain
    this bias twice, whether or not systems are drawn as well. They are therefore shifted by the difference of the value
    and the mean of the resamples: [value + l - mean, value + u - mean] with the percentiles l and u. The p-value of the
    bootstrap is of the same differences. If systems alone are drawn, the mean differs little, and the shift is small.

    Args:
        value: The value on all topics.
        drawn: Shape (n,), at least one: the values on resamples.
        widest: The highest absolute value that is possible; the ends are clipped to it.

    Returns:
        The lower and the upper end.
    """
    ends = find_intervals({"": drawn - drawn.mean() + value})[""]
    lower, upper = (round(min(max(end, -widest), widest), DECIMALS) + 0.0 for end in ends)
    return lower, upper
