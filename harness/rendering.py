"""Results as tables for the terminal; nothing is computed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.comparison import Difference
from harness.results import Result
from harness.tables import render_table

_SHOWN = {"f1": "F", "success_rate": "success rate", "mrr": "MRR"}
"""The paper's metrics, and how they are called in tables."""


def render_results(results: Sequence[Result]) -> str:
    """A row per model, a column per task and metric of the paper, each value with its interval."""
    columns = list(
        dict.fromkeys(
            (task, name) for one in results for task in one.tasks for name in _SHOWN if name in one.tasks[task]
        )
    )
    header = ("model", *(f"{task} {_SHOWN[name]}" for task, name in columns))
    rows = [(one.model, *(_format(one.tasks.get(task), name) for task, name in columns)) for one in results]
    fingerprints = {task: one.tasks[task]["fingerprint"][:12] for one in results for task in one.tasks}
    statistics = results[0].record["statistics"]
    return "\n".join(
        [
            render_table(header, rows),
            "",
            "Data: "
            + ", ".join(f"{task} {fingerprint}" for task, fingerprint in fingerprints.items())
            + f". Intervals: 95 %, bootstrap over topics, {statistics['resamples']:,} resamples.",
            *_render_unknown(results),
        ]
    )


def _format(task: Mapping[str, Any] | None, name: str) -> str:
    if task is None:
        return "-"
    lower, upper = task["intervals"][name]
    return f"{task[name]:.3f} [{lower:.3f}, {upper:.3f}]"


def _render_unknown(results: Sequence[Result]) -> list[str]:
    lines = []
    for one in results:
        if unknown := one.record["model"]["out_of_vocabulary"]:
            share, texts = unknown["tokens"], unknown["texts"]
            lines.append(f"{one.model}: {share:.1%} of the words and {texts:.1%} of the texts have no vector.")
    return lines


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
    return render_table(header, rows)
