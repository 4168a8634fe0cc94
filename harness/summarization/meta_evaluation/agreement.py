"""Correlation of a metric with a judgement: coefficients, with intervals by the bootstrap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from harness.stats.correlation import have_range
from harness.stats.rounding import DECIMALS
from harness.summarization.meta_evaluation.blocks import Block, LeftOut
from harness.summarization.meta_evaluation.correlations import (
    COEFFICIENTS,
    LEVELS,
    PEARSON,
    SUMMARY,
)
from harness.summarization.meta_evaluation.resampling import Interval, Resampler, can_resample, find_interval


@dataclass(frozen=True, slots=True)
class Correlation:
    """The correlation of a metric with a judgement at one level.

    Attributes:
        judgement: Name of the judgement.
        metric: Name of the metric.
        level: One of `LEVELS`.
        systems: Systems that count.
        topics: Topics that count.
        constant_topics: At the level of summaries, topics in which all systems have the same value by the metric or by
            the judgement. They do not count.
        left_out: Systems and topics that are left out.
        values: By coefficient; empty if they are not defined.
        intervals: 95 % intervals by coefficient, from `find_interval`; empty if `can_resample` is false.
        undefined_resamples: Number of resamples without a correlation, which the intervals leave out.
        reason: Why there is no correlation, or "".
    """

    judgement: str
    metric: str
    level: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    constant_topics: tuple[str, ...]
    left_out: LeftOut
    values: Mapping[str, float]
    intervals: Mapping[str, Interval]
    undefined_resamples: int = 0
    reason: str = ""


def correlate(judgement: str, metric: str, level: str, block: Block, resampler: Resampler) -> Correlation:
    """Correlate a metric with a judgement.

    Args:
        judgement: Name of the judgement.
        metric: Name of the metric.
        level: One of `LEVELS`.
        block: Scores of both; the metric is the first measure.
        resampler: Draws topics and systems.

    Returns:
        The correlation, or why there is none.
    """
    metric_scores, judgement_scores = block.values
    constant_topics = _find_constant_topics(block) if level == SUMMARY else frozenset()
    correlation = Correlation(
        judgement=judgement,
        metric=metric,
        level=level,
        systems=block.systems,
        topics=tuple(topic for topic in block.topics if topic not in constant_topics),
        constant_topics=tuple(topic for topic in block.topics if topic in constant_topics),
        left_out=block.left_out,
        values={},
        intervals={},
        reason=block.explain_lack(),
    )
    if correlation.reason:
        return correlation
    equal_weights = np.ones((1, len(block.topics)))
    by_name = LEVELS[level](metric_scores, judgement_scores, equal_weights, None)
    exact = {name: float(values[0]) for name, values in by_name.items()}
    if np.isnan(exact[PEARSON]):
        return replace(correlation, reason=f"all systems are equal by one of both, to {DECIMALS} decimals")
    correlation = replace(correlation, values={name: round(value, DECIMALS) + 0.0 for name, value in exact.items()})
    if not can_resample(block, len(correlation.topics), resampler.settings):
        return correlation
    samples = resampler.correlate((metric, judgement), level, block, (0, 1))
    defined = ~np.isnan(samples[PEARSON])
    if not defined.any():
        return replace(correlation, undefined_resamples=len(defined))
    intervals = {name: find_interval(exact[name], samples[name][defined]) for name in COEFFICIENTS}
    return replace(correlation, intervals=intervals, undefined_resamples=int((~defined).sum()))


def _find_constant_topics(block: Block) -> frozenset[str]:
    """Find the topics in which all systems of a block are equal by the metric or by the judgement."""
    if not block.values.size:
        return frozenset()
    metric, judgement = block.values
    has_range = have_range(metric) & have_range(judgement)
    return frozenset(compress(block.topics, ~has_range))
