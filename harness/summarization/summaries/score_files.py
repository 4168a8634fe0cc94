"""The file of scores of summaries, with a row per topic and system. `meta-eval` reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from harness.files.tab_separated import render_rows
from harness.stats.rounding import DECIMALS, SMALL, SMALL_DIGITS
from pyramid_paraphrase.pyramids.naming import natural_key

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
    names, rows = tuple(metrics), []
    ordered = sorted(scores, key=lambda score: (natural_key(score.topic), natural_key(score.author)))
    forms = [_choose_form([score.values[name] for score in ordered if name in score.values]) for name in names]
    for score in ordered:
        cells = []
        for name, form in zip(names, forms, strict=True):
            cells.append(format(score.values[name], form) if name in score.values else "")
        rows.append((score.topic, score.author, *cells))
    return render_rows((*KEYS, *names), rows)


def _choose_form(values: Sequence[float]) -> str:
    """Choose how the values of a metric are written: with `DECIMALS`, or as in 1.20000e-07 if all are below `SMALL`."""
    if 0 < max(map(abs, values), default=0) < SMALL:
        return f".{SMALL_DIGITS - 1}e"
    return f".{DECIMALS}f"
