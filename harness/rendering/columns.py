"""Columns of tables for the terminal, and their fit to the width of a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

WIDTH = 80
"""Maximum number of characters per line of a table."""

_GAP = "  "
_MIN_NAME = 24
"""Maximum width of the first column next to the other columns. Longer names get their own lines."""

_MIN_PROSE = 16
"""Minimum width of a column whose texts are broken into lines."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        cells: The lines of each cell, the title first.
        is_number: Whether the cells are aligned to the right.
        is_prose: Whether the cells are texts that may be broken into lines.
    """

    cells: tuple[tuple[str, ...], ...]
    is_number: bool = False
    is_prose: bool = False

    @cached_property
    def width(self) -> int:
        """The length of the longest line."""
        return max((len(line) for cell in self.cells for line in cell), default=0)

    @cached_property
    def longest_word(self) -> int:
        """The length of the longest word, which is the smallest possible width of the column."""
        return max((len(word) for cell in self.cells for line in cell for word in line.split()), default=0)

    def pad(self, line: str) -> str:
        """Pad a line to the width of the column."""
        return line.rjust(self.width) if self.is_number else line.ljust(self.width)


def fit_columns(columns: Sequence[Column], keys: int) -> list[list[Column]]:
    """Divide columns among tables that fit `WIDTH`, as far as their cells allow.

    Titles are broken into lines first, then prose. If this is not enough, the columns are divided among tables.

    Args:
        columns: The columns.
        keys: Number of columns at the left that name the rows. Each table begins with these columns.

    Returns:
        The columns of each table.
    """
    if _fits_width(columns):
        return [list(columns)]
    narrowed = [*columns[:keys], *map(_break_title, columns[keys:])]
    with_narrow_keys = [*map(_break_title, narrowed[:keys]), *narrowed[keys:]]
    if not _fits_width(narrowed, _MIN_PROSE) and _fits_width(with_narrow_keys, _MIN_PROSE):
        narrowed = with_narrow_keys
    return [_break_prose(table) for table in _divide(narrowed, keys)]


def _fits_width(columns: Sequence[Column], limit: int | None = None) -> bool:
    """Return whether a table fits `WIDTH` if long names have their own lines.

    If a limit is set, texts are broken at this number of characters. Words are never broken.
    """
    widths = [column.width for column in columns]
    if limit is not None:
        for place, column in enumerate(columns):
            if column.is_prose:
                widths[place] = min(column.width, max(limit, column.longest_word))
    widths[:1] = [min(width, _MIN_NAME) for width in widths[:1]]
    return sum(widths) + len(_GAP) * (len(widths) - 1) <= WIDTH


def _divide(columns: Sequence[Column], keys: int) -> list[list[Column]]:
    """Divide columns among tables from left to right (greedily). Each table takes as many columns as fit."""
    names = list(columns[:keys])
    tables = [list(names)]
    for column in columns[keys:]:
        if len(tables[-1]) > keys and not _fits_width([*tables[-1], column], _MIN_PROSE):
            tables.append(list(names))
        tables[-1].append(column)
    return tables


def _break_title(column: Column) -> Column:
    """Break a title into lines as wide as the cells below it, or as its longest word if that is wider."""
    title, *cells = column.cells
    width = max(Column(tuple(cells)).width, Column((title,)).longest_word)
    return replace(column, cells=(_wrap(title, width), *cells))


def _break_prose(columns: Sequence[Column]) -> list[Column]:
    """Break all texts at the same length: the largest length at which the table fits, or else the minimum."""
    if _fits_width(columns):
        return list(columns)
    fitting = (limit for limit in range(WIDTH, _MIN_PROSE, -1) if _fits_width(columns, limit))
    limit = next(fitting, _MIN_PROSE)
    broken = []
    for column in columns:
        if column.is_prose:
            # At most the present width, so that a broken title is not joined again.
            width = min(column.width, max(limit, column.longest_word))
            broken.append(replace(column, cells=tuple(_wrap(cell, width) for cell in column.cells)))
        else:
            broken.append(column)
    return broken


def _wrap(cell: Sequence[str], width: int) -> tuple[str, ...]:
    lines = textwrap.wrap(" ".join(cell), max(width, 1), break_long_words=False, break_on_hyphens=False)
    return tuple(lines) or ("",)


def join_lines(columns: Sequence[Column]) -> Iterator[str]:
    """Yield the lines of a table, without trailing spaces."""
    first, *others = columns
    room = WIDTH - sum(len(_GAP) + column.width for column in others)
    fitting_first = first
    if first.width > max(room, 0) and others:
        fitting_first = replace(first, cells=tuple(cell if _fits(cell, room) else ("",) for cell in first.cells))
    for row, cells in enumerate(zip(*(column.cells for column in (fitting_first, *others)), strict=True)):
        if cells[0] != first.cells[row]:
            yield from first.cells[row]
            if not any(map(any, cells)):
                continue  # for instance the title of a section, whose other cells are empty
        for number in range(max(map(len, cells))):
            line = (
                column.pad(cell[number] if number < len(cell) else "")
                for column, cell in zip((fitting_first, *others), cells, strict=True)
            )
            yield _GAP.join(line).rstrip()


def _fits(cell: Sequence[str], room: int) -> bool:
    return all(len(line) <= room for line in cell)
