"""Texts without words, and texts of single characters: counts by eye, and their lines."""

from __future__ import annotations

from functools import partial

import pytest

from harness.text.stems import choose_division
from harness.text.words import WordCounts, count_words, in_lower_case
from pyramid_paraphrase.words import split_words


def test_distinct_texts_are_counted() -> None:
    texts = [
        "a storm",
        "a storm",
        "今天天气很不错 iPhone",
        "...",
        "\u263a",
        "",
        " ",
        "天气不错",
        "今天 天气 不错",
        "天气 iPhone",
        "天",
    ]
    assert count_words(texts, split_words) == WordCounts(texts=8, without_words=2, single_characters=2, divided=1)


def test_the_text_before_the_first_blank_is_enough_if_it_has_a_word() -> None:
    """Texts of frequent letters are divided up to their first blank, and further only if there is no word before it."""
    divided = []

    def divide(text: str) -> list[str]:
        divided.append(text)
        return split_words(text)

    texts = ["\n one two\nthree", "...\nfour", "...\n!"]
    assert count_words(texts, divide) == WordCounts(texts=3, without_words=1, single_characters=0)
    assert sorted(divided) == ["...", "...", "...\n!", "...\nfour", "one"]


def test_characters_count_only_if_the_function_divides_them() -> None:
    """A tokenizer may keep a sentence as one word, and phrases of tables are single words."""
    assert count_words(["天气不错"], lambda text: [text]) == WordCounts(1, 0, 0)
    assert count_words(["天气"], partial(split_words, tokenized=True)) == WordCounts(1, 0, 0)


def test_stop_words_alone_are_no_words_that_count() -> None:
    divide, _ = choose_division(stop_words=False)
    assert count_words(["he was there", "storms"], divide) == WordCounts(2, 1, 0)


def test_lines_are_for_texts_that_need_them() -> None:
    assert WordCounts(2, 0, 0).describe() == []
    first, second = WordCounts(1200, 1100, 3).describe("summaries", "letters of ASCII")
    assert first.startswith("1,100 of 1,200 summaries")
    assert "letters of ASCII" in first
    assert second.startswith("3 of 1,200 summaries")
    assert "segmenter" in second
    assert "with blanks" not in second
    (mixed,) = WordCounts(3, 0, 1, 2).describe("summaries")
    assert "1 of 3 summaries have no blanks" in mixed
    assert "unlike in 2 with blanks" in mixed


@pytest.mark.parametrize(
    "text", ["", "Turkey\u2019s \u0130stanbul, U.S.", "\u039f\u03a3 \u03a3\u03a3 'S", "a  b\nC", "\u0e01\u0e02 X"]
)
def test_words_become_lower_case_one_by_one(text: str) -> None:
    """All words of a text become lower case at once. The final sigma depends on its neighbours."""
    expected = tuple(word.lower().replace("\u2019", "'") for word in split_words(text))
    assert in_lower_case(split_words)(text) == expected


def test_models_share_the_words_of_a_text() -> None:
    calls = []

    def divide(text: str) -> list[str]:
        calls.append(text)
        return text.split()

    for words_of in (in_lower_case(divide), in_lower_case(divide)):
        assert words_of("One two") == ("one", "two")
    assert calls == ["One two"]
