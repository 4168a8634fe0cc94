"""The first six weeks of a leaderboard in a git repository, with all cheats and new data."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from helpers.checkout import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from board_life import CHEATS, GIT, Projection, expect, play_weeks


@pytest.mark.full
def test_six_weeks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The play stops if the leaderboard is not as its ledger says, or a cheat is not caught."""
    if not Path(GIT).exists():
        pytest.skip("git is not installed")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")  # restored afterwards
    lines = play_weeks("sample", tmp_path, weeks=6)
    assert [line.split(" | ")[1] for line in lines] == ["4", "8", "12", "16", "20", "24"]
    assert all(sum(cheat.title in line for line in lines) == 1 for cheat in CHEATS)
    assert "fresh clone: same bytes" in lines[4]
    assert "new data" in lines[5]


def test_the_ledger_stops_the_play() -> None:
    with pytest.raises(SystemExit, match="not as expected: the pages"):
        expect(set(), "the pages")


def test_a_projection_depends_on_words_only() -> None:
    first, second = (Projection(1, 3).encode(["a cat", "A  CAT"]) for _ in range(2))
    assert (first == second).all()
    assert (first[0] == first[1]).all()
    assert (Projection(2, 3).encode(["a cat"]) != first[0]).any()
