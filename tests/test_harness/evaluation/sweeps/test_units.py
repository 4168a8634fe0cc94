"""The folder of a sweep: its plan, and the states of its units."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from harness.evaluation.sweeps.units import State, SweepFolder, Unit, UnitOutcome
from pyramid_paraphrase.errors import InputError, OutputError

UNIT = Unit("one-hot", "One: hot", "0123456789abcdef" * 4)


@pytest.fixture
def folder(tmp_path: Path) -> SweepFolder:
    """The folder of a sweep of one unit."""
    folder = SweepFolder(tmp_path / "sweep")
    folder.prepare([UNIT])
    return folder


def test_the_plan_is_read_as_it_was_written(folder: SweepFolder) -> None:
    assert folder.read_units() == [UNIT]
    assert folder.log_of(UNIT) == folder.root / "logs" / "One-hot-0123456789ab.log"


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"unit": []}', '{"units": [{"spec": "x"}]}', '{"units": 5}', "5", "null", "[" * 100_000, '"\xff"'],
)
def test_a_file_that_is_no_plan(folder: SweepFolder, text: str) -> None:
    path = folder.root / "plan.json"
    path.write_text(text, "latin-1")
    with pytest.raises(InputError, match="--output") as caught:
        folder.read_units()
    assert str(caught.value).startswith(f"{path}: ")


def test_a_failure_is_known_until_it_is_forgotten(folder: SweepFolder) -> None:
    assert folder.state_of(UNIT) is State.MISSING
    folder.write_failure(UNIT, "broken", 1.23456)
    assert folder.read_states([UNIT]) == {UNIT: State.FAILED}
    assert folder.read_outcome(UNIT) == UnitOutcome(UNIT.key, "broken", 1.235, {})
    assert folder.list_result_files(UNIT) == []
    folder.forget_failure(UNIT)
    assert folder.state_of(UNIT) is State.MISSING
    folder.forget_failure(UNIT)


@pytest.mark.parametrize("text", ["", "5", "null", "{}", "[" * 100_000, '{"key": "\xff"}'])
def test_a_damaged_outcome_does_not_count(folder: SweepFolder, text: str) -> None:
    (folder.root / "units" / f"{UNIT.stem}.json").write_text(text, "latin-1")
    assert folder.read_outcome(UNIT) is None
    assert folder.state_of(UNIT) is State.MISSING


def test_an_outcome_of_another_unit_does_not_count(folder: SweepFolder) -> None:
    """Names of files have the first digits of the key only."""
    folder.write_failure(UNIT, "broken", 1.0)
    other = Unit(UNIT.spec, UNIT.title, UNIT.key[:12] + "0" * 52)
    assert folder.state_of(other) is State.MISSING


def test_the_result_of_another_commit_does_not_count(folder: SweepFolder) -> None:
    """The branch of a model on the Hub has moved, and the cache has its new commit. An unknown commit may be equal."""
    path = folder.root / "units" / f"{UNIT.stem}.json"
    for evaluated, cached, state in (
        (["org/m@a"], ["org/m@a"], State.DONE),
        (["org/m@a"], ["org/m@b"], State.MISSING),
        ([], ["org/m@a"], State.DONE),
        (["org/m@a"], [], State.DONE),
    ):
        path.write_text(json.dumps({"key": UNIT.key, "reason": "", "seconds": 1.0, "files": {}, "commits": evaluated}))
        assert folder.state_of(msgspec.structs.replace(UNIT, commits=tuple(cached))) is state


def test_a_locked_unit_is_running(folder: SweepFolder) -> None:
    folder.write_failure(UNIT, "broken", 1.0)
    with folder.lock(UNIT) as is_mine:
        assert is_mine
        assert folder.state_of(UNIT) is State.RUNNING
        with folder.lock(UNIT) as is_mine_too:
            assert not is_mine_too
    assert folder.state_of(UNIT) is State.FAILED


def test_an_outcome_that_cannot_be_removed(folder: SweepFolder) -> None:
    path = folder.root / "units" / f"{UNIT.stem}.json"
    path.mkdir()
    with pytest.raises(OutputError, match=path.name):
        folder.forget_failure(UNIT)
