"""Tab-separated and CSV files of users: their columns, and tables with a header line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.escaping import escape_tsv, restore_tsv
from pyramid_paraphrase.files.inputs import read_lines

_SHOWN = 40


def split_columns(line: str, count: int, file: str, number: int, remedy: str) -> list[str]:
    """Split a line of a file without a header at its tabs.

    Args:
        line: The line.
        count: Expected number of columns.
        file: Full name of its file, for errors.
        number: Number of the line in the file, 1-based.
        remedy: The remedy if the number of columns differs.

    Raises:
        InputError: If the number of columns differs from `count`.
    """
    columns = line.split("\t")
    if len(columns) != count:
        raise InputError(file, f"expected {count} tab-separated columns, found {len(columns)}", remedy, number)
    return columns


def split_cells(line: str) -> list[str]:
    """Split a line of a table at its tabs, and strip the cells and the apostrophes in front of formulas."""
    return [restore_tsv(cell.strip()) for cell in line.split("\t")]


def split_table(
    lines: Sequence[str], file: str, remedy: str = "separate the columns by tabs"
) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """Split the lines of a table into cells, without surrounding spaces.

    Args:
        lines: The lines of the file, at least one.
        file: Name of the file, for errors.
        remedy: The remedy for a row with too few or too many cells.

    Returns:
        The cells of the header line, and an iterator over the rows below it. Each row is the number of its line
        (1-based) and a cell per column. Blank lines are left out.

    Raises:
        InputError: While rows are read, if one does not have a cell per column.
    """
    names = split_cells(lines[0])

    def split_rows() -> Iterator[tuple[int, list[str]]]:
        for number, line in enumerate(lines[1:], 2):
            if not line.strip():
                continue
            cells = split_cells(line)
            if len(cells) != len(names):
                raise InputError(file, f"expected {len(names)} columns, found {len(cells)}", remedy, number)
            yield number, cells

    return names, split_rows()


def read_columns(path: Path, names: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Read a table whose columns have fixed names and an order.

    Args:
        path: The file.
        names: Names of the columns, in order.

    Returns:
        The rows below the header line, at least one: the number of the line, 1-based, and a value per column. Values
        are not empty and have no surrounding spaces. Blank lines are left out.

    Raises:
        InputError: If the file cannot be read, has other columns, an empty cell, or no row.
        LimitError: If the file is larger than `limits` allows.
    """
    file, columns = str(path), f"the columns {', '.join(names)}, separated by tabs"
    lines = read_lines(path, f"use a file with {columns}")
    header, lines_below = split_table(lines, file, f"use {columns}")
    if header != list(names):
        beginning = repr(lines[0][:_SHOWN]) if lines[0] else "nothing"
        raise InputError(file, f"expected a header line, found {beginning}", f"write a header line with {columns}", 1)
    rows = []
    for number, cells in lines_below:
        if not all(cells):
            raise InputError(file, f"{names[cells.index('')]} is empty", "fill it in, or remove the line", number)
        rows.append((number, cells))
    if not rows:
        raise InputError(file, "has no rows below the header line", "add a row for each item")
    return rows


def iterate_csv(
    text: str, file: str, remedy: str, delimiter: str = ",", first_line: int = 1
) -> Iterator[tuple[int, list[str]]]:
    """Divide a CSV file into rows.

    Args:
        text: The content of the file, or the end of it.
        file: Name of the file, for errors.
        remedy: Remedy for a file that is not valid, for errors.
        delimiter: The character between cells.
        first_line: Number of the first line of the text, 1-based.

    Yields:
        The number of the first line of each row, and its cells. A blank line is a row without cells.

    Raises:
        InputError: If a row is not valid. An unclosed quotation mark is an error, because it would hide rows.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = first_line
    try:
        for cells in reader:
            yield line, cells
            line = first_line + reader.line_num
    except csv.Error as error:
        raise InputError(file, f"is not a valid CSV file ({error})", remedy, line) from None


def render_rows(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Render a table that `read_columns` can read. A formula gets an apostrophe in front, which readers remove."""
    return "".join("\t".join(escape_tsv(str(cell)) for cell in row) + "\n" for row in [names, *rows])
