"""Metrics of a task, from the scores of its rows."""

from __future__ import annotations

import numpy as np

from harness.evaluation.items import Items
from harness.metrics.pairs import count_cuts, fit_threshold, measure_curve
from harness.metrics.questions import rate_questions
from harness.metrics.similarity import BestCut, correlate, max_f1
from harness.stats.rounding import DECIMALS, RoundedScores, round_scores
from pyramid_paraphrase.options import BINARY, SIMILARITY
from pyramid_paraphrase.pair_corpora.pit import LABELS_OF_GRADES
from pyramid_paraphrase.pair_corpora.records import DEBATABLE


def measure_items(items: Items, cutoff: float | None = None) -> dict[str, float]:
    """Measure scored rows, as our modules for `evaluate` do.

    Args:
        items: The rows.
        cutoff: For pairs with labels, the score from which on they are called paraphrases; None to fit one on the
            rows that are not of the test split.

    Returns:
        Metrics of the test split by name, rounded to six decimals, and the threshold, which is not rounded. A metric
        that is not defined, such as the correlation of equal scores with grades, is 0.
    """
    values = _measure(items, cutoff)
    metrics = {name: round(value, DECIMALS) for name, value in values.items()}
    if "threshold" in values:
        metrics["threshold"] = values["threshold"]
    return metrics


def _measure(items: Items, cutoff: float | None) -> dict[str, float]:
    if items.kind == BINARY:
        return _measure_pairs(items, cutoff)
    if items.kind == SIMILARITY:
        return _measure_grades(items)
    return {name: float(values.mean()) for name, values in rate_questions(*items.test()).items()}


def _measure_pairs(items: Items, cutoff: float | None) -> dict[str, float]:
    if cutoff is None:
        cutoff = fit_threshold(count_cuts(*items.validation()))
    return measure_curve(count_cuts(*items.test()), cutoff)


def _measure_grades(items: Items) -> dict[str, float]:
    scores, grades = items.test()
    labels = np.take(LABELS_OF_GRADES, grades)
    decided = labels != DEBATABLE
    best = BestCut(0, 0, 0, 0)
    if decided.any():
        best = max_f1(count_cuts(RoundedScores(scores[decided]), labels[decided]))
    correlation = 0.0
    if scores.min() < scores.max() and grades.min() < grades.max():
        correlation = correlate(scores, round_scores(grades))
    return {
        "pearson": correlation,
        "max_f1": best.f1,
        "max_f1_precision": best.precision,
        "max_f1_recall": best.recall,
    }
