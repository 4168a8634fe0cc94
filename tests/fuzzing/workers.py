"""Processes that run inputs. A process that its limits end is replaced."""

from __future__ import annotations

import faulthandler
import json
import logging
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from fuzzing.cases import Case, read_case
from fuzzing.oracle import HOME, INPUT, TEMPORARY, Failure, Outcome, find_place_in_dump, judge
from fuzzing.target import Arguments, Target

IDLE_SECONDS = 6
"""Wall-clock seconds without processor time after which a process is killed, because it waits for something."""
_END_SECONDS = 10
"""Wall-clock seconds that an idle process has to exit."""

_LOG, _RUNNING = "log", "running.json"
_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "TOKENIZERS_PARALLELISM": "false",
    "TERM": "dumb",
}


class Task(NamedTuple):
    """Inputs for a worker.

    Attributes:
        target: Name of the target.
        seed: Seed of the campaign.
        numbers: Numbers of the inputs.
        case: An input to run instead of the numbered inputs.
    """

    target: str
    seed: int
    numbers: Sequence[int]
    case: Case | None = None


class Answer(NamedTuple):
    """The answer of a process for an input.

    Attributes:
        number: Number of the input. Negative for seeds.
        outcome: The outcome of the input.
        case: The input, if it failed.
    """

    number: int
    outcome: Outcome
    case: Case | None


class Report(NamedTuple):
    """The fields of an `Answer`, and the wall-clock time in seconds."""

    number: int
    outcome: Outcome
    case: Case | None
    seconds: float


class Worker:
    """A process and its replacements.

    Args:
        targets: All targets, by name.
        hash_seed: Seed of Python's hashes, which determines the order of sets.
    """

    def __init__(self, targets: dict[str, Target], hash_seed: int = 0) -> None:
        self._targets = targets
        self._hash_seed = hash_seed
        self._folder = tempfile.TemporaryDirectory(prefix="fuzzing-")
        self._base = Path(self._folder.name).resolve()
        self.room = self._base / "room"
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None

    def run(self, task: Task) -> list[Report]:
        """Run inputs one after the other. If an input ends the process, a new process runs the remaining inputs.

        Returns:
            The reports of all inputs, and of the seeds that a process ran first.
        """
        reports: list[Report] = []
        numbers = list(task.numbers)
        while numbers:
            pipe = self._send(task._replace(numbers=numbers))
            started = time.monotonic()
            while (answer := self._receive(pipe)) is not None:
                reports.append(Report(*answer, time.monotonic() - started))
                started = time.monotonic()
                numbers = [number for number in numbers if number != answer.number]
                if answer.outcome.failure and answer.outcome.failure.kind == "memory":
                    self._stop()  # its remaining memory would count for later inputs
                    break
                if not numbers:
                    return reports
            else:
                lost = self._explain_death()
                reports.append(Report(*lost, time.monotonic() - started))
                is_seed = lost.number < 0  # every new process would run it first, and end again
                numbers = [] if is_seed else [number for number in numbers if number > lost.number]
        return reports

    def close(self) -> None:
        """End the process, and remove its files."""
        if self._process is not None and self._pipe is not None:
            self._pipe.close()
            self._process.join(_END_SECONDS)
        self._stop()
        self._folder.cleanup()

    def _send(self, task: Task) -> Connection:
        """Send a task to the process, and return the pipe for its answers.

        The process can end between two tasks, for instance when the system kills it. It is then started again.
        """
        pipe = self._start()
        try:
            pipe.send(task)
        except (BrokenPipeError, ConnectionResetError):
            self._stop()
            pipe = self._start()
            pipe.send(task)
        return pipe

    def _start(self) -> Connection:
        """Return the pipe to the running process. Start a process if none is running."""
        if self._pipe is not None and self._process is not None and self._process.is_alive():
            return self._pipe
        self._stop()
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        before = dict(os.environ)
        os.environ.update(_ENVIRONMENT, PYTHONHASHSEED=str(self._hash_seed), TMPDIR=str(self.room / TEMPORARY))
        os.environ.update(HOME=str(self.room / HOME), XDG_CACHE_HOME=str(self._base / "cache"))
        os.environ.update(HF_HOME=str(self._base / "hf"), TORCHINDUCTOR_CACHE_DIR=str(self._base / "torch"))
        try:
            self._process = context.Process(target=_serve, args=(theirs, self.room, self._targets), daemon=True)
            self._process.start()
        finally:
            os.environ.clear()
            os.environ.update(before)
        theirs.close()
        self._pipe = ours
        return ours

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def _receive(self, pipe: Connection) -> Answer | None:
        """Wait for the answer for an input. Return None if the process ended or waits forever."""
        try:
            if not self._wait(pipe):
                self._dump_stack()
                return None
            answer: Answer = pipe.recv()
        except (EOFError, ConnectionResetError):
            return None
        return answer

    def _wait(self, pipe: Connection) -> bool:
        """Wait for an answer as long as the process uses processor time. Return whether there is an answer."""
        used, since = self._read_work(), time.monotonic()
        while not pipe.poll(1):
            if (now := self._read_work()) != used:
                used, since = now, time.monotonic()
            elif time.monotonic() - since > IDLE_SECONDS:
                return False
        return True

    def _read_work(self) -> str:
        """Read the processor time of the process. Return an empty text if the system does not report it."""
        assert self._process is not None
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return ""
        return " ".join(fields[11:15])

    def _dump_stack(self) -> None:
        """Make a waiting process write its stack, and end."""
        assert self._process is not None
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGUSR1)
        self._process.join(1)

    def _explain_death(self) -> Answer:
        """Return the last input of the ended process, with the reason for its end as the failure."""
        assert self._process is not None
        self._process.join(5)
        code = self._process.exitcode
        self._stop()
        name = "does not answer" if code is None else f"ended with status {code}"
        if code is not None and code < 0:
            name = f"was ended by {signal.Signals(-code).name}"
        kinds = {-signal.SIGXCPU: "slow", -signal.SIGUSR1: "waits"}
        log = (self._base / _LOG).read_text(errors="replace") if (self._base / _LOG).exists() else ""
        dump = log[max(log.rfind("most recent call first"), 0) :][-5000:]
        kind = kinds.get(code or 0, "killed")
        failure = Failure(kind, f"the process {name}", find_place_in_dump(dump), dump)
        number, arguments = json.loads((self._base / _RUNNING).read_text())
        return Answer(number, Outcome("", failure), read_case(self.room / INPUT, tuple(arguments)))


def _serve(pipe: Connection, room: Path, targets: dict[str, Target]) -> None:
    """Run inputs until the parent ends or closes the pipe."""
    _prepare(room)
    warm: set[str] = set()
    while True:
        try:
            task: Task = pipe.recv()
        except EOFError:
            return
        target = targets[task.target]
        if target.name not in warm:
            warm.add(target.name)
            _warm_up(target, pipe, room)
        for number in task.numbers:
            _announce(number, (), room)  # in case the input cannot be made
            _run_case(target, number, task.case or target.make_case(task.seed, number), pipe, room)


def _warm_up(target: Target, pipe: Connection, room: Path) -> None:
    """Run the seeds twice, first without limits, so that the time of imports does not count for any input."""
    _announce(-1, (), room)
    for case in target.seeds:
        judge(target, case, room, limited=False)
    for number, case in enumerate(target.seeds, 1):
        _run_case(target, -number, case, pipe, room)


def _run_case(target: Target, number: int, case: Case, pipe: Connection, room: Path) -> None:
    _announce(number, case.arguments, room)
    outcome = judge(target, case, room)
    pipe.send(Answer(number, outcome, case if outcome.failure else None))


def _announce(number: int, arguments: Arguments, room: Path) -> None:
    """Write the current input to a file, which explains the end of the process later."""
    (room.parent / _RUNNING).write_text(json.dumps([number, arguments]))


def _prepare(room: Path) -> None:
    """Redirect all output to a log, and make the process write its stack there when a signal ends it."""
    room.mkdir(exist_ok=True)
    (room / TEMPORARY).mkdir(exist_ok=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    log = (room.parent / _LOG).open("w")
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    faulthandler.enable(log)
    for number in (signal.SIGXCPU, signal.SIGUSR1):
        faulthandler.register(number, log, chain=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
    logging.captureWarnings(False)
