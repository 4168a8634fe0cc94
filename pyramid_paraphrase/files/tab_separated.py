"""Tab-separated and CSV files of users: their lines and cells, and tables to write."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.escaping import escape_tsv

Cells = list[str | None]
"""The cells of a row. None where a row has no cell, or JSON has null or no value."""

Rows = list[tuple[int, Cells]]
"""Rows with their numbers."""


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


def iterate_csv(
    text: str, file: str, remedy: str, delimiter: str = ",", first_line: int = 1
) -> Iterator[tuple[int, list[str]]]:
    """Divide a CSV file into rows.

    Args:
        text: The content of the file, or the end of it.
        file: Name of the file, for errors.
        remedy: Remedy for a file that is not valid, for errors.
        delimiter: The character between cells. Blanks may follow it, also before a quotation mark, unless it is a
            vertical bar, because quotation marks are letters in Markdown.
        first_line: Number of the first line of the text, 1-based.

    Yields:
        The number of the first line of each row, and its cells. A blank line is a row without cells.

    Raises:
        InputError: If a row is not valid. An unclosed quotation mark is an error, because it would hide rows.
    """
    skips_blanks = delimiter != "|"
    stream = io.StringIO(text, newline="")
    reader = csv.reader(stream, delimiter=delimiter, strict=True, skipinitialspace=skips_blanks)
    line = first_line
    try:
        for cells in reader:
            yield line, cells
            line = first_line + reader.line_num
    except csv.Error as error:
        raise InputError(file, f"is not a valid CSV file ({error})", remedy, line) from None


def render_rows(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Render a table that `harness.files.tables` reads. A formula gets an apostrophe in front, which readers remove."""
    return "".join("\t".join(escape_tsv(str(cell)) for cell in row) + "\n" for row in [names, *rows])
