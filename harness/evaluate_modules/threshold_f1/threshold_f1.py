"""F-measure at a threshold, as a module for `evaluate`."""

from __future__ import annotations

from typing import Any

from harness.evaluate_modules import frame
from harness.metrics.pairs import fit_threshold, make_curve, measure_pairs

_DESCRIPTION = """
Classifies pairs as paraphrases by a threshold, and measures the decisions. The threshold is the cut with the highest F
on validation pairs. It is the midpoint between two distinct scores, or beyond all scores, and never inside a group of
equal scores. If several thresholds have the highest F, the highest threshold is used. F = 2 TP / (2 TP + FP + FN).
"""

_INPUTS = """
Args:
    predictions (list of float): one score per pair of the test split, higher for likelier paraphrases.
    references (list of int): 1 for a paraphrase, 0 for another pair.
    validation_predictions (list of float): predictions on the validation split, to fit the threshold on.
    validation_references (list of int): references of the validation split.
    threshold (float): a threshold to use instead of a fitted threshold.
Returns:
    f1, precision, recall, accuracy, mcc and kappa (in [-1, 1]), average_precision, roc_auc, threshold, positive_share.
    A quotient with a denominator of 0 is 0.

Examples:
    >>> import evaluate
    >>> import harness.evaluate_modules
    >>> metric = evaluate.load(f"{harness.evaluate_modules.__path__[0]}/threshold_f1")
    >>> metric.compute(predictions=[0.9, 0.2, 0.6], references=[1, 0, 1], threshold=0.5)["f1"]
    1.0
    >>> fitted = metric.compute(
    ...     predictions=[0.9, 0.2, 0.6],
    ...     references=[1, 0, 1],
    ...     validation_predictions=[0.8, 0.4],
    ...     validation_references=[1, 0],
    ... )
    >>> fitted["threshold"]
    0.6
"""


class ThresholdF1(frame.ThresholdModule):
    """F and other metrics of decisions on pairs (Baumel et al. 2016, section 4)."""

    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS
    FEATURES = frame.SCORED_PAIRS
    REFERENCE_URLS = ("https://aclanthology.org/volumes/W16-25/",)

    def fit(self, scores: Any, targets: Any) -> float:  # noqa: ANN401 - passed by `evaluate`
        """Find the threshold with the highest F."""
        return fit_threshold(make_curve(scores, targets))

    def measure(self, scores: Any, targets: Any, threshold: float) -> dict[str, float]:  # noqa: ANN401
        """Compute all metrics of pairs."""
        return measure_pairs(make_curve(scores, targets), threshold)
