"""A report as one HTML file: tables, figures and mistakes. Facts about rows come from the scores in the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness.evaluation.record import Record
from harness.evaluation.results import Result
from harness.metrics.table import find_main_metric, title_column
from harness.models.registry import MODEL, PERSON
from harness.rendering.pages import render_page
from harness.rendering.reports import Grid
from harness.rendering.tables import NOTHING, format_interval
from harness.reports.model_tables import Column, Row, Table, describe_versions, list_settings
from harness.reports.row_texts import Texts
from harness.reports.sections import show_test
from harness.reports.table_notes import write_notes
from harness.reports.text_reports import lay_out_other_metrics
from pyramid_paraphrase import __version__
from pyramid_paraphrase.catalog import title_of
from pyramid_paraphrase.rules.options import PAPER_TESTS, find_configuration


def render_html(tables: Sequence[Table], texts: Texts | None = None) -> str:
    """Render a report.

    Args:
        tables: The tables of models.
        texts: The texts of rows, to be shown with mistakes. The texts are licensed. None shows no texts.

    Returns:
        An HTML page that loads no other file.

    Raises:
        ComparisonError: If the scored rows of a model do not match the fingerprint.
    """
    sections, result_count = [], 0
    test_names: set[str] = set()
    for number, (table, title) in enumerate(zip(tables, _title_tables(tables), strict=True)):
        sections.append(_show_table(table, title, f"t{number}", texts))
        test_names |= table.fingerprints.keys()
        result_count += sum(len(row.results) for row in table.rows)
    return render_page(
        "report.html",
        title="Pyramid paraphrase: results",
        tables=sections,
        origins=sorted({find_configuration(name).origin for name in test_names}),
        shows_text=texts is not None,
        count=result_count,
        version=__version__,
    )


def _title_tables(tables: Sequence[Table]) -> list[str]:
    """Make a title of each table from its collections. Tables of the same collections get numbers."""
    names = [", ".join(map(title_of, table.collections)) for table in tables]
    titles = []
    for index, name in enumerate(names):
        count = names.count(name)
        if count == 1:
            titles.append(name)
        else:
            titles.append(f"{name}, {names[: index + 1].count(name)} of {count}")
    return titles


def _show_table(table: Table, title: str, prefix: str, texts: Texts | None) -> dict[str, Any]:
    parts = [(part_title, _show_columns(table, _limit(columns))) for part_title, columns in table.divide_columns()]
    return {
        "title": title,
        "answer": table.answer(),
        "parts": parts,
        "all_numbers": _show_columns(table, table.columns(is_narrow=False)),
        "data": table.describe_data(),
        "intervals": table.describe_intervals(),
        "notes": write_notes(table),
        "other_metrics": [_show_grid(grid) for grid in lay_out_other_metrics(table)],
        "tests": [show_test(table, name, f"{prefix}-{name}", texts) for name in table.test_names],
        "models": [{"name": row.name, "facts": list(_list_facts(row))} for row in table.ours],
    }


def _limit(columns: Sequence[Column]) -> list[Column]:
    """Keep the columns that fit a phone: the main metric of each test, and all metrics of the paper."""
    mains = {name: find_main_metric(find_configuration(name)).name for name, _ in columns}
    return [column for column in columns if column.test_name in PAPER_TESTS or column.metric == mains[column.test_name]]


def _show_columns(table: Table, columns: Sequence[Column]) -> dict[str, Any]:
    rows = [row for row in table.rows if any(row.value(column) is not None for column in columns)]
    return {
        "columns": [{"test_name": column.test_name, "metric": title_column(column.metric)} for column in columns],
        "rows": [_show_row(table, row, columns) for row in rows],
    }


def _show_grid(grid: Grid) -> dict[str, Any]:
    return {"header": grid.header, "rows": [[str(cell) for cell in row] for row in grid.rows]}


def _show_row(table: Table, row: Row, columns: Sequence[Column]) -> dict[str, Any]:
    costs: list[dict[str, Any]] = [{"value": "", "exact": ""}] * 4
    if row.is_ours:
        costs = _show_costs(row.results[-1].record)
    return {
        "name": row.name,
        "group": row.group,
        "label": "" if row.competes else row.section,
        "is_ours": row.is_ours,
        "classes": _choose_class(row),
        "cells": [_show_cell(table, row, column) for column in columns],
        "costs": costs,
    }


def _show_costs(record: Record) -> list[dict[str, Any]]:
    """Format dimension, number of parameters, their memory in MiB, and texts per second. Unknown values are empty."""
    model = record.model
    return [*map(_show_number, (model.dimension, model.parameters, model.memory_mib, record.time.per_second))]


def _show_number(number: float | None) -> dict[str, Any]:
    if number is None:
        return {"value": "", "exact": ""}
    return {"value": f"{number:,.0f}", "exact": number}


def _choose_class(row: Row) -> str:
    if not row.is_ours:
        return "elsewhere"
    return "" if row.role in (MODEL, PERSON) else "shortcut"


def _show_cell(table: Table, row: Row, column: Column) -> dict[str, Any]:
    value, interval = row.value(column), row.interval(column)
    if value is None:
        return {"value": NOTHING, "exact": "", "interval": "", "is_best": False, "not_above": ""}
    is_best, beats_shortcut = table.judge(row, column)
    return {
        "value": f"{value:.3f}",
        # Numbers of the paper have no sort key, so that sorting does not rank them with measured numbers.
        "exact": value if row.is_ours else "",
        "interval": format_interval(interval),
        "is_best": bool(is_best),
        "not_above": table.name_shortcut(column) if beats_shortcut is False else "",
    }


def _list_facts(row: Row) -> Iterator[tuple[str, str]]:
    """List the facts about a model and its runs, each with its title."""
    model = row.results[-1].record.model
    yield "Kind", model.kind
    yield "Named as", model.spec
    yield "Fingerprint", model.fingerprint
    if model.parameters:
        yield "Parameters", f"{model.parameters:,}"
    yield from list_settings(model)
    for result in row.results:
        yield from _list_run_facts(result)


def _list_run_facts(result: Result) -> Iterator[tuple[str, str]]:
    hardware, times = result.record.hardware, result.record.time
    yield "Signature", result.signature
    yield "Evaluated", times.date
    yield "Computed on", f"{hardware.device} ({hardware.processor}, {hardware.cores} cores)"
    if times.per_second:
        yield "Speed", f"{times.per_second:,.0f} texts per second"
    yield "Versions", describe_versions(result.record.versions)
