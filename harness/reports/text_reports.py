"""Tables of models for the terminal, Markdown, LaTeX and CSV."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby

from harness.evaluation.records.record import CUT_PAIRS, CUT_TEXTS, CUT_TOKENS, ZERO_VECTORS, ModelRecord
from harness.metrics.table import title_column
from harness.rendering.file_formats import TABLE_FORMATS
from harness.rendering.formats import Cell, Grid, SafeMarkdown, Section, grid_csv
from harness.rendering.reports import Report, render_report
from harness.reports.model_tables import Column, Row, Table
from pyramid_paraphrase.options import CONFIGURATION_NAMES

_NUMBERS_HEADER = (
    *("model", "group", "kind", "dimension", "parameters", "memory_mib", "per_second"),
    *("task", "metric", "value", "lower", "upper", "is_best", "fingerprint", "signature"),
    *("cut_inputs", "cut_tokens", "zero_vectors", "effective"),
)

OTHER = "other_metrics"
"""Prefix of the names of metrics that users named, in CSV."""

FORMATS = {**TABLE_FORMATS, "html": ".html"}
"""Formats of tables of models, and the suffixes of their files."""


def render_tables(tables: Sequence[Table], form: str) -> str:
    """Render tables of models, each followed by notes on its data.

    Args:
        tables: The tables.
        form: terminal, notebook, markdown, latex or csv. CSV has all metrics, with a line per number. In CSV, the
            numbers of the paper have neither kind nor fingerprint.

    Returns:
        The lines. The last line ends with a line break.
    """
    if form == "csv":
        return grid_csv(tabulate_numbers(tables)) + "\n"
    return "\n".join(render_report(_report_table(table, form), form) for table in tables)


def _report_table(table: Table, form: str) -> Report:
    notes = [f"Data: {table.describe_data()}.", f"Intervals: {table.describe_intervals()}.", *table.notes()]
    if form == "terminal":  # all tests together would be too wide
        grids = [_lay_out_test(table, test_name) for test_name in table.test_names]
        return Report((*grids, *lay_out_other_metrics(table)), tuple(notes))
    if form == "latex":
        notes += _list_signatures(table)  # as comments, which only the source of a paper contains
    grid = _lay_out_table(table, "Model" if form == "latex" else "model")
    return Report((grid, *lay_out_other_metrics(table)), tuple(notes))


def _lay_out_table(table: Table, first_title: str = "model") -> Grid:
    """Lay out the models of a table, with the metrics of the papers.

    Args:
        table: The table.
        first_title: Title of the column of names.
    """
    columns = table.columns()
    header = (first_title, *(SafeMarkdown(column.title) for column in columns))
    return Grid(header, tuple(_lay_out_rows(table, table.rows, columns)))


def _lay_out_test(table: Table, test_name: str) -> Grid:
    """Lay out the numbers of one test, with the name of the test as the first title."""
    columns = [column for column in table.columns() if column.test_name == test_name]
    header = (test_name, *(title_column(column.metric) for column in columns))
    return Grid(header, tuple(_lay_out_rows(table, table.sort_rows(test_name), columns)))


def lay_out_other_metrics(table: Table) -> list[Grid]:
    """Lay out the metrics that users named. The models are in the order of the table, and none is marked.

    Returns:
        One grid, or none if there are no such metrics.
    """
    columns = table.other_columns()
    if not columns:
        return []
    rows = []
    for row in table.ours:
        cells = [row.other_metrics(column.test_name).get(column.metric) for column in columns]
        if any(cells):
            rows.append((row.name, *(Cell(cell.value, cell.interval) if cell else Cell(None) for cell in cells)))
    header = ("other metrics", *(SafeMarkdown(f"{column.test_name} {column.metric}") for column in columns))
    return [Grid(header, tuple(rows))]


def _lay_out_rows(table: Table, rows: Sequence[Row], columns: Sequence[Column]) -> Iterator[tuple[object, ...]]:
    for section, members in groupby(rows, key=lambda row: row.section):
        yield Section(section)
        for row in members:
            cells = (Cell(row.value(column), row.interval(column), table.is_best(row, column)) for column in columns)
            yield (row.name, *cells)


def _list_signatures(table: Table) -> Iterator[str]:
    for row in table.ours:
        for result in row.results:
            yield f"{row.name}: {result.signature}"


def tabulate_numbers(tables: Sequence[Table]) -> Grid:
    """List all numbers of tables, a row per model, test and metric."""
    rows: list[tuple[object, ...]] = []
    for table in tables:
        for row in table.rows:
            rows += _list_numbers(table, row)
    return Grid(_NUMBERS_HEADER, tuple(rows))


def _list_numbers(table: Table, row: Row) -> Iterator[tuple[object, ...]]:
    for test_name in sorted(row.test_names, key=CONFIGURATION_NAMES.index):
        result = row.find_result(test_name)
        facts: tuple[object, ...] = (None,) * 5
        texts: tuple[object, ...] = (None,) * 4
        origin: tuple[str | None, str | None] = (None, None)
        if result is not None:
            model, per_second = result.record.model, result.record.time.per_second
            facts = (model.kind, model.dimension, model.parameters, model.memory_mib, per_second)
            texts = _describe_texts(model)
            origin = (result.tests[test_name].fingerprint, result.signature)
        for metric, value in row.numbers(test_name).items():
            column = Column(test_name, metric)
            ends = row.interval(column) or (None, None)
            is_best = table.is_best(row, column) if row.competes and column in table.best_groups else None
            yield (row.name, row.group, *facts, test_name, metric, value, *ends, is_best, *origin, *texts)
        for name, other in row.other_metrics(test_name).items():
            ends = other.interval or (None, None)
            yield (row.name, row.group, *facts, test_name, f"{OTHER}.{name}", other.value, *ends, None, *origin, *texts)


def _describe_texts(model: ModelRecord) -> tuple[object, ...]:
    """Return the numbers of texts that a model did not read as they are, and the settings of its configuration."""
    counts, settings = model.text_counts, None
    if model.effective:
        settings = json.dumps(model.effective, ensure_ascii=False)
    cut = counts.get(CUT_TEXTS, counts.get(CUT_PAIRS))
    return cut, counts.get(CUT_TOKENS), counts.get(ZERO_VECTORS), settings
