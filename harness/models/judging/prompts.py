"""The prompts of a judge: templates with placeholders for two texts."""

from __future__ import annotations

import re
from typing import NamedTuple

from harness.files.writing import expand_home
from pyramid_paraphrase.errors import InputError, cannot_read
from pyramid_paraphrase.files.inputs import open_input

MAX_PROMPT_CHARACTERS = 2000
"""Maximum number of characters of a template. Results contain templates, and leaderboards accept prompts up to this
length."""

_MAX_PROMPT_BYTES = 4 * MAX_PROMPT_CHARACTERS
"""Maximum number of bytes of a template file, because a character has at most four bytes in UTF-8."""

FIRST, SECOND = "{first}", "{second}"
"""The placeholders of the two texts."""

_PLACE = re.compile(f"{re.escape(FIRST)}|{re.escape(SECOND)}")

_SAME = f"""Do these two sentences say the same?

Sentence 1: {FIRST}
Sentence 2: {SECOND}

Answer with yes or no.
Answer:"""

_EXPRESSES = f"""Does this text say what the statement says?

Text: {FIRST}
Statement: {SECOND}

Answer with yes or no.
Answer:"""

_CHOOSE = f"""Which option says the same as this sentence?

Sentence: {FIRST}
Options:
{SECOND}

Answer with the number of the option.
Answer:"""


class Prompts(NamedTuple):
    """The templates of a judge.

    Attributes:
        pair: Template for the first and the second sentence.
        summary: Template for a summary (`FIRST`) and an SCU (`SECOND`).
        question: Template for a question (`FIRST`) and its numbered options (`SECOND`). Empty if the judge compares
            each option with the question as a pair.
    """

    pair: str
    summary: str
    question: str = ""

    def describe(self) -> dict[str, str]:
        """Return the templates as options that results record. Equal templates of pairs and summaries occur once."""
        prompts = {"prompt": self.pair}
        if self.summary != self.pair:
            prompts["summary_prompt"] = self.summary
        if self.question:
            prompts["question_prompt"] = self.question
        return prompts


def choose_prompts(template: str | None, *, by_options: bool) -> Prompts:
    """Return the prompts of a judge.

    Args:
        template: A template of the user. None for the default templates.
        by_options: Whether a prompt contains a question with all its options. If so, the user's template is for
            questions.
    """
    if by_options:
        return Prompts(_SAME, _EXPRESSES, template or _CHOOSE)
    return Prompts(template, template) if template else Prompts(_SAME, _EXPRESSES)


def fill(template: str, first: str, second: str) -> str:
    """Insert two texts into a template. Placeholders within the texts are not replaced."""
    texts = {FIRST: first, SECOND: second}
    return _PLACE.sub(lambda place: texts[place.group()], template)


def read_template(path: str) -> str:
    """Read a template from a UTF-8 file.

    Line breaks become line feeds, and line breaks at the end are removed.

    Raises:
        InputError: If the file cannot be read, is too long, or has no placeholder for a text.
    """
    try:
        with open_input(expand_home(path)) as file:
            data = file.read(_MAX_PROMPT_BYTES + 1)
    except OSError as error:
        raise cannot_read(path, error, "use a file with a prompt") from None
    # A file that was read partially is not decoded, because its last character could be incomplete.
    template = _decode(path, data) if len(data) <= _MAX_PROMPT_BYTES else None
    if template is None or len(template) > MAX_PROMPT_CHARACTERS:
        raise InputError(path, f"has more than {MAX_PROMPT_CHARACTERS:,} characters", "shorten the prompt")
    missing = [placeholder for placeholder in (FIRST, SECOND) if placeholder not in template]
    if missing:
        raise InputError(path, f"has no {missing[0]}", _describe_template())
    return template


def _decode(path: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(path, "is not UTF-8", _describe_template()) from None
    return "\n".join(text.splitlines()).rstrip("\n")


def _describe_template() -> str:
    return f"write a prompt with {FIRST} and {SECOND} as placeholders of the two texts, and ask for yes or no"
