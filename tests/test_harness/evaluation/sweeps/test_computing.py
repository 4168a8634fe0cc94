"""The computation of a unit in this process."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.messages import mentions

from harness.evaluation.runner import Settings, load_suite
from harness.evaluation.sweeps import units as computing
from harness.evaluation.sweeps.units import Job, State, SweepFolder, Unit, compute_unit, make_unit
from harness.models.specs import parse_spec

SUITE, SETTINGS = load_suite("sample", "ranking"), Settings(resamples=1)
UNIT = make_unit("constant", parse_spec("constant"), SUITE, SETTINGS)
BROKEN = Unit("vectors:missing.vec", "missing.vec", "b" * 64)


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = SweepFolder(tmp_path / "sweep")
    folder.prepare([UNIT, BROKEN])
    return Job(folder, SUITE, SETTINGS, {})


def find_reason(job: Job, unit: Unit) -> str:
    """Compute a unit that fails, and return the recorded reason."""
    compute_unit(job, unit, waits=False)
    assert job.folder.state_of(unit) is State.FAILED
    outcome = job.folder.read_outcome(unit)
    assert outcome is not None
    return outcome.reason


def test_a_result_is_written_once(job: Job) -> None:
    compute_unit(job, UNIT, waits=False)
    assert job.folder.state_of(UNIT) is State.DONE
    (file,) = job.folder.list_result_files(UNIT)
    content, time = file.read_bytes(), file.stat().st_mtime_ns
    compute_unit(job, UNIT, waits=False)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == (content, time)


def test_a_failure_is_recorded_with_its_log(job: Job, capfd: pytest.CaptureFixture[str]) -> None:
    with capfd.disabled():  # the log gets what is written to the handle of standard error
        reason = find_reason(job, BROKEN)
    assert reason.startswith("missing.vec: ")
    log = job.folder.log_of(BROKEN).read_text()
    assert log.startswith("Traceback")
    assert "missing.vec: " in log


@pytest.mark.parametrize(
    ("error", "parts"),
    [
        (MemoryError("too large"), ("memory ran out", "MemoryError: too large")),
        (ZeroDivisionError("by zero"), ("ZeroDivisionError: by zero",)),
    ],
)
def test_any_error_of_a_model(
    job: Job, monkeypatch: pytest.MonkeyPatch, error: Exception, parts: tuple[str, ...]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(computing, "load_model", fail)
    reason = find_reason(job, UNIT)
    assert all(part in reason for part in parts)


def test_a_unit_that_another_process_computes_is_left_to_it(job: Job) -> None:
    with job.folder.lock(UNIT):
        compute_unit(job, UNIT, waits=False)
    assert job.folder.state_of(UNIT) is State.MISSING


def test_a_model_that_changed_since_the_plan_has_no_result(job: Job, tmp_path: Path) -> None:
    model = tmp_path / "current.txt"
    model.write_text("the 1 0\nof 0 1\n")
    unit = make_unit(str(model), parse_spec(str(model)), SUITE, SETTINGS)
    model.write_text("the 0 1\nof 1 0\n")
    assert re.search(mentions("current.txt: ... changed ... Run"), find_reason(job, unit))
