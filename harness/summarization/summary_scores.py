"""Scores of summaries: their file, which `meta-eval` reads, and the means of systems over topics, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import NamedTuple

from harness.files.table_forms import render_table_file
from harness.rendering.tables import render_table
from harness.stats.rounding import DECIMALS, SMALL, SMALL_DIGITS
from pyramid_paraphrase.catalog import find_collection
from pyramid_paraphrase.errors import shorten
from pyramid_paraphrase.pyramids.naming import natural_key
from pyramid_paraphrase.pyramids.official_tables import MODIFIED_PYRAMID, ORIGINAL_PYRAMID
from pyramid_paraphrase.pyramids.pyramid_scores import DucviewScore, PeerScore

KEYS = ("topic", "system")

_PYRAMID_SCORES = {
    "modified": MODIFIED_PYRAMID,
    "original": ORIGINAL_PYRAMID,
    "quality": "pyramid_quality",
    "coverage": "pyramid_coverage",
    "comprehensive": "pyramid_comprehensive",
}
"""Names of pyramid scores in a file of scores, by their names in the records of both rules."""

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


def average_annotations(
    scores: Iterable[PeerScore] | Iterable[DucviewScore], inflated: frozenset[str] = frozenset()
) -> list[SummaryScore]:
    """Average the pyramid scores of each summary over its annotations.

    Args:
        scores: Scores by one rule.
        inflated: Names of collections whose original scores are left out, as `find_inflated` returns them.

    Returns:
        The scores `pyramid_modified` and `pyramid` by the rule of NIST, or `pyramid_quality`, `pyramid_coverage` and
        `pyramid_comprehensive` by that of DucView, as far as they are defined.
    """
    values: dict[tuple[str, str], dict[str, list[float]]] = {}
    for score in scores:
        by_name = values.setdefault((score.pyramid, score.peer), {})
        named = score._asdict()
        if find_collection(score.pyramid).name in inflated:
            named.pop("original", None)
        for field, name in _PYRAMID_SCORES.items():
            if named.get(field) is not None:
                by_name.setdefault(name, []).append(named[field])
    return [
        SummaryScore(*key, {name: fmean(numbers) for name, numbers in by_name.items()})
        for key, by_name in values.items()
    ]


def render_scores(scores: Iterable[SummaryScore], metrics: Iterable[str], form: str = "tsv") -> str | bytes:
    """Render scores as a table of topic, system, and a column per metric. Missing scores are empty cells or null.

    Args:
        scores: Scores in any order.
        metrics: Names of the columns, in order.
        form: One of `TABLE_FORMS`.

    Returns:
        The content of the file, in the order of topics and systems. The values of a metric have `DECIMALS`, or are
        written as in 1.20000e-07 if all are below `SMALL`. In JSON and Excel, they are the same numbers.
    """
    ordered = sorted(scores, key=lambda score: (natural_key(score.topic), natural_key(score.author)))
    columns = {}
    for name in metrics:
        values = [score.values.get(name) for score in ordered]
        highest = max((abs(value) for value in values if value is not None), default=0)
        pattern = f".{SMALL_DIGITS - 1}e" if 0 < highest < SMALL else f".{DECIMALS}f"
        columns[name] = ["" if value is None else format(value, pattern) for value in values]
    keys = [(score.topic, score.author) for score in ordered]
    names = (*KEYS, *columns)
    rows: list[tuple[object, ...]] = []
    for key, *cells in zip(keys, *columns.values(), strict=True):
        values = cells if form in ("csv", "tsv") else [float(cell) if cell else None for cell in cells]
        rows.append((*key, *values))
    return render_table_file(form, names, rows)


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
