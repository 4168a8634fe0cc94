"""The best models of a test: no other model is significantly better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from harness.metrics.contributions import measure_contributions
from harness.metrics.metric import Metric
from harness.metrics.rows import ScoredSplit
from harness.stats.significance import SIGNIFICANCE, can_be_significant, find_better


def find_best_groups(splits: Mapping[str, ScoredSplit], metrics: Sequence[Metric[object]]) -> dict[str, frozenset[str]]:
    """Find the best models by each metric of a test.

    Args:
        splits: The scores by the name of the model, all with the same rows in the same order.
        metrics: The metrics.

    Returns:
        The names of the best models, by the name of the metric. Empty if there are fewer than two models, or so few
        topics that no difference can be significant.
    """
    if len(splits) < 2 or not all(map(has_enough_topics, splits.values())):
        return {}
    names = np.array(list(splits), dtype=object)
    contributions = [measure_contributions(split) for split in splits.values()]
    groups = {}
    for metric in metrics:
        by_model = np.array([model[metric.name] for model in contributions])
        better = find_better(metric.sign * by_model.sum(axis=1), by_model, SIGNIFICANCE)
        groups[metric.name] = frozenset(names[~better.any(axis=1)])
    return groups


def has_enough_topics(split: ScoredSplit) -> bool:
    """Return whether a difference of two models can be significant with this number of topics."""
    return can_be_significant(len(np.unique(split.topics)))
