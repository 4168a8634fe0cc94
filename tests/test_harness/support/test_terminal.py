"""Untrusted text reaches a terminal only through one module, which escapes it."""

from __future__ import annotations

import ast
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.annotations import PEER, PEER_NAME, PYRAMID, tar
from helpers.commands import Capture
from helpers.pair_corpora import write_pit
from helpers.results import edit_result

import harness
import pyramid_paraphrase
from harness.cli import main
from harness.evaluation.comparison import compare
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.models.loading import load_model
from harness.rendering.tables import render_table
from harness.reports.difference_reports import render_comparisons
from harness.reports.model_tables import make_tables
from harness.reports.text_reports import render_tables
from harness.support.progress import Progress, StepAdvanced, StepStarted
from harness.support.terminal import emit, log_to_terminal, say, show

EVIL = "a\x1b[2Jb\x9bc\u202ed\ne\u200bf\u2028g\rh"
SAFE = "a\\x1b[2Jb\\x9bc\\u202ed\\ne\\u200bf\\u2028g\\rh"
LETTERS = "é 中 عربى 🙂 a\u0301"
"""Printable in any script, which stays as it is."""

PACKAGES = [Path(str(package.__file__)).parent for package in (harness, pyramid_paraphrase)]
SOURCES = [(package, path) for package in PACKAGES for path in sorted(package.rglob("*.py"))]
WRITER = Path("support/terminal.py")

FORBIDDEN = {
    *("print", "sys.stdout.write", "sys.stdout.writelines", "sys.stdout.buffer.write", "os.write", "warnings.warn"),
    *("sys.stderr.write", "sys.stderr.writelines", "sys.stderr.buffer.write", "sys.__stdout__.write"),
    *("logging.basicConfig", "logging.StreamHandler", "logging.Formatter", "StreamHandler", "basicConfig"),
}
SAFE_CALLS = {"show", "count_of", "len", "int", "sum"}
"""Functions whose result is escaped, or a number."""


CONSTANTS = {"ENTRIES_NAME", "__version__"}


def list_calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def list_values(node: ast.AST) -> Iterator[ast.FormattedValue]:
    """The values that f-strings interpolate, except within a call that escapes its argument."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in SAFE_CALLS:
        return
    if isinstance(node, ast.FormattedValue):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from list_values(child)


def is_safe(value: ast.FormattedValue) -> bool:
    """Return whether an interpolated value is a constant, a formatted number, or escaped."""
    inner = value.value
    if value.format_spec is not None:
        return True
    if isinstance(inner, ast.Call):
        name = ast.unparse(inner.func)
        return name in SAFE_CALLS or name.startswith("render_")
    return isinstance(inner, ast.BinOp) or (isinstance(inner, ast.Name) and inner.id in CONSTANTS)


@pytest.mark.parametrize(("package", "path"), SOURCES, ids=lambda path: path.name)
def test_one_module_writes_to_the_terminal(package: Path, path: Path) -> None:
    """Every other `print` let escape sequences in names and labels reach the terminal."""
    if path == PACKAGES[0] / WRITER:
        return
    calls = [ast.unparse(call.func) for call in list_calls(ast.parse(path.read_text()))]
    assert not FORBIDDEN.intersection(calls)


@pytest.mark.parametrize("path", sorted((PACKAGES[0] / "cli").glob("*.py")), ids=lambda path: path.name)
def test_what_lines_are_made_of_is_escaped(path: Path) -> None:
    """A line feed in a name forged a line of a report: `say` keeps line feeds, so values have to be escaped before."""
    for call in list_calls(ast.parse(path.read_text())):
        if ast.unparse(call.func) == "say":
            unsafe = [ast.unparse(value) for value in list_values(call) if not is_safe(value)]
            assert not unsafe, f"line {call.lineno}: {unsafe}"


def test_values_are_shown_in_one_line() -> None:
    assert show(EVIL) == SAFE
    assert show(LETTERS) == LETTERS
    assert show(Path("a\udcff")) == "a\\udcff"  # a name of a file that is not in UTF-8


def test_only_line_feeds_and_our_own_colours_are_obeyed(capsys: Capture) -> None:
    """Text that was not escaped before is escaped when it is written."""
    say(f"{LETTERS}\nx\x9b\t\x1b[31my\x1b[0m\x1b[2J")
    say("\x1b[31my\x1b[0m\x1b[2J", coloured=True)
    say(EVIL, sys.stderr)
    captured = capsys.readouterr()
    assert captured.out == f"{LETTERS}\nx\\x9b\\t\\x1b[31my\\x1b[0m\\x1b[2J\n\x1b[31my\x1b[0m\\x1b[2J\n"
    assert captured.err == SAFE.replace("\\n", "\n") + "\n"


def test_what_programs_read_is_escaped_on_a_terminal_only(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    emit(EVIL)
    assert capsys.readouterr().out == EVIL + "\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    emit(f"a\tb{EVIL}")
    assert capsys.readouterr().out == "a\tb" + SAFE.replace("\\n", "\n") + "\n"


def test_cells_and_titles_of_tables_are_escaped() -> None:
    assert render_table((EVIL, "n"), [("a\nb", 1)]) == f"{SAFE}  n\na\\nb{' ' * (len(SAFE) - 4)}  1"


def test_log_messages_are_escaped(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", logging.NOTSET)
    log_to_terminal(logging.WARNING)
    logging.getLogger("x").info("not shown")
    logging.getLogger("x").warning("of %s", EVIL)
    assert capsys.readouterr().err == f"WARNING: of {SAFE}\n"
    logging.getLogger("x").warning("caused by", exc_info=ValueError(EVIL))
    assert SAFE.replace("\\n", "\n") in capsys.readouterr().err


def test_steps_of_progress_are_escaped(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    progress = Progress(visible=True)
    progress.start(f"loading {EVIL}", 1)
    progress.stop()
    written = capsys.readouterr().err
    assert f"loading {SAFE}" in written
    assert "\x1b[2J" not in written


def test_a_bar_follows_the_events_of_a_computation(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Progress(visible=True) as progress:
        progress.follow(StepStarted("encoding", 9, done=2))
        assert "encoding:  22%" in capsys.readouterr().err
        progress.follow(StepAdvanced(7))
        progress.follow(StepStarted("scoring", 3))
    written = capsys.readouterr().err
    assert "scoring:   0%" in written
    assert written.endswith("\r")  # the bar is taken away


def test_arguments_in_errors_are_escaped(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        main(["report", "x", "--format", EVIL])
    assert_harmless(capsys)


def assert_harmless(capsys: Capture) -> str:
    """Return the output, which must not contain control characters other than line feeds."""
    captured = capsys.readouterr()
    written = captured.out + captured.err
    assert not [letter for letter in written if not letter.isprintable() and letter != "\n"]
    return str(written)


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_names_and_uids_of_annotations(room: Path, capsys: Capture) -> None:
    """Names of members of an archive, and a uid, that clear the screen and add a line to the report."""
    evil = PYRAMID.replace(b'uid="2"', 'uid="2\u202e\x9b&#10;x: file-rejected"'.encode(), 1)
    members = {"D0901-A.pyr": evil, PEER_NAME: PEER, f"{EVIL}\nforged: file-rejected.pyr": b"<html/>"}
    (room / "x.tar").write_bytes(tar(members, "w"))
    assert main(["inspect", "x.tar", "--list"]) == 0
    written = assert_harmless(capsys)
    assert SAFE in written
    assert not any(line.startswith(("forged", "x: ")) for line in written.splitlines())
    assert main(["score", "x.tar"]) == 0
    assert_harmless(capsys)


def test_names_of_models() -> None:
    """An untrusted result. Only control characters are refused when it is read."""
    result = evaluate_model(load_model("one-hot"), load_suite("sample", ["ranking"]), Settings(resamples=5))
    result = edit_result(result, lambda record: record["model"].update(name="a\u202eb\u2028c"))
    report = render_tables(make_tables([result]), "terminal")
    assert "  a\\u202eb\\u2028c  " in report
    renamed = edit_result(result, lambda record: record["model"].update(name="renamed"))
    comparison = render_comparisons(compare([result, renamed], resamples=5), "terminal")
    assert "a\\u202eb\\u2028c" in comparison
    assert "".join((report + comparison).split("\n")).isprintable()


def test_names_in_tables_that_users_bring(room: Path, capsys: Capture) -> None:
    name = "a\u202eb\x1b[2J"
    (room / "votes.tsv").write_text(f"item\tannotator\tvote\n1\t{name}\t1\n1\tb\t0\n")
    assert main(["collection", "agreement", "votes.tsv"]) == 0
    assert_harmless(capsys)
    (room / "table.tsv").write_text(f"a {name}\tb\t0.5\nb\ta {name}\t0.5\n")
    assert main(["paraphrases", "compile", "table.tsv", "--output", f"{name}.table"]) == 0
    assert main(["paraphrases", "show", f"{name}.table", "b"]) == 0
    assert_harmless(capsys)
    folder = write_pit(room / "pit")
    outputs = [room / f"{EVIL}.output", room / "b.output"]
    count = len((folder / "test.label").read_text().splitlines())
    for output in outputs:
        output.write_text("true\t1.0000\n" * (count - 1) + "false\t0.0000\n")
    assert main(["pit", "compare", "--labels", str(folder / "test.label"), *map(str, outputs)]) == 0
    assert "a [2Jb" in assert_harmless(capsys)


def test_texts_of_summaries(room: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two summaries side by side: only the colours of matches have an effect."""
    for folder, author in (("peers", "7"), ("references", "A")):
        (room / folder / author).mkdir(parents=True)
        (room / folder / author / "D0901.txt").write_text("The mill \x9b[2J\x1b[2J\u202e burned down.\n")
    command = ["paraeval", "--peers", "peers", "--references", "references", "--show", "D0901", "7"]
    assert main(command) == 0
    assert "\\x9b[_2J_\\x1b[_2J_\\u202e" in assert_harmless(capsys)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert main(command) == 0
    written = capsys.readouterr().out
    assert "\x1b[32m_mill_\x1b[0m" in written
    assert "\x1b[2J" not in written
