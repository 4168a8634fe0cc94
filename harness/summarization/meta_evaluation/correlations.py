"""Correlations of a metric with a judgement, at the levels of systems and summaries, for any weights of topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from harness.stats.correlation import have_range, pearson_of_rows
from harness.stats.rounding import DECIMALS, divide, round_scores
from harness.support.arrays import Floats, Indices

PEARSON, SPEARMAN, KENDALL = COEFFICIENTS = ("pearson", "spearman", "kendall")

TITLES = {PEARSON: "Pearson r", SPEARMAN: "Spearman rho", KENDALL: "Kendall tau-b"}

_UNIT = 10**DECIMALS
_MOST_PAIRED = 256
"""Maximum number of systems for which Kendall's tau-b compares all pairs of systems."""


def correlate_rows(x: Floats, y: Floats) -> dict[str, Floats]:
    """Correlate each row of one matrix with the same row of another.

    Args:
        x: Shape (n, systems), rounded.
        y: The same shape, rounded.

    Returns:
        Arrays of shape (n,) by name of the coefficient, in [-1, 1], or NaN where all systems of a row are equal in x or
        in y. Pearson's r is computed from the values, and Spearman's rho from their ranks, where ties have their mean
        rank. Kendall's tau-b = (concordant - discordant pairs) / sqrt(pairs not tied in x * pairs not tied in y).
    """
    from scipy.stats import rankdata  # slow to import

    tau = np.where(have_range(x) & have_range(y), np.clip(_kendall_of_rows(x, y), -1, 1), np.nan)
    rho = pearson_of_rows(rankdata(x, axis=1), rankdata(y, axis=1))
    return {PEARSON: pearson_of_rows(x, y), SPEARMAN: rho, KENDALL: tau}


def _kendall_of_rows(x: Floats, y: Floats) -> Floats:
    """Compute Kendall's tau-b of each row, system by system, because all pairs at once would take too much memory.

    For more than `_MOST_PAIRED` systems, it is faster to sort each row, as scipy does, than to compare all pairs.
    """
    if x.shape[1] > _MOST_PAIRED:
        from scipy.stats import kendalltau

        return np.array([kendalltau(*row).statistic for row in zip(x, y, strict=True)])
    agreement, untied_x, untied_y = (np.zeros(len(x)) for _ in range(3))
    for system in range(x.shape[1] - 1):
        signs_x, signs_y = (np.sign(values[:, system + 1 :] - values[:, system : system + 1]) for values in (x, y))
        agreement += (signs_x * signs_y).sum(axis=1)
        untied_x += np.abs(signs_x).sum(axis=1)
        untied_y += np.abs(signs_y).sum(axis=1)
    return divide(agreement, np.sqrt(untied_x) * np.sqrt(untied_y))


def average_topics(values: Floats, weights: Floats) -> Floats:
    """Average each system over topics.

    Args:
        values: Shape (topics, systems), rounded.
        weights: Shape (n, topics), whole numbers, such as how often each topic is drawn.

    Returns:
        Shape (n, systems), rounded. Sums up to 9e9 are exact, because they are sums of integers. Ties therefore do not
        depend on the order of topics.
    """
    sums = weights @ np.rint(values * _UNIT)
    return round_scores(sums / (_UNIT * weights.sum(axis=1, keepdims=True)))


def correlate_systems(
    metric: Floats, judgement: Floats, weights: Floats, systems: Indices | None = None
) -> dict[str, Floats]:
    """Correlate the means of systems over topics.

    Args:
        metric: Shape (topics, systems).
        judgement: The same shape.
        weights: Shape (n, topics), whole numbers.
        systems: Shape (n, any number), indices of the systems to correlate, which may repeat, or None for all.

    Returns:
        The coefficients of `correlate_rows`, each of shape (n,).
    """
    means = [average_topics(values, weights) for values in (metric, judgement)]
    if systems is not None:
        means = [np.take_along_axis(values, systems, axis=1) for values in means]
    return correlate_rows(*means)


def correlate_summaries(
    metric: Floats, judgement: Floats, weights: Floats, systems: Indices | None = None
) -> dict[str, Floats]:
    """Correlate systems within each topic, and average over the topics in which neither measure is constant.

    Args:
        metric: Shape (topics, systems).
        judgement: The same shape.
        weights: Shape (n, topics).
        systems: As for `correlate_systems`.

    Returns:
        Arrays of shape (n,) by name of the coefficient, or NaN where no topic with a positive weight has a correlation.
    """
    count = 1
    if systems is not None:
        count = len(systems)
        metric, judgement = _draw_systems(metric, systems), _draw_systems(judgement, systems)
    correlations_of_rows = correlate_rows(metric, judgement)
    return {name: average_defined(values.reshape(count, -1), weights) for name, values in correlations_of_rows.items()}


def _draw_systems(values: Floats, systems: Indices) -> Floats:
    """Select the drawn systems of all topics: from shape (topics, systems) to shape (n * topics, drawn systems)."""
    return values.T[systems].transpose(0, 2, 1).reshape(-1, systems.shape[1])


def average_defined(values: Floats, weights: Floats | float = 1.0) -> Floats:
    """Average the correlations of topics, without the topics that have none.

    Args:
        values: Shape (n, topics) or (1, topics), or NaN where there is no correlation.
        weights: Shape (n, topics), or one weight for all.

    Returns:
        Shape (n,), or NaN where no topic with a positive weight has a correlation.
    """
    defined = ~np.isnan(values)
    count = (weights * defined).sum(axis=1)
    mean = divide((weights * np.where(defined, values, 0.0)).sum(axis=1), count)
    return np.where(count > 0, mean, np.nan)


SYSTEM, SUMMARY = "system", "summary"
LEVELS: Mapping[str, Callable[[Floats, Floats, Floats, Indices | None], dict[str, Floats]]] = {
    SYSTEM: correlate_systems,
    SUMMARY: correlate_summaries,
}
"""The functions that correlate two measures, by level."""
