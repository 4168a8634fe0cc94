"""The report of the ranks of systems by each metric, and of the correlation of these rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.pit.rankings import EXACT_UP_TO, MIN_SYSTEMS, Correlation, correlate_rankings, rank_systems
from harness.pit.report_parts import (
    COLUMNS,
    F1,
    NOTES_ON_MAXIMA,
    PEARSON,
    PUBLISHED_F1,
    TIE_SAFE_F1,
    Column,
    describe_inputs,
    describe_system,
    note_pairs,
    sign_report,
    tabulate_systems,
)
from harness.pit.system_inputs import Inputs
from harness.pit.system_scores import Measured, measure_systems
from harness.rendering.formats import Grid
from harness.rendering.reports import Report
from harness.rendering.tables import count_of

_NOTHING = "-"

_Ranks = Mapping[str, Mapping[str, int]]
"""Ranks by name of the system and name of the metric."""


def report_rankings(inputs: Inputs, *, published: bool = False) -> Report:
    """Compare systems as table 3 of Xu et al. (2015) does, and correlate their rankings.

    Args:
        inputs: The systems.
        published: Whether the maximum of F is that of the task's tables, instead of a maximum that a threshold reaches.

    Returns:
        A table of the systems, sorted by F1, and a table of the correlations.
    """
    maximum = PUBLISHED_F1 if published else TIE_SAFE_F1
    columns = (F1, PEARSON, maximum)
    measured, ranks = _rank(measure_systems(inputs), columns)
    correlations = correlate_rankings(measured, [column.metric for column in columns])
    signature = sign_report(inputs, [f"maximum:{maximum.metric}"])

    def show_rank(system: Measured, metric: str) -> str:
        return f"({ranks[system.system.name][metric]})"

    tables = [tabulate_systems(measured, columns, show_rank)]
    if correlations:
        tables.append(_tabulate_correlations(correlations))
    notes = (
        *note_pairs(inputs),
        "In parentheses: rank among these systems. Systems that are equal to three decimals share a rank.",
        NOTES_ON_MAXIMA[maximum],
        *_note_correlations(correlations, len(measured)),
        f"Signature: {signature}",
    )
    record = {
        **describe_inputs(inputs, signature),
        "systems": [{**describe_system(system), "ranks": ranks[system.system.name]} for system in measured],
        "correlations": [correlation._asdict() for correlation in correlations],
    }
    numbers = (*_list_ranks(measured, ranks, signature), *_list_correlations(correlations, signature))
    header = ("system", "metric", "value", "rank", "p_value", "signature")
    return Report(tuple(tables), notes, Grid(header, numbers), record)


def _rank(systems: Sequence[Measured], columns: Sequence[Column]) -> tuple[list[Measured], _Ranks]:
    """Sort the systems by the first metric, and find the ranks of each by all metrics."""
    ranks: dict[str, dict[str, int]] = {measured.system.name: {} for measured in systems}
    for column in columns:
        ranks_by_metric = rank_systems([measured.metrics[column.metric] for measured in systems])
        for measured, rank in zip(systems, ranks_by_metric, strict=True):
            ranks[measured.system.name][column.metric] = rank
    first = columns[0].metric

    def by_rank(measured: Measured) -> tuple[int, str]:
        return ranks[measured.system.name][first], measured.system.name

    return sorted(systems, key=by_rank), ranks


def _tabulate_correlations(correlations: Sequence[Correlation]) -> Grid:
    titles = {column.metric: column.title for column in COLUMNS}
    rows = []
    for correlation in correlations:
        values = (correlation.spearman, correlation.spearman_p, correlation.kendall, correlation.kendall_p)
        cells = (_NOTHING if value is None else f"{value:.3f}" for value in values)
        rows.append((f"{titles[correlation.first]} and {titles[correlation.second]}", *cells))
    return Grid(("rankings by", "Spearman", "p", "Kendall tau-b", "p"), tuple(rows))


def _note_correlations(correlations: Sequence[Correlation], systems: int) -> list[str]:
    if not correlations:
        return [f"No correlations: there are {count_of(systems, 'system')}, and correlations need {MIN_SYSTEMS}."]
    method = f"exact, over all orders of {systems} systems" if systems <= EXACT_UP_TO else "approximate, by scipy"
    notes = [f"p: two-sided, {method}. Not corrected for multiple tests."]
    if any(correlation.spearman is None for correlation in correlations):
        notes.append(f"{_NOTHING}: all systems share a rank by one of the two metrics.")
    return notes


def _list_ranks(systems: Sequence[Measured], ranks: _Ranks, signature: str) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for measured in systems:
        name = measured.system.name
        for metric, value in measured.metrics.items():
            rows.append((name, metric, value, ranks[name].get(metric), None, signature))
    return rows


def _list_correlations(correlations: Sequence[Correlation], signature: str) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for correlation in correlations:
        metrics = f"{correlation.first} {correlation.second}"
        spearman = (correlation.spearman, None, correlation.spearman_p)
        kendall = (correlation.kendall, None, correlation.kendall_p)
        rows += [(None, f"spearman {metrics}", *spearman, signature), (None, f"kendall {metrics}", *kendall, signature)]
    return rows
