"""Pearson's correlation of rows and of weighted samples, Williams' test of two correlations, near copies of scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.stats.rounding import divide
from harness.support.arrays import Flags, Floats, Indices

MIN_SYSTEMS = 4
"""The test has n - 3 degrees of freedom."""

_SLACK = 1e-9
"""Largest difference from 1 of a correlation of proportional metrics, because scores are rounded."""

_NOISE = 1e-12
"""Largest spread that can be a rounding error."""

NEAR_COPY = 0.95
"""Minimum rank correlation of near copies. On DUC 2007, different models (MiniLM, tf-idf, wtmf, one-hot,
character n-grams) reach at most 0.926 on pairs and 0.887 on questions. Variants of one model reach more: 0.998 with
another precision, 0.950 to 0.998 with 256 or 320 of 384 dimensions."""

_MODELS_AT_ONCE = 64


def pearson_of_rows(x: Floats, y: Floats) -> Floats:
    """Compute Pearson's correlation of each row of a matrix with the same row of another matrix.

    r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 * sum (y - mean y)^2).

    Args:
        x: Shape (n, items), rounded.
        y: The same shape, rounded.

    Returns:
        Shape (n,), in [-1, 1]. NaN where all items of a row are equal in `x` or in `y`.
    """
    left, right = _centre(x), _centre(y)
    squares_x, squares_y = (left * left).sum(axis=1), (right * right).sum(axis=1)
    correlations = _normalize((left * right).sum(axis=1), squares_x, squares_y)
    return np.where(have_range(x) & have_range(y), correlations, np.nan)


def weighted_pearson(x: Floats, y: Floats, cell_of: Indices, weights: Floats) -> Floats:
    """Compute Pearson's correlation of one sample under many weightings.

    Items of equal weight form a cell. Sums over cells are formed once, so the time per weighting depends on the number
    of cells, not on the number of items.

    Args:
        x: Shape (items,), rounded.
        y: The same shape, rounded.
        cell_of: Shape (items,), the cell of each item.
        weights: Shape (n, cells), non-negative.

    Returns:
        Shape (n,), in [-1, 1]. NaN where all items with weight are equal in `x` or in `y`.
    """
    x, y = _centre(x), _centre(y)
    columns = (np.ones_like(x), x, y, x * x, y * y, x * y)
    by_cell = [np.bincount(cell_of, column, minlength=weights.shape[1]) for column in columns]
    count, sum_x, sum_y, sum_xx, sum_yy, sum_xy = (weights @ np.stack(by_cell, axis=1)).T
    squares_x = np.maximum(sum_xx - divide(sum_x * sum_x, count), 0)
    squares_y = np.maximum(sum_yy - divide(sum_y * sum_y, count), 0)
    products = sum_xy - divide(sum_x * sum_y, count)
    defined = _has_weighted_range(x, cell_of, weights) & _has_weighted_range(y, cell_of, weights)
    return np.where(defined, _normalize(products, squares_x, squares_y), np.nan)


def have_range(rows: Floats) -> Flags:
    """Find the rows with two distinct values, shape (n,).

    The values decide, because rounding errors may leave a variance above 0 where all values are equal.
    """
    return np.asarray((rows != rows[:, :1]).any(axis=1))


def _has_weighted_range(values: Floats, cell_of: Indices, weights: Floats) -> Flags:
    """Find the weightings under which the items with weight have two distinct values, shape (n,)."""
    lowest, highest = np.full(weights.shape[1], np.inf), np.full(weights.shape[1], -np.inf)
    np.minimum.at(lowest, cell_of, values)
    np.maximum.at(highest, cell_of, values)
    # Most weightings have items up to the median and items above it, which two products find.
    middle = np.sort(values)[(len(values) - 1) // 2] if len(values) else 0.0
    has_range = (weights @ (lowest <= middle) > 0) & (weights @ (highest > middle) > 0)
    others = weights[~has_range] > 0
    low = np.where(others, lowest, np.inf).min(axis=1, initial=np.inf)
    high = np.where(others, highest, -np.inf).max(axis=1, initial=-np.inf)
    has_range[~has_range] = low < high
    return np.asarray(has_range)


def _centre(values: Floats) -> Floats:
    """Scale the last axis to a range of 1, and shift it to a mean of 0.

    Correlations do not change. Then no square is too small or too large for a float, and a common offset does not
    cancel digits in the sums.
    """
    if not values.size:
        return values
    above = values - values.min(axis=-1, keepdims=True)
    scaled = divide(above, above.max(axis=-1, keepdims=True))
    return np.asarray(scaled - scaled.mean(axis=-1, keepdims=True))


def _normalize(products: Floats, squares_x: Floats, squares_y: Floats) -> Floats:
    """Divide sums of centred products by both spreads, and clip rounding errors beyond 1 and -1."""
    return np.clip(divide(products, np.sqrt(squares_x) * np.sqrt(squares_y)), -1, 1)


class Williams(NamedTuple):
    """The result of the test.

    Attributes:
        t: The statistic, positive if the first metric correlates better. None if the test is not defined.
        p_value: Two-sided p-value. None if the test is not defined.
        reason: Why the test is not defined, or "".
    """

    t: float | None
    p_value: float | None
    reason: str = ""


def compare_correlations(first: float, second: float, between: float, systems: int) -> Williams:
    """Test the difference of two correlations that share a variable (Williams 1959; Steiger 1980).

    Let r1 and r2 be the correlations of two metrics with a judgement, r the correlation of the metrics with each other,
    n the number of systems, and K = 1 - r1^2 - r2^2 - r^2 + 2 r1 r2 r. By Graham and Baldwin (2014),

    t(n - 3) = (r1 - r2) sqrt((n - 1) (1 + r)) / sqrt(2 K (n - 1) / (n - 3) + (r1 + r2)^2 / 4 (1 - r)^3).

    The test treats the systems as a sample, and the topics as fixed.

    Args:
        first: Correlation of the first metric with the judgement.
        second: Correlation of the second metric with the judgement.
        between: Correlation of both metrics with each other.
        systems: Number of systems.

    Returns:
        The result. The test is not defined for fewer than `MIN_SYSTEMS`, if the correlation of the metrics is 1 or -1,
        or if the judgement is the difference of the metrics, so that their correlations have no error.
    """
    from scipy.special import stdtr  # importing scipy takes long

    if systems < MIN_SYSTEMS:
        return Williams(None, None, f"fewer than {MIN_SYSTEMS} systems")
    if abs(between) >= 1 - _SLACK:
        return Williams(None, None, f"the metrics correlate with each other by {between:.0f}")
    determinant = max(0.0, 1 - first**2 - second**2 - between**2 + 2 * first * second * between)
    spread = 2 * determinant * (systems - 1) / (systems - 3) + (first + second) ** 2 / 4 * (1 - between) ** 3
    gap = (first - second) * math.sqrt((systems - 1) * (1 + between))
    if spread <= _NOISE:
        return Williams(None, None, "the correlations leave no room for chance")
    t = gap / math.sqrt(spread)
    p_value = 2 * float(stdtr(systems - 3, -abs(t)))
    return Williams(round(t, 6) + 0.0, float(f"{p_value:.6g}"))


def rank_scores(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Rank scores so that the mean product of the ranks of two models is their rank correlation (Spearman's rho).

    The options of a question are ranked within the question. A number that is added to all options of a question does
    not change any metric, and would otherwise hide a copy.

    Args:
        scores: Shape (n,) for pairs, (n, options) for questions.

    Returns:
        Flat array of ranks with mean 0 and variance 1. Ties have their mean rank. All ranks are 0 if all scores are
        equal.
    """
    ranks = _rank_rows(scores)
    centred = (ranks - ranks.mean(axis=-1, keepdims=True)).ravel()
    deviation = centred.std()
    if deviation:
        centred /= deviation
    return np.asarray(centred, dtype=np.float32)


def _rank_rows(scores: Floats) -> Floats:
    """Rank the last axis of scores from 1 up, as `scipy.stats.rankdata`, whose import takes a second.

    Ties have their mean rank. All ranks of a row with NaN are NaN.
    """
    order = np.argsort(scores, axis=-1)
    rising = np.take_along_axis(scores, order, axis=-1)
    places = np.broadcast_to(np.arange(scores.shape[-1]), scores.shape)
    is_new = np.ones(scores.shape, dtype=np.bool_)
    is_new[..., 1:] = rising[..., 1:] != rising[..., :-1]
    is_last = np.ones(scores.shape, dtype=np.bool_)
    is_last[..., :-1] = is_new[..., 1:]
    first = np.maximum.accumulate(np.where(is_new, places, 0), axis=-1)
    last = np.where(is_last, places, scores.shape[-1])[..., ::-1]
    last = np.minimum.accumulate(last, axis=-1)[..., ::-1]
    ranks = np.empty(scores.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return np.where(np.isnan(scores).any(axis=-1, keepdims=True), np.nan, ranks)


def find_near_copies(ranks: Sequence[npt.NDArray[np.float32]]) -> Iterator[tuple[int, int, float]]:
    """Find the pairs of models that are near copies.

    Args:
        ranks: The ranks of each model on one test, from `rank_scores`.

    Yields:
        Indices of two models whose rank correlation is `NEAR_COPY` or more, the smaller first, and the correlation.
    """
    starts = range(0, len(ranks), _MODELS_AT_ONCE)
    for start in starts:
        rows = _stack_ranks(ranks, start)
        for column_start in starts[start // _MODELS_AT_ONCE :]:
            correlations = rows @ _stack_ranks(ranks, column_start).T / rows.shape[1]
            for row, column in np.argwhere(correlations >= NEAR_COPY).tolist():
                first, second = start + row, column_start + column
                if first < second:
                    yield first, second, min(1.0, float(correlations[row, column]))


def _stack_ranks(ranks: Sequence[npt.NDArray[np.float32]], start: int) -> npt.NDArray[np.float32]:
    return np.stack(ranks[start : start + _MODELS_AT_ONCE])
