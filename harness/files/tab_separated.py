"""Tab-separated files of users: UTF-8, with a header line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.files.json_files import read_bytes
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.inputs import refuse_document

_SHOWN = 40


class Row(NamedTuple):
    """A row of a table.

    Attributes:
        line: Number of the line in the file, 1-based.
        cells: Values of the columns, not empty, without surrounding spaces.
    """

    line: int
    cells: tuple[str, ...]


def read_rows(path: Path, names: Sequence[str]) -> list[Row]:
    """Read a table.

    Args:
        path: The file.
        names: Names of the columns, in order.

    Returns:
        The rows below the header line, at least one. Blank lines are left out.

    Raises:
        InputError: If the file cannot be read, has other columns, an empty cell, or no row.
        LimitError: If the file is larger than `limits` allows.
    """
    lines = read_lines(path, f"use a file with {_describe(names)}")
    if [name.strip() for name in lines[0].split("\t")] != list(names):
        beginning = repr(lines[0][:_SHOWN]) if lines[0] else "nothing"
        raise InputError(
            str(path), f"expected a header line, found {beginning}", f"write a header line with {_describe(names)}", 1
        )
    rows = [_parse_row(path, names, number, line) for number, line in enumerate(lines[1:], 2) if line.strip()]
    if not rows:
        raise InputError(str(path), "has no rows below the header line", "add a row for each item")
    return rows


def read_lines(path: Path, remedy: str) -> list[str]:
    """Read the lines of a text file, at least one, without their line breaks.

    Args:
        path: The file.
        remedy: Remedy for a file that cannot be read, for errors.

    Raises:
        InputError: If the file cannot be read, or is not UTF-8.
        LimitError: If the file is larger than `limits` allows.
    """
    return split_lines(read_bytes(path, limits.MAX_FILE_BYTES, remedy), str(path), "convert the file to UTF-8")


def split_lines(data: bytes, name: str, remedy: str) -> list[str]:
    """Divide a text into lines, at least one, without their line breaks.

    Args:
        data: Content of a file.
        name: Name of the file, for errors.
        remedy: Remedy for a file that is not UTF-8, for errors.

    Raises:
        InputError: If the data is not UTF-8. The message names the line.
        LimitError: If there are more lines than `limits` allows.
    """
    lines = decode(data, name, remedy).removesuffix("\n").split("\n")
    if len(lines) > limits.MAX_LINES:
        raise LimitError(name, f"has more than {limits.MAX_LINES:,} lines", "split the file")
    return [line.removesuffix("\r") for line in lines]


def decode(data: bytes, name: str, remedy: str) -> str:
    """Decode UTF-8, without a byte order mark.

    Args:
        data: Content of a file.
        name: Name of the file, for errors.
        remedy: Remedy for a file that is not UTF-8, for errors.

    Raises:
        InputError: If the data is not UTF-8. The message names the line.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        refuse_document(name, data)
        raise InputError(name, "is not UTF-8", remedy, data[: error.start].count(b"\n") + 1) from None


def _parse_row(path: Path, names: Sequence[str], number: int, line: str) -> Row:
    cells = tuple(cell.strip() for cell in line.split("\t"))
    if len(cells) != len(names):
        reason = f"expected {len(names)} columns, found {len(cells)}"
        raise InputError(str(path), reason, f"use {_describe(names)}", number)
    if not all(cells):
        raise InputError(str(path), f"{names[cells.index('')]} is empty", "fill it in, or remove the line", number)
    return Row(number, cells)


def _describe(names: Sequence[str]) -> str:
    return f"the columns {', '.join(names)}, separated by tabs"


def render_rows(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Render a table that `read_rows` can read."""
    return "".join("\t".join(map(str, row)) + "\n" for row in [names, *rows])
