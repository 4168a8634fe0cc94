"""Stems of English words by the algorithm of Porter (1980)."""

from __future__ import annotations

from functools import lru_cache

from snowballstemmer.porter_stemmer import PorterStemmer  # `stemmer("porter")` may return that of another package

_STEMMER = PorterStemmer()


@lru_cache(maxsize=1 << 17)
def stem_word(word: str) -> str:
    """Return the stem of a word in lower case, such as "kill" for "killing"."""
    return str(_STEMMER.stemWord(word))
