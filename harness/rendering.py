"""Comparisons as a table for the terminal; nothing is computed here."""

from __future__ import annotations

from collections.abc import Sequence

from harness.comparison import Difference
from harness.tables import render_table
from pyramid_paraphrase.options import PAIRS, find_configuration

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
                _count_topics(row),
            )
        )  # fmt: skip
    return "\n".join([render_table(header, rows), "", *_EXPLANATION])


def _count_topics(row: Difference) -> str:
    """Of how many topics each won; of a pair corpus a topic is a sentence, on which alone few metrics say anything."""
    one = row.comparison
    is_sentence = find_configuration(row.task).origin == PAIRS
    return "-" if is_sentence else f"{one.won}/{one.tied}/{one.lost}"
