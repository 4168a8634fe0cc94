"""How far scores may be off: bootstrap over topics, and paired comparisons of models.

Rows of one topic are not independent, so topics are drawn, not rows. A resample gives topic t the weight w_t, how often
it was drawn; a pair across topics a and b weighs w_a w_b, a pair within a weighs w_a. Rows of equal weight form a
*cell*, and every metric is computed for all resamples at once from sums over cells. Thresholds are held fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from harness.metrics.pairs import Counts, divide, rate_decisions
from harness.metrics.questions import rate_reciprocal_rank, rate_success
from harness.metrics.similarity import centre
from harness.stats.sign_flips import MOST_TOPICS, flip_signs
from pyramid_paraphrase.pair_corpora.pit import LABELS_OF_GRADES
from pyramid_paraphrase.pair_corpora.records import DEBATABLE

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Samples = Mapping[str, Floats]
Measure = Callable[[Floats], Samples]
"""From weights of topics, shape (resamples, topics), to metrics by name, shape (resamples,)."""

CONFIDENCE = 0.95
MIN_TOPICS = 5
_WEIGHTS_AT_ONCE = 2_000_000
"""Resamples times topics that are drawn at a time; each takes some tens of bytes."""

_CUTS_AT_ONCE = 1 << 17
"""Cuts times resamples: few enough for a processor's cache, and enough to be fast."""

_TOPICS_AT_ONCE = 64
_STEP = 1e-4
"""Change of a topic's weight in the numerical derivative."""

_DECIMALS = 9
"""Decimals of contributions of topics."""

_MEANS_OVER_ROWS = ("success_rate", "mrr", "accuracy", "pearson")
"""Metrics that are means over rows; the others are computed from the paraphrases."""


@dataclass(frozen=True, slots=True)
class Scored:
    """The rows of the test split of a task with what a model says of them; n rows.

    Attributes:
        scores: Shape (n,) for pairs, (n, options) for questions, rounded.
        targets: Shape (n,): labels, indices of right options, or grades.
        topics: Shape (n, 2), indices of the topics of both sides.
        topic_count: How many topics there are.
        threshold: For pairs with labels, from where on they are called paraphrases; None for others.
        is_graded: Whether targets are grades.
    """

    scores: Floats
    targets: Indices
    topics: Indices
    topic_count: int
    threshold: float | None
    is_graded: bool = False


def draw_weights(topic_count: int, resamples: int, seed: int) -> Floats:
    """Draw topics with replacement.

    Args:
        topic_count: How many there are, and are drawn each time.
        resamples: How often.
        seed: The same seed gives the same draws, with any version of NumPy.

    Returns:
        Shape (resamples, topics): how often each was drawn.
    """
    return np.concatenate(list(_draw_parts(topic_count, resamples, seed)))


def _draw_parts(topic_count: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield a few resamples at a time: corpora of pairs have up to a topic per pair."""
    stream = np.random.RandomState(seed)  # the streams of newer generators may change
    step = max(1, _WEIGHTS_AT_ONCE // topic_count)
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        cells = stream.randint(topic_count, size=(count, topic_count))
        cells += topic_count * np.arange(count)[:, None]
        counts = np.bincount(cells.ravel(), minlength=count * topic_count)
        yield counts.reshape(count, topic_count).astype(np.float64)


def bootstrap(measure: Measure, topic_count: int, resamples: int, seed: int) -> Samples:
    """Measure under weights as `draw_weights` draws them, never holding all of them at once.

    Args:
        measure: The metrics, such as `make_measure` prepares them.
        topic_count: How many topics there are.
        resamples: How often they are drawn.
        seed: Of the draws.

    Returns:
        By name of the metric, shape (resamples,).
    """
    return _join([measure(weights) for weights in _draw_parts(topic_count, resamples, seed)])


def _join(parts: Sequence[Samples]) -> Samples:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def resample_metrics(scored: Scored, weights: Floats, *, with_curves: bool = True) -> Samples:
    """Compute the metrics of a task under several weightings of topics.

    Args:
        scored: The rows.
        weights: Shape (resamples, topics).
        with_curves: As for `make_measure`.

    Returns:
        As the function that `make_measure` returns.
    """
    return make_measure(scored, with_curves=with_curves)(weights)


def make_measure(scored: Scored, *, with_curves: bool = True) -> Measure:
    """Prepare the metrics of a task, to compute them under many weightings of topics.

    Args:
        scored: The rows.
        with_curves: Whether to compute average precision and area under the ROC curve of pairs, which take most time.

    Returns:
        From weights, shape (resamples, topics), to metrics by name, shape (resamples,). Where no row or no paraphrase
        has weight, a metric that is not defined is 0, and the area under the ROC curve 0.5.
    """
    if scored.is_graded:
        return partial(_resample_grades, scored)
    if scored.threshold is None:
        return _measure_questions(scored)
    return _measure_pairs(scored, scored.threshold, with_curves=with_curves)


def _measure_questions(scored: Scored) -> Measure:
    topics = scored.topics[:, 0]
    sizes = np.bincount(topics, minlength=scored.topic_count)
    values = {
        "success_rate": rate_success(scored.scores, scored.targets),
        "mrr": rate_reciprocal_rank(scored.scores, scored.targets),
    }
    sums = {name: np.bincount(topics, value, minlength=scored.topic_count) for name, value in values.items()}

    def measure(weights: Floats) -> Samples:
        counts = weights @ sizes
        return {name: divide(weights @ by_topic, counts) for name, by_topic in sums.items()}

    return measure


def _resample_grades(scored: Scored, weights: Floats) -> Samples:
    labels = np.take(LABELS_OF_GRADES, scored.targets)
    known = labels != DEBATABLE
    topics, count, grades = scored.topics, scored.topic_count, scored.targets.astype(np.float64)
    return {
        "pearson": resample_pearson(scored.scores, grades, topics, count, weights),
        "max_f1": resample_max_f1(scored.scores[known], labels[known], topics[known], count, weights),
    }


def _measure_pairs(scored: Scored, threshold: float, *, with_curves: bool) -> Measure:
    cells = _find_cells(scored.topics, scored.topic_count)
    said, true = scored.scores >= threshold, scored.targets == 1
    kinds = (said & true, said & ~true, ~said & true, ~said & ~true)
    tables = [np.bincount(cells.of_rows[kind], minlength=cells.total) for kind in kinds]
    cuts = _find_cuts(scored.scores, true, cells) if with_curves else None

    def measure(weights: Floats) -> Samples:
        weight = cells.weigh(weights)
        decisions = rate_decisions(Counts(*(weight @ table for table in tables)))
        return {**decisions, **_resample_curves(cuts, weight)} if cuts else decisions

    return measure


class _Cells(NamedTuple):
    """The cells of some rows: the pairs of topics that have rows.

    Attributes:
        of_rows: Shape (n,), the cell of each row.
        left: Shape (cells,), the lower of the two topics.
        right: Shape (cells,), the higher.
    """

    of_rows: Indices
    left: Indices
    right: Indices

    @property
    def total(self) -> int:
        """How many cells there are."""
        return len(self.left)

    def weigh(self, weights: Floats) -> Floats:
        """The weight of each cell, shape (resamples, cells)."""
        within = self.left == self.right
        if within.all():
            return weights[:, self.left]
        return np.where(within, weights[:, self.left], weights[:, self.left] * weights[:, self.right])


def _find_cells(topics: Indices, topic_count: int) -> _Cells:
    ends = np.sort(topics, axis=1)
    cells, of_rows = np.unique(ends[:, 0] * topic_count + ends[:, 1], return_inverse=True)
    return _Cells(of_rows, *np.divmod(cells, topic_count))


def _resample_curves(cuts: _Cuts, weight: Floats) -> Samples:
    """Average precision and area under the ROC curve, from the cuts at which a paraphrase is gained."""
    precision, area = np.zeros(len(weight)), np.full(len(weight), 0.5)
    for part, own in _divide(weight, cuts):
        gains, above, tied = (matrix @ own for matrix in (cuts.gained, cuts.above, cuts.tied))
        hits, others = np.cumsum(gains, axis=0), np.cumsum(above + tied, axis=0)
        positives, negatives = cuts.positives @ own, cuts.negatives @ own
        precision[part] = divide((gains * divide(hits, hits + others)).sum(axis=0), positives)
        passed = (gains * (negatives - others + tied / 2)).sum(axis=0)  # half of those of equal score
        both = (positives > 0) & (negatives > 0)
        area[part] = np.where(both, divide(passed, positives * negatives), 0.5)
    return {"average_precision": precision, "roc_auc": area}


class _Cuts(NamedTuple):
    """The c cuts through falling scores at which a paraphrase is gained, as numbers of rows by cell.

    Attributes:
        gained: Sparse, shape (c, cells): paraphrases of the score that is cut below.
        tied: The same of others of that score.
        above: The same of others that score higher, but lower than at the cut before.
        positives: Shape (cells,), all paraphrases.
        negatives: Shape (cells,), all others.
    """

    gained: sp.csr_matrix
    tied: sp.csr_matrix
    above: sp.csr_matrix
    positives: Indices
    negatives: Indices


def _find_cuts(scores: Floats, true: npt.NDArray[np.bool_], cells: _Cells) -> _Cuts:
    falling = -scores
    gaining = np.unique(falling[true])
    cut = np.searchsorted(gaining, falling)
    before_last = ~true & (cut < len(gaining))
    is_tied = before_last.copy()
    is_tied[before_last] = gaining[cut[before_last]] == falling[before_last]

    def count(chosen: npt.NDArray[np.bool_]) -> sp.csr_matrix:
        entries = (np.ones(int(chosen.sum())), (cut[chosen], cells.of_rows[chosen]))
        return sp.csr_matrix(entries, shape=(len(gaining), cells.total))

    totals = (np.bincount(cells.of_rows[chosen], minlength=cells.total) for chosen in (true, ~true))
    return _Cuts(count(true), count(is_tied), count(before_last & ~is_tied), *totals)


def _divide(weight: Floats, cuts: _Cuts) -> Iterator[tuple[slice, Floats]]:
    """Yield some resamples, and their weights of cells, shape (cells, resamples)."""
    step = max(1, _CUTS_AT_ONCE // (cuts.gained.shape[0] + 1))
    for start in range(0, len(weight), step):
        part = slice(start, start + step)
        yield part, np.ascontiguousarray(weight[part].T)


def resample_pearson(scores: Floats, gold: Floats, topics: Indices, topic_count: int, weights: Floats) -> Floats:
    """Compute Pearson's correlation under several weightings of topics.

    Args:
        scores: Shape (n,), rounded.
        gold: Shape (n,), what they should correlate with.
        topics: Shape (n, 2), indices of the topics of both sides.
        topic_count: How many topics there are.
        weights: Shape (resamples, topics).

    Returns:
        Shape (resamples,); 0 where all rows with weight are equal in one of both.
    """
    cells = _find_cells(topics, topic_count)
    weight = cells.weigh(weights)
    x, y = centre(scores), centre(gold)
    columns = (np.ones_like(x), x, y, x * x, y * y, x * y)
    n, sum_x, sum_y, sum_xx, sum_yy, sum_xy = (
        weight @ np.bincount(cells.of_rows, column, minlength=cells.total) for column in columns
    )
    variance_x = np.maximum(sum_xx - divide(sum_x * sum_x, n), 0)
    variance_y = np.maximum(sum_yy - divide(sum_y * sum_y, n), 0)
    # Told by the values themselves: what subtraction leaves of a variance of 0 may be more than 0.
    defined = _has_range(x, cells.of_rows, weight) & _has_range(y, cells.of_rows, weight)
    found = divide(sum_xy - divide(sum_x * sum_y, n), np.sqrt(variance_x) * np.sqrt(variance_y))
    return np.where(defined, np.clip(found, -1, 1), 0.0)


def _has_range(values: Floats, cell_of: Indices, weight: Floats) -> npt.NDArray[np.bool_]:
    """Whether the rows with weight have two distinct values; shape (resamples,)."""
    lowest, highest = np.full(weight.shape[1], np.inf), np.full(weight.shape[1], -np.inf)
    np.minimum.at(lowest, cell_of, values)
    np.maximum.at(highest, cell_of, values)
    low = np.where(weight > 0, lowest, np.inf).min(axis=1, initial=np.inf)
    return np.asarray(low < np.where(weight > 0, highest, -np.inf).max(axis=1, initial=-np.inf))


def resample_max_f1(scores: Floats, labels: Indices, topics: Indices, topic_count: int, weights: Floats) -> Floats:
    """Find the highest F of all cuts between distinct scores, separately for each of several weightings of topics.

    Args:
        scores: Shape (n,), rounded.
        labels: Shape (n,), 1 for paraphrases and 0 for others.
        topics: Shape (n, 2), indices of the topics of both sides.
        topic_count: How many topics there are.
        weights: Shape (resamples, topics).

    Returns:
        Shape (resamples,); 0 where no paraphrase has weight.
    """
    cells = _find_cells(topics, topic_count)
    weight = cells.weigh(weights)
    # F rises only where a paraphrase is gained, so that no other cut needs to be looked at.
    cuts, best = _find_cuts(scores, labels == 1, cells), np.zeros(len(weight))
    for part, own in _divide(weight, cuts):
        hits = np.cumsum(cuts.gained @ own, axis=0)
        others = np.cumsum(cuts.above @ own + cuts.tied @ own, axis=0)
        best[part] = divide(2 * hits, hits + others + cuts.positives @ own).max(axis=0, initial=0)
    return best


def measure_topics(scored: Scored, *, with_curves: bool = True) -> Samples:
    """Compute the metrics of a task on the rows of each topic alone; those across topics count nowhere.

    Args:
        scored: The rows.
        with_curves: As for `resample_metrics`.

    Returns:
        By name of the metric, shape (topics,), as `resample_metrics` defines it; of a topic without rows, too.
    """
    within = np.flatnonzero(scored.topics[:, 0] == scored.topics[:, 1])
    order = within[np.argsort(scored.topics[within, 0], kind="stable")]
    topics, parts = scored.topics[order, 0], []
    for start in range(0, scored.topic_count, _TOPICS_AT_ONCE):
        count = min(_TOPICS_AT_ONCE, scored.topic_count - start)
        rows = order[slice(*np.searchsorted(topics, [start, start + count]))]
        own = replace(
            scored,
            scores=scored.scores[rows],
            targets=scored.targets[rows],
            topics=scored.topics[rows] - start,
            topic_count=count,
        )
        parts.append(resample_metrics(own, np.eye(count), with_curves=with_curves))
    return _join(parts)


def measure_contributions(scored: Scored, *, with_curves: bool = True) -> Samples:
    """Divide the metrics of a task into contributions of its topics, for paired tests of models.

    The contribution of topic t to a metric M is

        c_t = g_t + M a_t,  with  g_t = M'_t - a_t (M'_1 + ... + M'_n),

    where M'_t is the slope of M by the weight of topic t, at weights of 1 (the infinitesimal jackknife, Efron 1982),
    and a_t is the share of topic t in the items that M averages: rows, or paraphrases for F and average precision.
    Contributions sum to M. The contribution to a mean over rows, such as the success rate, is the topic's own sum
    divided by the number of all rows. Swapping two models in a topic then swaps their contributions exactly; for
    other metrics it does so to first order. A pair across topics a and b weighs w_a w_b: its slope counts in both
    topics, and half of its row in the share of each.

    Args:
        scored: The rows.
        with_curves: As for `resample_metrics`.

    Returns:
        By name of the metric, shape (n,): of the topics with rows, in their order; more than `sign_flips.MOST_TOPICS`
        are merged into that many groups of neighbours.
    """
    merged = _merge_topics(scored)
    count = merged.topic_count
    weights = np.concatenate([np.ones((1, count)), 1 + _STEP * np.eye(count), 1 - _STEP * np.eye(count)])
    contributions = {}
    for name, values in resample_metrics(merged, weights, with_curves=with_curves).items():
        slopes = (values[1 : 1 + count] - values[1 + count :]) / (2 * _STEP)
        parts = slopes + (values[0] - slopes.sum()) * _share(merged, name)
        contributions[name] = np.round(parts, _DECIMALS)  # more digits are noise, and equal models must tie
    return contributions


def _merge_topics(scored: Scored) -> Scored:
    """Renumber the topics with rows from 0, and merge neighbours if there are too many."""
    present, topics = np.unique(scored.topics, return_inverse=True)
    topics = topics.reshape(scored.topics.shape)
    count = min(len(present), MOST_TOPICS)
    if len(present) > count:
        topics = topics * count // len(present)
    return replace(scored, topics=topics, topic_count=count)


def _share(scored: Scored, metric: str) -> Floats:
    """Return the share of each topic in the rows that a metric averages; a row across topics counts half in each."""
    labels = np.take(LABELS_OF_GRADES, scored.targets) if scored.is_graded else scored.targets
    counted = scored.topics
    if metric not in _MEANS_OVER_ROWS and (labels == 1).any():
        counted = scored.topics[labels == 1]
    return np.bincount(counted.ravel(), minlength=scored.topic_count) / counted.size


def find_intervals(samples: Samples) -> dict[str, list[float]]:
    """The percentiles that hold the middle 95 % of the resamples, lower and upper, per metric."""
    tail = (1 - CONFIDENCE) / 2
    return {
        name: [round(float(end), 6) for end in np.quantile(values, (tail, 1 - tail))]
        for name, values in samples.items()
    }


class Comparison(NamedTuple):
    """What tells two models apart on one metric.

    Attributes:
        first: The first model's value.
        value: The other model's value.
        difference: That minus the first one's.
        interval: The middle 95 % of the differences over the resamples.
        p_value: Of the sign-flip test over the contributions of topics (`sign_flips.flip_signs`), two-sided; 1 with
            fewer than `MIN_TOPICS` topics.
        won: Topics on which the other model's value is higher.
        tied: Topics on which both are equal.
        lost: Topics on which it is lower.
    """

    first: float
    value: float
    difference: float
    interval: tuple[float, float]
    p_value: float
    won: int
    tied: int
    lost: int


def compare_scored(
    first: Scored, other: Scored, metrics: Sequence[str], resamples: int, seed: int
) -> dict[str, Comparison]:
    """Compare two models on the same rows: an interval by the paired bootstrap over topics, a p-value by sign flips.

    The p-value does not depend on resamples or seed. The share of bootstrap differences beyond the observed one would
    be too small for few topics: benchmarks/sign_flips.py counts how often it is below 0.05 for equally good models.

    Args:
        first: The one to compare with.
        other: The one that is compared; the same rows in the same order.
        metrics: Names of the metrics to compare.
        resamples: Of the bootstrap.
        seed: Of the bootstrap.

    Returns:
        A comparison per metric. Topics are counted by what each alone gives, pairs across topics left out.
    """
    whole, both = np.ones((1, first.topic_count)), (first, other)
    drawn = [bootstrap(partial(resample_metrics, scored), scored.topic_count, resamples, seed) for scored in both]
    single = [measure_topics(scored) for scored in both]
    values = [resample_metrics(scored, whole) for scored in both]
    contributions = [measure_contributions(scored) for scored in both]
    present = np.unique(first.topics[first.topics[:, 0] == first.topics[:, 1], 0])
    result = {}
    for name in metrics:
        ours, theirs = (round(float(value[name][0]), 6) for value in values)
        per_topic = np.round(single[1][name] - single[0][name], 6)[present]
        lower, upper = find_intervals({name: drawn[1][name] - drawn[0][name]})[name]
        by_topic = contributions[1][name] - contributions[0][name]
        result[name] = Comparison(
            first=ours,
            value=theirs,
            difference=round(theirs - ours, 6),
            interval=(lower, upper),
            p_value=_find_p_value(by_topic),
            won=int((per_topic > 0).sum()),
            tied=int((per_topic == 0).sum()),
            lost=int((per_topic < 0).sum()),
        )
    return result


def _find_p_value(differences: Floats) -> float:
    """Find the p-value of differences per topic, with six digits so that a small one is not 0."""
    return float(f"{flip_signs(differences):.6g}") if len(differences) >= MIN_TOPICS else 1.0


def correct_holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for being several (Holm 1979): the chance of any false finding stays that of one.

    Args:
        p_values: Of the tests of one family.

    Returns:
        Corrected ones in the same order, at most 1.
    """
    corrected, highest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = float(f"{highest:.6g}")
    return corrected
