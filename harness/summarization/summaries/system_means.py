"""Scores of summaries as a table for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from harness.rendering.tables import render_table
from harness.summarization.summaries.score_files import SystemMean

_UNEQUAL = "Systems with other numbers of summaries are averaged over other topics, which may be easier or harder."


def render_means(means: Sequence[SystemMean]) -> str:
    """A row per system, in the order given, and what to know of means over different topics.

    Args:
        means: At least one, all of the same metrics.
    """
    names = tuple(means[0].values)
    rows = [(mean.author, mean.summaries, *(mean.values[name] for name in names)) for mean in means]
    table = render_table(("system", "summaries", *names), rows)
    return table if len({mean.summaries for mean in means}) == 1 else f"{table}\n\n{_UNEQUAL}"
