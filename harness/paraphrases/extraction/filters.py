"""Which phrases and which pairs of them are no use as paraphrases, though a translation connects them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from pyramid_paraphrase.words import FUNCTION_WORDS

_Words = Sequence[str]


class PhraseFilter(NamedTuple):
    """A kind of phrase that is left out.

    Attributes:
        name: What it is called where users keep it.
        text: What is left out, as the report says it.
        matches: Whether a phrase is of this kind.
    """

    name: str
    text: str
    matches: Callable[[_Words], bool]


class PairFilter(NamedTuple):
    """A kind of pair that is left out; attributes as in `PhraseFilter`."""

    name: str
    text: str
    matches: Callable[[_Words, _Words], bool]


def has_no_letter(words: _Words) -> bool:
    """Whether a phrase is punctuation and numbers only."""
    return not any(map(_has_letter, words))


def has_punctuation(words: _Words) -> bool:
    """Whether a word of a phrase is punctuation: without letter and digit, as ", the minister" has one."""
    return any(map(_is_punctuation, words))


def differ_in_numbers(one: _Words, other: _Words) -> bool:
    """Whether two phrases have the same words but for those without letters, as "10 people" and "12 people"."""
    return _drop_numbers(one) == _drop_numbers(other)


def _drop_numbers(words: _Words) -> list[str]:
    return [word for word in words if _has_letter(word)]


@lru_cache(maxsize=1 << 16)  # of millions of phrases, the words are few
def _has_letter(word: str) -> bool:
    return any(map(str.isalpha, word))


@lru_cache(maxsize=1 << 16)
def _is_punctuation(word: str) -> bool:
    return not any(map(str.isalnum, word))


def differ_in_function_words(one: _Words, other: _Words) -> bool:
    """Whether one phrase is the other with function words added, as "the minister" is "minister".

    The words are compared in lower case; function words are those that decide rows of the tests.
    """
    short, long = sorted(([word.lower() for word in words] for words in (one, other)), key=len)
    rest = iter(long)
    is_within = all(word in rest for word in short)
    return is_within and all(word in FUNCTION_WORDS for word in Counter(long) - Counter(short))


PHRASE_FILTERS = (
    PhraseFilter("no-letters", "without a letter", has_no_letter),
    PhraseFilter("punctuation", "with a word of punctuation", has_punctuation),
)
"""What is left out before anything is summed, in this order: a phrase is counted under the first that matches."""

PAIR_FILTERS = (
    PairFilter("numbers", "different in numbers or punctuation only", differ_in_numbers),
    PairFilter("function-words", "different in added function words only", differ_in_function_words),
)
"""What is left out of the sums, in this order."""

NAMES = tuple(one.name for one in (*PHRASE_FILTERS, *PAIR_FILTERS))
