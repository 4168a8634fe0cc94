"""The benchmark's own definition of word, pronoun and content word.

It is frozen: a change to anything in this module changes questions and pairs, and needs a new dataset version. For text
in Latin, Greek and Cyrillic letters, nothing here depends on a library or on the Unicode version of Python.
`unicode_words` extends the words to all scripts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType

from pyramid_paraphrase.text.unicode_words import compose, expose_words, is_plain

# Latin, Greek and Cyrillic letters, all of them older than any supported Python: their lower case will not change.
_LETTER = "A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u052f\u1e00-\u1eff"
_ABBREVIATIONS = (
    "Mr|Mrs|Ms|Dr|Prof|St|Gen|Gov|Sen|Rep|Lt|Col|Sgt|Rev|Jr|Sr|Inc|Corp|Co|Ltd|No|vs"
    "|Jan|Feb|Mar|Apr|Aug|Sept|Sep|Oct|Nov|Dec"
    "|Ariz|Calif|Colo|Conn|Fla|Ga|Ill|Mass|Pa|Tenn|Va|Wash"
)
_WORD = re.compile(
    rf"""
      (?:[A-Za-z]\.){{2,}}(?![{_LETTER}0-9])                        # U.S. p.m.
    | (?:[A-Za-z]\.)+[A-Za-z](?![{_LETTER}0-9])                     # U.S at the end of a sentence
    | [A-Z]\.(?=\s)                                                 # an initial
    | (?:{_ABBREVIATIONS})\.(?=[\s,;)]|$)
    | [{_LETTER}0-9]+(?:\.[{_LETTER}0-9]+)*\.(?:com|org|net|gov|edu)(?![{_LETTER}0-9])
    | ['\u2019](?:s|S|d|D|m|M|re|RE|ll|LL|ve|VE)(?![{_LETTER}0-9])  # 's, of Turkey's
    | (?:n['\u2019]t|N['\u2019]T)(?![{_LETTER}0-9])                 # n't, of didn't
    | [0-9]+(?:[.,:/][0-9]+)*[{_LETTER}]*                           # 7.4 12,018 1980s 19th
    | [Cc]an(?=not(?![{_LETTER}0-9]))                               # can, of cannot
    | [{_LETTER}](?:(?!n['\u2019]t|N['\u2019]T)[{_LETTER}0-9])*     # did, of didn't
    """,
    re.VERBOSE,
)

PRONOUN_KINDS = MappingProxyType(
    {
        "personal": frozenset("i me you he him she her it we us they them".split()),
        "possessive": frozenset("my your yours his her hers its our ours their theirs".split()),
        "reflexive": frozenset("myself yourself yourselves himself herself itself ourselves themselves".split()),
    }
)
"""Pronouns by kind. "mine" is left out, because it is more often a noun in news."""

PRONOUNS = frozenset[str]().union(*PRONOUN_KINDS.values())

_NAMES = frozenset({"US", "IT"})

FUNCTION_WORDS = PRONOUNS | frozenset(
    """
    a an the this that these those each every either neither some any no none all both half such another other others
    much many more most few fewer little less least several enough same own one
    who whom whose which what whatever whichever whoever when whenever where wherever why how however whether
    mine somebody someone something anybody anyone anything nobody nothing everybody everyone everything
    about above across after against along alongside amid amidst among amongst around as at before behind below
    beneath beside besides between beyond by despite down during except for from in inside into like near of off on
    onto out outside over per regarding since than through throughout till to toward towards under underneath
    unlike until up upon versus via with within without
    and but or nor so yet if unless because although though while whereas once lest
    be am is are was were been being have has had having do does did doing done
    can could may might must shall should will would ought
    ca wo sha 's 'd 'm 're 'll 've n't not
    there here then thus hence therefore also too very just only even ever never
    """.split()
)
"""Words of the closed classes: articles, determiners, quantifiers, pronouns, prepositions, conjunctions, auxiliaries,
clitics, and the few adverbs that work like them. Written for this benchmark."""


def split_words(text: str, *, tokenized: bool = False) -> list[str]:
    """Split a text into its words, in order and in their original case.

    Punctuation is left out. Clitics and hyphenated words are split. Numbers and abbreviations stay whole. Words are in
    Unicode's normal form C. `unicode_words` describes the words of scripts other than Latin, Greek and Cyrillic.

    Args:
        text: The text.
        tokenized: Whether blanks divide all words, as in phrases of tokenized text. Otherwise, the text decides.
    """
    if is_plain(text):
        return _WORD.findall(compose(text))
    text, exposed = expose_words(text, tokenized=tokenized)
    return [text[slice(*match.span())] for match in _WORD.finditer(exposed)]


@lru_cache(maxsize=1 << 17)
def normalize_word(word: str) -> str:
    """Return the form in which words are compared: lower case, with a straight apostrophe."""
    return word.lower().replace("\u2019", "'")


@lru_cache(maxsize=1 << 17)
def list_pronoun_kinds(word: str) -> frozenset[str]:
    """Return the kinds of pronouns that a word belongs to. Case matters: "US" and "IT" are names."""
    if word in _NAMES:
        return frozenset()
    return frozenset(kind for kind, words in PRONOUN_KINDS.items() if word.lower() in words)


@lru_cache(maxsize=1 << 17)
def is_function_word(word: str) -> bool:
    """Return whether a word is of a closed class. Case matters: "US" and "IT" are names."""
    return word not in _NAMES and normalize_word(word) in FUNCTION_WORDS


def content_words(words: list[str]) -> frozenset[str]:
    """Return the distinct normalized words that are not function words. The words are in their original case."""
    return frozenset(normalize_word(word) for word in words if not is_function_word(word))
