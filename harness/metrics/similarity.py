"""Metrics of graded similarity: correlation with judgements of people, and the highest F of any cut."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics.pairs import Curve, count_decisions, fit_threshold, make_curve, rate_decisions
from harness.stats.arithmetic import divide
from harness.stats.correlation import pearson_of_rows
from harness.stats.rounding import RoundedScores, round_scores

Floats = npt.NDArray[np.float64]


class BestCut(NamedTuple):
    """The decisions with the highest F that a cut through the scores gives.

    Attributes:
        f1: 2 TP / (2 TP + FP + FN), in [0, 1]; 0 without paraphrases.
        precision: TP / (TP + FP); 0 where nothing is called a paraphrase.
        recall: TP / (TP + FN); 0 without paraphrases.
        threshold: The score of the cut.
    """

    f1: float
    precision: float
    recall: float
    threshold: float


def pearson(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Compute Pearson's correlation of two samples, as `pearson_of_rows` does.

    Args:
        x: Shape (n,), n at least 2, finite; they are rounded.
        y: The same shape; rounded, too.

    Returns:
        The correlation, in [-1, 1].

    Raises:
        ValueError: If the shapes differ or are too small, a value is not finite, or all values of a sample are equal,
            for which the correlation is not defined.
    """
    return correlate(round_scores(x), round_scores(y))


def correlate(left: RoundedScores, right: RoundedScores) -> float:
    """Compute Pearson's correlation as `pearson`, of values that are rounded already."""
    if left.ndim != 1 or left.shape != right.shape or len(left) < 2:
        raise ValueError(f"values {left.shape} and {right.shape}; give as many of both, and at least two")
    if not (np.isfinite(left).all() and np.isfinite(right).all()):
        raise ValueError("a value is not finite")
    correlation = float(pearson_of_rows(left[None], right[None])[0])
    if math.isnan(correlation):
        raise ValueError("all values are equal, and correlate with nothing")
    return correlation


def max_f1(curve: Curve) -> BestCut:
    """Find the highest F of all cuts between distinct scores, never inside a group of equal ones.

    Args:
        curve: The curve of the pairs that are measured.

    Returns:
        The cut as `fit_threshold` chooses it: in the middle between two scores, and the highest among equal F.
    """
    threshold = fit_threshold(curve)
    rates = rate_decisions(count_decisions(curve, threshold))
    return BestCut(float(rates["f1"]), float(rates["precision"]), float(rates["recall"]), threshold)


def published_max_f1(scores: npt.ArrayLike, labels: npt.ArrayLike) -> BestCut:
    """Find the maximum of F as the organisers of SemEval-2015 task 1 published it: cutting after every single pair.

    The pairs are sorted by score, and by their place among equal scores, both falling. A cut may therefore lie inside a
    group of equal scores, which no threshold can reach: the value depends on the order of pairs, and is at least that
    of `max_f1`. It serves to compare with published tables only.

    Args:
        scores: Shape (n,), n at least 1, finite; they are rounded.
        labels: Shape (n,), 1 for paraphrases and 0 for others.

    Returns:
        The first cut, from above, with the highest F. The threshold is the score of the last pair that is called a
        paraphrase; other pairs with that score may not be called so.

    Raises:
        ValueError: If there is no score, a score is not finite, or a label is neither 0 nor 1.
    """
    make_curve(scores, labels)  # check scores and labels
    values, truth = round_scores(scores), np.asarray(labels)
    order = np.lexsort((np.arange(len(values)), values))[::-1]
    hits, said = np.cumsum(truth[order], dtype=np.int64), np.arange(1, len(order) + 1)
    cut = int(np.argmax(2 * hits / (said + hits[-1])))
    true, every = hits[cut].astype(np.float64), hits[-1].astype(np.float64)
    f1 = float(2 * true / (said[cut] + every))
    return BestCut(f1, float(true / said[cut]), float(divide(true, every)), float(values[order[cut]]))


def measure_similarity(scores: npt.ArrayLike, gold: npt.ArrayLike, labels: npt.ArrayLike) -> dict[str, float]:
    """Measure how scores correlate with judged similarity, and how well they identify paraphrases.

    Args:
        scores: Shape (n,), finite; they are rounded.
        gold: Shape (n,), the similarity judged by people.
        labels: Shape (n,), 1 for paraphrases, 0 for others, and a negative number for pairs that do not count for the
            identification of paraphrases.

    Returns:
        `pearson` over all pairs; `max_f1` and `published_max_f1` with precision and recall, and the threshold of
        `max_f1`, over the pairs that count for identification.

    Raises:
        ValueError: If a metric is not defined.
    """
    values, truth = np.asarray(scores, dtype=np.float64), np.asarray(labels)
    correlation, kept = pearson(values, gold), truth >= 0
    best, published = max_f1(make_curve(values[kept], truth[kept])), published_max_f1(values[kept], truth[kept])
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
