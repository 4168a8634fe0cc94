"""What a word of a summary is: as in ROUGE, a run of letters and digits in lower case, or its stem."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from harness.stems import stem_word

_WORD = re.compile(r"[^\W_]+")
_SHORTEST_STEMMED = 4
"""Shorter words are left as they are, as in ROUGE."""


def split_words(text: str) -> list[str]:
    """Split a text into words: runs of letters and digits, in lower case.

    Of ASCII text these are the words of ROUGE, where "Turkey's" is two and "U.S." is two; letters beyond ASCII, which
    divide words there, are letters here.
    """
    return _WORD.findall(unicodedata.normalize("NFC", text).lower())


def stem_words(words: Sequence[str]) -> list[str]:
    """Stems by Porter's algorithm; words of up to three letters stay as they are, as in ROUGE."""
    return [stem_word(word) if len(word) >= _SHORTEST_STEMMED else word for word in words]
