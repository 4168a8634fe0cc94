"""The rules of pivoting, and the filters of phrases and pairs that are not useful as paraphrases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from pyramid_paraphrase.words import FUNCTION_WORDS

_Words = Sequence[str]


class PhraseFilter(NamedTuple):
    """A kind of phrase that is left out.

    Attributes:
        name: Name of the filter as an option value.
        text: Description of the left-out phrases in reports.
        matches: Function that decides whether a phrase is left out.
    """

    name: str
    text: str
    matches: Callable[[_Words], bool]


class PairFilter(NamedTuple):
    """A kind of pair that is left out.

    Attributes:
        name: Name of the filter as an option value.
        text: Description of the left-out pairs in reports.
        matches: Function that decides whether a pair is left out.
        shared: Function that returns words of a phrase. They are equal for both phrases of every left-out pair.
    """

    name: str
    text: str
    matches: Callable[[_Words, _Words], bool]
    shared: Callable[[_Words], _Words]


def has_no_letter(words: _Words) -> bool:
    """Return whether no word of a phrase contains a letter, as in phrases of punctuation and numbers."""
    return not any(map(_has_letter, words))


def has_punctuation(words: _Words) -> bool:
    """Return whether a word of a phrase contains neither a letter nor a digit, as in ", the minister"."""
    return any(map(_is_punctuation, words))


def differ_in_numbers(first: _Words, second: _Words) -> bool:
    """Return whether two phrases differ only in words without letters, such as "10 people" and "12 people"."""
    return _drop_numbers(first) == _drop_numbers(second)


def _drop_numbers(words: _Words) -> list[str]:
    return [word for word in words if _has_letter(word)]


@lru_cache(maxsize=1 << 16)  # millions of phrases consist of few distinct words
def _has_letter(word: str) -> bool:
    return any(map(str.isalpha, word))


@lru_cache(maxsize=1 << 16)
def _is_punctuation(word: str) -> bool:
    return not any(map(str.isalnum, word))


def differ_in_function_words(first: _Words, second: _Words) -> bool:
    """Return whether two phrases differ only in added function words, such as "the minister" and "minister".

    Words are compared in lower case. The list of function words is the one of the tests.
    """
    if _drop_function_words(first) != _drop_function_words(second):
        return False
    short, long = sorted((first, second), key=len)
    remaining_words = map(str.lower, long)
    # Subsequence check: each `in` consumes the iterator up to the match.
    return all(word in remaining_words for word in map(str.lower, short))


def _drop_function_words(words: _Words) -> list[str]:
    return [word for word in map(str.lower, words) if word not in FUNCTION_WORDS]


PHRASE_FILTERS = (
    PhraseFilter("no-letters", "without letters", has_no_letter),
    PhraseFilter("punctuation", "with punctuation", has_punctuation),
)
"""Filters that apply before probabilities are summed. A phrase is counted under the first filter that matches."""

PAIR_FILTERS = (
    PairFilter("numbers", "different only in numbers or punctuation", differ_in_numbers, _drop_numbers),
    PairFilter(
        "function-words",
        "different only in added function words",
        differ_in_function_words,
        _drop_function_words,
    ),
)
"""Filters that apply after probabilities are summed, in this order."""

NAMES = (*(phrase_filter.name for phrase_filter in PHRASE_FILTERS), *(pair_filter.name for pair_filter in PAIR_FILTERS))


Side = Literal["source", "target"]

_UNLIMITED = 1 << 31


@dataclass(frozen=True)
class PivotRules:
    """The rules of pivoting.

    Attributes:
        side: Side of the phrase table that contains the phrases and paraphrases. The other side contains the pivots.
        max_words: Maximum number of words of a phrase.
        min_translation_probability: Minimum probability of a translation, in each direction.
        min_probability: Minimum probability of a paraphrase.
        max_paraphrases: Maximum number of paraphrases of a phrase. The most probable ones are kept.
        keep: Names of the disabled filters.
        has_probabilities: Whether paraphrases have probabilities. Otherwise all have probability 1.
    """

    side: Side = "target"
    max_words: int = 7
    min_translation_probability: float = 0.001
    min_probability: float = 0.01
    max_paraphrases: int = 100
    keep: frozenset[str] = frozenset()
    has_probabilities: bool = True


def keep_all_pairs(side: Side) -> PivotRules:
    """Return the rules that keep all pairs of phrases that share a translation (Zhou et al., 2006)."""
    return PivotRules(side, _UNLIMITED, 0.0, 0.0, _UNLIMITED, frozenset(NAMES), has_probabilities=False)
