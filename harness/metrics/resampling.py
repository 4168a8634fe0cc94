"""Metrics of a task under many weightings of its topics at once, for the bootstrap and for paired tests.

A resample gives topic t the weight w_t, how often it was drawn. A pair across topics a and b weighs w_a w_b, a pair
within a weighs w_a. Rows of equal weight form a *cell*, and every metric is computed for all resamples at once from
sums over cells. Thresholds are held fixed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from harness.metrics.pairs import Counts, rate_decisions
from harness.metrics.questions import rate_questions
from harness.stats.arithmetic import divide
from harness.stats.bootstrap import Measure, Samples
from harness.stats.correlation import weighted_pearson
from harness.stats.rounding import RoundedScores
from pyramid_paraphrase.pair_corpora.pit import LABELS_OF_GRADES
from pyramid_paraphrase.pair_corpora.records import DEBATABLE

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
_CUTS_AT_ONCE = 1 << 17
"""Cuts times resamples: few enough for a processor's cache, and enough to be fast."""


@dataclass(frozen=True, slots=True)
class Scored:
    """The rows of the test split of a task with the scores of a model; n rows.

    Attributes:
        scores: Shape (n,) for pairs, (n, options) for questions.
        targets: Shape (n,): labels, indices of right options, or grades.
        topics: Shape (n, 2), indices of the topics of both sides.
        topic_count: Number of topics.
        threshold: For labelled pairs, the lowest score of pairs that are called paraphrases; None for other rows.
        is_graded: Whether targets are grades.
    """

    scores: RoundedScores
    targets: Indices
    topics: Indices
    topic_count: int
    threshold: float | None
    is_graded: bool = False


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
    values = rate_questions(scored.scores, scored.targets)
    sums = {name: np.bincount(topics, value, minlength=scored.topic_count) for name, value in values.items()}

    def measure(weights: Floats) -> Samples:
        counts = weights @ sizes
        return {name: divide(weights @ by_topic, counts) for name, by_topic in sums.items()}

    return measure


def _resample_grades(scored: Scored, weights: Floats) -> Samples:
    labels = np.take(LABELS_OF_GRADES, scored.targets)
    decided = labels != DEBATABLE
    topics, count, grades = scored.topics, scored.topic_count, scored.targets.astype(np.float64)
    return {
        "pearson": resample_pearson(scored.scores, grades, topics, count, weights),
        "max_f1": resample_max_f1(scored.scores[decided], labels[decided], topics[decided], count, weights),
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
        if cuts is None:
            return decisions
        return {**decisions, **_resample_curves(cuts, weight)}

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
        """Number of cells."""
        return len(self.left)

    def weigh(self, weights: Floats) -> Floats:
        """Compute the weight of each cell, shape (resamples, cells)."""
        within = self.left == self.right
        if within.all():
            return weights[:, self.left]
        return np.where(within, weights[:, self.left], weights[:, self.left] * weights[:, self.right])


def _find_cells(topics: Indices, topic_count: int) -> _Cells:
    ends = np.sort(topics, axis=1)
    cells, of_rows = np.unique(ends[:, 0] * topic_count + ends[:, 1], return_inverse=True)
    return _Cells(of_rows, *np.divmod(cells, topic_count))


def _resample_curves(cuts: _Cuts, weight: Floats) -> Samples:
    """Compute average precision and area under the ROC curve from the cuts at which a paraphrase is gained."""
    precision, area = np.zeros(len(weight)), np.full(len(weight), 0.5)
    for part, columns in _divide(weight, cuts):
        gains, above, tied = (matrix @ columns for matrix in (cuts.gained, cuts.above, cuts.tied))
        hits, misses = np.cumsum(gains, axis=0), np.cumsum(above + tied, axis=0)
        positives, negatives = cuts.positives @ columns, cuts.negatives @ columns
        precision[part] = divide((gains * divide(hits, hits + misses)).sum(axis=0), positives)
        passed = (gains * (negatives - misses + tied / 2)).sum(axis=0)  # a pair of equal score counts half
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
        gold: Shape (n,), the values that they should correlate with.
        topics: Shape (n, 2), indices of the topics of both sides.
        topic_count: How many topics there are.
        weights: Shape (resamples, topics).

    Returns:
        Shape (resamples,); 0 where the correlation is not defined, because all rows with weight have equal scores or
        equal values.
    """
    cells = _find_cells(topics, topic_count)
    correlations = weighted_pearson(scores, gold, cells.of_rows, cells.weigh(weights))
    return np.nan_to_num(correlations, nan=0.0)


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
    # F rises only where a paraphrase is gained. Other cuts need not be considered.
    cuts, best = _find_cuts(scores, labels == 1, cells), np.zeros(len(weight))
    for part, columns in _divide(weight, cuts):
        hits = np.cumsum(cuts.gained @ columns, axis=0)
        misses = np.cumsum(cuts.above @ columns + cuts.tied @ columns, axis=0)
        best[part] = divide(2 * hits, hits + misses + cuts.positives @ columns).max(axis=0, initial=0)
    return best
