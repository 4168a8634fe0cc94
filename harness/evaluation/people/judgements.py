"""The judgements of several people on the rows of a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.evaluation.layout import TextRows
from harness.evaluation.people.filled_sheets import FilledSheet
from harness.evaluation.people.forms import Form, make_form
from harness.evaluation.people.sheets import FINGERPRINT_DIGITS, name_test
from pyramid_paraphrase.errors import InputError

Indices = npt.NDArray[np.int64]

NO_ANSWER = -1
"""Placeholder for a missing answer: of a person who did not judge a row, or of a row without a majority."""

_SHOWN = 40
_SAME_DATA = "name the data that the sheet was made from with --data"


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
    form: Form
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


def _read_answers(sheet: FilledSheet, rows: TextRows, form: Form, place_by_id: dict[str, int]) -> dict[int, int]:
    """Return the answers of a person by indices of rows."""
    if rows.test.fingerprint[:FINGERPRINT_DIGITS] != sheet.fingerprint:
        tests = name_test(sheet.configuration.name, sheet.fingerprint), name_test(rows.name, rows.test.fingerprint)
        reason = f"the sheet is of the test {tests[0]}, but the data contains {tests[1]}"
        raise sheet.refuse(sheet.line, reason, _SAME_DATA)
    answers = {}
    for entry in sheet.entries:
        place = place_by_id.get(entry.row_id)
        if place is None:
            reason = f"{entry.row_id[:_SHOWN]} is not the id of a row of the test split"
            raise sheet.refuse(entry.line, reason, "copy the id from the sheet that was sent, or remove the line")
        if not entry.judgement:
            continue
        answer = form.parse(entry.judgement)
        if answer is None:
            reason = f"judgement '{entry.judgement[:_SHOWN]}' is not an answer"
            raise sheet.refuse(entry.line, reason, f"write {form.choices}, or leave the cell empty")
        answers[place] = answer
    if not answers:
        raise InputError(sheet.file, "contains no judgement", f"fill the column judgement with {form.choices}")
    return answers
