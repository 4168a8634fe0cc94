"""Limits of charts: the shortest step of a scale; the best models of a view, and the shortcuts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from harness.leaderboards.entries import SHORTCUT, Entry

MOST_MODELS = 25
"""Maximum number of models in a chart, in addition to the shortcuts."""

STEP = 0.01
"""Shortest step between ticks. Metrics are between -1 and 1."""

Row = TypeVar("Row", bound="_Row")


class _Row(Protocol):
    """A row of a dot plot, or a point of a scatter plot."""

    @property
    def entry(self) -> Entry: ...

    @property
    def views(self) -> tuple[str, ...]: ...

    def _replace(self: Row, *, is_hidden: bool) -> Row: ...


def hide_rows(rows: Iterable[Row], view: str) -> tuple[Row, ...]:
    """Hide the rows that a view does not contain, and all models but the first `MOST_MODELS`.

    Args:
        rows: Rows of a dot plot or points of a scatter plot, the highest score first.
        view: The view.

    Returns:
        All rows. Hidden rows are kept, because filters can show them.
    """
    limited, models = [], 0
    for row in rows:
        is_hidden = view not in row.views
        if row.entry.status != SHORTCUT:
            models += not is_hidden
            is_hidden |= models > MOST_MODELS
        limited.append(row._replace(is_hidden=is_hidden))
    return tuple(limited)


def count_models(rows: Iterable[_Row], view: str) -> int:
    """Count the models of a view, including hidden models, without shortcuts."""
    return sum(view in row.views and row.entry.status != SHORTCUT for row in rows)
