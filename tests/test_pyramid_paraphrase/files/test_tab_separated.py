"""Tab-separated files: rows and lines by eye, and the place of every error."""

from __future__ import annotations

import pytest
from helpers.messages import mentions

from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.escaping import restore_tsv
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.inputs import decode, split_lines
from pyramid_paraphrase.files.tab_separated import render_rows

NAMES = ("id", "text")


def test_formulas_are_guarded_and_read_back() -> None:
    """Spreadsheets open tab-separated files, too. The names of systems must be the same when `meta-eval` reads them."""
    names = ("=a", "'=a", "-0.5", "'x", "-a", "@a b", "\uff1da")
    table = render_rows(NAMES, [(name, -0.5) for name in names])
    rows = ("id\ttext", "'=a\t-0.5", "''=a\t-0.5", "-0.5\t-0.5", "'x\t-0.5", "'-a\t-0.5", "'@a b\t-0.5")
    assert table.splitlines() == [*rows, "'\uff1da\t-0.5"]
    assert [restore_tsv(line.partition("\t")[0]) for line in table.splitlines()[1:]] == list(names)


def test_no_cell_ends_its_cell_or_row() -> None:
    table = render_rows(NAMES, [("a\tb\n=c", "\u202ed\u200b")])
    assert table == "id\ttext\na\\tb\\n=c\t\\u202ed\\u200b\n"


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
