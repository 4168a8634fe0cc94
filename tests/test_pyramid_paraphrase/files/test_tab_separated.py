"""Tab-separated files: rows and lines by eye, and the place of every error."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.messages import mentions

from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.inputs import decode, split_lines
from pyramid_paraphrase.files.tab_separated import read_columns, render_rows

NAMES = ("id", "text")


def write(folder: Path, content: bytes) -> Path:
    path = folder / "a.tsv"
    path.write_bytes(content)
    return path


def test_rows_have_the_numbers_of_their_lines(tmp_path: Path) -> None:
    content = "\ufeff id\ttext \r\n1\t It rained. \r\n\n \t \n2\tSo what?\n\n"
    expected = [(2, ["1", "It rained."]), (5, ["2", "So what?"])]
    assert read_columns(write(tmp_path, content.encode()), NAMES) == expected
    table = render_rows(NAMES, [(1, "a"), ("2", "b c")])
    assert table == "id\ttext\n1\ta\n2\tb c\n"
    assert read_columns(write(tmp_path, table.encode()), NAMES) == [(2, ["1", "a"]), (3, ["2", "b c"])]


def test_formulas_are_guarded_and_read_back(tmp_path: Path) -> None:
    """Spreadsheets open tab-separated files, too. The names of systems must be the same when `meta-eval` reads them."""
    names = ("=a", "'=a", "-0.5", "'x", "-a", "@a b", "\uff1da")
    table = render_rows(NAMES, [(name, -0.5) for name in names])
    rows = ("id\ttext", "'=a\t-0.5", "''=a\t-0.5", "-0.5\t-0.5", "'x\t-0.5", "'-a\t-0.5", "'@a b\t-0.5")
    assert table.splitlines() == [*rows, "'\uff1da\t-0.5"]
    assert [cells[0] for _, cells in read_columns(write(tmp_path, table.encode()), NAMES)] == list(names)


def test_no_cell_ends_its_cell_or_row() -> None:
    table = render_rows(NAMES, [("a\tb\n=c", "\u202ed\u200b")])
    assert table == "id\ttext\na\\tb\\n=c\t\\u202ed\\u200b\n"


HEADER = b"id\ttext\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a.tsv, line 1: ... header ... nothing ... columns id, text ... tabs"),
        (b"\n" + HEADER, "a.tsv, line 1: ... header ... nothing"),
        (b"id\tword\n1\ta\n", "a.tsv, line 1: ... 'id\\tword' ... columns id, text"),
        (b"text\tid\n1\ta\n", "a.tsv, line 1: ... 'text\\tid'"),
        (41 * b"y" + b"\n", f"a.tsv, line 1: ... '{40 * 'y'}' ... columns"),
        (HEADER + b"\n \n", "a.tsv: ... no rows ... Add a row"),
        (HEADER, "a.tsv: ... no rows"),
        (HEADER + b"1\ta\n\n2\n", "a.tsv, line 4: ... 2 columns, found 1 ... columns id, text"),
        (HEADER + b"1\ta\tb\n", "a.tsv, line 2: ... 2 columns, found 3"),
        (HEADER + b"1\ta\n\tb\n", "a.tsv, line 3: id ... empty ... remove the line"),
        (HEADER + b"1\t \n", "a.tsv, line 2: text ... empty"),
        (HEADER + b"1\ta\n2\t\xff\n\n", "a.tsv, line 3: ... UTF-8 ... UTF-8"),
        (b"\xff\n\n", "a.tsv, line 1: ... UTF-8"),
    ],
)
def test_errors_name_the_line(content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=mentions(message)):
        read_columns(write(tmp_path, content), NAMES)


def test_lines_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_LINES", 3)
    assert split_lines("a\r\nb\n\n", "x") == ["a", "b", ""]
    with pytest.raises(LimitError, match=mentions("x: ... 3 lines ... Split")):
        split_lines("a\nb\nc\nd", "x")


def test_other_documents_are_named() -> None:
    """A PDF file is not a text in a wrong encoding."""
    assert decode(b"\xef\xbb\xbfa\xc3\xa9", "x", "y") == "a\u00e9"
    with pytest.raises(InputError, match=mentions("x: ... PDF ... as CSV or tab-separated")):
        decode(b"%PDF-1.7\n\xff", "x", "convert it")
