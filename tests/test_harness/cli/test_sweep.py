"""The status of a sweep."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.cli.evaluation.sweep import render_status
from harness.evaluation.sweeps.units import State, SweepFolder, Unit

UNITS = [Unit(name, f"Model {name}", name * 64) for name in "abcd"]


@pytest.fixture
def folder(tmp_path: Path) -> SweepFolder:
    folder = SweepFolder(tmp_path / "sweep")
    folder.prepare(UNITS)
    return folder


def write_done(folder: SweepFolder, unit: Unit, seconds: float) -> None:
    """Write the outcome of a unit whose result has no files."""
    text = f'{{"key": "{unit.key}", "reason": "", "seconds": {seconds}, "files": {{}}}}'
    (folder.root / "units" / f"{unit.stem}.json").write_text(text)


def test_the_time_left_follows_from_the_units_that_are_done(folder: SweepFolder) -> None:
    """(60 s + 120 s) / 2 per unit, 2 units in 2 processes: 1.5 minutes. The failed unit has no time."""
    write_done(folder, UNITS[0], 60)
    write_done(folder, UNITS[1], 120)
    states = dict(zip(UNITS, [State.DONE, State.DONE, State.MISSING, State.RUNNING], strict=True))
    rows = [line.split() for line in render_status(folder, states, 2).splitlines()]
    assert rows[1:5] == [["done", "2"], ["running", "1"], ["failed", "0"], ["missing", "1"]]
    assert (rows[5][0], rows[5][-1]) == ("minutes", "1.5")


def test_failures_are_listed_with_their_logs(folder: SweepFolder) -> None:
    folder.write_failure(UNITS[0], "out of\nluck", 5.0)
    status = render_status(folder, folder.read_states(UNITS), 1)
    (line,) = [line for line in status.splitlines() if "Model a" in line]
    assert "luck" in line
    assert str(folder.log_of(UNITS[0])) in line
    assert "minutes" not in status


def test_units_that_ended_without_an_outcome(folder: SweepFolder) -> None:
    """On a full disk, a job of Slurm cannot write the outcome. Only the logs may say why."""
    killed, full, silent, _ = UNITS
    for unit in (killed, full, silent):
        with folder.lock(unit):
            pass
    folder.log_of(killed).write_text("first\nModel \x1b[31ma: Bus error\n\n")
    status = render_status(folder, folder.read_states(UNITS), 1)
    endings = [line for line in status.splitlines() if line.startswith("ended without an outcome: ")]
    assert len(endings) == 3
    assert f"the last line of {folder.log_of(killed)} is: Model \\x1b[31ma: Bus error" in endings[0]
    assert all("empty" in line and "full disk" in line for line in endings[1:])
    folder.jobs.mkdir()
    for number, words in enumerate(("OSError: earlier", "OSError: [Errno 28] No space left on device", "")):
        (folder.jobs / f"7_{number}_0_log.err").write_text(words)
        os.utime(folder.jobs / f"7_{number}_0_log.err", (number, number))
    folder.write_failure(silent, "broken", 1.0)
    status = render_status(folder, folder.read_states(UNITS), 1)
    _, ending = [line for line in status.splitlines() if line.startswith("ended without an outcome: ")]
    assert ending.endswith("7_1_0_log.err is: OSError: [Errno 28] No space left on device")
