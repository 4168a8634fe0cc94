"""Tables for spreadsheets: no text may run as a formula, and numbers stay numbers."""

from __future__ import annotations

import csv
import io

import pytest

from harness.files.table_forms import render_csv_rows
from harness.paraphrases.dimple import reports as dimple_reports
from harness.rendering import reports
from harness.rendering.reports import Grid, grid_csv
from harness.reports import text_reports


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ('=HYPERLINK("https://example.org","x")', '\'=HYPERLINK("https://example.org","x")'),
        ("+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"), ("-2+3", "'-2+3"), ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", r"'\tx"), ("\rx", r"'\rx"), ("\nx", r"'\nx"), ("-", "'-"), ("-a", "'-a"), ("=1", "'=1"), ("+.", "'+."),
        ("\uff1d1+1", "'\uff1d1+1"), ("\ufe661", "'\ufe661"), ("\u22121+a", "'\u22121+a"),
        (" =1", "' =1"), ("\u3000@x", r"'\u3000@x"), ("\ufeff=1", r"'\ufeff=1"), ("\u200b+a", r"'\u200b+a"),
        ("\u202e \xa0-a", r"'\u202e \xa0-a"), ("\u3164=1", r"'\u3164=1"), ("\x00=1", r"'\x00=1"), ("'=1", "''=1"),
        ("a;=1", "a;'=1"), ("a; @x;-1", "a;' @x;-1"), ("a;-1+x", "a;'-1+x"), ("a;+;b", "a;'+;b"),
    ],
)  # fmt: skip
def test_texts_are_no_formulas(text: str, cell: str) -> None:
    """A model named `=HYPERLINK(...)` was a live link in the output of `report --format csv`.

    A byte order mark or a blank before the sign escaped the guard. After a semicolon, a formula is a cell of its own
    where the comma is the decimal point.
    """
    (row,) = csv.reader(io.StringIO(render_csv_rows([["model", text]]), newline=""))
    assert row == ["model", cell]


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (-0.12, "-0.12"), (-3, "-3"), ("-0.12", "-0.12"), ("+1e-05", "+1e-05"), ("-.5", "-.5"), (None, ""),
        ("one-hot", "one-hot"), ("a=b", "a=b"), ("'x", "'x"), (1e-07, "1e-07"), (" -0.5", " -0.5"), ("'-1", "'-1"),
        ("a;-1", "a;-1"), ("a;+.5 ;b", "a;+.5 ;b"), ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
    ],
)  # fmt: skip
def test_numbers_and_other_texts_stay(cell: object, shown: str) -> None:
    (row,) = csv.reader(io.StringIO(render_csv_rows([["model", cell]])))
    assert row == ["model", shown]


@pytest.mark.parametrize(("end", "shown"), [("\r", r"\r"), ("\n", r"\n"), ("\r\n", r"\r\n"), ("\u2028", r"\u2028")])
def test_no_cell_begins_a_row(end: str, shown: str) -> None:
    """A carriage return was written without quotes. The text after it began a row, and could be a formula."""
    assert render_csv_rows([[f"a{end}=1+1", "b"]]) == f"a{shown}=1+1,b"


def test_titles_of_columns_are_no_formulas() -> None:
    assert grid_csv(Grid(("=x", "y"), ((1, "@z"),))) == "'=x,y\n1,'@z"


def test_all_csv_for_people_is_written_in_one_place() -> None:
    """Reports of models wrote CSV differently from all other reports."""
    assert reports.grid_csv is dimple_reports.grid_csv is grid_csv
    assert reports.render_csv_rows is render_csv_rows
    assert text_reports.render_report is reports.render_report
