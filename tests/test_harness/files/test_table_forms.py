"""The forms in which commands write tables."""

from __future__ import annotations

import json
from pathlib import PurePath

import pytest

from harness.files import table_forms
from harness.files.table_forms import TABLE_FORMS, render_csv_rows, render_sheet_file, render_table_file
from harness.files.tables import read_tables
from pyramid_paraphrase.pyramids.sources import SourceFile

NAMES = ("name", "value", "parts")
ROWS: list[tuple[object, ...]] = [("=1+1", 0.5, ("a", "b")), ("é, è", None, True), (PurePath("x/y"), 3, float("inf"))]

WRITTEN = {
    "csv": "name,value,parts\n'=1+1,0.5,\"('a', 'b')\"\n\"é, è\",,True\nx/y,3,inf\n",
    "tsv": "name\tvalue\tparts\n'=1+1\t0.5\t('a', 'b')\né, è\t\tTrue\nx/y\t3\tinf\n",
    "jsonl": '{"name": "=1+1", "value": 0.5, "parts": ["a", "b"]}\n'
    '{"name": "\\u00e9, \\u00e8", "value": null, "parts": true}\n'
    '{"name": "x/y", "value": 3, "parts": "inf"}\n',
}


@pytest.mark.parametrize("form", WRITTEN)
def test_texts(form: str) -> None:
    assert render_table_file(form, NAMES, ROWS) == WRITTEN[form]


def test_json_has_the_records_of_json_lines() -> None:
    written = render_table_file("json", NAMES, ROWS)
    assert isinstance(written, str)
    assert json.loads(written) == [json.loads(line) for line in WRITTEN["jsonl"].splitlines()]


@pytest.mark.needs("openpyxl")
def test_excel() -> None:
    """Numbers are numbers, and what Excel has no cell for is text."""
    written = render_table_file("xlsx", NAMES, ROWS)
    assert isinstance(written, bytes)
    assert render_table_file("xlsx", NAMES, ROWS) == written
    (table,) = read_tables(SourceFile("t.xlsx", written))
    assert table.names == NAMES
    assert [cells for _, cells in table.rows] == [
        ["=1+1", "0.5", "('a', 'b')"], ["é, è", "", "TRUE"], ["x/y", "3", "inf"]
    ]  # fmt: skip
    assert render_sheet_file("xlsx", NAMES, ROWS) == written


def test_sheets_in_csv_begin_with_a_mark() -> None:
    assert render_sheet_file("csv", NAMES, ROWS) == b"\xef\xbb\xbf" + WRITTEN["csv"].encode()
    for form in ("tsv", "jsonl"):
        assert render_sheet_file(form, NAMES, ROWS) == WRITTEN[form].encode()


def test_records_need_a_cell_per_column() -> None:
    for form in ("json", "jsonl"):
        with pytest.raises(ValueError, match="argument"):
            render_table_file(form, NAMES, [("a", 1)])


def test_rows_of_csv() -> None:
    assert render_csv_rows([]) == ""
    assert render_csv_rows([["a\nb", None], [1.5, "c"]]) == "a\\nb,\n1.5,c"


def test_every_form_has_a_suffix() -> None:
    assert TABLE_FORMS == {"csv": ".csv", "tsv": ".tsv", "xlsx": ".xlsx", "json": ".json", "jsonl": ".jsonl"}
    assert table_forms._RENDER.keys() == TABLE_FORMS.keys()
