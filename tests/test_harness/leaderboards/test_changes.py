"""Which files the author of a submission may change, and errors of git."""

from __future__ import annotations

import subprocess
from pathlib import Path, PurePosixPath

import pytest
from helpers.messages import mentions

from harness.leaderboards import changes
from harness.leaderboards.board import Board
from harness.leaderboards.changes import _find_reason, _list_fields
from harness.support.errors import LeaderboardError


@pytest.fixture
def empty_board(tmp_path: Path) -> Board:
    return Board(tmp_path, "Paraphrases", ())


def test_a_file_may_be_removed_if_its_submission_stays(empty_board: Board) -> None:
    removed = PurePosixPath("submissions", "mine", "scores.csv.gz")
    (empty_board.folder / "mine").mkdir()
    (empty_board.folder / "submissions" / "scores.csv.gz").mkdir(parents=True)
    assert "maintainer" in _find_reason(empty_board, removed, "000000", is_removed=True)
    (empty_board.folder / "submissions" / "mine").mkdir()
    assert _find_reason(empty_board, removed, "000000", is_removed=True) == ""


@pytest.mark.parametrize(
    ("error", "quoted"),
    [
        ("", "failed."),
        ("bad\n  object\n", "failed (bad object)."),
        (200 * "x", f"({200 * 'x'})"),
        (201 * "x", f"({100 * 'x'}[...]{100 * 'x'})"),
    ],
)
def test_git_fails(empty_board: Board, monkeypatch: pytest.MonkeyPatch, error: str, quoted: str) -> None:
    failed = subprocess.CompletedProcess([], 128, b"", error.encode())
    monkeypatch.setattr(changes, "_run_git", lambda *_: failed)
    with pytest.raises(LeaderboardError, match=mentions(f"{empty_board.folder}: `git diff` ... {quoted} ... git fsck")):
        _list_fields(empty_board, "diff", "--raw")
