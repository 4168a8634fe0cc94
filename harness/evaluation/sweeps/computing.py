"""The computation of one unit in its own process, whose output goes to the log of the unit."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from harness.evaluation.runner import Settings, Suite, load_and_evaluate
from harness.evaluation.sweeps.units import State, SweepFolder, Unit, make_unit
from harness.models.loading import load_model
from harness.models.specs import parse_spec
from harness.support.errors import ModelError, describe_cause, describe_lack_of_memory, is_out_of_memory
from pyramid_paraphrase.errors import PyramidParaphraseError


class Job(NamedTuple):
    """The settings that all units of a sweep share.

    Attributes:
        folder: The folder of the sweep.
        suite: The tests.
        settings: Settings of the evaluation.
        defaults: Options for the kinds of models that take them, as for `load_model`.
    """

    folder: SweepFolder
    suite: Suite
    settings: Settings
    defaults: Mapping[str, Any]


def compute_unit(job: Job, unit: Unit, *, waits: bool) -> None:
    """Compute a unit and write its result, or the reason of its failure, unless it already has an outcome.

    Args:
        job: The settings that all units share.
        unit: The unit.
        waits: Whether to wait if another process computes the unit. Otherwise the function returns at once.

    Raises:
        OutputError: If the outcome cannot be written.
    """
    with job.folder.lock(unit, waits=waits) as is_mine:
        if is_mine and job.folder.read_finished(unit) is State.MISSING:
            _compute(job, unit)


def _compute(job: Job, unit: Unit) -> None:
    started = time.perf_counter()
    with _redirect_output(job.folder.log_of(unit)):
        try:
            load = partial(load_model, unit.spec, job.defaults, send_text_to=job.settings.send_text_to)
            result = load_and_evaluate(unit.title, load, job.suite, job.settings)
            evaluated = _identify(job, unit)
        except Exception as error:  # a model may raise any exception, and must not stop the other models
            traceback.print_exc()
            job.folder.write_failure(unit, _describe(error), time.perf_counter() - started)
        else:
            job.folder.write_result(evaluated, result, started)


def _identify(job: Job, unit: Unit) -> Unit:
    """Return a unit with the commit that was evaluated.

    Raises:
        ModelError: If a file of the model has changed since the plan of the sweep was made.
    """
    evaluated = make_unit(unit.spec, parse_spec(unit.spec, job.defaults), job.suite, job.settings)
    if evaluated.key != unit.key:
        raise ModelError(f"{unit.title}: a file of the model changed during the sweep. Run the sweep again")
    return evaluated


def _describe(error: Exception) -> str:
    if isinstance(error, PyramidParaphraseError):
        return str(error)
    if is_out_of_memory(error):
        return describe_lack_of_memory(error)
    return f"{type(error).__name__}: {describe_cause(error)}"


@contextmanager
def _redirect_output(log: Path) -> Iterator[None]:
    """Write the output of this process and of its libraries to a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    saved_handles = [os.dup(1), os.dup(2)]
    with log.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for handle, number in zip(saved_handles, (1, 2), strict=True):
            os.dup2(handle, number)
            os.close(handle)
