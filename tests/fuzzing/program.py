"""The command line of the fuzzer: run a campaign, or run a finding again."""

from __future__ import annotations

import argparse
import secrets
import time
from collections.abc import Sequence
from pathlib import Path

from fuzzing.campaign import Campaign, Summary
from fuzzing.findings import Finding, read_finding
from fuzzing.target import Target
from fuzzing.targets import BY_NAME
from fuzzing.workers import Task, Worker


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        0 if every promise was kept, else 1.
    """
    options = _parse(arguments)
    if options.replay:
        return replay(options.replay)
    targets = _choose_targets(options.target)
    seed = secrets.randbelow(1 << 32) if options.seed is None else options.seed
    _tell(f"seed {seed}, {len(targets)} targets, {options.workers} workers")
    started = time.monotonic()
    campaign = Campaign(
        targets, seed, workers=options.workers, findings=options.findings, tell=_tell, shrinks=options.shrink
    )
    summary = campaign.run(inputs=options.inputs, seconds=None if options.inputs else options.seconds)
    _tell(_describe(summary, time.monotonic() - started))
    return bool(summary.findings)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fuzz all readers of files.", allow_abbrev=False)
    parser.add_argument("--seconds", type=float, default=120, metavar="S", help="time to run (default: %(default)s)")
    parser.add_argument("--inputs", type=int, metavar="N", help="number of inputs to run instead, the same each time")
    parser.add_argument("--seed", type=int, metavar="N", help="random seed (default: a new seed, which is printed)")
    parser.add_argument("--target", action="append", choices=sorted(BY_NAME), help="fuzz only this target (repeatable)")
    parser.add_argument(
        "--workers", type=int, default=1, metavar="N", help="number of processes (default: %(default)s)"
    )
    parser.add_argument(
        "--findings", type=Path, default=Path("fuzzing-findings"), metavar="DIR", help="folder for findings"
    )
    parser.add_argument(
        "--shrink", action=argparse.BooleanOptionalAction, default=True, help="make the inputs of findings smaller"
    )
    parser.add_argument("--replay", type=Path, metavar="FINDING", help="run the input of a finding again")
    return parser.parse_args(arguments)


def _choose_targets(names: Sequence[str] | None) -> list[Target]:
    chosen = [BY_NAME[name] for name in names or BY_NAME]
    for target in chosen:
        if missing := target.missing():
            _tell(f"left out: {target.name}, which needs {', '.join(missing)}")
    return [target for target in chosen if not target.missing()]


def replay(folder: Path, targets: dict[str, Target] = BY_NAME) -> int:
    """Run the input of a finding again.

    Returns:
        0 if every promise is kept now, else 1.
    """
    recorded = read_finding(folder)
    worker = Worker(targets)
    try:
        report = worker.run(Task(recorded.target, recorded.seed, [0], recorded.case))[-1]
    finally:
        worker.close()
    if report.outcome.failure is None:
        _tell(f"{folder}: does not fail any more")
        return 0
    repeated = Finding(recorded.target, recorded.seed, recorded.number, recorded.case, report.outcome.failure)
    _tell(f"{repeated.describe()}\n{repeated.failure.traceback}".rstrip())
    return 1


def _describe(summary: Summary, seconds: float) -> str:
    lines = [
        f"{name:20} {summary.counts[name]:8,} inputs {summary.seconds[name]:8.1f} s"
        for name in BY_NAME
        if name in summary.counts
    ]
    (slowest, slow_name), (largest, large_name) = summary.slowest, summary.largest
    extremes = f"slowest: {slowest:.2f} s ({slow_name}); most memory: {largest >> 20:,} MiB ({large_name})"
    findings = f"{len(summary.findings)} findings, {summary.repeated} more with the same causes"
    total = f"{summary.counts.total():,} inputs in {seconds:.0f} s, {summary.skipped:,} not writable; {findings}"
    return "\n".join([*lines, extremes, total])


def _tell(text: str) -> None:
    print(text.encode("ascii", "backslashreplace").decode(), flush=True)  # noqa: T201
