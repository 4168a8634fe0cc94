"""Filled sheets as spreadsheet programs save them, and sheets with errors."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import pytest
from helpers.messages import mentions
from helpers.sheets import Line, render

from harness.evaluation.people.judgements import MAX_SHEETS, read_sheet, read_sheets
from harness.evaluation.people.sheets import MAX_OPTIONS, make_form
from pyramid_paraphrase.errors import InputError, OptionError
from pyramid_paraphrase.rules.options import find_configuration

TEST = "binary 0123456789ab"
LINES: list[Line] = [
    {
        "row": str(number),
        "sentence1": f"the café; number {number}, closed",
        "sentence2": "'=1+1\n is a sum",
        "judgement": judgement,
        "comment": "",
        "id": f"{number:064x}",
        "test": TEST,
    }
    for number, judgement in enumerate(("yes", "no", "", "no"), start=1)
]
EXPECTED = {f"{number:064x}": judgement for number, judgement in enumerate(("yes", "no", "", "no"), start=1)}


def write(folder: Path, text: str, name: str = "anna.csv", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def read(path: Path) -> dict[str, str]:
    return {row_id: judgement for _, row_id, judgement in read_sheet(path).entries}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_sheets_of_all_programs_are_read(tmp_path: Path, delimiter: str, encoding: str) -> None:
    path = write(tmp_path, render(LINES, delimiter=delimiter), encoding=encoding)
    sheet = read_sheet(path)
    assert (sheet.person, sheet.configuration.name, sheet.fingerprint) == ("anna", "binary", "0123456789ab")
    assert read(path) == EXPECTED
    assert [line for line, _, _ in sheet.entries] == [2, 4, 6, 8]  # a text has a line break


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_all_systems(tmp_path: Path, end: str) -> None:
    assert read(write(tmp_path, render(LINES).replace("\r\n", "\n").replace("\n", end))) == EXPECTED


def test_order_of_rows_and_columns_and_further_columns_do_not_matter(tmp_path: Path) -> None:
    lines = [line | {"mine": "sum"} for line in LINES]
    random.Random(0).shuffle(lines)
    columns = ["test", "mine", "judgement", "id", "row"]
    text = render(lines, columns=columns).replace("judgement", " 'Judgement ").replace("test,", "TEST,")
    assert read(write(tmp_path, text)) == EXPECTED


def test_blank_lines_and_missing_cells_and_sums_are_skipped(tmp_path: Path) -> None:
    """Spreadsheets save hundreds of empty lines, and leave out empty cells at the end of a line."""
    lines = [f"{line['id']},{TEST},{line['judgement']}".rstrip(",") for line in LINES]
    text = "\n".join(["", "id,test,judgement,row", *lines[:2], ",,,2 rows", *lines[2:], ",,,4 rows", ",,,", ",", ""])
    assert read(write(tmp_path, text)) == EXPECTED


def test_the_setting_of_excel_gives_the_delimiter(tmp_path: Path) -> None:
    path = write(tmp_path, "sep=;\r\n" + render(LINES, delimiter=";"), encoding="utf-8-sig")
    assert read(path) == EXPECTED
    (line, _, _), *_ = read_sheet(path).entries
    assert line == 3
    assert read(write(tmp_path, "sep=\t\n" + render(LINES, delimiter="\t"))) == EXPECTED


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_cells_in_quotation_marks(tmp_path: Path, delimiter: str) -> None:
    """LibreOffice writes all texts in quotation marks if it is asked to."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([list(LINES[0]), *([*line.values()] for line in LINES)])
    assert read(write(tmp_path, text.getvalue())) == EXPECTED


@pytest.mark.parametrize(
    ("yes", "no"), [("WAHR", "FALSCH"), ("ja", "nein"), ("VRAI", "FAUX"), ("Do\u011fru", "YANLI\u015e")]
)
def test_words_of_other_languages(yes: str, no: str) -> None:
    """Spreadsheets write their own words for a truth value. A form without yes and no has letters only."""
    form = make_form(find_configuration("binary"), 1)
    assert (form.parse(yes), form.parse(no), form.parse("x")) == (1, 0, None)
    assert make_form(find_configuration("ranking"), 4).parse(yes) is None


@pytest.mark.needs("openpyxl")
def test_workbooks_are_read(tmp_path: Path) -> None:
    import openpyxl

    workbook = openpyxl.Workbook()
    for row in (list(LINES[0]), *([*line.values()] for line in LINES)):
        workbook.active.append(row)
    workbook.active["D2"] = True
    workbook.save(tmp_path / "anna.xlsx")
    assert read(tmp_path / "anna.xlsx") == {**EXPECTED, LINES[0]["id"]: "TRUE"}


def edit(line: int, **cells: str) -> list[Line]:
    """Return the lines with other cells in one line."""
    lines = [dict(line) for line in LINES]
    lines[line] |= cells
    return lines


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (edit(1, id=LINES[0]["id"]), "anna.csv, line 4: ... line 2. ... Keep one"),
        (
            edit(1, test="ranking 0123456789ab"),
            "anna.csv, line 4: ... 'ranking 0123456789ab' ... line 2 ... 'binary 0123456789ab' ... separate",
        ),
        (edit(1, id=""), "anna.csv, line 4: id ... empty. Copy"),
        (edit(3, test=""), "anna.csv, line 8: test ... empty. Copy"),
        (
            [line | {"test": "binary"} for line in LINES],
            "anna.csv, line 2: test is 'binary', ... Copy",
        ),
        (
            [line | {"test": "binaries 0123456789ab"} for line in LINES],
            "anna.csv, line 2: test is 'binaries 0123456789ab', ... Copy",
        ),
        (
            [line | {"test": "binary 0123456789aX"} for line in LINES],
            "anna.csv, line 2: test is 'binary 0123456789aX', ... Copy",
        ),
    ],
)
def test_wrong_lines_are_named(tmp_path: Path, lines: list[Line], message: str) -> None:
    with pytest.raises(InputError, match=mentions(message)):
        read_sheet(write(tmp_path, render(lines)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "anna.csv: ... no rows ... Add a row"),
        ("id,test\n1,2\n", "anna.csv: ... no column for judgement ... id (1) ... pyramid-paraphrase annotate sample"),
        ("id,judgement\n1,2\n", "anna.csv: ... no column for test ... pyramid-paraphrase annotate sample"),
        ("judgement,id,test,judgement\na,b,c,d", "anna.csv, line 1: ... two columns judgement ... different name"),
        ("judgement,id,test\n", "anna.csv: ... no rows ... Add a row"),
        (
            'judgement,id,test\nyes,1,x\nno,"2,x\nno,3,x\n',
            "anna.csv, line 3: ... CSV file ( ... as CSV",
        ),
        ("judgement,id,test\nyes,\0,x\n", "anna.csv, line 2: ... not a text file. ... as CSV"),
        ("judgement,id,test\nyes,1," + "x" * 140_000, "anna.csv, line 2: ... CSV file (field larger ... as CSV"),
    ],
)
def test_files_that_are_not_sheets(tmp_path: Path, text: str, message: str) -> None:
    """An unclosed quotation mark would hide the rows behind it."""
    with pytest.raises(InputError, match=mentions(message)):
        read_sheet(write(tmp_path, text))


def test_a_spreadsheet_that_is_not_csv_and_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=mentions("anna.csv: ... damaged ... again")):
        read_sheet(write(tmp_path, "PK\x03\x04\0\0 archive"))
    with pytest.raises(InputError, match=mentions("nobody.csv: ... directory ... pyramid-paraphrase annotate sample")):
        read_sheet(tmp_path / "nobody.csv")


def test_several_sheets_must_be_of_one_test_and_of_different_people(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    paths = [write(tmp_path, render(LINES), name) for name in ("anna.csv", "ben.csv", "old/anna.csv")]
    assert [sheet.person for sheet in read_sheets(paths[:2])] == ["anna", "ben"]
    with pytest.raises(OptionError, match=mentions("anna.csv ... old/anna.csv ... Rename")):
        read_sheets(paths)
    other = write(tmp_path, render([line | {"test": "binary ffffffffffff"} for line in LINES]), "eve.csv")
    with pytest.raises(InputError, match=mentions(f"eve.csv, line 2: ... {'f' * 12}, ... anna.csv ... sheets")):
        read_sheets([paths[0], other])
    with pytest.raises(OptionError, match=mentions("51 sheets ... at most 50")):
        read_sheets([Path(f"{number}.csv") for number in range(MAX_SHEETS + 1)])
    with pytest.raises(InputError, match=mentions("0.csv: ... directory ... pyramid-paraphrase annotate sample")):
        read_sheets([Path(f"{number}.csv") for number in range(MAX_SHEETS)])


def test_the_limit_of_a_cell_is_that_of_the_csv_module() -> None:
    """No other code may have changed it for the whole process."""
    assert csv.field_size_limit() == 131_072


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        *((text, 1) for text in ("yes", "Yes", "Y", "1", "1.0", "TRUE", "paraphrase")),
        *((text, 0) for text in ("no", "N", "0", "0.0", "false", "not a paraphrase", "non-paraphrase")),
        *((text, None) for text in ("maybe", "2", "yess", "a", "-", "10")),
    ],
)
def test_answers_about_pairs(text: str, answer: int | None) -> None:
    assert make_form(find_configuration("binary"), 1).parse(text) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [("a", 0), ("D", 3), ("1", 0), ("4", 3), ("2.0", 1), ("e", None), ("0", None), ("5", None), ("yes", None)],
)
def test_answers_to_questions(text: str, answer: int | None) -> None:
    assert make_form(find_configuration("ranking"), 4).parse(text) == answer


def test_forms_that_nobody_can_fill() -> None:
    with pytest.raises(OptionError, match=mentions("27 options ... at most 26 ... fewer --distractors")):
        make_form(find_configuration("ranking"), MAX_OPTIONS + 1)
    with pytest.raises(OptionError, match=mentions("pit_similarity: ... graded ... binary, ranking")):
        make_form(find_configuration("pit_similarity"), 1)
