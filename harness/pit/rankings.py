"""Correlation of the rankings of systems by identification and by similarity (Xu et al. 2015, section 6.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.pit.system_scores import Measured
from harness.stats.rounding import DECIMALS

Floats = npt.NDArray[np.float64]

MIN_SYSTEMS = 3
SHOWN_DECIMALS = 3
"""Decimals that reports show. Values that are equal to these decimals share a rank."""

EXACT_UP_TO = 8
"""Maximum number of systems with an exact p-value, over all orders of the systems. Eight systems have 40,320 orders."""


class Correlation(NamedTuple):
    """The correlation of the rankings of systems by two metrics.

    Attributes:
        first: Name of the first metric.
        second: Name of the second metric.
        spearman: Spearman's coefficient of the ranks, in [-1, 1], with averaged tied ranks. None if all systems share a
            rank by one of the metrics.
        spearman_p: Its p-value, two-sided: the probability of a coefficient at least as far from 0 if the rankings are
            independent. None if the coefficient is None.
        kendall: Kendall's tau-b of the ranks, in [-1, 1], or None.
        kendall_p: Its p-value, two-sided, or None.
    """

    first: str
    second: str
    spearman: float | None
    spearman_p: float | None
    kendall: float | None
    kendall_p: float | None


def rank_systems(values: Sequence[float]) -> list[int]:
    """Rank systems by a metric: 1 + the number of higher values, rounded to `SHOWN_DECIMALS`. Ties share a rank."""
    rounded = [round(value, SHOWN_DECIMALS) for value in values]
    falling = sorted(rounded, reverse=True)
    return [1 + falling.index(value) for value in rounded]


def correlate_rankings(systems: Sequence[Measured], metrics: Sequence[str]) -> list[Correlation]:
    """Correlate the rankings of systems by every pair of metrics.

    Args:
        systems: The systems.
        metrics: Names of the metrics.

    Returns:
        A correlation per pair of metrics. Empty for fewer than `MIN_SYSTEMS` systems.
    """
    from scipy.stats import rankdata  # slow to import

    if len(systems) < MIN_SYSTEMS:
        return []
    # Rank 1 is the best system in both rankings. Reversing both rankings would not change the coefficients.
    ranks = {}
    for metric in metrics:
        ranks[metric] = rankdata(rank_systems([measured.metrics[metric] for measured in systems]))
    return [_correlate(first, second, ranks[first], ranks[second]) for first, second in combinations(metrics, 2)]


def _correlate(first: str, second: str, x: Floats, y: Floats) -> Correlation:
    from scipy import stats

    if x.min() == x.max() or y.min() == y.max():
        return Correlation(first, second, None, None, None, None)
    spearman, kendall = stats.spearmanr(x, y), stats.kendalltau(x, y, variant="b")
    spearman_p, kendall_p = float(spearman.pvalue), float(kendall.pvalue)
    if len(x) <= EXACT_UP_TO:
        spearman_p = _exact_p(x, lambda orders: orders @ y)
        kendall_p = _exact_p(x, lambda orders: _count_agreements(orders, y))
    return Correlation(
        first,
        second,
        spearman=round(float(spearman.statistic), DECIMALS),
        spearman_p=round(spearman_p, DECIMALS),
        kendall=round(float(kendall.statistic), DECIMALS),
        kendall_p=round(kendall_p, DECIMALS),
    )


def _exact_p(x: Floats, statistic: Callable[[Floats], Floats]) -> float:
    """Find the exact p-value by a permutation test over all orders of x.

    For few systems, scipy's approximation is far off: if four systems have the same order in both rankings, its p-value
    for Spearman's coefficient is 0, but the exact p-value is 2/24.
    """
    from scipy.stats import permutation_test

    def of_orders(orders: Floats, axis: int) -> Floats:
        del axis  # always the last axis; scipy passes it by name
        return statistic(orders)

    orders = math.factorial(len(x))
    return float(permutation_test((x,), of_orders, permutation_type="pairings", n_resamples=orders).pvalue)


def _count_agreements(orders: Floats, y: Floats) -> Floats:
    """Sum over all pairs of systems: 1 if both rankings have the same order, -1 if not, 0 if one has a tie."""
    signs_x, signs_y = (np.sign(ranks[..., :, None] - ranks[..., None, :]) for ranks in (orders, y))
    return np.asarray((signs_x * signs_y).sum(axis=(-2, -1)))
