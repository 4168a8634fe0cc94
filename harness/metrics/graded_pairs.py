"""Metrics of graded similarity: correlation with judgements of people, and the highest F of any cut."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics import pairs
from harness.metrics.metric import Metric
from harness.metrics.rows import ScoredSplit
from harness.stats.bootstrap import find_cells
from harness.stats.correlation import pearson_of_rows, weighted_pearson
from harness.stats.rounding import RoundedScores, divide, round_scores, round_to_size
from pyramid_paraphrase.formats.pair_corpora import LABELS_OF_GRADES
from pyramid_paraphrase.formats.pair_files import DEBATABLE
from pyramid_paraphrase.rules.options import GRADED_PAIRS, PIT

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


GRADED_METRICS = (
    Metric(
        name="pearson",
        title="Pearson",
        kind=GRADED_PAIRS,
        low=-1.0,
        is_mean_over_rows=True,
        published_for=(PIT,),
        ranks_models_of=(PIT,),
    ),
    Metric(name="max_f1", title="maximum F", kind=GRADED_PAIRS, published_for=(PIT,)),
    Metric(name="max_f1_precision", title="max f1 precision", kind=GRADED_PAIRS),
    Metric(name="max_f1_recall", title="max f1 recall", kind=GRADED_PAIRS),
)
"""The metrics of graded pairs, which `measure_grades` computes."""


class BestCut(NamedTuple):
    """The decisions with the highest F that a cut through the scores gives.

    Attributes:
        f1: 2 TP / (2 TP + FP + FN), in [0, 1]. It is 0 without paraphrases.
        precision: TP / (TP + FP). It is 0 where nothing is called a paraphrase.
        recall: TP / (TP + FN). It is 0 without paraphrases.
        threshold: The score of the cut.
    """

    f1: float
    precision: float
    recall: float
    threshold: float


def pearson(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Compute Pearson's correlation of two samples, as `pearson_of_rows` does.

    Args:
        x: Shape (n,), n at least 2, finite. The values are rounded.
        y: The same shape. The values are rounded, too.

    Returns:
        The correlation, in [-1, 1].

    Raises:
        ValueError: If the shapes differ or are too small, a value is not finite, or all values of a sample are equal,
            so that the correlation is not defined.
    """
    return correlate(round_to_size(x), round_to_size(y))


def correlate(left: RoundedScores, right: RoundedScores, undefined: float | None = None) -> float:
    """Compute Pearson's correlation of rounded values.

    Args:
        left: As `x` of `pearson`. If `undefined` is not None, a single value is enough.
        right: As `y` of `pearson`.
        undefined: The value of a correlation that is not defined. None to raise an error instead.

    Returns:
        As for `pearson`.

    Raises:
        ValueError: As for `pearson`.
    """
    fewest = 2 if undefined is None else 1
    if left.ndim != 1 or left.shape != right.shape or len(left) < fewest:
        shapes = f"values of shape {left.shape} and {right.shape}"
        raise ValueError(f"{shapes}. Pass the same number of both, at least {fewest}")
    if not (np.isfinite(left).all() and np.isfinite(right).all()):
        raise ValueError("a value is not finite")
    correlation = float(pearson_of_rows(left[None], right[None])[0])
    if not math.isnan(correlation):
        return correlation
    if undefined is None:
        raise ValueError("all values are equal, so the correlation is not defined")
    return undefined


def max_f1(curve: pairs.Curve) -> BestCut:
    """Find the highest F of all cuts between distinct scores, never inside a group of equal scores.

    Args:
        curve: The curve of the pairs that are measured.

    Returns:
        The cut that `fit_threshold` chooses: in the middle between two scores, and the highest of cuts with equal F.
    """
    threshold = pairs.fit_threshold(curve)
    rates = pairs.rate_decisions(pairs.count_decisions(curve, threshold))
    return BestCut(float(rates["f1"]), float(rates["precision"]), float(rates["recall"]), threshold)


def published_max_f1(scores: npt.ArrayLike, labels: npt.ArrayLike) -> BestCut:
    """Find the maximum of F as the organizers of SemEval-2015 task 1 published it, with a cut after every pair.

    The pairs are sorted by score, and equal scores by position, both in descending order. A cut may therefore be inside
    a group of equal scores, where no threshold can be: the value depends on the order of the pairs, and is at least
    that of `max_f1`. Use it only for comparison with published tables.

    Args:
        scores: Shape (n,), n at least 1, finite. The scores are rounded.
        labels: Shape (n,), 1 for paraphrases and 0 for other pairs.

    Returns:
        The first cut, from above, with the highest F. The threshold is the score of the last pair that is called a
        paraphrase. Other pairs with the same score may be called non-paraphrases.

    Raises:
        ValueError: If there is no score, a score is not finite, or a label is neither 0 nor 1.
    """
    pairs.make_curve(scores, labels)  # check scores and labels
    values, truth = round_to_size(scores), np.asarray(labels)
    order = np.lexsort((np.arange(len(values)), values))[::-1]
    hits, said = np.cumsum(truth[order], dtype=np.int64), np.arange(1, len(order) + 1)
    cut = int(np.argmax(2 * hits / (said + hits[-1])))
    true, every = hits[cut].astype(np.float64), hits[-1].astype(np.float64)
    f1 = float(2 * true / (said[cut] + every))
    return BestCut(f1, float(true / said[cut]), float(divide(true, every)), float(values[order[cut]]))


def measure_similarity(
    scores: npt.ArrayLike, gold: npt.ArrayLike, labels: npt.ArrayLike, undefined: float | None = None
) -> dict[str, float]:
    """Measure how scores correlate with judged similarity, and how well they identify paraphrases.

    Args:
        scores: Shape (n,), finite. The scores are rounded.
        gold: Shape (n,), the similarity judged by people.
        labels: Shape (n,), 1 for paraphrases, 0 for other pairs, and a negative number for pairs that do not count for
            the identification of paraphrases.
        undefined: The value of metrics that are not defined: of the correlation if all scores or all judgements are
            equal, and of the others if no pair counts for identification. None to raise an error instead.

    Returns:
        `pearson` over all pairs; `max_f1` and `published_max_f1` with precision and recall, and the threshold of
        `max_f1`, over the pairs that count for identification.

    Raises:
        ValueError: If a metric is not defined and `undefined` is None.
    """
    values, truth = round_to_size(scores), np.asarray(labels)
    correlation, decided = correlate(values, round_to_size(gold), undefined), truth >= 0
    if undefined is None or decided.any():
        best = max_f1(pairs.make_curve(values[decided], truth[decided]))
        published = published_max_f1(values[decided], truth[decided])
    else:
        best = published = BestCut(*[undefined] * 4)
    return {
        "pearson": correlation,
        "max_f1": best.f1,
        "max_f1_precision": best.precision,
        "max_f1_recall": best.recall,
        "max_f1_threshold": best.threshold,
        "published_max_f1": published.f1,
        "published_max_f1_precision": published.precision,
        "published_max_f1_recall": published.recall,
    }


def measure_grades(split: ScoredSplit) -> dict[str, float]:
    """Compute all metrics of graded pairs, by name.

    The correlation is 0 where all scores or all grades are equal. The other metrics leave out debatable pairs, and are
    0 if every pair is debatable.
    """
    labels = np.take(LABELS_OF_GRADES, split.targets)
    decided = labels != DEBATABLE
    best = BestCut(0, 0, 0, 0)
    if decided.any():
        best = max_f1(pairs.count_cuts(RoundedScores(split.scores[decided]), labels[decided]))
    return {
        "pearson": correlate(split.scores, round_scores(split.targets), undefined=0.0),
        "max_f1": best.f1,
        "max_f1_precision": best.precision,
        "max_f1_recall": best.recall,
    }


def resample_grades(split: ScoredSplit, weights: Floats) -> dict[str, Floats]:
    """Compute the metrics of graded pairs that have intervals, by name, under weights of shape (resamples, topics)."""
    labels = np.take(LABELS_OF_GRADES, split.targets)
    decided = labels != DEBATABLE
    scores, topics = split.scores[decided], split.topics[decided]
    gold = split.targets.astype(np.float64)
    return {
        "pearson": resample_pearson(split.scores, gold, split.topics, split.topic_count, weights),
        "max_f1": resample_max_f1(scores, labels[decided], topics, split.topic_count, weights),
    }


def resample_pearson(scores: Floats, gold: Floats, topics: Indices, topic_count: int, weights: Floats) -> Floats:
    """Compute Pearson's correlation under several weightings of topics.

    Args:
        scores: Shape (n,), rounded.
        gold: Shape (n,), the values with which the scores should correlate.
        topics: Shape (n, 2), indices of the topics of both sides.
        topic_count: Number of topics.
        weights: Shape (resamples, topics).

    Returns:
        Shape (resamples,). 0 where the correlation is not defined, because all rows with weight have equal scores or
        equal values.
    """
    cells = find_cells(topics, topic_count)
    correlations = weighted_pearson(scores, gold, cells.of_rows, cells.weigh(weights))
    return np.nan_to_num(correlations, nan=0.0)


def resample_max_f1(scores: Floats, labels: Indices, topics: Indices, topic_count: int, weights: Floats) -> Floats:
    """Find the highest F of all cuts between distinct scores, separately for each of several weightings of topics.

    Args:
        scores: Shape (n,), rounded.
        labels: Shape (n,), 1 for paraphrases and 0 for other pairs.
        topics: Shape (n, 2), indices of the topics of both sides.
        topic_count: Number of topics.
        weights: Shape (resamples, topics).

    Returns:
        Shape (resamples,). It is 0 where no paraphrase has weight.
    """
    cells = find_cells(topics, topic_count)
    # F rises only at cuts where a paraphrase is gained, so other cuts are not considered.
    blocks = pairs.find_cuts(scores, labels == 1, cells)(cells.weigh(weights))
    ratios = (divide(2 * cuts.hits, cuts.hits + cuts.misses + cuts.positives) for cuts in blocks)
    return np.concatenate([ratio.max(axis=0, initial=0) for ratio in ratios])
