"""Words of summaries: runs of letters and digits in lower case, as in ROUGE, and their stems."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from harness.text.porter import stem_word
from pyramid_paraphrase.words import FUNCTION_WORDS

_WORD = re.compile(r"[^\W_]+")
_SHORTEST_STEMMED = 4
"""Shorter words are not stemmed, as in ROUGE."""


class PlacedWord(NamedTuple):
    """A word and its place in a text: the index of its first character, and the index after its last character."""

    word: str
    start: int
    end: int


def place_words(text: str) -> list[PlacedWord]:
    """Find the words of a text in normal form C (`unicodedata.normalize`), as `split_alphanumeric` divides it."""
    return [PlacedWord(match[0].lower(), match.start(), match.end()) for match in _WORD.finditer(text)]


def split_alphanumeric(text: str) -> list[str]:
    """Split a text into words: runs of letters and digits, in lower case.

    In ASCII text, these are the words of ROUGE, in which "Turkey's" and "U.S." are two words each. Letters beyond ASCII
    are letters here, but separate words in ROUGE.
    """
    return [word.lower() for word in _WORD.findall(unicodedata.normalize("NFC", text))]


def stem_words(words: Sequence[str]) -> list[str]:
    """Stem words by Porter's algorithm. Words of up to three letters are not changed, as in ROUGE."""
    return [stem_word(word) if len(word) >= _SHORTEST_STEMMED else word for word in words]


STOP_WORDS = frozenset(split_alphanumeric(" ".join(FUNCTION_WORDS)))
"""Function words, as `split_alphanumeric` divides them: "n't" becomes n and t."""
