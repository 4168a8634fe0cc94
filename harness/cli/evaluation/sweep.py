"""Evaluate the models of a file in several processes or as Slurm jobs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from harness.cli.arguments import always, number_in, path, positive, say, set_run
from harness.cli.evaluation.evaluate import (
    add_evaluation_options,
    choose_tests,
    list_defaults,
    load_requested_suite,
    make_settings,
)
from harness.cli.evaluation.sweep_results import list_result_files, render_status, show_results, write_reports
from harness.support.errors import ModelError
from harness.support.extras import require
from harness.support.hardware import count_cores, list_gpus
from pyramid_paraphrase.errors import OptionError, place
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES
from pyramid_paraphrase.rules.ranges import Range

if TYPE_CHECKING:
    from harness.evaluation.sweeps.computing import Job
    from harness.evaluation.sweeps.units import Unit
    from harness.models.interfaces.kinds import Spec

_STATUS = "status"
_SLURM = "slurm"
_EXECUTORS = ("local", _SLURM)
_PROCESSES = Range(1, 1024)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the file of models, numbers of processes and threads, Slurm settings, and the options of `evaluate`."""
    set_run(parser, _sweep, always)
    parser.add_argument(
        "models",
        type=path,
        metavar="MODELS",
        help="file with one model per line, or YAML file with lists of options to combine. 'status' instead of a file "
        "shows the state of the sweep in --output",
    )
    parser.add_argument(
        "--workers",
        type=number_in(_PROCESSES),
        metavar="N",
        help="number of processes or of Slurm jobs at a time (default: one per local GPU, otherwise one per core)",
    )
    parser.add_argument(
        "--threads",
        type=number_in(_PROCESSES),
        metavar="N",
        help="threads per process (default: cores divided by processes), or cores per Slurm job (default: 1)",
    )
    parser.add_argument("--retry", action="store_true", help="evaluate failed models again")
    parser.add_argument(
        "--report",
        action="store_true",
        help="at the end, write the outputs of `report` and `compare` to --output",
    )
    parser.add_argument(
        "--executor",
        choices=_EXECUTORS,
        default=_EXECUTORS[0],
        help="run on this machine or as Slurm jobs (default: %(default)s)",
    )
    _add_slurm_options(parser)
    add_evaluation_options(parser, Path("sweep"))


def _add_slurm_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("Slurm jobs")
    group.add_argument(
        "--slurm",
        action="append",
        default=[],
        type=_parse_resource,
        metavar="NAME=VALUE",
        help="option of sbatch, such as partition=gpu or gres=gpu:1 (repeatable)",
    )
    group.add_argument(
        "--models-per-job", type=positive, default=10, metavar="N", help="models per job (default: %(default)s)"
    )
    group.add_argument(
        "--minutes",
        type=positive,
        default=1440,
        metavar="N",
        help="time limit of a job in minutes (default: %(default)s)",
    )


def _parse_resource(text: str) -> tuple[str, str]:
    from harness.evaluation.sweeps.cluster import parse_resource

    try:
        return parse_resource(text)
    except ValueError:
        raise argparse.ArgumentTypeError("use NAME=VALUE, such as partition=gpu") from None


def _sweep(options: argparse.Namespace) -> None:
    from harness.evaluation.modules.importing import import_evaluate_alone
    from harness.evaluation.modules.named import locate_metrics
    from harness.evaluation.runner import load_named_metrics
    from harness.evaluation.sweeps.computing import Job
    from harness.evaluation.sweeps.units import SweepFolder, make_unit

    folder, division = SweepFolder(options.output), _divide_work(options)
    if str(options.models) == _STATUS:
        say(render_status(folder, folder.read_states(folder.read_units()), division.workers))
        return
    if options.report:
        require("matplotlib", "plots")  # before the computation, so that the error comes early
    test_names = choose_tests(options)
    plan = _parse_plan(options, test_names)
    metrics = locate_metrics(options.metric)
    suite, settings = load_requested_suite(options, test_names), make_settings(options, metrics)
    if metrics:
        import_evaluate_alone()
        load_named_metrics(suite, settings)
    units = [make_unit(spec, parsed, suite, settings) for spec, parsed in plan.items()]
    folder.prepare(units)
    _compute(Job(folder, suite.for_processes(), settings, list_defaults(options)), units, options, division)
    states = folder.read_states(units)
    files = list_result_files(folder, states)
    show_results(folder, states, files, division.workers)
    if options.report and files:
        write_reports(folder, files, options.resamples, options.seed)
    if len(files) < len(units):
        remedy = "Run the command again. For failed models, correct the cause and add --retry"
        raise ModelError(f"{len(units) - len(files)} of {len(units)} models have no result. {remedy}")


def _parse_plan(options: argparse.Namespace, test_names: Sequence[str]) -> dict[str, Spec]:
    """Check every spec of the plan, and that all models have different names, before the computation.

    Returns:
        Parsed specs by spec, shortcuts included.

    Raises:
        PyramidParaphraseError: If a spec cannot be used, or a name occurs twice. The message names the line.
    """
    from harness.evaluation.sweeps.plans import read_plan
    from harness.models.loading import check_spec
    from harness.models.specs import list_missing_shortcuts, parse_spec, require_different_names

    plan: dict[str, Spec] = {}
    lines: dict[str, int] = {}
    for model in read_plan(options.models):
        where = place(str(options.models), model.line)
        try:
            parsed = check_spec(model.spec, list_defaults(options), options.send_text_to)
        except (OptionError, ModelError) as error:
            raise type(error)(f"{where}: {error}") from None
        if parsed.title in lines:
            remedy = "Remove one of them, or add ,name=..."
            raise OptionError(f"{where}: {parsed.title} is also on line {lines[parsed.title]}. {remedy}")
        plan[model.spec], lines[parsed.title] = parsed, model.line
    require_different_names(list(lines), list_missing_shortcuts(plan.values(), CONFIGURATION_NAMES))
    return plan | {name: parse_spec(name) for name in list_missing_shortcuts(plan.values(), test_names)}


def _compute(job: Job, units: Sequence[Unit], options: argparse.Namespace, division: _Division) -> None:
    from harness.evaluation.sweeps.units import State
    from harness.support.progress import Progress

    states = job.folder.read_states(units)
    if options.retry:
        for unit in units:
            if states[unit] is State.FAILED:
                job.folder.forget_failure(unit)
                states[unit] = State.MISSING
    waiting = [unit for unit in units if states[unit] in (State.MISSING, State.RUNNING)]
    with Progress(visible=not options.quiet) as progress:
        progress.start("models", len(units), len(units) - len(waiting))
        for _ in _choose_executor(options, division)(job, waiting):
            progress.advance(1)


def _choose_executor(
    options: argparse.Namespace, division: _Division
) -> Callable[[Job, Sequence[Unit]], Iterator[object]]:
    if options.executor == _SLURM:
        from harness.evaluation.sweeps.cluster import Resources, compute_on_slurm

        resources = Resources(
            division.workers, options.models_per_job, options.threads or 1, options.minutes, dict(options.slurm)
        )
        return partial(compute_on_slurm, resources=resources)
    from harness.evaluation.sweeps.local import Processes, compute_locally

    threads = options.threads or max(1, count_cores() // division.workers)
    return partial(compute_locally, processes=Processes(division.workers, threads, division.gpus))


class _Division(NamedTuple):
    """The division of the models among processes or jobs.

    Attributes:
        workers: Number of processes or jobs at a time.
        gpus: Names of the GPUs that the processes share.
    """

    workers: int
    gpus: tuple[str, ...]


def _divide_work(options: argparse.Namespace) -> _Division:
    """Count the processes and list their GPUs. Devices other than ``cuda`` need no GPU."""
    gpus: tuple[str, ...] = ()
    if options.executor != _SLURM and options.device in (None, "cuda"):
        gpus = list_gpus()
    return _Division(options.workers or len(gpus) or count_cores(), gpus)
