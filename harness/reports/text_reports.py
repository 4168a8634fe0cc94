"""Tables of models for the terminal, Markdown, LaTeX and CSV."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby

from harness.evaluation.comparing.standings import order_tests
from harness.evaluation.record import CUT_PAIRS, CUT_TEXTS, CUT_TOKENS, ZERO_VECTORS, ModelRecord
from harness.metrics.table import title_column
from harness.rendering.reports import TABLE_FORMATS, Cell, Grid, Report, SafeMarkdown, Section, grid_csv, render_report
from harness.reports.model_tables import Column, Row, Table
from harness.reports.table_notes import write_notes

_NUMBERS_HEADER = (
    *("model", "group", "kind", "dimension", "parameters", "memory_mib", "per_second"),
    *("task", "metric", "value", "lower", "upper", "is_best", "beats_shortcut", "fingerprint", "signature"),
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
    notes = [f"Data: {table.describe_data()}.", f"Intervals: {table.describe_intervals()}.", *write_notes(table)]
    grids = []
    for title, columns in table.divide_columns():
        if form == "terminal":  # several tests side by side would be too wide
            parts = [_lay_out_test(table, name) for name in dict.fromkeys(column.test_name for column in columns)]
        else:
            parts = [_lay_out_columns(table, columns, form)]
        grids += [parts[0]._replace(title=title), *parts[1:]]
    if form == "latex":
        notes += _list_signatures(table)  # as comments, which only the source of a paper contains
    return Report((*grids, *lay_out_other_metrics(table)), tuple(notes), answer=table.answer())


def _lay_out_columns(table: Table, columns: Sequence[Column], form: str) -> Grid:
    """Lay out the models of a table that have a number in one of the columns."""
    rows = [row for row in table.rows if any(row.value(column) is not None for column in columns)]
    header = ("Model" if form == "latex" else "model", *(SafeMarkdown(column.title) for column in columns))
    return Grid(header, tuple(_lay_out_rows(table, rows, columns)))


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
            yield (row.name, *(_make_cell(table, row, column) for column in columns))


def _make_cell(table: Table, row: Row, column: Column) -> Cell:
    is_best, beats_shortcut = table.judge(row, column)
    return Cell(row.value(column), row.interval(column), bool(is_best), fails_shortcut=beats_shortcut is False)


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
    for test_name in order_tests(row.test_names):
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
            marks = table.judge(row, column)
            yield (row.name, row.group, *facts, test_name, metric, value, *ends, *marks, *origin, *texts)
        for name, other in row.other_metrics(test_name).items():
            ends = other.interval or (None, None)
            yield (
                row.name,
                row.group,
                *facts,
                test_name,
                f"{OTHER}.{name}",
                other.value,
                *ends,
                None,
                None,
                *origin,
                *texts,
            )


def _describe_texts(model: ModelRecord) -> tuple[object, ...]:
    """Return the numbers of texts that a model did not read as they are, and the settings of its configuration."""
    counts, settings = model.text_counts, None
    if model.effective:
        settings = json.dumps(model.effective, ensure_ascii=False)
    cut = counts.get(CUT_TEXTS, counts.get(CUT_PAIRS))
    return cut, counts.get(CUT_TOKENS), counts.get(ZERO_VECTORS), settings
