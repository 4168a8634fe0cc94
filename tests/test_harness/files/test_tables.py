"""Tables of users in delimited text: the forms that programs write, and texts that must not be divided."""

from __future__ import annotations

import csv
import io
import re

import pytest
from helpers.messages import mentions
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.files import json_tables, tables
from harness.files.tables import Table, read_tables
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.tab_separated import Rows
from pyramid_paraphrase.pyramids.sources import SourceFile

TOPICS = ("topic", "score")


def read(text: str | bytes) -> list[Table]:
    return read_tables(SourceFile("t.csv", text.encode() if isinstance(text, str) else text))


def read_one(text: str | bytes) -> Table:
    (table,) = read(text)
    return table


def refuse(text: str | bytes) -> str:
    with pytest.raises(InputError) as error:
        read(text)
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("topic\tscore\nt1\t1\nt2\t2\n", [(2, ["t1", "1"]), (3, ["t2", "2"])]),
        ("topic,score\nt1,1\nt2,2\n", [(2, ["t1", "1"]), (3, ["t2", "2"])]),
        ("topic;score\nt1;1,5\nt2;2\n", [(2, ["t1", "1,5"]), (3, ["t2", "2"])]),
        ("topic|score\nt1|1\nt2|2\n", [(2, ["t1", "1"]), (3, ["t2", "2"])]),
        ('topic,score\nt1,"1"', [(2, ["t1", "1"])]),
        ("\n\ntopic,score\n\nt1,1\n  \nt2,2\n\n", [(5, ["t1", "1"]), (7, ["t2", "2"])]),
        ("topic , score\n t1,  1 \n", [(2, ["t1", "1"])]),
        ("topic,score\r\nt1,1\r\n", [(2, ["t1", "1"])]),
        ("topic\tscore\r\nt1\t1\r\n", [(2, ["t1", "1"])]),
        # Classic Mac OS.
        ("topic,score\rt1,1\rt2,2\r", [(2, ["t1", "1"]), (3, ["t2", "2"])]),
        ("topic\tscore\rt1\t1\rt2\t2\r", [(2, ["t1", "1"]), (3, ["t2", "2"])]),
        ("topic\tscore\nt1\ra\t1\n", [(2, ["t1\ra", "1"])]),
        # Excel.
        ("sep=;\r\ntopic;score\r\nt1;1,5\r\n", [(3, ["t1", "1,5"])]),
        ('"sep=,"\ntopic,score\n"a;b",1\n', [(3, ["a;b", "1"])]),
        ("sep=\t\ntopic\tscore\nt1\t1\n", [(3, ["t1", "1"])]),
        ("sep=^\rtopic^score\rt1^1\r", [(3, ["t1", "1"])]),
        ('sep=,"\ntopic,score\n"a;b",1\n', [(3, ["a;b", "1"])]),
        ("sep=n\ntopicnscore\nt1n1\n", [(3, ["t1", "1"])]),
        ("sep=\r\ntopic,score\r\nt1,1\r\n", [(3, ["t1", "1"])]),
        ("sep=\ntopic,score\nt1,1\n", [(3, ["t1", "1"])]),
        # Quoted cells with delimiters, quotation marks and line breaks. The number is that of the first line.
        ('topic,score\n"a, ""b""\n\nc",1\nt2,2\n', [(2, ['a, "b"\n\nc', "1"]), (5, ["t2", "2"])]),
        ('topic,score\n "a, b",  "1"\n', [(2, ["a, b", "1"])]),
        ('topic | score\n "a" b | 1\n', [(2, ['"a" b', "1"])]),
        ('topic,score\n5" disk,1\n', [(2, ['5" disk', "1"])]),
        # The apostrophe with which programs keep spreadsheets from running a formula.
        ("topic,score\n'=a,1\n'b,'\n", [(2, ["=a", "1"]), (3, ["'b", "'"])]),
        ("topic\tscore\n'=a\t1\n", [(2, ["=a", "1"])]),
        # Empty cells beyond the header, and columns without a name and values.
        ("topic,score,\nt1,1,\nt2,2,\n", [(2, ["t1", "1"]), (3, ["t2", "2"])]),
        (",topic,,score\n,t1,,1\n", [(2, ["t1", "1"])]),
        ("topic,score\nt1,1,,\nt2,2,\n", [(2, ["t1", "1"]), (3, ["t2", "2"])]),
        # Markdown, and the tables of terminals.
        ("| topic | score |\n|:---|---:|\n| t1 | 1 |\n| t2 | |\n", [(3, ["t1", "1"]), (4, ["t2", ""])]),
        ("topic | score\n--- | ---\nt1 | 1\n", [(3, ["t1", "1"])]),
        ("+---+---+\n| topic | score |\n+===+===+\n| t1 | - |\n+---+---+\n", [(4, ["t1", "-"])]),
        (" topic | score\n-------+------\n t1    | 1\n", [(3, ["t1", "1"])]),
    ],
)
def test_forms_of_text(text: str, rows: Rows) -> None:
    table = read_one(text)
    assert (table.names, table.rows, table.notes) == (TOPICS, rows, [])
    assert (table.file, table.unit, table.listed) == ("t.csv", "line", frozenset())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_with_a_mark(encoding: str) -> None:
    table = read_one("topic;score\nM\u00fcller \u0141;1\n".encode(encoding))
    assert (table.names, table.rows, table.notes) == (TOPICS, [(2, ["M\u00fcller \u0141", "1"])], [])


@pytest.mark.parametrize("encoding", ["utf-16-be", "utf-32-be"])
def test_encodings_with_a_mark_in_the_other_order(encoding: str) -> None:
    assert read_one("\ufefftopic;score\nM\u00fcller;1\n".encode(encoding)).rows == [(2, ["M\u00fcller", "1"])]


def test_windows_encoding() -> None:
    table = read_one("topic;score\n\u201eM\u00fcller\u201c;1\n".encode("cp1252"))
    assert table.rows == [(2, ["\u201eM\u00fcller\u201c", "1"])]
    (note,) = table.notes
    assert re.search(mentions("t.csv ... UTF-8 ... Windows-1252. Convert"), note)
    assert "unknown" not in note


def test_unknown_bytes_are_counted() -> None:
    table = read_one(b"topic;score\nM\x81\x8dller\xfc;1\n")
    assert table.rows == [(2, ["M\ufffd\ufffdller\u00fc", "1"])]
    assert re.search(mentions("t.csv ... Windows-1252 ... 2 unknown"), table.notes[0])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "t.csv: ... no rows"),
        (b"\n \n", "t.csv: ... no rows"),
        (b"topic,score\n", "t.csv: ... no rows"),
        (b"topic,score\nt1,1\0\n", "t.csv, line 2: ... text"),
        (b"\0", "t.csv, line 1: ... text"),
        ("topic,score\n".encode("utf-16-le"), "t.csv, line 1: ... text"),
        ("topic,score\nt1,1\n".encode("utf-16") + b"x", "t.csv: ... UTF-16"),
        (b"%PDF-1.4", "t.csv: ... PDF"),
        (b"PAR1", "t.csv: ... Parquet"),
        (b" <!DOCTYPE html><table>\n<td>a,b", "t.csv: ... HTML or XML ... as CSV"),
        (b"<Table border=1>\n<td>a,b", "t.csv: ... HTML or XML ... as CSV"),
        (b"<?xml version='1.0'?>\n<a/>", "t.csv: ... HTML or XML ... as CSV"),
        *(
            (f"<{name}>\n".encode(), "t.csv: ... HTML")
            for name in ("html", "head", "body", "table", "!doctype", "?xml")
        ),
        *((f" \\{name}\n".encode(), "t.csv: ... LaTeX") for name in ("begin", "documentclass", "hline", "toprule")),
        (b"a & b \\\\ \n1 & 2 \\\\\n", "t.csv: ... LaTeX ... as CSV"),
        (b"a & b \\\\\t\n1 & 2 \\\\\n", "t.csv: ... LaTeX ... as CSV"),
        (b"\\begin{tabular}{ll}\na & b \\\\\n", "t.csv: ... LaTeX ... as CSV"),
        (b"topic & score \\\\\nt1 & 1 \\\\\n", "t.csv: ... LaTeX ... as CSV"),
        (b"topic & score \\\\", "t.csv: ... LaTeX ... as CSV"),
        # No header.
        (b"t1,s1,0.5\nt1,s2,0.6\n", "t.csv, line 1: '0.5' ... names ... in the first line"),
        (b"t1,s1,3,3\nt1,s2,4,5\n", "t.csv, line 1: '3' ... names ... in the first line"),
        (b"t1;-1,5e-3\n\nt2;2\n", "t.csv, line 1: '-1,5e-3' ... names ... in the first line"),
        # Columns.
        (b"topic,,score\nt1,,1\nt2,x,1\n", "t.csv, line 1: ... 'x' ... no name ... header"),
        (b"\n\na,b,a\n1,2,3\n", "t.csv, line 3: ... two columns a. Use a different name"),
        (41 * b"a" + b"," + 41 * b"a" + b"\n1,2\n", f"two columns {20 * 'a'}[...]{20 * 'a'}."),
        (b"topic,score\nt1,1\nt2,2,x\n", "t.csv, line 3: expected 2 cells, found 3. Write one cell per column"),
        (b'topic,score\nt1,1\n"t2,2\n', "t.csv, line 3: ... CSV"),
        (b'topic,score\n"t1" b,1\n', "t.csv, line 2: ... CSV"),
    ],
)
def test_text_that_is_refused(data: bytes, message: str) -> None:
    assert re.search(mentions(message), refuse(data))


def test_names_that_are_whole_numbers() -> None:
    # Systems of DUC are numbered, and a table of topics and systems has their numbers as names.
    table = read_one("topic,1,2\nt1,0.5,0.6\n")
    assert (table.names, table.rows) == (("topic", "1", "2"), [(2, ["t1", "0.5", "0.6"])])


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        # Texts in cells contain all other delimiters.
        (
            "topic\tsentence\nt1\tNo, a; b | c\nt2\tYes, d\n",
            "topic sentence",
            [["t1", "No, a; b | c"], ["t2", "Yes, d"]],
        ),
        ("topic\ta, b\nt1\tNo, a\nt2\tYes\nt3\n", "topic a,_b", [["t1", "No, a"], ["t2", "Yes"], ["t3", None]]),
        ("topic,text; more\nt1,a; b\nt2,c; d\n", "topic text;_more", [["t1", "a; b"], ["t2", "c; d"]]),
        ("topic,a|b\nt1,x|y\n", "topic a|b", [["t1", "x|y"]]),
        ("topic;R, all\nt1;0,5\nt2;1\n", "topic R,_all", [["t1", "0,5"], ["t2", "1"]]),
        ("topic;P;R, all\nt1;0,5;0,5\n", "topic P R,_all", [["t1", "0,5", "0,5"]]),
        ('topic,score\n"a;b;c",1\n', "topic score", [["a;b;c", "1"]]),
        # Quotation marks of sentences in text with tabs, which a program would have doubled.
        ('topic\ttext\nt1\t"No", he said.\nt2\t"Yes."\n', "topic text", [["t1", '"No", he said.'], ["t2", '"Yes."']]),
        ('topic\ttext\nt1\t"No.\nt2\tYes."\n', "topic text", [["t1", '"No.'], ["t2", 'Yes."']]),
        ('topic\ttext\nt1\t"No.\nt2\t"Yes.\n', "topic text", [["t1", '"No.'], ["t2", '"Yes.']]),
        ('topic\ttext\nt1\t"Yes."\nt2\n', "topic text", [["t1", '"Yes."'], ["t2", None]]),
        ('topic\ttext\nt1\t"a ""b""\nt2\tc"\n', "topic text", [["t1", '"a ""b""'], ["t2", 'c"']]),
        ('topic\ttext\nt1\t"a\n', "topic text", [["t1", '"a']]),
        ('"topic"\ttext\nt1\t"a"\n', '"topic" text', [["t1", '"a"']]),
        # Ampersands, backslashes and hyphens that are no markup.
        ("a\nb & c \\\\\n", "a", [["b & c \\\\"]]),
        ("a\\\\\nb\n", "a\\\\", [["b"]]),
        ("a & b\nc \\\\\n", "a_&_b", [["c \\\\"]]),
        ("a|b\n-|-\n--|x\n", "a b", [["-", "-"], ["--", "x"]]),
        # Tabs count if they fit half of the rows.
        ("a\tb, c\nx\ty\n1, 2\n3, 4\n", "a b,_c", [["x", "y"], ["1, 2", None], ["3, 4", None]]),
        ("a,\tb\n1,2\n3,4\n", "a b", [["1", "2"], ["3", "4"]]),
        # A table of one column.
        ("sentence\nNo, a; b | c.\nYes, d.\n", "sentence", [["No, a; b | c."], ["Yes, d."]]),
        ("score\n1,5\n\n2,5\n", "score", [["1,5"], ["2,5"]]),
        # JSON in cells.
        ('record\tscore\n{"a": 1}\t2\n', "record score", [['{"a": 1}', "2"]]),
        ("[x],score\n[y],2\n", "[x] score", [["[y]", "2"]]),
        ("{x},score\n{y},2\n", "{x} score", [["{y}", "2"]]),
    ],
)
def test_texts_are_not_divided(text: str, names: str, rows: list[list[str | None]]) -> None:
    table = read_one(text)
    assert table.names == tuple(name.replace("_", " ") for name in names.split())
    assert [cells for _, cells in table.rows] == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('"topic"\t"text"\n"t1"\t"Yes."\nt2\t5\n', [(2, ["t1", "Yes."]), (3, ["t2", "5"])]),
        ('topic\ttext\nt1\t"a ""b"""\n', [(2, ["t1", 'a "b"'])]),
        ('topic\ttext\nt1\t"a\nb"\nt2\tc\n', [(2, ["t1", "a\nb"]), (4, ["t2", "c"])]),
        ('topic\ttext\rt1\t"a\rb"\rt2\tc\r', [(2, ["t1", "a\rb"]), (4, ["t2", "c"])]),
        ('\ntopic\ttext\nt1\t"a\nb"\n', [(3, ["t1", "a\nb"])]),
        ('topic\ttext\n"t\t1"\ta\n', [(2, ["t\t1", "a"])]),
        ('topic\ttext\n\t"x\ty"\n', [(2, ["", "x\ty"])]),
        ('topic\ttext\nt1\nt2\t"a\nb"\n', [(2, ["t1", None]), (3, ["t2", "a\nb"])]),
        ('topic\ttext\nt1\t"""a b"\n', [(2, ["t1", '"a b'])]),
        ('topic\ttext\nt1\t"a b"""\n', [(2, ["t1", 'a b"'])]),
        ('topic\ttext\nt1\t"a\n\nb"\nt2\n', [(2, ["t1", "a\n\nb"]), (5, ["t2", None])]),
    ],
)
def test_quoted_cells_in_text_with_tabs(text: str, rows: Rows) -> None:
    table = read_one(text)
    assert (table.names, table.rows) == (("topic", "text"), rows)
    assert re.search(mentions("t.csv: quotation marks"), table.notes[0])


def test_the_delimiter_is_chosen_by_the_first_rows() -> None:
    # Semicolons and commas fit 50 rows, and semicolons come first. The next row fits only commas.
    rows = "".join(f"t{number},a;b\n" for number in range(49))
    assert read_one("topic,x;y\n" + rows + "t,b\n").names == ("topic,x", "y")
    assert read_one("topic,x;y\n" + rows[7:] + "t,b\n").names == ("topic", "x;y")


def test_a_delimiter_that_fits_more_rows() -> None:
    assert read_one("topic;a,b,c\nt1;1,5\nt2;2\n").names == ("topic", "a,b,c")


@pytest.mark.parametrize(
    ("header", "first_cells", "kept"),
    [
        ("", ["0", "1", "2"], False),
        ("", ["1", "2", "3"], False),
        ("", ["7", "3", "12"], False),
        ("Unnamed: 0", ["4", "0", "2"], False),
        ("Unnamed: 15", ["4", "0", "2"], False),
        ("unnamed:0", ["0", "1", "2"], False),
        ("#", ["1", "2", "3"], False),
        ("Index", ["0", "1", "2"], False),
        ("index", ["0", "2", "1"], True),
        ("#", ["2", "3", "4"], True),
        ("number", ["0", "1", "2"], True),
        ("unnamed: x", ["0", "1", "2"], True),
        ("index", ["", "", ""], True),
    ],
)
def test_columns_that_number_the_rows(header: str, first_cells: list[str], kept: bool) -> None:
    table = read_one(f"{header},topic\n" + "".join(f"{cell},t\n" for cell in first_cells))
    assert table.names == ((header, "topic") if kept else ("topic",))
    assert [cells for _, cells in table.rows] == [[cell, "t"] if kept else ["t"] for cell in first_cells]
    assert len(table.notes) == (not kept)
    assert kept or re.search(mentions(f"t.csv: ... {header or 'without a name'}"), table.notes[0])


@pytest.mark.parametrize("first_cells", [["1", "1"], ["a", "b"], ["1.0", "2.0"], ["1", ""]])
def test_columns_without_a_name_that_do_not_number_the_rows(first_cells: list[str]) -> None:
    text = ",topic\n" + "".join(f"{cell},t\n" for cell in first_cells)
    assert re.search(mentions(f"t.csv, line 1: ... '{first_cells[0]}' ... no name"), refuse(text))


def test_numbers_of_rows_without_a_name_as_r_writes_them() -> None:
    table = read_one('"topic"\t"score"\n"1"\t"t1"\t5\n"2"\t"t2"\t6\n')
    assert (table.names, table.rows) == (TOPICS, [(2, ["t1", "5"]), (3, ["t2", "6"])])
    assert re.search(mentions("t.csv, line 2: expected 2 cells, found 3"), refuse("topic,score\na,t1,5\nb,t2,6\n"))
    assert re.search(mentions("t.csv, line 3: expected 2 cells, found 3"), refuse("topic,score\n1,t1\n2,t2,6\n"))


def test_short_rows_are_counted() -> None:
    table = read_one("topic,score,rating\nt1,1\nt2,2,3\nt3\nt4,4,\n")
    assert table.rows == [(2, ["t1", "1", None]), (3, ["t2", "2", "3"]), (4, ["t3", None, None]), (5, ["t4", "4", ""])]
    (note,) = table.notes
    assert re.search(mentions("t.csv: ... missing: 2"), note)


def test_repeated_headers_are_counted() -> None:
    table = read_one("topic,score\nt1,1\ntopic,score\nt2,2\ntopic,score\n")
    assert table.rows == [(2, ["t1", "1"]), (4, ["t2", "2"])]
    (note,) = table.notes
    assert re.search(mentions("t.csv: ... names of the columns ... : 2"), note)
    assert read_one("word\nword\nb\n").rows == [(2, ["word"]), (3, ["b"])]


def test_several_tables_in_a_file() -> None:
    first, second, third = read(
        "By system,,\n,,\nsystem,ROUGE-1,\ns1,0.5,\n\ns2,0.6,\n,,\nBy topic,,\nTopic,rouge-1,\nt1,0.7,\n"
        "\ntopic,system,ROUGE-1\nt1,s1,0.5\nrouge-1,system,\n\nx,\n"
    )
    assert (first.names, first.rows) == (("system", "ROUGE-1"), [(4, ["s1", "0.5"]), (6, ["s2", "0.6"])])
    assert (second.names, second.rows) == (("Topic", "rouge-1"), [(10, ["t1", "0.7"])])
    assert third.names == ("topic", "system", "ROUGE-1")
    assert third.rows == [(13, ["t1", "s1", "0.5"]), (14, ["rouge-1", "system", ""])]
    assert re.search(mentions("t.csv: ... first cell ... : 3"), first.notes[0])
    assert (second.notes, third.notes) == ([], [])


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        # Half of the names are shared.
        ("a,b\n1,2\n\nb,c\n3,4\n", [[(2, ["1", "2"])], [(5, ["3", "4"])]]),
        ("a,b\n1,2\n\nc,d\n3,4\n", [[(2, ["1", "2"]), (4, ["c", "d"]), (5, ["3", "4"])]]),
        ("a,b,c\n1,2,3\n\na,d,e\n3,4,5\n", [[(2, ["1", "2", "3"]), (4, ["a", "d", "e"]), (5, ["3", "4", "5"])]]),
        # No blank row, or a number in the row.
        ("a,b\n1,2\nb,c\n3,4\n", [[(2, ["1", "2"]), (3, ["b", "c"]), (4, ["3", "4"])]]),
        ("a,b\n1,2\n\na,5\n3,4\n", [[(2, ["1", "2"]), (4, ["a", "5"]), (5, ["3", "4"])]]),
        # A table without rows.
        ("a,b\n\nb,a\n3,4\n", [[(4, ["3", "4"])]]),
        # A word that is also the name of a column.
        ("a,b\nx,y\n\na,z\n", [[(2, ["x", "y"]), (4, ["a", "z"])]]),
        ("a,b\n\na,z\n1,2\n", [[(3, ["a", "z"]), (4, ["1", "2"])]]),
        # A row with one value is not a title if rows of the same table follow.
        ("a,b\n1,2\n\n5,\n\n3,4\n", [[(2, ["1", "2"]), (4, ["5", ""]), (6, ["3", "4"])]]),
    ],
)
def test_where_a_table_begins(text: str, rows: list[Rows]) -> None:
    found = read(text)
    assert [table.rows for table in found] == rows
    assert not any(table.notes for table in found)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Scores\n\ntopic,score\nt1,1\n", 1),
        ("Scores\nof\n\ntopic,score\nt1,1\n", 2),
        ("Scores,\ntopic,score\nt1,1\n", 1),
        ("# Scores\n# of\ntopic,score\nt1,1\n", 2),
        ("topic,score\nt1,1\n\n* by all judges\n", 1),
    ],
)
def test_titles_and_remarks_are_counted(text: str, count: int) -> None:
    table = read_one(text)
    assert (table.names, [cells for _, cells in table.rows]) == (TOPICS, [["t1", "1"]])
    assert re.search(mentions(f"t.csv: lines ... first cell ... : {count}"), table.notes[0])
    assert len(table.notes) == 1


def test_a_line_of_text_is_a_header() -> None:
    # It may be the header of a table of one column, whose texts contain commas.
    table = read_one("Sentences\nNo, a\nYes, b\n")
    assert (table.names, table.rows) == (("Sentences",), [(2, ["No, a"]), (3, ["Yes, b"])])


def test_notes_about_the_file_come_first() -> None:
    found = read("a,b\n\nb,a\n\u00fc\n".encode("cp1252"))
    assert [len(table.notes) for table in found] == [2]
    assert "Windows-1252" in found[0].notes[0]


def test_errors_name_rows() -> None:
    table = read_one("a,b\nx,y\n")
    assert str(table.refuse("is odd", "mend it", 2)) == "t.csv, line 2: is odd. Mend it"
    assert str(table.refuse("is odd", "mend it")) == "t.csv: is odd. Mend it"
    sheet = Table("t.xlsx", ("a",), [], "row")
    assert str(sheet.refuse("is odd", "mend it", 1234)) == "t.xlsx, row 1,234: is odd. Mend it"
    assert str(sheet.refuse("is odd", "mend it")) == "t.xlsx: is odd. Mend it"


def test_the_description_shows_the_first_rows() -> None:
    table = Table("t", ("a", "b"), [(1, ["x", None]), (2, ["123456789012345", "y"]), (3, ["z", "z"])])
    assert table.describe() == "a (x, 123456[...]012345), b (, y)"
    wide = Table("t", tuple("abcdefghijk"), [(1, list("abcdefghijk"))])
    assert wide.describe() == "a (a), b (b), c (c), d (d), e (e), f (f), g (g), h (h) and 3 more"
    assert Table("t", (50 * "n",), []).describe() == f"{20 * 'n'}[...]{20 * 'n'} ()"


@pytest.mark.parametrize(
    ("limit", "value", "text", "message"),
    [
        ((tables, "MAX_CELLS"), 3, "a,b\n1,2\n3,4\n5,6\n", "t.csv: ... 3 cells. Split"),
        ((tables, "MAX_COLUMNS"), 2, "x\n\na,b,c\n1,2,3\n", "t.csv, line 3: ... 2 columns. Split"),
        ((limits, "MAX_LINES"), 2, "a,b\n1,2\n3,4\n", "t.csv: ... 2 lines. Split"),
    ],
)
def test_limits(
    limit: tuple[object, str], value: int, text: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(*limit, value)
    with pytest.raises(LimitError, match=mentions(message)):
        read(text)
    monkeypatch.setattr(*limit, value + 1)
    assert read(text)


def test_sizes_of_limits() -> None:
    assert (json_tables.MAX_CELLS, json_tables.MAX_COLUMNS) == (10_000_000, 10_000)


CELLS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"], include_characters="\n\" ',;|")
)
"""Texts that survive stripping of blanks and of apostrophes."""


def _is_stable(cell: str) -> bool:
    return (
        cell == cell.strip() and not cell.startswith("'") and cell not in ("", "-") and not re.match(r"[-+=:]{2}", cell)
    )


TABLES = st.integers(2, 4).flatmap(
    lambda width: st.lists(
        st.lists(CELLS.filter(_is_stable), min_size=width, max_size=width), min_size=1, max_size=5, unique_by=tuple
    )
)


@settings(max_examples=25)
@given(TABLES, st.sampled_from([",", ";", "|", "\t"]), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_written_tables_are_read_again(rows: list[list[str]], delimiter: str, quoting: int) -> None:
    header = [f"column{number}" for number in range(len(rows[0]))]
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows([header, *rows])
    table = read_one(stream.getvalue())
    assert (table.names, [cells for _, cells in table.rows]) == (tuple(header), rows)


@settings(max_examples=25)
@given(TABLES, st.randoms())
def test_the_order_of_columns_does_not_matter(rows: list[list[str]], random: object) -> None:
    header = [f"column{number}" for number in range(len(rows[0]))]
    order = list(range(len(header)))
    random.shuffle(order)  # type: ignore[attr-defined]
    stream = io.StringIO()
    csv.writer(stream).writerows([row[column] for column in order] for row in [header, *rows])
    table = read_one(stream.getvalue())
    assert [dict(zip(table.names, cells, strict=True)) for _, cells in table.rows] == [
        dict(zip(header, cells, strict=True)) for cells in rows
    ]


@pytest.mark.parametrize(
    "text", ["topic,score\nt1,1\nt2,0.3", "score\ttopic\n1\tt1\n2\tt2", "topic,score\nt1,1\nt2", "a\n7"]
)
def test_a_text_without_a_line_break_at_its_end_may_be_cut(text: str) -> None:
    """A number of which digits are missing cannot be told from another number."""
    (table,) = read_tables(SourceFile("t.csv", text.encode()))
    notes = [
        note for note in table.notes if re.search(mentions("t.csv: ... last line ... no line break ... cut"), note)
    ]
    assert len(notes) == (not text.endswith("\tt2"))
