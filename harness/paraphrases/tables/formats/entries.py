"""What a table of paraphrases is made of: phrases as words, and how probable one is for another."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from harness.text.words import split_alphanumeric

_ESCAPES = (
    ("&apos;", "'"),
    ("&quot;", '"'),
    ("&#91;", "["),
    ("&#93;", "]"),
    ("&#124;", "|"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&amp;", "&"),  # the last, for what it makes is no escape
)
_BRACKET = re.compile(r"-[lr][rsc]b-", re.IGNORECASE)
_BEFORE_NEGATION = re.compile(r"(?<!\s)\s+(?=n['\u2019]t\b)", re.IGNORECASE)

Words = tuple[str, ...]


class Entry(NamedTuple):
    """One line of a table.

    Attributes:
        phrase: Words, as `split_alphanumeric` makes them.
        paraphrase: Words that may be said instead.
        probability: Of the paraphrase given the phrase, from 0 to 1.
    """

    phrase: Words
    paraphrase: Words
    probability: float


@lru_cache(maxsize=1 << 8)  # lines of one phrase follow each other; a larger cache costs more than it saves
def parse_phrase(text: str) -> Words:
    """The words of a phrase that may come tokenized, as they would be in running text.

    Moses' escapes are undone, the Penn Treebank's names of brackets are no words, and "n't" joins the word before:
    `split_alphanumeric` makes "don t" of "don't", and would make "do n t" of "do n't". Other clitics it divides anyway.
    """
    if "&" in text:
        for escape, letter in _ESCAPES:
            text = text.replace(escape, letter)
    if "-" in text:
        text = _BRACKET.sub(" ", text)
    if "'" in text or "\u2019" in text:
        text = _BEFORE_NEGATION.sub("", text)
    return tuple(split_alphanumeric(text))
