"""Means of systems over the topics of their summaries, and their table for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from harness.rendering.tables import render_table
from harness.summarization.summaries.score_files import SummaryScore
from pyramid_paraphrase.errors import shorten
from pyramid_paraphrase.pyramids.naming import natural_key

_LONGEST_TITLE = 27
"""Maximum number of characters of a metric's name above its column, in addition to the mark "[...]"."""

_LONGEST_AUTHOR = 75
"""Maximum number of characters of an author's name, in addition to the mark "[...]"."""

_UNEQUAL = (
    "Systems have different numbers of summaries. Their means are over different topics, some easier than others."
)


class SystemMean(NamedTuple):
    """The mean scores of an author's summaries.

    Attributes:
        author: The author.
        summaries: Number of summaries.
        values: By name of the metric.
    """

    author: str
    summaries: int
    values: Mapping[str, float]


def average_by_system(scores: Iterable[SummaryScore], metric: str) -> list[SystemMean]:
    """Average the scores of each author over the topics.

    Args:
        scores: Scores of summaries, all by the same metrics.
        metric: The metric that orders the authors, the best first.

    Returns:
        A row per author.
    """
    by_author: dict[str, list[Mapping[str, float]]] = {}
    for score in scores:
        by_author.setdefault(score.author, []).append(score.values)
    means = []
    for author, rows in by_author.items():
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        means.append(SystemMean(author, len(rows), {name: fmean(values) for name, values in columns.items()}))
    return sorted(means, key=lambda mean: (-mean.values[metric], natural_key(mean.author)))


def render_means(means: Sequence[SystemMean]) -> str:
    """Render a row per system in the order of the means, and a note if the means are over different topics.

    Args:
        means: At least one mean, all by the same metrics.
    """
    names = tuple(means[0].values)
    rows = []
    for mean in means:
        values = [mean.values[name] for name in names]
        rows.append((shorten(mean.author, _LONGEST_AUTHOR), mean.summaries, *values))
    titles = [shorten(name, _LONGEST_TITLE) for name in names]
    table = render_table(("system", "summaries", *titles), rows, keys=2)
    if len({mean.summaries for mean in means}) > 1:
        return f"{table}\n\n{_UNEQUAL}"
    return table
