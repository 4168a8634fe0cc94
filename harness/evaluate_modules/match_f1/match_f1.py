"""F of matches, the options that texts express, as a module for `evaluate`."""

from __future__ import annotations

from typing import Any

from harness.evaluate_modules import frame
from harness.metrics.choices import fit_match_threshold, measure_matches, pad_scores

_DESCRIPTION = """
Each text has options, and expresses one of them or none. A model names its best option if the score of the option is at
least a threshold. F = 2 right / (named + matched), where options that tie for the first rank count in equal parts. The
threshold is the cut with the highest F on validation texts. It is never inside a group of equal scores. Success rate
and mean reciprocal rank do not depend on the threshold. They are computed on the texts that express an option.
"""

_INPUTS = """
Args:
    predictions (list of list of float): one score per option of each text. Texts may differ in the number of options.
    references (list of int): index of the right option, or -1 if the text expresses no option.
    validation_predictions (list of list of float): predictions on the validation split, to fit the threshold on.
    validation_references (list of int): references of the validation split.
    threshold (float): a threshold to use instead of a fitted threshold.
Returns:
    match_f1, match_precision, match_recall, match_accuracy, match_success_rate, match_mrr, threshold.
    A quotient with a denominator of 0 is 0.

Examples:
    >>> import evaluate
    >>> import harness.evaluate_modules
    >>> metric = evaluate.load(f"{harness.evaluate_modules.__path__[0]}/match_f1")
    >>> scores = [[0.9, 0.2], [0.1, 0.7, 0.6], [0.5]]
    >>> metric.compute(predictions=scores, references=[0, 2, -1], threshold=0.6)["match_f1"]
    0.5
"""


class MatchF1(frame.ThresholdModule):
    """F and other metrics of matches."""

    DESCRIPTION = _DESCRIPTION
    INPUTS = _INPUTS
    FEATURES = frame.QUESTIONS
    REFERENCE_URLS = ("https://aclanthology.org/volumes/W16-25/",)

    def fit(self, scores: Any, targets: Any) -> float:  # noqa: ANN401 - passed by `evaluate`
        """Find the threshold with the highest F."""
        return fit_match_threshold(pad_scores(scores), targets)

    def measure(self, scores: Any, targets: Any, threshold: float) -> dict[str, float]:  # noqa: ANN401
        """Compute all metrics of matches."""
        return {**measure_matches(pad_scores(scores), targets, threshold), "threshold": threshold}
