"""Tables beyond the terminal: Markdown, LaTeX and CSV, and what has to be escaped in each."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Grid(NamedTuple):
    """A table.

    Attributes:
        header: Column titles.
        rows: Cells, as many per row as there are titles.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


def grid_markdown(grid: Grid) -> str:
    """A table for a README: the first column to the left, all else to the right."""
    divider = ["---", *(["---:"] * (len(grid.header) - 1))]
    rows = ([escape_markdown(str(cell)) for cell in row] for row in grid.rows)
    return "\n".join(map(join_markdown, ([*map(escape_markdown, grid.header)], divider, *rows)))


def grid_latex(grid: Grid) -> str:
    """A table for a paper, by the package booktabs."""
    rows = [join_latex([escape_latex(str(cell)) for cell in row]) for row in grid.rows]
    return "\n".join([
        rf"\begin{{tabular}}{{l{'r' * (len(grid.header) - 1)}}}", r"\toprule",
        join_latex([*map(escape_latex, grid.header)]), r"\midrule", *rows, r"\bottomrule", r"\end{tabular}",
    ])  # fmt: skip


def grid_csv(grid: Grid) -> str:
    """Render a table for a spreadsheet; `render_csv_rows` describes the cells."""
    return render_csv_rows((grid.header, *grid.rows))


def render_csv_rows(rows: Iterable[Sequence[object]]) -> str:
    """Render rows as CSV for a spreadsheet.

    Args:
        rows: Cells. None becomes an empty cell. Texts that a spreadsheet would run as a formula get an apostrophe in
            front, so the texts cannot be read back from such a file.

    Returns:
        Lines, the last one without an end.
    """
    return "\n".join(_render_csv_row(row) for row in rows)


def _render_csv_row(row: Sequence[object]) -> str:
    text, end = io.StringIO(newline=""), "\r\n"  # the csv module quotes cells that hold either character
    csv.writer(text, lineterminator=end).writerow([_disarm(cell) for cell in row])
    return text.getvalue().removesuffix(end)


# The characters that OWASP's page on CSV injection lists, the full-width forms included.
_FORMULA = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def _disarm(cell: object) -> object:
    """Return a cell that no spreadsheet takes for a formula; numbers stay as they are."""
    if not isinstance(cell, str) or not _FORMULA.match(cell) or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"


def join_markdown(cells: Sequence[str]) -> str:
    """A row of a Markdown table; the cells are escaped."""
    return f"| {' | '.join(cells)} |"


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", text)


def join_latex(cells: Sequence[str]) -> str:
    """A row of a LaTeX table; the cells are escaped."""
    return rf"{' & '.join(cells)} \\"


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    # At the start of a row these would belong to the end of the row above.
    **{character: f"{{{character}}}" for character in "[*"},
}


def escape_latex(text: str) -> str:
    """Text that LaTeX shows as it is."""
    return "".join(_LATEX.get(character, character) for character in text)
