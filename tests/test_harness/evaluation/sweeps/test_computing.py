"""The computation of a unit in this process."""

from __future__ import annotations

import errno
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from helpers.messages import mentions

from harness.evaluation.runner import Settings, load_suite
from harness.evaluation.sweeps import units as computing
from harness.evaluation.sweeps.units import State, SweepFolder, Unit, compute_unit, make_unit
from harness.models.specs import parse_spec
from pyramid_paraphrase.errors import OutputError

SUITE, SETTINGS = load_suite("sample", "ranking"), Settings(resamples=1)
UNIT = make_unit("constant", parse_spec("constant"), SUITE, SETTINGS)
BROKEN = Unit("vectors:missing.vec", "missing.vec", "b" * 64)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SweepFolder:
    """The folder of a sweep of a model that works and one that does not."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = SweepFolder(tmp_path / "sweep")
    folder.prepare([UNIT, BROKEN])
    return folder


def compute(folder: SweepFolder, unit: Unit) -> None:
    compute_unit(folder, SUITE, SETTINGS, {}, unit, waits=False)


def find_reason(folder: SweepFolder, unit: Unit) -> str:
    """Compute a unit that fails, and return the recorded reason."""
    compute(folder, unit)
    assert folder.state_of(unit) is State.FAILED
    outcome = folder.read_outcome(unit)
    assert outcome is not None
    return outcome.reason


def test_a_result_is_written_once(folder: SweepFolder) -> None:
    compute(folder, UNIT)
    assert folder.state_of(UNIT) is State.DONE
    (file,) = folder.list_result_files(UNIT)
    content, time = file.read_bytes(), file.stat().st_mtime_ns
    compute(folder, UNIT)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == (content, time)


def test_a_failure_is_recorded_with_its_log(folder: SweepFolder, capfd: pytest.CaptureFixture[str]) -> None:
    with capfd.disabled():  # the log gets what is written to the handle of standard error
        reason = find_reason(folder, BROKEN)
    assert reason.startswith("missing.vec: ")
    log = folder.log_of(BROKEN).read_text()
    assert log.startswith("Traceback")
    assert "missing.vec: " in log


def test_a_log_can_be_shown_on_a_terminal(
    folder: SweepFolder, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Errors of libraries quote files of strangers."""

    def fail(*_: object, **__: object) -> None:
        raise ValueError("a\x1b[2J\u202eb")

    monkeypatch.setattr(computing, "load_model", fail)
    with capfd.disabled():
        assert find_reason(folder, UNIT) == r"ValueError: a\x1b[2J\u202eb"
    log = folder.log_of(UNIT).read_text()
    assert r"ValueError: a\x1b[2J\u202eb" in log
    assert all(map(str.isprintable, log.splitlines()))


@pytest.mark.parametrize(
    ("error", "parts"),
    [
        (MemoryError("too large"), ("memory ran out", "MemoryError: too large")),
        (ZeroDivisionError("by zero"), ("ZeroDivisionError: by zero",)),
    ],
)
def test_any_error_of_a_model(
    folder: SweepFolder, monkeypatch: pytest.MonkeyPatch, error: Exception, parts: tuple[str, ...]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(computing, "load_model", fail)
    reason = find_reason(folder, UNIT)
    assert all(part in reason for part in parts)


def test_a_unit_that_another_process_computes_is_left_to_it(folder: SweepFolder) -> None:
    with folder.lock(UNIT):
        compute(folder, UNIT)
    assert folder.state_of(UNIT) is State.MISSING


def test_a_model_that_changed_since_the_plan_has_no_result(folder: SweepFolder, tmp_path: Path) -> None:
    model = tmp_path / "current.txt"
    model.write_text("the 1 0\nof 0 1\n")
    unit = make_unit(str(model), parse_spec(str(model)), SUITE, SETTINGS)
    model.write_text("the 0 1\nof 1 0\n")
    assert re.search(mentions("current.txt: ... changed ... Run"), find_reason(folder, unit))


def fill_disk(folder: Path) -> None:
    """Write to a small disk until it is full."""
    with suppress(OSError), (folder / "filler").open("wb", buffering=0) as file:
        while file.write(bytes(512)):
            pass


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this user cannot mount a disk")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("unit", [UNIT, BROKEN])
def test_a_full_disk_leaves_the_unit_missing(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], unit: Unit
) -> None:
    """Regression test: the unit counted as failed, so it was not computed again when the disk had room."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(small_disk.parent))
    folder = SweepFolder(small_disk / "sweep")
    folder.prepare([UNIT, BROKEN])
    fill_disk(small_disk)
    with capfd.disabled(), pytest.raises(OutputError, match=r"space"):
        compute(folder, unit)
    assert folder.state_of(unit) is State.MISSING
    (small_disk / "filler").unlink()
    with capfd.disabled():
        compute(folder, unit)
    assert folder.state_of(unit) is (State.DONE if unit is UNIT else State.FAILED)


@pytest.mark.parametrize(("number", "state"), [(errno.ENOSPC, State.MISSING), (errno.EIO, State.FAILED)])
def test_a_library_that_fills_another_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], number: int, state: State
) -> None:
    """The unit counted as failed. Only a lack of space ends the sweep, because other models would lack it, too."""

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number), "/other/disk/file")

    monkeypatch.setattr(computing, "evaluate_model", fail)
    folder = SweepFolder(tmp_path / "sweep")
    folder.prepare([UNIT])
    expected = (
        pytest.raises(OutputError, match=r"/other/disk/file: .* space") if state is State.MISSING else nullcontext()
    )
    with capfd.disabled(), expected:
        compute(folder, UNIT)
    assert folder.state_of(UNIT) is state
