"""Differences of models as a table for the terminal. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Sequence

from harness.evaluation.comparison import Difference
from harness.rendering.formats import Grid
from harness.rendering.reports import Report, render_report
from harness.rendering.tables import NOTHING, count_of, format_p
from harness.stats.significance import MIN_TOPICS, SIGNIFICANCE, correct_holm, find_lowest_p
from pyramid_paraphrase.options import PAIR_CORPUS, find_configuration

_EXPLANATION = (
    "p: two-sided sign-flip test over topics. p (Holm): corrected for all comparisons in this table.",
    "Interval of the difference: paired bootstrap over topics.",
    "Interval and p can disagree near 0.05. Treat such a difference as not significant.",
)


def render_comparison(first: str, differences: Sequence[Difference]) -> str:
    """Render a row per model, test and metric: values, difference with interval, p-values, topics.

    Args:
        first: Name of the model that the others are compared with.
        differences: The differences.

    Returns:
        Lines, the last one ended.
    """
    notes = (*_EXPLANATION, *_note_resolution(differences))
    return render_report(Report((lay_out_comparison(first, differences),), notes), "terminal")


def lay_out_comparison(first: str, differences: Sequence[Difference]) -> Grid:
    """Lay out a row per model, test and metric; arguments as for `render_comparison`."""
    header = (
        *("model", "task", "metric", first, "model's", "difference", "95 % interval"),
        *("p", "p (Holm)", "topics won/tied/lost"),
    )
    return Grid(header, tuple(map(_make_row, differences)))


def _make_row(difference: Difference) -> tuple[str, ...]:
    comparison = difference.comparison
    lower, upper = comparison.interval
    return (
        *(difference.model, difference.test_name, difference.metric),
        *(f"{comparison.first:.3f}", f"{comparison.value:.3f}", f"{comparison.difference:+.3f}"),
        f"[{lower:+.3f}, {upper:+.3f}]",
        *(format_p(comparison.p_value), format_p(difference.corrected)),
        _count_topics(difference),
    )


def _note_resolution(differences: Sequence[Difference]) -> list[str]:
    """Name the tests that have too few topics for any difference to be significant after correction."""
    lowest = [find_lowest_p(row.topics) if row.topics >= MIN_TOPICS else 1.0 for row in differences]
    names_by_limit: dict[tuple[int, float, float], list[str]] = {}
    for difference, p_value, corrected in zip(differences, lowest, correct_holm(lowest), strict=True):
        if corrected > SIGNIFICANCE:
            names_by_limit.setdefault((difference.topics, p_value, corrected), []).append(difference.test_name)
    remedy = "Evaluate on more topics, or compare fewer models at a time."
    comparisons = count_of(len(differences), "comparison")
    return [
        f"{', '.join(dict.fromkeys(names))}: with {count_of(topics, 'topic')}, p cannot be below {format_p(p_value)}. "
        f"With {comparisons}, p (Holm) cannot be below {format_p(corrected)}, so no difference can be significant at "
        f"{SIGNIFICANCE}. {remedy}"
        for (topics, p_value, corrected), names in names_by_limit.items()
    ]


def _count_topics(difference: Difference) -> str:
    """Count the topics that each model won. A topic of a pair corpus is a sentence, which few metrics can rate."""
    if find_configuration(difference.test_name).origin == PAIR_CORPUS:
        return NOTHING
    comparison = difference.comparison
    return f"{comparison.won}/{comparison.tied}/{comparison.lost}"
