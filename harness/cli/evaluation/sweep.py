"""Evaluate the models of a file in several processes or as Slurm jobs, and show the state of such a sweep."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from harness.cli.evaluation import evaluate
from harness.cli.outputs import say, show
from harness.cli.parser import choice, command, flag, group, option, path
from harness.rendering.tables import render_table
from harness.support.errors import ModelError
from harness.support.hardware import count_cores, list_gpus
from pyramid_paraphrase.errors import shorten
from pyramid_paraphrase.rules.ranges import COUNT, Range

if TYPE_CHECKING:
    from harness.evaluation.sweeps.units import State, SweepFolder, Unit

_STATUS = "status"
_LOCAL, _SLURM = "local", "slurm"
_PROCESSES = Range(1, 1024)
_SHOWN_WORDS = 300
"""Number of characters of the last line of a log that are shown."""


def parse_resource(text: str) -> tuple[str, str]:
    """Parse an option of ``sbatch`` as ``NAME=VALUE``.

    Raises:
        ValueError: If it does not have this form.
    """
    name, equals, value = text.removeprefix("--").partition("=")
    if not (name.replace("-", "").isalpha() and name.islower() and equals and value and value.isprintable()):
        raise ValueError("use NAME=VALUE, such as partition=gpu")
    return name, value


@command(
    path(
        "models MODELS",
        "file with one model per line, or YAML file with lists of options to combine. 'status' instead of a file shows "
        "the state of the sweep in --output",
    ),
    option(
        "--workers N",
        "number of processes or of Slurm jobs at a time (default: one per local GPU, otherwise one per core)",
        _PROCESSES,
    ),
    option(
        "--threads N",
        "threads per process (default: cores divided by processes), or cores per Slurm job (default: 1)",
        _PROCESSES,
    ),
    flag("--retry", "evaluate failed models again"),
    flag("--report", "at the end, write the outputs of `report` and `compare` to --output"),
    choice("--executor", (_LOCAL, _SLURM), "run on this machine or as Slurm jobs", default=_LOCAL),
    group(
        "Slurm jobs",
        option(
            "--slurm NAME=VALUE",
            "option of sbatch, such as partition=gpu or gres=gpu:1 (repeatable)",
            parse_resource,
            action="append",
            default=[],
        ),
        option("--models-per-job N", "models per job", COUNT, default=10),
        option("--minutes N", "time limit of a job in minutes", COUNT, default=1440),
    ),
    *evaluate.list_evaluation_options("sweep"),
)
def run_sweep(options: argparse.Namespace) -> None:
    """Evaluate the models of a file, or show the state of a sweep."""
    from harness.evaluation.runner import load_named_metrics
    from harness.evaluation.sweeps.plans import parse_plan
    from harness.evaluation.sweeps.units import State, SweepFolder, compute_unit, make_unit
    from harness.metrics.named_metrics import import_evaluate_alone

    folder = SweepFolder(options.output)
    gpus: tuple[str, ...] = ()
    if options.executor == _LOCAL and options.device in (None, "cuda"):  # other devices need no GPU
        gpus = list_gpus()
    workers = options.workers or len(gpus) or count_cores()
    if str(options.models) == _STATUS:
        say(render_status(folder, folder.read_states(folder.read_units()), workers))
        return
    from harness.cli.evaluation.results import show_table, write_reports

    test_names, defaults = evaluate.choose_tests(options), evaluate.list_defaults(options)
    plan = parse_plan(options.models, defaults, options.send_text_to, test_names)
    settings = evaluate.make_settings(options)
    suite = evaluate.load_requested_suite(options, test_names)
    if settings.metrics:
        import_evaluate_alone()
        load_named_metrics(suite, settings)
    units = [make_unit(spec, parsed, suite, settings) for spec, parsed in plan.items()]
    folder.prepare(units)
    compute = partial(compute_unit, folder, suite.for_processes(), settings, defaults)
    _compute_missing(folder, compute, units, workers, gpus, options)
    states = folder.read_states(units)
    done = [unit for unit, state in states.items() if state is State.DONE]
    files = [file for unit in done for file in folder.list_result_files(unit)]
    if files:
        show_table(files)
    say(f"{render_status(folder, states, workers)}\n{show(folder.results)}")
    if options.report and files:
        write_reports(files, folder.root, options)
    if len(files) < len(units):
        remedy = "Run the command again. For failed models, correct the cause and add --retry"
        raise ModelError(f"{len(units) - len(files)} of {len(units)} models have no result. {remedy}")


def _compute_missing(
    folder: SweepFolder,
    compute: Callable[..., None],
    units: Sequence[Unit],
    workers: int,
    gpus: Sequence[str],
    options: argparse.Namespace,
) -> None:
    """Compute the units that are missing, on this machine or by Slurm."""
    from harness.evaluation.sweeps.executors import compute_locally, compute_on_slurm
    from harness.evaluation.sweeps.units import State
    from harness.support.progress import Progress

    states = folder.read_states(units)
    if options.retry:
        for unit in units:
            if states[unit] is State.FAILED:
                folder.forget_failure(unit)
                states[unit] = State.MISSING
    waiting = [unit for unit in units if states[unit] in (State.MISSING, State.RUNNING)]
    if options.executor == _SLURM:
        ended = compute_on_slurm(
            folder,
            compute,
            waiting,
            jobs=workers,
            models_per_job=options.models_per_job,
            threads=options.threads or 1,
            minutes=options.minutes,
            options=dict(options.slurm),
        )
    else:
        threads = options.threads or max(1, count_cores() // workers)
        ended = compute_locally(folder, compute, waiting, workers=workers, threads=threads, gpus=gpus)
    with Progress(visible=not options.quiet) as progress:
        progress.start("models", len(units), len(units) - len(waiting))
        for _ in ended:
            progress.advance(1)


def render_status(folder: SweepFolder, states: Mapping[Unit, State], workers: int) -> str:
    """Render the number of units in each state, the estimated time left, and how units failed or ended otherwise."""
    from harness.evaluation.sweeps.units import State

    counts, outcomes = Counter(states.values()), {unit: folder.read_outcome(unit) for unit in states}
    rows: list[tuple[str, object]] = [(state.value, counts[state]) for state in State]
    seconds = [outcome.seconds for outcome in outcomes.values() if outcome and not outcome.reason]
    left = counts[State.RUNNING] + counts[State.MISSING]
    if left and seconds:
        minutes = sum(seconds) / len(seconds) * left / workers / 60
        rows.append(("minutes left (estimate)", f"{minutes:.1f}"))
    lines = [render_table(("models", "number"), rows)]
    for unit, outcome in outcomes.items():
        if states[unit] is State.FAILED and outcome:
            lines.append(f"failed: {show(unit.title)}: {show(outcome.reason)} ({show(folder.log_of(unit))})")
        elif states[unit] is State.MISSING and (ending := folder.find_last_words(unit)):
            log, words = ending
            reason = f"the last line of {show(log)} is: {show(shorten(words, _SHOWN_WORDS))}"
            if not words:
                reason = "its log is empty, as after a kill or on a full disk"
            lines.append(f"ended without an outcome: {show(unit.title)}: {reason}")
    return "\n".join(lines)
