"""Tables of models as text: for the terminal, Markdown, LaTeX and CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from harness.rendering.formats import Cell, Grid, SafeMarkdown, Section, grid_csv
from harness.rendering.reports import Report, render_report
from harness.reports.model_tables import Column, Row, Table
from pyramid_paraphrase.options import CONFIGURATION_NAMES

_NUMBERS_HEADER = (
    *("model", "group", "kind", "dimension", "parameters"),
    *("task", "metric", "value", "lower", "upper", "fingerprint", "signature"),
)


def render_tables(tables: Sequence[Table], form: str) -> str:
    """Render tables of models, each followed by notes on its data.

    Args:
        tables: The tables.
        form: terminal, markdown or latex; or csv, which has all metrics, with a line per number. In CSV, the numbers
            of the paper have neither kind nor fingerprint.

    Returns:
        Lines, the last one ended.
    """
    if form == "csv":
        return grid_csv(tabulate_numbers(tables)) + "\n"
    return "\n".join(render_report(_report_table(table, form), form) for table in tables)


def _report_table(table: Table, form: str) -> Report:
    notes = [f"Data: {table.describe_data()}.", f"Intervals: {table.describe_intervals()}.", *table.notes()]
    if form == "latex":
        notes += _list_signatures(table)  # comments that a paper does not show, but its source keeps
    return Report((lay_out_table(table, "Model" if form == "latex" else "model"),), tuple(notes))


def lay_out_table(table: Table, first_title: str = "model") -> Grid:
    """Lay out the models of a table by group, with the metrics of the papers.

    Args:
        table: The table.
        first_title: Title of the column of names.
    """
    columns = {column: table.best(column) for column in table.columns()}
    rows: list[tuple[object, ...]] = []
    for group, members in groupby(table.rows, key=lambda row: row.group):
        rows += [Section(group), *((row.name, *_make_cells(row, columns)) for row in members)]
    return Grid((first_title, *(SafeMarkdown(column.title) for column in columns)), tuple(rows))


def _make_cells(row: Row, columns: Mapping[Column, float | None]) -> Iterator[Cell]:
    for column, best in columns.items():
        yield Cell(row.value(column), row.interval(column), row.is_best(column, best))


def _list_signatures(table: Table) -> Iterator[str]:
    for row in table.ours:
        for result in row.results:
            yield f"{row.name}: {result.signature}"


def tabulate_numbers(tables: Sequence[Table]) -> Grid:
    """List all numbers of tables, a row per model, test and metric."""
    rows: list[tuple[object, ...]] = []
    for table in tables:
        for row in table.rows:
            rows += _list_numbers(row)
    return Grid(_NUMBERS_HEADER, tuple(rows))


def _list_numbers(row: Row) -> Iterator[tuple[object, ...]]:
    for test_name in sorted(row.test_names, key=CONFIGURATION_NAMES.index):
        result = row.find_result(test_name)
        facts: tuple[object, ...] = (None, None, None)
        origin: tuple[str | None, str | None] = (None, None)
        if result is not None:
            model = result.record.model
            facts = (model.kind, model.dimension, model.parameters)
            origin = (result.tests[test_name].fingerprint, result.signature)
        for metric, value in row.numbers(test_name).items():
            ends = row.interval(Column(test_name, metric)) or (None, None)
            yield (row.name, row.group, *facts, test_name, metric, value, *ends, *origin)
