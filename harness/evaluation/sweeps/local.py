"""Processes on this machine that compute units. If a process is killed, its unit fails and a new process starts."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from typing import NamedTuple

from harness.evaluation.modules.importing import import_evaluate_alone
from harness.evaluation.sweeps.computing import Job, compute_unit
from harness.evaluation.sweeps.units import ENDED, Unit
from harness.support.errors import MEMORY_REMEDY
from harness.support.hardware import VISIBLE_GPUS

_CONTEXT = get_context("spawn")  # the same on all systems, and safe with threads

_SECONDS_BEFORE_FAILURE = 1.0
"""Delay before the unit of a killed process is recorded as failed. A scheduler that cancels a job also kills the parent
process, which then records no failure."""

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
"""Variables that set the number of threads of libraries: OpenMP, MKL, and the tokenizers of transformers."""


class Processes(NamedTuple):
    """The number of processes, and the resources of each.

    Attributes:
        workers: Number of processes.
        threads: Number of threads of the libraries in each process.
        gpus: Names of GPUs as in ``CUDA_VISIBLE_DEVICES``. Each process sees one GPU. Processes share GPUs if there are
            more processes than GPUs. Empty to leave the choice to each model.
    """

    workers: int
    threads: int
    gpus: tuple[str, ...] = ()


class _Task(NamedTuple):
    """A unit to compute.

    Attributes:
        unit: The unit.
        waits: Whether to wait if another sweep computes the unit.
    """

    unit: Unit
    waits: bool


class _Worker:
    """A process that computes one unit after another.

    Args:
        job: The settings that all units share. They are sent once.
        threads: Number of threads of its libraries.
        gpu: Name of the GPU that the process sees. Empty for all GPUs.
    """

    def __init__(self, job: Job, threads: int, gpu: str) -> None:
        self._job, self._threads, self._gpu = job, threads, gpu
        self.tasks, child_end = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_work, args=(child_end, threads, gpu), daemon=True)
        self._process.start()
        child_end.close()
        self.task: _Task | None = None
        self._started = 0.0
        with suppress(OSError):  # `finish` notices that a process has ended
            self.tasks.send(job)

    def replace(self) -> _Worker:
        """Start a new process with the same arguments, after this one has ended."""
        return _Worker(self._job, self._threads, self._gpu)

    def start(self, task: _Task) -> None:
        """Send a unit to the process."""
        self.task, self._started = task, time.perf_counter()
        with suppress(OSError):
            self.tasks.send(task)

    def finish(self) -> str:
        """Wait for the unit to end.

        Returns:
            A description of how the process ended. Empty if the unit ended before the process.
        """
        try:
            self.tasks.recv()
        except (EOFError, OSError):
            self._process.join()
            return _describe_end(self._process.exitcode or 0)
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
    for number in (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGUSR2", signal.SIGTERM)):
        signal.signal(number, signal.SIG_IGN)
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, str(threads)))  # before torch is imported
    if gpu:
        os.environ[VISIBLE_GPUS] = gpu
    import datasets
    from threadpoolctl import threadpool_limits

    import_evaluate_alone()
    datasets.disable_progress_bars()
    job: Job = tasks.recv()
    received: SimpleQueue[_Task | None] = SimpleQueue()

    def receive() -> None:
        with suppress(EOFError, OSError):
            while True:
                received.put(tasks.recv())
        os._exit(1)

    threading.Thread(target=receive, daemon=True).start()
    with threadpool_limits(threads):
        while (task := received.get()) is not None:
            compute_unit(job, task.unit, waits=task.waits)
            tasks.send(None)


def compute_locally(job: Job, units: Sequence[Unit], processes: Processes) -> Iterator[Unit]:
    """Compute units in several processes. Units that another sweep is computing come last, and this function waits.

    Args:
        job: The settings that all units share.
        units: The units, in the order in which they are computed.
        processes: The processes.

    Yields:
        The units as they end.
    """
    waiting = deque(_Task(unit, waits=False) for unit in units)
    busy: list[_Worker] = []
    try:
        for number in range(min(processes.workers, len(units))):
            gpu = processes.gpus[number % len(processes.gpus)] if processes.gpus else ""
            worker = _Worker(job, processes.threads, gpu)
            busy.append(worker)
            worker.start(waiting.popleft())
        while busy:
            for worker in _wait_for_any(busy):
                task = worker.task
                assert task is not None
                is_alive = _settle(job, worker, task.unit)
                is_settled = task.waits or job.folder.state_of(task.unit) in ENDED
                if not is_settled:
                    waiting.append(_Task(task.unit, waits=True))
                busy.remove(worker)
                busy += _continue(worker, waiting, is_alive=is_alive)
                if is_settled:
                    yield task.unit
    finally:
        for worker in busy:
            worker.stop()


def _continue(worker: _Worker, waiting: deque[_Task], *, is_alive: bool) -> list[_Worker]:
    """Start the next task in a process, or in its replacement if it has ended.

    Returns:
        The process that computes the task. Empty if no task is waiting.
    """
    if not (waiting and is_alive):
        worker.end()
    if not waiting:
        return []
    successor = worker if is_alive else worker.replace()
    successor.start(waiting.popleft())
    return [successor]


def _wait_for_any(busy: Sequence[_Worker]) -> list[_Worker]:
    ready = set(map(id, wait([worker.tasks for worker in busy])))
    return [worker for worker in busy if id(worker.tasks) in ready]


def _settle(job: Job, worker: _Worker, unit: Unit) -> bool:
    """Write a failure if the process ended before its unit, and return whether the process is alive."""
    reason = worker.finish()
    if reason:
        time.sleep(_SECONDS_BEFORE_FAILURE)
        job.folder.write_failure(unit, reason, worker.seconds)
    return not reason
