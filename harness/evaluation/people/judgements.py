"""Filled sheets, as spreadsheet programs write them, and the judgements of several people in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from harness.evaluation.layout import TextRows
from harness.evaluation.people.sheets import FINGERPRINT_DIGITS, ID, JUDGEMENT, TEST, SheetForm, make_form, name_test
from harness.files.columns import Field, read_table
from harness.support.arrays import Indices
from pyramid_paraphrase.errors import InputError, OptionError
from pyramid_paraphrase.rules.options import Configuration, find_configuration

MAX_SHEETS = 50
"""Maximum number of filled sheets, because agreement compares every pair of people."""

_FIELDS = (Field(JUDGEMENT, ("judgment",)), Field(ID), Field(TEST))

_REMEDY = "use a filled sheet from `pyramid-paraphrase annotate sample`, with its header, saved as CSV or .xlsx"
_KEEP = "copy the columns id and test from the sheet that was sent"
_SHOWN = 40
NO_ANSWER = -1
"""Placeholder for a missing answer: of a person who did not judge a row, or of a row without a majority."""

_SAME_DATA = "name the data that the sheet was made from with --data"


class FilledSheet(NamedTuple):
    """A filled sheet.

    Attributes:
        file: Path of the file.
        person: Name of the person: the name of the file.
        configuration: The configuration of its rows.
        fingerprint: Beginning of the fingerprint of the test.
        line: Line of the first row, which names the test.
        entries: Line (1-based), id and judgement of each row, at least one. The judgement is the text that the person
            wrote, without surrounding spaces. It is empty if the row is not judged.
    """

    file: str
    person: str
    configuration: Configuration
    fingerprint: str
    line: int
    entries: tuple[tuple[int, str, str], ...]


def read_sheets(paths: Sequence[Path]) -> list[FilledSheet]:
    """Read the filled sheets of several people, all of one test.

    Raises:
        InputError: If a file is not a filled sheet, or belongs to another test than the first file.
        OptionError: If there are too many files, or if two files have the same name.
    """
    if len(paths) > MAX_SHEETS:
        raise OptionError(f"{len(paths)} sheets given. Use at most {MAX_SHEETS}")
    paths_by_person: dict[str, Path] = {}
    for path in paths:
        if path.stem in paths_by_person:
            reason = f"{paths_by_person[path.stem]} and {path} have the same file name, which names the person"
            raise OptionError(f"{reason}. Rename a file, or name each sheet once")
        paths_by_person[path.stem] = path
    sheets = [read_sheet(path) for path in paths]
    first = sheets[0]
    for sheet in sheets:
        if (sheet.configuration, sheet.fingerprint) != (first.configuration, first.fingerprint):
            tests = [f"{part.configuration.name} {part.fingerprint}" for part in (sheet, first)]
            reason = f"the sheet is of the test {tests[0]}, but {first.file} is of {tests[1]}"
            raise InputError(sheet.file, reason, "use sheets of a single test", sheet.line)
    return sheets


def read_sheet(path: Path) -> FilledSheet:
    """Read a filled sheet.

    Raises:
        InputError: If the file cannot be read, has no column of a required name, contains a row twice, or contains rows
            of several tests.
    """
    table, places = read_table(path, _FIELDS, {}, _REMEDY, flag="")
    file = table.file
    entries: dict[str, tuple[int, str, str]] = {}
    test, first_line = "", 0
    rows = ((line, [_clean(cells[places[field.name]] or "") for field in _FIELDS]) for line, cells in table.rows)
    for line, (judgement, row_id, row_test) in rows:
        if not row_id and not judgement:
            continue
        if not row_id or not row_test:
            raise InputError(file, f"{TEST if row_id else ID} is empty", _KEEP, line)
        if row_id in entries:
            reason = f"row {row_id[:_SHOWN]} is also on line {entries[row_id][0]}"
            raise InputError(file, reason, "keep one of the two lines", line)
        if not entries:
            test, first_line = row_test, line
        elif row_test != test:
            reason = f"{TEST} is '{row_test[:_SHOWN]}', but on line {first_line} it is '{test[:_SHOWN]}'"
            raise InputError(file, reason, "use a separate sheet for each test", line)
        entries[row_id] = (line, row_id, judgement)
    if not entries:
        raise InputError(file, "has no rows below the header", _REMEDY)
    configuration, fingerprint = _parse_test(test, file, first_line)
    return FilledSheet(file, path.stem, configuration, fingerprint, first_line, tuple(entries.values()))


def _clean(cell: str) -> str:
    """Strip spaces, and the apostrophe that keeps spreadsheet programs from changing a cell."""
    return cell.strip().removeprefix("'").strip()


def _parse_test(test: str, file: str, line: int) -> tuple[Configuration, str]:
    name, _, fingerprint = test.partition(" ")
    try:
        configuration = find_configuration(name)
    except OptionError:
        configuration = None
    is_whole = len(fingerprint) == FINGERPRINT_DIGITS and set(fingerprint) <= set("0123456789abcdef")
    if configuration is None or not is_whole:
        raise InputError(file, f"{TEST} is '{test[:_SHOWN]}', which is not the name of a test", _KEEP, line)
    return configuration, fingerprint


@dataclass(frozen=True, slots=True)
class Judgements:
    """Answers of p people to n rows, each of which at least one person judged.

    Attributes:
        rows: The rows of the test.
        form: The form of the sheets.
        people: Names of the people.
        places: Shape (n,), indices of the judged rows, ascending.
        answers: Shape (p, n), numbered like targets, or `NO_ANSWER`.
    """

    rows: TextRows
    form: SheetForm
    people: tuple[str, ...]
    places: Indices
    answers: Indices

    @property
    def targets(self) -> Indices:
        """The labels, or the right options, of the judged rows, shape (n,)."""
        return self.rows.targets[self.places]

    def count_answers(self) -> Indices:
        """Count how many people give each answer, shape (n, answers)."""
        categories = np.arange(len(self.form.answers))
        return (self.answers[:, :, None] == categories).sum(axis=0)

    def find_majority(self) -> Indices:
        """Find the answer of more than half of the people who judged a row.

        Returns:
            Shape (n,), the answer, or `NO_ANSWER` without a majority: ties, and three people with three answers.
        """
        counts = self.count_answers()
        answers = counts.argmax(axis=1)
        is_majority = 2 * counts.max(axis=1) > counts.sum(axis=1)
        return np.where(is_majority, answers, NO_ANSWER)


def count_options(rows: TextRows) -> int:
    """Return the number of options per question of a test. For pairs, return 1, the number of texts to compare."""
    return rows.texts.shape[1] - 1


def collect_judgements(sheets: Sequence[FilledSheet], rows: TextRows) -> Judgements:
    """Join the sheets of several people with the rows of their test.

    Args:
        sheets: Sheets of one test, at least one.
        rows: The rows of the test.

    Raises:
        InputError: If the sheets are of other data, or if a sheet contains no judgement, an unknown row, or a text that
            is not an answer.
    """
    form = make_form(rows.test.configuration, count_options(rows))
    place_by_id = {rows.ids[place]: place for place in np.flatnonzero(rows.is_test).tolist()}
    answers_by_person = [_read_answers(sheet, rows, form, place_by_id) for sheet in sheets]
    places = sorted(set().union(*answers_by_person))
    answers = [[by_place.get(place, NO_ANSWER) for place in places] for by_place in answers_by_person]
    people = tuple(sheet.person for sheet in sheets)
    return Judgements(rows, form, people, np.array(places), np.array(answers))


def _read_answers(sheet: FilledSheet, rows: TextRows, form: SheetForm, place_by_id: dict[str, int]) -> dict[int, int]:
    """Return the answers of a person by indices of rows."""
    if rows.test.fingerprint[:FINGERPRINT_DIGITS] != sheet.fingerprint:
        tests = name_test(sheet.configuration.name, sheet.fingerprint), name_test(rows.name, rows.test.fingerprint)
        reason = f"the sheet is of the test {tests[0]}, but the data contains {tests[1]}"
        raise InputError(sheet.file, reason, _SAME_DATA, sheet.line)
    answers = {}
    for line, row_id, judgement in sheet.entries:
        place = place_by_id.get(row_id)
        if place is None:
            reason = f"{row_id[:_SHOWN]} is not the id of a row of the test split"
            remedy = "copy the id from the sheet that was sent, or remove the line"
            raise InputError(sheet.file, reason, remedy, line)
        if not judgement:
            continue
        answer = form.parse(judgement)
        if answer is None:
            reason = f"judgement '{judgement[:_SHOWN]}' is not an answer"
            raise InputError(sheet.file, reason, f"write {form.choices}, or leave the cell empty", line)
        answers[place] = answer
    if not answers:
        raise InputError(sheet.file, "contains no judgement", f"fill the column judgement with {form.choices}")
    return answers
