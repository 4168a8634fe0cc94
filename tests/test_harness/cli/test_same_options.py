"""The same thing has the same option in all commands, and earlier names still work."""

from __future__ import annotations

import csv
import io
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.commands import Capture, run
from helpers.messages import mentions

from harness.cli import make_parser
from harness.files.table_forms import TABLE_FORMS, render_table_file
from harness.files.tables import read_tables
from harness.support.progress import Progress
from harness.support.terminal import hint, is_quiet, quieted
from pyramid_paraphrase.pyramids.sources import SourceFile

LABELS = "true\t1.0000\nfalse\t0.4000\ntrue\t0.8000\nfalse\t0.0000\nfalse\t0.2000\ntrue\t0.8000\n"


@pytest.mark.parametrize("command", ["score", "inspect", "annotate votes", "pairs"])
def test_sources_with_and_without_the_flag(command: str) -> None:
    words, parser = command.split(), make_parser()
    plain = parser.parse_args([*words, "a", "b"])
    assert parser.parse_args([*words, "--data", "a", "--data", "b"]) == plain
    assert parser.parse_args([*words, "--data", "a", "b"]) == plain


def test_a_source_is_required(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as caught:
        run("score", "--strict")
    assert caught.value.code == 2
    assert "the following arguments are required: SOURCE" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("build sample --config binary --config ranking", "build sample --task binary,ranking"),
        ("pit score a --labels l --data d", "pit score a --labels l --test-data d"),
        ("coverage --data sample", "coverage --pyramids sample"),
    ],
)
def test_earlier_names(old: str, new: str, capsys: Capture) -> None:
    parser = make_parser()
    assert parser.parse_args(old.split()) == parser.parse_args(new.split())
    hidden = next(word for word in old.split() if word.startswith("--") and word not in new.split())
    with pytest.raises(SystemExit):
        parser.parse_args([*old.split()[: 2 if old.startswith("pit") else 1], "--help"])
    assert not re.search(rf"{hidden}\b", capsys.readouterr().out)


def test_quiet_hides_hints_and_no_doubts(capsys: Capture) -> None:
    assert run("score", "sample") == 0
    assert "To compare with a table, add --official" in capsys.readouterr().out
    assert run("score", "sample", "--quiet") == 0
    output = capsys.readouterr().out
    assert "--official" not in output
    assert "S0101" in output
    with quieted(True):
        hint("next")
        assert is_quiet()
        assert not Progress(visible=True)._visible
    assert not is_quiet()
    assert capsys.readouterr().out == ""


def test_digits_of_values(capsys: Capture) -> None:
    assert run("score", "sample", "--digits", "1") == 0
    numbers = re.findall(r"\b\d\.\d+\b", capsys.readouterr().out)
    assert numbers
    assert {len(number) for number in numbers} == {3}
    assert run("dimple", "count", "--pairs", "a=b", "--format", "csv") == 2
    assert run("meta-eval", "sample", "--judgements", "sample", "--digits", "2", "--format", "csv") == 2
    assert re.search(mentions("--digits has no effect on csv ... Omit it"), capsys.readouterr().err)


def test_sentences_and_tables_have_the_same_digits(tmp_path: Path, capsys: Capture) -> None:
    """The answer of `compare` had intervals with other digits than its values."""
    models = ("--model", "overlap", "--model", "tf-idf", "--resamples", 20, "--no-cache")
    assert run("evaluate", "--data", "sample", "--task", "ranking", *models, "--output", tmp_path) == 0
    capsys.readouterr()
    assert run("compare", tmp_path, "--digits", 1) == 0
    answer, *_ = capsys.readouterr().out.split("\n\n")
    assert set(re.findall(r"\d\.\d+", answer)) == {"0.8", "0.1", "0.7", "0.2"}


@pytest.mark.parametrize(
    "form", [pytest.param(form, marks=[pytest.mark.needs("openpyxl")] * (form == "xlsx")) for form in TABLE_FORMS]
)
def test_every_form_is_read_again(form: str) -> None:
    rows = [("=1+1", 0.5, None), ("+a", -2, "x, y"), ("@b", 1e-9, 'q"r'), ("-", 3, "é")]
    content = render_table_file(form, ("name", "value", "text"), rows)
    data = content if isinstance(content, bytes) else content.encode()
    (table,) = read_tables(SourceFile(f"t.{form}", data))
    assert table.names == ("name", "value", "text")
    assert [(cells[0], float(cells[1] or 0), cells[2] or None) for _, cells in table.rows] == [
        (name, value, text) for name, value, text in rows
    ]
    assert render_table_file(form, ("name", "value", "text"), rows) == content


@pytest.mark.needs("openpyxl")
def test_reports_for_excel_have_the_numbers_of_csv(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "test.label").write_text(LABELS)
    (tmp_path / "a.output").write_text(LABELS)
    arguments = ["pit", "score", tmp_path / "a.output", "--labels", tmp_path / "test.label", "--resamples", "5"]
    for name in ("s.xlsx", "s.tsv", "s.csv"):
        assert run(*arguments, "--output", tmp_path / name) == 0
    capsys.readouterr()
    header, *rows = csv.reader(io.StringIO((tmp_path / "s.csv").read_text()))
    assert len(rows) > 3
    for name in ("s.xlsx", "s.tsv"):
        (table,) = read_tables(SourceFile(name, (tmp_path / name).read_bytes()))
        assert list(table.names) == header
        assert [[_parse(cell) for cell in cells] for _, cells in table.rows] == [list(map(_parse, row)) for row in rows]
    assert run(*arguments, "--format", "xlsx") == 2
    assert re.search(mentions("--format xlsx ... Add --output"), capsys.readouterr().err)


def test_sheets_say_how_their_form_is_saved(tmp_path: Path, capsys: Capture) -> None:
    """Sheets for Excel told people to save CSV."""
    ways = {"csv": "commas", "tsv": "tabs"}
    for form in ["csv", "tsv", *(["xlsx"] if find_spec("openpyxl") else [])]:
        assert (
            run("annotate", "sample", "sample", "--task", "binary", "--rows", 4, "--output", tmp_path / f"s.{form}")
            == 0
        )
        instructions = capsys.readouterr().out
        assert f"anna.{form}" in instructions
        assert ways.get(form, "7. Save the file, and") in instructions
        assert ("CSV UTF-8" in instructions) == (form == "csv")


def _parse(cell: str | None) -> str | float:
    try:
        return float(cell or "")
    except ValueError:
        return cell or ""
