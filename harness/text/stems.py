"""Stems of English words, by Porter's algorithm and as ROUGE-1.5.5 makes them, and the words that ROUGE compares.

ROUGE-1.5.5 with ``-m`` looks up irregular forms in WordNet, and rules cut all other words.
The rules differ from Porter (1980). The differences were found by experiment: these rules reproduce all 5,940 ROUGE-1
recalls that NIST published for DUC 2007. "bli" and "logi" are derivations, as in Porter's own programs. An ending such
as "al" or "ate" is removed before "ment", "ent" and "ion", so "environmental" and "environment" have the same stem.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from harness.files.hashing import hash_values
from pyramid_paraphrase.errors import InputError, OptionError, unknown_name
from pyramid_paraphrase.files.inputs import read_lines
from pyramid_paraphrase.words import FUNCTION_WORDS, compose, split_alphanumeric

Divide = Callable[[str], list[str]]
"""A function from a text to its words, in the form in which they are compared."""

PORTER, ROUGE, NONE = STEMS = ("porter", "rouge", "none")
"""Porter's algorithm, the stems of ROUGE-1.5.5 with WordNet, and no stemming."""

STOP_WORDS = frozenset(split_alphanumeric(" ".join(FUNCTION_WORDS)))
"""Function words, as `split_alphanumeric` divides them: "n't" becomes n and t."""

DEFAULT_WORDNET = Path("/usr/share/wordnet")
"""Folder of WordNet's database on Debian."""

GET_WORDNET = f"Debian's package wordnet-base has them in {DEFAULT_WORDNET}"
"""A remedy for missing files of WordNet."""

_LISTS = ("adj.exc", "adv.exc", "noun.exc", "verb.exc")
_REMEDY = f"use --no-wordnet, or the folder with WordNet's adj.exc, adv.exc, noun.exc and verb.exc. {GET_WORDNET}"
_SHORTEST_STEMMED = 4
"""Shorter words are not stemmed, as in ROUGE."""

_ANY_LENGTH = -1
"""A lower bound that the measure of every stem exceeds."""

_PLURALS = {"sses": "ss", "ies": "i", "ss": "ss", "s": ""}
_DERIVATIONS = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_ADJECTIVES = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_ENDINGS = (
    tuple("al ance ence er ic able ible ou ism ate iti ous ive ize".split()),
    ("ant", "ement", "ment", "ent", "ion"),
)
"""Endings that are removed, at most one of each group in turn. "ion" is removed only after s or t."""

_SHORT_SYLLABLE = re.compile(r"cvc\Z")
_ASCII_WORD = re.compile(r"[a-z0-9]+")


@lru_cache(maxsize=1 << 17)
def stem_word(word: str) -> str:
    """Return the stem of a word in lower case by the algorithm of Porter (1980), such as "kill" for "killing"."""
    return str(_load_stemmer().stemWord(word))


@lru_cache(maxsize=1)
def _load_stemmer() -> Any:  # noqa: ANN401 - the library has no types
    # `stemmer("porter")` may return that of another package. The command line does not load it.
    from snowballstemmer.porter_stemmer import PorterStemmer

    return PorterStemmer()


def stem_words(words: Sequence[str]) -> list[str]:
    """Stem words by Porter's algorithm. Words of up to three letters are not changed, as in ROUGE."""
    return [stem_word(word) if len(word) >= _SHORTEST_STEMMED else word for word in words]


def choose_division(
    stem: str = PORTER,
    *,
    stop_words: bool | frozenset[str] = True,
    wordnet: Path | None = None,
    irregular_forms: bool = True,
) -> tuple[Divide, str]:
    """Choose how to divide summaries into words.

    Args:
        stem: One of `STEMS`. For "rouge", letters beyond ASCII separate words, as in ROUGE-1.5.5. For the other
            values, they are letters.
        stop_words: Whether stop words count, or the words that do not, as `read_stop_words` returns them. They are
            removed before stemming, and the words around them become neighbours, as in ROUGE.
        wordnet: Folder of WordNet's database, for "rouge" only. If None, `DEFAULT_WORDNET`.
        irregular_forms: Whether "rouge" looks up irregular forms in WordNet. Otherwise, rules cut them, too.

    Returns:
        The function that divides a text, and a text that names all settings that determine the words, except the
        version.

    Raises:
        OptionError: If `stem` is not one of `STEMS`, or if `wordnet` is given and the stem does not use it.
        InputError: If WordNet cannot be read.
    """
    if stem not in STEMS:
        raise unknown_name("stem", stem, STEMS)
    if stem != ROUGE and wordnet:
        raise OptionError(f"WordNet has no effect with stem {stem}. Omit it, or choose stem {ROUGE}")
    if stem != ROUGE and not irregular_forms:
        raise OptionError(f"stem {stem} looks up no irregular forms. Choose stem {ROUGE}")
    counted, ignored = "yes" if stop_words else "no", frozenset[str]() if stop_words else STOP_WORDS
    if isinstance(stop_words, frozenset):
        counted, ignored = hash_values(sorted(stop_words))[:12], stop_words
    signature = f"stem:{stem}|stop-words:{counted}"
    if stem != ROUGE:
        return partial(_divide, stem=stem == PORTER, ignored=ignored), signature
    if not irregular_forms:
        return partial(_divide_as_rouge, {}, ignored=ignored), f"{signature}|wordnet:no"
    forms = read_irregular_forms(wordnet or DEFAULT_WORDNET)
    return partial(_divide_as_rouge, forms, ignored=ignored), f"{signature}|wordnet:{hash_values(forms)[:12]}"


def read_stop_words(path: Path) -> frozenset[str]:
    """Read a list of stop words, such as the file smart_common_words.txt of ROUGE-1.5.5.

    Args:
        path: A file with one word per line.

    Returns:
        The words in lower case. Words with an apostrophe equal no word of a summary, as in ROUGE-1.5.5.

    Raises:
        InputError: If the file cannot be read, has several words in a line, or has none.
    """
    remedy = "use a file with one word per line"
    words = set[str]()
    for number, line in enumerate(read_lines(path, remedy), 1):
        found = line.split()
        if len(found) > 1:
            raise InputError(str(path), "contains several words", remedy, number)
        words.update(compose(word).lower() for word in found)
    if not words:
        raise InputError(str(path), "contains no words", remedy)
    return frozenset(words)


def _divide(text: str, *, stem: bool, ignored: frozenset[str]) -> list[str]:
    words = [word for word in split_alphanumeric(text) if word not in ignored]
    if stem:
        words = stem_words(words)
    return words


def _divide_as_rouge(forms: Mapping[str, str], text: str, *, ignored: frozenset[str]) -> list[str]:
    words = _ASCII_WORD.findall(compose(text).lower())
    return stem_as_rouge([word for word in words if word not in ignored], forms)


def read_irregular_forms(wordnet: Path) -> dict[str, str]:
    """Read the lists of irregular forms.

    Args:
        wordnet: Folder of WordNet's database.

    Returns:
        Base forms by irregular form. If a form is listed several times, the last one counts.

    Raises:
        InputError: If a list is missing or cannot be read.
    """
    forms = {}
    for name in _LISTS:
        for number, line in enumerate(read_lines(wordnet / name, _REMEDY), 1):
            words = line.split()
            if len(words) == 1:
                raise InputError(str(wordnet / name), "an irregular form has no base form", _REMEDY, number)
            if words:
                forms[words[0]] = words[1]
    return forms


def stem_as_rouge(words: Sequence[str], irregular: Mapping[str, str]) -> list[str]:
    """Stem words in lower case.

    Args:
        words: The words.
        irregular: Base forms by irregular form. A base form is the stem of its irregular form.

    Returns:
        A stem for each word. Words of up to three letters are not changed.
    """
    return [word if len(word) < _SHORTEST_STEMMED else irregular.get(word) or cut_endings(word) for word in words]


@lru_cache(maxsize=1 << 17)
def cut_endings(word: str) -> str:
    """Cut the endings of a word if the remaining stem is long enough."""
    word = _replace(word, _PLURALS, least=_ANY_LENGTH)
    word = _cut_inflection(word)
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _replace(_replace(word, _DERIVATIONS, least=0), _ADJECTIVES, least=0)
    for endings in _ENDINGS:
        ending = max(filter(word.endswith, endings), key=len, default="")
        stem = word.removesuffix(ending)
        if _measure(stem) > 1 and (ending != "ion" or stem[-1] in "st"):
            word = stem
    return _cut_last_letter(word)


def _replace(word: str, endings: Mapping[str, str], least: int) -> str:
    """Replace the longest ending of a word that is in a table, if the measure of its stem exceeds `least`."""
    for length in range(max(map(len, endings)), 0, -1):
        ending = word[-length:]
        if len(word) >= length and ending in endings:
            stem = word[:-length]
            if _measure(stem) > least:
                return stem + endings[ending]
            break
    return word


def _cut_inflection(word: str) -> str:
    """Remove "ed" and "ing", and restore the base form of the verb: "hoping" becomes "hope", "hopping" "hop"."""
    if word.endswith("eed"):
        if _measure(word[:-3]) > 0:
            return word[:-1]
        return word
    ending = next(filter(word.endswith, ("ed", "ing")), "")
    stem = word.removesuffix(ending)
    if not ending or "v" not in _shape(stem):
        return word
    if stem.endswith(("at", "bl", "iz")) or (_measure(stem) == 1 and _ends_short(stem)):
        return stem + "e"
    is_double = len(stem) > 1 and stem[-1] == stem[-2] and _shape(stem).endswith("c")
    if is_double and stem[-1] not in "lsz":
        return stem[:-1]
    return stem


def _cut_last_letter(word: str) -> str:
    """Remove a final "e", and one "l" of a final "ll"."""
    if word.endswith("e"):
        stem = word[:-1]
        if _measure(stem) > 1 or (_measure(stem) == 1 and not _ends_short(stem)):
            word = stem
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        return word[:-1]
    return word


def _shape(word: str) -> str:
    """Write c for consonants and v for vowels. The letter y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        is_vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if is_vowel else "c"
    return shape


def _measure(word: str) -> int:
    """Count the vowels that a consonant follows: the measure m of Porter (1980)."""
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    return bool(_SHORT_SYLLABLE.search(_shape(word))) and word[-1] not in "wxy"
