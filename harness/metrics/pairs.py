"""Metrics of yes-or-no decisions on pairs, from scores and labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from harness.stats.arithmetic import divide
from harness.stats.rounding import DECIMALS, RoundedScores, round_scores

Floats = npt.NDArray[np.float64]

METRIC_NAMES = ("f1", "precision", "recall", "accuracy", "mcc", "average_precision", "roc_auc")


class Counts(NamedTuple):
    """Decisions by truth: numbers, or arrays of them."""

    true_positives: npt.ArrayLike
    false_positives: npt.ArrayLike
    false_negatives: npt.ArrayLike
    true_negatives: npt.ArrayLike


class Curve(NamedTuple):
    """The decisions of a cut below each distinct score, the highest first.

    Attributes:
        values: Distinct scores, shape (k,), falling.
        true_positives: Shape (k,), the number of paraphrases that score at least as much.
        said: Shape (k,), the number of pairs that score at least as much, which are called paraphrases.
    """

    values: Floats
    true_positives: npt.NDArray[np.int64]
    said: npt.NDArray[np.int64]


def make_curve(scores: npt.ArrayLike, labels: npt.ArrayLike) -> Curve:
    """Count decisions at every cut between distinct scores, never inside a group of equal scores.

    Args:
        scores: Shape (n,), n at least 1, finite; they are rounded.
        labels: Shape (n,), 1 for paraphrases and 0 for others.

    Returns:
        The curve.

    Raises:
        ValueError: If there is no score, a score is not finite, or a label is neither 0 nor 1.
    """
    return count_cuts(round_scores(scores), np.asarray(labels))


def count_cuts(values: RoundedScores, truth: npt.NDArray[Any]) -> Curve:
    """Make the curve of scores that are rounded already; arguments, return value and errors as for `make_curve`."""
    if values.ndim != 1 or values.shape != truth.shape or not len(values):
        raise ValueError(f"scores {values.shape} and labels {truth.shape}; give as many of both, and at least one")
    if not np.isfinite(values).all():
        raise ValueError("a score is not finite")
    if not ((truth == 0) | (truth == 1)).all():
        raise ValueError("a label is neither 0 nor 1")
    order = np.argsort(values)[::-1]
    ranked = values[order]
    last = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)
    return Curve(ranked[last], np.cumsum(truth[order], dtype=np.int64)[last], last + 1)


def fit_threshold(curve: Curve) -> float:
    """Find the cut with the highest F.

    A cut lies in the middle between two neighbouring distinct scores, or at either end, the range of scores plus 1
    beyond the last score: there all pairs, or none, are called paraphrases. Among equal F the highest cut wins. The
    threshold has one decimal more than scores, because it lies in the middle between two scores.

    Args:
        curve: The curve of the pairs to fit on.

    Returns:
        The threshold: pairs that score at least that much are called paraphrases.
    """
    beyond = curve.values[0] - curve.values[-1] + 1
    cuts = np.concatenate(
        [[curve.values[0] + beyond], (curve.values[:-1] + curve.values[1:]) / 2, [curve.values[-1] - beyond]]
    )
    f1 = 2 * curve.true_positives / (curve.said + curve.true_positives[-1])
    return round(float(cuts[np.argmax(np.concatenate([[0.0], f1]))]), DECIMALS + 1)


def count_decisions(curve: Curve, threshold: float) -> Counts:
    """Count right and wrong decisions at a threshold."""
    cut = np.searchsorted(-curve.values, -threshold, side="right") - 1
    hits, said = (int(curve.true_positives[cut]), int(curve.said[cut])) if cut >= 0 else (0, 0)
    positives, total = int(curve.true_positives[-1]), int(curve.said[-1])
    return Counts(hits, said - hits, positives - hits, total - positives - said + hits)


def rate_decisions(counts: Counts) -> dict[str, Floats]:
    """Compute F, precision, recall, accuracy and the correlation of Matthews (1975).

    F = 2 TP / (2 TP + FP + FN); precision = TP / (TP + FP); recall = TP / (TP + FN);
    MCC = (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN)). What would divide by zero is 0.

    Args:
        counts: Numbers, or arrays of one shape.

    Returns:
        Arrays of that shape by name of the metric; all in [0, 1] but MCC in [-1, 1].
    """
    tp, fp, fn, tn = (np.asarray(count, dtype=np.float64) for count in counts)
    margins = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return {
        "f1": divide(2 * tp, 2 * tp + fp + fn),
        "precision": divide(tp, tp + fp),
        "recall": divide(tp, tp + fn),
        "accuracy": divide(tp + tn, tp + fp + fn + tn),
        "mcc": divide(tp * tn - fp * fn, margins),
    }


def average_precision(curve: Curve) -> float:
    """Sum of precision times gain in recall over the cuts between distinct scores; 0 without paraphrases."""
    positives = curve.true_positives[-1]
    gains = np.diff(curve.true_positives, prepend=0)
    return float((gains * (curve.true_positives / curve.said)).sum() / positives) if positives else 0.0


def roc_auc(curve: Curve) -> float:
    """Chance that a paraphrase scores higher than another pair, ties counting half; 0.5 if there are not both."""
    positives = int(curve.true_positives[-1])
    negatives = int(curve.said[-1]) - positives
    if not positives or not negatives:
        return 0.5
    others = curve.said - curve.true_positives
    above = np.concatenate([[0], others[:-1]])
    gains = np.diff(curve.true_positives, prepend=0)
    return float((gains * (negatives - (others + above) / 2)).sum() / (positives * negatives))


def measure_pairs(curve: Curve, threshold: float) -> Mapping[str, float]:
    """All metrics of pairs at a threshold, by their names in `METRIC_NAMES`."""
    rates = {name: float(value) for name, value in rate_decisions(count_decisions(curve, threshold)).items()}
    return rates | {"average_precision": average_precision(curve), "roc_auc": roc_auc(curve)}


def measure_split(scores: npt.ArrayLike, labels: npt.ArrayLike, threshold: float) -> dict[str, float]:
    """All metrics of a split at a threshold fitted elsewhere, with that threshold and the share of paraphrases."""
    return measure_curve(make_curve(scores, labels), threshold)


def measure_curve(curve: Curve, threshold: float) -> dict[str, float]:
    """All metrics of a split as `measure_split` gives them, from its curve."""
    share = float(curve.true_positives[-1] / curve.said[-1])
    return {**measure_pairs(curve, threshold), "threshold": threshold, "positive_share": share}
