"""The kinds of tests: what a row asks, and which columns hold its texts and the correct response."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of test. Code that treats kinds differently compares with the constants of this module.

    Attributes:
        name: Its name in results and messages.
        texts: The columns with the texts: a text, and the text or texts that it is compared with.
        target: The column with the correct response.
        fits_threshold: Whether scores become decisions by a threshold, which is fitted on another split.
    """

    name: str
    texts: tuple[str, str]
    target: str
    fits_threshold: bool = False


_SENTENCES = ("sentence1", "sentence2")

PAIRS = Kind("pairs", texts=_SENTENCES, target="label", fits_threshold=True)
"""Pairs of texts: is this pair a paraphrase?"""

QUESTIONS = Kind("questions", texts=("question", "options"), target="answer")
"""A text with several options: which option is a paraphrase of it?"""

GRADED_PAIRS = Kind("graded pairs", texts=_SENTENCES, target="grade")
"""Pairs of texts with grades of people: how similar are they?"""

KINDS = (PAIRS, QUESTIONS, GRADED_PAIRS)
