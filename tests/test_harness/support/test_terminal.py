"""Untrusted text reaches a terminal only through one module, which escapes it."""

from __future__ import annotations

import ast
import fcntl
import logging
import os
import struct
import sys
import termios
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.annotations import PEER, PEER_NAME, PYRAMID, tar
from helpers.commands import Capture
from helpers.pair_corpora import write_pit
from helpers.results import edit_result

import harness
import pyramid_paraphrase
from harness.cli import main
from harness.evaluation.comparing.comparison import compare
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.leaderboards.board import Board
from harness.models.loading import load_model
from harness.rendering.tables import render_table
from harness.reports.difference_reports import render_comparisons
from harness.reports.model_tables import make_tables
from harness.reports.text_reports import render_tables
from harness.support.terminal import emit, log_to_terminal, say, show, table_width

EVIL = "a\x1b[2Jb\x9bc\u202ed\ne\u200bf\u2028g\rh"
SAFE = "a\\x1b[2Jb\\x9bc\\u202ed\\ne\\u200bf\\u2028g\\rh"
LETTERS = "é 中 عربى 🙂 a\u0301"
"""Printable in any script, which stays as it is."""

HARNESS, DATA = (Path(str(package.__file__)).parent for package in (harness, pyramid_paraphrase))
SOURCES = [*sorted(HARNESS.rglob("*.py")), *sorted(DATA.rglob("*.py"))]
WRITER = HARNESS / "support" / "terminal.py"

FORBIDDEN = {
    *("print", "sys.stdout.write", "sys.stdout.writelines", "sys.stdout.buffer.write", "os.write", "warnings.warn"),
    *("sys.stderr.write", "sys.stderr.writelines", "sys.stderr.buffer.write", "sys.__stdout__.write"),
    *("logging.basicConfig", "logging.StreamHandler", "logging.Formatter", "StreamHandler", "basicConfig"),
}
SAFE_CALLS = {"show", "count_of", "len", "int", "sum", "form.instruct"}
"""Functions whose result is escaped, a number, or made of words and numbers of this project."""

Variables = dict[str, list[ast.expr]]
"""The values that a function binds to each of its variables, and that it adds to its lists."""


def list_calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def list_variables(function: ast.FunctionDef) -> Variables:
    variables: Variables = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
            variables.setdefault(ast.unparse(node.func.value), []).extend(node.args)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                variables.setdefault(ast.unparse(target), []).append(node.value)
    return variables


def is_safe(node: ast.expr) -> bool:
    """Return whether an expression is a constant, a number, or escaped."""
    match node:
        case ast.Constant() | ast.BinOp(op=ast.Sub()) | ast.FormattedValue(format_spec=ast.JoinedStr()):
            return True
        case ast.Call(func=ast.Name(id="map"), args=[ast.Name(id="show"), _]):
            return True
        case ast.Call(func=function):
            name = ast.unparse(function)
            return name in SAFE_CALLS or name.rpartition(".")[2].lstrip("_").startswith(("render_", "describe_"))
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name == "__version__" or name.isupper()
    return False


def divide(node: ast.expr, variables: Variables) -> list[ast.expr]:
    """Return the expressions that a text or a list of texts is made of, or none for an expression of another form."""
    match node:
        case ast.Name(id=name):
            return variables.get(name, [])
        case ast.JoinedStr(values=parts) | ast.List(elts=parts):
            return parts
        case ast.FormattedValue(value=part) | ast.ListComp(elt=part):
            return [part]
        case ast.IfExp(body=first, orelse=second) | ast.BinOp(left=first, op=ast.Add(), right=second):
            return [first, second]
        case ast.Call(func=ast.Attribute(value=text, attr="join" | "rstrip"), args=[argument]):
            return [text, argument]
        case ast.Call(func=ast.Name(id="require_text"), args=[argument]):
            return [argument]
    return []


def list_unsafe(node: ast.expr, variables: Variables) -> list[str]:
    """Return the parts of a text that are neither constants nor numbers nor escaped."""
    if is_safe(node):
        return []
    parts = divide(node, variables)
    if isinstance(node, ast.Name) and parts:
        variables = {**variables, node.id: [ast.Constant("")]}  # a variable may be made of its earlier value
    unsafe = [text for part in parts for text in list_unsafe(part, variables)]
    return unsafe if parts else [ast.unparse(node)]


def test_one_module_writes_to_the_terminal() -> None:
    """Every other `print` let escape sequences in names and labels reach the terminal."""
    assert len(SOURCES) > 250
    calls = {path: {ast.unparse(call.func) for call in list_calls(ast.parse(path.read_text()))} for path in SOURCES}
    assert [path for path in SOURCES if FORBIDDEN & calls[path]] == [WRITER]


def test_what_lines_are_made_of_is_escaped() -> None:
    """A line feed in a name forged a line of a report: `say` keeps line feeds, so values have to be escaped before."""
    seen, unsafe = 0, []
    for path in SOURCES:
        for function in ast.walk(ast.parse(path.read_text())):
            if not isinstance(function, ast.FunctionDef) or path == WRITER:
                continue
            variables = list_variables(function)
            for call in list_calls(function):
                if ast.unparse(call.func) in ("say", "hint"):
                    seen += 1
                    unsafe += [f"{path.name}:{call.lineno}: {part}" for part in list_unsafe(call.args[0], variables)]
    assert unsafe == []
    assert seen > 90


@pytest.mark.parametrize(
    ("text", "unsafe"),
    [
        ("f'{show(name)} {count_of(2, noun)} {len(names) - 1} {share:.1%} {LEGEND}' + render_table(rows)", []),
        ("'\\n'.join(map(show, names)) if names else ''", []),
        ("f'{name}'", ["name"]),
        ("show(name) + name", ["name"]),
        ("f'{folder / name}'", ["folder / name"]),
        ("f'{options.output}'", ["options.output"]),
        ("', '.join(names)", ["names"]),
        ("find(name)", ["find(name)"]),
        ("lines", ["names", "name"]),
        ("safe", []),
    ],
)
def test_what_is_not_escaped_is_found(text: str, unsafe: list[str]) -> None:
    function = (
        "def f():\n    lines = [show(name)]\n    lines.append(name)\n    lines = lines + names\n    safe = len(name)"
    )
    (definition,) = ast.parse(function).body
    assert isinstance(definition, ast.FunctionDef)
    assert list_unsafe(ast.parse(text, mode="eval").body, list_variables(definition)) == unsafe


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
    logging.captureWarnings(False)  # another test may have captured them before
    log_to_terminal(logging.WARNING)
    logging.getLogger("x").info("not shown")
    logging.getLogger("x").warning("of %s", EVIL)
    assert capsys.readouterr().err == f"WARNING: of {SAFE}\n"
    logging.getLogger("x").warning("on %s", EVIL, extra={"is_note": True})
    assert capsys.readouterr().err == f"note: on {SAFE}\n"
    logging.getLogger("x").warning("caused by", exc_info=ValueError(EVIL))
    assert SAFE.replace("\\n", "\n") in capsys.readouterr().err
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning(UserWarning(EVIL), UserWarning, "x.py", 1)  # as warnings.warn of a library does
    assert SAFE in capsys.readouterr().err


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


def test_results_in_python() -> None:
    """The interpreter prints the `repr` of a result that was read from a stranger's file."""
    result = evaluate_model(load_model("one-hot"), load_suite("sample", ["ranking"]), Settings(resamples=5))
    evil = edit_result(result, lambda record: record["model"].update(name="a\u202eb\u200bc\u034f"))
    evil = replace(evil, path=EVIL, notes=(f"of {EVIL}",))
    safe = r"a\u202eb\u200bc\u034f"
    for shown in (repr(evil), str(evil)):
        lines = shown.splitlines()
        assert lines[0] == f"Result of {safe} ({SAFE})"
        assert lines[-1] == f"of {SAFE}"
        assert all(map(str.isprintable, lines))
    assert safe in repr(harness.compare([evil, edit_result(evil, lambda record: record["model"].update(name="b"))]))


def test_names_of_folders(board: Board, room: Path, capsys: Capture) -> None:
    """The folder of a site had a line feed in its name, and the rest of the name became a line of the report."""
    assert main(["leaderboard", "render", str(board.folder), "--output", f"{EVIL}\nforged: x"]) == 0
    written = assert_harmless(capsys)
    assert f"{SAFE}\\nforged: x/index.html: 0 models\n" in written
    assert (room / f"{EVIL}\nforged: x" / "index.html").is_file()


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


def test_tables_have_the_width_of_the_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three columns of 30 characters: on a terminal of 120, in a file, in a pipe, and as the user chose."""
    header, rows = ("model", "a", "b", "c"), [("x", *["y" * 30] * 3)]

    def count_tables(chosen: int | None = None) -> int:
        with table_width(chosen):
            return len(render_table(header, rows).split("\n\n"))

    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
    reader, writer = os.pipe()
    outputs = {"terminal": os.fdopen(slave, "w"), "pipe": os.fdopen(writer, "w"), "file": (tmp_path / "x").open("w")}
    counts = {}
    for name, stream in outputs.items():
        with stream:
            monkeypatch.setattr(sys, "stdout", stream)
            counts[name] = [count_tables(), count_tables(50), count_tables(200)]
    os.close(master)
    os.close(reader)
    assert counts == {"terminal": [1, 3, 1], "pipe": [2, 3, 1], "file": [1, 3, 1]}
    assert len(render_table(header, rows).split("\n\n")) == 2  # outside of commands
