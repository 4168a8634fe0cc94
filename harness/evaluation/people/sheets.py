"""Sheets by which people judge the rows of a test: the choice of the rows, the form, and the CSV file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase

import numpy as np

from harness.evaluation.layout import NO_TEXT, TextRows
from harness.evaluation.people import JUDGED_TESTS
from harness.files.columns import NO, YES, fold_answer
from harness.files.table_forms import render_sheet_file
from harness.support.arrays import Indices
from pyramid_paraphrase.building.rows import make_digest_array, order_digests
from pyramid_paraphrase.errors import EmptyResultError, OptionError
from pyramid_paraphrase.rules.options import PAIRS, QUESTIONS, SUMMARIES, Configuration
from pyramid_paraphrase.rules.propositions import digest_of

MAX_OPTIONS = len(ascii_lowercase)
"""Maximum number of options of a question. Each option is a column with a letter as its title."""

_NO, _YES = "no", "yes"
_WORDS = {
    _YES: (*YES, "paraphrase", "present"),
    _NO: (*NO, "non-paraphrase", "not a paraphrase", "no paraphrase", "absent"),
}
"""Texts for the two answers. Spreadsheets write "TRUE" or "WAHR" for answers, and other programs "1.0" for 1."""

_INSTRUCTIONS = """\
Instructions for judging {file}

1. Save the file under your own name, for example anna{suffix}, and open it in a
   spreadsheet program.{opening}
2. {question}
3. Write {answers} in the column "judgement".
   Leave the cell empty if you cannot decide.
4. An apostrophe at the beginning of a text does not belong to the text.
5. Use the column "comment" as you like. Do not change the columns "id" and
   "test". The order of the rows and of the columns does not matter.
6. Work alone: do not discuss rows before everybody is done.
7. {saving}, and send it back."""

_OPENING = """ If all columns are in one, import the file instead of
   opening it: it is UTF-8, with {} between the columns."""
_BY_SUFFIX = {
    ".csv": (_OPENING.format("commas"), 'Save the file as CSV (Excel: "CSV UTF-8")'),
    ".tsv": (_OPENING.format("tabs"), "Save the file as tab-separated text in UTF-8, or as CSV"),
}
"""How to open and to save a sheet in a form that spreadsheet programs import. Other forms need no explanation."""

_YES_OR_NO = f"{_YES} or {_NO}"
_NUMBERS = {text: number for number, answer in enumerate((_NO, _YES)) for text in _WORDS[answer]}
_CHOICE, _ORDER = "annotate choice", "annotate order"
"""Purposes of hashes. The chosen rows have the lowest hashes of their label. If the same hashes decided the order of
the sheet, the order would reveal the labels."""

JUDGEMENT, ID, TEST = "judgement", "id", "test"
"""Titles of the columns that are read from filled sheets."""

FINGERPRINT_DIGITS = 12
"""Without this mark, Excel does not read a CSV file as UTF-8."""


@dataclass(frozen=True, slots=True)
class SheetForm:
    """The columns, the answers and the question of a sheet. Answers are numbered like targets.

    Attributes:
        columns: Titles of the columns with the texts.
        answers: The answers that people are asked to write, in the order of their numbers.
        choices: The answers, for messages and instructions.
        numbers: Numbers of all texts that are accepted as answers, in lower case.
        question: The question to the people.
    """

    columns: tuple[str, ...]
    answers: tuple[str, ...]
    choices: str
    numbers: Mapping[str, int]
    question: str

    def parse(self, text: str) -> int | None:
        """Return the number of an answer, or None for any other text."""
        return self.numbers.get(fold_answer(text))

    def instruct(self, file: str) -> str:
        """Write the instructions for the people who judge a sheet.

        Args:
            file: Name of the sheet.
        """
        suffix = Path(file).suffix
        opening, saving = _BY_SUFFIX.get(suffix, ("", "Save the file"))
        return _INSTRUCTIONS.format(
            file=file, suffix=suffix, opening=opening, saving=saving, question=self.question, answers=self.choices
        )


_PAIRS = SheetForm(
    ("sentence1", "sentence2"),
    (_NO, _YES),
    _YES_OR_NO,
    _NUMBERS,
    "Do both texts say the same thing, in the same words or in others? A detail\n"
    "   that only one text has does not matter if the main statement is the same.",
)
_PRESENCE = SheetForm(
    ("statement", "summary"),
    (_NO, _YES),
    _YES_OR_NO,
    _NUMBERS,
    "Does the summary say what the statement says, in the same words or in\n   others?",
)


def make_form(configuration: Configuration, option_count: int) -> SheetForm:
    """Make the form for the rows of a configuration.

    Args:
        configuration: The configuration.
        option_count: Number of options of a question. It has no effect on other rows.

    Raises:
        OptionError: If the rows cannot be answered by yes or no, or by a letter.
    """
    if configuration.name not in JUDGED_TESTS:
        reason = f"{configuration.name}: people cannot judge {configuration.kind.name}"
        raise OptionError(f"{reason}. Choose one of {', '.join(JUDGED_TESTS)}")
    if configuration.kind != QUESTIONS:
        return _PRESENCE if configuration.origin == SUMMARIES else _PAIRS
    if option_count > MAX_OPTIONS:
        reason = f"questions have {option_count} options, but a sheet can have at most {MAX_OPTIONS}"
        raise OptionError(f"{reason}. Build the test with fewer --distractors")
    letters = tuple(ascii_lowercase[:option_count])
    numbers = {letter: number for number, letter in enumerate(letters)}
    numbers |= {str(number): number - 1 for number in range(1, option_count + 1)}
    question = f"Which text of {letters[0]} to {letters[-1]} says the same thing as the question? Choose the closest."
    choices = f"{', '.join(letters[:-1])} or {letters[-1]}"
    return SheetForm(("question", *letters), letters, choices, numbers, question)


def choose_rows(rows: TextRows, count: int, seed: int) -> Indices:
    """Choose rows of the test split.

    Half of the pairs are positives. If the number is odd, there is one more negative. If one label has too few pairs,
    as few pairs of the other label are chosen. Within a label, every topic gives about the same number of rows. The
    topic of a pair across topics is that of its first text. Otherwise, SHA-256 over the seed and the id of a row
    decides.

    Args:
        rows: The rows of a test.
        count: Number of rows to choose, at least 2.
        seed: Random seed.

    Returns:
        Indices of the rows, in the order of the sheet.

    Raises:
        EmptyResultError: If the test split has no rows of a label.
    """
    test = np.flatnonzero(rows.is_test)
    topics = rows.topics[:, 0]
    if rows.kind == PAIRS:
        parts = [test[rows.targets[test] == label] for label in (0, 1)]
        for part, name in zip(parts, ("negative", "positive"), strict=True):
            if not len(part):
                reason = f"the test split of {rows.name} has no {name} pairs, so a sheet cannot be balanced"
                raise EmptyResultError(f"{reason}. Use other data")
        sizes = [count - count // 2, count // 2]
        if any(size > len(part) for size, part in zip(sizes, parts, strict=True)):
            sizes = [min(map(len, parts))] * 2
    else:
        parts, sizes = [test], [count]
    chosen = [_choose(part, topics, rows.ids, size, seed) for part, size in zip(parts, sizes, strict=True)]
    places = np.concatenate(chosen)
    return places[_order(places, rows.ids, _ORDER, seed)]


def _choose(part: Indices, topics: Indices, ids: Sequence[str], size: int, seed: int) -> Indices:
    """Choose rows round-robin over topics: first one row of each topic, then a second row of each, and so on."""
    part = part[_order(part, ids, _CHOICE, seed)]
    by_topic = np.argsort(topics[part], kind="stable")
    counts = np.unique(topics[part], return_counts=True)[1]
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    rounds = np.empty(len(part), dtype=np.int64)
    rounds[by_topic] = np.arange(len(part)) - starts
    return part[np.argsort(rounds, kind="stable")[:size]]


def _order(places: Indices, ids: Sequence[str], purpose: str, seed: int) -> Indices:
    """Return the order of rows by the hashes of a purpose."""
    digests = (digest_of(purpose, str(seed), ids[place]) for place in places)
    return order_digests(make_digest_array(digests, len(places)))


def name_test(name: str, fingerprint: str) -> str:
    """Name a test in a sheet by its configuration and the beginning of its fingerprint."""
    return f"{name} {fingerprint[:FINGERPRINT_DIGITS]}"


def render_sheet(
    rows: TextRows, texts: Sequence[str], places: Indices, form: SheetForm, table_form: str = "csv"
) -> bytes:
    """Render a sheet to be filled in.

    A text that a spreadsheet program would run as a formula gets an apostrophe in front.

    Args:
        rows: The rows of a test.
        texts: The texts that the rows refer to.
        places: Indices of the rows to show.
        form: The form of the sheet.
        table_form: One of `TABLE_FORMS`.

    Returns:
        The content of the file.
    """
    test = name_test(rows.name, rows.test.fingerprint)
    names, lines = ("row", *form.columns, JUDGEMENT, "comment", ID, TEST), list[Sequence[object]]()
    for number, place in enumerate(places.tolist(), start=1):
        cells = [texts[text] for text in rows.texts[place].tolist() if text != NO_TEXT]
        if rows.is_of_summaries:  # the sentences of a summary are one text to people
            cells[1:] = [" ".join(cells[1:])]
        lines.append((number, *cells, "", "", rows.ids[place], test))
    return render_sheet_file(table_form, names, lines)
