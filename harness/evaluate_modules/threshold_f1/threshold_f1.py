"""F-measure at a threshold, as a module for `evaluate`."""

from __future__ import annotations

from typing import Any

from harness.evaluate_modules import frame
from harness.metrics.pairs import fit_threshold, make_curve, measure_curve

_DESCRIPTION = """
Decides by a threshold which pairs are paraphrases, and measures the decisions. The threshold is the cut with the
highest F on validation pairs; it lies in the middle between two distinct scores, or beyond all of them, and never
inside a group of equal scores; among equal F it is the highest. F = 2 TP / (2 TP + FP + FN).
"""

_INPUTS = """
Args:
    predictions (list of float): a score per pair of the test split, higher for what is more of a paraphrase.
    references (list of int): 1 for a paraphrase, 0 for another pair.
    validation_predictions (list of float): the same of the validation split, to fit the threshold on.
    validation_references (list of int): the same of the validation split.
    threshold (float): a threshold to use instead of fitting one.
Returns:
    f1, precision, recall, accuracy, mcc (in [-1, 1]), average_precision, roc_auc, threshold, positive_share.
    What would divide by zero is 0.
"""


class ThresholdF1(frame.ThresholdModule):
    """F, and what else there is to measure of decisions on pairs (Baumel et al. 2016, section 4)."""

    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS
    FEATURES = frame.SCORED_PAIRS

    def fit(self, scores: Any, targets: Any) -> float:  # noqa: ANN401 - what `evaluate` passes
        """Find the threshold with the highest F."""
        return fit_threshold(make_curve(scores, targets))

    def measure(self, scores: Any, targets: Any, threshold: float) -> dict[str, float]:  # noqa: ANN401
        """Compute all metrics of pairs."""
        return measure_curve(make_curve(scores, targets), threshold)
