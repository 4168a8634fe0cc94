"""Labelled pairs instead of annotations: the error names the option of the command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.commands import Capture, run
from helpers.messages import mentions
from helpers.pair_corpora import write_pit, write_tokens


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (
            ("evaluate", "--model", "overlap", "--task", "binary", "--data", "{pairs}"),
            "pairs: ... pairs ... --task pairs",
        ),
        (
            ("annotate", "sample", "{pit}", "--task", "binary", "--output", "sheet.csv"),
            "pit: ... pairs ... --task pit_identification,pit_similarity",
        ),
        (("build", "{pairs}"), "pairs: ... pairs ... --task pairs"),
        (("build", "{pit}"), "pit: ... pairs ... --task pit_identification --task pit_similarity"),
        (("inspect", "{pairs}"), "pairs: ... pairs ... evaluate ... evaluate --data"),
        (("leaderboard", "init", "board", "--data", "{pairs}"), "pairs: ... pairs ... Leaderboards"),
    ],
)
def test_the_remedy_names_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, arguments: tuple[str, ...], remedy: str
) -> None:
    """The error named configurations, but not the option that selects them."""
    monkeypatch.chdir(tmp_path)
    write_tokens(tmp_path / "pairs")
    write_pit(tmp_path / "pit")
    folders = {name: str(tmp_path / name) for name in ("pairs", "pit")}
    assert run(*(argument.format(**folders) for argument in arguments)) == 2
    error = capsys.readouterr().err
    assert ": contains labelled pairs, not annotations. " in error
    assert re.search(mentions(remedy), error)


def test_other_folders_keep_their_error(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "notes.txt").write_text("nothing\n")
    assert run("build", tmp_path) == 2
    assert ".pyr" in capsys.readouterr().err
