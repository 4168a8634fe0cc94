"""Reports of tables and notes in all formats: terminal, notebook, Markdown, LaTeX, CSV, Excel and JSON.

Nothing is computed here.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from harness.files.json_files import render_json
from harness.files.table_forms import TABLE_FORMS, render_csv_rows, render_table_file
from harness.rendering.tables import NOTHING, find_digits, format_interval, format_value, render_table
from harness.support.terminal import WIDTH, find_width
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.escaping import escape, escape_html, escape_latex, escape_markdown

GRID_FORMATS = {name: suffix for name, suffix in TABLE_FORMS.items() if not name.startswith("json")}
"""Formats that have the numbers of a report as a table, with a number per row."""

TABLE_FORMATS = {"terminal": ".txt", "markdown": ".md", "latex": ".tex", **GRID_FORMATS}
"""Formats of all reports, and the suffixes of their files."""

REPORT_FORMATS = {**TABLE_FORMATS, "json": ".json"}
"""Formats of reports that programs can also read."""

PAGE_FORMATS = {**REPORT_FORMATS, "html": ".html"}
"""Formats of reports that are also available as web pages."""


def find_format(path: Path, formats: Mapping[str, str]) -> str:
    """Return the format of a file by its suffix.

    Args:
        path: The file.
        formats: Names of formats, and the suffixes of their files.

    Raises:
        OptionError: If the suffix belongs to no format.
    """
    for form, suffix in formats.items():
        if path.suffix.lower() == suffix:
            return form
    raise OptionError(f"{path}: unsupported format {path.suffix!r}. Use {', '.join(formats.values())}")


LATEX_COLUMN, LATEX_PAGE = 220.0, 450.0
"""Widths in points of a column and of the text of an article in two columns."""

_LETTER_POINTS, _SCRIPT_POINTS = 4.7, 3.6
"""Widths of letters in points, in the size `small` and in indices of it."""

_NAME, _TITLE = 20, 10
"""Numbers of letters of a line in LaTeX: of the names of rows, and of the titles of columns."""

_BREAK = r"\\"
_COMPACT = r"\centering\small\setlength{\tabcolsep}{3pt}\renewcommand{\arraystretch}{1.15}"


class SafeMarkdown(str):
    """A text that Markdown shows unchanged without escapes, such as `binary_matched`."""


class Cell(NamedTuple):
    """A number in a grid.

    Attributes:
        value: The number. None if there is no number.
        interval: The ends of its interval. None if there is no interval.
        is_best: Whether the number is marked: by a star in the terminal, in bold in other formats.
        is_signed: Whether the number is a difference, which is printed with its sign and without an interval.
        fails_shortcut: Whether the number is marked by "=", because a shortcut reaches about as much.
        digits: Number of digits after the point. None means that of the command, or `DIGITS`.
    """

    value: float | None
    interval: tuple[float, float] | None = None
    is_best: bool = False
    is_signed: bool = False
    fails_shortcut: bool = False
    digits: int | None = None

    @property
    def decimals(self) -> int:
        """The number of digits after the point."""
        return find_digits() if self.digits is None else self.digits

    def __str__(self) -> str:
        """Format the number as plain text, without the mark of the best."""
        if self.is_signed and self.value is not None:
            return f"{round(self.value, self.decimals) + 0.0:+.{self.decimals}f}"
        text = format_value(self.value, self.interval, self.decimals)
        return f"{text} =" if self.fails_shortcut else text


class Grid(NamedTuple):
    """A table.

    Attributes:
        header: Column titles.
        rows: Rows of cells, as many cells per row as there are titles. A row of one cell is a section: the title of the
            rows below it, across all columns. If there are sections, the first row is a section.
        keys: Number of columns at the left that name the rows.
        title: Title above the table, or "".
    """

    header: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    keys: int = 1
    title: str = ""

    @property
    def has_sections(self) -> bool:
        """Whether the rows are divided into sections."""
        return any(map(self.is_section, self.rows))

    def is_section(self, row: Sequence[object]) -> bool:
        """Return whether a row is a section."""
        return len(row) == 1 < len(self.header)


def grid_terminal(grid: Grid) -> str:
    """Render a table for the terminal. The rows of sections are indented."""
    has_sections = grid.has_sections
    rows: list[tuple[object, ...]] = []
    for row in grid.rows:
        if grid.is_section(row):
            rows.append((*row, *[""] * (len(grid.header) - 1)))
        elif has_sections:
            rows.append((f"  {row[0]}", *map(_mark_best, row[1:])))
        else:
            rows.append((*map(_mark_best, row),))
    table = render_table(grid.header, rows, grid.keys)
    return f"{escape(grid.title)}\n\n{table}" if grid.title else table


def _mark_best(cell: object) -> object:
    if not isinstance(cell, Cell) or not cell.is_best:
        return cell
    return f"{cell}*" if cell.is_signed else f"{cell} *"


def grid_markdown(grid: Grid) -> str:
    """Render a table as Markdown: the first column aligned to the left, all others to the right."""
    empty = [""] * (len(grid.header) - 1)
    rows = [[*map(_format_markdown, grid.header)], ["---", *["---:"] * len(empty)]]
    for row in grid.rows:
        if grid.is_section(row):
            rows.append([f"*{escape_markdown(str(row[0]))}*", *empty])
        else:
            rows.append([*map(_format_markdown, row)])
    title = [f"**{escape_markdown(grid.title)}**", ""] if grid.title else []
    return "\n".join([*title, *(f"| {' | '.join(cells)} |" for cells in rows)])


def _format_markdown(cell: object) -> str:
    if isinstance(cell, Cell) and cell.is_best:
        return f"**{cell}**"
    if isinstance(cell, Cell):
        return str(cell)
    if isinstance(cell, SafeMarkdown):
        return cell
    text = str(cell)
    return text if text == NOTHING else escape_markdown(text)  # a cell cannot begin a list


def grid_latex(grid: Grid, caption: Sequence[str] = ()) -> str:
    """Render a table as LaTeX, for the package booktabs.

    Args:
        grid: The table.
        caption: A short caption for the list of tables, and sentences that explain the table. With it, the table
            floats, has titles of several lines, and spans both columns of an article if one is too narrow.
    """
    columns = len(grid.header)
    lines = [f"% {escape(grid.title)}"] if grid.title and not caption else []
    has_long_names = any(len(str(row[0])) > _NAME for row in grid.rows if not grid.is_section(row))
    first = rf"p{{{_NAME / 2:g}em}}" if caption and has_long_names else "l"
    titles = [escape_latex(grid.header[0]), *map(_stack_title if caption else escape_latex, grid.header[1:])]
    lines += [rf"\begin{{tabular}}{{{first}{'r' * (columns - 1)}}}", r"\toprule", _join_latex(titles)]
    if not grid.has_sections:
        lines.append(r"\midrule")
    for row in grid.rows:
        if grid.is_section(row):
            lines += [r"\midrule", rf"\multicolumn{{{columns}}}{{l}}{{\emph{{{escape_latex(str(row[0]))}}}}} \\"]
        else:
            name = _format_latex(row[0])
            if first != "l":
                name = r"\raggedright " + re.sub(r"(?<=[-/_])(?=\w)", r"\\allowbreak{}", name)
            lines.append(_join_latex([name, *(_format_latex(cell, has_caption=bool(caption)) for cell in row[1:])]))
    lines += [r"\bottomrule", r"\end{tabular}"]
    if caption:
        short = escape_latex(": ".join(filter(None, (caption[0], grid.title))))
        sentences = [f"{short}.", *map(escape_latex, caption[1:]), *_explain_intervals(grid)]
        star = "*" if measure_latex(grid) > LATEX_COLUMN else ""
        lines = [rf"\begin{{table{star}}}", _COMPACT, *lines]
        lines += [rf"\caption[{{{short}}}]{{{' '.join(sentences)}}}", rf"\end{{table{star}}}"]
    return "\n".join(lines)


def measure_latex(grid: Grid) -> float:
    """Estimate the width of a floating table in points, from the numbers of letters."""
    names = [len(str(row[0])) for row in grid.rows if not grid.is_section(row)]
    total = _LETTER_POINTS * min(max([len(grid.header[0]), *names]), _NAME)
    for number, title in enumerate(grid.header[1:], 1):
        widths = [_LETTER_POINTS * max(map(len, _break_title(title)))]
        for row in grid.rows:
            cell = None if grid.is_section(row) else row[number]
            if isinstance(cell, Cell):
                points = _LETTER_POINTS * len(str(cell._replace(interval=None)))
                widths.append(points + (_SCRIPT_POINTS * (cell.decimals + 2) if cell.interval else 0))
            elif cell is not None:
                widths.append(_LETTER_POINTS * len(str(cell)))
        total += max(widths) + 6  # the space between columns
    return total


def _break_title(title: str) -> list[str]:
    """Break the title of a column into lines, at blanks and after underscores."""
    lines = [""]
    for word in re.findall(r"[^ _]+_*|_+", title):
        blank = " " if lines[-1] and not lines[-1].endswith("_") else ""
        if lines[-1] and len(lines[-1] + blank + word) > _TITLE:
            lines.append(word)
        else:
            lines[-1] += blank + word
    return lines


def _stack_title(title: str) -> str:
    return rf"\shortstack[r]{{{_BREAK.join(map(escape_latex, _break_title(title)))}}}"


def _format_interval(cell: Cell) -> str:
    """Format an interval as its half if its ends are equally far from the value, otherwise as both distances."""
    assert cell.value is not None
    assert cell.interval is not None
    value, lower, upper = (round(number, cell.decimals) for number in (cell.value, *cell.interval))
    below, above = round(value - lower, cell.decimals), round(upper - value, cell.decimals)
    if below < 0 or above < 0:  # an interval that does not contain the value
        return rf" {{\scriptsize {format_interval(cell.interval, digits=cell.decimals)}}}"
    raised, lowered = (f"{distance:.{cell.decimals}f}".removeprefix("0") for distance in (above, below))
    if raised == lowered:
        return rf"{{\scriptsize \(\pm\){raised}}}"
    return rf"\(^{{+{raised}}}_{{-{lowered}}}\)"


def _explain_intervals(grid: Grid) -> Iterator[str]:
    """Explain the forms of the intervals of a table."""
    cells = [cell for row in grid.rows for cell in row if isinstance(cell, Cell)]
    texts = [_format_interval(cell) for cell in cells if cell.interval is not None and cell.value is not None]
    if any(r"\pm" in text for text in texts):
        yield r"\(\pm\): half the width of the 95~\% interval."
    if any("^" in text for text in texts):
        yield r"Raised and lowered: distances from the value to the ends of the 95~\% interval."
    if any("[" in text for text in texts):
        yield r"In brackets: the 95~\% interval."


def _join_latex(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _format_latex(cell: object, *, has_caption: bool = False) -> str:
    if not isinstance(cell, Cell):
        return escape_latex(str(cell))
    if cell.value is None:
        return "--"
    text, mark = str(cell._replace(interval=None, fails_shortcut=False)), " =" if cell.fails_shortcut else ""
    if has_caption:  # which explains the forms of intervals
        text = rf"\textbf{{{text}}}" if cell.is_best else text
        return f"{text}{_format_interval(cell)}{mark}" if cell.interval else f"{text}{mark}"
    if cell.interval is not None:
        text += rf" {{\scriptsize {format_interval(cell.interval)}}}"
    return rf"\textbf{{{text}{mark}}}" if cell.is_best else f"{text}{mark}"


def grid_html(grid: Grid) -> str:
    """Render a table for a notebook, which styles it. Every text is escaped."""
    lines = [f"<p><strong>{escape_html(grid.title)}</strong></p>"] if grid.title else []
    first, others = _format_html(grid.header[0]), _join_html(grid.header[1:], "th")
    # Wide tables scroll by themselves, also in a notebook that was exported as a page.
    lines += ['<div style="overflow-x: auto">', "<table>"]
    lines += [f'<thead><tr><th style="text-align: left">{first}</th>{others}</tr></thead>', "<tbody>"]
    for row in grid.rows:
        if grid.is_section(row):
            title = escape_html(str(row[0]))
            lines.append(f'<tr><th colspan="{len(grid.header)}" style="text-align: left">{title}</th></tr>')
        else:
            first, others = _format_html(row[0]), _join_html(row[1:], "td")
            lines.append(f'<tr><td style="text-align: left">{first}</td>{others}</tr>')
    return "\n".join([*lines, "</tbody>", "</table>", "</div>"])


def _join_html(cells: Iterable[object], tag: str) -> str:
    return "".join(f"<{tag}>{_format_html(cell)}</{tag}>" for cell in cells)


def _format_html(cell: object) -> str:
    text = escape_html(str(cell))
    return f"<strong>{text}</strong>" if isinstance(cell, Cell) and cell.is_best else text


def grid_csv(grid: Grid) -> str:
    """Render a table as CSV, as `render_csv_rows` does."""
    return render_csv_rows((grid.header, *grid.rows))


_EMPTY = Grid((), ())


@dataclass(frozen=True, slots=True)
class Report:
    """A report in all its formats.

    Attributes:
        tables: Tables for the terminal, notebooks, Markdown and LaTeX.
        notes: Notes on the tables, the signature last.
        numbers: All numbers for CSV and the other `GRID_FORMATS`, one per row. Empty for reports without these.
        record: All data for JSON. Empty for reports that are not written as JSON.
        answer: The answer that the tables give, in paragraphs, which come before them.
        caption: The caption in LaTeX: a short one, and sentences that explain the table. Empty for tables without one.
    """

    tables: tuple[Grid, ...]
    notes: tuple[str, ...]
    numbers: Grid = _EMPTY
    record: Mapping[str, Any] = field(default_factory=dict)
    answer: tuple[str, ...] = ()
    caption: tuple[str, ...] = ()


def render_report(report: Report, form: str) -> str | bytes:
    """Render a report.

    Args:
        report: The report.
        form: terminal, notebook, markdown, latex, json, or one of `GRID_FORMATS`.

    Returns:
        The lines. The last line ends with a line break. Only Excel is bytes.
    """
    if form in GRID_FORMATS:
        return render_table_file(form, report.numbers.header, report.numbers.rows)
    return _RENDER[form](report).rstrip("\n") + "\n"


def require_text(rendered: str | bytes) -> str:
    """Return a report that was rendered in any format but Excel."""
    assert isinstance(rendered, str)
    return rendered


def _render_terminal(report: Report) -> str:
    answer = (f"{_wrap(paragraph)}\n" for paragraph in report.answer)
    tables = (f"{grid_terminal(table)}\n" for table in report.tables)
    return "\n".join([*answer, *tables, *map(_wrap, report.notes)])


def _wrap(note: str) -> str:
    """Break a note into lines of a terminal. Long names are not broken."""
    return textwrap.fill(
        escape(note), min(WIDTH, find_width()), subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _render_notebook(report: Report) -> str:
    answer = (f"<p><strong>{escape_html(paragraph)}</strong></p>" for paragraph in report.answer)
    notes = (f"<p>{escape_html(note)}</p>" for note in report.notes)
    return "\n".join([*answer, *map(grid_html, report.tables), *notes])


def _render_markdown(report: Report) -> str:
    answer, notes = map(escape_markdown, report.answer), map(escape_markdown, report.notes)
    return "\n\n".join([*answer, *map(grid_markdown, report.tables), *notes])


def _render_latex(report: Report) -> str:
    notes = (f"% {escape(note)}" for note in (*report.answer, *report.notes))
    tables = (grid_latex(grid, report.caption) for grid in report.tables)
    return "\n".join([r"% needs \usepackage{booktabs}", *notes, "\n\n".join(tables)])


_RENDER: dict[str, Callable[[Report], str]] = {
    "terminal": _render_terminal,
    "notebook": _render_notebook,
    "markdown": _render_markdown,
    "latex": _render_latex,
    "json": lambda report: render_json(report.record).decode(),
}
