"""The file that scores of summaries are written to, and that `meta-eval` reads: a row per topic and system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import NamedTuple

from harness.files.tab_separated import render_rows
from pyramid_paraphrase.naming import natural_key

KEYS = ("topic", "system")
_DECIMALS = 6


class SummaryScore(NamedTuple):
    """What a summary scores.

    Attributes:
        topic: Its topic.
        author: Whose it is.
        values: By name of the metric.
    """

    topic: str
    author: str
    values: Mapping[str, float]


class SystemMean(NamedTuple):
    """What an author's summaries score on average.

    Attributes:
        author: Whose they are.
        summaries: How many there are.
        values: By name of the metric.
    """

    author: str
    summaries: int
    values: Mapping[str, float]


def render_scores(scores: Iterable[SummaryScore], metrics: Iterable[str]) -> str:
    """Write scores: columns topic, system, and one per metric, divided by tabs; empty where there is none.

    Args:
        scores: In any order.
        metrics: Names of the columns, in order.

    Returns:
        The file's content, by topic and system.
    """
    names = tuple(metrics)
    ordered = sorted(scores, key=lambda one: (natural_key(one.topic), natural_key(one.author)))
    rows = ((one.topic, one.author, *(_format(one.values.get(name)) for name in names)) for one in ordered)
    return render_rows((*KEYS, *names), rows)


def average_by_system(scores: Iterable[SummaryScore], metric: str) -> list[SystemMean]:
    """Average the scores of each author over the topics.

    Args:
        scores: Of which each has the same metrics.
        metric: By which authors are ordered, the best first.

    Returns:
        A row per author.
    """
    by_author: dict[str, list[Mapping[str, float]]] = {}
    for score in scores:
        by_author.setdefault(score.author, []).append(score.values)
    means = [
        SystemMean(author, len(rows), {name: fmean(row[name] for row in rows) for name in rows[0]})
        for author, rows in by_author.items()
    ]
    return sorted(means, key=lambda mean: (-mean.values[metric], natural_key(mean.author)))


def _format(value: float | None) -> str:
    return "" if value is None else f"{value:.{_DECIMALS}f}"
