"""The fuzzer: planted defects are found, reported and run again, and every target runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from fuzzing import program, workers
from fuzzing.campaign import Campaign, Summary
from fuzzing.cases import Case, Link, Pipe, read_case, write_case
from fuzzing.findings import read_finding
from fuzzing.mutations.packing import pack_zip
from fuzzing.oracle import digest_value, find_fault, find_place_in_dump, judge
from fuzzing.target import Target
from fuzzing.targets import BY_NAME, TARGETS
from helpers import planted_targets
from helpers.planted_targets import MARK, plant

from pyramid_paraphrase.errors import InputError

pytestmark = pytest.mark.full

_SEED = 0
_OF_IMPORTS = ("slow", "memory")
"""Promises that the first input cannot keep, which imports packages."""


def run_campaign(target: Target, folder: Path, inputs: int = 12) -> Summary:
    campaign = Campaign([target], _SEED, workers=1, findings=folder, tell=lambda _: None)
    return campaign.run(inputs=inputs)


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the files of inputs, as the working directory."""
    monkeypatch.chdir(tmp_path)  # and back
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def test_a_planted_exception_is_found_made_small_and_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = plant(planted_targets.raises)
    summary = run_campaign(target, tmp_path)
    assert [(finding.failure.kind, finding.failure.detail) for finding in summary.findings] == [
        ("exception", "ValueError: planted")
    ]
    assert summary.repeated > 0
    (folder,) = tmp_path.iterdir()
    finding = read_finding(folder)
    assert list(finding.case.files.values()) == [MARK]
    assert "raises" in (folder / "traceback.txt").read_text()
    assert program.replay(folder, {"planted": target}) == 1
    assert "ValueError: planted" in capsys.readouterr().out
    assert program.replay(folder, {"planted": plant(planted_targets.sound)}) == 0


@pytest.mark.parametrize(
    ("run", "kind"),
    [
        (planted_targets.loops, "slow"),
        (planted_targets.allocates, "memory"),
        (planted_targets.ends, "killed"),
        (planted_targets.waits, "waits"),
    ],
)
def test_a_process_that_does_not_survive_is_explained_and_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[..., object], kind: str
) -> None:
    """A reader that loops, allocates, crashes or waits must not end the run."""
    monkeypatch.setattr(workers, "IDLE_SECONDS", 2)
    summary = run_campaign(plant(run, seconds=0.1), tmp_path, inputs=2)
    assert summary.counts["planted"] == 2
    assert [finding.failure.kind for finding in summary.findings] == [kind]
    (folder,) = tmp_path.iterdir()
    assert any(MARK in data for data in read_finding(folder).case.plain_files().values())
    if kind != "memory":  # that raises an error, the others leave what `faulthandler` wrote
        assert "planted_targets.py" in (folder / "traceback.txt").read_text()


@pytest.mark.parametrize(
    ("run", "kind"),
    [
        (planted_targets.tells_too_much, "message"),
        (planted_targets.leaves_a_file, "leftover"),
        (planted_targets.leaves_a_file_open, "open"),
        (planted_targets.changes_its_input, "input"),
        (planted_targets.counts_its_calls, "repetition"),
    ],
)
def test_other_broken_promises_are_told_apart(room: Path, run: Callable[..., object], kind: str) -> None:
    case = Case({"a.txt": MARK, "b.txt": b""})
    outcome = judge(plant(run), case, room, limited=False)
    assert outcome.failure is not None
    assert outcome.failure.kind == kind


def test_a_process_that_ends_between_two_tasks_is_started_again() -> None:
    """The campaign ended with BrokenPipeError when the process was gone before the next task was sent."""
    worker = workers.Worker({"planted": plant(planted_targets.sound)})
    task = workers.Task("planted", _SEED, [0])
    try:
        assert [report.number for report in worker.run(task)] == [-1, 0]
        process = worker._process
        assert process is not None
        process.kill()
        process.join()
        process.is_alive = lambda: True  # type: ignore[method-assign]  # as if it ended after the check
        assert [report.number for report in worker.run(task)] == [-1, 0]
        assert worker._process is not process
    finally:
        worker.close()


def test_a_seed_that_ends_the_process_is_told_once(tmp_path: Path) -> None:
    """Every process runs the seeds first, so a seed that ends the process would be repeated forever."""
    target = Target("planted", planted_targets.ends, planted_targets.make_marked_seeds, has_tree=False)
    summary = run_campaign(target, tmp_path)
    assert [(finding.number, finding.failure.kind) for finding in summary.findings] == [(-1, "killed")]


def test_sound_readers_are_left_alone(room: Path) -> None:
    for case in (Case({"a.txt": MARK}), Case({"a.txt": b""}), Case({})):
        outcome = judge(plant(planted_targets.sound), case, room, limited=False)
        assert outcome.failure is None
        assert outcome.digest


def test_names_that_no_disk_can_hold_are_skipped(room: Path) -> None:
    for name in ("a" * 300, "a\0b", "x/y"):
        outcome = judge(plant(planted_targets.sound), Case({"x": b"", name: b""}), room, limited=False)
        assert (outcome.digest, outcome.failure) == ("", None)


def test_messages_are_one_short_printable_line() -> None:
    assert find_fault("file.txt, line 1: is empty. Get it again") == ""
    for message in ("", "two\nlines", "an escape \x1b[2J", "a direction \u202e", "x" * 2001):
        assert find_fault(message)


def test_the_place_of_a_killed_process_is_read_from_its_stack() -> None:
    dump = (
        "most recent call first):\n"
        '  File "/usr/lib/python3/re.py", line 7 in match\n'
        '  File "/a/site-packages/harness/files/lines.py", line 3 in stream_lines\n'
        '  File "/a/tests/fuzzing/oracle.py", line 9 in judge\n'
    )
    assert find_place_in_dump(dump) == "harness/files/lines.py: stream_lines"
    assert find_place_in_dump("") == ""


def test_digests_depend_on_order_and_type_but_not_on_where_the_room_is(room: Path) -> None:
    assert digest_value([1, 2]) != digest_value([2, 1])
    assert digest_value({"a": 1}) != digest_value({"a": 1.0})
    assert digest_value(f"{room}/input") == digest_value("./input")
    assert digest_value({"b", "a"}) == digest_value({"a", "b"})


def test_cases_are_written_and_read_as_they_are(tmp_path: Path) -> None:
    case = Case({"a/b.txt": b"1", "link": Link("../nowhere/"), "pipe": Pipe()}, ("x",))
    write_case(case, tmp_path)
    assert read_case(tmp_path, ("x",)) == case


def test_a_number_of_inputs_is_the_same_each_time(tmp_path: Path) -> None:
    """Inputs depend only on seed and number, so that findings can be reproduced on other machines."""
    target, again = plant(planted_targets.sound), plant(planted_targets.sound)
    cases = [target.make_case(_SEED, number) for number in range(50)]
    assert cases == [again.make_case(_SEED, number) for number in range(50)]
    assert cases != [target.make_case(_SEED + 1, number) for number in range(50)]
    assert target.make_case(_SEED, -1) == target.seeds[0]


def test_the_seed_is_printed_and_findings_change_the_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--target", "sound", "--inputs", "3", "--findings", str(tmp_path / "findings"), "--seed", "5"]
    for run, status in ((planted_targets.sound, 0), (planted_targets.raises, 1)):
        monkeypatch.setattr(program, "BY_NAME", {"sound": plant(run, "sound")})
        assert program.main(options) == status
        assert "seed 5, 1 targets" in (out := capsys.readouterr().out)
        assert re.search(r"slowest: \d\.\d\d s \(sound -?\d\); most memory: \d+ MiB \((sound -?\d|none)\)", out)


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("pair-corpus", Case({"c/a.zip": pack_zip({"dev.data": b"\xff", "test.data": b""})}, ("a.zip",))),
        ("paraphrase-table", Case({"t/t.tsv": b"a ferry\ta boat\t0.5\na ferry\ta boat\tno number\n"}, ("t.tsv",))),
    ],
)
def test_files_are_closed_when_they_are_refused(room: Path, name: str, case: Case) -> None:
    """Generators that read these files held them open as long as the error existed."""
    write_case(case, room / "input")
    with pytest.raises(InputError):
        BY_NAME[name].run(room / "input", case.arguments)
    assert judge(BY_NAME[name], case, room, limited=False).failure is None


def test_targets_have_distinct_names() -> None:
    assert len(BY_NAME) == len(TARGETS) > 40


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_targets_accept_their_seeds_and_run_changed_ones(room: Path, target: Target) -> None:
    """Refused seeds would test only the first check of a reader."""
    for package in target.needs:
        pytest.importorskip(package)
    assert len(target.seeds) > 0
    for number, case in enumerate(target.seeds):
        failure = judge(target, case, room, limited=False).failure
        assert failure is None or failure.kind in _OF_IMPORTS, (number, failure)
    runnable = (target.make_case(_SEED, number) for number in range(5))
    for case in runnable:
        if any(isinstance(content, Pipe) for content in case.files.values()):
            continue  # which needs a process of its own, to be ended
        judge(target, case, room, limited=False)
