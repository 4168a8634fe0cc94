"""Plain tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.rendering.columns import Column, fit_columns, join_lines
from harness.support.terminal import show

NOTHING = "-"
"""The content of a cell without a number."""


class Prose(str):
    """A cell with a text that may be broken into lines."""


def render_table(header: Sequence[str], rows: Sequence[Sequence[object]], keys: int = 1) -> str:
    """Render a table with aligned columns: numbers to the right, all other cells to the left.

    Floats have four decimals.

    Args:
        header: Column titles.
        rows: Rows of cells, as many cells per row as there are titles. Control characters in cells are escaped.
        keys: Number of columns at the left that name the rows. If the table is too wide for a terminal, its columns
            are divided among several tables, each of which begins with these columns.

    Returns:
        The lines, without trailing spaces.
    """
    columns: Iterable[tuple[object, ...]] = zip(*rows, strict=True) if rows else [()] * len(header)
    formatted = [_make_column(title, cells) for title, cells in zip(header, columns, strict=True)]
    return "\n\n".join("\n".join(join_lines(table)) for table in fit_columns(formatted, keys))


def _make_column(title: str, cells: Sequence[object]) -> Column:
    return Column(
        cells=tuple((text,) for text in (show(title), *map(_format, cells))),
        is_number=bool(cells) and all(isinstance(cell, int | float) for cell in cells),
        is_prose=any(isinstance(cell, Prose) for cell in cells),
    )


def format_interval(interval: Sequence[float] | None, absent: str = "") -> str:
    """Format the ends of an interval with three decimals. For None, return the text for absent intervals."""
    if interval is None:
        return absent
    lower, upper = (round(end, 3) + 0.0 for end in interval)  # -0.0 becomes 0.0
    return f"[{lower:.3f}, {upper:.3f}]"


def format_value(value: float | None, interval: Sequence[float] | None = None) -> str:
    """Format a number and the ends of its interval with three decimals. For None, return `NOTHING`."""
    if value is None:
        return NOTHING
    return f"{value:.3f} {format_interval(interval)}".rstrip()


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
        return f"{cell:.4f}"
    if isinstance(cell, int):
        return f"{cell:,}"
    return show(cell)
