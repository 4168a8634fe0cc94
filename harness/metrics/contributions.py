"""The contributions of topics to the metrics of a test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from harness.metrics.measuring import resample_metrics
from harness.metrics.rows import ScoredSplit
from harness.metrics.table import find_metric
from harness.stats.bootstrap import Samples, join_samples
from harness.stats.rounding import RoundedScores
from harness.stats.significance import MOST_TOPICS
from pyramid_paraphrase.formats.pair_corpora import LABELS_OF_GRADES
from pyramid_paraphrase.rules.options import GRADED_PAIRS, MATCHES, NO_MATCH

Floats = npt.NDArray[np.float64]
_TOPICS_AT_ONCE = 64
_STEP = 1e-4
"""Change of a topic's weight in the numerical derivative."""

_DECIMALS = 9
"""Decimals of contributions of topics."""


def measure_topics(split: ScoredSplit, *, with_curves: bool = True) -> Samples:
    """Compute the metrics of a test separately on the rows of each topic. Rows across topics do not count.

    Args:
        split: The rows.
        with_curves: As for `resample_metrics`.

    Returns:
        Values by name of the metric, shape (topics,), as `resample_metrics` defines them, also for topics without rows.
    """
    within = np.flatnonzero(split.topics[:, 0] == split.topics[:, 1])
    order = within[np.argsort(split.topics[within, 0], kind="stable")]
    topics, parts = split.topics[order, 0], []
    for start in range(0, split.topic_count, _TOPICS_AT_ONCE):
        count = min(_TOPICS_AT_ONCE, split.topic_count - start)
        rows = order[slice(*np.searchsorted(topics, [start, start + count]))]
        block = replace(
            split,
            scores=RoundedScores(split.scores[rows]),
            targets=split.targets[rows],
            topics=split.topics[rows] - start,
            topic_count=count,
        )
        parts.append(resample_metrics(block, np.eye(count), with_curves=with_curves))
    return join_samples(parts)


def measure_contributions(split: ScoredSplit, *, with_curves: bool = True) -> Samples:
    """Divide the metrics of a test into the contributions of its topics, for paired tests of models.

    The contribution of topic t to a metric M is

        c_t = g_t + M a_t,  with  g_t = M'_t - a_t (M'_1 + ... + M'_n),

    where M'_t is the slope of M by the weight of topic t, at weights of 1 (the infinitesimal jackknife, Efron 1982),
    and a_t is the share of topic t in the rows that M averages: all rows, or those of `find_positives` for F and
    average precision. Contributions sum to M. The contribution to a mean over rows, such as the success rate, is the
    sum of the topic divided by the number of all rows. Swapping two models in a topic then swaps their contributions
    exactly. For other metrics, it does so to first order. A pair across topics a and b has the weight w_a w_b: its
    slope counts in both topics, and half of its row in the share of each topic.

    Args:
        split: The rows.
        with_curves: As for `resample_metrics`.

    Returns:
        Contributions by name of the metric, shape (n,), of the topics with rows, in their order. More than
        `significance.MOST_TOPICS` topics are merged into that many groups of neighbours.
    """
    merged = _merge_topics(split)
    count = merged.topic_count
    weights = np.concatenate([np.ones((1, count)), 1 + _STEP * np.eye(count), 1 - _STEP * np.eye(count)])
    contributions = {}
    for name, values in resample_metrics(merged, weights, with_curves=with_curves).items():
        slopes = (values[1 : 1 + count] - values[1 + count :]) / (2 * _STEP)
        parts = slopes + (values[0] - slopes.sum()) * _share(merged, name)
        contributions[name] = np.round(parts, _DECIMALS)  # further digits are noise, and would break ties
    return contributions


def _merge_topics(split: ScoredSplit) -> ScoredSplit:
    """Renumber the topics with rows from 0, and merge neighbours if there are too many."""
    present, topics = np.unique(split.topics, return_inverse=True)
    topics = topics.reshape(split.topics.shape)
    count = min(len(present), MOST_TOPICS)
    if len(present) > count:
        topics = topics * count // len(present)
    return replace(split, topics=topics, topic_count=count)


def find_positives(split: ScoredSplit) -> npt.NDArray[np.bool_]:
    """Return whether each row is a paraphrase or, in a test of matches, has a right option."""
    if split.kind == MATCHES:
        return split.targets != NO_MATCH
    if split.kind == GRADED_PAIRS:
        return np.take(LABELS_OF_GRADES, split.targets) == 1
    return split.targets == 1


def _share(split: ScoredSplit, metric: str) -> Floats:
    """Return the share of each topic in the rows that a metric averages. A row across topics counts half in each."""
    is_positive = find_positives(split)
    row, counted = find_metric(metric), split.topics
    if row is not None and not row.is_mean_over_rows and is_positive.any():
        counted = split.topics[is_positive]
    return np.bincount(counted.ravel(), minlength=split.topic_count) / counted.size
