"""Processes on this machine and Slurm jobs that compute units. If a process is killed, its unit fails."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import cycle, islice
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from typing import Any

from harness.evaluation.sweeps.units import ENDED, State, SweepFolder, Unit
from harness.metrics.named_metrics import import_evaluate_alone
from harness.support.errors import MEMORY_REMEDY
from harness.support.hardware import VISIBLE_GPUS
from harness.support.workers import accept_interrupts, holding_interrupts
from pyramid_paraphrase.errors import OptionError, OutputError, cannot_write
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files.extras import require

ComputeUnit = Callable[..., None]
"""Computes a unit: `compute_unit` with the tests and settings that all units of a sweep share. Its arguments are the
unit and ``waits``."""

_CONTEXT = get_context("spawn")  # the same on all systems, and safe with threads

_SECONDS_BEFORE_FAILURE = 1.0
"""Delay before the unit of a killed process is recorded as failed. A scheduler that cancels a job also kills the parent
process, which then records no failure."""

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
"""Variables that set the number of threads of libraries: OpenMP, MKL, and the tokenizers of transformers."""

EXTRA = "slurm"
_SECONDS_BETWEEN_POLLS = 2.0
_logger = make_logger(__name__)


class _Worker:
    """Computes one unit after another in a process of its own. If the process ends, another one computes the next unit.

    Args:
        compute: Computes a unit. It is sent once to a process.
        threads: Number of threads of the libraries in the process.
        gpu: Name of the GPU that the process sees. Empty for all GPUs.
    """

    def __init__(self, compute: ComputeUnit, threads: int, gpu: str) -> None:
        self._compute, self._threads, self._gpu = compute, threads, gpu
        self._launch()

    def _launch(self) -> None:
        self.tasks, child_end = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_work, args=(child_end, self._threads, self._gpu), daemon=True)
        with holding_interrupts():
            self._process.start()
        child_end.close()
        with suppress(OSError):  # `finish` notices that a process has ended
            self.tasks.send(self._compute)

    def start(self, task: tuple[Unit, bool]) -> None:
        """Send a unit to the process, and whether it waits if another sweep computes the unit."""
        self.task, self._started = task, time.perf_counter()
        if not self._process.is_alive():
            self.end()
            self._launch()
        with suppress(OSError):
            self.tasks.send(task)

    def finish(self) -> str:
        """Wait for the unit to end.

        Returns:
            A description of how the process ended. Empty if the unit ended before the process.

        Raises:
            OutputError: If the process could not write a file.
        """
        try:
            problem = self.tasks.recv()
        except (EOFError, OSError):
            self._process.join()
            return _describe_end(self._process.exitcode or 0)
        if problem is not None:
            raise problem
        return ""

    @property
    def seconds(self) -> float:
        """Time since the unit was started."""
        return time.perf_counter() - self._started

    def end(self) -> None:
        """Tell the idle process to exit, and wait for it."""
        with suppress(OSError):
            self.tasks.send(None)
        self._process.join()
        self.tasks.close()
        self._process.close()

    def stop(self) -> None:
        """Kill the process. The files that it has written remain."""
        self.tasks.close()
        self._process.kill()
        self._process.join()
        self._process.close()


def _describe_end(code: int) -> str:
    if code >= 0:
        return f"the process ended with exit status {code}. See the log"
    name = signal.Signals(-code).name
    if name == "SIGKILL":
        return f"the process was ended by {name}, possibly because memory ran out. {MEMORY_REMEDY}"
    return f"the process was ended by {name}. See the log"


def _work(tasks: Connection, threads: int, gpu: str) -> None:
    """Compute the units that arrive. The process exits at once when the pipe closes, for example with its parent."""
    # These signals are ignored, because the parent ends this process. Slurm and submitit send them to all processes of
    # a job before they queue it again.
    for name in ("SIGTERM", "SIGHUP", "SIGUSR2"):
        if hasattr(signal, name):  # Windows has the first one only
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    accept_interrupts(signal.SIG_IGN)
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, str(threads)))  # before torch is imported
    if gpu:
        os.environ[VISIBLE_GPUS] = gpu
    import datasets
    from threadpoolctl import threadpool_limits

    import_evaluate_alone()
    datasets.disable_progress_bars()
    compute: ComputeUnit = tasks.recv()
    received: SimpleQueue[tuple[Unit, bool] | None] = SimpleQueue()

    def receive() -> None:
        with suppress(EOFError, OSError):
            while True:
                received.put(tasks.recv())
        os._exit(1)

    threading.Thread(target=receive, daemon=True).start()
    with threadpool_limits(threads):
        while (task := received.get()) is not None:
            unit, waits = task
            problem = None
            try:
                compute(unit, waits=waits)
            except OutputError as error:  # ends the sweep, because other units would have the same problem
                problem = error
            tasks.send(problem)


def compute_locally(
    folder: SweepFolder,
    compute: ComputeUnit,
    units: Sequence[Unit],
    *,
    workers: int,
    threads: int,
    gpus: Sequence[str] = (),
) -> Iterator[Unit]:
    """Compute units in several processes. Units that another sweep is computing come last, and this function waits.

    Args:
        folder: The folder of the sweep.
        compute: Computes a unit.
        units: The units, in the order in which they are computed.
        workers: Number of processes.
        threads: Number of threads of the libraries in each process.
        gpus: Names of GPUs as in ``CUDA_VISIBLE_DEVICES``. Each process sees one GPU. Processes share GPUs if there are
            more processes than GPUs. Empty to leave the choice to each model.

    Yields:
        The units as they end.

    Raises:
        OutputError: If a file cannot be written, for example because the disk is full. All processes are ended.
    """
    waiting = deque((unit, False) for unit in units)
    busy: list[_Worker] = []
    try:
        for gpu in islice(cycle(gpus or [""]), min(workers, len(units))):
            busy.append(_Worker(compute, threads, gpu))
            busy[-1].start(waiting.popleft())
        while busy:
            ready = wait([worker.tasks for worker in busy])
            for worker in [worker for worker in busy if worker.tasks in ready]:
                unit, waits = worker.task
                if reason := worker.finish():
                    time.sleep(_SECONDS_BEFORE_FAILURE)
                    folder.write_failure(unit, reason, worker.seconds)
                if waits or folder.state_of(unit) in ENDED:
                    yield unit
                else:
                    waiting.append((unit, True))
                if waiting:
                    worker.start(waiting.popleft())
                else:
                    busy.remove(worker)
                    worker.end()
    finally:
        for worker in busy:
            worker.stop()


class UnitsOfJob:
    """The units of one job. submitit calls this object on a node.

    Args:
        folder: The folder of the sweep.
        compute: Computes a unit.
        units: The units.
        threads: Number of threads of the libraries.
    """

    def __init__(self, folder: SweepFolder, compute: ComputeUnit, units: Sequence[Unit], threads: int) -> None:
        self._folder, self._compute, self._units, self._threads = folder, compute, units, threads

    def __call__(self) -> None:
        """Compute the units that have no outcome, in a child process, so that a crash fails only one unit."""
        waiting = [unit for unit in self._units if self._folder.read_finished(unit) is State.MISSING]
        for _ in compute_locally(self._folder, self._compute, waiting, workers=1, threads=self._threads):
            pass

    def checkpoint(self) -> Any:  # noqa: ANN401 - submitit is optional
        """Return the call that submitit queues again when Slurm preempts the job."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self)


def compute_on_slurm(
    folder: SweepFolder,
    compute: ComputeUnit,
    units: Sequence[Unit],
    *,
    jobs: int,
    models_per_job: int,
    threads: int,
    minutes: int,
    options: Mapping[str, str],
) -> Iterator[Unit]:
    """Compute units in a job array, and wait for them.

    Args:
        folder: The folder of the sweep, on a file system that all nodes share.
        compute: Computes a unit.
        units: The units.
        jobs: Maximum number of jobs that run at the same time.
        models_per_job: Number of models that a job computes one after another.
        threads: Number of cores of a job.
        minutes: Time limit of a job.
        options: Options of ``sbatch`` by their long names, such as ``{"partition": "gpu", "gres": "gpu:1"}``.

    Yields:
        The units as their outcomes appear. A unit whose job was cancelled has no outcome and is not yielded.

    Raises:
        MissingExtraError: If submitit is not installed.
        OptionError: If Slurm is not installed, or if it refuses the jobs.
        OutputError: If the jobs cannot be written.
    """
    submitit = require("submitit", EXTRA)
    if shutil.which("sbatch") is None:
        raise OptionError("Slurm is not installed on this machine (sbatch is not on the PATH). Use --executor local")
    if not units:
        return
    executor = submitit.SlurmExecutor(folder=folder.jobs)
    executor.update_parameters(
        job_name="pyramid-paraphrase",
        time=minutes,
        array_parallelism=jobs,
        cpus_per_task=threads,
        additional_parameters=dict(options),
    )
    parts = [units[start : start + models_per_job] for start in range(0, len(units), models_per_job)]
    try:
        with executor.batch():
            submitted = [executor.submit(UnitsOfJob(folder, compute, part, threads)) for part in parts]
    except submitit.core.utils.FailedJobError as error:
        raise OptionError(f"Slurm refused the jobs ({' '.join(str(error).split())}). Check --slurm") from None
    except OSError as error:  # submitit writes the jobs to files, and starts sbatch
        raise cannot_write(error.filename or folder.jobs, error) from None
    _logger.info("submitted %d jobs", len(submitted))
    array = str(submitted[0].job_id).split("_")[0]
    waiting = list(units)
    is_alive = True
    while waiting and is_alive:
        time.sleep(_SECONDS_BETWEEN_POLLS)
        is_alive = _is_in_queue(array)  # before the outcomes are read, so that the last outcomes are not missed
        states = folder.read_states(waiting)
        yield from (unit for unit, state in states.items() if state in ENDED)
        waiting = [unit for unit, state in states.items() if state not in ENDED]


def _is_in_queue(array: str) -> bool:
    """Return whether a job of an array is waiting or running. The result is True if Slurm does not answer."""
    command = ["squeue", "--noheader", "--jobs", array, "--format", "%i"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if answer.returncode:
        return "Invalid job id" not in answer.stderr
    return bool(answer.stdout.strip())
