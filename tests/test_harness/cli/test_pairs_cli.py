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


def test_counts_examples_and_files(capsys: Capture, tmp_path: Path) -> None:
    tables = {name: tmp_path / f"pairs.{name}" for name in ("csv", "tsv", "jsonl")}
    for file in tables.values():
        assert run("pairs", "sample", "--width", 200, "--output", file) == 0
    output = capsys.readouterr()
    assert "ranking: paraphrase" in output.out
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
    assert "text1" not in capsys.readouterr().out


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
    assert "binary: paraphrase" in output.out
    assert run("pairs", file, "--task", "ranking") == 2


@pytest.mark.full
def test_a_workbook_and_a_picture(capsys: Capture, tmp_path: Path) -> None:
    """The workbook has the same cells as the CSV file, and the same bytes each time."""
    book, table, picture = (tmp_path / f"pairs.{suffix}" for suffix in ("xlsx", "csv", "svg"))
    assert run("pairs", "sample", "--output", book, "--plot", picture) == 0
    first = book.read_bytes()
    assert run("pairs", "sample", "--output", book) == 0
    assert book.read_bytes() == first
    assert run("pairs", "sample", "--output", table) == 0
    rows = list(csv.reader(table.read_text(encoding="utf-8").replace(",1.0,", ",1,").splitlines()))
    workbook = pytest.importorskip("openpyxl").load_workbook(book)
    cells = [
        ["" if value is None else str(value) for value in row] for row in workbook["pairs"].iter_rows(values_only=True)
    ]
    assert cells == rows
    assert "no shared content word" in picture.read_text(encoding="utf-8")
