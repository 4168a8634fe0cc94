"""The report of the scores of systems with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from harness.pit.report_parts import (
    COLUMNS,
    NOTES_ON_MAXIMA,
    describe_inputs,
    describe_system,
    note_pairs,
    shorten_hash,
    sign_report,
    tabulate_systems,
)
from harness.pit.system_inputs import PAIRS, Inputs, Units
from harness.pit.system_scores import Measured, measure_with_intervals
from harness.rendering.formats import Grid
from harness.rendering.reports import Report
from harness.rendering.tables import format_interval
from harness.stats.bootstrap import CONFIDENCE


def report_scores(inputs: Inputs, resamples: int, seed: int) -> Report:
    """Score systems, with intervals.

    Args:
        inputs: The systems, in the order of the table.
        resamples: Number of resamples of the bootstrap.
        seed: Random seed of the bootstrap.

    Returns:
        A table of the systems.
    """
    systems = measure_with_intervals(inputs, resamples, seed)
    units = inputs.units
    settings = [f"bootstrap:{units.kind}:{resamples}/{seed}"]
    if units.source:
        settings.insert(0, f"data:{shorten_hash(units.source.sha256)}")
    signature = sign_report(inputs, settings)
    notes = (
        *note_pairs(inputs),
        *_note_intervals(units, resamples, seed),
        *NOTES_ON_MAXIMA.values(),
        f"Signature: {signature}",
    )
    statistics = {
        "unit": units.kind,
        "units": units.count,
        "resamples": resamples,
        "seed": seed,
        "confidence": CONFIDENCE,
    }
    entries = [{**describe_system(measured), "intervals": dict(measured.intervals)} for measured in systems]
    record = {**describe_inputs(inputs, signature), "statistics": statistics, "systems": entries}
    return Report(
        (tabulate_systems(systems, COLUMNS, _show_interval),), notes, _list_scores(systems, signature), record
    )


def _note_intervals(units: Units, resamples: int, seed: int) -> list[str]:
    drawn = f"bootstrap over {units.count:,} {units.kind}, {resamples:,} resamples, seed {seed}"
    notes = [f"Intervals: 95 %, {drawn}. Each resample has its own maximum of F."]
    if units.kind == PAIRS:
        notes.append("Pairs of the same topic are not independent. To draw topics, add --data test.data.")
    return notes


def _show_interval(measured: Measured, metric: str) -> str:
    return format_interval(measured.intervals.get(metric))


def _list_scores(systems: Sequence[Measured], signature: str) -> Grid:
    rows = []
    for measured in systems:
        for metric, value in measured.metrics.items():
            lower, upper = measured.intervals.get(metric, (None, None))
            rows.append((measured.system.name, metric, value, lower, upper, signature))
    return Grid(("system", "metric", "value", "lower", "upper", "signature"), tuple(rows))
