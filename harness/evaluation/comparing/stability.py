"""How stable ranks are: over resamples of topics, and how many topics would tell two neighbours apart."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from harness.evaluation.comparing.standings import Standing
from harness.models.registry import MODEL
from harness.stats.bootstrap import CONFIDENCE
from harness.stats.rounding import DECIMALS
from harness.stats.significance import find_fewest_topics
from harness.support.arrays import Floats, Indices

POWER = 0.8
"""Probability with which the number of topics of `RankStability` makes a true difference significant."""

_DEVIATES = 1.959964 + 0.841621
"""Quantiles .975 and .8 of the normal distribution, for a two-sided level of .05 and `POWER` (Cohen 1988)."""


class RankStability(NamedTuple):
    """How stable the place of a model is. Only models have places. Those with equal values share one.

    Attributes:
        number: The model, by its index in the standing.
        place: 1 + the number of models with a better value.
        interval: The lowest and the highest place in the middle 95 % of the resamples of topics.
        first: Share of the resamples in which no model has a better value, 0 to 1.
        topics: Number of topics like these that would tell it apart from the next model, with probability `POWER`, if
            the difference is true. None for the last model, and for equal models.
    """

    number: int
    place: int
    interval: tuple[int, int]
    first: float
    topics: int | None


def measure_stability(standing: Standing) -> list[RankStability]:
    """Measure how stable the places of the models of a test are, the best value first.

    Values are compared after rounding to `DECIMALS`, as tables show them at most.
    """
    numbers, metric = standing.list_role(MODEL), standing.metric
    if not numbers:
        return []
    members = [standing.members[number] for number in numbers]
    resampled = _find_places(metric.sign * np.array([member.resample()[metric.name] for member in members]))
    observed = _find_places(metric.sign * np.array([[member.metrics[metric.name]] for member in members]))[:, 0]
    tail = (1 - CONFIDENCE) / 2
    ends = np.quantile(resampled, (tail, 1 - tail), axis=1, method="inverted_cdf").tolist()
    firsts = np.mean(resampled == 1, axis=1).tolist()
    contributions = [member.contributions[metric.name] for member in members]
    topics = [*map(count_topics, contributions, contributions[1:]), None]
    return [
        RankStability(number, place, (low, high), first, needed)
        for number, place, low, high, first, needed in zip(
            numbers, observed.tolist(), *ends, firsts, topics, strict=True
        )
    ]


def _find_places(values: Floats) -> Indices:
    """Find the places of models by values, shape (models, resamples). Higher values are better."""
    rounded = np.round(values, DECIMALS)
    ordered = np.sort(rounded, axis=0)
    places = np.empty(rounded.shape, dtype=np.int64)
    for column, (own, sorted_values) in enumerate(zip(rounded.T, ordered.T, strict=True)):
        places[:, column] = 1 + len(own) - np.searchsorted(sorted_values, own, side="right")
    return places


def count_topics(first: Floats, second: Floats) -> int | None:
    """Count the topics that would tell two models apart: a paired test of the size .05 and of `POWER`.

    With n topics, whose differences have the sum s and the standard deviation d, t = s / (d sqrt(n)) grows with the
    root of n, so n (2.80 / t)^2 topics are needed. At least as many as make a difference significant at all.

    Args:
        first: Contributions of topics to the value of one model, shape (topics,).
        second: Those of the other model.

    Returns:
        The number, or None if the models are equal or there are fewer than two topics.
    """
    differences = first - second
    total, count = float(differences.sum()), len(differences)
    if count < 2 or round(total, DECIMALS) == 0:
        return None
    squared = count * float(differences.var(ddof=1)) / total**2
    return max(find_fewest_topics(), math.ceil(count * _DEVIATES**2 * squared))
