"""The kinds of tests: the question that a row asks, and the columns with its texts and the correct response."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of test. Code that treats kinds differently compares with the constants of this module.

    Attributes:
        name: Its name in results and messages.
        texts: The columns with the texts: a text, and the text or texts that it is compared with.
        target: The column with the correct response.
        fits_threshold: Whether a threshold, fitted on another split, turns scores into decisions.
        has_options: Whether the second column of texts contains a list of options, so that a row has a score per
            option.
    """

    name: str
    texts: tuple[str, str]
    target: str
    fits_threshold: bool = False
    has_options: bool = False


_SENTENCES = ("sentence1", "sentence2")

PAIRS = Kind("pairs", texts=_SENTENCES, target="label", fits_threshold=True)
"""Pairs of texts: is this pair a paraphrase?"""

QUESTIONS = Kind("questions", texts=("question", "options"), target="answer", has_options=True)
"""A text with several options: which option is a paraphrase of it?"""

GRADED_PAIRS = Kind("graded pairs", texts=_SENTENCES, target="grade")
"""Pairs of texts with grades of people: how similar are they?"""

MATCHES = Kind("matches", texts=("fragment", "options"), target="match", fits_threshold=True, has_options=True)
"""A text with a varying number of options: which option does the text express, if any?"""

NO_MATCH = -1
"""The target of a row of `MATCHES` whose text does not express any option."""

KINDS = (PAIRS, QUESTIONS, GRADED_PAIRS, MATCHES)
