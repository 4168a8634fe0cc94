"""Metrics of scored rows: the threshold is fitted on one split, and the test split is measured."""

from __future__ import annotations

from harness.evaluation.rows import ScoredRows
from harness.metrics.measuring import measure_split
from harness.metrics.pairs import count_cuts, fit_threshold
from harness.stats.rounding import DECIMALS


def measure_rows(rows: ScoredRows, cutoff: float | None = None) -> dict[str, float]:
    """Measure scored rows, as our modules for `evaluate` do.

    Args:
        rows: The rows.
        cutoff: For pairs with labels, the score from which on they are called paraphrases; None to fit one on the
            rows that are not of the test split.

    Returns:
        Metrics of the test split by name, rounded to six decimals, and the threshold, which is not rounded. A metric
        that is not defined, such as the correlation of equal scores with grades, is 0.
    """
    threshold = cutoff
    if rows.kind.fits_threshold and cutoff is None:
        threshold = fit_threshold(count_cuts(*rows.fitted_on()))
    values = measure_split(rows.test_split(threshold))
    metrics = {name: round(value, DECIMALS) for name, value in values.items()}
    if threshold is not None and rows.kind.fits_threshold:
        metrics["threshold"] = threshold
    return metrics
