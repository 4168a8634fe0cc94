"""Metrics of yes-or-no decisions on pairs, from scores and labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics.metric import Metric
from harness.metrics.weighting import WeightedCuts
from harness.stats.rounding import RoundedScores, divide, find_decimals, round_to_size
from pyramid_paraphrase.rules.options import PAIR_CORPUS, PAIRS, PIT, PYRAMIDS, SUMMARIES

Floats = npt.NDArray[np.float64]

_SHARE_BEYOND = 1e-9
"""Share of the largest score that a threshold beyond all scores is at least away from them."""


class Counts(NamedTuple):
    """Numbers of decisions by truth: integers, or arrays of one shape."""

    true_positives: npt.ArrayLike
    false_positives: npt.ArrayLike
    false_negatives: npt.ArrayLike
    true_negatives: npt.ArrayLike


class Outcomes(NamedTuple):
    """Numbers of decisions by truth as float64 arrays of one shape: `Counts`, ready for arithmetic."""

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats


class Curve(NamedTuple):
    """The decisions of a cut below each distinct score, from the highest score to the lowest.

    Attributes:
        values: Distinct scores, shape (k,), descending.
        true_positives: Shape (k,), the number of paraphrases with at least this score, or a sum of shares of right
            options.
        said: Shape (k,), the number of pairs with at least this score, which are called paraphrases.
    """

    values: Floats
    true_positives: npt.NDArray[np.int64] | Floats
    said: npt.NDArray[np.int64]


def make_curve(scores: npt.ArrayLike, labels: npt.ArrayLike) -> Curve:
    """Count decisions at every cut between distinct scores, never inside a group of equal scores.

    Args:
        scores: Shape (n,), n at least 1, finite. The scores are rounded.
        labels: Shape (n,), 1 for paraphrases and 0 for other pairs.

    Returns:
        The curve.

    Raises:
        ValueError: If there is no score, a score is not finite, or a label is neither 0 nor 1.
    """
    return count_cuts(round_to_size(scores), np.asarray(labels))


def count_cuts(values: RoundedScores, truth: npt.NDArray[Any]) -> Curve:
    """Make the curve of rounded scores. Arguments, return value and errors are the same as for `make_curve`."""
    if values.ndim != 1 or values.shape != truth.shape or not len(values):
        shapes = f"scores of shape {values.shape} and labels of shape {truth.shape}"
        raise ValueError(f"{shapes}. Pass the same number of both, at least one")
    if not np.isfinite(values).all():
        raise ValueError("a score is not finite")
    if not ((truth == 0) | (truth == 1)).all():
        raise ValueError("a label is neither 0 nor 1")
    order = np.argsort(values)[::-1]
    ranked = values[order]
    last = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)
    return Curve(ranked[last], np.cumsum(truth[order], dtype=np.int64)[last], last + 1)


def fit_threshold(curve: Curve, positives: float | None = None) -> float:
    """Find the cut with the highest F = 2 true positives / (said + positives).

    A cut is in the middle between two neighbouring distinct scores, or beyond either end, where all pairs or none are
    called paraphrases. Its distance from the last score is then the range of the scores plus 1, or plus a billionth of
    the largest score if that is more. Among cuts with equal F, the highest is chosen. The threshold has one more
    decimal than scores, because it is in the middle between two scores.

    Args:
        curve: The curve of the pairs to fit on.
        positives: Number of rows that should be called paraphrases. None for all true positives of the curve.

    Returns:
        The threshold, the lowest score that is called a paraphrase.
    """
    highest, lowest = curve.values[0], curve.values[-1]
    beyond = highest - lowest + max(1, abs(highest) * _SHARE_BEYOND, abs(lowest) * _SHARE_BEYOND)
    middles = (curve.values[:-1] + curve.values[1:]) / 2
    cuts = np.concatenate([[highest + beyond], middles, [lowest - beyond]])
    if positives is None:
        positives = curve.true_positives[-1]
    f1 = 2 * curve.true_positives / (curve.said + positives)
    return round(float(cuts[np.argmax(np.concatenate([[0.0], f1]))]), find_decimals(curve.values) + 1)


def count_decisions(curve: Curve, threshold: float) -> Counts:
    """Count right and wrong decisions at a threshold."""
    cut = np.searchsorted(-curve.values, -threshold, side="right") - 1
    hits, said = (int(curve.true_positives[cut]), int(curve.said[cut])) if cut >= 0 else (0, 0)
    positives, total = int(curve.true_positives[-1]), int(curve.said[-1])
    return Counts(hits, said - hits, positives - hits, total - positives - said + hits)


@dataclass(frozen=True, slots=True)
class OfDecisions:
    """A metric of decisions at a threshold.

    Attributes:
        rate: Function from outcomes to values of the same shape.
    """

    rate: Callable[[Outcomes], Floats]


@dataclass(frozen=True, slots=True)
class OfCurve:
    """A metric of the order of the pairs, without a threshold.

    Attributes:
        measure: Function from the curve to the value.
        resample: Function from weighted cuts to the values under r weightings of topics, shape (r,).
    """

    measure: Callable[[Curve], float]
    resample: Callable[[WeightedCuts], Floats]


def f1(outcomes: Outcomes) -> Floats:
    """Compute F = 2 TP / (2 TP + FP + FN). It is 0 where no pair is a paraphrase and no pair is called a paraphrase."""
    tp, fp, fn, _ = outcomes
    return divide(2 * tp, 2 * tp + fp + fn)


def precision(outcomes: Outcomes) -> Floats:
    """Compute precision = TP / (TP + FP). It is 0 where no pair is called a paraphrase."""
    tp, fp, _, _ = outcomes
    return divide(tp, tp + fp)


def recall(outcomes: Outcomes) -> Floats:
    """Compute recall = TP / (TP + FN). It is 0 where no pair is a paraphrase."""
    tp, _, fn, _ = outcomes
    return divide(tp, tp + fn)


def accuracy(outcomes: Outcomes) -> Floats:
    """Compute accuracy = (TP + TN) / (TP + FP + FN + TN). It is 0 without pairs."""
    tp, fp, fn, tn = outcomes
    return divide(tp + tn, tp + fp + fn + tn)


def matthews_correlation(outcomes: Outcomes) -> Floats:
    """Compute the correlation of decisions and labels (Matthews 1975), in [-1, 1], or 0 if undefined.

    MCC = (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN)).
    """
    tp, fp, fn, tn = outcomes
    margins = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return divide(tp * tn - fp * fn, margins)


def average_precision(curve: Curve) -> float:
    """Compute the sum of precision times gain in recall over cuts between distinct scores, or 0 without paraphrases."""
    positives = curve.true_positives[-1]
    gains = np.diff(curve.true_positives, prepend=0)
    return float((gains * (curve.true_positives / curve.said)).sum() / positives) if positives else 0.0


def roc_auc(curve: Curve) -> float:
    """Compute the probability that a paraphrase scores higher than another pair. Ties count half.

    The area under the ROC curve is 0.5 without paraphrases, and without other pairs.
    """
    positives = int(curve.true_positives[-1])
    negatives = int(curve.said[-1]) - positives
    if not positives or not negatives:
        return 0.5
    others = curve.said - curve.true_positives
    above = np.concatenate([[0], others[:-1]])
    gains = np.diff(curve.true_positives, prepend=0)
    return float((gains * (negatives - (others + above) / 2)).sum() / (positives * negatives))


def _resample_average_precision(cuts: WeightedCuts) -> Floats:
    return divide((cuts.gains * divide(cuts.hits, cuts.hits + cuts.misses)).sum(axis=0), cuts.positives)


def _resample_roc_auc(cuts: WeightedCuts) -> Floats:
    passed = (cuts.gains * (cuts.negatives - cuts.misses + cuts.tied / 2)).sum(axis=0)  # a tie counts half
    has_both = (cuts.positives > 0) & (cuts.negatives > 0)
    return np.where(has_both, divide(passed, cuts.positives * cuts.negatives), 0.5)


DECISION_METRICS = (
    Metric(
        name="f1",
        title="F",
        kind=PAIRS,
        computation=OfDecisions(f1),
        published_for=(PYRAMIDS, SUMMARIES, PAIR_CORPUS, PIT),
        ranks_models_of=(PYRAMIDS, SUMMARIES, PIT),
    ),
    Metric(name="precision", title="precision", kind=PAIRS, computation=OfDecisions(precision)),
    Metric(name="recall", title="recall", kind=PAIRS, computation=OfDecisions(recall)),
    Metric(
        name="accuracy",
        title="accuracy",
        kind=PAIRS,
        computation=OfDecisions(accuracy),
        is_mean_over_rows=True,
        published_for=(PAIR_CORPUS,),
        ranks_models_of=(PAIR_CORPUS,),
    ),
    Metric(name="mcc", title="mcc", kind=PAIRS, computation=OfDecisions(matthews_correlation), low=-1.0),
)
"""Metrics of decisions at a threshold."""

CURVE_METRICS = (
    Metric(
        name="average_precision",
        title="average precision",
        kind=PAIRS,
        computation=OfCurve(average_precision, _resample_average_precision),
        published_for=(PYRAMIDS, SUMMARIES, PAIR_CORPUS, PIT),
        heading="AP",
        is_in_narrow_tables=False,
    ),
    Metric(
        name="roc_auc",
        title="roc auc",
        kind=PAIRS,
        computation=OfCurve(roc_auc, _resample_roc_auc),
        published_for=(SUMMARIES,),
        is_in_narrow_tables=False,
    ),
)
"""Metrics of the order of the pairs."""


def rate_decisions(counts: Counts) -> dict[str, Floats]:
    """Compute all metrics of decisions.

    Args:
        counts: Numbers, or arrays of the same shape.

    Returns:
        Arrays of that shape, by name of the metric in `DECISION_METRICS`.
    """
    outcomes = Outcomes(*(np.asarray(count, dtype=np.float64) for count in counts))
    return {metric.name: metric.computation.rate(outcomes) for metric in DECISION_METRICS}


def measure_pairs(curve: Curve, threshold: float) -> Mapping[str, float]:
    """Compute all metrics of pairs at a threshold, by name."""
    rates = {name: float(value) for name, value in rate_decisions(count_decisions(curve, threshold)).items()}
    return rates | {metric.name: metric.computation.measure(curve) for metric in CURVE_METRICS}


def measure_curve(curve: Curve, threshold: float) -> dict[str, float]:
    """Compute all metrics at a given threshold, and add that threshold and the share of paraphrases."""
    share = float(curve.true_positives[-1] / curve.said[-1])
    return {**measure_pairs(curve, threshold), "threshold": threshold, "positive_share": share}
