"""Processes that end before their units: the units fail, and other processes compute the next ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.work import exit_with_status_3, kill_own_process

from harness.evaluation.runner import Settings, load_suite
from harness.evaluation.sweeps import executors as local
from harness.evaluation.sweeps.executors import compute_locally
from harness.evaluation.sweeps.units import Job, State, SweepFolder, Unit


@pytest.mark.parametrize(
    ("end", "reasons"), [(kill_own_process, ("SIGKILL", "memory ran out")), (exit_with_status_3, ("exit status 3",))]
)
def test_the_reason_is_how_the_process_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: Callable[..., None], reasons: tuple[str, ...]
) -> None:
    monkeypatch.setattr(local, "_work", end)
    monkeypatch.setattr(local, "_SECONDS_BEFORE_FAILURE", 0.0)
    units = [Unit(name, name, name * 64) for name in "ab"]
    folder = SweepFolder(tmp_path / "sweep")
    folder.prepare(units)
    job = Job(folder, load_suite("sample", "ranking"), Settings(resamples=1), {})
    assert list(compute_locally(job, units, workers=1, threads=1)) == units
    for unit in units:
        assert folder.state_of(unit) is State.FAILED
        outcome = folder.read_outcome(unit)
        assert outcome is not None
        assert all(reason in outcome.reason for reason in reasons)
        assert outcome.seconds >= 0
        assert outcome.files == {}
