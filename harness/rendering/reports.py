"""Reports of tables and notes, in all formats. Nothing is computed here."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.files.json_files import render_json
from harness.rendering.columns import WIDTH
from harness.rendering.formats import (
    Grid,
    escape_markdown,
    grid_csv,
    grid_html,
    grid_latex,
    grid_markdown,
    grid_terminal,
)
from harness.support.terminal import show

_EMPTY = Grid((), ())


@dataclass(frozen=True, slots=True)
class Report:
    """A report in all its formats.

    Attributes:
        tables: Tables for the terminal, notebooks, Markdown and LaTeX.
        notes: Notes on the tables, the signature last.
        numbers: All numbers for CSV, one per row. Empty for reports that are not written as CSV.
        record: All data for JSON. Empty for reports that are not written as JSON.
        answer: The answer that the tables give, in paragraphs, which come before them.
    """

    tables: tuple[Grid, ...]
    notes: tuple[str, ...]
    numbers: Grid = _EMPTY
    record: Mapping[str, Any] = field(default_factory=dict)
    answer: tuple[str, ...] = ()


def render_report(report: Report, form: str) -> str:
    """Render a report.

    Args:
        report: The report.
        form: terminal, notebook, markdown, latex, csv or json.

    Returns:
        The lines. The last line ends with a line break.
    """
    render = {
        "terminal": _render_terminal,
        "notebook": _render_notebook,
        "markdown": _render_markdown,
        "latex": _render_latex,
        "csv": _render_csv,
        "json": _render_json,
    }
    return render[form](report).rstrip("\n") + "\n"


def _render_terminal(report: Report) -> str:
    answer = (f"{_wrap(paragraph)}\n" for paragraph in report.answer)
    tables = (f"{grid_terminal(table)}\n" for table in report.tables)
    return "\n".join([*answer, *tables, *map(_wrap, report.notes)])


def _wrap(note: str) -> str:
    """Break a note into lines of a terminal. Long names are not broken."""
    return textwrap.fill(show(note), WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _render_notebook(report: Report) -> str:
    answer = (f"<p><strong>{html.escape(paragraph)}</strong></p>" for paragraph in report.answer)
    notes = (f"<p>{html.escape(note)}</p>" for note in report.notes)
    return "\n".join([*answer, *map(grid_html, report.tables), *notes])


def _render_markdown(report: Report) -> str:
    answer, notes = map(escape_markdown, report.answer), map(escape_markdown, report.notes)
    return "\n\n".join([*answer, *map(grid_markdown, report.tables), *notes])


def _render_latex(report: Report) -> str:
    notes = (f"% {note}" for note in (*report.answer, *report.notes))
    return "\n".join([r"% needs \usepackage{booktabs}", *notes, "\n\n".join(map(grid_latex, report.tables))])


def _render_csv(report: Report) -> str:
    return grid_csv(report.numbers)


def _render_json(report: Report) -> str:
    return render_json(report.record).decode()
