"""Comparisons of two models, for tests of single metrics."""

from __future__ import annotations

from collections.abc import Sequence

from harness.metrics.differences import Comparison, compare_measured, measure_model
from harness.metrics.metric import Metric
from harness.metrics.rows import ScoredSplit


def compare_scored(
    first: ScoredSplit, second: ScoredSplit, metrics: Sequence[Metric[object]], resamples: int, seed: int
) -> dict[str, Comparison]:
    """Compare two models on the same rows, by name of the metric."""
    measured = measure_model(first, resamples, seed), measure_model(second, resamples, seed)
    return {metric.name: compare_measured(*measured, metric) for metric in metrics}
