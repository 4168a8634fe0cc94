"""Scores of summaries as a table for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from harness.summaries.score_files import SystemMean
from harness.tables import render_table


def render_means(means: Sequence[SystemMean]) -> str:
    """A row per system, in the order given.

    Args:
        means: At least one, all of the same metrics.
    """
    names = tuple(means[0].values)
    rows = [(mean.author, mean.summaries, *(mean.values[name] for name in names)) for mean in means]
    return render_table(("system", "summaries", *names), rows)
