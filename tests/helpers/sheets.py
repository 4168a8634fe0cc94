"""Read and fill the sheets in which people judge rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from harness.evaluation.layout import TextRows
from harness.evaluation.people.judgements import count_options
from harness.evaluation.people.sheets import make_form
from harness.evaluation.runner import load_suite

Line = dict[str, str]


def read_lines(sheet: Path) -> list[Line]:
    """Read the lines of an empty sheet by the titles of their columns."""
    return list(csv.DictReader(io.StringIO(sheet.read_text("utf-8-sig"), newline="")))


def list_right_answers(rows: TextRows) -> dict[str, int]:
    """Return the labels, or the right options, of the test split by row id."""
    places = [place for place, is_test in enumerate(rows.is_test.tolist()) if is_test]
    return {rows.ids[place]: int(rows.targets[place]) for place in places}


def fill(
    sheet: Path, path: Path, answers: Mapping[str, object] | Callable[[Line], object], delimiter: str = ","
) -> Path:
    """Fill a sheet.

    Args:
        sheet: The empty sheet.
        path: The path of the filled sheet.
        answers: Answers by row id, or a function that returns the answer. Other rows stay empty.
        delimiter: The delimiter of the columns.

    Returns:
        The path.
    """
    lines = read_lines(sheet)
    for line in lines:
        line["judgement"] = str(answers(line) if callable(answers) else answers.get(line["id"], ""))
    path.write_text(render(lines, delimiter=delimiter), "utf-8")
    return path


def render(lines: Sequence[Line], *, delimiter: str = ",", columns: Sequence[str] = ()) -> str:
    """Render lines as a spreadsheet program does."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns or list(lines[0]), delimiter=delimiter, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def fill_with_errors(sheet: Path, path: Path, task: str, wrong: Sequence[int], data: str = "sample") -> Path:
    """Fill a sheet with right answers, except in some lines, given by their index from 0 in the order of the sheet."""
    rows = load_suite(data, task).rows[0]
    right, form = list_right_answers(rows), make_form(rows.test.configuration, count_options(rows))
    answers = {}
    for number, line in enumerate(read_lines(sheet)):
        answer = (right[line["id"]] + (number in wrong)) % len(form.answers)
        answers[line["id"]] = form.answers[answer]
    return fill(sheet, path, answers)
