"""Columns of tables for the terminal, and how a table is made narrower than its natural width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

WIDTH = 80
"""Characters per line that tables fit."""

_GAP = "  "
_MIN_NAME = 24
"""Characters of the first column that stand beside the others. Longer names get lines of their own."""

_MIN_PROSE = 16
"""Characters to which a text is broken at most."""


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        cells: The lines of each cell, the title first.
        is_number: Whether the cells are aligned to the right.
        is_prose: Whether the cells are texts that may be broken into lines.
    """

    cells: tuple[tuple[str, ...], ...]
    is_number: bool = False
    is_prose: bool = False

    @property
    def width(self) -> int:
        """The length of the longest line."""
        return max((len(line) for cell in self.cells for line in cell), default=0)

    def pad(self, line: str) -> str:
        """Pad a line to the width of the column."""
        return line.rjust(self.width) if self.is_number else line.ljust(self.width)


def fit_columns(columns: Sequence[Column], keys: int) -> list[list[Column]]:
    """Divide columns among tables that fit `WIDTH`, as far as their cells allow.

    Titles are broken into lines first, then prose. If that is not enough, the columns are divided.

    Args:
        columns: The columns.
        keys: Number of columns at the left that name the rows; each table begins with them.

    Returns:
        The columns of each table.
    """
    if _find_excess(columns) <= 0:
        return [list(columns)]
    narrowed = _break_prose([*columns[:keys], *map(_break_title, columns[keys:])])
    if _find_excess(narrowed) > 0:
        narrowed = [*map(_break_title, narrowed[:keys]), *narrowed[keys:]]
    if _find_excess(narrowed) <= 0:
        return [narrowed]
    return _divide(narrowed, keys)


def _find_excess(columns: Sequence[Column]) -> int:
    """Count the characters by which a table is too wide, if long names have lines of their own."""
    widths = [column.width for column in columns]
    widths[:1] = [min(width, _MIN_NAME) for width in widths[:1]]
    return sum(widths) + len(_GAP) * (len(widths) - 1) - WIDTH


def _break_title(column: Column) -> Column:
    """Break a title into lines that are no longer than the cells below it, or than its longest word."""
    (title, *_), *cells = column.cells
    width = max([len(line) for cell in cells for line in cell] + [len(word) for word in title.split()] + [1])
    return column._replace(cells=(tuple(textwrap.wrap(title, width)) or ("",), *cells))


def _break_prose(columns: Sequence[Column]) -> list[Column]:
    """Break the widest columns of prose, until the table fits or no text can be broken further."""
    broken = list(columns)
    while (excess := _find_excess(broken)) > 0:
        places = [place for place, column in enumerate(broken) if column.is_prose and column.width > _MIN_PROSE]
        if not places:
            break
        widest = max(places, key=lambda place: broken[place].width)
        column = broken[widest]
        width = max(_MIN_PROSE, column.width - excess)
        cells = tuple(tuple(textwrap.wrap(" ".join(cell), width)) or ("",) for cell in column.cells)
        broken[widest] = column._replace(cells=cells, is_prose=False)
    return broken


def _divide(columns: Sequence[Column], keys: int) -> list[list[Column]]:
    """Divide columns among tables from left to right; each table takes as many as fit."""
    names = list(columns[:keys])
    tables = [list(names)]
    for column in columns[keys:]:
        if len(tables[-1]) > keys and _find_excess([*tables[-1], column]) > 0:
            tables.append(list(names))
        tables[-1].append(column)
    return tables


def join_lines(columns: Sequence[Column]) -> Iterator[str]:
    """Yield the lines of a table, without blanks at their ends."""
    first, *others = columns
    room = WIDTH - sum(len(_GAP) + column.width for column in others)
    beside = first
    if first.width > max(room, 0) and others:
        beside = first._replace(cells=tuple(cell if _fits(cell, room) else ("",) for cell in first.cells))
    for row, cells in enumerate(zip(*(column.cells for column in (beside, *others)), strict=True)):
        if cells[0] != first.cells[row]:
            yield from first.cells[row]
        for number in range(max(map(len, cells))):
            line = (
                column.pad(cell[number] if number < len(cell) else "")
                for column, cell in zip((beside, *others), cells, strict=True)
            )
            yield _GAP.join(line).rstrip()


def _fits(cell: Sequence[str], room: int) -> bool:
    return all(len(line) <= room for line in cell)
