"""Significance of differences: exact sign-flip tests over topics, and the correction for several tests."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from harness.stats.rounding import divide
from harness.support.arrays import Flags, Floats, Indices

SIGNIFICANCE = 0.05
"""Significance level of all tests of differences. A lower p-value counts as significant."""

MIN_TOPICS = 5
"""Minimum number of topics for a test. With 5 topics, the smallest possible p-value of `flip_signs` is 0.0625."""

MOST_TOPICS = 256
"""Maximum number of topics. More topics are merged into this many groups, so that 2^n flips are a finite float."""

_STEPS_PER_TOPIC = 1024
_LOW_TOPICS, _HIGH_TOPICS = 11, 12
"""Numbers of topics with the smallest and the largest differences, whose subsets are listed."""

_GROWTH, _LEAST_LIMIT = 2, 64
"""Limits of the rows of a block are at most twice the smallest limit plus 64."""

_CELLS_AT_ONCE = 1 << 17
"""Maximum size of the grids of the rows that are tested at a time: few enough for the cache of a processor. New memory
for larger arrays takes longer than the tests."""

_SLACK = 2.0**-20
"""Share of the largest sum by which a sum may be below the observed one, because sums are compared in single precision.
It is four times the largest rounding error, so equal sums are always counted."""

_FLIPS = 1000
"""Number of random flips, which all pairs of models share."""

_MODELS_AT_ONCE = 64
"""Number of pairs of models whose flips are compared at a time: few enough for the cache of a processor."""

_BELOW, _ABOVE = 3.0, 2.0
"""Factors by which the share of random flips must be below or above the level to decide without the exact test."""


def flip_signs(differences: Floats) -> float:
    """Test whether differences per topic are symmetric around 0, by the exact sign-flip test (Fisher 1935), two-sided.

    If two models are equally good, their contributions to a topic may be swapped, which changes the sign of the topic's
    difference d_t. With n topics, there are 2^n equally likely sums s_1 d_1 + ... + s_n d_n with signs s_t = 1 or -1.

        p = share of the 2^n sums whose absolute value is at least |d_1 + ... + d_n|.

    The smallest possible p-value is `find_lowest_p(n)`, 2 / 2^n. No sum is drawn at random: the sizes |d_t| are rounded
    to a grid of 1,024 n steps, and the number of subsets with each sum is counted by dynamic programming (Pagano and
    Tritchler 1983). All sums that rounding may have moved below the observed sum are counted, so p is never below its
    exact value, and in practice exceeds it by at most 1 %.

    Args:
        differences: Shape (n,), the difference of each topic. At most `MOST_TOPICS` topics.

    Returns:
        The p-value, in (0, 1]. 1 if all differences are 0 or there are no topics.
    """
    return float(flip_signs_of_rows(differences[None, :])[0])


def flip_signs_of_rows(differences: Floats) -> Floats:
    """Test each row of differences per topic, shape (m, n), as `flip_signs` does. Returns p-values, shape (m,).

    Flips sum to (chosen subset) - (all others), so the subsets in the lower tail count twice.
    """
    topics = differences.shape[1]
    sizes = np.abs(differences)
    totals = sizes.sum(axis=1)
    scales = divide(np.full(len(sizes), float(_STEPS_PER_TOPIC * topics)), totals)
    steps = np.sort(np.rint(sizes * scales[:, None]).astype(np.int32), axis=1)
    observed = np.ceil(np.abs(differences.sum(axis=1)) * scales - topics / 2).astype(np.int64)
    limits = (steps.sum(axis=1) - observed) // 2
    p_values = np.ones(len(sizes))
    tested = np.flatnonzero((observed > 0) & (totals > 0))
    tested = tested[np.argsort(limits[tested], kind="stable")]
    for rows in _divide_by_limit(tested, limits[tested]):
        p_values[rows] = 2 * _count_subsets(steps[rows], limits[rows]) / 2.0**topics
    return p_values


def _divide_by_limit(rows: Indices, limits: Indices) -> Iterator[Indices]:
    """Divide rows into blocks with similar limits, which determine the time and memory of a row.

    Args:
        rows: Shape (m,).
        limits: Shape (m,), ascending.
    """
    while len(rows):
        similar = int(np.searchsorted(limits, _GROWTH * limits[0] + _LEAST_LIMIT, side="right"))
        count = max(1, min(similar, _CELLS_AT_ONCE // max(1 << _HIGH_TOPICS, int(limits[similar - 1]) + 1)))
        yield rows[:count]
        rows, limits = rows[count:], limits[count:]


def _count_subsets(steps: npt.NDArray[np.int32], limits: Indices) -> Floats:
    """Count the subsets of integers whose sum is at most a limit.

    The subsets of the smallest integers are counted by their sum, and the following integers are added by dynamic
    programming. Each subset of the largest integers then leaves a rest of the limit (Horowitz and Sahni 1974). Integers
    above the limits are in no such subset. If the difference is clearly significant, few integers remain.

    Args:
        steps: Shape (m, n), non-negative, ascending in each row.
        limits: Shape (m,).

    Returns:
        Shape (m,).
    """
    usable = np.count_nonzero(steps <= limits[:, None], axis=1)
    steps = steps[:, : int(usable.max(initial=0))]
    rows, topics = steps.shape
    low = min(_LOW_TOPICS, topics // 2)
    high = max(low, topics - _HIGH_TOPICS)
    sums = _list_sums(steps[:, :low])
    width = int(np.minimum(limits, steps[:, :high].sum(axis=1)).max(initial=0)) + 1
    # In each row, a place for negative rests of the limit, which have no subsets, and for sums above the limit.
    starts = np.arange(0, rows * (width + 1), width + 1, dtype=np.int32)[:, None]
    np.minimum(sums, width, out=sums)
    sums += starts
    counts = np.bincount(sums.ravel(), minlength=rows * (width + 1)).reshape(rows, -1)[:, :width]
    counts = counts.astype(np.float64 if low < high else np.int32)  # floats if counts are too large for integers
    for row, highest, added in zip(counts, steps[:, :low].sum(axis=1), steps[:, low:high].tolist(), strict=True):
        for step in added:
            end = min(highest + 1, width - step)
            if end > 0:
                row[step : step + end] += row[:end].copy()
            highest += step
    totals = np.zeros((rows, width + 1), dtype=counts.dtype)
    np.cumsum(counts, axis=1, out=totals[:, 1:])
    rests = np.subtract((limits + 1).astype(np.int32)[:, None], _list_sums(steps[:, high:]))
    np.clip(rests, 0, width, out=rests)
    rests += starts
    return np.take(totals.ravel(), rests).sum(axis=1, dtype=np.float64)


def _list_sums(steps: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """List the sums of all 2^n subsets of each row of integers, shape (m, 2^n)."""
    sums = np.zeros((len(steps), 1 << steps.shape[1]), dtype=np.int32)
    for number in range(steps.shape[1]):
        end = 1 << number
        np.add(sums[:, :end], steps[:, number, None], out=sums[:, end : 2 * end])
    return sums


def find_lowest_p(topic_count: int) -> float:
    """Return the smallest possible p-value of `flip_signs`: two of 2^n sums, namely those with all signs equal."""
    return 2.0 ** (1 - min(topic_count, MOST_TOPICS)) if topic_count else 1.0


def can_be_significant(topic_count: int) -> bool:
    """Return whether a difference between two models on a number of topics can be significant."""
    return find_lowest_p(topic_count) < SIGNIFICANCE


def find_fewest_topics() -> int:
    """Return the smallest number of topics with which a difference can be significant."""
    return next(count for count in range(1, MOST_TOPICS) if can_be_significant(count))


def find_significant(contributions: Floats, level: float) -> Flags:
    """Decide for all pairs of models whether `flip_signs` gives a p-value below a level.

    For most pairs, the p-value is far from the level, and `_FLIPS` random flips suffice. If the share of extreme sums
    is more than a third and less than twice the level, the exact test decides. Outside this range, the probability that
    the p-value is on the other side of 0.05 is about 1e-8.

    Args:
        contributions: Shape (models, topics), from `metrics.contributions.measure_contributions`.
        level: The level, such as 0.05, not corrected for the number of pairs.

    Returns:
        Shape (models, models), symmetric.
    """
    p_values = _flip_pairs(contributions, (level / _BELOW, level * _ABOVE))
    return unfold_pairs(np.concatenate([np.empty(0), *p_values]) < level, len(contributions))


def flip_pairs(contributions: Floats, level: float) -> Iterator[Floats]:
    """Test the differences between all pairs of models, as `flip_signs` does.

    Args:
        contributions: As for `find_significant`.
        level: As for `find_significant`.

    Yields:
        For each model the p-values of its differences to the models after it, or NaN where random flips decide that the
        p-value is above the level, with the error of `find_significant`.
    """
    return _flip_pairs(contributions, (-np.inf, level * _ABOVE))


def _flip_pairs(contributions: Floats, close: tuple[float, float]) -> Iterator[Floats]:
    """Yield for each model the p-values of its differences to the models after it, exact between two shares of flips.

    Below the first share, the p-value is 0. From the second share, it is NaN.
    """
    lower, upper = close
    for row, shares in enumerate(_share_flips(contributions)):
        p_values = np.where(shares < upper, 0.0, np.nan)
        exact = np.flatnonzero((shares > lower) & (shares < upper))
        p_values[exact] = flip_signs_of_rows(contributions[row + 1 + exact] - contributions[row])
        yield p_values


def unfold_pairs(flags: Flags, models: int) -> Flags:
    """Arrange the flags of all pairs of models, each model with the models after it, in a symmetric square."""
    square = np.zeros((models, models), dtype=bool)
    square[np.triu_indices(models, 1)] = flags
    return np.asarray(square | square.T)


def _share_flips(contributions: Floats) -> Iterator[Floats]:
    """Yield for each model the shares of random flips with extreme sums, by the models after it."""
    models, topics = contributions.shape
    signs = 2.0 * np.random.RandomState(0).randint(2, size=(topics, _FLIPS)) - 1
    values, flipped = contributions.sum(axis=1), (contributions @ signs).astype(np.float32)
    slack = _SLACK * np.abs(flipped).max(initial=0)
    apart = np.empty((_MODELS_AT_ONCE, _FLIPS), dtype=np.float32)
    for row in range(models):
        shares = np.empty(models - row - 1)
        for start in range(row + 1, models, _MODELS_AT_ONCE):
            part = slice(start, start + _MODELS_AT_ONCE)
            sums = np.subtract(flipped[part], flipped[row], out=apart[: len(values[part])])
            observed = (np.abs(values[part] - values[row]) - slack).astype(np.float32)[:, None]
            shares[start - row - 1 :][:_MODELS_AT_ONCE] = np.count_nonzero(np.abs(sums, out=sums) >= observed, axis=1)
        yield shares / _FLIPS


def flip_systems(values: Floats, flips: int) -> Floats:
    """Estimate how probable a sum of differences at least as large is for all pairs of systems, by random flips.

    Let o be the sum of the values of a system, and s their sum after a flip. The flipped difference of two systems is
    larger than the observed one if s - o is larger for the first system. So flips are summed per system, not per pair.

    Args:
        values: Shape (topics, systems), whole numbers.
        flips: Number of random flips, which are the same for all values of the same number of topics.

    Returns:
        Shape (systems, systems): at [i, j], the one-sided p-value of the difference i - j. A sum that equals the
        observed one counts as half. The diagonal is not defined.
    """
    topics, systems = values.shape
    counts, stream = np.zeros((systems, systems)), np.random.RandomState(0)
    step = max(1, _CELLS_AT_ONCE // max(values.shape))
    for start in range(0, flips, step):
        signs = stream.randint(2, size=(min(step, flips - start), topics)) * 2.0 - 1.0
        ranks, has_ties = _rank_rows(signs @ values - values.sum(axis=0))
        for system, own in enumerate(ranks):
            others = ranks[system + 1 :]
            counts[system, system + 1 :] += np.count_nonzero(own > others, axis=1)
            if has_ties:
                counts[system, system + 1 :] += np.count_nonzero(own == others, axis=1) / 2
    upper = np.triu(counts / flips, 1)
    return np.asarray(upper + np.tril(1 - upper.T, -1))


def _rank_rows(values: Floats) -> tuple[npt.NDArray[np.int16 | np.int64], bool]:
    """Number the distinct values of each row in ascending order, since small integers are compared faster than floats.

    Returns:
        The numbers, with a row per column of values, and whether a row has equal values.
    """
    order = np.argsort(values, axis=1)
    rising = np.take_along_axis(values, order, axis=1)
    columns = values.shape[1]
    numbers = np.zeros(values.shape, dtype=np.int16 if columns <= np.iinfo(np.int16).max else np.int64)
    np.cumsum(rising[:, 1:] != rising[:, :-1], axis=1, out=numbers[:, 1:])
    ranks = np.empty_like(numbers)
    np.put_along_axis(ranks, order, numbers, axis=1)
    return np.ascontiguousarray(ranks.T), bool((numbers[:, -1:] < columns - 1).any())


def correct_holm(p_values: Sequence[float], count: int | None = None) -> list[float]:
    """Correct p-values for multiple tests (Holm 1979), to bound the probability of any false positive.

    Args:
        p_values: The p-values of a family of tests.
        count: Number of tests in the family, if the p-values of the others are higher. None for the given ones.

    Returns:
        The corrected p-values in the same order, at most 1.
    """
    values = np.asarray(p_values, dtype=np.float64)
    rising = np.argsort(values, kind="stable")
    tests_left = (len(values) if count is None else count) - np.arange(len(values))
    highest = np.maximum.accumulate(np.minimum(1.0, tests_left * values[rising]))
    corrected = np.empty(len(values))
    corrected[rising] = round_p_values(highest)
    return corrected.tolist()


def round_p_values(p_values: Floats) -> Floats:
    """Round p-values to six significant digits, so that a small p-value is not 0."""
    return np.array([p_value if p_value == 1 else float(f"{p_value:.6g}") for p_value in p_values.tolist()])


def find_clusters(names: Sequence[str], different: Collection[frozenset[str]]) -> list[list[str]]:
    """Divide what is ordered, the best first, into clusters whose members cannot be told apart.

    A cluster ends before the first name that differs from one of its members.

    Args:
        names: Names, the best first.
        different: The pairs of names that are significantly different.
    """
    clusters: list[list[str]] = []
    for name in names:
        if not clusters or any(frozenset((member, name)) in different for member in clusters[-1]):
            clusters.append([])
        clusters[-1].append(name)
    return clusters
