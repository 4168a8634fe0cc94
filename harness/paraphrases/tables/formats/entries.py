"""Entries of a table of paraphrases: a phrase, a paraphrase, and its probability."""

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
    ("&amp;", "&"),  # the last, so that its result is not taken for the beginning of an escape
)
_BRACKET = re.compile(r"-[lr][rsc]b-", re.IGNORECASE)
_BEFORE_NEGATION = re.compile(r"(?<!\s)\s+(?=n['\u2019]t\b)", re.IGNORECASE)

Words = tuple[str, ...]


class ParaphraseEntry(NamedTuple):
    """An entry of a table.

    Attributes:
        phrase: Words of the phrase, by `split_alphanumeric`.
        paraphrase: Words of the paraphrase.
        probability: Probability of the paraphrase given the phrase, as its source estimates it: at least 0.
    """

    phrase: Words
    paraphrase: Words
    probability: float


@lru_cache(maxsize=1 << 8)  # lines of one phrase follow each other; a larger cache costs more than it saves
def parse_phrase(text: str) -> Words:
    """Split a phrase, which may be tokenized, into the words of running text.

    The escapes of Moses are replaced, the Penn Treebank's names of brackets are dropped, and "n't" joins the word
    before it: `split_alphanumeric` divides "don't" into "don t", but would divide "do n't" into "do n t". It also
    divides other clitics in running text.
    """
    if "&" in text:
        for escape, letter in _ESCAPES:
            text = text.replace(escape, letter)
    if "-" in text:
        text = _BRACKET.sub(" ", text)
    if "'" in text or "\u2019" in text:
        text = _BEFORE_NEGATION.sub("", text)
    return tuple(split_alphanumeric(text))
