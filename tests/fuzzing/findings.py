"""Findings: failures with their inputs, in folders from which they can be run again."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzzing.cases import Case, read_case, write_case
from fuzzing.oracle import Failure

_RECORD, _FILES, _TRACEBACK = "finding.json", "input", "traceback.txt"


@dataclass(frozen=True)
class Finding:
    """A failure.

    Attributes:
        target: Name of the target.
        seed: Seed of the campaign.
        number: Number of the input.
        case: The input.
        failure: The failure.
    """

    target: str
    seed: int
    number: int
    case: Case
    failure: Failure

    @property
    def name(self) -> str:
        """The name, which is the same for all findings of one cause."""
        digest = hashlib.sha256(f"{self.target}|{self.failure.signature}".encode()).hexdigest()
        return f"{self.target}-{self.failure.kind}-{digest[:8]}"

    def describe(self) -> str:
        """Describe the finding in one line."""
        place = f" in {self.failure.place}" if self.failure.place else ""
        return ascii(f"{self.target} {self.number}: {self.failure.kind}{place}: {self.failure.detail}")[1:-1]


def write_finding(finding: Finding, folder: Path) -> Path:
    """Write a finding into its own folder. Replace a finding with the same cause.

    Returns:
        The folder of the finding.
    """
    target = folder / finding.name
    shutil.rmtree(target, ignore_errors=True)
    (target / _FILES).mkdir(parents=True)
    write_case(finding.case, target / _FILES)
    record = {
        "target": finding.target,
        "seed": finding.seed,
        "number": finding.number,
        "arguments": finding.case.arguments,
        "failure": finding.failure._asdict(),
        "replay": f"python tests/fuzz.py --replay {target}",
    }
    (target / _RECORD).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    trace = finding.failure.traceback.encode("utf-8", "backslashreplace")
    (target / _TRACEBACK).write_bytes(trace)
    return target


def read_finding(folder: Path) -> Finding:
    """Read a finding that `write_finding` wrote."""
    record: dict[str, Any] = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
    case = read_case(folder / _FILES, tuple(record["arguments"]))
    return Finding(record["target"], record["seed"], record["number"], case, Failure(**record["failure"]))


def minimize(case: Case, fails: Callable[[Case], bool], trials: int = 200) -> Case:
    """Make a failing input smaller, as long as it still fails.

    Greedy reduction: whole files are left out first, then arguments, then ranges of files, from halves to small parts.

    Args:
        case: The input.
        fails: Returns whether an input fails in the same way.
        trials: Maximum number of inputs to try.

    Returns:
        The smallest failing input that was found.
    """
    remaining_trials = trials
    changed = True
    while changed and remaining_trials > 0:
        changed = False
        for smaller in _shrink(case):
            remaining_trials -= 1
            if fails(smaller):
                case, changed = smaller, True
                break
            if remaining_trials <= 0:
                break
    return case


def _shrink(case: Case) -> Iterator[Case]:
    """Yield smaller inputs, the inputs with the largest omissions first."""
    for name in case.files:
        yield case.without_file(name)
    for at in range(len(case.arguments)):
        yield Case(case.files, case.arguments[:at] + case.arguments[at + 1 :])
    for part in (2, 4, 8, 16, 64):
        for name, data in case.plain_files().items():
            size = -(-len(data) // part)
            for start in range(0, len(data), max(1, size)):
                yield case.with_file(name, data[:start] + data[start + size :])
