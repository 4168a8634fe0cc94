"""The units of a sweep (one model on one build each), the folder with their outcomes, and their computation."""

from __future__ import annotations

import errno
import hashlib
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, Suite, evaluate_model
from harness.evaluation.session import describe_local_files, find_commits, hash_request, load_named
from harness.files.hashing import hash_file
from harness.files.json_files import JsonRecord, render_json
from harness.files.writing import make_folder, write_file
from harness.models.interfaces.kinds import Spec
from harness.models.loading import load_model
from harness.models.specs import parse_spec
from harness.support.errors import ModelError, describe_cause, describe_lack_of_memory, is_out_of_memory
from harness.support.names import slug
from harness.support.progress import Progress
from harness.support.terminal import say, show
from pyramid_paraphrase.errors import InputError, OutputError, PyramidParaphraseError, cannot_remove, cannot_write
from pyramid_paraphrase.files import atomic
from pyramid_paraphrase.files.inputs import read_input

_FULL = (errno.ENOSPC, errno.EDQUOT)
_KEY_DIGITS = 12
_PLAN = "plan.json"
_REMEDY = "use the folder that `sweep` wrote with --output"
_UNREADABLE = (OSError, InputError, UnicodeDecodeError, msgspec.DecodeError)
"""Errors of reading a file and decoding its record."""


class State(Enum):
    """Whether a unit was computed. The next run computes missing units, and failed ones only with `--retry`."""

    DONE = "done"
    RUNNING = "running"
    FAILED = "failed"
    MISSING = "missing"


ENDED = (State.DONE, State.FAILED)
"""States of the units that have an outcome."""


class Unit(JsonRecord, frozen=True, omit_defaults=False):
    """One model on one build, as the plan of a sweep lists it.

    Attributes:
        spec: The spec as for `load_model`.
        title: Name of the model in tables.
        key: The hash of the request: the model with its options and local files, the tests, the bootstrap, the
            versions.
        commits: The commits of a model on the Hub or of the base model of an adapter. Empty if they are unknown.
    """

    spec: str
    title: str
    key: str
    commits: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        """Name of the files of this unit, without a suffix."""
        return f"{slug(self.title)}-{self.key[:_KEY_DIGITS]}"


class UnitOutcome(JsonRecord, frozen=True, omit_defaults=False):
    """The outcome of the computation of a unit.

    Attributes:
        key: The key of the unit.
        reason: Message of the error. Empty if there is a result.
        seconds: Duration, from loading the model to writing its result.
        files: SHA-256 of the files of the result, by path below the folder of results.
        commits: The commits that were evaluated, as for a unit.
    """

    key: str
    reason: str
    seconds: float
    files: dict[str, str]
    commits: tuple[str, ...] = ()


def make_unit(spec: str, parsed: Spec, suite: Suite, settings: Settings) -> Unit:
    """Describe a model on a build as a unit."""
    bootstrap = (settings.resamples, settings.seed)
    key = hash_request(parsed, describe_local_files(parsed), suite.fingerprint, bootstrap, settings.metrics)
    return Unit(spec, parsed.title, key, tuple(find_commits(parsed) or ()))


_TAIL_BYTES = 4096
"""Size of the end of a log in which `SweepFolder.find_last_words` looks for the last line."""


class SweepFolder:
    """The folder of a sweep.

    It contains the plan and the folders ``results`` (as `evaluate` writes them), ``units`` (outcomes and locks),
    ``logs``, and ``jobs`` (files that submitit writes for Slurm).

    Several processes and machines may use it at the same time. Two properties of the file system are assumed: renaming
    replaces a file atomically, and a lock of `flock` is valid on all machines, as on NFS, where Linux turns it into a
    lock of `fcntl`. Without locks, two sweeps may compute a unit twice. The results are the same.

    Args:
        root: The folder. It is created if it does not exist.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.results, self.jobs = root / "results", root / "jobs"
        self._units, self._logs = root / "units", root / "logs"

    def prepare(self, units: Sequence[Unit]) -> None:
        """Create the folders and write the plan.

        Raises:
            OutputError: If a folder or the plan cannot be written.
        """
        for folder in (self.results, self._units, self._logs):
            make_folder(folder)
        write_file(self.root / _PLAN, render_json({"units": msgspec.to_builtins(units)}))

    def read_units(self) -> list[Unit]:
        """Read the units of the plan.

        Raises:
            InputError: If the folder does not contain a plan.
        """
        path = self.root / _PLAN
        try:
            return msgspec.json.decode(read_input(path), type=dict[str, list[Unit]])["units"]
        except (*_UNREADABLE, KeyError):
            raise InputError(str(path), "is not the plan of a sweep", _REMEDY) from None

    def log_of(self, unit: Unit) -> Path:
        """Return the path of a unit's log, which exists once the unit has started."""
        return self._logs / f"{unit.stem}.log"

    def state_of(self, unit: Unit) -> State:
        """Return the state of a unit. A result with changed or removed files counts as missing."""
        with suppress(OSError):  # without the file, no process has computed the unit
            handle = os.open(self._lock_path(unit), os.O_RDWR)
            try:
                if not atomic.lock(handle, waits=False, is_shared=True):
                    return State.RUNNING
            finally:
                os.close(handle)
        return self.read_finished(unit)

    def read_states(self, units: Sequence[Unit]) -> dict[Unit, State]:
        """Return the state of each unit, in the order of the units."""
        return {unit: self.state_of(unit) for unit in units}

    def read_finished(self, unit: Unit) -> State:
        """Return the state of a unit that is not running."""
        outcome = self.read_outcome(unit)
        if outcome is None:
            return State.MISSING
        if unit.commits and outcome.commits and unit.commits != outcome.commits:  # another commit of a model
            return State.MISSING
        if outcome.reason:
            return State.FAILED
        with suppress(OSError, InputError):
            if all(hash_file(self.results / name) == digest for name, digest in outcome.files.items()):
                return State.DONE
        return State.MISSING

    def read_outcome(self, unit: Unit) -> UnitOutcome | None:
        """Read the outcome of a unit, or None if it is missing, damaged, or of another unit."""
        with suppress(*_UNREADABLE):
            outcome = msgspec.json.decode(read_input(self._outcome_path(unit)), type=UnitOutcome)
            if outcome.key == unit.key:
                return outcome
        return None

    def find_last_words(self, unit: Unit) -> tuple[Path, str] | None:
        """Find out how a unit ended that was started and has no outcome, for example because the disk was full.

        Returns:
            Its log or, if that is empty, the latest log of a Slurm job, and the last line of the file. The line is
            empty if all logs are. None if no process has started the unit, or it has an outcome.
        """
        if not self._lock_path(unit).exists() or self.read_outcome(unit):
            return None
        log = self.log_of(unit)
        for path in (log, *sorted(self.jobs.glob("*_log.err"), key=os.path.getmtime, reverse=True)):
            with suppress(OSError), path.open("rb") as file:
                file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
                lines = file.read().decode("utf-8", "replace").split("\n")
                if words := next((line.strip() for line in reversed(lines) if line.strip()), ""):
                    return path, words
        return log, ""

    def list_result_files(self, unit: Unit) -> list[Path]:
        """Return the JSON files of the result of a unit that is done."""
        outcome = self.read_outcome(unit)
        return [self.results / name for name in (outcome.files if outcome else ()) if name.endswith(".json")]

    def write_result(self, unit: Unit, result: Result, started: float) -> None:
        """Write a result, and then the outcome of the unit.

        Args:
            unit: The unit.
            result: The result of the unit.
            started: Time at which the computation started, from `time.perf_counter`.

        Raises:
            OutputError: If the result or the outcome cannot be written.
        """
        path = result.write(self.results)
        files = {path: hashlib.sha256(result.content).hexdigest()}
        files |= {path.parent / test.scores.file: test.scores.sha256 for test in result.tests.values()}
        names = {str(file.relative_to(self.results)): digest for file, digest in files.items()}
        seconds = time.perf_counter() - started
        self._write_outcome(unit, UnitOutcome(unit.key, "", round(seconds, 3), names, unit.commits))

    def write_failure(self, unit: Unit, reason: str, seconds: float) -> None:
        """Write the outcome of a unit that failed.

        Raises:
            OutputError: If the outcome cannot be written.
        """
        self._write_outcome(unit, UnitOutcome(unit.key, reason, round(seconds, 3), {}))

    def forget_failure(self, unit: Unit) -> None:
        """Remove the outcome of a unit that failed, so that the unit is computed again.

        Raises:
            OutputError: If the outcome cannot be removed.
        """
        try:
            self._outcome_path(unit).unlink(missing_ok=True)
        except OSError as error:
            raise cannot_remove(self._outcome_path(unit), error) from None

    def _write_outcome(self, unit: Unit, outcome: UnitOutcome) -> None:
        write_file(self._outcome_path(unit), render_json(msgspec.to_builtins(outcome)))

    def _outcome_path(self, unit: Unit) -> Path:
        return self._units / f"{unit.stem}.json"

    def _lock_path(self, unit: Unit) -> Path:
        return self._units / f"{unit.stem}.lock"

    @contextmanager
    def lock(self, unit: Unit, *, waits: bool = False) -> Iterator[bool]:
        """Lock a unit while it is computed.

        Args:
            unit: The unit.
            waits: Whether to wait until no other process has the lock.

        Yields:
            Whether this process has the lock. False if another process computes the unit.

        Raises:
            OutputError: If the file of the lock cannot be written.
        """
        path = self._lock_path(unit)
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise cannot_write(path, error) from None
        try:
            yield atomic.lock(handle, waits=waits)
        finally:
            os.close(handle)


def compute_unit(
    folder: SweepFolder, suite: Suite, settings: Settings, defaults: Mapping[str, Any], unit: Unit, *, waits: bool
) -> None:
    """Compute a unit and write its result, or the reason of its failure, unless it already has an outcome.

    Args:
        folder: The folder of the sweep.
        suite: The tests.
        settings: Settings of the evaluation.
        defaults: Options for the kinds of models that take them, as for `load_model`.
        unit: The unit.
        waits: Whether to wait if another process computes the unit. Otherwise the function returns at once.

    Raises:
        OutputError: If a file cannot be written, for example because the disk is full. The unit has no outcome, so the
            next sweep computes it.
    """
    with folder.lock(unit, waits=waits) as is_mine:
        if not is_mine or folder.read_finished(unit) is not State.MISSING:
            return
        started = time.perf_counter()
        with _redirect_output(folder.log_of(unit)):
            try:
                load = partial(load_model, unit.spec, defaults, send_text_to=settings.send_text_to)
                with Progress(visible=not settings.quiet) as progress:
                    model = load_named(unit.title, load, progress)
                    result = evaluate_model(model, suite, settings, progress)
                evaluated = make_unit(unit.spec, parse_spec(unit.spec, defaults), suite, settings)
                if evaluated.key != unit.key:
                    reason = "a file of the model changed during the sweep"
                    raise ModelError(f"{unit.title}: {reason}. Run the sweep again")
            except OutputError:
                raise
            except Exception as error:  # a model may raise any exception, and must not stop the other models
                if isinstance(error, OSError) and error.errno in _FULL:  # of a library that writes to its own place
                    raise cannot_write(error.filename or tempfile.gettempdir(), error) from None
                say(show(traceback.format_exc(), keep="\n"), sys.stderr)  # to the log
                folder.write_failure(unit, _describe(error), time.perf_counter() - started)
            else:
                folder.write_result(evaluated, result, started)  # with the commits that were evaluated


def _describe(error: Exception) -> str:
    if isinstance(error, PyramidParaphraseError):
        return str(error)
    if is_out_of_memory(error):
        return describe_lack_of_memory(error)
    return show(f"{type(error).__name__}: {describe_cause(error)}")


@contextmanager
def _redirect_output(log: Path) -> Iterator[None]:
    """Write the output of this process and of its libraries to a file.

    Raises:
        OutputError: If the file cannot be written.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    saved_handles = [os.dup(1), os.dup(2)]
    try:
        with log.open("wb") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        yield
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError as error:
        raise cannot_write(log, error) from None
    finally:
        for handle, number in zip(saved_handles, (1, 2), strict=True):
            os.dup2(handle, number)
            os.close(handle)
