"""What the scores of a task's rows say: its metrics."""

from __future__ import annotations

import numpy as np

from harness.evaluation.items import Items
from harness.metrics.pairs import fit_threshold, make_curve, measure_split
from harness.metrics.questions import rate_reciprocal_rank, rate_success
from harness.metrics.similarity import BestCut, max_f1, pearson
from harness.stats.rounding import DECIMALS
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
        Metrics of the test split by name; rounded to six decimals, but for the threshold. What is not defined, such as
        the correlation of equal scores with grades, is 0.
    """
    if items.kind == BINARY:
        values = _measure_pairs(items, cutoff)
    else:
        values = _measure_grades(items) if items.kind == SIMILARITY else _measure_questions(items)
    return {name: value if name == "threshold" else round(value, DECIMALS) for name, value in values.items()}


def _measure_pairs(items: Items, cutoff: float | None) -> dict[str, float]:
    threshold = fit_threshold(make_curve(*items.validation())) if cutoff is None else cutoff
    return measure_split(items.scores[items.is_test], items.targets[items.is_test], threshold)


def _measure_grades(items: Items) -> dict[str, float]:
    scores, grades = items.scores[items.is_test], items.targets[items.is_test]
    labels = np.take(LABELS_OF_GRADES, grades)
    known = labels != DEBATABLE
    best = max_f1(make_curve(scores[known], labels[known])) if known.any() else BestCut(0, 0, 0, 0)
    has_range = scores.min() < scores.max() and grades.min() < grades.max()
    return {
        "pearson": pearson(scores, grades) if has_range else 0.0,
        "max_f1": best.f1,
        "max_f1_precision": best.precision,
        "max_f1_recall": best.recall,
    }


def _measure_questions(items: Items) -> dict[str, float]:
    scores, answers = items.scores[items.is_test], items.targets[items.is_test]
    return {
        "success_rate": float(rate_success(scores, answers).mean()),
        "mrr": float(rate_reciprocal_rank(scores, answers).mean()),
    }
