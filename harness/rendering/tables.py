"""Plain tables for the terminal: numbers and intervals as text, aligned columns, and their fit to its width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property

from harness.support.terminal import find_width, show
from pyramid_paraphrase.rules.ranges import Range

NOTHING = "-"
"""The content of a cell without a number."""

DIGITS = 3
"""Number of digits after the point, unless the user chooses another one."""

DIGITS_RANGE = Range(1, 9)
"""Numbers of digits that the user can choose."""

_LONG = 4
"""Number of digits after the point of numbers in tables of numbers only."""

_digits: ContextVar[int | None] = ContextVar("the digits after the point", default=None)

_GAP = "  "
_MIN_NAME = 24
"""Maximum width of the first column next to the other columns. Longer names get their own lines."""

_MIN_PROSE = 16
"""Minimum width of a column whose texts are broken into lines."""


@contextmanager
def chosen_digits(number: int | None) -> Iterator[None]:
    """Let values have a number of digits after the point within the block. None means that of each table."""
    token = _digits.set(number)
    try:
        yield
    finally:
        _digits.reset(token)


def find_digits(usual: int = DIGITS) -> int:
    """Return the number of digits after the point of values: the chosen number, or the usual one of a table."""
    chosen = _digits.get()
    return usual if chosen is None else chosen


class Prose(str):
    """A cell with a text that may be broken into lines."""


def render_table(header: Sequence[str], rows: Sequence[Sequence[object]], keys: int = 1) -> str:
    """Render a table with aligned columns: numbers to the right, all other cells to the left.

    Floats have four decimals.

    Args:
        header: Column titles.
        rows: Rows of cells, as many cells per row as there are titles. Control characters in cells are escaped.
        keys: Number of columns at the left that name the rows. If the table is wider than the terminal, its columns
            are divided among several tables, each of which begins with these columns.

    Returns:
        The lines, without trailing spaces.
    """
    values: Iterable[tuple[object, ...]] = zip(*rows, strict=True) if rows else [()] * len(header)
    columns = [
        TextColumn(
            cells=tuple((text,) for text in (show(title), *map(_format, cells))),
            is_number=bool(cells) and all(isinstance(cell, int | float) for cell in cells),
            is_prose=any(isinstance(cell, Prose) for cell in cells),
        )
        for title, cells in zip(header, values, strict=True)
    ]
    width = find_width()
    return "\n\n".join("\n".join(join_lines(table, width)) for table in fit_columns(columns, keys, width))


def format_interval(interval: Sequence[float] | None, absent: str = "", digits: int | None = None) -> str:
    """Format the ends of an interval with some decimals. For None, return the text for absent intervals."""
    digits = find_digits() if digits is None else digits
    if interval is None:
        return absent
    lower, upper = (round(end, digits) + 0.0 for end in interval)  # -0.0 becomes 0.0
    return f"[{lower:.{digits}f}, {upper:.{digits}f}]"


def format_value(value: float | None, interval: Sequence[float] | None = None, digits: int | None = None) -> str:
    """Format a number and the ends of its interval with some decimals. For None, return `NOTHING`."""
    digits = find_digits() if digits is None else digits
    if value is None:
        return NOTHING
    return f"{value:.{digits}f} {format_interval(interval, digits=digits)}".rstrip()


def count_of(number: int, noun: str) -> str:
    """Format a number with its noun: "1 model", "2 models"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def join_some(names: Sequence[str], most: int = 3) -> str:
    """Join the first names by commas, and add the number of the other names."""
    joined = ", ".join(names[:most])
    omitted = len(names) - most
    if omitted > 0:
        joined += f" and {omitted:,} more"
    return joined


def format_p(value: float) -> str:
    """Format a p-value with four decimals, or as "< 0.0001"."""
    return f"{value:.4f}" if value >= 0.0001 else "< 0.0001"


def _format(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:.{find_digits(_LONG)}f}"
    if isinstance(cell, int):
        return f"{cell:,}"
    return show(cell)


@dataclass(frozen=True)
class TextColumn:
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


def fit_columns(columns: Sequence[TextColumn], keys: int, room: int) -> list[list[TextColumn]]:
    """Divide columns among tables that fit a width, as far as their cells allow.

    Titles are broken into lines first, then prose. If this is not enough, the columns are divided among tables.

    Args:
        columns: The columns.
        keys: Number of columns at the left that name the rows. Each table begins with these columns.
        room: Maximum number of characters per line.

    Returns:
        The columns of each table.
    """
    if _fits(columns, room):
        return [list(columns)]
    narrowed = [*columns[:keys], *map(_break_title, columns[keys:])]
    with_narrow_keys = [*map(_break_title, narrowed[:keys]), *narrowed[keys:]]
    if not _fits(narrowed, room, _MIN_PROSE) and _fits(with_narrow_keys, room, _MIN_PROSE):
        narrowed = with_narrow_keys
    return [_break_prose(table, room) for table in _divide(narrowed, keys, room)]


def _fits(columns: Sequence[TextColumn], room: int, limit: int | None = None) -> bool:
    """Return whether a table fits a width if long names have their own lines.

    If a limit is set, texts are broken at this number of characters. Words are never broken.
    """
    widths = [column.width for column in columns]
    if limit is not None:
        for place, column in enumerate(columns):
            if column.is_prose:
                widths[place] = min(column.width, max(limit, column.longest_word))
    widths[:1] = [min(width, _MIN_NAME) for width in widths[:1]]
    return sum(widths) + len(_GAP) * (len(widths) - 1) <= room


def _divide(columns: Sequence[TextColumn], keys: int, room: int) -> list[list[TextColumn]]:
    """Divide columns among tables from left to right (greedily). Each table takes as many columns as fit."""
    names = list(columns[:keys])
    tables = [list(names)]
    for column in columns[keys:]:
        if len(tables[-1]) > keys and not _fits([*tables[-1], column], room, _MIN_PROSE):
            tables.append(list(names))
        tables[-1].append(column)
    return tables


def _break_title(column: TextColumn) -> TextColumn:
    """Break a title into lines as wide as the cells below it, or as its longest word if that is wider."""
    title, *cells = column.cells
    width = max(TextColumn(tuple(cells)).width, TextColumn((title,)).longest_word)
    return replace(column, cells=(_wrap(title, width), *cells))


def _break_prose(columns: Sequence[TextColumn], room: int) -> list[TextColumn]:
    """Break all texts at the same length: the largest length at which the table fits, or else the minimum."""
    if _fits(columns, room):
        return list(columns)
    fitting = (limit for limit in range(room, _MIN_PROSE, -1) if _fits(columns, room, limit))
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


def join_lines(columns: Sequence[TextColumn], room: int) -> Iterator[str]:
    """Yield the lines of a table, without trailing spaces."""
    first, *others = columns
    room -= sum(len(_GAP) + column.width for column in others)
    fitting_first = first
    if first.width > max(room, 0) and others:
        fitting_first = replace(
            first, cells=tuple(cell if max(map(len, cell)) <= room else ("",) for cell in first.cells)
        )
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
