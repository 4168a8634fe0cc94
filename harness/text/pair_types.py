"""Types of pairs of texts, by the words in which they differ. Numbers in words and negations are English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
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

SAME_WORDS, REORDERED, SAME_CONTENT = "same words", "same words reordered", "same content words"
NEGATION, NOTHING_SHARED = "negation", "no shared content word"
NO_TYPE = "none of these"
PAIR_TYPES = (
    *(CONTRADICTION, SAME_WORDS, REORDERED, SAME_CONTENT, CONTAINED),
    *(CHANGED_NUMBER, CHANGED_WORD, NEGATION, NOTHING_SHARED, NO_TYPE),
)
"""Types of pairs of any label. A pair can have several, except `NO_TYPE`."""

_LEAST_SHARED = 0.5
"""Minimum Jaccard index of the content words other than numbers or negations, for texts that differ in one of these."""

NEGATIONS = (
    *("not", "no", "never", "none", "nobody", "nothing", "nowhere", "neither", "nor", "without", "n't"),
    *("hardly", "scarcely", "barely", "unable", "fail to", "fails to", "failed to", "failing to"),
)
NO_NEGATIONS = ("not only", "not for profit")
"""Phrases that contain a negation, but do not negate a statement."""

_CONTRACTED = "do|does|did|is|are|was|were|ai|have|has|had|ca|could|wo|would|should|must|need|might"
_NEGATION = re.compile(
    rf"(?<!\S)(?:(?:{'|'.join(NO_NEGATIONS)})|(?P<negation>{'|'.join(NEGATIONS)}|n t|(?:{_CONTRACTED})n ?t))(?!\S)"
)
"""Negations in words that blanks divide. "n t" and "don t" have lost their apostrophe, "dont" also the blank."""

_ONES = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_FIRST_ORDINALS = "first second third".split()
"""Ordinal numbers that count only within others, as in "twenty-first". Alone, a second can be something else."""
_ORDINALS = "fourth fifth sixth seventh eighth ninth".split()
_TEEN_ORDINALS = (
    "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split()
)
_TEN_ORDINALS = [f"{word[:-1]}ieth" for word in _TENS]
_VALUES = {"zero": Decimal(0), "half": Decimal("0.5")}
for _words in ([*_ONES, *_TEENS], [*_FIRST_ORDINALS, *_ORDINALS, *_TEEN_ORDINALS]):
    _VALUES |= {word: Decimal(number) for number, word in enumerate(_words, 1)}
for _words in (_TENS, _TEN_ORDINALS):
    _VALUES |= {word: Decimal(10 * number) for number, word in enumerate(_words, 2)}
_FACTORS = {"dozen": Decimal(12), "hundred": Decimal(100)}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ATTACHED_SCALES = {"mn": 10**6, "bn": 10**9, "tn": 10**12}

_VALUE = r"(?:[0-9]{1,15}|[0-9]{1,3}(?:,[0-9]{3}){1,4})(?:\.[0-9]{1,10})?"
"""A number in digits whose value is compared. Arithmetic with it is exact."""


def _compile_numbers() -> re.Pattern[str]:
    """Compile the pattern of a number in words that blanks divide."""

    def any_of(*words: str) -> str:
        return rf"(?:{'|'.join(words)})(?!\S)"

    scale, digits = any_of(*_SCALES), r"\S*[0-9]\S*"
    last = any_of(*_ONES, *_FIRST_ORDINALS, *_ORDINALS)
    tens = rf"{any_of(*_TENS)}(?: {last})?"
    small = rf"(?:{tens}|{any_of('zero', *_ONES, *_TEENS, *_ORDINALS, *_TEEN_ORDINALS, *_TEN_ORDINALS)})"
    hundreds = rf"{any_of('hundred')}(?:(?: and)? (?:{small}|{last})(?! hundred))?"
    words = rf"(?:(?:{small} )?{hundreds}|{small})"
    multiple = rf"(?:(?:{_VALUE}(?!\S)|{words}|half(?: a)?) )?"
    rest = rf"(?: {words} thousand(?!\S))?(?:(?: and)? {words}(?! {scale}))?"
    scaled = rf"{multiple}(?:{scale}{rest}|{any_of('dozen')}|{hundreds})"
    vague = any_of("hundreds", "dozens", *(f"{word}s" for word in _SCALES))
    return re.compile(rf"(?<!\S)(?:{scaled}|{words}|{digits}|{any_of('half')}|{vague})")


_NUMBER = _compile_numbers()
_DIGITS = re.compile(r"([0-9]+(?:[.,:/][0-9]+)*)(.*)")


def name_type(first: str, second: str, relation: str = "") -> str:
    """Name the type of a pair of texts that are not paraphrases.

    * contradiction: annotators marked that one text contradicts the other.
    * changed number: each text has a number that the other text does not have, and the texts have at least half of all
      other content words in common. Numbers are compared by their values: "1,500", "1500" and "fifteen hundred" are the
      same number, and so are "1930s" and "1930".
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
    left, right = _find_words(first), _find_words(second)
    only_left, only_right = left.content - right.content, right.content - left.content
    differ = left.numbers - right.numbers and right.numbers - left.numbers
    if differ and _share_half(left.content - left.number_words, right.content - right.number_words):
        return CHANGED_NUMBER
    if len(only_left) == len(only_right) == 1:
        return CHANGED_WORD
    return OTHER if only_left and only_right else CONTAINED


def list_types(first: str, second: str, relation: str = "") -> tuple[str, ...]:
    """List the types of a pair of texts, whether they are paraphrases or not. All that apply are listed.

    Words are compared as they are written, but without regard to case. Of same words, same words reordered, same
    content words, contained and no shared content word, only the first that applies is listed.

    * same words, and same words reordered: both texts have the same words, in the same order or in another one.
    * same content words: the texts differ only in function words.
    * contained: all content words of one text are in the other text, which has further content words.
    * no shared content word: both texts have content words, and none in common.
    * changed number: as in `name_type`.
    * one word changed: as in `name_type`, also if the word is a number.
    * negation: exactly one of the texts has a negation, one of `NEGATIONS`, and the texts have at least half of all
      other content words in common.

    Args:
        first: A text.
        second: Another text.
        relation: The relation of their SCUs, as in the rows. "" means no relation.

    Returns:
        Some of `PAIR_TYPES`, in their order. `NO_TYPE` if none applies.
    """
    left, right = _find_words(first), _find_words(second)
    types = {name_type(first, second)} - {CONTAINED, OTHER}
    if relation == CONTRADICTS:
        types.add(CONTRADICTION)
    if len(left.content - right.content) == len(right.content - left.content) == 1:
        types.add(CHANGED_WORD)
    if left.words == right.words:
        types.add(SAME_WORDS)
    elif sorted(left.words) == sorted(right.words):
        types.add(REORDERED)
    else:
        types |= _compare_content(left.content, right.content)
    has_change = bool(left.negations) != bool(right.negations)
    negations = left.negations | right.negations
    if has_change and _share_half(left.content - negations, right.content - negations):
        types.add(NEGATION)
    return tuple(name for name in PAIR_TYPES if name in types) or (NO_TYPE,)


def _compare_content(left: frozenset[str], right: frozenset[str]) -> set[str]:
    """Return the type by which content words are equal, contained or disjoint, if there is one."""
    if left == right:
        return {SAME_CONTENT}
    if left <= right or right <= left:
        return {CONTAINED}
    return {NOTHING_SHARED} if left.isdisjoint(right) else set()


def _share_half(left: frozenset[str], right: frozenset[str]) -> bool:
    """Return whether two sets have at least the share `_LEAST_SHARED` of all their words in common."""
    union = left | right
    return bool(union) and len(left & right) >= _LEAST_SHARED * len(union)


class _Words(NamedTuple):
    """The words of a text that determine types.

    Attributes:
        words: All words, normalized.
        content: The distinct content words.
        numbers: The distinct numbers: values, or words without an exact value.
        number_words: The words of the numbers.
        negations: The words of the negations.
    """

    words: tuple[str, ...]
    content: frozenset[str]
    numbers: frozenset[Decimal | str]
    number_words: frozenset[str]
    negations: frozenset[str]


@lru_cache(maxsize=1 << 16)
def _find_words(text: str) -> _Words:
    words = split_words(text)
    normalized = tuple(map(normalize_word, words))
    line = " ".join(normalized)
    phrases = _NUMBER.findall(line)
    numbers = frozenset(number for phrase in phrases for number in _read_number(phrase.split()))
    number_words = frozenset(word for phrase in phrases for word in phrase.split())
    found = (match["negation"] for match in _NEGATION.finditer(line))
    negations = frozenset(word for phrase in found if phrase for word in phrase.split())
    return _Words(normalized, content_words(words), numbers, number_words, negations)


def _read_number(words: Sequence[str]) -> list[Decimal | str]:
    """Return the value of a phrase that fits `_NUMBER`, the word itself if it has no value, or several values."""
    total = part = Decimal(0)
    for word in words:
        if word in _SCALES:
            total += (part or 1) * _SCALES[word]
            part = Decimal(0)
        elif word in _FACTORS:
            part = _FACTORS[word] * (part or 1)
        elif word in _VALUES:
            part += _VALUES[word]
        elif len(words) == 1:
            return _parse_digits(word)
        elif word not in ("and", "a"):
            part = Decimal(word.replace(",", ""))
    return [total + part]


def _parse_digits(word: str) -> list[Decimal | str]:
    """Return the values of a word with digits, several if a slash divides them. Units such as "am" are left out."""
    match = _DIGITS.fullmatch(word)
    if not match:
        return [word]
    values: list[Decimal | str] = []
    for digits in match[1].split("/"):
        has_value = re.fullmatch(_VALUE, digits)
        scale = _ATTACHED_SCALES.get(match[2], 1)
        values.append(Decimal(digits.replace(",", "")) * scale if has_value else digits)
    return values
