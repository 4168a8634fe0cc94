"""Scores and correlations as text: for the terminal, as CSV and JSON; nothing is computed here."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence

from harness.dimple.gains import METRICS
from harness.dimple.scores import Scores
from harness.tables import format_interval, render_table

NOTHING = "-"


def render_terminal(scores: Scores) -> str:
    """A table of all lists, a table of methods, and what the numbers are."""
    keys = [(metric, k) for metric in METRICS for k in scores.cuts]
    rows = [(one.source, one.method, one.count, *(f"{one.values[key]:.3f}" for key in keys)) for one in scores.sets]
    header = ("source", "method", "paraphrases", *(f"{metric}@{k}" for metric, k in keys))
    return "\n".join([render_table(header, rows), "", _render_methods(scores), "", *_explain(scores)])


def _render_methods(scores: Scores) -> str:
    rows = []
    for one in scores.methods:
        for metric in METRICS:
            cells = (
                f"{one.values[metric, k]:.3f} {format_interval(one.intervals[metric, k])}".rstrip() for k in scores.cuts
            )
            rows.append((one.method, f"{one.sources} of {scores.source_count}", metric, *cells))
    return render_table(("method", "sources", "mean", *(f"k = {k}" for k in scores.cuts)), rows)


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
    rows: list[Sequence[object]] = [
        (*judgment, one.source, one.method, one.count, metric, k, value, None, None)
        for one in scores.sets
        for (metric, k), value in one.values.items()
    ]
    for mean in scores.methods:
        for (metric, k), value in mean.values.items():
            ends = mean.intervals[metric, k] or (None, None)
            rows.append((*judgment, None, mean.method, None, metric, k, value, *ends))
    return render_rows(_HEADER, rows)


def render_rows(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV, without the last line feed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().rstrip("\n")


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


FORMATS = {"terminal": render_terminal, "csv": render_csv, "json": render_json}
"""How scores are shown."""
