"""The help of every command and action fits a terminal and is plain English."""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator
from statistics import median

import pytest
from helpers.commands import Capture, run

from harness.cli import make_parser
from harness.cli.commands import COMMANDS, GROUPS
from harness.cli.parser import Parser
from harness.support.terminal import WIDTH

STUMBLES = re.compile(
    r"\b(what|who|whom|whose|where to|those|such(?! as)|told|said|called|due|beyond|surely|lacks?|(take|taken) for)\b"
    r"|\bis no\b|\bis there\b|\bthat is given\b|\bto be had\b"
)
"""Constructions that readers stumble over, from the table of examples for plain technical English."""

BEGINNINGS = re.compile(r"(of|with|as|in|so|if|the same|another|how many|how often)\b", re.IGNORECASE)
"""How a text begins that does not stand alone, such as "--seed: of chance"."""

SPECIFIC = {
    "--columns": "names the fields of the command",
    "--data": "names the sources of a command that also takes them without the flag",
    "--format": "lists the formats of the command",
    "--html": "names what is written",
    "--max-words": "names the limit of the command",
    "--model": "names the use of the model",
    "--output": "names what is written",
    "--pairs": "an input of dimple, an output of paraeval",
    "--pyramids": "optional for paraeval",
    "--rows": "sampled rows, or listed rows",
    "--save": "names what is written",
    "--show-text": "HTML only for report",
    "--sources": "looked up in a table by dimple convert",
    "--split": "names what is selected",
    "--stem": "with or without a choice of stemmers",
    "--strict": "of annotations, or of scores",
    "--table": "names a method in dimple, not in paraeval",
    "--task": "one test or several, with different defaults",
    "--workers": "processes, or jobs of a cluster",
}
"""Options whose text depends on the command, with the reason."""


def list_parsers(parser: Parser, *words: str) -> Iterator[tuple[tuple[str, ...], Parser]]:
    """List a parser and all parsers below it, each with the words that name it."""
    parser.describe()
    yield words, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, described in action.choices.items():
                yield from list_parsers(described, *words, name)


PARSERS = dict(list_parsers(make_parser()))


def list_texts(parser: Parser) -> Iterator[tuple[str, str]]:
    """Yield the texts of a parser with the names of their options. Missing texts are empty."""
    yield "description", parser.description or ""
    formatter = parser._get_formatter()
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            names = [name for name in action.option_strings if name not in getattr(action, "hidden", ())]
            name = names[-1] if names else action.dest
            yield name, formatter._expand_help(action) if action.help else ""


TEXTS = {(*words, name): text for words, parser in PARSERS.items() for name, text in list_texts(parser)}
WRITTEN_HERE = {names: text for names, text in TEXTS.items() if names[0] != "build"}
"""Without the rules of tests, whose texts belong to the library."""


def test_all_commands_are_listed() -> None:
    assert {" ".join(words) for words in PARSERS if words} == {command.name for command in COMMANDS}
    assert ("leaderboard", "init") in PARSERS
    assert ("dimple", "meta") in PARSERS
    assert len(PARSERS) > 40
    assert len(TEXTS) > 400


def test_help_fits_a_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    for words in PARSERS:
        with pytest.raises(SystemExit) as caught:
            run(*words, "--help")
        assert caught.value.code == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].startswith(" ".join(("usage: pyramid-paraphrase", *words)))
        assert [line for line in lines if len(line) > WIDTH] == [], words


def test_each_command_has_a_line_in_a_group(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    with pytest.raises(SystemExit):
        run("--help")
    _, *sections = re.split(r"\n\n(?=[a-z ]+:\n)", capsys.readouterr().out.rstrip())
    listed = {}
    for section in sections:
        title, *lines = section.splitlines()
        listed[title.removesuffix(":")] = [line.split()[0] for line in lines]
    assert listed.pop("options") == ["-h,", "--version"]
    named = {title: [row.name for row in rows if " " not in row.name] for title, rows in GROUPS.items()}
    assert listed == named
    assert sum(map(len, named.values())) == 25


def test_sentences_are_short() -> None:
    sentences = [sentence for text in TEXTS.values() for sentence in re.split(r"(?<=[.!?])\s+", text) if sentence]
    lengths = [len(sentence.split()) for sentence in sentences]
    assert len(lengths) > 400
    assert median(lengths) <= 12
    assert max(lengths) <= 40


def test_every_argument_has_a_text_that_stands_alone() -> None:
    assert [names for names, text in TEXTS.items() if not text] == []
    assert {names: text for names, text in TEXTS.items() if BEGINNINGS.match(text)} == {}


def test_no_reader_stumbles() -> None:
    assert {names: text for names, text in TEXTS.items() if STUMBLES.search(text)} == {}
    assert {names: text for names, text in TEXTS.items() if ";" in text} == {}


def test_an_option_of_several_commands_has_one_wording() -> None:
    wordings = defaultdict(set)
    for (*_, name), text in WRITTEN_HERE.items():
        if name.startswith("--"):
            wordings[name].add(re.sub(r"\(default: [^)]*\)", "(default)", text))
    different = {name for name, texts in wordings.items() if len(texts) > 1}
    assert different == set(SPECIFIC)
