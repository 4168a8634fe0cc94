"""Metrics of graded similarity: correlation with what people say, and the best F that the scores could give."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics.pairs import Curve, count_decisions, fit_threshold, make_curve, rate_decisions
from harness.stats.arithmetic import centre, divide
from harness.stats.rounding import RoundedScores, round_scores

Floats = npt.NDArray[np.float64]


class BestCut(NamedTuple):
    """The decisions with the highest F that a cut through the scores gives.

    Attributes:
        f1: 2 TP / (2 TP + FP + FN), in [0, 1]; 0 without paraphrases.
        precision: TP / (TP + FP); 0 where nothing is called a paraphrase.
        recall: TP / (TP + FN); 0 without paraphrases.
        threshold: Where the cut is.
    """

    f1: float
    precision: float
    recall: float
    threshold: float


def pearson(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Compute Pearson's correlation: sum (x - mean x)(y - mean y) / (n sd x sd y).

    Args:
        x: Shape (n,), n at least 2, finite; they are rounded.
        y: The same shape; rounded, too.

    Returns:
        The correlation, in [-1, 1].

    Raises:
        ValueError: If the shapes are others, a value is not finite, or all values of one are equal, for which there is
            no correlation.
    """
    return correlate(round_scores(x), round_scores(y))


def correlate(x: RoundedScores, y: RoundedScores) -> float:
    """Compute Pearson's correlation as `pearson`, of values that are rounded already."""
    values = (x, y)
    if values[0].ndim != 1 or values[0].shape != values[1].shape or len(values[0]) < 2:
        raise ValueError(f"values {values[0].shape} and {values[1].shape}; give as many of both, and at least two")
    if not all(np.isfinite(one).all() for one in values):
        raise ValueError("a value is not finite")
    if any((one == one[0]).all() for one in values):
        raise ValueError("all values are equal, and correlate with nothing")
    left, right = (centre(one) for one in values)
    return float(np.clip(left @ right / np.sqrt((left @ left) * (right @ right)), -1, 1))


def max_f1(curve: Curve) -> BestCut:
    """Find the highest F of all cuts between distinct scores, never inside a group of equal ones.

    Args:
        curve: Of the pairs that are measured; nothing else is fitted on.

    Returns:
        The cut as `fit_threshold` chooses it: in the middle between two scores, and the highest among equal F.
    """
    threshold = fit_threshold(curve)
    rates = rate_decisions(count_decisions(curve, threshold))
    return BestCut(float(rates["f1"]), float(rates["precision"]), float(rates["recall"]), threshold)


def published_max_f1(scores: npt.ArrayLike, labels: npt.ArrayLike) -> BestCut:
    """Find the maximum of F as the organisers of SemEval-2015 task 1 published it: cutting after every single pair.

    The pairs are sorted by score, and by their place among equal scores, both falling. A cut may so lie inside a group
    of equal scores, where no threshold could: the number depends on the order of pairs, and is at least that of
    `max_f1`. It is here for comparing with published tables only.

    Args:
        scores: Shape (n,), n at least 1, finite; they are rounded.
        labels: Shape (n,), 1 for paraphrases and 0 for others.

    Returns:
        The first cut, from above, with the highest F; the threshold is the score of the last pair that is called a
        paraphrase, though others of that score may be called none.

    Raises:
        ValueError: If there is nothing, or something that is no finite score or no label.
    """
    make_curve(scores, labels)  # which refuses what cannot be measured
    values, truth = round_scores(scores), np.asarray(labels)
    order = np.lexsort((np.arange(len(values)), values))[::-1]
    hits, said = np.cumsum(truth[order], dtype=np.int64), np.arange(1, len(order) + 1)
    cut = int(np.argmax(2 * hits / (said + hits[-1])))
    true, every = hits[cut].astype(np.float64), hits[-1].astype(np.float64)
    f1 = float(2 * true / (said[cut] + every))
    return BestCut(f1, float(true / said[cut]), float(divide(true, every)), float(values[order[cut]]))


def measure_similarity(scores: npt.ArrayLike, gold: npt.ArrayLike, labels: npt.ArrayLike) -> dict[str, float]:
    """Measure scores of similarity against people's, and as a means of telling paraphrases.

    Args:
        scores: Shape (n,), finite; they are rounded.
        gold: Shape (n,), the similarity that people see.
        labels: Shape (n,), 1 for paraphrases, 0 for others, and anything below 0 for pairs that are left out where
            paraphrases are told.

    Returns:
        `pearson` over all pairs; `max_f1` and `published_max_f1` with the precision and recall of each and the former's
        threshold, over the pairs that are not left out.

    Raises:
        ValueError: If something of it is not defined.
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
