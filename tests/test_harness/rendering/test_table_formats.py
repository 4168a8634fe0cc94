"""Tables for spreadsheets: no text may run as a formula, and numbers stay numbers."""

from __future__ import annotations

import csv
import io

import pytest

from harness.paraphrases.dimple import reports as dimple_reports
from harness.rendering import reports
from harness.rendering.reports import Grid, grid_csv, render_csv_rows
from harness.reports import text_reports


@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("https://example.org","x")', "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "\rx", "\nx",
        "\uff1d1+1", "-", "-a", "=1", "+.",
    ],
)  # fmt: skip
def test_texts_are_no_formulas(text: str) -> None:
    """A model named `=HYPERLINK(...)` was a live link in the output of `report --format csv`."""
    (row,) = csv.reader(io.StringIO(render_csv_rows([["model", text]]), newline=""))
    assert row == ["model", f"'{text}"]


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (-0.12, "-0.12"), (-3, "-3"), ("-0.12", "-0.12"), ("+1e-05", "+1e-05"), ("-.5", "-.5"), (None, ""),
        ("one-hot", "one-hot"), ("a=b", "a=b"), ("'x", "'x"), (1e-07, "1e-07"),
    ],
)  # fmt: skip
def test_numbers_and_other_texts_stay(cell: object, shown: str) -> None:
    (row,) = csv.reader(io.StringIO(render_csv_rows([["model", cell]])))
    assert row == ["model", shown]


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_no_cell_begins_a_row(end: str) -> None:
    """A carriage return was written without quotes. The text after it began a row, and could be a formula."""
    text = render_csv_rows([[f"a{end}=1+1", "b"]])
    assert text == f'"a{end}=1+1",b'


def test_titles_of_columns_are_no_formulas() -> None:
    assert grid_csv(Grid(("=x", "y"), ((1, "@z"),))) == "'=x,y\n1,'@z"


def test_all_csv_for_people_is_written_in_one_place() -> None:
    """Reports of models wrote CSV differently from all other reports."""
    assert reports.grid_csv is text_reports.grid_csv is dimple_reports.grid_csv is grid_csv
