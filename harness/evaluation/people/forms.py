"""Forms by which people judge the rows of a test: columns of a sheet, answers and instructions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_lowercase

from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.rules.options import CONFIGURATIONS, PAIRS, QUESTIONS, SUMMARIES, Configuration

JUDGED_TESTS = tuple(row.name for row in CONFIGURATIONS if row.kind in (PAIRS, QUESTIONS))
"""Configurations whose rows have a label or a right option, which answers of people can contradict."""

MAX_OPTIONS = len(ascii_lowercase)
"""Maximum number of options of a question. Each option is a column with a letter as its title."""

_NO, _YES = "no", "yes"
_WORDS = {
    _YES: ("y", "1", "true", "paraphrase", "present"),
    _NO: ("n", "0", "false", "non-paraphrase", "not a paraphrase", "no paraphrase", "absent"),
}
"""Other texts for the two answers. Spreadsheet programs write "TRUE" for answers, and other programs "1.0" for 1."""

_INSTRUCTIONS = """\
Instructions for judging {file}

1. Save the file under your own name, for example anna.csv, and open it in a
   spreadsheet program. If all columns are in one, import the file instead of
   opening it: it is UTF-8, with commas between the columns.
2. {question}
3. Write {answers} in the column "judgement".
   Leave the cell empty if you cannot decide.
4. An apostrophe at the beginning of a text does not belong to the text.
5. Use the column "comment" as you like. Do not change the columns "id" and
   "test". The order of the rows and of the columns does not matter.
6. Work alone: do not discuss rows before everybody is done.
7. Save the file as CSV (Excel: "CSV UTF-8"), and send it back."""


@dataclass(frozen=True, slots=True)
class Form:
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
        return self.numbers.get(text.casefold().removesuffix(".0"))

    def instruct(self, file: str) -> str:
        """Write the instructions for the people who judge a sheet.

        Args:
            file: Name of the sheet.
        """
        return _INSTRUCTIONS.format(file=file, question=self.question, answers=self.choices)


_YES_OR_NO = f"{_YES} or {_NO}"
_NUMBERS = {text: number for number, answer in enumerate((_NO, _YES)) for text in (answer, *_WORDS[answer])}
_PAIRS = Form(
    ("sentence1", "sentence2"),
    (_NO, _YES),
    _YES_OR_NO,
    _NUMBERS,
    "Do both texts say the same thing, in the same words or in others? A detail\n"
    "   that only one text has does not matter if the main statement is the same.",
)
_PRESENCE = Form(
    ("statement", "summary"),
    (_NO, _YES),
    _YES_OR_NO,
    _NUMBERS,
    "Does the summary say what the statement says, in the same words or in\n   others?",
)


def make_form(configuration: Configuration, option_count: int) -> Form:
    """Make the form for the rows of a configuration.

    Args:
        configuration: The configuration.
        option_count: Number of options of a question. It has no effect on other rows.

    Raises:
        OptionError: If the rows cannot be answered by yes or no, or by a letter.
    """
    if configuration.kind == QUESTIONS:
        return _make_question_form(option_count)
    require_answers(configuration)
    return _PRESENCE if configuration.origin == SUMMARIES else _PAIRS


def require_answers(configuration: Configuration) -> None:
    """Check that people can judge the rows of a configuration.

    Raises:
        OptionError: If they cannot.
    """
    if configuration.name not in JUDGED_TESTS:
        reason = f"{configuration.name}: people cannot judge {configuration.kind.name}"
        raise OptionError(f"{reason}. Choose one of {', '.join(JUDGED_TESTS)}")


def _make_question_form(option_count: int) -> Form:
    if option_count > MAX_OPTIONS:
        reason = f"questions have {option_count} options, but a sheet can have at most {MAX_OPTIONS}"
        raise OptionError(f"{reason}. Build the test with fewer --distractors")
    letters = tuple(ascii_lowercase[:option_count])
    numbers = {letter: number for number, letter in enumerate(letters)}
    numbers |= {str(number): number - 1 for number in range(1, option_count + 1)}
    question = f"Which text of {letters[0]} to {letters[-1]} says the same thing as the question? Choose the closest."
    choices = f"{', '.join(letters[:-1])} or {letters[-1]}"
    return Form(("question", *letters), letters, choices, numbers, question)
