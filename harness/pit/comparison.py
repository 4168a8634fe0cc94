"""Whether systems that tell paraphrases well also measure similarity well (Xu et al. 2015, section 6.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from harness.pit.scoring import Measured
from harness.stats.rounding import DECIMALS

Floats = npt.NDArray[np.float64]

MIN_SYSTEMS = 3
SHOWN_DECIMALS = 3
"""What is equal as far as it is shown shares a rank."""

EXACT_UP_TO = 8
"""Systems up to which all orders are gone through for a p-value; there are 40,320 of eight."""


class Correlation(NamedTuple):
    """How alike two metrics rank the systems.

    Attributes:
        first: Name of a metric.
        second: Name of another.
        spearman: Spearman's coefficient of the ranks, in [-1, 1], tied ranks being averaged; None if all systems share
            a rank by one of the metrics.
        spearman_p: How likely, if the rankings had nothing to do with each other, one as far from 0 would be.
        kendall: Kendall's tau-b of the ranks, in [-1, 1], or None.
        kendall_p: The same of it.
    """

    first: str
    second: str
    spearman: float | None
    spearman_p: float | None
    kendall: float | None
    kendall_p: float | None


def rank_systems(values: Sequence[float]) -> list[int]:
    """Rank by a metric: 1 + the number of systems that are better in what is shown; equal ones share a rank."""
    shown = [round(value, SHOWN_DECIMALS) for value in values]
    return [1 + sum(other > value for other in shown) for value in shown]


def correlate_rankings(systems: Sequence[Measured], metrics: Sequence[str]) -> list[Correlation]:
    """Correlate the rankings of systems by several metrics, each with each.

    Args:
        systems: The systems.
        metrics: Names of the metrics.

    Returns:
        A correlation per two metrics; none of fewer than `MIN_SYSTEMS` systems, which tell nothing.
    """
    if len(systems) < MIN_SYSTEMS:
        return []
    # The better the smaller, as in tables; both coefficients stay what they are if both rankings are turned around.
    ranks = {name: stats.rankdata(rank_systems([one.metrics[name] for one in systems])) for name in metrics}
    return [_correlate(first, second, ranks[first], ranks[second]) for first, second in combinations(metrics, 2)]


def _correlate(first: str, second: str, x: Floats, y: Floats) -> Correlation:
    if (x == x[0]).all() or (y == y[0]).all():
        return Correlation(first, second, None, None, None, None)
    spearman, kendall = stats.spearmanr(x, y), stats.kendalltau(x, y, variant="b")
    p_values = float(spearman.pvalue), float(kendall.pvalue)
    if len(x) <= EXACT_UP_TO:
        p_values = _exact_p(x, lambda order: order @ (y - y.mean())), _exact_p(x, lambda order: _agreement(order, y))
    found = (float(spearman.statistic), p_values[0], float(kendall.statistic), p_values[1])
    return Correlation(first, second, *(round(value, DECIMALS) for value in found))


def _exact_p(x: Floats, statistic: Callable[[Floats], Floats]) -> float:
    """Go through all orders of x, for what scipy takes of few systems is far off.

    Of four systems in the same order, its p-value for Spearman's coefficient is 0, and the exact one 2/24.
    """

    def of_orders(orders: Floats, axis: int) -> Floats:
        del axis  # the last one; scipy passes it by name
        return statistic(orders)

    orders = math.factorial(len(x))
    return float(stats.permutation_test((x,), of_orders, permutation_type="pairings", n_resamples=orders).pvalue)


def _agreement(orders: Floats, y: Floats) -> Floats:
    """Of each two systems, whether both rankings have the same one ahead (1), another (-1), or neither (0); summed."""
    signs = [np.sign(ranks[..., :, None] - ranks[..., None, :]) for ranks in (orders, y)]
    return np.asarray((signs[0] * signs[1]).sum(axis=(-2, -1)))
