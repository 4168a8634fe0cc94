"""What the scores of a task's rows say: its metrics."""

from __future__ import annotations

from harness.items import Items
from harness.metrics.pairs import fit_threshold, make_curve, measure_split
from harness.metrics.questions import rate_reciprocal_rank, rate_success
from harness.metrics.rounding import DECIMALS


def measure_items(items: Items) -> dict[str, float]:
    """Measure scored rows, as our modules for `evaluate` do.

    Args:
        items: The rows; of pairs, the threshold is fitted on those of the validation split.

    Returns:
        Metrics of the test split by name; rounded to six decimals, but for the threshold.
    """
    values = _measure_pairs(items) if items.is_binary else _measure_questions(items)
    return {name: value if name == "threshold" else round(value, DECIMALS) for name, value in values.items()}


def _measure_pairs(items: Items) -> dict[str, float]:
    threshold = fit_threshold(make_curve(*items.validation()))
    return measure_split(items.scores[items.is_test], items.targets[items.is_test], threshold)


def _measure_questions(items: Items) -> dict[str, float]:
    scores, answers = items.scores[items.is_test], items.targets[items.is_test]
    return {
        "success_rate": float(rate_success(scores, answers).mean()),
        "mrr": float(rate_reciprocal_rank(scores, answers).mean()),
    }
