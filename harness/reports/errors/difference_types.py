"""Types of negatives and distractors: how a text differs from the text that it does not paraphrase."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from pyramid_paraphrase.pyramids.records import CONTRADICTS
from pyramid_paraphrase.words import content_words, normalize_word, split_words

CONTRADICTION = "contradiction"
CHANGED_NUMBER = "changed number"
CHANGED_WORD = "one word changed"
CONTAINED = "contained"
OTHER = "other"
TYPES = (CONTRADICTION, CHANGED_NUMBER, CHANGED_WORD, CONTAINED, OTHER)
"""Types in the order in which they are tried. The type of a pair is the first type that fits."""

_LEAST_SHARED = 0.5
"""Minimum Jaccard index of the content words other than numbers, for texts with a changed number."""

_NUMBER_WORDS = frozenset(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million
    millions billion billions trillion trillions dozen dozens half
    """.split()
)


class _Words(NamedTuple):
    """The distinct words of a text that determine types: its content words, and its numbers."""

    content: frozenset[str]
    numbers: frozenset[str]


def name_type(first: str, second: str, relation: str = "") -> str:
    """Name the type of a pair of texts that are not paraphrases.

    * contradiction: annotators marked that one text contradicts the other.
    * changed number: each text has a number that the other text does not have, and the texts have at least half of all
      other content words in common. Numbers are words with a digit, and written numbers such as "two".
    * one word changed: each text has exactly one content word that the other text does not have.
    * contained: all content words of one text are in the other text.
    * other: none of these.

    Args:
        first: A text.
        second: Another text.
        relation: The relation of their SCUs, as in the rows. "" means no relation.

    Returns:
        One of `TYPES`.
    """
    if relation == CONTRADICTS:
        return CONTRADICTION
    left, right = _analyse(first), _analyse(second)
    only_left, only_right = left.content - right.content, right.content - left.content
    if left.numbers - right.numbers and right.numbers - left.numbers and _share_words(left, right):
        return CHANGED_NUMBER
    if len(only_left) == len(only_right) == 1:
        return CHANGED_WORD
    return OTHER if only_left and only_right else CONTAINED


def _share_words(left: _Words, right: _Words) -> bool:
    """Return whether texts share enough content words other than numbers."""
    left_words, right_words = left.content - left.numbers, right.content - right.numbers
    union = left_words | right_words
    return bool(union) and len(left_words & right_words) >= _LEAST_SHARED * len(union)


@lru_cache(maxsize=1 << 16)
def _analyse(text: str) -> _Words:
    words = split_words(text)
    return _Words(content_words(words), frozenset(filter(_is_number, map(normalize_word, words))))


def _is_number(word: str) -> bool:
    return word in _NUMBER_WORDS or any("0" <= character <= "9" for character in word)
