"""How well a metric agrees with a judgement: coefficients, with intervals by the bootstrap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from harness.stats.rounding import DECIMALS
from harness.summarization.meta_evaluation.blocks import Block, LeftOut
from harness.summarization.meta_evaluation.correlations import (
    COEFFICIENTS,
    LEVELS,
    PEARSON,
    SUMMARY,
    Floats,
    correlate_rows,
)
from harness.summarization.meta_evaluation.resampling import Interval, Resampler, can_resample, find_interval


@dataclass(frozen=True, slots=True)
class Correlation:
    """A metric against a judgement at one level.

    Attributes:
        judgement: Name of the judgement.
        metric: Name of the metric.
        level: One of `LEVELS`.
        systems: Those that count.
        topics: Those that count.
        constant_topics: At the level of summaries, those in which all systems are equal on one side, and which do not
            count.
        left_out: What only one of both has.
        values: By coefficient; empty if they are not defined.
        intervals: By coefficient, of 95 %, from `find_interval`; empty if `can_resample` is false.
        undefined_resamples: Resamples in which there is no correlation; the intervals are those of the others.
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
        block: What both have: the metric first.
        resampler: Draws topics and systems.

    Returns:
        The correlation, or why there is none.
    """
    x, y = block.values
    constant = _find_constant_topics(x, y) if level == SUMMARY else np.zeros(len(block.topics), dtype=bool)
    found = Correlation(
        judgement,
        metric,
        level,
        block.systems,
        tuple(topic for topic, is_constant in zip(block.topics, constant, strict=True) if not is_constant),
        tuple(topic for topic, is_constant in zip(block.topics, constant, strict=True) if is_constant),
        block.left_out,
        {},
        {},
        reason=block.explain_lack(),
    )
    if found.reason:
        return found
    whole = {name: float(values[0]) for name, values in LEVELS[level](x, y, np.ones((1, len(x))), None).items()}
    if np.isnan(whole[PEARSON]):
        return replace(found, reason=f"all systems are equal by one of both, to {DECIMALS} decimals")
    values = {name: round(value, DECIMALS) + 0.0 for name, value in whole.items()}
    if not can_resample(block, len(found.topics), resampler.settings):
        return replace(found, values=values)
    samples = resampler.correlate((metric, judgement), level, block, (0, 1))
    defined = ~np.isnan(samples[PEARSON])
    if not defined.any():
        return replace(found, values=values, undefined_resamples=len(defined))
    intervals = {name: find_interval(whole[name], samples[name][defined]) for name in COEFFICIENTS}
    return replace(found, values=values, intervals=intervals, undefined_resamples=int((~defined).sum()))


def _find_constant_topics(x: Floats, y: Floats) -> np.ndarray:
    return np.isnan(correlate_rows(x, y)[PEARSON]) if x.size else np.zeros(len(x), dtype=bool)
