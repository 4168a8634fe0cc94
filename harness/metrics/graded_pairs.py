"""Metrics of graded similarity: correlation with judgements of people, and the highest F of any cut."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.metrics import pairs
from harness.metrics.metric import Metric
from harness.metrics.rows import ScoredSplit
from harness.stats.bootstrap import find_cells
from harness.stats.correlation import pearson_of_rows, weighted_pearson
from harness.stats.rounding import RoundedScores, divide, round_to_size
from harness.support.arrays import Floats, Indices
from pyramid_paraphrase.formats.pairs.corpora import LABELS_OF_GRADES
from pyramid_paraphrase.rules.options import GRADED_PAIRS, PIT, SUMMARIES

_IDENTIFICATION = (
    *("max_f1", "max_f1_precision", "max_f1_recall", "max_f1_threshold"),
    *("published_max_f1", "published_max_f1_precision", "published_max_f1_recall"),
)
"""The numbers of `max_f1` and `published_max_f1`."""

GRADED_METRICS = (
    Metric(
        name="pearson",
        title="Pearson",
        kind=GRADED_PAIRS,
        low=-1.0,
        is_mean_over_rows=True,
        published_for=(PIT, SUMMARIES),
        ranks_models_of=(PIT, SUMMARIES),
    ),
    Metric(name="max_f1", title="maximum F", kind=GRADED_PAIRS, published_for=(PIT, SUMMARIES)),
    Metric(name="max_f1_precision", title="max f1 precision", kind=GRADED_PAIRS),
    Metric(name="max_f1_recall", title="max f1 recall", kind=GRADED_PAIRS),
)
"""The metrics of graded pairs, which `measure_grades` computes."""


def pearson(x: npt.ArrayLike, y: npt.ArrayLike, undefined: float | None = None) -> float:
    """Compute Pearson's correlation of two samples, as `pearson_of_rows` does.

    Args:
        x: Shape (n,), n at least 2, finite. The values are rounded. If `undefined` is not None, a single value is
            enough.
        y: The same shape. The values are rounded, too.
        undefined: The value of a correlation that is not defined. None to raise an error instead.

    Returns:
        The correlation, in [-1, 1].

    Raises:
        ValueError: If the shapes differ or are too small, a value is not finite, or all values of a sample are equal,
            so that the correlation is not defined.
    """
    left, right = round_to_size(x), round_to_size(y)
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


def max_f1(curve: pairs.Curve) -> dict[str, float]:
    """Find the highest F of all cuts between distinct scores, never inside a group of equal scores.

    Args:
        curve: The curve of the pairs that are measured.

    Returns:
        `max_f1`, with `max_f1_precision`, `max_f1_recall` and `max_f1_threshold` of the cut that `fit_threshold`
        chooses: in the middle between two scores, and the highest of cuts with equal F. A quotient with a denominator
        of 0 is 0.
    """
    threshold = pairs.fit_threshold(curve)
    rates = pairs.rate_decisions(*pairs.count_decisions(curve, threshold))
    return {
        "max_f1": float(rates["f1"]),
        "max_f1_precision": float(rates["precision"]),
        "max_f1_recall": float(rates["recall"]),
        "max_f1_threshold": threshold,
    }


def published_max_f1(scores: RoundedScores, labels: npt.NDArray[Any]) -> dict[str, float]:
    """Find the maximum of F as the organizers of SemEval-2015 task 1 published it, with a cut after every pair.

    The pairs are sorted by score, and equal scores by position, both in descending order. A cut may therefore be inside
    a group of equal scores, where no threshold can be: the value depends on the order of the pairs, and is at least
    that of `max_f1`. Use it only for comparison with published tables.

    Args:
        scores: Shape (n,), n at least 1, finite.
        labels: Shape (n,), 1 for paraphrases and 0 for other pairs.

    Returns:
        `published_max_f1` with its precision and recall, of the first cut, from above, with the highest F.

    Raises:
        ValueError: If there is no score, a score is not finite, or a label is neither 0 nor 1.
    """
    pairs.make_curve_of_rounded(scores, labels)  # check scores and labels
    order = np.lexsort((np.arange(len(scores)), scores))[::-1]
    hits, said = np.cumsum(labels[order], dtype=np.int64), np.arange(1, len(order) + 1)
    cut = int(np.argmax(2 * hits / (said + hits[-1])))
    true, every = hits[cut].astype(np.float64), hits[-1].astype(np.float64)
    return {
        "published_max_f1": float(2 * true / (said[cut] + every)),
        "published_max_f1_precision": float(true / said[cut]),
        "published_max_f1_recall": float(divide(true, every)),
    }


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
        `pearson` over all pairs; and the metrics of `max_f1` and `published_max_f1` over the pairs that count for
        identification.

    Raises:
        ValueError: If a metric is not defined and `undefined` is None.
    """
    values, truth = round_to_size(scores), np.asarray(labels)
    correlation, decided = pearson(values, gold, undefined), truth >= 0
    if undefined is not None and not decided.any():
        return {"pearson": correlation, **dict.fromkeys(_IDENTIFICATION, undefined)}
    kept = RoundedScores(values[decided])
    best = max_f1(pairs.make_curve_of_rounded(kept, truth[decided]))
    return {"pearson": correlation, **best, **published_max_f1(kept, truth[decided])}


def measure_grades(split: ScoredSplit) -> dict[str, float]:
    """Compute all metrics of graded pairs, by name.

    The correlation is 0 where all scores or all grades are equal. The other metrics leave out debatable pairs, and are
    0 if every pair is debatable.
    """
    labels = np.take(LABELS_OF_GRADES, split.targets)
    values = measure_similarity(split.scores, split.targets, labels, undefined=0.0)
    return {metric.name: values[metric.name] for metric in GRADED_METRICS}


def resample_similarity(
    scores: Floats, gold: Floats, labels: Indices, topics: Indices, topic_count: int, weights: Floats
) -> dict[str, Floats]:
    """Compute `pearson` and `max_f1` of `measure_similarity` under several weightings of topics.

    Args:
        scores: Shape (n,), rounded.
        gold: As for `measure_similarity`.
        labels: As for `measure_similarity`.
        topics: Shape (n, 2), indices of the topics of both sides.
        topic_count: Number of topics.
        weights: Shape (resamples, topics).

    Returns:
        Values by name, shape (resamples,). A metric that is not defined is 0.
    """
    decided = labels >= 0
    return {
        "pearson": resample_pearson(scores, gold, topics, topic_count, weights),
        "max_f1": resample_max_f1(scores[decided], labels[decided], topics[decided], topic_count, weights),
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
    return np.concatenate(list(pairs.WeightedCuts(scores, labels == 1, cells).find_max_f1(cells.weigh(weights))))
