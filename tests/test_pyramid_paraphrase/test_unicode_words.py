"""Words of all scripts: literal cases by hand, from Unicode Standard Annex 29 and from the rules in `words`."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramid_paraphrase.words import (
    _compile_patterns,
    consists_of_letters,
    continues_word,
    find_words,
    is_divided_by_blanks,
    is_divided_into_characters,
    remove_invisible,
    split_alphanumeric,
    split_at_blanks,
    split_words,
)

WORDS = json.loads((Path(__file__).parents[1] / "data" / "words.json").read_text(encoding="utf-8"))
"""By script or kind of text: a text, and its words."""


@pytest.mark.parametrize("script", WORDS)
def test_words_of_both_rules(script: str) -> None:
    """The rules of ROUGE and those of the dataset divide these texts in the same way."""
    _compile_patterns.cache_clear()  # so that every text tests the patterns
    text, words = WORDS[script]
    assert split_words(text) == words
    assert split_alphanumeric(text) == [word.lower() for word in words]


def test_differences_of_the_rules() -> None:
    """ROUGE divides at every punctuation mark, and counts superscripts and phonetic symbols as letters."""
    text = "Don\u2019t pay 1,200 for 3 m² of Ö. C. Müller"
    assert split_words(text) == ["Do", "n\u2019t", "pay", "1,200", "for", "3", "m", "of", "Ö", "C.", "Müller"]
    assert split_alphanumeric(text) == "don t pay 1 200 for 3 m² of ö c müller".split()
    assert split_words("१.५ a_b") == ["१.५", "a", "b"]
    assert split_alphanumeric("१.५ a_b") == ["१", "५", "a", "b"]
    assert split_alphanumeric("a_b") == ["a", "b"]
    assert split_words("the house [\u02c8ha\u028az\u026az]") == ["the", "house", "ha", "z", "z"]
    assert split_alphanumeric("[\u02c8ha\u028az\u026az]") == ["\u02c8ha\u028az\u026az"]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_canonically_equal_texts_have_equal_words(form: Literal["NFC", "NFD"]) -> None:
    text = unicodedata.normalize(form, "L'été à Orléans, việt nam, Й, ガギ, 한국")
    assert split_words(text) == ["L", "été", "à", "Orléans", "việt", "nam", "Й", "ガギ", "한국"]
    assert split_alphanumeric(text) == ["l", "été", "à", "orléans", "việt", "nam", "й", "ガギ", "한국"]


_TEXTS = st.text(st.one_of(st.characters(), st.sampled_from("aé\u0301\u200c\u200b\u00ad 天กिक1½\u02bbə")))


@given(_TEXTS)
def test_words_do_not_depend_on_the_normal_form(text: str) -> None:
    decomposed, composed = (unicodedata.normalize(form, text) for form in ("NFD", "NFC"))
    assert split_alphanumeric(decomposed) == split_alphanumeric(composed)
    assert split_words(decomposed) == split_words(composed)


@given(_TEXTS)
def test_words_are_at_their_places(text: str) -> None:
    places = find_words(text)
    assert [word for word, _, _ in places] == split_alphanumeric(text)
    assert all(split_alphanumeric(text[start:end])[:1] for _, start, end in places)
    assert all(end <= next_start for (_, _, end), (_, next_start, _) in pairwise(places))


def test_invisible_characters_do_not_separate_a_letter_from_its_accent() -> None:
    assert split_words("e\u00ad\u0301 \U0001f525\ufe0f\u200d\u0301") == ["\u00e9"]
    assert split_alphanumeric("e\u00ad\u0301 \U0001f525\ufe0f\u200d\u0301") == ["\u00e9"]


def test_places_of_words_end_before_invisible_characters() -> None:
    assert find_words("ab\u202e c\u00add\u200d\u200f e\u0301\ufe0f") == [
        ("ab", 0, 2),
        ("cd", 4, 7),
        ("\u00e9", 10, 12),
    ]
    assert find_words("天\u200f气") == [("天", 0, 1), ("气", 2, 3)]


@given(_TEXTS)
def test_no_letter_is_lost(text: str) -> None:
    """Every letter and digit belongs to a word of ROUGE, except characters that are invisible."""
    words = "".join(split_alphanumeric(text))
    letters = [letter for letter in unicodedata.normalize("NFC", text) if letter.isalnum()]
    assert all(letter.lower() in words for letter in letters if letter not in "\u115f\u1160\u3164\uffa0")


def test_numbers_of_ideographs_are_letters() -> None:
    """The zero of dates in Chinese is a number and not a letter in Unicode. The rules of the tests lost it."""
    assert split_words("二〇二六年") == split_alphanumeric("二〇二六年") == ["二", "\u3007", "二", "六", "年"]
    assert split_words("二〇 二六") == split_alphanumeric("二〇 二六") == ["二〇", "二六"]


def test_invisible_characters_are_removed() -> None:
    assert remove_invisible("co\u00adop\u2060erate\u200bnow \ufeffe\u0301t\u00e9") == "cooperate now \u00e9t\u00e9"
    assert remove_invisible("e\u0301 \u2019 b") == "\u00e9 \u2019 b"
    assert (
        remove_invisible("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645")
        == "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    )


def test_division_into_characters_is_known() -> None:
    assert is_divided_into_characters("天气")
    assert is_divided_into_characters("天。天气")
    assert is_divided_into_characters("天气今天很不错 我们去公园")
    assert not is_divided_into_characters("今天 天气 不错")
    assert not is_divided_into_characters("天气今天好 我们去公园")  # five letters on average
    assert not is_divided_into_characters("天")
    assert not is_divided_into_characters("été, कल")


def test_division_by_blanks_is_known() -> None:
    assert is_divided_by_blanks("今天 天气 abc")
    assert is_divided_by_blanks("กิน ปลา")
    assert not is_divided_by_blanks("今天天气很好啊 我们去公园吧")
    assert not is_divided_by_blanks("天气 abc")
    assert not is_divided_by_blanks("été, कल आज")
    assert not is_divided_by_blanks("two words")


def test_most_letters_decide_whether_a_text_quotes_another_script() -> None:
    assert split_words("天气 abc") == ["天气", "abc"]
    assert split_words("天气 ab") == ["天", "气", "ab"]


def test_phrases_of_tokenized_text_are_divided_by_blanks_alone() -> None:
    assert split_words("天气", tokenized=True) == split_alphanumeric("天气", tokenized=True) == ["天气"]
    assert [word for word, _, _ in find_words("天气 好", tokenized=True)] == ["天气", "好"]
    assert split_words("天气") == split_alphanumeric("天气") == ["天", "气"]


def test_marks_and_joiners_continue_words() -> None:
    assert consists_of_letters("कि\u200d")
    assert consists_of_letters("été")
    assert not consists_of_letters("कि१")
    assert not consists_of_letters("it's")
    assert [continues_word(character) for character in "ि\u0301\u200ca1 "] == [True] * 3 + [False] * 3


@pytest.mark.parametrize("character", [b"\r", b"\n", b"\v", b"\f", b"\xc2\xa0"])
def test_only_blanks_divide_parallel_text(character: bytes) -> None:
    word = b"a" + character + b"b"
    assert split_at_blanks(b" " + word + b"  c\td ") == [word, b"c", b"d"]
    assert split_at_blanks(b" a\tb ") == [b"a", b"b"]
    assert split_at_blanks(b"") == []


def test_plain_text_does_not_import_the_library() -> None:
    code = (
        "import sys; from pyramid_paraphrase.words import split_words; "
        "split_words('Fünf \u201cwords\u201d \u2013 \u20ac 5 \u2026 и ещё'); print('regex' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"
