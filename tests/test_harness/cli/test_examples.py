"""The examples at the end of help texts run on built-in data."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from helpers.commands import Capture, run
from helpers.messages import mentions

from harness.cli import main
from harness.cli.commands import COMMANDS, render_example

ALL_LINES = list(dict.fromkeys(line for command in COMMANDS for line in command.example.splitlines()))


def expand(line: str) -> list[str]:
    """Divide a command line as a shell does, with its patterns of file names."""
    words: list[str] = []
    for word in shlex.split(line):
        words += sorted(map(str, Path().glob(word))) if "*" in word else [word]
    return words


def test_every_command_has_an_example() -> None:
    for command in COMMANDS:
        lines = command.example.splitlines()
        assert bool(lines) == bool(command.module), command.name
        if lines:
            own = [line for line in lines if f"{line} ".startswith(f"{command.name} ")]
            assert own, command.name
    assert len(ALL_LINES) > 40


def test_the_help_ends_with_the_example(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        run("meta-eval", "--help")
    *_, example = capsys.readouterr().out.rstrip("\n").split("\n\n")
    assert example == (
        "example:\n"
        "  pyramid-paraphrase download examples\n"
        "  pyramid-paraphrase rouge --peers examples/summaries.tsv --references \\\n"
        "    examples/references.tsv --output rouge.tsv\n"
        "  pyramid-paraphrase meta-eval rouge.tsv --judgements examples/ratings.tsv \\\n"
        "    --criteria content"
    )
    joined = render_example(COMMANDS[0].example).replace(" \\\n    ", " ").splitlines()
    assert joined == ["example:", "  pyramid-paraphrase download examples"]


def test_all_examples_run(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one folder that is empty at first, in the order of the help. Lines that several examples share run once."""
    monkeypatch.chdir(tmp_path)
    for line in sorted(ALL_LINES, key=lambda line: "withdraw" in line):  # it removes an input of other examples
        words = expand(line)
        if words[0] == "sweep":
            words += ["--workers", "1"]
        assert main(words) == 0, (line, capsys.readouterr().err)
        output = capsys.readouterr()
        assert output.out.strip(), line
        assert "Traceback" not in output.err, line
    written = {path.name for path in tmp_path.iterdir()}
    assert written >= {
        "examples",
        "results",
        "board",
        "site",
        "rouge.tsv",
        "pairs.csv",
        "voted.jsonl",
        "overlap.output",
    }


def test_inputs_of_examples_do_not_replace_other_files(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("download", "examples", "--output", "here") == 0
    assert "25 files" in capsys.readouterr().out
    before = {path: path.read_bytes() for path in Path("here").rglob("*.*")}
    assert run("download", "examples", "--output", "here") == 0
    assert {path: path.read_bytes() for path in Path("here").rglob("*.*")} == before
    Path("here/votes.tsv").write_text("mine")
    assert run("download", "examples", "--output", "here") == 2
    assert re.search(mentions("votes.tsv ... another content ... --output"), capsys.readouterr().err)
    assert Path("here/votes.tsv").read_text() == "mine"
    assert run("download", "examples", "--mirror", "https://example.org") == 2
    assert re.search(mentions("--mirror ... Omit it"), capsys.readouterr().err)
