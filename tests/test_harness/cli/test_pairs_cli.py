"""`pairs`: from annotations to a spreadsheet."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from helpers.annotations import PYRAMID
from helpers.commands import Capture, run
from helpers.messages import mentions
from helpers.pair_corpora import write_pit

from harness.cli.outputs import encode
from harness.files.table_forms import render_table_file
from harness.reports.pairs import TextPair
from pyramid_paraphrase.formats.pairs.corpora import read_pair_corpus


def test_counts_examples_and_files(capsys: Capture, tmp_path: Path) -> None:
    tables = {name: tmp_path / f"pairs.{name}" for name in ("csv", "tsv", "jsonl")}
    for file in tables.values():
        assert run("pairs", "sample", "--width", 200, "--output", file) == 0
    output = capsys.readouterr()
    assert "not a paraphrase" in output.out
    assert re.search(mentions("2,811 of 3,911 pairs ... --task binary"), output.err)
    assert "same content words" in output.err  # why there are none
    assert "A first round of negotiations" in output.out
    assert "English only" in output.err
    rows = list(csv.DictReader(tables["csv"].read_text(encoding="utf-8").splitlines()))
    lines = [json.loads(line) for line in tables["jsonl"].read_text(encoding="utf-8").splitlines()]
    separated = [line.split("\t") for line in tables["tsv"].read_text(encoding="utf-8").splitlines()]
    assert len(rows) == len(lines) == len(separated) - 1 == 3911
    assert [row["text2"] for row in rows] == [line["text2"] for line in lines]
    assert separated[0] == list(rows[0])
    assert rows[0]["types"].split(", ") == lines[0]["types"]


def test_selection(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    options = [
        "--task",
        "binary",
        "--type",
        "contained",
        "--type",
        "negation",
        "--label",
        "paraphrase",
        "--split",
        "test",
    ]
    assert run("pairs", "sample", *options, "--examples", 0, "--output", file) == 0
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert lines
    for line in lines:
        assert (line["test"], line["split"], line["label"]) == ("binary", "test", "paraphrase")
        assert {"contained", "negation"} & set(line["types"])
    output = capsys.readouterr()
    assert "text1" not in output.out
    assert "one word changed" not in output.out
    assert "distinct" not in output.err


def test_grades(capsys: Capture, tmp_path: Path) -> None:
    write_pit(tmp_path / "pit")
    file = tmp_path / "pairs.jsonl"
    assert run("pairs", tmp_path / "pit", "--task", "pit_similarity", "--output", file) == 0
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert {line["label"] for line in lines} == {"graded"}
    assert all(0 <= line["grade"] <= 5 for line in lines)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--task", "presence"], "presence ... not pairs ... binary"),
        (["--split", "train"], "train ... test"),
        (["--type", "contradiction"], "no pair ... Select others"),
        (["--output", "pairs.xls"], "not written as ... .xlsx"),
    ],
)
def test_wrong_options(capsys: Capture, options: list[str], message: str) -> None:
    assert run("pairs", "sample", *options) == 2
    assert re.search(mentions(message), capsys.readouterr().err)


def test_a_test_without_rows_is_left_out(capsys: Capture, tmp_path: Path) -> None:
    """A single pyramid has no distractors for questions."""
    file = tmp_path / "my.pyr"
    file.write_bytes(PYRAMID)
    assert run("pairs", file) == 0
    output = capsys.readouterr()
    assert re.search(mentions("left out: ranking ... no rows"), output.err)
    assert "all pairs" in output.out
    assert "ranking" not in output.out
    assert run("pairs", file, "--task", "ranking") == 2


@pytest.mark.full
def test_a_workbook_and_a_picture(capsys: Capture, tmp_path: Path) -> None:
    """The workbook has the cells of the CSV file, the texts first and no empty column, and always the same bytes."""
    book, table, picture = (tmp_path / f"pairs.{suffix}" for suffix in ("xlsx", "csv", "svg"))
    assert run("pairs", "sample", "--output", book, "--plot", picture) == 0
    first = book.read_bytes()
    assert run("pairs", "sample", "--output", book) == 0
    assert book.read_bytes() == first
    assert run("pairs", "sample", "--output", table) == 0
    text = table.read_text(encoding="utf-8").replace(",1.0,", ",1,")
    rows = list(csv.DictReader(text.splitlines()))
    workbook = pytest.importorskip("openpyxl").load_workbook(book)
    assert workbook.sheetnames == ["pairs", "counts"]
    header, *values = workbook["pairs"].iter_rows(values_only=True)
    assert header[:5] == ("text1", "text2", "label", "types", "test")
    assert set(rows[0]) - {*header} == {"grade", "relation"}
    cells = [["" if value is None else str(value) for value in row] for row in values]
    assert len(cells) == len(rows) > 3000
    assert cells == [[row[name] for name in header] for row in rows]
    counts = list(workbook["counts"].iter_rows(values_only=True))
    assert counts[0] == (
        "test", "type", "paraphrase", "share of paraphrase", "not a paraphrase", "share of not a paraphrase"
    )  # fmt: skip
    assert [row[1] for row in counts if row[0] == "binary"][-1] == "all pairs"
    for sheet in workbook:
        assert (sheet.freeze_panes, sheet.auto_filter.ref[:3]) == ("A2", "A1:")
    assert workbook["pairs"].column_dimensions["A"].width == 60
    drawing = picture.read_text(encoding="utf-8")
    assert "no shared content word" in drawing
    assert "Sample corpus" in drawing
    assert "binary: not a paraphrase" in drawing


@pytest.mark.needs("matplotlib")
def test_a_picture_names_the_file_of_an_unknown_corpus_and_the_split(tmp_path: Path) -> None:
    """Pictures of two corpora could not be distinguished."""
    table, picture = tmp_path / "boats.tsv", tmp_path / "boats.svg"
    table.write_text("sentence1\tsentence2\tlabel\nThe boat sank\tThe boat never sank\t0\n", encoding="utf-8")
    assert run("pairs", table, "--split", "test", "--plot", picture) == 0
    drawing = picture.read_text(encoding="utf-8")
    assert "boats.tsv, test split" in drawing
    assert "not a paraphrase (1)" in drawing


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_models_are_measured_on_selected_pairs(form: str, capsys: Capture, tmp_path: Path) -> None:
    """`evaluate` did not read the files of `pairs`, although "how do models do on negations?" is the next question."""
    file = tmp_path / f"hard.{form}"
    selection = ("--task", "binary", "--split", "test", "--type", "no-shared-content-word")
    assert run("pairs", "sample", *selection, "--output", file) == 0
    output = capsys.readouterr()
    assert f"evaluate --data sample --model SPEC --transfer-to {file}" in output.err
    assert f"{file} (262 pairs)" in output.out
    arguments = ("--data", "sample", "--task", "binary", "--model", "overlap", "--resamples", "5", "--no-cache")
    assert run("evaluate", *arguments, "--transfer-to", file, "--output", tmp_path / "results") == 0
    assert "hard: false alarms" in capsys.readouterr().out
    ((result, *_),) = [sorted((tmp_path / "results" / "overlap").glob("*.json"))]
    values = json.loads(result.read_text())["tests"]["binary"]["other_metrics"]
    assert {name.split("/")[-1]: metric["value"] for name, metric in values.items() if "recall" in name}


def test_pairs_that_begin_as_formulas_are_read_again(tmp_path: Path) -> None:
    names = TextPair._fields
    texts = (("=1+1", "paraphrase"), ("-x", "not a paraphrase"))
    rows = [
        ("b", "test", str(n), None, label, None, (), "", 1, 1, 1.0, 0, "T", "T", "1", "1", text, "'=2")
        for n, (text, label) in enumerate(texts)
    ]
    expected = [("=1+1", "'=2", 1), ("-x", "'=2", 0)]
    for form in ("tsv", "jsonl"):
        path = tmp_path / f"pairs.{form}"
        path.write_bytes(encode(render_table_file(form, names, rows)))
        (pairs,) = read_pair_corpus(str(path)).splits.values()
        assert [(pair.sentence1, pair.sentence2, pair.label) for pair in pairs] == expected, form


def test_graded_pairs_are_counted(capsys: Capture, tmp_path: Path) -> None:
    """No test is made of grades, but people look at their pairs. A table of users is no published corpus."""
    table, output = tmp_path / "own.csv", tmp_path / "pairs.csv"
    table.write_text("sentence1,sentence2,score\nA mill closed.,It shut.,4.5\nA mill closed.,A heron flew.,0\n")
    assert run("pairs", table, "--output", output) == 0
    captured = capsys.readouterr()
    assert "graded   share" in captured.out
    assert "STS benchmark" not in captured.err
    rows = list(csv.DictReader(output.read_text(encoding="utf-8").splitlines()))
    assert [(row["label"], row["grade"], row["id"]) for row in rows] == [
        ("graded", "4.5", "test-000002"),
        ("graded", "0.0", "test-000003"),
    ]
    assert run("pairs", table, "--split", "dev") == 2
    assert "--split dev" in capsys.readouterr().err
    assert run("pairs", table, table) == 2
    assert "own.csv: contains labelled pairs" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", [".tsv", ".csv"])
def test_pairs_without_labels_are_counted(capsys: Capture, tmp_path: Path, suffix: str) -> None:
    table, output = tmp_path / f"own{suffix}", tmp_path / "pairs.csv"
    lines = ["sentence1,sentence2,note", "A mill closed.,It shut.,x", "A mill closed.,A mill closed,"]
    table.write_text("\n".join(lines).replace(",", "\t" if suffix == ".tsv" else ","))
    assert run("pairs", table, "--output", output) == 0
    assert f"own{suffix} has unlabelled pairs" in capsys.readouterr().err
    rows = list(csv.DictReader(output.read_text(encoding="utf-8").splitlines()))
    assert [(row["label"], row["grade"], row["text2"]) for row in rows] == [
        ("no label", "", "It shut."),
        ("no label", "", "A mill closed"),
    ]
    assert run("pairs", table, "--task", "pairs") == 2
    assert "'sentence1', 'sentence2', 'note'" in capsys.readouterr().err
    table.write_text(table.read_text().replace("It shut.", " "))
    assert run("pairs", table) == 2
    assert f"own{suffix}, line 2: a sentence is empty" in capsys.readouterr().err


def test_types_and_labels_are_named_as_in_the_output(capsys: Capture) -> None:
    selection = ("pairs", "sample", "--task", "binary", "--format", "tsv", "--type")
    texts = []
    for kind, label in (("changed number", "not a paraphrase"), ("changed-number", "not-a-paraphrase")):
        assert run(*selection, kind, "--label", label) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert texts[0].count("\n") == 5  # the header and four pairs
