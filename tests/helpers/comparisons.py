"""Comparisons of two models, for tests of single metrics."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import partial

import numpy as np

from harness.evaluation.comparing.comparison import measure_model
from harness.evaluation.comparing.differences import Difference, compare_pair
from harness.metrics.measuring import make_measure
from harness.metrics.metric import Metric
from harness.metrics.rows import ScoredSplit
from harness.models.registry import MODEL


def compare_scored(
    first: ScoredSplit, second: ScoredSplit, metrics: Sequence[Metric], resamples: int, seed: int
) -> dict[str, Difference]:
    """Compare two models on the same rows, by name of the metric."""
    models = []
    for name, split in (("first", first), ("second", second)):
        values = make_measure(split)(np.ones((1, split.topic_count)))
        numbers = {metric: round(float(value), 6) for metric, (value,) in values.items()}
        models.append(measure_model(name, MODEL, numbers, partial(copy, split), resamples, seed))
    worse, better = models
    return {metric.name: compare_pair(worse, better, metric) for metric in metrics}
