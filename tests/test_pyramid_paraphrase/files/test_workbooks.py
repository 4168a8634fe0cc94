"""Tables of users in Excel workbooks. Archives are untrusted."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.files import tables
from harness.files.tables import Table, read_tables
from pyramid_paraphrase.errors import InputError, LimitError, OptionError
from pyramid_paraphrase.files import limits, workbooks
from pyramid_paraphrase.files.extras import MissingExtraError
from pyramid_paraphrase.files.workbooks import is_workbook, is_workbook_at, render_workbook
from pyramid_paraphrase.pyramids.sources import SourceFile

excel = pytest.mark.needs("openpyxl")
SHEET = "xl/worksheets/sheet1.xml"


def write(*sheets: Sequence[Sequence[Any]], change: Callable[[Any], object] | None = None) -> bytes:
    """Write a workbook with openpyxl."""
    import openpyxl

    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for number, rows in enumerate(sheets, 1):
        sheet = workbook.create_sheet(f"S{number}")
        for row in rows:
            sheet.append(row)
    if change:
        change(workbook)
    stream = io.BytesIO()
    workbook.save(stream)
    return stream.getvalue()


def replace(data: bytes, member: str, change: Callable[[bytes], bytes]) -> bytes:
    """Change a member of a workbook."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        assert member in old.namelist()
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name == member else old.read(name))
    return stream.getvalue()


def read(data: bytes) -> list[Table]:
    return read_tables(SourceFile("t.xlsx", data))


def refuse(data: bytes) -> str:
    with pytest.raises(InputError) as error:
        read(data)
    return str(error.value)


@excel
def test_values_of_all_types() -> None:
    day = dt.datetime(2026, 1, 31)
    rows = [
        ["text", "number", "flag", "date", "other"],
        [" a\n b ", 5, True, day, "0.50"],
        ["'=a", 5.0, False, day.replace(hour=7), "#N/A"],
        ["'b", 0.1, None, dt.date(2026, 2, 1), None],
        ["", -2.5e-7, "", "", 1e16],
    ]
    (table,) = read(write(rows))
    assert table.names == ("text", "number", "flag", "date", "other")
    assert table.rows == [
        (2, ["a\n b", "5", "TRUE", "2026-01-31", "0.50"]),
        (3, ["=a", "5", "FALSE", "2026-01-31 07:00:00", "#N/A"]),
        (4, ["'b", "0.1", "", "2026-02-01", ""]),
        (5, ["", "-2.5e-07", "", "", "1e+16"]),
    ]
    assert (table.file, table.unit, table.notes, table.listed) == ("t.xlsx", "row", [], frozenset())


@excel
def test_sheets_are_tables_unless_they_are_hidden() -> None:
    def hide(workbook: Mapping[str, Any]) -> None:
        workbook["S2"].sheet_state = "hidden"
        workbook["S4"].sheet_state = "veryHidden"

    data = write([["a"], ["x"]], [["b"], ["y"]], [["c"], ["z"]], [["d"]], [], [["e"]], change=hide)
    first, third = read(data)
    assert (first.file, first.names, first.rows) == ("t.xlsx, sheet S1", ("a",), [(2, ["x"])])
    assert (third.file, third.names, third.rows) == ("t.xlsx, sheet S3", ("c",), [(2, ["z"])])
    assert len(first.notes) == 2
    for note, title in zip(first.notes, ("S2", "S4"), strict=True):
        assert re.search(mentions(f"t.xlsx: ... hidden ... {title}"), note)
    assert third.notes == []


@excel
def test_errors_name_the_sheet_and_the_row() -> None:
    data = write([["a"], ["x"]], [[], ["b", "c"], ["x", "y"], ["x", "y", "z"]])
    assert re.search(mentions("t.xlsx, sheet S2, row 2: ... 'z' ... no name"), refuse(data))
    assert re.search(mentions("t.xlsx, row 1: '0.5' ... first line"), refuse(write([["t1", 0.5], ["t2", 0.6]])))
    assert re.search(mentions("t.xlsx: ... no rows"), refuse(write([["a", "b"]])))


@excel
def test_tables_that_do_not_begin_in_the_first_cell() -> None:
    rows = [
        [],
        [None, "Scores of 2026"],
        [None, "topic", None, "score"],
        [None, "t1", None, 1],
        [None, "t2"],
        [],
        [None, None, None, None],
        [None, "Topic", "system", "score"],
        [None, "t1", "s1", 2],
        [],
        [None, "* by one judge"],
    ]
    first, second = read(write(rows))
    assert (first.names, first.rows) == (("topic", "score"), [(4, ["t1", "1"]), (5, ["t2", ""])])
    assert (second.names, second.rows) == (("Topic", "system", "score"), [(9, ["t1", "s1", "2"])])
    assert re.search(mentions("t.xlsx: rows ... first cell ... : 2"), first.notes[0])
    assert len(first.notes) == 1


@excel
def test_merged_cells_have_a_value_in_the_first_one() -> None:
    rows = [["topic", "score"], ["t1", 1], ["t2", 2]]
    (table,) = read(write(rows, change=lambda workbook: workbook["S1"].merge_cells("A2:A3")))
    assert table.rows == [(2, ["t1", "1"]), (3, ["", "2"])]


@excel
def test_rows_far_below_an_empty_part() -> None:
    def add(workbook: Mapping[str, Any]) -> None:
        workbook["S1"].cell(3000, 1, "t2")

    (table,) = read(write([["topic"], ["t1"]], change=add))
    assert table.rows == [(2, ["t1"]), (3000, ["t2"])]


@excel
def test_formulas_have_their_stored_values() -> None:
    rows = [["topic", "score"], ["t1", "=1+1"]]
    assert re.search(mentions("t.xlsx: ... 1 formulas ... B2. Open it ... save it"), refuse(write(rows)))
    stored = replace(write(rows), SHEET, lambda xml: re.sub(rb"<v ?/>|<v></v>", b"<v>2</v>", xml))
    (table,) = read(stored)
    assert table.rows == [(2, ["t1", "2"])]


@excel
@pytest.mark.parametrize(
    ("cell", "is_refused"),
    [
        (b'<c r="B2"><f>A1</f></c>', True),
        (b'<c r="B2"><f>A1</f><v/></c>', True),
        (b'<c r="B2"><f>A1</f> <v> </v> </c>', True),
        (b'<c r="B2"><f t="shared" si="0"/></c>', True),
        (b"<x:c xmlns:x='u'><x:f>A1</x:f><x:v></x:v></x:c>", True),
        (b'<c r="B2" t="str"><f>A1</f><v></v></c>', False),
        (b'<c r="B2"><f>A1</f><v>1</v></c>', False),
        (b'<c r="B2"><f t="shared" si="0"/><v>1</v></c>', False),
        (b'<c r="B2"/><c r="C2"><v>1</v></c>', False),
    ],
)
def test_formulas_without_values(cell: bytes, is_refused: bool) -> None:
    data = replace(write([["a", "b"], ["x", 7]]), SHEET, lambda xml: re.sub(rb'<c r="B2".*?</c>', cell, xml))
    if is_refused:
        assert re.search(mentions("t.xlsx: ... 1 formulas ... Open it"), refuse(data))
    else:
        assert read(data)


@excel
@pytest.mark.parametrize(
    "declaration",
    [
        b'<!DOCTYPE w [<!ENTITY a "b">]>',
        b"<!ENTITY",
        '<!DOCTYPE w [<!ENTITY a "b">]>'.encode("utf-16-le"),
    ],
)
@pytest.mark.parametrize("member", [SHEET, "docProps/app.xml", "xl/_rels/workbook.xml.rels"])
def test_entities_are_refused(declaration: bytes, member: str) -> None:
    data = replace(write([["a"], ["x"]]), member, lambda xml: declaration + xml)
    assert re.search(mentions(f"t.xlsx: ... entities ({member}). Save"), refuse(data))


@excel
def test_archives_that_expand_are_refused() -> None:
    padded = replace(write([["a"], ["x"]]), SHEET, lambda xml: xml + b" " * (3 << 20))
    with pytest.raises(LimitError, match=mentions("t.xlsx: expands ... Save the sheet as CSV")):
        read(padded)


@excel
def test_large_archives_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = write([["a"], ["x"]])
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", size)
    assert read(data)
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", size - 1)
    with pytest.raises(LimitError, match=mentions("t.xlsx")):
        read(data)


@excel
@pytest.mark.parametrize(
    ("rows", "limit", "message"),
    [
        ([["a", "b"], ["x", "y"]], 4, "t.xlsx: ... cells. Save"),
        # A cell far away makes all rows as long.
        ([["a", "b"], ["x"], ["x"], [None, None, "z"]], 12, "t.xlsx: ... cells. Save"),
    ],
)
def test_the_number_of_cells_is_limited(
    rows: list[list[str]], limit: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MAX_CELLS", limit - 1)
    with pytest.raises(LimitError, match=mentions(message)):
        read(write(rows))
    monkeypatch.setattr(tables, "MAX_CELLS", limit)
    assert read(write([["a", "b"], ["x", "y"]]))


@excel
def test_the_cells_of_all_sheets_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    data = write([["a", "b"], ["x", "y"]], [["a"], ["x"]])
    monkeypatch.setattr(tables, "MAX_CELLS", 6)
    assert len(read(data)) == 2
    monkeypatch.setattr(tables, "MAX_CELLS", 5)
    with pytest.raises(LimitError, match=mentions("t.xlsx, sheet S2: ... cells")):
        read(data)


@excel
def test_rows_beyond_those_of_excel() -> None:
    assert workbooks.MAX_ROWS == 1048576
    data = replace(write([["a"], ["x"]]), SHEET, lambda xml: xml.replace(b'<row r="2"', b'<row r="9000000"'))
    with pytest.raises(LimitError, match=mentions("t.xlsx: ... 1,048,576 rows")):
        read(data)


@excel
@pytest.mark.parametrize(
    ("member", "old", "new"),
    [
        (SHEET, b"</sheetData>", b""),
        (SHEET, b'r="A1"', b'r="AAAAAA1"'),
        ("xl/workbook.xml", b"<sheets>", b"<x>"),
        (SHEET, b'<c r="A1"', b'<c r="A1" s="x"'),
    ],
)
def test_damaged_workbooks(member: str, old: bytes, new: bytes) -> None:
    data = replace(write([["a"], [5]]), member, lambda xml: xml.replace(old, new))
    assert re.search(mentions("t.xlsx: ... Save the sheet as CSV"), refuse(data))


@excel
def test_truncated_workbooks() -> None:
    # The place of the directory is before the beginning of the file, which raises a ValueError in Python.
    assert re.search(mentions("t.xlsx"), refuse(b"PK\x03\x04xl/workbook.xml" + write([["a"]])[2000:]))
    data = write([["a"], ["x"]])
    for cut in (data[: len(data) // 3], data[: data.index(b"xl/workbook.xml")], data[:-30]):
        assert re.search(mentions("t.xlsx: ... damaged ... end is missing. Copy"), refuse(cut))


def test_the_package_is_named_if_it_is_absent(with_pip: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=mentions("openpyxl ... pip install ... excel")):
        read(b"PK\x03\x04 xl/workbook.xml")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"PK\x03\x04 xl/workbook.xml", True),
        (b"PK\x03\x04 word/document.xml", False),
        (b"PK\x03\x04 xl/workbook.bin", False),
        (b" PK\x03\x04 xl/workbook.xml", False),
        (b"", False),
    ],
)
def test_what_is_a_workbook(data: bytes, expected: bool, tmp_path: Path) -> None:
    assert is_workbook(data) == expected
    (tmp_path / "t").write_bytes(data)
    assert is_workbook_at(tmp_path / "t") == expected


def test_what_cannot_be_read_is_no_workbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_workbook_at(tmp_path)
    assert not is_workbook_at(tmp_path / "none")
    (tmp_path / "t").write_bytes(b"PK\x03\x04 xl/workbook.xml")
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", 9)
    assert not is_workbook_at(tmp_path / "t")


TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"], exclude_characters="\ufffe\uffff")
)
CELLS = TEXTS.filter(lambda text: text[:1] not in ("=", "'")) | st.integers(-(1 << 50), 1 << 50) | st.booleans()


@excel
@settings(max_examples=25)
@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4))
def test_written_sheets_are_read_again(rows: list[tuple[str | int, str | int]]) -> None:
    (table,) = read(write([["a", "b", "c"], *(("x", *row) for row in rows)]))
    expected = [["x", *(str(cell).upper() if isinstance(cell, bool) else str(cell) for cell in row)] for row in rows]
    assert (table.names, [cells for _, cells in table.rows]) == (("a", "b", "c"), expected)


@excel
def test_written_texts_stay_texts() -> None:
    """A text that begins like a formula is stored as a string, and invisible characters are escaped."""
    texts = ["=1+1", "+1", "-1", "@x", "2026-01-31", "\x1b[2J\u202e", " a "]
    import openpyxl

    data = render_workbook("pairs", ["text", "number"], [(text, 0.5) for text in texts])
    assert data == render_workbook("pairs", ["text", "number"], [(text, 0.5) for text in texts])
    sheet = openpyxl.load_workbook(io.BytesIO(data))["pairs"]
    rows = list(sheet.iter_rows(min_row=2))
    assert [row[0].value for row in rows] == [*texts[:5], "\\x1b[2J\\u202e", " a "]
    assert {row[0].data_type for row in rows} == {"s"}
    assert {(row[1].value, row[1].data_type) for row in rows} == {(0.5, "n")}
    (table,) = read(data)
    assert table.names == ("text", "number")
    with pytest.raises(OptionError, match=mentions("32,768 characters ... .csv")):
        render_workbook("pairs", ["text"], [("x" * 32_768,)])
