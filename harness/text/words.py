"""Stems and stop words of the words of `split_alphanumeric`."""

from __future__ import annotations

from collections.abc import Sequence

from harness.text.porter import stem_word
from pyramid_paraphrase.words import FUNCTION_WORDS, split_alphanumeric

_SHORTEST_STEMMED = 4
"""Shorter words are not stemmed, as in ROUGE."""


def stem_words(words: Sequence[str]) -> list[str]:
    """Stem words by Porter's algorithm. Words of up to three letters are not changed, as in ROUGE."""
    return [stem_word(word) if len(word) >= _SHORTEST_STEMMED else word for word in words]


STOP_WORDS = frozenset(split_alphanumeric(" ".join(FUNCTION_WORDS)))
"""Function words, as `split_alphanumeric` divides them: "n't" becomes n and t."""
