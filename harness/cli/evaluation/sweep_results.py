"""The output of the command sweep: states of the models, and the table, page and comparison of their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.arguments import say, show, show_or_write
from harness.rendering.tables import render_table

if TYPE_CHECKING:
    from harness.evaluation.sweeps.units import State, SweepFolder, Unit

_PAGE, _COMPARISON = "report.html", "comparison.txt"


def list_result_files(folder: SweepFolder, states: Mapping[Unit, State]) -> list[Path]:
    """List the JSON files of the units that are done, in the order of the units."""
    from harness.evaluation.sweeps.units import State

    done = [unit for unit, state in states.items() if state is State.DONE]
    return [file for unit in done for file in folder.list_result_files(unit)]


def show_results(folder: SweepFolder, states: Mapping[Unit, State], files: Sequence[Path], workers: int) -> None:
    """Print the table of all results, and the status."""
    from harness.evaluation.results import read_numbers
    from harness.reports.model_tables import make_tables
    from harness.reports.text_reports import render_tables

    if files:
        say(render_tables(make_tables([read_numbers(file) for file in files]), "terminal"))
    say(f"{render_status(folder, states, workers)}\n{show(folder.results)}")


def write_reports(folder: SweepFolder, files: Sequence[Path], resamples: int, seed: int) -> None:
    """Write the page of the command report, and the table of the command compare, and print their paths.

    Args:
        folder: The folder of the sweep.
        files: The results, in the order of the plan. All other results are compared with the first one.
        resamples: Number of bootstrap resamples of the comparison.
        seed: Random seed of the bootstrap.

    Raises:
        ComparisonError: If a result has no test in common with the first one.
        OutputError: If a file cannot be written.
    """
    from harness.evaluation.comparing.comparison import compare
    from harness.evaluation.results import read_results
    from harness.reports.difference_reports import render_comparisons
    from harness.reports.html_reports import render_html
    from harness.reports.model_tables import make_tables

    results = read_results(files)
    show_or_write(render_html(make_tables(results)), folder.root / _PAGE)
    if len(results) > 1:
        comparisons = compare(results, results[0].model, resamples=resamples, seed=seed)
        show_or_write(render_comparisons(comparisons, "terminal"), folder.root / _COMPARISON)


def render_status(folder: SweepFolder, states: Mapping[Unit, State], workers: int) -> str:
    """Render the number of units in each state, the estimated time left, and the reason and log of each failure."""
    from harness.evaluation.sweeps.units import State

    counts = Counter(states.values())
    rows: list[tuple[str, object]] = [(state.value, counts[state]) for state in State]
    seconds = [outcome.seconds for unit in states if (outcome := folder.read_outcome(unit)) and not outcome.reason]
    left = counts[State.RUNNING] + counts[State.MISSING]
    if left and seconds:
        minutes = sum(seconds) / len(seconds) * left / workers / 60
        rows.append(("minutes left (estimate)", f"{minutes:.1f}"))
    lines = [render_table(("models", "number"), rows)]
    for unit, state in states.items():
        outcome = folder.read_outcome(unit)
        if state is State.FAILED and outcome:
            lines.append(f"failed: {show(unit.title)}: {show(outcome.reason)} ({show(folder.log_of(unit))})")
    return "\n".join(lines)
