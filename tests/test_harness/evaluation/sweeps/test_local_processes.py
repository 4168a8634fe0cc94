"""Processes that end before their units: the units fail, and other processes compute the next ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.work import exit_with_status_3, kill_own_process, refuse_to_write

from harness.evaluation.sweeps import executors as local
from harness.evaluation.sweeps.executors import compute_locally
from harness.evaluation.sweeps.units import State, SweepFolder, Unit, compute_unit
from pyramid_paraphrase.errors import OutputError


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
    assert list(compute_locally(folder, compute_unit, units, workers=1, threads=1)) == units
    for unit in units:
        assert folder.state_of(unit) is State.FAILED
        outcome = folder.read_outcome(unit)
        assert outcome is not None
        assert all(reason in outcome.reason for reason in reasons)
        assert outcome.seconds >= 0
        assert outcome.files == {}


def test_a_full_disk_ends_the_sweep_and_the_units_stay_missing(tmp_path: Path) -> None:
    units = [Unit(name, name, name * 64) for name in "ab"]
    folder = SweepFolder(tmp_path / "sweep")
    folder.prepare(units)
    with pytest.raises(OutputError, match=r"^units/a\.json: .* space"):
        list(compute_locally(folder, refuse_to_write, units, workers=2, threads=1))
    assert set(folder.read_states(units).values()) == {State.MISSING}
