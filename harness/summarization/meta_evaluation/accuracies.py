"""Accuracies: how often a metric orders two systems as people do, with ties and uncertain differences, or without them.

Pairwise accuracy (Kocmi et al. 2021) leaves out pairs of systems whose judgements are tied. Tie-calibrated accuracy
(Deutsch, Foster and Freitag 2023) compares systems within each topic and calls close scores of a metric a tie: a
difference of at most epsilon. Soft accuracy (Thompson, Mathur, Deutsch and Khayrallah 2024) compares how sure a metric
and a judgement are about each pair of systems. All of them are in [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from harness.stats.rounding import divide, round_scores
from harness.stats.significance import flip_systems
from harness.summarization.meta_evaluation import correlations
from harness.summarization.meta_evaluation.correlations import COEFFICIENTS, SUMMARY, SYSTEM
from harness.support.arrays import Flags, Floats, Indices

ACCURACY, SOFT, CALIBRATED, HELD_OUT = ACCURACIES = ("accuracy", "soft-accuracy", "tie-calibrated", "tie-held-out")

TITLES = correlations.TITLES | dict(zip(ACCURACIES, ACCURACIES, strict=True))
"""Titles of all coefficients in tables."""

FLIPS, FLIPS_PER_RESAMPLE = 20_000, 1000
"""Number of random sign flips for the p-values of soft accuracy, and for those of a resample."""

_CELLS_AT_ONCE = 1 << 21
_MOST_SINGLE = 1 << 12
_UNIT = 1e9
"""Differences of scores are whole numbers of this part, so that equal differences are equal, and sums are exact."""


def _pair(systems: int) -> tuple[Indices, Indices]:
    """Return the indices of both systems of each pair, shape (pairs,) each."""
    first, second = np.triu_indices(systems, 1)
    return first, second


def _weight_pairs(drawn: Indices | None, systems: int, count: int) -> Floats:
    """Count how often each pair of different systems is drawn, shape (count, pairs)."""
    first, second = _pair(systems)
    if drawn is None:
        return np.ones((count, len(first)))
    counts = np.stack([np.bincount(row, minlength=systems) for row in drawn]).astype(np.float64)
    return counts[:, first] * counts[:, second]


def _subtract_pairs(values: Floats) -> Floats:
    """Subtract the values of the second system of each pair from those of the first: (rows, systems) to (rows, pairs).

    The differences are whole numbers of billionths, or NaN where a system has no value.
    """
    first, second = _pair(values.shape[1])
    return np.asarray(np.rint((values[:, first] - values[:, second]) * _UNIT))


def _compare_signs(metric: Floats, judgement: Floats) -> tuple[Flags, Flags]:
    """Find the differences that are no ties by the judgement, and those of them with the same sign by the metric."""
    untied = (judgement != 0) & ~np.isnan(judgement)
    return untied, untied & (np.sign(metric) == np.sign(judgement))


def measure_accuracy_of_systems(metric: Floats, judgement: Floats, weights: Floats, drawn: Indices | None) -> Floats:
    """Return the share of pairs of systems in whose order the means of both measures over topics agree.

    Pairs with equal judgements do not count. A pair with equal scores by the metric only is an error.

    Args:
        metric: Shape (topics, systems). NaN where a system has no value.
        judgement: The same shape, NaN in the same places.
        weights: Shape (n, topics), whole numbers, how often each topic is drawn.
        drawn: Shape (n, any number), indices of the systems that are drawn, which may repeat, or None for all once.

    Returns:
        Shape (n,), in [0, 1], or NaN where all judgements are tied. A metric that orders at random has 0.5.
    """
    parts = []
    systems = metric.shape[1]
    step = max(1, _CELLS_AT_ONCE // (systems * systems))
    for start in range(0, len(weights), step):
        part = weights[start : start + step]
        means = (correlations.average_topics(round_scores(values), part) for values in (metric, judgement))
        untied, agreed = _compare_signs(*(_subtract_pairs(values) for values in means))
        pairs = _weight_pairs(None if drawn is None else drawn[start : start + step], systems, len(part))
        count = (pairs * untied).sum(axis=1)
        parts.append(np.where(count > 0, divide((pairs * agreed).sum(axis=1), count), np.nan))
    return np.concatenate(parts)


def measure_accuracy_of_summaries(metric: Floats, judgement: Floats, weights: Floats, drawn: Indices | None) -> Floats:
    """Return the share of pairs of a topic's summaries in whose order both measures agree, averaged over topics.

    Arguments and result are those of `measure_accuracy_of_systems`. Topics without untied judgements do not count.
    """
    signs = (
        flags.T.astype(np.float32) for flags in _compare_signs(_subtract_pairs(metric), _subtract_pairs(judgement))
    )
    untied, agreed = signs
    systems, parts = metric.shape[1], []
    step = max(1, _CELLS_AT_ONCE // (systems * systems))
    for start in range(0, 1 if drawn is None else len(drawn), step):
        pairs = _weight_pairs(None if drawn is None else drawn[start : start + step], systems, 1)
        # Sums of pairs are exact in single precision up to 2^24.
        pairs = pairs.astype(np.float32 if systems < _MOST_SINGLE else np.float64)
        count = (pairs @ untied).astype(np.float64)
        parts.append(np.where(count > 0, divide((pairs @ agreed).astype(np.float64), count), np.nan))
    return correlations.average_defined(np.concatenate(parts), weights)


def estimate_p_values(differences: Floats, flips: int) -> Floats:
    """Estimate how probable a sum of differences at least as large is if the sign of each difference were random.

    A sum that equals the observed one counts as half, so that exchanging both systems gives 1 - p.

    Args:
        differences: Shape (topics, pairs), whole numbers.
        flips: Number of random assignments of signs. They are the same for all measures of the same number of topics.

    Returns:
        Shape (pairs,), in [0, 1]. Small where the first system of a pair is better.
    """
    observed = differences.sum(axis=0)
    stream = np.random.RandomState(0)
    counts = np.zeros(differences.shape[1])
    step = max(1, _CELLS_AT_ONCE // max(differences.shape))
    for start in range(0, flips, step):
        signs = stream.randint(2, size=(min(step, flips - start), len(differences))) * 2.0 - 1.0
        sums = signs @ differences
        counts += (sums > observed).sum(axis=0) + (sums == observed).sum(axis=0) / 2
    return counts / flips


def _estimate_p_of_systems(values: Floats, flips: int) -> Floats:
    """Estimate the p-values of all pairs of systems, with the results of `estimate_p_values`.

    Args:
        values: Shape (topics, systems). NaN where a system has no value.
        flips: As for `estimate_p_values`.

    Returns:
        Shape (systems, systems), as from `flip_systems`.
    """
    if not np.isnan(values).any():
        return flip_systems(np.rint(values * _UNIT), flips)
    pairs = _pair(values.shape[1])  # which have different topics
    p_values = np.full((values.shape[1],) * 2, np.nan)
    p_values[pairs] = estimate_p_values(np.nan_to_num(_subtract_pairs(values)), flips)
    p_values[pairs[::-1]] = 1 - p_values[pairs]
    return p_values


def measure_soft_accuracy(metric: Floats, judgement: Floats, weights: Floats, drawn: Indices | None) -> Floats:
    """Return 1 - mean |p of the metric - p of the judgement| over all pairs of systems.

    p is the probability of a difference at least as large by chance, from `estimate_p_values` on the topics that both
    systems have.

    Args:
        metric: As for `measure_accuracy_of_systems`.
        judgement: As above.
        weights: As above.
        drawn: As above.

    Returns:
        Shape (n,), in [0, 1], or NaN without a pair of different systems.
    """
    flips, accuracies = FLIPS if len(weights) == 1 else FLIPS_PER_RESAMPLE, []
    with threadpool_limits(1):  # the matrices are small, and threads would wait for each other
        for number, row in enumerate(weights):
            topics = np.repeat(np.arange(len(row)), row.astype(int))
            systems = np.arange(metric.shape[1])
            if drawn is not None:
                systems = np.unique(drawn[number])
            by_metric, by_judgement = (
                _estimate_p_of_systems(values[np.ix_(topics, systems)], flips) for values in (metric, judgement)
            )
            part = None if drawn is None else np.searchsorted(systems, drawn[number : number + 1])
            pairs = _weight_pairs(part, len(systems), 1)[0]
            distances = np.abs(by_metric - by_judgement)[_pair(len(systems))]
            count = pairs.sum()
            accuracies.append(1 - (pairs * distances).sum() / count if count > 0 else np.nan)
    return np.array(accuracies)


class _Ties:
    """The pairs of summaries of each topic, in the order of their differences by a metric.

    Args:
        metric: Shape (topics, systems). NaN where a system has no value.
        judgement: The same shape.
    """

    def __init__(self, metric: Floats, judgement: Floats) -> None:
        by_metric, by_judgement = _subtract_pairs(metric), _subtract_pairs(judgement)
        self.present = ~np.isnan(by_metric)
        self._tied = self.present & (by_judgement == 0)
        self._agreed = self.present & ~self._tied & (np.sign(by_metric) == np.sign(by_judgement))
        self._sizes = np.where(self.present, np.abs(by_metric), np.inf)
        self._order = np.argsort(self._sizes, axis=None, kind="stable")
        sizes = self._sizes.ravel()[self._order]
        self._epsilons = np.concatenate([[0.0], sizes])
        # A threshold is the last of equal sizes. 0 is one, even if no difference is 0.
        self._is_threshold = np.append(self._epsilons[1:] != self._epsilons[:-1], True)
        self._is_threshold &= np.isfinite(self._epsilons)

    @property
    def chance(self) -> float:
        """Accuracy of a metric that knows nothing: it calls all pairs ties, or orders all of them at random."""
        share = self._tied.sum() / max(1, self.present.sum())
        return float(max(share, (1 - share) / 2))

    def weigh(self, weights: Floats, pairs: Floats) -> Floats:
        """Weigh the pairs of all topics, so that each topic has its own weight in total: shape (topics, pairs)."""
        cells = self.present * pairs
        return np.asarray(cells * divide(weights, cells.sum(axis=1))[:, None])

    def calibrate(self, cells: Floats) -> tuple[float, float]:
        """Choose the smallest epsilon with the highest accuracy. Return the accuracy and epsilon in billionths."""
        gains = (cells * self._tied - cells * self._agreed).ravel()[self._order]
        right = (cells * self._agreed).sum() + np.concatenate([[0.0], np.cumsum(gains)])
        # Sums in another order differ in their last bits, which must not choose another epsilon.
        candidates = np.where(self._is_threshold, np.round(right / cells.sum(), 12), -1.0)
        best = int(np.argmax(candidates))
        return float(candidates[best]), float(self._epsilons[best])

    def judge(self, epsilon: float) -> Flags:
        """Find the pairs that are right with an epsilon, shape (topics, pairs)."""
        return np.where(self._sizes <= epsilon, self._tied, self._agreed)


def measure_tie_calibrated(metric: Floats, judgement: Floats, weights: Floats, drawn: Indices | None) -> Floats:
    """Return the share of pairs of a topic's summaries that a metric orders or calls a tie as people do.

    The mean over topics counts, with the smallest epsilon for which it is highest. Each resample has its own epsilon.

    Args:
        metric: As for `measure_accuracy_of_systems`.
        judgement: As above.
        weights: As above.
        drawn: As above.

    Returns:
        Shape (n,), in [0, 1], or NaN without a pair of different systems.
    """
    ties = _Ties(metric, judgement)
    cells = (ties.weigh(row, pairs) for row, pairs in _list_weights(metric, weights, drawn))
    return np.array([ties.calibrate(part)[0] if part.any() else np.nan for part in cells])


def _list_weights(metric: Floats, weights: Floats, drawn: Indices | None) -> Iterator[tuple[Floats, Floats]]:
    pairs = _weight_pairs(drawn, metric.shape[1], len(weights) if drawn is not None else 1)
    for number, row in enumerate(weights):
        yield row, pairs[number if drawn is not None else 0]


def measure_tie_held_out(metric: Floats, judgement: Floats, weights: Floats, drawn: Indices | None) -> Floats:
    """Return tie-calibrated accuracy where the epsilon of each topic is calibrated on all other topics.

    Resamples of topics and systems keep the epsilons of the observed ones. Arguments and result are those of
    `measure_tie_calibrated`. NaN with a single topic.
    """
    ties = _Ties(metric, judgement)
    everything = np.ones(ties.present.shape[1])
    right = np.zeros(ties.present.shape)
    for topic in range(len(metric)):
        others = (np.arange(len(metric)) != topic).astype(np.float64)
        cells = ties.weigh(others, everything)
        if not cells.any():
            return np.full(len(weights), np.nan)
        right[topic] = ties.judge(ties.calibrate(cells)[1])[topic]
    values = []
    for row, pairs in _list_weights(metric, weights, drawn):
        cells = ties.weigh(row, pairs)
        values.append((cells * right).sum() / cells.sum() if cells.any() else np.nan)
    return np.array(values)


MEANINGS = {
    ACCURACY: "pairs of systems in the same order as by people, without pairs that people judge equal (Kocmi et al. "
    "2021)",
    SOFT: f"1 - mean difference of the p-values of all pairs of systems ({FLIPS:,} random flips of topics; Thompson et "
    "al. 2024)",
    CALIBRATED: "pairs of summaries of a topic in the same order or tied as by people. A difference of at most epsilon "
    "is a tie of the metric (Deutsch et al. 2023). Epsilon is tuned on the same topics",
    HELD_OUT: "the same, with the epsilon of each topic tuned on the other topics",
}
"""What the accuracies are, for readers of reports."""

Measure = Callable[[Floats, Floats, Floats, "Indices | None"], Floats]
MEASURES: Mapping[str, Mapping[str, Measure]] = {
    SYSTEM: {ACCURACY: measure_accuracy_of_systems, SOFT: measure_soft_accuracy},
    SUMMARY: {
        ACCURACY: measure_accuracy_of_summaries,
        CALIBRATED: measure_tie_calibrated,
        HELD_OUT: measure_tie_held_out,
    },
}
"""The functions that measure accuracies, by level and name."""


def list_names(level: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the coefficients and accuracies that are defined at a level, in the order of `names`."""
    return tuple(name for name in names if name in COEFFICIENTS or name in MEASURES[level])


def measure_agreement(
    level: str,
    names: Sequence[str],
    sides: tuple[Floats, Floats],
    weights: Floats,
    drawn: Indices | None = None,
) -> dict[str, Floats]:
    """Measure the agreement of a metric with a judgement by correlations and accuracies.

    Args:
        level: One of `correlations.LEVELS`.
        names: Coefficients and accuracies, as from `list_names`.
        sides: The scores of the metric and of the judgement, shape (topics, systems) each.
        weights: Shape (n, topics), how often each topic is drawn.
        drawn: Shape (n, any number), indices of the systems that are drawn, or None for all once.

    Returns:
        Arrays of shape (n,) by name, or NaN where one is not defined.
    """
    values: dict[str, Floats] = {}
    if any(name in COEFFICIENTS for name in names):
        values = correlations.LEVELS[level](*sides, weights, drawn)
    measures = MEASURES[level]
    return {name: values[name] if name in values else measures[name](*sides, weights, drawn) for name in names}


def prepare_swaps(level: str, name: str, sides: tuple[Floats, Floats], judgement: Floats) -> Callable[[Flags], float]:
    """Prepare to measure a metric that has the scores of another metric for some of the systems.

    Args:
        level: One of `correlations.LEVELS`.
        name: One of its `MEASURES`.
        sides: The scores of both metrics, shape (topics, systems) each.
        judgement: The same shape.

    Returns:
        A function from the systems with the scores of the second metric, shape (systems,), to the accuracy.
    """
    weights = np.ones((1, len(judgement)))
    if name != SOFT:
        measure = MEASURES[level][name]
        return lambda swapped: float(measure(np.where(swapped, *reversed(sides)), judgement, weights, None)[0])
    systems = judgement.shape[1]
    first, second = _pair(systems)
    by_judgement = _estimate_p_of_systems(judgement, FLIPS)[first, second]
    # The p-value of a pair depends only on the metrics that its two systems have.
    p_values = _estimate_p_of_systems(np.concatenate(sides, axis=1), FLIPS).reshape(2, systems, 2, systems)

    def measure_swapped(swapped: Flags) -> float:
        side = swapped.astype(np.intp)
        return float(1 - np.abs(p_values[side[first], first, side[second], second] - by_judgement).mean())

    return measure_swapped


def find_epsilon(metric: Floats, judgement: Floats) -> float:
    """Return the epsilon of tie-calibrated accuracy, in the unit of the metric."""
    ties = _Ties(metric, judgement)
    cells = ties.weigh(np.ones(len(metric)), np.ones(ties.present.shape[1]))
    return ties.calibrate(cells)[1] / _UNIT


def find_chance(name: str, metric: Floats, judgement: Floats) -> float:
    """Return the accuracy that is expected of a metric that knows nothing about the systems.

    It is 0.5 for pairwise accuracy, and the higher one of calling all pairs ties and ordering them at random for
    accuracies with ties. For soft accuracy, the metric's systems are exchanged at random.

    Args:
        name: One of `ACCURACIES`.
        metric: Shape (topics, systems).
        judgement: The same shape.
    """
    if name == ACCURACY:
        return 0.5
    if name != SOFT:
        return _Ties(metric, judgement).chance
    pairs = _pair(metric.shape[1])
    by_metric, by_judgement = (_estimate_p_of_systems(values, FLIPS)[pairs] for values in (metric, judgement))
    # Each pair of the judgement can meet each pair of the metric, in either order.
    either = np.sort(np.concatenate([by_metric, 1 - by_metric]))
    sums = np.concatenate([[0.0], np.cumsum(either)])
    below = np.searchsorted(either, by_judgement)
    distances = by_judgement * below - sums[below] + (sums[-1] - sums[below]) - by_judgement * (len(either) - below)
    return float(1 - distances.mean() / len(either))
