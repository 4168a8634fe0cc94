"""Columns of tables of users: their names, their numbers, and words for yes and no."""

from __future__ import annotations

import gzip
import logging
import re
from pathlib import Path

import pytest
from helpers.messages import mentions
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.files.columns import (
    NO,
    SYSTEM,
    TOPIC,
    YES,
    Field,
    choose_columns,
    choose_table,
    find_name,
    fold_name,
    has_decimal_comma,
    is_missing,
    is_number,
    parse_columns,
    parse_number,
    parse_yes_no,
    read_numbers,
    read_table,
    read_values,
)
from harness.files.tables import Table
from pyramid_paraphrase.errors import InputError, LimitError, OptionError
from pyramid_paraphrase.files import limits

FIELDS = (TOPIC, SYSTEM)
OPTIONAL = Field("judge", ("annotator", "rater"), is_required=False)


def make(*names: str, rows: int = 1) -> Table:
    return Table("t.csv", names, [(number + 2, [f"{name}{number}" for name in names]) for number in range(rows)])


def make_column(*cells: str | None) -> Table:
    return Table("t.csv", ("a",), [(number, [cell]) for number, cell in enumerate(cells, 2)])


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("topic=doc_id", {"topic": "doc_id"}),
        (" topic = doc id , system= model ", {"topic": "doc id", "system": "model"}),
        # Names of columns may contain commas and equals signs.
        ("topic=doc, id,system=a=b", {"topic": "doc, id", "system": "a=b"}),
        ("Topic=Doc,SYSTEM=m", {"topic": "Doc", "system": "m"}),
    ],
)
def test_parsing_columns(text: str, columns: dict[str, str]) -> None:
    assert parse_columns(text, FIELDS) == columns


@pytest.mark.parametrize("text", ["", "topic", "topic=", "=x", "docid=x", "topic=a,foo=b", "topic=a,topic="])
def test_columns_that_are_not_valid(text: str) -> None:
    with pytest.raises(OptionError, match=mentions("Use ... topic=COLUMN, system=COLUMN")):
        parse_columns(text, FIELDS)


def test_a_field_has_one_column() -> None:
    with pytest.raises(OptionError, match=mentions("'Topic=b' ... second column for topic. Use one")):
        parse_columns("topic=a,Topic=b", FIELDS)


def test_long_texts_of_the_option_are_shortened() -> None:
    with pytest.raises(OptionError, match=mentions(f"'{40 * 'x'}[...]{40 * 'x'}'")):
        parse_columns(81 * "x", FIELDS)


@pytest.mark.parametrize(
    ("names", "wanted", "expected", "guessed"),
    [
        (("topic", "system", "x"), {}, {"topic": 0, "system": 1}, ""),
        (("x", "system", "topic"), {}, {"topic": 2, "system": 1}, ""),
        # The names of NIST's tables of DUC 2005 as its users keep them, and of SummEval, SacreROUGE and others.
        (("systemId", "eventId", "x"), {}, {"topic": 1, "system": 0}, "topic=eventId,system=systemId"),
        (("id", "model_id"), {}, {"topic": 0, "system": 1}, "topic=id,system=model_id"),
        (("instance_id", "summarizer_id"), {}, {"topic": 0, "system": 1}, "topic=instance_id,system=summarizer_id"),
        (("Doc ID", "Peer"), {}, {"topic": 0, "system": 1}, "topic=Doc ID,system=Peer"),
        (("key 1", "key 2"), {}, {"topic": 0, "system": 1}, "topic=key 1,system=key 2"),
        (("#Topic", "SYSTEM"), {}, {"topic": 0, "system": 1}, "topic=#Topic,system=SYSTEM"),
        # The most specific name counts, and the exact name before another case.
        (("id", "doc_id", "model", "model_id"), {}, {"topic": 1, "system": 3}, "topic=doc_id,system=model_id"),
        (("Topic", "topic", "system"), {}, {"topic": 1, "system": 2}, ""),
        # Names of the option.
        (("topic", "a", "b"), {"system": "b"}, {"topic": 0, "system": 2}, ""),
        (("topic", "system"), {"topic": "system", "system": "topic"}, {"topic": 1, "system": 0}, ""),
        (("system", "model"), {"topic": "system"}, {"topic": 0, "system": 1}, "system=model"),
        (("Doc-Id", "system"), {"topic": "doc id"}, {"topic": 0, "system": 1}, ""),
    ],
)
def test_choosing_columns(
    names: tuple[str, ...], wanted: dict[str, str], expected: dict[str, int], guessed: str
) -> None:
    table = make(*names)
    assert choose_columns(table, (*FIELDS, OPTIONAL), wanted) == expected
    assert len(table.notes) == bool(guessed)
    if guessed:
        assert re.search(mentions(f"t.csv: ... {guessed}. Use --columns"), table.notes[0])


def test_optional_columns() -> None:
    assert choose_columns(make("topic", "system", "Rater"), (*FIELDS, OPTIONAL), {})["judge"] == 2


def test_notes_without_an_option() -> None:
    table = make("doc", "system")
    choose_columns(table, FIELDS, {}, "")
    assert re.search(mentions("topic=doc. Rename"), table.notes[0])


@pytest.mark.parametrize(
    ("names", "wanted", "flag", "message"),
    [
        (
            ("system", "x", "y"),
            {},
            "--columns",
            "t.csv: ... no column for topic ... x (x0, x1), y (y0, y1). Name it, such as --columns topic=y",
        ),
        (("topic", "system"), {"topic": "doc"}, "-c", "no column doc for topic ... Name it, such as -c topic=topic"),
        (("topic", "x"), {"judge": "z"}, "--columns", "no column z for judge"),
        # Two columns with the same name but for their case.
        (("doc_id", "Doc ID", "system"), {}, "--columns", "no column for topic"),
        (("x",), {}, "", "no column for topic ... (x0, x1). Do this"),
        # A table without a header.
        (("x", "5", "system"), {}, "--columns", "no column for topic ... Write the names ... in the first line"),
    ],
)
def test_columns_that_are_absent(names: tuple[str, ...], wanted: dict[str, str], flag: str, message: str) -> None:
    with pytest.raises(InputError, match=mentions(message)):
        choose_columns(make(*names, rows=3), (*FIELDS, OPTIONAL), wanted, flag, "do this")


@pytest.mark.parametrize(
    ("name", "folded"),
    [("Doc_ID", "docid"), ("doc - id.", "docid"), ("#doc\tid", "docid"), ("Annotator's", "annotators"), ("R-1", "r1")],
)
def test_folding_names(name: str, folded: str) -> None:
    assert fold_name(name) == folded
    assert find_name(folded, [name, "other"]) == name
    assert find_name(folded, ["other"]) is None


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("1", 1.0),
        ("-0.5", -0.5),
        ("+5", 5.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e5", 100000.0),
        ("2.5E-3", 0.0025),
        ("\u22120.5", -0.5),
        ("007", 7.0),
        ("1.234", 1.234),
    ],
)
def test_numbers(cell: str, number: float) -> None:
    assert read_numbers(make_column(cell), 0) == [number]
    assert is_number(cell)


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1,5", "2", None], [1.5, 2.0, None]),
        ([",5", "5,", "-1,5e-3", "\u22121,25"], [0.5, 5.0, -0.0015, -1.25]),
        # No number of thousands begins with 0 or has four digits behind the comma.
        (["1,234", "0,123"], [1.234, 0.123]),
        (["1,2345"], [1.2345]),
        (["1,23"], [1.23]),
        (["1234,567"], [1234.567]),
    ],
)
def test_decimal_commas(cells: list[str | None], numbers: list[float | None]) -> None:
    table = make_column(*cells)
    assert has_decimal_comma(table, 0)
    assert read_numbers(table, 0) == numbers


def test_other_columns_say_what_commas_are() -> None:
    table = Table("t.csv", ("a", "b", "c"), [(2, ["1,234", "0,5", "x"]), (3, ["999,000", "1", None])])
    assert read_numbers(table, 0) == [1.234, 999.0]
    assert not has_decimal_comma(table, 2)
    table = Table("t.csv", ("a", "b"), [(2, ["1.234", "0,5"]), (3, ["0.5", "x,y"])])
    assert read_numbers(table, 0) == [1.234, 0.5]
    table = Table("t.csv", ("a", "b"), [(2, ["1.234", "0.5"]), (3, ["2.000", "x,y"])])
    assert read_numbers(table, 0) == [1.234, 2.0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["5", "x"], ["1,234", "y"]], "t.csv, line 3: '1,234' ... Write 1234 or 1.234"),
        ([["-12,345", "0.5"]], "t.csv, line 2: '-12,345' ... Write -12345 or -12.345"),
        ([["\u2212123,456", "1,000"]], "t.csv, line 2: '\u2212123,456' ... Write \u2212123456 or \u2212123.456"),
        ([["+5,234", "x,y"]], "t.csv, line 2: '+5,234' ... Write +5234 or +5.234"),
        # With decimal commas elsewhere, points divide thousands.
        ([["1.234", "0,5"]], "t.csv, line 2: '1.234' ... Write 1234 or 1,234"),
    ],
)
def test_numbers_of_thousands_are_not_guessed(rows: list[list[str]], message: str) -> None:
    table = Table("t.csv", ("a", "b"), [(number, list(cells)) for number, cells in enumerate(rows, 2)])
    with pytest.raises(InputError, match=mentions(message)):
        read_numbers(table, 0)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["x"], "t.csv, line 2: 'x' ... number. Use a number, or leave the cell empty"),
        (["1", "1_000"], "t.csv, line 3: '1_000' ... number"),
        (["\u0661\u0662"], "'\u0661\u0662' ... number"),
        (["1 234,5"], "'1 234,5' ... number"),
        (["1,234.5"], "'1,234.5' ... number"),
        (["1.234,5"], "'1.234,5' ... number"),
        (["inf"], "'inf' ... number"),
        ([f"{41 * '9'}e999"], f"'{20 * '9'}[...]{16 * '9'}e999' ... too large"),
        (["1e999"], "t.csv, line 2: '1e999' ... too large"),
        (["-1e999"], "t.csv, line 2: '-1e999' ... too large"),
        (["--5"], "'--5' ... number"),
        (["5%"], "'5%' ... number"),
        (["0x10"], "'0x10' ... number"),
        (["."], None),
        (["#DIV/0!"], "'#DIV/0!' ... number"),
        (["1,5", "2.5"], "t.csv, line 3: '2.5' ... decimal point ... Use the same"),
        ([60 * "x"], f"'{20 * 'x'}[...]{20 * 'x'}'"),
    ],
)
def test_cells_that_are_no_numbers(cells: list[str], message: str | None) -> None:
    table = make_column(*cells)
    if message is None:
        assert read_numbers(table, 0) == [None]
    else:
        with pytest.raises(InputError, match=mentions(message)):
            read_numbers(table, 0)
        assert is_number(cells[-1]) == cells[-1].strip("-").startswith(("1e", "2.", "99"))


def test_commas_are_no_decimal_signs_by_default() -> None:
    table = make_column("1,5")
    with pytest.raises(InputError, match=mentions("t.csv, line 7: '1,5' ... number")):
        parse_number(table, 7, "1,5")
    assert parse_number(table, 7, "1,5", uses_comma=True) == 1.5


def test_missing_cells() -> None:
    # Spellings of pandas 2.3, R, SPSS, and of spreadsheets in English and German.
    cells = ["", " ", "nan", "NaN", "-nan", "<NA>", "NA", "n/a", "N.A.", "#N/A", "#NV", "NULL", "None", "nil"]
    cells += [".", "-", "--", "\u2013", "\u2014"]
    assert all(map(is_missing, [None, *cells]))
    assert read_numbers(make_column(*cells), 0) == [None] * 19
    assert not any(map(is_missing, ["0", "no", "x", "---", "n a"]))


@settings(max_examples=25)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1), st.booleans())
def test_floats_are_read_again(numbers: list[float], uses_comma: bool) -> None:
    cells = [repr(number).replace(".", "," if uses_comma else ".") for number in [0.5, *numbers]]
    assert read_numbers(make_column(*cells), 0) == [0.5, *numbers]


@pytest.mark.parametrize(
    ("cell", "flag"),
    [
        ("Yes", True),
        (" WAHR ", True),
        ("1.0", True),
        ("S\u00cd", True),
        ("si\u0301", True),
        ("0.0", False),
        ("Falsch", False),
        ("na\u0303o", False),
        ("maybe", None),
        ("", None),
        ("2", None),
    ],
)
def test_flags(cell: str, flag: bool | None) -> None:
    assert parse_yes_no(cell) is flag


def test_words_for_yes_and_no_differ() -> None:
    assert not YES & NO
    assert len(YES) > 30
    assert len(NO) > 30


def test_reading_a_table(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "scores.csv.gz"
    path.write_bytes(gzip.compress(b"model;doc\ns1; t1\ns2;t2\n"))
    with caplog.at_level(logging.WARNING):
        table, columns = read_table(path, FIELDS, {}, "get it")
    assert (table.rows, columns) == ([(2, ["s1", "t1"]), (3, ["s2", "t2"])], {"topic": 1, "system": 0})
    assert [record.message for record in caplog.records] == table.notes
    assert len(table.notes) == 1
    assert read_values(path, FIELDS, {}, "get it")[1] == [(2, ["t1", "s1"]), (3, ["t2", "s2"])]


def test_the_table_with_the_columns_is_read(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("system,x\ns1,1\n\ntopic,system,x\nt1,s1,2\n")
    table, columns = read_table(path, FIELDS, {}, "get it")
    assert (table.rows, columns) == ([(5, ["t1", "s1", "2"])], {"topic": 0, "system": 1})
    path.write_text("system,topic\ns1,1\n\ntopic,system,x\nt1,s1,2\n")
    with pytest.raises(InputError, match=mentions("scores.csv: ... 2 tables ... Use a file")):
        read_table(path, FIELDS, {}, "get it")
    path.write_text("system,x\ns1,1\n\nx,system,y\nt1,s1,2\n")
    with pytest.raises(InputError, match=mentions("scores.csv: ... no column for topic ... x (1)")):
        read_table(path, FIELDS, {}, "get it")


def test_several_sheets_with_the_columns() -> None:
    sheets = [Table(f"t.xlsx, sheet {name}", ("topic", "system"), []) for name in "AB"]
    assert choose_table(sheets[1:], FIELDS, {}) == (sheets[1], {"topic": 0, "system": 1})
    with pytest.raises(InputError, match=mentions("t.xlsx, sheet A: ... 2 tables ... Use a file")):
        choose_table(sheets, FIELDS, {})


def test_rows_without_a_value(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("system,topic\ns1,1\ns2,\n")
    with pytest.raises(InputError, match=mentions("scores.csv, line 3: topic ... Fill it in, or remove")):
        read_values(path, FIELDS, {}, "get it")


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=mentions("none.csv: ... cannot be read ... Get it")):
        read_table(tmp_path / "none.csv", FIELDS, {}, "get it")
    path = tmp_path / "scores.csv"
    path.write_bytes(gzip.compress(b"topic,system\nt1,s1\n")[:-9])
    with pytest.raises(InputError, match=mentions("scores.csv: ... damaged")):
        read_table(path, FIELDS, {}, "get it")
    path.write_bytes(gzip.compress(b"topic,system\n" + 99 * b"t1,s1\n"))
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", 500)
    with pytest.raises(LimitError, match=mentions("scores.csv: ... larger")):
        read_table(path, FIELDS, {}, "get it")
