"""Plain tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.support.terminal import show
from pyramid_paraphrase.errors import shorten

NOTHING = "-"
"""What stands in a cell without a number."""

TERMINAL_WIDTH = 80
_GAP = "  "
_LONGEST_TEXT = 32
"""Characters of a text in a folded table. Two such columns and one of numbers fit `TERMINAL_WIDTH`."""

_OMISSION = 5
"""Characters of the mark that `shorten` puts in place of the middle of a text."""


def render_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Align columns by blanks: numbers to the right, floats with four decimals, all else to the left.

    Args:
        header: Column titles.
        rows: Cells, as many per row as there are titles; control characters in them are escaped.

    Returns:
        Lines without trailing blanks.
    """
    columns: Iterable[tuple[object, ...]] = zip(*rows, strict=True) if rows else [()] * len(header)
    aligned = [_align(title, column) for title, column in zip(header, columns, strict=True)]
    return _join_columns(aligned)


def render_folded_table(header: Sequence[str], rows: Sequence[Sequence[object]], keys: int) -> str:
    """Render a table as `render_table` does, within `TERMINAL_WIDTH` columns.

    Columns that find no room go to further tables below, which repeat the first columns. The middle of long texts is
    left out.

    Args:
        header: Column titles.
        rows: Cells, at least one row.
        keys: Number of first columns that every table has. With two of them, at least one of numbers, each table fits.

    Returns:
        The tables, with a blank line between two.
    """
    columns = zip(*(map(_limit, row) for row in rows), strict=True)
    aligned = [_align(str(_limit(title)), column) for title, column in zip(header, columns, strict=True)]
    repeated = aligned[:keys]
    room = TERMINAL_WIDTH - sum(map(_measure, repeated)) + len(_GAP)
    tables: list[list[list[str]]] = [[]]
    used = 0
    for column in aligned[keys:]:
        if tables[-1] and used + _measure(column) > room:
            tables.append([])
            used = 0
        tables[-1].append(column)
        used += _measure(column)
    return "\n\n".join(_join_columns([*repeated, *table]) for table in tables)


def _limit(cell: object) -> object:
    """Leave out the middle of a text that is too long, and return anything else as it is."""
    if not isinstance(cell, str):
        return cell
    text = show(cell)
    return text if len(text) <= _LONGEST_TEXT else shorten(text, _LONGEST_TEXT - _OMISSION)


def _measure(column: Sequence[str]) -> int:
    """Return the width of a padded column with the gap after it."""
    return len(column[0]) + len(_GAP)


def _join_columns(columns: Sequence[Sequence[str]]) -> str:
    return "\n".join(_GAP.join(line).rstrip() for line in zip(*columns, strict=True))


def _align(title: str, column: Sequence[object]) -> list[str]:
    """Pad a title and the cells below it to the same width."""
    cells = [show(title), *map(_format, column)]
    width = max(map(len, cells))
    if column and all(isinstance(cell, int | float) for cell in column):
        return [cell.rjust(width) for cell in cells]
    return [cell.ljust(width) for cell in cells]


def format_interval(interval: Sequence[float] | None, absent: str = "") -> str:
    """Format the ends of an interval with three decimals; None as the text for absent intervals."""
    if interval is None:
        return absent
    lower, upper = (round(end, 3) + 0.0 for end in interval)  # -0.0 becomes 0.0
    return f"[{lower:.3f}, {upper:.3f}]"


def format_value(value: float | None, interval: Sequence[float] | None = None) -> str:
    """Format a number and the ends of its interval with three decimals; None as `NOTHING`."""
    if value is None:
        return NOTHING
    return f"{value:.3f} {format_interval(interval)}".rstrip()


def count_of(number: int, noun: str) -> str:
    """Format a number with its noun: "1 model", "2 models"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def join_some(names: Sequence[str], most: int = 3) -> str:
    """Join the first names by commas, and add the number of the others."""
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
        return f"{cell:.4f}"
    if isinstance(cell, int):
        return f"{cell:,}"
    return show(cell)
