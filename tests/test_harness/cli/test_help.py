"""The help of every command and action fits a terminal."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest
from helpers.commands import Capture, run

from harness.cli import make_parser
from harness.cli.commands import COMMANDS
from harness.cli.parser import Parser
from harness.rendering.columns import WIDTH


def list_lines(parser: Parser, *words: str) -> Iterator[tuple[str, ...]]:
    """List the words that name a parser, and those of all parsers below it."""
    yield words
    parser.describe()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, described in action.choices.items():
                yield from list_lines(described, *words, name)


LINES = list(list_lines(make_parser()))


def test_all_commands_are_listed() -> None:
    assert {words[0] for words in LINES if words} == {command.name for command in COMMANDS}
    assert ("leaderboard", "init") in LINES
    assert ("dimple", "meta") in LINES


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_help_fits_a_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    with pytest.raises(SystemExit) as caught:
        run(*words, "--help")
    assert caught.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(" ".join(("usage: pyramid-paraphrase", *words)))
    assert [line for line in lines if len(line) > WIDTH] == []
