"""How far scores may be off: bootstrap over topics, and paired comparisons of models.

Rows of one topic are not independent, so topics are drawn, not rows. A resample gives topic t the weight w_t, how often
it was drawn; a pair across topics a and b weighs w_a w_b, a pair within a weighs w_a. Rows of equal weight form a
*cell*, and every metric is computed for all resamples at once from sums over cells. Thresholds are held fixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics.pairs import Counts, divide, rate_decisions
from harness.metrics.questions import rate_reciprocal_rank, rate_success
from harness.metrics.similarity import centre
from pyramid_paraphrase.pair_corpora.pit import LABELS_OF_GRADES
from pyramid_paraphrase.pair_corpora.records import DEBATABLE

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Samples = Mapping[str, Floats]

CONFIDENCE = 0.95
MIN_TOPICS = 5
_CUTS_AT_ONCE = 512
_SLACK = 1e-9


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
    stream = np.random.RandomState(seed)  # the streams of newer generators may change
    drawn = stream.randint(topic_count, size=(resamples, topic_count))
    cells = drawn + topic_count * np.arange(resamples)[:, None]
    counts = np.bincount(cells.ravel(), minlength=resamples * topic_count)
    return counts.reshape(resamples, topic_count).astype(np.float64)


def resample_metrics(scored: Scored, weights: Floats, *, with_curves: bool = True) -> Samples:
    """Compute the metrics of a task under several weightings of topics.

    Args:
        scored: The rows.
        weights: Shape (resamples, topics).
        with_curves: Whether of pairs average precision and area under the ROC curve are wanted, which take most time.

    Returns:
        By name of the metric, shape (resamples,). Where no row or no paraphrase has weight, what is not defined is 0,
        and the area under the ROC curve 0.5.
    """
    if scored.is_graded:
        return _resample_grades(scored, weights)
    if scored.threshold is None:
        return _resample_questions(scored, weights)
    return _resample_pairs(scored, scored.threshold, weights, with_curves=with_curves)


def _resample_questions(scored: Scored, weights: Floats) -> Samples:
    topics = scored.topics[:, 0]
    counts = weights @ np.bincount(topics, minlength=scored.topic_count)
    values = {
        "success_rate": rate_success(scored.scores, scored.targets),
        "mrr": rate_reciprocal_rank(scored.scores, scored.targets),
    }
    sums = {name: np.bincount(topics, value, minlength=scored.topic_count) for name, value in values.items()}
    return {name: divide(weights @ by_topic, counts) for name, by_topic in sums.items()}


def _resample_grades(scored: Scored, weights: Floats) -> Samples:
    labels = np.take(LABELS_OF_GRADES, scored.targets)
    known = labels != DEBATABLE
    topics, count, grades = scored.topics, scored.topic_count, scored.targets.astype(np.float64)
    return {
        "pearson": resample_pearson(scored.scores, grades, topics, count, weights),
        "max_f1": resample_max_f1(scored.scores[known], labels[known], topics[known], count, weights),
    }


def _resample_pairs(scored: Scored, threshold: float, weights: Floats, *, with_curves: bool) -> Samples:
    cell_of, weight = _weigh_cells(scored.topics, scored.topic_count, weights)
    said, true = scored.scores >= threshold, scored.targets == 1
    kinds = (said & true, said & ~true, ~said & true, ~said & ~true)
    counts = Counts(*(weight @ np.bincount(cell_of[kind], minlength=weight.shape[1]) for kind in kinds))
    return {**rate_decisions(counts), **(_resample_curves(scored, cell_of, weight) if with_curves else {})}


def _weigh_cells(topics: Indices, topic_count: int, weights: Floats) -> tuple[Indices, Floats]:
    """The cell of each row, shape (n,), and the weight of each cell, shape (resamples, cells)."""
    ends = np.sort(topics, axis=1)
    cells, cell_of = np.unique(ends[:, 0] * topic_count + ends[:, 1], return_inverse=True)
    left, right = np.divmod(cells, topic_count)
    return cell_of, np.where(left == right, weights[:, left], weights[:, left] * weights[:, right])


def _resample_curves(scored: Scored, cell_of: Indices, weight: Floats) -> Samples:
    """Average precision and area under the ROC curve, from the cuts at which a paraphrase is gained."""
    order = np.argsort(-scored.scores, kind="stable")
    ranked, true, cell_of = scored.scores[order], scored.targets[order] == 1, cell_of[order]
    gaining = np.unique(ranked[true])[::-1]
    first, last = np.searchsorted(-ranked, -gaining, side="left"), np.searchsorted(-ranked, -gaining, side="right")
    positives = weight @ np.bincount(cell_of[true], minlength=weight.shape[1])
    negatives = weight @ np.bincount(cell_of[~true], minlength=weight.shape[1])
    precision_sum, area, hits_before = np.zeros(len(weight)), np.zeros(len(weight)), np.zeros((len(weight), 1))
    for start in range(0, len(gaining), _CUTS_AT_ONCE):
        part = slice(start, start + _CUTS_AT_ONCE)
        hits = weight @ _count_before(cell_of, true, last[part], weight.shape[1])
        others = weight @ _count_before(cell_of, ~true, last[part], weight.shape[1])
        above = weight @ _count_before(cell_of, ~true, first[part], weight.shape[1])
        gains = np.diff(hits, prepend=hits_before, axis=1)
        precision_sum += (gains * divide(hits, hits + others)).sum(axis=1)
        area += (gains * (negatives[:, None] - (others + above) / 2)).sum(axis=1)
        hits_before = hits[:, -1:]
    both = (positives > 0) & (negatives > 0)
    return {
        "average_precision": divide(precision_sum, positives),
        "roc_auc": np.where(both, divide(area, positives * negatives), 0.5),
    }


def _count_before(cell_of: Indices, chosen: npt.NDArray[np.bool_], cuts: Indices, cell_count: int) -> Floats:
    """Count chosen rows of each cell before each cut; shape (cells, cuts)."""
    places = np.flatnonzero(chosen[: cuts[-1]])
    column = np.searchsorted(cuts, places, side="right")
    counts = np.bincount(cell_of[places] * len(cuts) + column, minlength=cell_count * len(cuts))
    return np.cumsum(counts.reshape(cell_count, len(cuts)), axis=1, dtype=np.float64)


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
    cell_of, weight = _weigh_cells(topics, topic_count, weights)
    x, y = centre(scores), centre(gold)
    columns = (np.ones_like(x), x, y, x * x, y * y, x * y)
    n, sum_x, sum_y, sum_xx, sum_yy, sum_xy = (
        weight @ np.bincount(cell_of, column, minlength=weight.shape[1]) for column in columns
    )
    variance_x = np.maximum(sum_xx - divide(sum_x * sum_x, n), 0)
    variance_y = np.maximum(sum_yy - divide(sum_y * sum_y, n), 0)
    # Told by the values themselves: what subtraction leaves of a variance of 0 may be more than 0.
    defined = _has_range(x, cell_of, weight) & _has_range(y, cell_of, weight)
    found = divide(sum_xy - divide(sum_x * sum_y, n), np.sqrt(variance_x) * np.sqrt(variance_y))
    return np.where(defined, np.clip(found, -1, 1), 0.0)


def _has_range(values: Floats, cell_of: Indices, weight: Floats) -> npt.NDArray[np.bool_]:
    """Whether the rows with weight have two distinct values; shape (resamples,)."""
    lowest, highest = np.full(weight.shape[1], np.inf), np.full(weight.shape[1], -np.inf)
    np.minimum.at(lowest, cell_of, values)
    np.maximum.at(highest, cell_of, values)
    low = np.where(weight > 0, lowest, np.inf).min(axis=1)
    return np.asarray(low < np.where(weight > 0, highest, -np.inf).max(axis=1))


def resample_max_f1(scores: Floats, labels: Indices, topics: Indices, topic_count: int, weights: Floats) -> Floats:
    """Find the highest F of all cuts between distinct scores, anew under each of several weightings of topics.

    Args:
        scores: Shape (n,), rounded.
        labels: Shape (n,), 1 for paraphrases and 0 for others.
        topics: Shape (n, 2), indices of the topics of both sides.
        topic_count: How many topics there are.
        weights: Shape (resamples, topics).

    Returns:
        Shape (resamples,); 0 where no paraphrase has weight.
    """
    cell_of, weight = _weigh_cells(topics, topic_count, weights)
    order = np.argsort(-scores, kind="stable")
    ranked, true, cell_of = scores[order], labels[order] == 1, cell_of[order]
    # F rises only where a paraphrase is gained, so that no other cut needs to be looked at.
    cuts = np.searchsorted(-ranked, -np.unique(ranked[true])[::-1], side="right")
    positives, best = weight @ np.bincount(cell_of[true], minlength=weight.shape[1]), np.zeros(len(weight))
    for start in range(0, len(cuts), _CUTS_AT_ONCE):
        part = cuts[start : start + _CUTS_AT_ONCE]
        hits = weight @ _count_before(cell_of, true, part, weight.shape[1])
        said = hits + weight @ _count_before(cell_of, ~true, part, weight.shape[1])
        best = np.maximum(best, divide(2 * hits, said + positives[:, None]).max(axis=1))
    return best


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
        p_value: Chance, if both were equal, of a difference at least as large: the share of resamples whose difference
            is as far from the mean difference, one added to both counts (two-sided). With fewer than `MIN_TOPICS`
            topics nothing can be told, and it is 1.
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


def compare_scored(first: Scored, other: Scored, metrics: Sequence[str], weights: Floats) -> dict[str, Comparison]:
    """Compare two models on the same rows by the paired bootstrap over topics.

    Args:
        first: The one to compare with.
        other: The one that is compared; the same rows in the same order.
        metrics: Names of the metrics to compare.
        weights: Shape (resamples, topics).

    Returns:
        A comparison per metric. Topics are counted by what each alone gives, pairs across topics left out.
    """
    alone, whole = np.eye(first.topic_count), np.ones((1, first.topic_count))
    drawn = [resample_metrics(scored, weights) for scored in (first, other)]
    single = [resample_metrics(scored, alone) for scored in (first, other)]
    values = [resample_metrics(scored, whole) for scored in (first, other)]
    present = np.unique(first.topics[first.topics[:, 0] == first.topics[:, 1], 0])
    result = {}
    for name in metrics:
        differences = drawn[1][name] - drawn[0][name]
        ours, theirs = (round(float(value[name][0]), 6) for value in values)
        per_topic = np.round(single[1][name] - single[0][name], 6)[present]
        lower, upper = find_intervals({name: differences})[name]
        result[name] = Comparison(
            first=ours,
            value=theirs,
            difference=round(theirs - ours, 6),
            interval=(lower, upper),
            p_value=_p_value(differences, theirs - ours) if first.topic_count >= MIN_TOPICS else 1.0,
            won=int((per_topic > 0).sum()),
            tied=int((per_topic == 0).sum()),
            lost=int((per_topic < 0).sum()),
        )
    return result


def _p_value(differences: Floats, observed: float) -> float:
    extreme = np.abs(differences - differences.mean()) >= abs(observed) - _SLACK
    return round(float((1 + extreme.sum()) / (1 + len(differences))), 6)


def compare_all(values: Floats, samples: Floats, topic_count: int) -> Floats:
    """Compare models pair by pair, as `compare_scored` does two.

    Args:
        values: Shape (models,), a metric of each.
        samples: Shape (models, resamples), the same under weightings of topics that all share.
        topic_count: How many topics were drawn from.

    Returns:
        Shape (models, models), the p-value of each pair, not corrected.
    """
    if topic_count < MIN_TOPICS:
        return np.ones((len(values), len(values)))
    centred = samples - samples.mean(axis=1, keepdims=True)
    (models, resamples), room = centred.shape, np.empty_like(centred)
    extreme = np.full((models, models), resamples)
    for row in range(models - 1):
        apart = room[: models - row - 1]
        np.abs(np.subtract(centred[row + 1 :], centred[row], out=apart), out=apart)
        observed = np.abs(values[row + 1 :] - values[row])[:, None]
        extreme[row, row + 1 :] = np.count_nonzero(apart >= observed - _SLACK, axis=1)
        extreme[row + 1 :, row] = extreme[row, row + 1 :]
    return np.asarray(np.round((1 + extreme) / (1 + resamples), 6))


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
        corrected[index] = round(highest, 6)
    return corrected
