"""Paired comparison of two models on the rows of a test."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics.contributions import measure_contributions, measure_topics
from harness.metrics.measuring import resample_metrics
from harness.metrics.metric import Metric
from harness.metrics.rows import ScoredSplit
from harness.stats.bootstrap import bootstrap, find_intervals
from harness.stats.rounding import DECIMALS
from harness.stats.significance import MIN_TOPICS, flip_signs

Floats = npt.NDArray[np.float64]


class Comparison(NamedTuple):
    """The difference of two models on one metric.

    Attributes:
        first: The first model's value.
        value: The second model's value.
        difference: The second model's value minus the first model's.
        interval: The middle 95 % of the differences over the resamples.
        p_value: P-value of the sign-flip test over the contributions of topics (`significance.flip_signs`), two-sided;
            1 with fewer than `MIN_TOPICS` topics.
        won: Number of topics on which the second model's value is better.
        tied: Number of topics on which both values are equal.
        lost: Number of topics on which the second model's value is worse.
    """

    first: float
    value: float
    difference: float
    interval: tuple[float, float]
    p_value: float
    won: int
    tied: int
    lost: int


def compare_scored(
    first: ScoredSplit, second: ScoredSplit, metrics: Sequence[Metric[object]], resamples: int, seed: int
) -> dict[str, Comparison]:
    """Compare two models on the same rows: an interval by the paired bootstrap over topics, a p-value by sign flips.

    The p-value does not depend on resamples or seed. The share of bootstrap differences beyond the observed one would
    be too small for few topics: benchmarks/sign_flips.py counts how often it is below 0.05 for equally good models.

    Args:
        first: Scores of the model to compare with.
        second: Scores of the model that is compared; the same rows in the same order.
        metrics: The metrics to compare.
        resamples: Number of resamples of the bootstrap.
        seed: Random seed of the bootstrap.

    Returns:
        A comparison per name of a metric. Won, tied and lost topics are counted by the metrics of each topic alone,
        without pairs across topics.
    """
    whole, both = np.ones((1, first.topic_count)), (first, second)
    drawn = [bootstrap(partial(resample_metrics, scored), scored.topic_count, resamples, seed) for scored in both]
    single = [measure_topics(scored) for scored in both]
    values = [resample_metrics(scored, whole) for scored in both]
    contributions = [measure_contributions(scored) for scored in both]
    present = np.unique(first.topics[first.topics[:, 0] == first.topics[:, 1], 0])
    result = {}
    for metric in metrics:
        name = metric.name
        first_value, second_value = (round(float(value[name][0]), DECIMALS) for value in values)
        gains = metric.sign * np.round(single[1][name] - single[0][name], DECIMALS)[present]
        interval = find_intervals({name: drawn[1][name] - drawn[0][name]})[name]
        by_topic = contributions[1][name] - contributions[0][name]
        result[name] = Comparison(
            first=first_value,
            value=second_value,
            difference=round(second_value - first_value, DECIMALS),
            interval=interval,
            p_value=_find_p_value(by_topic),
            won=int((gains > 0).sum()),
            tied=int((gains == 0).sum()),
            lost=int((gains < 0).sum()),
        )
    return result


def _find_p_value(differences: Floats) -> float:
    """Find the p-value of differences per topic, with six digits so that a small one is not 0."""
    if len(differences) < MIN_TOPICS:
        return 1.0
    return float(f"{flip_signs(differences):.6g}")
