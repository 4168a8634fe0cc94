"""Slurm jobs that compute units, submitted as a job array with submitit."""

from __future__ import annotations

import logging
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from harness.evaluation.sweeps.computing import Job
from harness.evaluation.sweeps.local import Processes, compute_locally
from harness.evaluation.sweeps.units import ENDED, State, Unit
from harness.support.extras import require
from pyramid_paraphrase.errors import OptionError

EXTRA = "slurm"
_SECONDS_BETWEEN_POLLS = 2.0

_logger = logging.getLogger(__name__)


class Resources(NamedTuple):
    """The resources that the jobs of a sweep request from Slurm.

    Attributes:
        jobs: Maximum number of jobs that run at the same time.
        models_per_job: Number of models that a job computes one after another.
        threads: Number of cores of a job.
        minutes: Time limit of a job.
        options: Options of ``sbatch`` by their long names, such as ``{"partition": "gpu", "gres": "gpu:1"}``.
    """

    jobs: int
    models_per_job: int
    threads: int
    minutes: int
    options: Mapping[str, str]


class UnitsOfJob:
    """The units of one job. submitit calls this object on a node.

    Args:
        job: The settings that all units share.
        units: The units.
        threads: Number of threads of the libraries.
    """

    def __init__(self, job: Job, units: Sequence[Unit], threads: int) -> None:
        self._job, self._units, self._threads = job, units, threads

    def __call__(self) -> None:
        """Compute the units that have no outcome, in a child process, so that a crash fails only one unit."""
        waiting = [unit for unit in self._units if self._job.folder.read_finished(unit) is State.MISSING]
        for _ in compute_locally(self._job, waiting, Processes(1, self._threads)):
            pass

    def checkpoint(self) -> Any:  # noqa: ANN401 - submitit is optional
        """Return the call that submitit queues again when Slurm preempts the job."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self)


def compute_on_slurm(job: Job, units: Sequence[Unit], resources: Resources) -> Iterator[Unit]:
    """Compute units in a job array, and wait for them.

    Args:
        job: The settings that all units share. Its folder must be on a file system that all nodes share.
        units: The units.
        resources: The resources of the jobs.

    Yields:
        The units as their outcomes appear. A unit whose job was cancelled has no outcome and is not yielded.

    Raises:
        MissingExtraError: If submitit is not installed.
        OptionError: If Slurm is not installed, or if it refuses the jobs.
    """
    require("submitit", EXTRA)
    if shutil.which("sbatch") is None:
        raise OptionError("Slurm is not installed on this machine (sbatch is not on the PATH). Use --executor local")
    if not units:
        return
    array = _submit(job, units, resources)
    waiting = list(units)
    is_alive = True
    while waiting and is_alive:
        time.sleep(_SECONDS_BETWEEN_POLLS)
        is_alive = _is_in_queue(array)  # before the outcomes are read, so that the last outcomes are not missed
        states = job.folder.read_states(waiting)
        yield from (unit for unit, state in states.items() if state in ENDED)
        waiting = [unit for unit, state in states.items() if state not in ENDED]


def _submit(job: Job, units: Sequence[Unit], resources: Resources) -> str:
    """Submit the job array, and return its number."""
    import submitit

    size = resources.models_per_job
    parts = [units[start : start + size] for start in range(0, len(units), size)]
    executor = submitit.SlurmExecutor(folder=job.folder.jobs)
    executor.update_parameters(
        job_name="pyramid-paraphrase",
        time=resources.minutes,
        array_parallelism=resources.jobs,
        cpus_per_task=resources.threads,
        additional_parameters=dict(resources.options),
    )
    try:
        with executor.batch():
            jobs = [executor.submit(UnitsOfJob(job, part, resources.threads)) for part in parts]
    except submitit.core.utils.FailedJobError as error:
        raise OptionError(f"Slurm refused the jobs ({' '.join(str(error).split())}). Check --slurm") from None
    _logger.info("submitted %d jobs", len(jobs))
    return str(jobs[0].job_id).split("_")[0]


def _is_in_queue(array: str) -> bool:
    """Return whether a job of an array is waiting or running. The result is True if Slurm does not answer."""
    command = ["squeue", "--noheader", "--jobs", array, "--format", "%i"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if answer.returncode:
        return "Invalid job id" not in answer.stderr
    return bool(answer.stdout.strip())


def parse_resource(text: str) -> tuple[str, str]:
    """Parse an option of ``sbatch`` as ``NAME=VALUE``.

    Raises:
        ValueError: If it does not have this form.
    """
    name, equals, value = text.removeprefix("--").partition("=")
    if not (name.replace("-", "").isalpha() and name.islower() and equals and value and value.isprintable()):
        raise ValueError(text)
    return name, value
