"""Paired comparison of two models on the rows of a task."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics.contributions import measure_contributions, measure_topics
from harness.metrics.resampling import Scored, resample_metrics
from harness.stats.bootstrap import bootstrap, find_intervals
from harness.stats.significance import MIN_TOPICS, flip_signs

Floats = npt.NDArray[np.float64]


class Comparison(NamedTuple):
    """What tells two models apart on one metric.

    Attributes:
        first: The first model's value.
        value: The other model's value.
        difference: That minus the first one's.
        interval: The middle 95 % of the differences over the resamples.
        p_value: Of the sign-flip test over the contributions of topics (`sign_flips.flip_signs`), two-sided; 1 with
            fewer than `MIN_TOPICS` topics.
        won: Topics on which the other model's value is higher.
        tied: Topics on which both are equal.
        lost: Topics on which it is lower.
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
    first: Scored, other: Scored, metrics: Sequence[str], resamples: int, seed: int
) -> dict[str, Comparison]:
    """Compare two models on the same rows: an interval by the paired bootstrap over topics, a p-value by sign flips.

    The p-value does not depend on resamples or seed. The share of bootstrap differences beyond the observed one would
    be too small for few topics: benchmarks/sign_flips.py counts how often it is below 0.05 for equally good models.

    Args:
        first: The one to compare with.
        other: The one that is compared; the same rows in the same order.
        metrics: Names of the metrics to compare.
        resamples: Of the bootstrap.
        seed: Of the bootstrap.

    Returns:
        A comparison per metric. Topics are counted by what each alone gives, pairs across topics left out.
    """
    whole, both = np.ones((1, first.topic_count)), (first, other)
    drawn = [bootstrap(partial(resample_metrics, scored), scored.topic_count, resamples, seed) for scored in both]
    single = [measure_topics(scored) for scored in both]
    values = [resample_metrics(scored, whole) for scored in both]
    contributions = [measure_contributions(scored) for scored in both]
    present = np.unique(first.topics[first.topics[:, 0] == first.topics[:, 1], 0])
    result = {}
    for name in metrics:
        ours, theirs = (round(float(value[name][0]), 6) for value in values)
        per_topic = np.round(single[1][name] - single[0][name], 6)[present]
        lower, upper = find_intervals({name: drawn[1][name] - drawn[0][name]})[name]
        by_topic = contributions[1][name] - contributions[0][name]
        result[name] = Comparison(
            first=ours,
            value=theirs,
            difference=round(theirs - ours, 6),
            interval=(lower, upper),
            p_value=_find_p_value(by_topic),
            won=int((per_topic > 0).sum()),
            tied=int((per_topic == 0).sum()),
            lost=int((per_topic < 0).sum()),
        )
    return result


def _find_p_value(differences: Floats) -> float:
    """Find the p-value of differences per topic, with six digits so that a small one is not 0."""
    return float(f"{flip_signs(differences):.6g}") if len(differences) >= MIN_TOPICS else 1.0
