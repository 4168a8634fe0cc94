"""What a word of a summary is: as in ROUGE, a run of letters and digits in lower case, or its stem."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from harness.text.porter import stem_word
from pyramid_paraphrase.words import FUNCTION_WORDS

_WORD = re.compile(r"[^\W_]+")
_SHORTEST_STEMMED = 4
"""Shorter words are left as they are, as in ROUGE."""


class PlacedWord(NamedTuple):
    """A word and where it stands in a text: its first character, and the one behind its last."""

    word: str
    start: int
    end: int


def place_words(text: str) -> list[PlacedWord]:
    """Find the words of a text in normal form C (`unicodedata.normalize`), as `split_words` divides it."""
    return [PlacedWord(found[0].lower(), found.start(), found.end()) for found in _WORD.finditer(text)]


def split_words(text: str) -> list[str]:
    """Split a text into words: runs of letters and digits, in lower case.

    Of ASCII text these are the words of ROUGE, where "Turkey's" is two and "U.S." is two; letters beyond ASCII, which
    divide words there, are letters here.
    """
    return [word.lower() for word in _WORD.findall(unicodedata.normalize("NFC", text))]


def stem_words(words: Sequence[str]) -> list[str]:
    """Stems by Porter's algorithm; words of up to three letters stay as they are, as in ROUGE."""
    return [stem_word(word) if len(word) >= _SHORTEST_STEMMED else word for word in words]


STOP_WORDS = frozenset(word for entry in FUNCTION_WORDS for word in split_words(entry))
"""Words of the closed classes, as `split_words` divides them: "n't" is n and t."""
