"""Entries of a table of paraphrases: a phrase, a paraphrase, and its probability."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from pyramid_paraphrase.text.unicode_words import split_alphanumeric

_ESCAPES = (
    ("&apos;", "'"),
    ("&quot;", '"'),
    ("&#91;", "["),
    ("&#93;", "]"),
    ("&#124;", "|"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&amp;", "&"),  # last, so that the result is not parsed as the beginning of an escape
)
_BRACKET = re.compile(r"-[lr][rsc]b-", re.IGNORECASE)
_BEFORE_NEGATION = re.compile(r"(?<!\s)\s+(?=n['\u2019]t\b)", re.IGNORECASE)

Words = tuple[str, ...]


class ParaphraseEntry(NamedTuple):
    """An entry of a table.

    Attributes:
        phrase: Words of the phrase, by `split_alphanumeric`.
        paraphrase: Words of the paraphrase.
        probability: Probability of the paraphrase given the phrase, as estimated by the source. At least 0, may be
            above 1.
    """

    phrase: Words
    paraphrase: Words
    probability: float


@lru_cache(maxsize=1 << 8)  # lines of a phrase are consecutive, so a larger cache costs more than it saves
def parse_phrase(text: str) -> Words:
    """Split a phrase, which may be tokenized, into the words of running text.

    In Chinese and other scripts without blanks, a phrase without blanks is one word, as in tokenized text.

    The function replaces the escapes of Moses, drops the Penn Treebank's names of brackets, and joins "n't" to the word
    before it. `split_alphanumeric` splits "don't" into "don t", but would split "do n't" into "do n t". It splits other
    clitics in the same way in running and in tokenized text.
    """
    if "&" in text:
        for escape, letter in _ESCAPES:
            text = text.replace(escape, letter)
    if "-" in text:
        text = _BRACKET.sub(" ", text)
    if "'" in text or "\u2019" in text:
        text = _BEFORE_NEGATION.sub("", text)
    return tuple(split_alphanumeric(text, tokenized=True))
