"""Scores and correlations as text: for the terminal, Markdown, LaTeX, CSV and JSON; nothing is computed here."""

from __future__ import annotations

import json

from harness.paraphrases.dimple.gains import METRICS
from harness.paraphrases.dimple.scores import Scores
from harness.rendering.formats import Grid, escape_markdown, grid_csv, grid_latex, grid_markdown
from harness.rendering.tables import format_interval, render_table
from harness.support.terminal import show

NOTHING = "-"


def render_terminal(scores: Scores) -> str:
    """A table of all lists, a table of methods, and what the numbers are."""
    tables = (render_table(grid.header, grid.rows) for grid in (_list_sets(scores), _list_means(scores)))
    return "\n\n".join([*tables, "\n".join(map(show, _explain(scores)))])


def render_markdown(scores: Scores) -> str:
    """The same for a README."""
    tables = map(grid_markdown, (_list_sets(scores), _list_means(scores)))
    return "\n\n".join([*tables, *map(escape_markdown, _explain(scores))])


def render_latex(scores: Scores) -> str:
    """The same for a paper, by the package booktabs."""
    notes = "\n".join(f"% {line}" for line in (r"needs \usepackage{booktabs}", *_explain(scores)))
    return "\n\n".join([notes, *map(grid_latex, (_list_sets(scores), _list_means(scores)))])


def _list_sets(scores: Scores) -> Grid:
    keys = [(metric, k) for metric in METRICS for k in scores.cuts]
    rows = ((one.source, one.method, one.count, *(f"{one.values[key]:.3f}" for key in keys)) for one in scores.sets)
    return Grid(("source", "method", "paraphrases", *(f"{metric}@{k}" for metric, k in keys)), tuple(rows))


def _list_means(scores: Scores) -> Grid:
    rows = []
    for one in scores.methods:
        for metric in METRICS:
            cells = (
                f"{one.values[metric, k]:.3f} {format_interval(one.intervals[metric, k])}".rstrip() for k in scores.cuts
            )
            rows.append((one.method, f"{one.sources} of {scores.source_count}", metric, *cells))
    return Grid(("method", "sources", "mean", *(f"k = {k}" for k in scores.cuts)), tuple(rows))


def _explain(scores: Scores) -> list[str]:
    lines = [f"Judgment: {scores.judgment.shown}."]
    if any(interval for one in scores.methods for interval in one.intervals.values()):
        lines.append(f"Intervals: 95 %, bootstrap over sources, {scores.resamples:,} resamples, seed {scores.seed}.")
    else:
        lines.append("Intervals: none; they need five sources.")
    return [*lines, scores.signature]


_HEADER = ("judgment", "model", "source", "method", "paraphrases", "metric", "k", "value", "lower", "upper")


def render_csv(scores: Scores) -> str:
    """A line per number; means over sources have no source."""
    judgment = (scores.judgment.name, scores.judgment.model)
    rows: list[tuple[object, ...]] = [
        (*judgment, one.source, one.method, one.count, metric, k, value, None, None)
        for one in scores.sets
        for (metric, k), value in one.values.items()
    ]
    for mean in scores.methods:
        for (metric, k), value in mean.values.items():
            ends = mean.intervals[metric, k] or (None, None)
            rows.append((*judgment, None, mean.method, None, metric, k, value, *ends))
    return grid_csv(Grid(_HEADER, tuple(rows)))


def render_json(scores: Scores) -> str:
    """All of it as one object."""
    value = {
        "signature": scores.signature,
        "judgment": {"name": scores.judgment.name, "model": scores.judgment.model},
        "sets": [
            {
                "source": one.source,
                "method": one.method,
                "paraphrases": one.count,
                "values": {f"{metric}@{k}": number for (metric, k), number in one.values.items()},
            }
            for one in scores.sets
        ],
        "methods": [
            {
                "method": one.method,
                "sources": one.sources,
                "values": {f"{metric}@{k}": number for (metric, k), number in one.values.items()},
                "intervals": {f"{metric}@{k}": ends for (metric, k), ends in one.intervals.items()},
            }
            for one in scores.methods
        ],
    }
    return json.dumps(value, indent=1, ensure_ascii=False)


RENDERERS = {
    "terminal": render_terminal,
    "markdown": render_markdown,
    "latex": render_latex,
    "csv": render_csv,
    "json": render_json,
}
"""How scores are shown."""
