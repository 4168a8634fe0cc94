"""The frozen tokenizer and word lists: literal cases, by hand, from the rules in docs/test_rules.md."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramid_paraphrase.words import (
    FUNCTION_WORDS,
    PRONOUNS,
    content_words,
    list_pronoun_kinds,
    normalize_word,
    split_words,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Turkey's army", ["Turkey", "'s", "army"]),
        ("it didn't, they can't", ["it", "did", "n't", "they", "ca", "n't"]),
        ("We\u2019ll see the boys\u2019 dogs", ["We", "\u2019ll", "see", "the", "boys", "dogs"]),
        ("state-of-the-art 24-year-old", ["state", "of", "the", "art", "24", "year", "old"]),
        ("7.4 on 12,018 and 1980s, 19th", ["7.4", "on", "12,018", "and", "1980s", "19th"]),
        ("in the U.S. at 5 p.m. in the U.S", ["in", "the", "U.S.", "at", "5", "p.m.", "in", "the", "U.S"]),
        ("Mr. Smith Jr., of Acme Inc.", ["Mr.", "Smith", "Jr.", "of", "Acme", "Inc."]),
        ("John F. Doe", ["John", "F.", "Doe"]),
        ("they cannot buy at shop.com.", ["they", "can", "not", "buy", "at", "shop.com"]),
        ("$5 million (50%) -- \u20ac3/day", ["5", "million", "50", "3", "day"]),
        ("S\u00e9rannes, na\u00efve", ["S\u00e9rannes", "na\u00efve"]),
        ("Cannot cannoted cannon mycannot cannot.", ["Can", "not", "cannoted", "cannon", "mycannot", "can", "not"]),
        ("n't on't xn't's a.b don\u2019t t.com's", "n't o n't x n't 's a.b do n\u2019t t.com 's".split()),
        ("... !? \u2014 \u201c\u201d", []),
        ("", []),
    ],
)
def test_split_words(text: str, words: list[str]) -> None:
    assert split_words(text) == words


@given(st.text())
def test_words_are_pieces_of_the_text_in_order(text: str) -> None:
    at = 0
    for word in split_words(text):
        assert word
        assert not word.isspace()
        at = text.index(word, at) + len(word)


@given(st.lists(st.sampled_from(["alpha", "Beta", "7.4", "U.S.", "it", "n't"]), min_size=1))
def test_blanks_separate_words(words: list[str]) -> None:
    assert split_words(" ".join(words) + " ") == words


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        (["He", "us", "it", "I"], {"personal"}),
        (["their", "Its", "ours"], {"possessive"}),
        (["her"], {"personal", "possessive"}),
        (["itself", "Themselves"], {"reflexive"}),
        (["US", "IT", "mine", "this", "who", "one"], set()),
    ],
)
def test_pronouns(words: list[str], kinds: set[str]) -> None:
    assert all(list_pronoun_kinds(word) == kinds for word in words)


def test_no_pronoun_was_added_or_lost() -> None:
    """The list is part of the rules. Its size and hash are from before pronouns had kinds."""
    assert len(PRONOUNS) == 30
    assert (
        hashlib.sha256(" ".join(sorted(PRONOUNS)).encode()).hexdigest()
        == "d30294e5b3d9c643d4b40887000be7019505404ac81b488ff20ad68994746e33"
    )


def test_content_words_keep_names_that_look_like_pronouns() -> None:
    assert content_words(["The", "US", "said", "it", "helps", "us"]) == {"us", "said", "helps"}
    assert normalize_word("\u2019S") == "'s"


def test_function_words_are_closed_classes_only() -> None:
    assert not FUNCTION_WORDS & {"fire", "bill", "found", "system", "says", "new", "year"}
    assert len(FUNCTION_WORDS) == 223
    assert all(re.fullmatch(r"[a-z']+", word) for word in FUNCTION_WORDS)
