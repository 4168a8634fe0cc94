"""Scores of ranked lists as a report. It computes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.paraphrases.dimple.gains import METRICS, list_columns, name_column
from harness.paraphrases.dimple.scores import MethodScores, Scores, SetScores
from harness.rendering.formats import Grid
from harness.rendering.reports import Report
from harness.rendering.tables import format_interval
from harness.stats.significance import MIN_TOPICS

_NUMBERS_HEADER = ("judgment", "model", "source", "method", "paraphrases", "metric", "k", "value", "lower", "upper")


def report_scores(scores: Scores) -> Report:
    """Build a report with a table of all lists and a table of the means of each method."""
    return Report(
        tables=(_tabulate_sets(scores), _tabulate_means(scores)),
        notes=_write_notes(scores),
        numbers=Grid(_NUMBERS_HEADER, (*_list_set_numbers(scores), *_list_mean_numbers(scores))),
        record={
            "signature": scores.signature,
            "judgment": {"name": scores.judgment.name, "model": scores.judgment.model},
            "sets": [_describe_set(set_scores) for set_scores in scores.sets],
            "methods": [_describe_method(method_scores) for method_scores in scores.methods],
        },
    )


def _tabulate_sets(scores: Scores) -> Grid:
    columns = list_columns(scores.cuts)
    rows = []
    for set_scores in scores.sets:
        values = (f"{set_scores.values[column]:.3f}" for column in columns)
        rows.append((set_scores.source, set_scores.method, set_scores.count, *values))
    return Grid(("source", "method", "paraphrases", *map(name_column, columns)), tuple(rows), keys=2)


def _tabulate_means(scores: Scores) -> Grid:
    rows = []
    for method_scores in scores.methods:
        sources = f"{method_scores.sources} of {scores.source_count}"
        for metric in METRICS:
            cells = (_show_mean(method_scores, metric, k) for k in scores.cuts)
            rows.append((method_scores.method, sources, metric, *cells))
    return Grid(("method", "sources", "mean", *(f"k = {k}" for k in scores.cuts)), tuple(rows), keys=3)


def _show_mean(method_scores: MethodScores, metric: str, k: int) -> str:
    interval = format_interval(method_scores.intervals[metric, k])
    return f"{method_scores.values[metric, k]:.3f} {interval}".rstrip()


def _write_notes(scores: Scores) -> tuple[str, ...]:
    intervals = f"Intervals: none, because they require at least {MIN_TOPICS} sources."
    if scores.has_intervals:
        intervals = f"Intervals: 95 %, bootstrap over sources, {scores.resamples:,} resamples, seed {scores.seed}."
    return (f"Judgment: {scores.judgment.description}.", intervals, scores.signature)


def _list_set_numbers(scores: Scores) -> Iterator[tuple[object, ...]]:
    """List the values of all sets, which have no intervals."""
    judgment = (scores.judgment.name, scores.judgment.model)
    for set_scores in scores.sets:
        names = (set_scores.source, set_scores.method, set_scores.count)
        for (metric, k), value in set_scores.values.items():
            yield (*judgment, *names, metric, k, value, None, None)


def _list_mean_numbers(scores: Scores) -> Iterator[tuple[object, ...]]:
    """List the means of all methods with their intervals. The columns of the source and the count are empty."""
    judgment = (scores.judgment.name, scores.judgment.model)
    for method_scores in scores.methods:
        for (metric, k), value in method_scores.values.items():
            ends = method_scores.intervals[metric, k] or (None, None)
            yield (*judgment, None, method_scores.method, None, metric, k, value, *ends)


def _describe_set(set_scores: SetScores) -> dict[str, Any]:
    return {
        "source": set_scores.source,
        "method": set_scores.method,
        "paraphrases": set_scores.count,
        "values": {name_column(column): value for column, value in set_scores.values.items()},
    }


def _describe_method(method_scores: MethodScores) -> dict[str, Any]:
    return {
        "method": method_scores.method,
        "sources": method_scores.sources,
        "values": {name_column(column): mean for column, mean in method_scores.values.items()},
        "intervals": {name_column(column): ends for column, ends in method_scores.intervals.items()},
    }
