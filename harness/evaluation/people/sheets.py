"""Sheets for people: CSV files for spreadsheet programs, which do not reveal the labels."""

from __future__ import annotations

from collections.abc import Sequence

from harness.evaluation.layout import NO_TEXT, TextRows
from harness.evaluation.people.forms import Form
from harness.evaluation.people.sampling import Sample
from harness.rendering.reports import render_csv_rows

JUDGEMENT, ID, TEST = "judgement", "id", "test"
"""Titles of the columns that are read from filled sheets."""

FINGERPRINT_DIGITS = 12

_BOM = "\ufeff"
"""Without this mark, Excel does not read a CSV file as UTF-8."""


def name_test(name: str, fingerprint: str) -> str:
    """Name a test in a sheet by its configuration and the beginning of its fingerprint."""
    return f"{name} {fingerprint[:FINGERPRINT_DIGITS]}"


def render_sheet(rows: TextRows, texts: Sequence[str], sample: Sample, form: Form) -> bytes:
    """Render a sheet to be filled in.

    A text that a spreadsheet program would run as a formula gets an apostrophe in front.

    Args:
        rows: The rows of a test.
        texts: The texts that the rows refer to.
        sample: The rows to show.
        form: The form of the sheet.

    Returns:
        CSV in UTF-8 with a byte order mark.
    """
    test = name_test(rows.name, rows.test.fingerprint)
    lines: list[Sequence[object]] = [("row", *form.columns, JUDGEMENT, "comment", ID, TEST)]
    for number, place in enumerate(sample.places.tolist(), start=1):
        cells = [texts[text] for text in rows.texts[place].tolist() if text != NO_TEXT]
        if rows.is_of_summaries:  # the sentences of a summary are one text to people
            cells[1:] = [" ".join(cells[1:])]
        lines.append((number, *cells, "", "", rows.ids[place], test))
    return f"{_BOM}{render_csv_rows(lines)}\n".encode()
