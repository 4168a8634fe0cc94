"""The file of scores of summaries, with a row per topic and system. `meta-eval` reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from harness.files.tab_separated import render_rows
from harness.stats.rounding import DECIMALS
from pyramid_paraphrase.naming import natural_key

KEYS = ("topic", "system")


class SummaryScore(NamedTuple):
    """The scores of a summary.

    Attributes:
        topic: Its topic.
        author: Its author.
        values: By name of the metric.
    """

    topic: str
    author: str
    values: Mapping[str, float]


def render_scores(scores: Iterable[SummaryScore], metrics: Iterable[str]) -> str:
    """Render scores as tab-separated columns: topic, system, and one per metric. Missing scores are empty cells.

    Args:
        scores: Scores in any order.
        metrics: Names of the columns, in order.

    Returns:
        The content of the file, in the order of topics and systems.
    """
    names = tuple(metrics)
    rows = []
    for score in sorted(scores, key=lambda score: (natural_key(score.topic), natural_key(score.author))):
        cells = [_format(score.values.get(name)) for name in names]
        rows.append((score.topic, score.author, *cells))
    return render_rows((*KEYS, *names), rows)


def _format(value: float | None) -> str:
    return "" if value is None else f"{value:.{DECIMALS}f}"
