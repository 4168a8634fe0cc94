"""Comparisons as a table for the terminal; nothing is computed here."""

from __future__ import annotations

from collections.abc import Sequence

from harness.evaluation.comparison import Difference
from harness.rendering.tables import count_of, format_p, render_table
from harness.stats.significance import MIN_TOPICS, SIGNIFICANCE, correct_holm, find_lowest_p
from pyramid_paraphrase.options import PAIRS, find_configuration

_EXPLANATION = (
    "p: two-sided sign-flip test over topics. p (Holm): corrected for all comparisons in this table.",
    "Interval of the difference: paired bootstrap over topics.",
    "Interval and p can disagree near 0.05. Treat such a difference as not significant.",
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
                f"[{lower:+.3f}, {upper:+.3f}]", format_p(one.p_value), format_p(row.corrected),
                _count_topics(row),
            )
        )  # fmt: skip
    return "\n".join([render_table(header, rows), "", *_EXPLANATION, *_note_resolution(differences)])


def _note_resolution(differences: Sequence[Difference]) -> list[str]:
    """Name the tasks that have too few topics for any difference to be significant after correction."""
    lowest = [find_lowest_p(row.topics) if row.topics >= MIN_TOPICS else 1.0 for row in differences]
    tasks: dict[tuple[int, float, float], list[str]] = {}
    for row, p_value, corrected in zip(differences, lowest, correct_holm(lowest), strict=True):
        if corrected > SIGNIFICANCE:
            tasks.setdefault((row.topics, p_value, corrected), []).append(row.task)
    remedy = "Evaluate on more topics, or compare fewer models at a time."
    comparisons = count_of(len(differences), "comparison")
    return [
        f"{', '.join(dict.fromkeys(names))}: with {count_of(topics, 'topic')}, p cannot be below {format_p(p_value)}. "
        f"With {comparisons}, p (Holm) cannot be below {format_p(corrected)}, so no difference can be significant at "
        f"{SIGNIFICANCE}. {remedy}"
        for (topics, p_value, corrected), names in tasks.items()
    ]


def _count_topics(row: Difference) -> str:
    """Of how many topics each won; of a pair corpus a topic is a sentence, on which alone few metrics say anything."""
    one = row.comparison
    is_sentence = find_configuration(row.task).origin == PAIRS
    return "-" if is_sentence else f"{one.won}/{one.tied}/{one.lost}"
