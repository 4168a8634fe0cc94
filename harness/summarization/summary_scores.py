"""Scores of summaries: their file, which `meta-eval` reads, and the means of systems over topics, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import NamedTuple

from harness.rendering.tables import render_table
from harness.stats.rounding import DECIMALS, SMALL, SMALL_DIGITS
from pyramid_paraphrase.errors import shorten
from pyramid_paraphrase.files.tab_separated import render_rows
from pyramid_paraphrase.pyramids.naming import natural_key

KEYS = ("topic", "system")

_LONGEST_TITLE = 27
"""Maximum number of characters of a metric's name above its column, in addition to the mark "[...]"."""

_LONGEST_AUTHOR = 75
"""Maximum number of characters of an author's name, in addition to the mark "[...]"."""

_UNEQUAL = (
    "Systems have different numbers of summaries. Their means are over different topics, some easier than others."
)


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
        The content of the file, in the order of topics and systems. The values of a metric have `DECIMALS`, or are
        written as in 1.20000e-07 if all are below `SMALL`.
    """
    ordered = sorted(scores, key=lambda score: (natural_key(score.topic), natural_key(score.author)))
    columns = {}
    for name in metrics:
        values = [score.values.get(name) for score in ordered]
        highest = max((abs(value) for value in values if value is not None), default=0)
        form = f".{SMALL_DIGITS - 1}e" if 0 < highest < SMALL else f".{DECIMALS}f"
        columns[name] = ["" if value is None else format(value, form) for value in values]
    keys = [(score.topic, score.author) for score in ordered]
    rows = ((*key, *cells) for key, *cells in zip(keys, *columns.values(), strict=True))
    return render_rows((*KEYS, *columns), rows)


def render_means(scores: Iterable[SummaryScore], metric: str) -> str:
    """Render the mean scores of each author over the topics, and a note if the means are over different topics.

    Args:
        scores: Scores of summaries, at least one, all by the same metrics.
        metric: The metric that orders the authors, the best first.
    """
    by_author: dict[str, list[Mapping[str, float]]] = {}
    for score in scores:
        by_author.setdefault(score.author, []).append(score.values)
    means = {}
    for author, rows in by_author.items():
        means[author] = {name: fmean(row[name] for row in rows) for name in rows[0]}
    ordered = sorted(means, key=lambda author: (-means[author][metric], natural_key(author)))
    cells = [(shorten(author, _LONGEST_AUTHOR), len(by_author[author]), *means[author].values()) for author in ordered]
    titles = [shorten(name, _LONGEST_TITLE) for name in means[ordered[0]]]
    table = render_table(("system", "summaries", *titles), cells, keys=2)
    if len(set(map(len, by_author.values()))) > 1:
        return f"{table}\n\n{_UNEQUAL}"
    return table
