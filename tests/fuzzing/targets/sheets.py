"""Sheets that people filled."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from helpers.sheets import list_right_answers, read_lines, render

from fuzzing.cases import Case
from fuzzing.chance import Chance
from fuzzing.mutations.lines import mutate_table
from fuzzing.target import Arguments, Target, require
from fuzzing.targets.results import load_small_suite
from harness.evaluation.layout import TextRows
from harness.evaluation.people.agreement import report_sheets, sort_sources
from harness.evaluation.people.judgements import collect_judgements, count_options, read_sheets
from harness.evaluation.people.rendering import render_agreement
from harness.evaluation.people.report import report_judgements
from harness.evaluation.people.sheets import choose_rows, make_form, render_sheet
from harness.rendering.reports import render_report

_RESAMPLES = 20
_ROWS = 20
_DELIMITERS, _ENCODINGS = (",", ";", "\t"), ("utf-8-sig", "utf-16", "cp1252")


def _make_sheets() -> Sequence[Case]:
    cases = []
    for rows in load_small_suite().rows:
        for delimiter, encoding in zip(_DELIMITERS, _ENCODINGS, strict=True):
            files = {
                f"p{person}.csv": _fill(rows, person, delimiter).encode(encoding, "replace") for person in range(3)
            }
            cases.append(Case(files))
    return cases


def _fill(rows: TextRows, person: int, delimiter: str) -> str:
    """Fill a sheet with right and wrong answers, and leave some rows empty."""
    form = make_form(rows.test.configuration, count_options(rows))
    sheet = render_sheet(rows, load_small_suite().texts, choose_rows(rows, _ROWS, 0), form)
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "sheet.csv").write_bytes(sheet)
        lines = read_lines(Path(name) / "sheet.csv")
    right = list_right_answers(rows)
    for number, line in enumerate(lines):
        answer = (right[line["id"]] + (number % 5 == person)) % len(form.answers)
        line["judgement"] = "" if number % 7 == person else form.answers[answer]
    return render(lines, delimiter=delimiter)


def _find_rows(name: str) -> TextRows:
    """Return the rows of a test. If the data does not have the test, return other rows, which are refused."""
    suite = load_small_suite()
    return next((rows for rows in suite.rows if rows.name == name), suite.rows[0])


def score_sheets(folder: Path, arguments: Arguments) -> object:
    """Read the sheets of several people, and report the quality of the labels."""
    del arguments
    paths = sorted(folder.glob("*.csv")) or [folder / "p0.csv"]
    sheets = read_sheets(paths)
    judgements = collect_judgements(sheets, _find_rows(sheets[0].configuration.name))
    report = report_judgements(judgements, _RESAMPLES, 0)
    for who in ("majority", "everybody"):
        lower, upper = report.record["wrong_labels"][who]["interval"] or (0, 0)
        require(0 <= lower <= upper <= 1, "a share is from 0 to 1")
    for measured in report.record["agreement"]:
        require(measured["value"] is None or -1 <= measured["value"] <= 1, "agreement is from -1 to 1")
    return [render_report(report, form) for form in ("terminal", "csv", "json")]


def report_annotators(folder: Path, arguments: Arguments) -> object:
    """Recognize what people made, and report their agreement in all formats."""
    del arguments
    sheets, votes, pyramids = sort_sources([str(folder)])
    require(not votes and not pyramids, "sheets are neither votes nor pyramids")
    filled = read_sheets(sheets)
    rows = _find_rows(filled[0].configuration.name)
    report = report_sheets(collect_judgements(filled, rows), load_small_suite().texts, _RESAMPLES, 0)
    require(len(report.record["disagreements"]) <= report.record["units"], "a row is listed once")
    return [render_agreement([report], form) for form in ("terminal", "markdown", "csv", "json", "html")]


def _mutate(data: bytes, chance: Chance) -> bytes:
    """Change cells that one of the delimiters divides."""
    return mutate_table(chance.choice(_DELIMITERS))(data, chance)


TARGETS = (
    Target("sheets", score_sheets, _make_sheets, (("*.csv", _mutate),)),
    Target("annotators", report_annotators, _make_sheets, (("*.csv", _mutate),)),
)
