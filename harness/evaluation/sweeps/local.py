"""Processes on this machine that compute units. A process that is killed fails its unit and is replaced."""

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

from harness.evaluation.sweeps.computing import Job, compute_unit
from harness.evaluation.sweeps.units import State, Unit
from harness.support.errors import MEMORY_REMEDY

_CONTEXT = get_context("spawn")  # the same on all systems, and safe with threads

_SECONDS_BEFORE_BLAME = 1.0
"""A scheduler that cancels a job kills all its processes. This one is then killed before it calls the model failed."""


class Worker:
    """A process that computes one unit after another.

    Args:
        job: What all units have in common; sent once.
        threads: Number of threads of its libraries.
    """

    def __init__(self, job: Job, threads: int) -> None:
        self.tasks, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_work, args=(theirs, threads), daemon=True)
        self._process.start()
        theirs.close()
        self.unit: Unit | None = None
        self._started = 0.0
        with suppress(OSError):  # a process that has ended is noticed when its unit is awaited
            self.tasks.send(job)

    def start(self, unit: Unit) -> None:
        """Let the process compute a unit."""
        self.unit, self._started = unit, time.perf_counter()
        with suppress(OSError):
            self.tasks.send(unit)

    def finish(self) -> str:
        """Wait for the unit to end.

        Returns:
            Why the process ended before its unit; empty if the unit has an outcome.
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
        """Let the process end by itself, since it has no unit."""
        with suppress(OSError):
            self.tasks.send(None)
        self._process.join()
        self.tasks.close()
        self._process.close()

    def stop(self) -> None:
        """End the process at once. What it has written stays."""
        self.tasks.close()
        self._process.kill()
        self._process.join()
        self._process.close()


def _describe_end(code: int) -> str:
    if code >= 0:
        return f"the process ended with exit status {code}; see the log"
    name = signal.Signals(-code).name
    if name == "SIGKILL":
        return f"the process was ended by {name}, perhaps because memory ran out; {MEMORY_REMEDY}"
    return f"the process was ended by {name}; see the log"


def _work(tasks: Connection, threads: int) -> None:
    """Compute the units that arrive. The process ends at once when the pipe closes, as when the parent is killed."""
    # The parent ends this process. Slurm sends SIGTERM to all processes of a job that it will queue again.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.environ["OMP_NUM_THREADS"] = str(threads)  # before torch is imported
    import datasets
    from threadpoolctl import threadpool_limits

    datasets.disable_progress_bars()
    job: Job = tasks.recv()
    units: SimpleQueue[Unit | None] = SimpleQueue()

    def receive() -> None:
        with suppress(EOFError, OSError):
            while True:
                units.put(tasks.recv())
        os._exit(1)

    threading.Thread(target=receive, daemon=True).start()
    with threadpool_limits(threads):
        while (unit := units.get()) is not None:
            compute_unit(job, unit)
            tasks.send(None)


class Finished(NamedTuple):
    """A unit that has an outcome.

    Attributes:
        unit: The unit.
        state: `State.DONE`, `State.FAILED`, or `State.RUNNING` if another sweep computes it.
    """

    unit: Unit
    state: State


def compute_locally(job: Job, units: Sequence[Unit], workers: int, threads: int) -> Iterator[Finished]:
    """Compute units in several processes.

    Args:
        job: What all units have in common.
        units: The units, computed in their order.
        workers: Number of processes.
        threads: Number of threads of each.

    Yields:
        The units as they end.
    """
    waiting = deque(units)
    busy: list[Worker] = []
    try:
        for _ in range(min(workers, len(units))):
            worker = Worker(job, threads)
            busy.append(worker)
            worker.start(waiting.popleft())
        while busy:
            for worker in _wait_for_any(busy):
                unit = worker.unit
                assert unit is not None
                busy.remove(worker)
                replacement = _settle(job, worker, unit, threads, needed=bool(waiting))
                if replacement is not None:
                    busy.append(replacement)
                    replacement.start(waiting.popleft())
                yield Finished(unit, job.folder.state_of(unit))
    finally:
        for worker in busy:
            worker.stop()


def _wait_for_any(busy: Sequence[Worker]) -> list[Worker]:
    ready = set(map(id, wait([worker.tasks for worker in busy])))
    return [worker for worker in busy if id(worker.tasks) in ready]


def _settle(job: Job, worker: Worker, unit: Unit, threads: int, *, needed: bool) -> Worker | None:
    """Note how a unit ended, and return the process for the next unit, if one is needed."""
    reason = worker.finish()
    if reason:
        time.sleep(_SECONDS_BEFORE_BLAME)
        job.folder.write_failure(unit, reason, worker.seconds)
    if needed and not reason:
        return worker
    worker.end()
    return Worker(job, threads) if needed else None
