"""A misspelled path of a model is compared with the names in the same folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.commands import Capture, run

from harness.models.files.hub import suggest_nearby


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("my-model", "runs/bert-small", ".my-modle"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "vectors.txt").write_text("a 1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("my-modle", "my-model"),
        ("runs/brt-small", "runs/bert-small"),
        ("vektors.txt", "vectors.txt"),
    ],
)
def test_suggestions(folder: Path, name: str, suggestion: str) -> None:
    assert suggest_nearby(name) == f". Did you mean '{suggestion}'?"
    assert suggest_nearby(str(folder / name)) == f". Did you mean '{folder / suggestion}'?"


@pytest.mark.parametrize("name", ["my-model", "all-MiniLM-L6-v2", "absent/my-modle", "absent\0/my-modle"])
def test_no_suggestion(folder: Path, name: str) -> None:
    assert suggest_nearby(name) == ""


@pytest.mark.needs("sentence_transformers")
@pytest.mark.parametrize("name", ["my-modle", "./my-modle"])
def test_the_command_suggests_a_folder(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The misspelled name of a folder was treated only as a name on the Hub."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert run("evaluate", "--model", name, "--data", "sample") == 2
    assert capsys.readouterr().err.endswith(". Did you mean 'my-model'?\n")
