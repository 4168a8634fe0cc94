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
        systems: Systems in the correlation.
        topics: Topics in the correlation.
        constant_topics: Topics in which all systems have equal scores by the metric or by the judgement, and which are
            left out at the level of summaries.
        left_out: Systems and topics that are left out.
        values: Correlations by coefficient, in [-1, 1], or empty if they are not defined.
        intervals: 95 % intervals by coefficient, from `find_interval`, or empty if `can_resample` returns False.
        undefined_resamples: Number of resamples without a correlation. The intervals leave them out.
        reason: Reason why there is no correlation, or "".
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
        block: Scores of the metric (first) and of the judgement (second).
        resampler: Draws topics and systems.

    Returns:
        The correlation, or the reason why there is none.
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
        reason=block.explain_missing_correlation(),
    )
    if correlation.reason:
        return correlation
    equal_weights = np.ones((1, len(block.topics)))
    coefficients = LEVELS[level](metric_scores, judgement_scores, equal_weights, None)
    exact = {name: float(values[0]) for name, values in coefficients.items()}
    if np.isnan(exact[PEARSON]):
        return replace(correlation, reason=f"all systems have equal scores or equal judgements, to {DECIMALS} decimals")
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
    """Find the topics in which all systems of a block have equal scores by the metric or by the judgement.

    The scores of a single system are not called equal.
    """
    if len(block.systems) < 2:
        return frozenset()
    metric, judgement = block.values
    has_range = have_range(metric) & have_range(judgement)
    return frozenset(compress(block.topics, ~has_range))
