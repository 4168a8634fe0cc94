"""Tables as text: for the terminal, Markdown, LaTeX and CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from harness.rendering.formats import escape_latex, escape_markdown, join_latex, join_markdown, render_csv_rows
from harness.rendering.tables import format_interval, render_table
from harness.reports.contents import Column, Row, Table
from harness.support.terminal import show
from pyramid_paraphrase.options import CONFIGURATION_NAMES

NOTHING = "-"


def render_terminal(tables: Sequence[Table]) -> str:
    """Tables with aligned columns, each group of models below its name."""
    return "\n\n".join(map(_render_terminal, tables))


def _render_terminal(table: Table) -> str:
    columns = table.columns()
    rows: list[tuple[str, ...]] = []
    for group, members in _by_group(table):
        rows.append((group, *([""] * len(columns))))
        rows += [(f"  {row.name}", *(format_cell(row, column) for column in columns)) for row in members]
    header = ("model", *(column.title for column in columns))
    return "\n".join([render_table(header, rows), "", *map(show, _footer(table))])


def _footer(table: Table) -> list[str]:
    return [f"Data: {table.describe_data()}.", f"Intervals: {table.describe_intervals()}.", *table.notes()]


def _by_group(table: Table) -> Iterator[tuple[str, Iterator[Row]]]:
    return groupby(table.rows, key=lambda row: row.group)


def format_cell(row: Row, column: Column) -> str:
    """A number with three decimals and its interval."""
    value, interval = row.value(column), row.interval(column)
    if value is None:
        return NOTHING
    return f"{value:.3f} {format_interval(interval)}".rstrip()


def render_markdown(tables: Sequence[Table]) -> str:
    """Tables for a README; the best number of each column is bold."""
    return "\n\n".join(map(_render_markdown, tables))


def _render_markdown(table: Table) -> str:
    columns = table.columns()
    lines = [
        join_markdown(["model", *(column.title for column in columns)]),
        join_markdown(["---", *(["---:"] * len(columns))]),
    ]
    for group, members in _by_group(table):
        lines.append(join_markdown([f"*{escape_markdown(group)}*", *([""] * len(columns))]))
        for row in members:
            cells = [_emphasize(table, row, column, "**{}**") for column in columns]
            lines.append(join_markdown([escape_markdown(row.name), *cells]))
    return "\n\n".join(["\n".join(lines), *map(escape_markdown, _footer(table))])


def _emphasize(table: Table, row: Row, column: Column, pattern: str, form: Callable[..., str] = format_cell) -> str:
    """A cell, marked if its number is the best of ours."""
    cell = form(row, column)
    return pattern.format(cell) if table.is_best(row, column) else cell


def render_latex(tables: Sequence[Table]) -> str:
    """Tables for a paper, by the package booktabs."""
    return "\n\n".join(map(_render_latex, tables))


def _render_latex(table: Table) -> str:
    columns = table.columns()
    signatures = (f"{row.name}: {result.signature}" for row in table.ours for result in row.results)
    lines = [r"% needs \usepackage{booktabs}"]
    lines += [f"% {line}" for line in (*_footer(table), *signatures)]
    lines += [rf"\begin{{tabular}}{{l{'r' * len(columns)}}}", r"\toprule"]
    lines += [join_latex(["Model", *(escape_latex(column.title) for column in columns)])]
    for group, members in _by_group(table):
        lines += [r"\midrule", rf"\multicolumn{{{len(columns) + 1}}}{{l}}{{\emph{{{escape_latex(group)}}}}} \\"]
        for row in members:
            cells = [_emphasize(table, row, column, r"\textbf{{{}}}", _format_latex) for column in columns]
            lines.append(join_latex([escape_latex(row.name), *cells]))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _format_latex(row: Row, column: Column) -> str:
    value, interval = row.value(column), row.interval(column)
    if value is None:
        return "--"
    shown = rf" {{\scriptsize {format_interval(interval)}}}" if interval else ""
    return f"{value:.3f}{shown}"


_MODEL_FACTS = ("kind", "dimension", "parameters")
_CSV_HEADER = (
    *("model", "group", *_MODEL_FACTS),
    *("task", "metric", "value", "lower", "upper", "fingerprint", "signature"),
)


def render_csv(tables: Sequence[Table]) -> str:
    """All metrics, a line per number; the paper's have neither kind nor fingerprint."""
    numbers = (cells for table in tables for row in table.rows for cells in _list_numbers(row))
    return render_csv_rows([_CSV_HEADER, *numbers])


def _list_numbers(row: Row) -> Iterator[tuple[object, ...]]:
    for task in sorted(row.tasks, key=CONFIGURATION_NAMES.index):
        result = next((result for result in row.results if result.tasks.get(task) is row.tasks[task]), None)
        model = result.record["model"] if result else {}
        told = (row.name, row.group, *(model.get(name) for name in _MODEL_FACTS), task)
        for metric, value in row.tasks[task].items():
            if isinstance(value, int | float):
                ends = row.interval(Column(task, metric)) or (None, None)
                print_ = row.tasks[task].get("fingerprint")
                yield (*told, metric, value, *ends, print_, result.signature if result else None)
