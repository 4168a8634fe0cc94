"""Tables beyond the terminal: Markdown, LaTeX and CSV, and what has to be escaped in each."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
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
    """A table for a spreadsheet; what is None is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows((grid.header, *grid.rows))
    return text.getvalue().rstrip("\n")


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
