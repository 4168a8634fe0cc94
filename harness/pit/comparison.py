"""Comparison of systems: tests of their differences over topics, and correlations of their rankings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np

from harness.evaluation.comparing.differences import Difference, compare_pair
from harness.evaluation.comparing.standings import MeasuredModel
from harness.metrics.measuring import measure_contributions
from harness.metrics.table import find_metric
from harness.models.registry import MODEL
from harness.pit.scoring import Inputs, System, measure_systems, resample_system, split_tasks
from harness.stats.bootstrap import bootstrap
from harness.stats.rounding import DECIMALS
from harness.stats.significance import correct_holm
from harness.support.arrays import Floats
from pyramid_paraphrase.errors import OptionError, unknown_name

MIN_SYSTEMS = 3
SHOWN_DECIMALS = 3
"""Decimals that reports show. Values that are equal to these decimals share a rank."""

TESTED = ("f1", "pearson", "max_f1")
"""The metrics whose differences are tested."""

EXACT_UP_TO = 8
"""Maximum number of systems with an exact p-value, over all orders of the systems. Eight systems have 40,320 orders."""


def compare_systems(
    inputs: Inputs, resamples: int, seed: int, against: str | None = None
) -> dict[str, tuple[Difference, ...]]:
    """Test the differences of systems over topics, as `harness.evaluation.comparing.comparison` does for models.

    Args:
        inputs: The systems, and the topics. Pairs of one topic are not independent.
        resamples: Number of resamples of the bootstrap, which draws topics for the intervals.
        seed: Random seed of the bootstrap.
        against: Name of the system that all others are compared with. None for all pairs of systems.

    Returns:
        For each of `TESTED`, the differences of all pairs of systems that have the metric, corrected by Holm's method:
        the second system minus the first, which is the worse one, or `against`. Empty without topics.

    Raises:
        OptionError: If `against` is not the name of a system, or there are no topics.
    """
    if inputs.data is None:
        if against is not None:
            raise OptionError("--against needs topics, over which differences are tested. Add --test-data test.data")
        return {}
    measured = [_measure_for_tests(system, inputs, resamples, seed) for system in measure_systems(inputs)]
    by_name = {system.name: system for system in measured}
    if against is not None and against not in by_name:
        raise unknown_name("system", against, by_name)
    compared = {}
    for name in TESTED:
        metric = find_metric(name)
        assert metric is not None
        ranked = [system for system in measured if name in system.metrics]
        ranked.sort(key=lambda system: (-system.metrics[metric.name], system.name))
        pairs = [(worse, better) for better, worse in combinations(ranked, 2)]
        if against is not None:
            pairs = [(by_name[against], system) for system in ranked if system.name != against]
            pairs = [pair for pair in pairs if name in pair[0].metrics]
        differences = [compare_pair(*pair, metric) for pair in pairs]
        corrected = correct_holm([difference.p_value for difference in differences])
        compared[name] = tuple(
            difference._replace(corrected=p) for difference, p in zip(differences, corrected, strict=True)
        )
    return compared


def _measure_for_tests(system: System, inputs: Inputs, resamples: int, seed: int) -> MeasuredModel:
    contributions: dict[str, Floats] = {}
    for split in split_tasks(system, inputs):
        contributions |= measure_contributions(split, with_curves=False)
    resample = cache(lambda: bootstrap(partial(resample_system, system, inputs), inputs.unit_count, resamples, seed))
    return MeasuredModel(system.name, MODEL, system.metrics, contributions, resample)


def rank_systems(values: Sequence[float | None]) -> list[int | None]:
    """Rank systems by a metric: 1 + the number of higher values, rounded to `SHOWN_DECIMALS`. Ties share a rank.

    A system without a value has no rank.
    """
    rounded = [None if value is None else round(value, SHOWN_DECIMALS) for value in values]
    falling = sorted((value for value in rounded if value is not None), reverse=True)
    return [None if value is None else 1 + falling.index(value) for value in rounded]


def correlate_rankings(ranks: Mapping[str, Sequence[int | None]]) -> list[dict[str, Any]]:
    """Correlate the rankings of systems by every pair of metrics (Xu et al. 2015, section 6.2).

    Args:
        ranks: For each metric, the ranks of the systems. Systems without a rank by one of the metrics do not count.

    Returns:
        A record per pair of metrics, or none for fewer than `MIN_SYSTEMS` systems. It has the names of the "first" and
        "second" metric, "spearman" and "kendall" (tau-b), in [-1, 1], with averaged tied ranks, and "spearman_p" and
        "kendall_p". These are two-sided p-values: the probability of a coefficient at least as far from 0 if the
        rankings are independent. All four are None if all systems share a rank by one of the metrics.
    """
    from scipy.stats import rankdata  # slow to import

    complete = [row for row in zip(*ranks.values(), strict=True) if None not in row]
    if len(complete) < MIN_SYSTEMS:
        return []
    # Rank 1 is the best system in both rankings. Reversing both rankings would not change the coefficients.
    averaged = {metric: rankdata(values) for metric, values in zip(ranks, zip(*complete, strict=True), strict=True)}
    return [
        {"first": first, "second": second, **_correlate(averaged[first], averaged[second])}
        for first, second in combinations(ranks, 2)
    ]


def _correlate(x: Floats, y: Floats) -> dict[str, float | None]:
    from scipy import stats

    if x.min() == x.max() or y.min() == y.max():
        return dict.fromkeys(("spearman", "spearman_p", "kendall", "kendall_p"))
    spearman, kendall = stats.spearmanr(x, y), stats.kendalltau(x, y, variant="b")
    spearman_p, kendall_p = float(spearman.pvalue), float(kendall.pvalue)
    if len(x) <= EXACT_UP_TO:
        spearman_p = _find_exact_p(x, lambda orders: orders @ y)
        kendall_p = _find_exact_p(x, lambda orders: _count_agreements(orders, y))
    values = {
        "spearman": spearman.statistic,
        "spearman_p": spearman_p,
        "kendall": kendall.statistic,
        "kendall_p": kendall_p,
    }
    return {name: round(float(value), DECIMALS) for name, value in values.items()}


def _find_exact_p(x: Floats, statistic: Callable[[Floats], Floats]) -> float:
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
