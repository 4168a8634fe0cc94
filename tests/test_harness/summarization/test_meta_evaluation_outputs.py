"""The outputs of `meta-eval` are checked before the computation."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from helpers.commands import Capture, run
from helpers.summary_scores import write_scores


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_scores(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evaluate(*arguments: object) -> int:
    return run("meta-eval", "scores.tsv", "--judgements", "content.table", *arguments)


@pytest.mark.usefixtures("room")
@pytest.mark.parametrize("names", ["good,,noise", "", "good,"])
def test_names_are_not_empty(names: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as caught:
        evaluate("--metrics", names)
    assert caught.value.code == 2
    assert "--metrics" in capsys.readouterr().err


def test_a_figure_has_a_known_format(room: Path, capsys: Capture) -> None:
    assert evaluate("--plot", "figure.gif") == 2
    assert ".svg" in capsys.readouterr().err
    assert not (room / "figure.gif").exists()


@pytest.mark.usefixtures("with_pip")
def test_a_figure_without_matplotlib(room: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert evaluate("--plot", "figure.svg", "--output", "report.md") == 2
    assert "[plots]'" in capsys.readouterr().err
    assert not (room / "report.md").exists()
