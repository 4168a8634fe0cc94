"""Comparisons of two models, for tests of single metrics."""

from __future__ import annotations

from collections.abc import Sequence

from harness.evaluation.comparing.comparison import Difference, compare_pair, measure_model
from harness.metrics.metric import Metric
from harness.metrics.rows import ScoredSplit


def compare_scored(
    first: ScoredSplit, second: ScoredSplit, metrics: Sequence[Metric], resamples: int, seed: int
) -> dict[str, Difference]:
    """Compare two models on the same rows, by name of the metric."""
    measured = {"first": measure_model(first, resamples, seed), "second": measure_model(second, resamples, seed)}
    return {metric.name: compare_pair(measured, "first", "second", metric) for metric in metrics}
