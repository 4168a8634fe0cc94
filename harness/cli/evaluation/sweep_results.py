"""The output of the command sweep: states of the models, and the table, page and comparison of their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.cli.arguments import say, show, show_or_write
from harness.rendering.tables import render_table

if TYPE_CHECKING:
    from harness.evaluation.results import Result
    from harness.evaluation.sweeps.units import SweepFolder, Unit

_PAGE, _COMPARISON = "report.html", "comparison.txt"


def read_finished(folder: SweepFolder, units: Sequence[Unit]) -> list[Result]:
    """Read the results of the units that are done, in the order of the units."""
    from harness.evaluation.results import read_results
    from harness.evaluation.sweeps.units import State

    done = [unit for unit in units if folder.state_of(unit) is State.DONE]
    return read_results([file for unit in done for file in folder.list_result_files(unit)])


def show_results(folder: SweepFolder, units: Sequence[Unit], results: Sequence[Result], workers: int) -> None:
    """Print the table of all results, and the status."""
    from harness.reports.model_tables import make_tables
    from harness.reports.text_reports import render_tables

    if results:
        say(render_tables(make_tables(results), "terminal"))
    say(f"{render_status(folder, units, workers)}\n{show(folder.results)}")


def write_reports(folder: SweepFolder, results: Sequence[Result], resamples: int, seed: int) -> None:
    """Write the page of the command report, and the table of the command compare, and print their paths.

    Args:
        folder: The folder of the sweep.
        results: The results, in the order of the plan. The others are compared with the first.
        resamples: Number of bootstrap resamples of the comparison.
        seed: Random seed of the bootstrap.

    Raises:
        ComparisonError: If a result has no test in common with the first.
        OutputError: If a file cannot be written.
    """
    from harness.evaluation.comparison import compare
    from harness.reports.difference_reports import render_comparison
    from harness.reports.html_reports import render_html
    from harness.reports.model_tables import make_tables

    show_or_write(render_html(make_tables(results)), folder.root / _PAGE)
    if len(results) > 1:
        differences = compare(results, resamples=resamples, seed=seed)
        show_or_write(render_comparison(results[0].model, differences), folder.root / _COMPARISON)


def render_status(folder: SweepFolder, units: Sequence[Unit], workers: int) -> str:
    """List how many units are in each state, the time left, and the reason and log of each failure."""
    from harness.evaluation.sweeps.units import State

    states = {unit: folder.state_of(unit) for unit in units}
    counts = Counter(states.values())
    rows: list[tuple[str, object]] = [(state.value, counts[state]) for state in State]
    seconds = [outcome.seconds for unit in units if (outcome := folder.read_outcome(unit)) and not outcome.reason]
    left = counts[State.RUNNING] + counts[State.MISSING]
    if left and seconds:
        minutes = sum(seconds) / len(seconds) * left / workers / 60
        rows.append(("minutes left, about", round(minutes, 1)))
    lines = [render_table(("models", "number"), rows)]
    for unit, state in states.items():
        outcome = folder.read_outcome(unit)
        if state is State.FAILED and outcome:
            lines.append(f"failed: {show(unit.title)}: {show(outcome.reason)} ({show(folder.log_of(unit))})")
    return "\n".join(lines)
