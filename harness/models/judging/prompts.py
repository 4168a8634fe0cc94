"""The prompts of a judge: templates with a place for each of two texts."""

from __future__ import annotations

import re
from typing import NamedTuple

from harness.files.writing import expand_home
from pyramid_paraphrase.errors import InputError, cannot_read
from pyramid_paraphrase.inputs import open_input

MAX_PROMPT_CHARACTERS = 2000
"""Characters of a template; results hold templates, and leaderboards accept prompts up to this length."""

FIRST, SECOND = "{first}", "{second}"
"""The places of the two texts."""

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


class Prompts(NamedTuple):
    """The templates of a judge.

    Attributes:
        pair: For two sentences, the first one in the place `FIRST`.
        summary: For a summary in the place `FIRST`, and an SCU.
    """

    pair: str
    summary: str

    def describe(self) -> dict[str, str]:
        """Return the templates as options that results record; one if both are the same."""
        if self.pair == self.summary:
            return {"prompt": self.pair}
        return {"prompt": self.pair, "summary_prompt": self.summary}


DEFAULT_PROMPTS = Prompts(_SAME, _EXPRESSES)


def choose_prompts(template: str | None) -> Prompts:
    """Return prompts with a user's template in both places, or the usual prompts without one."""
    return Prompts(template, template) if template else DEFAULT_PROMPTS


def fill(template: str, first: str, second: str) -> str:
    """Put two texts into a template. A text that itself contains the mark of a place stays as it is."""
    texts = {FIRST: first, SECOND: second}
    return _PLACE.sub(lambda place: texts[place.group()], template)


def read_template(path: str) -> str:
    """Read a template from a file of UTF-8.

    Line breaks become line feeds, and those at the end are removed.

    Raises:
        InputError: If the file cannot be read, is too long, or lacks the place of a text.
    """
    try:
        with open_input(expand_home(path)) as file:
            data = file.read(4 * MAX_PROMPT_CHARACTERS + 1)
        template = data.decode("utf-8-sig")
    except OSError as error:
        raise cannot_read(path, error, "name the file of a prompt") from None
    except UnicodeDecodeError:
        raise InputError(path, "is not UTF-8 text, or is too long", _describe_template()) from None
    template = "\n".join(template.splitlines()).rstrip("\n")
    if len(template) > MAX_PROMPT_CHARACTERS:
        raise InputError(path, f"has more than {MAX_PROMPT_CHARACTERS:,} characters", "shorten the prompt")
    missing = [place for place in (FIRST, SECOND) if place not in template]
    if missing:
        raise InputError(path, f"has no {missing[0]}", _describe_template())
    return template


def _describe_template() -> str:
    return f"write a prompt with {FIRST} and {SECOND} in the places of the two texts, which asks for yes or no"
