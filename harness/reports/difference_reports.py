"""Reports of comparisons of models, in all formats. This module formats numbers and computes none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from harness.evaluation.comparing.comparison import ComparedMetric
from harness.evaluation.comparing.differences import Difference
from harness.evaluation.comparing.stability import POWER, RankStability, measure_stability
from harness.evaluation.comparing.standings import Standing, answer
from harness.metrics.table import find_main_metric, title_column
from harness.models.registry import MODEL
from harness.rendering.pages import render_page
from harness.rendering.reports import GRID_FORMATS, Cell, Grid, Report, SafeMarkdown, render_report
from harness.rendering.tables import NOTHING, count_of, format_interval, format_p
from harness.reports.figures import draw_places
from harness.stats.significance import MIN_TOPICS, MOST_TOPICS, SIGNIFICANCE, correct_holm, find_lowest_p
from pyramid_paraphrase import __version__
from pyramid_paraphrase.rules.options import PAIR_CORPUS, find_configuration

MOST_MODELS = 30
"""Maximum number of models in a matrix. With more models, a page has many megabytes and cannot be read."""

_CORRECTION = (
    "The first lines test each pair by itself, as reports and leaderboards do. The marks are corrected for all pairs."
)
_MARK = (
    f"* or bold: significant differences, p < {SIGNIFICANCE}.",
    (
        "p: two-sided sign-flip test over topics, corrected by Holm's method for all differences in the same metric of "
        "the same test."
    ),
)
_OF_ALL = "Differences: the model of the row minus the model of the column."
_OF_ONE = (
    (
        "Won, tied, lost: topics whose part of the difference favours the model, is 0, or favours the other one. The "
        "parts sum to the difference."
    ),
    "Intervals of differences: 95 %, paired bootstrap over topics.",
    "Interval and p can disagree near 0.05. Treat such a difference as not significant.",
)

_PLACES = (
    (
        "Place: 1 + the number of models with a better value. Equal models share a place. Interval and share of first "
        "places: over the resamples of topics."
    ),
    (
        "Topics to separate: as many topics make a true difference to the next model significant with probability "
        f"{POWER}."
    ),
)

_NUMBERS_HEADER = (
    *("task", "metric", "first", "model", "first_value", "value", "difference", "lower", "upper"),
    *("p_value", "p_holm", "is_significant", "won", "tied", "lost", "topics", "fingerprint"),
)


def render_comparisons(comparisons: Sequence[ComparedMetric], form: str) -> str | bytes:
    """Render comparisons.

    Args:
        comparisons: Comparisons of `evaluation.comparing.comparison.compare`.
        form: terminal, notebook, markdown or latex (with the metrics of the papers), or json, html or one of
            `GRID_FORMATS` (with all metrics).

    Returns:
        The lines. The last line ends with a line break.
    """
    titles = title_tests(comparisons)
    main = []
    for compared, title in zip(comparisons, titles, strict=True):
        if is_main(compared):
            main.append((compared.standing, title))
    paragraphs = answer([standing for standing, _ in main], [title for _, title in main])
    notes = tuple(_write_notes(comparisons, titles, has_answer=bool(paragraphs)))
    limited = [*zip(map(_limit_models, comparisons), titles, strict=True)]
    if form == "html":
        return render_page(
            "comparison.html",
            title="Pyramid paraphrase: comparison",
            answer=paragraphs,
            comparisons=[_show_comparison(compared, title) for compared, title in limited],
            notes=notes,
            version=__version__,
        )
    # CSV, Excel and JSON have the intervals and p-values of all pairs, which takes long. Tables have a limited width.
    numbers = tabulate_differences(comparisons if form in GRID_FORMATS else ())
    record: dict[str, Any] = {}
    if form == "json":
        record = {"answer": list(paragraphs), "comparisons": list(map(_record_comparison, comparisons))}
    tables = []
    for compared, title in limited if form not in GRID_FORMATS else ():
        if compared.metric.is_in_narrow_tables:
            tables.append(_lay_out_comparison(compared, title))
        if is_main(compared) and (places := list_places(compared.standing)):
            header = (
                f"{title}, {title_column(compared.metric.name)}",
                "place",
                "interval",
                "first in",
                "topics to separate",
            )
            tables.append(Grid(header, tuple(places)))
    return render_report(Report(tuple(tables), notes, numbers, record, paragraphs), form)


def is_main(compared: ComparedMetric) -> bool:
    """Return whether models are compared in the main metric of the test."""
    return compared.metric == find_main_metric(find_configuration(compared.test_name))


def title_tests(comparisons: Iterable[ComparedMetric]) -> list[str]:
    """Title the tests: their names and, if a test was built from several data, these data.

    Data are named by their collections, or by the beginning of the fingerprint if their collections are the same.

    Returns:
        A title per comparison.
    """
    collections = {(compared.test_name, compared.fingerprint): compared.collections for compared in comparisons}
    names = Counter(test_name for test_name, _ in collections)
    data = Counter((test_name, parts) for (test_name, _), parts in collections.items())
    titles = []
    for compared in comparisons:
        title, parts = compared.test_name, compared.collections
        if names[title] > 1:
            title += f" on {', '.join(parts) if data[title, parts] == 1 else compared.fingerprint[:12]}"
        titles.append(title)
    return titles


def _limit_models(compared: ComparedMetric) -> ComparedMetric:
    """Keep only the best models and their differences, if all pairs of too many models are compared."""
    if compared.against or len(compared.values) <= MOST_MODELS:
        return compared
    standing = compared.standing.select(range(MOST_MODELS))
    kept = {member.name for member in standing.members}
    return replace(compared, standing=standing, differences=compared.differences.select(kept))


def _lay_out_comparison(compared: ComparedMetric, title: str) -> Grid:
    """Lay out a metric: the differences of all pairs of models as a matrix, or the differences from one as a list."""
    numbers = {name: number for number, name in enumerate(compared.values, start=1)}
    cells, facts = _index_differences(compared), {}
    for row in compared.differences if compared.against else ():
        lower, upper = row.interval
        interval = SafeMarkdown(f"[{lower:+.3f}, {upper:+.3f}]")
        facts[row.model] = (
            cells[row.first, row.model],
            interval,
            format_p(row.corrected),
            _count_topics(compared, row),
        )
    columns: tuple[str, ...] = tuple(map(str, numbers.values()))
    if compared.against:
        columns = (f"minus {compared.against}", "interval", "p", "topics won/tied/lost")
    rows: list[tuple[object, ...]] = []
    for role, members in groupby(compared.standing.members, key=lambda member: member.role):
        rows.append((role,))
        for member in members:
            name, value = member.name, Cell(compared.values[member.name])
            if compared.against:
                rows.append((name, value, *facts.get(name, (NOTHING,) * len(columns))))
            else:
                differences = [cells.get((column_name, name), NOTHING) for column_name in numbers]
                rows.append((f"{numbers[name]} {name}", value, *differences))
    return Grid((f"{title}, {title_column(compared.metric.name)}", "value", *columns), tuple(rows))


MOST_DRAWN = 25
"""Maximum number of models in a chart of places."""


def list_places(standing: Standing) -> list[tuple[object, ...]]:
    """List the models of a standing with their places, the best value first: as texts, for tables.

    Returns:
        Rows of name, place, interval of the place, share of the resamples in which it is first, and topics that would
        tell it apart from the next one. Empty with fewer than two models.
    """
    return _list_places(standing, measure_stability(standing))


def show_places(standing: Standing) -> dict[str, Any]:
    """Lay out the places of models for `places.html`: the rows of `list_places`, and a chart of the best models."""
    stability = measure_stability(standing)
    rows = _list_places(standing, stability)
    drawn = stability[:MOST_DRAWN]
    chart = draw_places([standing.members[row.number].name for row in drawn], drawn) if rows else None
    return {"rows": rows, "chart": chart, "omitted": len(rows) - len(drawn)}


def _list_places(standing: Standing, stability: Sequence[RankStability]) -> list[tuple[object, ...]]:
    if len(stability) < 2:  # a place among others
        return []
    rows: list[tuple[object, ...]] = []
    for row in stability:
        low, high = row.interval
        places = SafeMarkdown(f"{low}-{high}" if low < high else f"{low}")
        topics = NOTHING if row.topics is None else f"{row.topics:,}"
        rows.append((standing.members[row.number].name, str(row.place), places, f"{100 * row.first:.1f} %", topics))
    return rows


def _index_differences(compared: ComparedMetric) -> dict[tuple[str, str], Cell]:
    """Make a cell for each ordered pair of models. The first model is subtracted from the second."""
    cells = {}
    for first, model, difference, is_significant in compared.differences.list_marks():
        cells[first, model] = Cell(difference, is_best=is_significant, is_signed=True)
        cells[model, first] = Cell(-difference, is_best=is_significant, is_signed=True)
    return cells


def _count_topics(compared: ComparedMetric, difference: Difference) -> str:
    """Count the topics that each model won. A topic of a pair corpus is one sentence, too small for most metrics."""
    if find_configuration(compared.test_name).origin == PAIR_CORPUS:
        return NOTHING
    return f"{difference.won}/{difference.tied}/{difference.lost}"


def _write_notes(comparisons: Sequence[ComparedMetric], titles: Sequence[str], *, has_answer: bool) -> Iterator[str]:
    if has_answer:
        yield _CORRECTION
    yield from _MARK
    most = max(len(compared.values) for compared in comparisons)
    if any(compared.against for compared in comparisons):
        yield from _OF_ONE
        if any(compared.topics > MOST_TOPICS for compared in comparisons):
            yield f"More than {MOST_TOPICS} topics are merged into {MOST_TOPICS} groups, which count as topics."
    else:
        yield _OF_ALL
        if most > MOST_MODELS:
            yield f"Shown: the best {MOST_MODELS} of up to {most} models. CSV and JSON have all pairs."
    if any(len(compared.standing.list_role(MODEL)) > 1 for compared in comparisons):
        yield from _PLACES
    yield from _note_resolution(comparisons, titles)


def _note_resolution(comparisons: Sequence[ComparedMetric], titles: Sequence[str]) -> Iterator[str]:
    """Name the tests with so few topics that no difference can be significant after correction."""
    tests: dict[tuple[int, float, float, int], dict[str, None]] = {}
    for compared, title in zip(comparisons, titles, strict=True):
        count = len(compared.differences)
        lowest = find_lowest_p(compared.topics) if compared.topics >= MIN_TOPICS else 1.0
        (corrected,) = correct_holm([lowest], count)
        if corrected > SIGNIFICANCE:
            tests.setdefault((compared.topics, lowest, corrected, count), {})[title] = None
    for (topics, lowest, corrected, count), names in tests.items():
        reason = f"{count_of(topics, 'topic')}, too few for any significant difference. Evaluate on more topics."
        if lowest < SIGNIFICANCE:
            reason = (
                f"with {count_of(topics, 'topic')}, p cannot be below {format_p(lowest)}, and with "
                f"{count_of(count, 'difference')} not below {format_p(corrected)}. So no difference can be "
                "significant. Evaluate on more topics, or compare fewer models at a time."
            )
        yield f"{', '.join(names)}: {reason}"


def tabulate_differences(comparisons: Sequence[ComparedMetric]) -> Grid:
    """List all differences, with a row per pair of models and metric of a test."""
    rows: list[tuple[object, ...]] = []
    for compared in comparisons:
        rows += [
            (
                *(compared.test_name, compared.metric.name, difference.first, difference.model),
                *(difference.first_value, difference.value, difference.difference, *difference.interval),
                *(difference.p_value, difference.corrected, difference.is_significant),
                *(difference.won, difference.tied, difference.lost, compared.topics, compared.fingerprint),
            )
            for difference in compared.differences
        ]
    return Grid(_NUMBERS_HEADER, tuple(rows))


def _record_comparison(compared: ComparedMetric) -> dict[str, Any]:
    """Make the JSON record of a comparison. A difference has the columns of the CSV file that depend on the pair."""
    own = _NUMBERS_HEADER[2:-2]
    rows = tabulate_differences([compared]).rows
    places = measure_stability(compared.standing) if is_main(compared) else []
    names = [member.name for member in compared.standing.members]
    return {
        "task": compared.test_name,
        "metric": compared.metric.name,
        "fingerprint": compared.fingerprint,
        "topics": compared.topics,
        "against": compared.against or None,
        "values": dict(compared.values),
        "differences": [dict(zip(own, row[2:-2], strict=True)) for row in rows],
        "places": [
            {
                "model": names[row.number],
                "place": row.place,
                "lower": row.interval[0],
                "upper": row.interval[1],
                "first": row.first,
                "topics_to_separate": row.topics,
            }
            for row in places
        ],
    }


def _show_comparison(compared: ComparedMetric, title: str) -> dict[str, Any]:
    return {
        "title": f"{title}: {compared.metric.title}",
        "matrix": None if compared.against else _show_matrix(compared),
        "places": show_places(compared.standing) if is_main(compared) else None,
        "differences": [
            {
                "first": difference.first,
                "model": difference.model,
                "difference": f"{difference.difference:+.3f}",
                "exact": difference.difference,
                "interval": format_interval(difference.interval),
                "p": format_p(difference.corrected),
                "exact_p": difference.corrected,
                "is_significant": difference.is_significant,
                "topics": _count_topics(compared, difference),
            }
            for difference in compared.differences
        ],
    }


def _show_matrix(compared: ComparedMetric) -> list[dict[str, Any]]:
    """Lay out the matrix, with a row per model. The shade of a cell is its share of the largest difference."""
    largest = max((abs(difference) for _, _, difference, _ in compared.differences.list_marks()), default=0.0) or 1.0
    cells = _index_differences(compared)
    sign = compared.metric.sign
    rows = []
    for member in compared.standing.members:
        name, value, row = member.name, compared.values[member.name], []
        for column_name in compared.values:
            cell = cells.get((column_name, name), Cell(None))
            difference = cell.value or 0
            row.append(
                {
                    "text": str(cell),
                    "shade": f"{abs(difference) / largest:.3f}" if cell.value is not None else "0",
                    "is_better": sign * difference > 0,
                    "is_significant": cell.is_best,
                }
            )
        role = "" if member.role == MODEL else member.role
        rows.append({"name": name, "role": role, "value": f"{value:.3f}", "cells": row})
    return rows
