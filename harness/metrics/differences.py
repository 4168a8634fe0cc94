"""Paired comparison of two models on the rows of a test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics.contributions import measure_contributions
from harness.metrics.measuring import make_measure, resample_metrics
from harness.metrics.metric import Metric
from harness.metrics.rows import ScoredSplit
from harness.stats.bootstrap import Samples, bootstrap, find_intervals
from harness.stats.rounding import DECIMALS
from harness.stats.significance import MIN_TOPICS, flip_signs

Floats = npt.NDArray[np.float64]


class Comparison(NamedTuple):
    """The difference between two models in one metric.

    Attributes:
        first: The first model's value.
        value: The second model's value.
        difference: The second model's value minus the first model's.
        interval: The middle 95 % of the differences over the resamples.
        p_value: P-value of the sign-flip test over the contributions of topics (`significance.flip_signs`), two-sided.
        1 with fewer than `MIN_TOPICS` topics.
        won: Number of topics whose contribution to the difference favours the second model. The contributions of all
            topics sum to the difference. More than `significance.MOST_TOPICS` topics are merged into groups, as
            `measure_contributions` does, and a group counts as a topic.
        tied: Number of topics that contribute nothing to it.
        lost: Number of topics whose contribution favours the first model.
    """

    first: float
    value: float
    difference: float
    interval: tuple[float, float]
    p_value: float
    won: int
    tied: int
    lost: int


@dataclass(frozen=True, slots=True)
class MeasuredModel:
    """The metrics of a model, prepared for comparisons. All attributes are by name of the metric.

    Attributes:
        values: Shape (1,), on all rows.
        resampled: Shape (resamples,), on resamples of the topics, which are the same for all models.
        contributions: As `measure_contributions` returns them.
        topics: Number of topics with rows.
    """

    values: Samples
    resampled: Samples
    contributions: Samples
    topics: int

    def value(self, metric: Metric[object]) -> float:
        """Return the value of a metric, rounded as in results."""
        return round(float(self.values[metric.name][0]), DECIMALS)


def measure_model(split: ScoredSplit, resamples: int, seed: int) -> MeasuredModel:
    """Measure a model for comparisons with others on the same rows.

    Args:
        split: The scores of the model.
        resamples: Number of resamples of the bootstrap.
        seed: Random seed of the bootstrap.
    """
    return MeasuredModel(
        values=resample_metrics(split, np.ones((1, split.topic_count))),
        resampled=bootstrap(make_measure(split), split.topic_count, resamples, seed),
        contributions=measure_contributions(split),
        topics=split.topic_count,
    )


def compare_measured(first: MeasuredModel, second: MeasuredModel, metric: Metric[object]) -> Comparison:
    """Compare two models on the same rows: an interval by the paired bootstrap over topics, a p-value by sign flips.

    The p-value does not depend on resamples or seed. The share of bootstrap differences beyond the observed one would
    be too small for few topics: benchmarks/sign_flips.py counts how often it is below 0.05 for equally good models.

    Args:
        first: The first model.
        second: The second model, measured with the same resamples and seed.
        metric: The metric.

    Returns:
        The comparison.
    """
    name = metric.name
    parts = metric.sign * (second.contributions[name] - first.contributions[name])
    gains = np.round(parts, DECIMALS)
    return Comparison(
        first=first.value(metric),
        value=second.value(metric),
        difference=round(second.value(metric) - first.value(metric), DECIMALS),
        interval=find_intervals({name: second.resampled[name] - first.resampled[name]})[name],
        p_value=_find_p_value(parts),
        won=int((gains > 0).sum()),
        tied=int((gains == 0).sum()),
        lost=int((gains < 0).sum()),
    )


def _find_p_value(differences: Floats) -> float:
    """Find the p-value of differences per topic, with six significant digits, so that a small p-value is not 0."""
    if len(differences) < MIN_TOPICS:
        return 1.0
    return float(f"{flip_signs(differences):.6g}")
