"""Significance of differences: exact sign-flip tests over topics, and the correction for several tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from harness.support.arrays import Flags, Floats

SIGNIFICANCE = 0.05
"""Significance level of all tests of differences. A lower p-value counts as significant."""

MIN_TOPICS = 5
"""Minimum number of topics for a test. With 5 topics, the smallest possible p-value of `flip_signs` is 0.0625."""

MOST_TOPICS = 256
"""Maximum number of topics. More topics are merged into this many groups, so that 2^n flips are a finite float."""

_STEPS_PER_TOPIC = 1024
_SLACK = 1e-9
_FLIPS = 1000
"""Number of random flips, which all pairs of models share."""

_FACTOR = 3.0
"""Factor by which the share of random flips must differ from the level to decide without the exact test."""


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
    sizes = np.abs(differences)
    total = float(sizes.sum())
    if total == 0:
        return 1.0
    scale = _STEPS_PER_TOPIC * len(sizes) / total
    steps = np.sort(np.rint(sizes * scale).astype(np.int64))
    counts = _count_subsets(steps)
    sums = np.abs(2 * np.arange(len(counts)) - int(steps.sum()))  # flips sum to (chosen subset) - (all others)
    observed = abs(float(differences.sum())) * scale - len(steps) / 2
    return float(counts[sums >= observed].sum() / counts.sum())


def _count_subsets(steps: npt.NDArray[np.int64]) -> Floats:
    """Count the subsets of integers by their sum (dynamic programming).

    Args:
        steps: Integers in ascending order, non-negative.

    Returns:
        Shape (sum of all + 1,): at each sum, the number of subsets with that sum.
    """
    counts = np.zeros(int(steps.sum()) + 1)
    counts[0] = 1
    highest = 0
    for step in steps.tolist():
        counts[step : step + highest + 1] += counts[: highest + 1].copy()
        highest += step
    return counts


def find_lowest_p(topic_count: int) -> float:
    """Return the smallest possible p-value of `flip_signs`: two of 2^n sums, namely those with all signs equal."""
    return 2.0 ** (1 - min(topic_count, MOST_TOPICS)) if topic_count else 1.0


def can_be_significant(topic_count: int) -> bool:
    """Return whether a difference between two models on a number of topics can be significant."""
    return find_lowest_p(topic_count) < SIGNIFICANCE


def find_significant(contributions: Floats, level: float) -> Flags:
    """Decide for all pairs of models whether `flip_signs` gives a p-value below a level.

    For most pairs, the p-value is far from the level, and `_FLIPS` random flips suffice. If the share of extreme sums
    is within a factor of `_FACTOR` of the level, the exact test decides. Outside this range, the probability that the
    p-value is on the other side of 0.05 is about 1e-8.

    Args:
        contributions: Shape (models, topics), from `metrics.contributions.measure_contributions`.
        level: The level, such as 0.05, not corrected for the number of pairs.

    Returns:
        Shape (models, models), symmetric.
    """
    models, topics = contributions.shape
    signs = 2.0 * np.random.RandomState(0).randint(2, size=(topics, _FLIPS)) - 1
    values, flipped = contributions.sum(axis=1), contributions @ signs
    differs = np.zeros((models, models), dtype=bool)
    for row in range(models - 1):
        observed = np.abs(values[row + 1 :] - values[row])[:, None]
        extreme = np.abs(flipped[row + 1 :] - flipped[row]) >= observed - _SLACK
        shares = np.count_nonzero(extreme, axis=1) / _FLIPS
        differs[row, row + 1 :] = shares < level
        for column in row + 1 + np.flatnonzero((shares > level / _FACTOR) & (shares < level * _FACTOR)):
            differs[row, column] = flip_signs(contributions[column] - contributions[row]) < level
    return np.asarray(differs | differs.T)


def find_better(quality: Floats, contributions: Floats, level: float) -> Flags:
    """Find the models that are significantly better than others.

    Args:
        quality: Shape (models,), higher for better models.
        contributions: As for `find_significant`.
        level: As for `find_significant`.

    Returns:
        Shape (models, models): at [i, j], whether model j is significantly better than model i.
    """
    return np.asarray(find_significant(contributions, level) & (quality[None, :] > quality[:, None]))


def correct_holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for multiple tests (Holm 1979), to bound the probability of any false positive.

    Args:
        p_values: The p-values of a family of tests.

    Returns:
        The corrected p-values in the same order, at most 1.
    """
    corrected, highest = [0.0] * len(p_values), 0.0
    rising = sorted(range(len(p_values)), key=lambda index: p_values[index])
    for rank, index in enumerate(rising):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = float(f"{highest:.6g}")
    return corrected
