"""The record of decisions: what was accepted, changed, replaced, retired and withdrawn, in which order."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from helpers.messages import mentions
from helpers.submissions import make_board, run_before_the_lock

from harness.leaderboards import history as history_module
from harness.leaderboards.board import Board
from harness.leaderboards.history import (
    ACCEPTED,
    CHANGED,
    REPLACED,
    RETIRED,
    WITHDRAWN,
    Decision,
    History,
    find_today,
    read_history,
    retire,
    update_history,
    withdraw,
)
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.errors import InputError, OutputError

FIRST, SECOND, THIRD = "1" * 64, "2" * 64, "3" * 64


@pytest.fixture(autouse=True)
def day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")  # `date --utc --date=@1767225600` prints 2026-01-01


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return make_board(tmp_path / "board")


def test_the_life_of_a_submission(board: Board) -> None:
    update_history(board, lambda history: history.accept("a", FIRST, "model a"))
    update_history(board, lambda history: history.accept("a", SECOND, "model a", reason="another link"))
    assert read_history(board).find_state("a") == CHANGED
    retire(board, "a", "switched off")
    assert read_history(board).find_state("a") == RETIRED
    update_history(board, lambda history: history.accept("a", SECOND, "model a"))
    update_history(board, lambda history: history.accept("b", THIRD, "model b", replaced="a", reason="larger"))
    history = read_history(board)
    assert dict(history.accepted) == {"a": SECOND, "b": THIRD}
    assert (history.find_state("a"), history.find_state("b")) == (REPLACED, ACCEPTED)
    (board.folder / "submissions" / "a").mkdir(parents=True)
    (board.folder / "reproductions" / "a.json").write_text("{}")
    written = withdraw(board, "a", "asked by its author")
    assert list((board.folder / "submissions").iterdir()) == list((board.folder / "reproductions").iterdir()) == []
    assert json.loads(written.read_text()) == {
        "format": 1,
        "accepted": {"b": THIRD},
        "history": [
            {"date": "2026-01-01", "action": action, "submission": submission, "model": f"model {submission}"} | more
            for action, submission, more in (
                ("accepted", "a", {}),
                ("changed", "a", {"reason": "another link"}),
                ("retired", "a", {"reason": "switched off"}),
                ("accepted", "a", {}),
                ("accepted", "b", {"reason": "larger"}),
                ("replaced", "a", {"reason": "larger", "replacement": "b"}),
                ("withdrawn", "a", {"reason": "asked by its author"}),
            )
        ],
    }


def test_nothing_is_recorded_twice(board: Board) -> None:
    assert update_history(board, lambda history: history.accept("a", FIRST, "m")) is not None
    assert update_history(board, lambda history: history.accept("a", FIRST, "m")) is None


def test_submissions_that_another_process_accepts_are_not_lost(board: Board) -> None:
    with run_before_the_lock(
        history_module, lambda: update_history(board, lambda history: history.accept("first", FIRST, "m"))
    ):
        update_history(board, lambda history: history.accept("second", SECOND, "m"))
    assert dict(read_history(board).accepted) == {"first": FIRST, "second": SECOND}


def test_a_record_of_an_earlier_release_has_no_decisions(board: Board) -> None:
    (board.folder / "accepted.json").write_text(json.dumps({"format": 1, "accepted": {"a": FIRST}}))
    assert read_history(board).find_state("a") == ACCEPTED
    assert read_history(board).find_state("b") == ""
    retire(board, "a", "old")
    assert read_history(board).history == (Decision("2026-01-01", "retired", "a", "a", "old"),)


@pytest.mark.parametrize(
    ("action", "name", "message"),
    [
        (retire, "new", "submissions/new: ... never accepted ... Remove"),
        (withdraw, "new", "submissions/new: ... never accepted ... Remove"),
        (retire, "gone", "submissions/gone: was withdrawn"),
    ],
)
def test_decisions_that_make_no_sense(board: Board, action: object, name: str, message: str) -> None:
    update_history(board, lambda history: history.accept("gone", FIRST, "m"))
    withdraw(board, "gone", "asked")
    before = (board.folder / "accepted.json").read_bytes()
    with pytest.raises(LeaderboardError, match=mentions(message)):
        action(board, name, "why")  # type: ignore[operator]
    assert (board.folder / "accepted.json").read_bytes() == before


def test_a_withdrawal_that_was_interrupted_is_completed(board: Board) -> None:
    """The record is written first, so a folder can be left, which `check` refuses."""
    update_history(board, lambda history: history.accept("a", FIRST, "m"))
    withdraw(board, "a", "asked")
    folder = board.folder / "submissions" / "a"
    folder.mkdir()
    withdraw(board, "a", "asked")
    assert not folder.exists()
    assert [decision.action for decision in read_history(board).history] == [ACCEPTED, WITHDRAWN]


@pytest.mark.parametrize("reason", ["two\nlines", "x" * 301])
def test_a_reason_is_one_line(board: Board, reason: str) -> None:
    update_history(board, lambda history: history.accept("a", FIRST, "m"))
    message = "accepted.json: ... history.1.reason: ... 300 ... Change the reason"
    with pytest.raises(InputError, match=mentions(message)):
        retire(board, "a", reason)
    assert read_history(board).find_state("a") == ACCEPTED


def test_the_latest_of_a_family_even_in_a_circle() -> None:
    history = History({}, tuple(
        Decision("2026-01-01", "replaced", old, "m", replacement=new) for old, new in (("a", "b"), ("b", "c"))
    ))  # fmt: skip
    assert [history.find_latest(name) for name in "abcx"] == ["c", "c", "c", "x"]
    circle = History({}, (*history.history, Decision("2026-01-01", "replaced", "c", "m", replacement="a")))
    assert circle.find_latest("a") == "c"


def test_the_date_is_that_of_the_variable_or_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_today() == "2026-01-01"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    with pytest.raises(LeaderboardError, match=mentions("the variable SOURCE_DATE_EPOCH is 'soon', ... Change it")):
        find_today()
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert re.fullmatch("20[0-9]{2}-[0-9]{2}-[0-9]{2}", find_today())


def test_a_day_that_does_not_exist_is_refused(board: Board) -> None:
    record = {"format": 1, "accepted": {}, "history": [
        {"date": "2026-02-30", "action": "accepted", "submission": "a", "model": "a"}
    ]}  # fmt: skip
    (board.folder / "accepted.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match=mentions("accepted.json: ... history.0.date: 2026-02-30 ... Restore")):
        read_history(board)


def test_a_circle_of_replacements_ends_from_outside_of_it() -> None:
    decisions = [Decision("2026-01-01", "replaced", name, "m", "", other) for name, other in ("ab", "bc", "cb")]
    assert History({}, tuple(decisions)).find_latest("a") == "c"


def test_a_record_is_not_a_link(board: Board, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.json").write_text('{"format": 1, "accepted": {}}')
    (board.folder / "accepted.json").symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(LeaderboardError, match=mentions("accepted.json: ... symbolic link")):
        read_history(board)


def test_a_name_has_at_most_255_characters(board: Board) -> None:
    update_history(board, lambda history: history.accept("x" * 255, FIRST, "model"))
    assert read_history(board).find_state("x" * 255) == ACCEPTED
    with pytest.raises(InputError, match=mentions("accepted.json: ... accepted: ... length <= 255")):
        update_history(board, lambda history: history.accept("y" * 256, SECOND, "model"))


def test_a_folder_that_cannot_be_removed(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    update_history(board, lambda history: history.accept("a", FIRST, "model"))
    (board.folder / "submissions" / "a").mkdir(parents=True)

    def fail(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(history_module.shutil, "rmtree", fail)
    with pytest.raises(OutputError, match=mentions("submissions/a: ... Permission denied")):
        withdraw(board, "a", "asked by its author")


def test_a_record_of_more_than_16_mebibytes_is_refused(board: Board) -> None:
    content = b'{"format": 1, "accepted": {}}'
    (board.folder / "accepted.json").write_bytes(content.ljust(16 * 1024**2))
    assert read_history(board) == History({})
    (board.folder / "accepted.json").write_bytes(content.ljust(16 * 1024**2 + 1))
    with pytest.raises(InputError, match=mentions("accepted.json")):
        read_history(board)
