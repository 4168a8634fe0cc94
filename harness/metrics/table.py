"""The table of metrics: its rows determine titles, order, cards, pages, comparisons and `eval.yaml`.

Each row is in the module of its kind of test, together with the function that returns the values of all its metrics.
"""

from __future__ import annotations

from harness.metrics.choices import MATCH_METRICS, QUESTION_METRICS
from harness.metrics.graded_pairs import GRADED_METRICS
from harness.metrics.metric import Metric
from harness.metrics.pairs import PAIR_METRICS
from pyramid_paraphrase.rules.options import Configuration, Kind

METRICS = (*PAIR_METRICS, *QUESTION_METRICS, *GRADED_METRICS, *MATCH_METRICS)
"""All metrics of tests, with unique names."""

_BY_NAME = {metric.name: metric for metric in METRICS}


def find_metric(name: str) -> Metric | None:
    """Look up a metric by name. Return None for an unknown name."""
    return _BY_NAME.get(name)


def title_column(name: str) -> str:
    """Return the title above a column with a metric, or with another number of a test such as its threshold."""
    metric = find_metric(name)
    if metric is None:
        return name.replace("_", " ")
    return metric.heading or metric.title


def list_metrics(kind: Kind) -> tuple[Metric, ...]:
    """List the metrics of a kind of test."""
    return tuple(metric for metric in METRICS if metric.kind == kind)


def list_published(configuration: Configuration) -> tuple[Metric, ...]:
    """List the metrics that are published and compared, beginning with the metric by which models are ranked."""
    origin = configuration.origin
    published = [metric for metric in list_metrics(configuration.kind) if origin in metric.published_for]
    return tuple(sorted(published, key=lambda metric: origin not in metric.ranks_models_of))


def find_main_metric(configuration: Configuration) -> Metric:
    """Return the metric by which models are ranked."""
    return list_published(configuration)[0]
