"""Comparisons as a table for the terminal; nothing is computed here."""

from __future__ import annotations

from collections.abc import Sequence

from harness.comparison import Difference
from harness.tables import render_table

_EXPLANATION = (
    "p: how often chance alone, topics being drawn anew, makes so large a difference; Holm: for so many comparisons.",
    "Interval and p are two ways to ask; at the edge one may say yes where the other says no: then take it for unsure.",
)


def render_comparison(first: str, differences: Sequence[Difference]) -> str:
    """A row per model, task and metric: values, difference with interval, p-values, topics."""
    header = (
        "model",
        "task",
        "metric",
        first,
        "model's",
        "difference",
        "95 % interval",
        "p",
        "p (Holm)",
        "topics won/tied/lost",
    )
    rows = []
    for row in differences:
        one = row.comparison
        lower, upper = one.interval
        rows.append(
            (
                row.model, row.task, row.metric, f"{one.first:.3f}", f"{one.value:.3f}", f"{one.difference:+.3f}",
                f"[{lower:+.3f}, {upper:+.3f}]", f"{one.p_value:.3f}", f"{row.corrected:.3f}",
                f"{one.won}/{one.tied}/{one.lost}",
            )
        )  # fmt: skip
    return "\n".join([render_table(header, rows), "", *_EXPLANATION])
