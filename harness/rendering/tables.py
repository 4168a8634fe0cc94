"""Plain tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from harness.support.terminal import show

NOTHING = "-"
"""What stands in a cell without a number."""


def render_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Align columns by blanks: numbers to the right, floats with four decimals, all else to the left.

    Args:
        header: Column titles.
        rows: Cells, as many per row as there are titles; control characters in them are escaped.

    Returns:
        Lines without trailing blanks.
    """
    header = [show(title) for title in header]
    cells = [[_format(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    numeric = [bool(rows) and all(isinstance(row[i], int | float) for row in rows) for i in range(len(header))]
    lines = []
    for line in ([*header], *cells):
        padded = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        )
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def format_interval(interval: Sequence[float] | None, absent: str = "") -> str:
    """The ends of an interval with three decimals, or what stands where there is none."""
    if interval is None:
        return absent
    lower, upper = (round(end, 3) + 0.0 for end in interval)  # what is rounded to -0 is 0
    return f"[{lower:.3f}, {upper:.3f}]"


def format_value(value: float | None, interval: Sequence[float] | None = None) -> str:
    """Format a number and the ends of its interval with three decimals; None as `NOTHING`."""
    return NOTHING if value is None else f"{value:.3f} {format_interval(interval)}".rstrip()


def count_of(number: int, thing: str) -> str:
    """A number of things: "1 model", "2 models"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def join_some(names: Sequence[str], most: int = 3) -> str:
    """Join the first names by commas, and add how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def format_p(value: float) -> str:
    """A p-value with four decimals, of which a small one has none."""
    return f"{value:.4f}" if value >= 0.0001 else "< 0.0001"


def _format(cell: object) -> str:
    return f"{cell:.4f}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else show(cell)
