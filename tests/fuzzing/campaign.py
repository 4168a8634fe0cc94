"""A campaign: fuzz all targets with a number of inputs, or for some time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from fuzzing.cases import Case
from fuzzing.findings import Finding, minimize, write_finding
from fuzzing.oracle import Failure
from fuzzing.target import Target
from fuzzing.workers import Report, Task, Worker

_FIRST_BATCH = 10
"""Number of inputs in the first batch of each target. These inputs are run again with another order of sets."""

_SLICE_SECONDS = 2.0
"""Intended wall-clock time of later batches."""

_LARGEST_BATCH = 1000


@dataclass
class Summary:
    """The outcome of a campaign.

    Attributes:
        counts: Number of inputs per target, without seeds.
        seconds: Wall-clock time per target, summed over all workers.
        slowest: Longest processor time of an input, and its target and number.
        largest: Largest memory of an input in bytes, and its target and number.
        skipped: Number of inputs that could not be written to disk.
        findings: The first finding of each cause.
        repeated: Number of further findings with the same causes.
    """

    counts: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    slowest: tuple[float, str] = (0.0, "none")
    largest: tuple[int, str] = (0, "none")
    skipped: int = 0
    findings: list[Finding] = field(default_factory=list)
    repeated: int = 0


class Campaign:
    """A campaign.

    Args:
        targets: The targets to fuzz.
        seed: Random seed. Together with the name of the target and the number of the input, it determines the input.
        workers: Number of processes that run inputs.
        findings: Folder for findings.
        tell: Prints a line.
        shrinks: Whether to make the inputs of findings smaller.
    """

    def __init__(
        self,
        targets: Sequence[Target],
        seed: int,
        *,
        workers: int,
        findings: Path,
        tell: Callable[[str], None],
        shrinks: bool = True,
    ) -> None:
        self._targets = {target.name: target for target in targets}
        self._seed, self._workers = seed, workers
        self._folder, self._tell, self._shrinks = findings, tell, shrinks
        self._lock = Lock()
        self._is_over = False
        self._digests: dict[tuple[str, int], str] = {}
        self.summary = Summary()

    def run(self, *, inputs: int | None = None, seconds: float | None = None) -> Summary:
        """Run inputs of all targets in turn.

        Args:
            inputs: Number of inputs, divided equally among the targets. The inputs are then the same each time.
            seconds: Wall-clock time to run, if the number of inputs is not set.
        """
        end = time.monotonic() + seconds if seconds is not None else None
        each = -(-inputs // len(self._targets)) if inputs is not None else None
        batches = self._plan(end, each)
        with ThreadPoolExecutor(self._workers) as pool:
            futures = [pool.submit(self._work, batches, hash_seed) for hash_seed in range(self._workers)]
            try:
                for future in futures:
                    future.result()
            finally:
                self._is_over = True  # also for the other workers, if one failed or the user stops the run
        self._compare_hashes()
        return self.summary

    def _plan(self, end: float | None, each: int | None) -> Iterator[Task]:
        """Yield batches of inputs, one target after the other, until time or inputs are used up."""
        done = dict.fromkeys(self._targets, 0)
        while any(each is None or count < each for count in done.values()):
            for name, first in done.items():
                if self._is_over or (end is not None and first and time.monotonic() > end):
                    return
                last = first + self._size_batch(name, first)
                last = min(last, each) if each is not None else last
                if first < last:
                    done[name] = last
                    yield Task(name, self._seed, range(first, last))

    def _size_batch(self, name: str, first: int) -> int:
        if not first or not self.summary.counts[name]:
            return _FIRST_BATCH
        per_input = self.summary.seconds[name] / self.summary.counts[name]
        return min(_LARGEST_BATCH, max(1, int(_SLICE_SECONDS / max(per_input, 1e-4))))

    def _work(self, batches: Iterator[Task], hash_seed: int) -> None:
        worker = Worker(self._targets, hash_seed)
        try:
            while True:
                with self._lock:
                    task = next(batches, None)
                if task is None:
                    return
                for report in worker.run(task):
                    self._take(task, report)
        finally:
            worker.close()

    def _take(self, task: Task, report: Report) -> None:
        """Count an input, and keep its failure."""
        with self._lock:
            self.summary.counts[task.target] += report.number >= 0
            seconds_so_far = self.summary.seconds.get(task.target, 0.0)
            self.summary.seconds[task.target] = seconds_so_far + report.seconds
            name = f"{task.target} {report.number}"
            self.summary.slowest = max(self.summary.slowest, (report.outcome.seconds, name))
            self.summary.largest = max(self.summary.largest, (report.outcome.growth, name))
            self.summary.skipped += not report.outcome.digest and report.outcome.failure is None
            if 0 <= report.number < _FIRST_BATCH and report.outcome.digest:
                self._digests[task.target, report.number] = report.outcome.digest
        if report.outcome.failure is not None:
            finding = Finding(task.target, self._seed, report.number, report.case or Case(), report.outcome.failure)
            self._keep(finding)

    def _keep(self, finding: Finding) -> None:
        with self._lock:
            is_repeated = finding.name in {earlier.name for earlier in self.summary.findings}
            self.summary.repeated += is_repeated
            if is_repeated:
                return
            self.summary.findings.append(finding)
        self._tell(finding.describe())
        smaller = self._minimise(finding) if self._shrinks else finding
        self._tell(f"  {write_finding(smaller, self._folder)}")

    def _minimise(self, finding: Finding) -> Finding:
        """Make the input smaller, in its own process. Inputs that take long are not changed."""
        if finding.failure.kind in ("slow", "waits", "killed", "memory", "repetition"):
            return finding
        worker = Worker(self._targets)

        def fails(case: Case) -> bool:
            failure = worker.run(Task(finding.target, finding.seed, [0], case))[-1].outcome.failure
            return failure is not None and failure.signature == finding.failure.signature

        try:
            case = minimize(finding.case, fails)
        finally:
            worker.close()
        return Finding(finding.target, finding.seed, finding.number, case, finding.failure)

    def _compare_hashes(self) -> None:
        """Run the first inputs of each target again, in a process with another order of sets."""
        worker = Worker(self._targets, self._workers + 1)
        try:
            for name in self._targets:
                numbers = sorted(number for target, number in self._digests if target == name)
                for report in worker.run(Task(name, self._seed, numbers)):
                    self._compare(name, report)
        finally:
            worker.close()

    def _compare(self, name: str, report: Report) -> None:
        before = self._digests.get((name, report.number))
        if before and report.outcome.failure is None and report.outcome.digest != before:
            failure = Failure("repetition", "another process gave another result", name)
            case = self._targets[name].make_case(self._seed, report.number)
            self._keep(Finding(name, self._seed, report.number, case, failure))
