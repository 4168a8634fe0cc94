"""Correlations of a metric with a judgement, at the levels of systems and summaries, for any weights of topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from harness.stats.correlation import have_range, pearson_of_rows, weighted_pearson
from harness.stats.rounding import DECIMALS, divide, round_scores
from harness.summarization.meta_evaluation.scores import MIN_SYSTEMS
from harness.support.arrays import Flags, Floats, Indices

PEARSON, SPEARMAN, KENDALL = COEFFICIENTS = ("pearson", "spearman", "kendall")

TITLES = {PEARSON: "Pearson r", SPEARMAN: "Spearman rho", KENDALL: "Kendall tau-b"}

_UNIT = 10**DECIMALS
_MOST_SINGLE = 1 << 12
_MOST_RANKED = 1 << 10
"""Fewest systems whose sums of ranks may not be exact in single precision."""
_MOST_PAIRED = 256
"""Maximum number of systems for which Kendall's tau-b compares all pairs of systems."""


def correlate_rows(x: Floats, y: Floats, ranked: tuple[Floats, Floats] | None = None) -> dict[str, Floats]:
    """Correlate each row of one matrix with the same row of another.

    Args:
        x: Shape (n, systems). NaN where a system has no value.
        y: The same shape. NaN in the same places.
        ranked: The values of x and y by which systems are ranked, tied or equal. None for x and y with `DECIMALS`.

    Returns:
        Arrays of shape (n,) by name of the coefficient, in [-1, 1], or NaN where all systems of a row are equal in x or
        in y, or values are missing and fewer than `MIN_SYSTEMS` are left. Pearson's r is computed from the values, and
        Spearman's rho from their ranks, where ties have their mean rank. Kendall's tau-b = (concordant - discordant
        pairs) / sqrt(pairs not tied in x * pairs not tied in y).
    """
    from scipy.stats import rankdata  # slow to import

    ranked = ranked or (round_scores(x), round_scores(y))
    present = ~np.isnan(x)
    if not present.all():
        return _correlate_present(x, y, ranked, present)
    is_defined = have_range(ranked[0]) & have_range(ranked[1])
    by_name = {
        PEARSON: pearson_of_rows(x, y),
        SPEARMAN: pearson_of_rows(*(rankdata(values, axis=1) for values in ranked)),
        KENDALL: np.clip(_kendall_of_rows(*ranked), -1, 1),
    }
    return {name: np.where(is_defined, values, np.nan) for name, values in by_name.items()}


def _correlate_present(x: Floats, y: Floats, ranked: tuple[Floats, Floats], present: Flags) -> dict[str, Floats]:
    """Correlate rows with missing values. A missing value that is replaced by the mean changes no correlation."""
    from scipy.stats import rankdata  # slow to import

    is_defined = (present.sum(axis=1) >= MIN_SYSTEMS) & has_range(ranked[0]) & has_range(ranked[1])
    ranks = [np.where(present, rankdata(np.where(present, values, np.inf), axis=1), np.nan) for values in ranked]
    by_name = {
        PEARSON: pearson_of_rows(_fill_with_means(x, present), _fill_with_means(y, present)),
        SPEARMAN: pearson_of_rows(*(_fill_with_means(values, present) for values in ranks)),
        KENDALL: np.clip(_kendall_of_rows(*ranked), -1, 1),
    }
    return {name: np.where(is_defined, values, np.nan) for name, values in by_name.items()}


def _fill_with_means(values: Floats, present: Flags) -> Floats:
    """Replace missing values by the mean of their row."""
    means = divide(np.where(present, values, 0.0).sum(axis=1), present.sum(axis=1).astype(np.float64))
    return np.where(present, values, means[:, None])


def has_range(rows: Floats) -> Flags:
    """Find the rows with two distinct values that are not missing, shape (n,)."""
    return np.asarray(np.fmin.reduce(rows, axis=1) < np.fmax.reduce(rows, axis=1))


def _kendall_of_rows(x: Floats, y: Floats) -> Floats:
    """Compute Kendall's tau-b of each row, system by system, because all pairs at once would take too much memory.

    Pairs with a missing value do not count.
    For more than `_MOST_PAIRED` systems, it is faster to sort each row, as scipy does, than to compare all pairs.
    """
    if x.shape[1] > _MOST_PAIRED:
        from scipy.stats import kendalltau

        pairs = zip(x, y, ~np.isnan(x), strict=True)
        return np.array([kendalltau(left[present], right[present]).statistic for left, right, present in pairs])
    agreement, untied_x, untied_y = (np.zeros(len(x)) for _ in range(3))
    for system in range(x.shape[1] - 1):
        signs_x, signs_y = (
            np.nan_to_num(np.sign(values[:, system + 1 :] - values[:, system : system + 1])) for values in (x, y)
        )
        agreement += (signs_x * signs_y).sum(axis=1)
        untied_x += np.abs(signs_x).sum(axis=1)
        untied_y += np.abs(signs_y).sum(axis=1)
    return divide(agreement, np.sqrt(untied_x) * np.sqrt(untied_y))


def average_topics(values: Floats, weights: Floats) -> Floats:
    """Average each system over its topics, for ranks.

    Args:
        values: Shape (topics, systems), rounded. NaN where a system has no value.
        weights: Shape (n, topics), whole numbers, such as how often each topic is drawn.

    Returns:
        Shape (n, systems), rounded if no value is missing. Sums up to 9e9 are exact, because they are sums of integers,
        and equal fractions are equal quotients. Ties therefore do not depend on the order of topics. NaN where no topic
        of a system has a positive weight.
    """
    present = ~np.isnan(values)
    sums = weights @ np.rint(np.where(present, values, 0.0) * _UNIT)
    counts = weights @ present.astype(np.float64)
    means = divide(sums, _UNIT * counts)
    if present.all():
        return round_scores(means)
    return np.where(counts > 0, means, np.nan)


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
        The coefficients of `correlate_rows`, each of shape (n,). Pearson's r is that of means that are not rounded.
    """
    means = [_average_exactly(values, weights) for values in (metric, judgement)]
    means += [average_topics(round_scores(values), weights) for values in (metric, judgement)]
    if systems is not None:
        means = [np.take_along_axis(values, systems, axis=1) for values in means]
    x, y, *ranked = means
    return correlate_rows(x, y, (ranked[0], ranked[1]))


def _average_exactly(values: Floats, weights: Floats) -> Floats:
    """Average each system over its topics as `average_topics` does, but without any rounding."""
    present = ~np.isnan(values)
    counts = weights @ present.astype(np.float64)
    return np.where(counts > 0, divide(weights @ np.where(present, values, 0.0), counts), np.nan)


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
    if systems is None:
        by_topic = correlate_rows(metric, judgement)
        return {name: average_defined(values.reshape(1, -1), weights) for name, values in by_topic.items()}
    places = systems + metric.shape[1] * np.arange(len(systems))[:, None]
    drawn = np.bincount(places.ravel(), minlength=len(systems) * metric.shape[1]).reshape(len(systems), -1)
    samples = correlate_weighted(metric, judgement, drawn.astype(np.float64))
    return {name: average_defined(values, weights) for name, values in samples.items()}


def correlate_swapped(metric: Floats, other: Floats, judgement: Floats, swapped: Flags) -> list[dict[str, Floats]]:
    """Correlate the systems of each topic by two metrics that exchange their scores of some systems.

    Args:
        metric: Shape (topics, systems). NaN where a system has no value.
        other: The scores of the other metric, with the same shape, and NaN in the same places.
        judgement: As above.
        swapped: Shape (n, systems), the systems whose scores are exchanged.

    Returns:
        The coefficients of `correlate_rows`, each of shape (n, topics), of the first and of the second metric.
    """
    topics = [_swap_in_topic(*topic, swapped) for topic in zip(metric, other, judgement, strict=True)]
    return [
        {name: np.stack([values[name] for values in by_topic], axis=1) for name in COEFFICIENTS}
        for by_topic in zip(*topics, strict=True)
    ]


def _swap_in_topic(x: Floats, y: Floats, judgement: Floats, swapped: Flags) -> list[dict[str, Floats]]:
    """Correlate the systems of one topic as `correlate_swapped`.

    Let s be 1 for a system with its own score and -1 for a swapped one. The second metric has the scores of the first
    one with -s. What counts pairs or ties is a polynomial in s, so its even powers are the same for both metrics.
    """
    present = ~np.isnan(x)
    if not present.all():
        x, y, judgement, swapped = x[present], y[present], judgement[present], swapped[:, present]
    systems = len(x)
    rounded = round_scores([x, y])
    (ranks,), (untied_ranks,) = _rank_weighted(round_scores(judgement), np.ones((1, systems)))
    # Sums over systems are exact in single precision up to 2^24, in half of the time.
    exact = np.float32 if systems < _MOST_RANKED else np.float64
    signs = np.where(swapped, -1, 1).astype(exact)
    agreements, ties = _expand_pairs(rounded[0], rounded[1], ranks, exact), _find_ties(rounded)
    products = signs @ np.concatenate([*(factors for _, _, factors in agreements), ties[0] - ties[1]], axis=1)
    even, odd = [], []
    for number, (constant, linear, _) in enumerate(agreements):
        part = products[:, number * systems : (number + 1) * systems]
        even.append(constant + np.einsum("ij,ij->i", signs, part, dtype=np.float64))
        odd.append(signs @ linear)
    tied, changed = (ties[0] + ties[1]).sum(axis=0, dtype=np.float64) / 2, products[:, 2 * systems :].astype(float) / 2
    metrics = []
    for side in (1, -1):
        sizes = tied + side * changed
        untied = (systems * (systems - 1) - np.einsum("ij,ij->i", sizes, sizes - 1)) / 2
        squares = (systems**3 - systems - np.einsum("ij,ij,ij->i", sizes, sizes - 1, sizes + 1)) / 3
        weights = np.concatenate([signs == side, signs != side], axis=1).astype(np.float64)
        pairs, products_of_ranks = (constant + side * linear for constant, linear in zip(even, odd, strict=True))
        by_name = {
            PEARSON: weighted_pearson(np.concatenate([x, y]), np.tile(judgement, 2), np.arange(2 * systems), weights),
            SPEARMAN: divide(products_of_ranks, np.sqrt(squares) * np.sqrt(ranks @ ranks)),
            KENDALL: divide(pairs, np.sqrt(untied) * np.sqrt(untied_ranks)),
        }
        is_defined = (untied > 0) & (untied_ranks > 0) & (present.all() or systems >= MIN_SYSTEMS)
        metrics.append({name: np.where(is_defined, np.clip(values, -1, 1), np.nan) for name, values in by_name.items()})
    return metrics


def _expand_pairs(x: Floats, y: Floats, ranks: Floats, exact: npt.DTypeLike) -> list[tuple[float, Floats, Floats]]:
    """Expand sums over pairs of systems, whose first metric has the scores x for s = 1 and y for s = -1.

    Returns:
        The constant, the factors of s, shape (systems,), and of the products of two s, shape (systems, systems), of the
        concordant less discordant pairs, and of the sum of the products of ranks, as `_rank_weighted` gives them.
    """
    within, between, within_second = (
        np.subtract(left[:, None] > right, left[:, None] < right, dtype=np.int8)
        for left, right in ((x, x), (x, y), (y, y))
    )
    turned = -between.T
    gaps: Floats = (ranks[:, None] - ranks).astype(exact)
    return [
        (
            float((weights * (within + between + turned + within_second)).sum(dtype=np.float64)) / 8,
            (weights * (within + between - turned - within_second)).sum(axis=1, dtype=np.float64) / 4,
            weights * (within - between - turned + within_second) / 8,
        )
        for weights in (np.sign(gaps), gaps)
    ]


def _find_ties(values: Floats) -> npt.NDArray[np.float32]:
    """Find the scores that several systems have, shape (2, systems): flags, shape (2, systems, scores)."""
    _, number_of, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(number_of.reshape(*values.shape, 1) == np.flatnonzero(counts > 1), dtype=np.float32)


def correlate_weighted(x: Floats, y: Floats, weights: Floats) -> dict[str, Floats]:
    """Correlate the systems of each topic under many weightings, as if each system occurred as often as its weight.

    The signs of the differences between systems are compared only once: with the products of these signs as a matrix A,
    the weights w have a surplus of w A w / 2 concordant pairs.

    Args:
        x: Shape (topics, systems). NaN where a system has no value.
        y: The same shape. NaN in the same places.
        weights: Shape (n, systems), whole numbers.

    Returns:
        The coefficients of `correlate_rows`, each of shape (n, topics).
    """
    by_topic = [_correlate_topic(*topic, weights) for topic in zip(x, y, strict=True)]
    return {name: np.stack([values[name] for values in by_topic], axis=1) for name in COEFFICIENTS}


def _correlate_topic(x: Floats, y: Floats, weights: Floats) -> dict[str, Floats]:
    present = ~np.isnan(x)
    if not present.all():
        x, y, weights = x[present], y[present], np.ascontiguousarray(weights[:, present])
    ranked = round_scores(x), round_scores(y)
    (ranks_x, untied_x), (ranks_y, untied_y) = (_rank_weighted(values, weights) for values in ranked)
    is_defined = (untied_x > 0) & (untied_y > 0)
    if not present.all():
        is_defined &= weights.sum(axis=1) >= MIN_SYSTEMS
    weighted = weights * ranks_x
    products = np.einsum("ij,ij->i", weighted, ranks_y)
    squares_x, squares_y = (
        np.einsum("ij,ij->i", weighted, ranks_x),
        np.einsum("ij,ij,ij->i", weights, ranks_y, ranks_y),
    )
    by_name = {
        PEARSON: weighted_pearson(x, y, np.arange(len(x)), weights),
        SPEARMAN: np.clip(divide(products, np.sqrt(squares_x) * np.sqrt(squares_y)), -1, 1),
        KENDALL: np.clip(divide(_count_surplus(*ranked, weights), np.sqrt(untied_x) * np.sqrt(untied_y)), -1, 1),
    }
    return {name: np.where(is_defined, values, np.nan) for name, values in by_name.items()}


def _rank_weighted(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Rank systems by their values under many weightings.

    Returns:
        Twice the ranks less their mean, shape (n, systems), where ties have their mean rank, and the number of pairs
        that are not tied, shape (n,). Both are whole numbers, and so are exact.
    """
    _, number_of = np.unique(values, return_inverse=True)
    number_of = number_of.reshape(-1)  # some versions of NumPy return it in another shape
    order = np.argsort(number_of, kind="stable")
    starts = np.flatnonzero(np.diff(number_of[order], prepend=-1))
    tied = weights[:, order]
    if len(starts) < len(order):
        tied = np.add.reduceat(tied, starts, axis=1)
    totals = weights.sum(axis=1)
    ranks = 2 * np.cumsum(tied, axis=1) - tied - totals[:, None]
    return ranks[:, number_of], (totals**2 - np.einsum("ij,ij->i", tied, tied)) / 2


def _count_surplus(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Count concordant less discordant pairs of systems under many weightings, shape (n,)."""
    # Sums of pairs are exact in single precision up to 2^24, in half of the time.
    exact = np.float32 if weights.sum(axis=1).max(initial=0) < _MOST_SINGLE else np.float64
    agreements = np.ones((len(x), len(x)), dtype=exact)
    for values in (x, y):
        agreements *= np.sign(values[:, None] - values)
    rows = weights.astype(exact)
    return np.asarray(np.einsum("ij,ij->i", rows @ agreements, rows) / 2, dtype=np.float64)


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
