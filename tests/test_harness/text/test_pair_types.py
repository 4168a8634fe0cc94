"""Types of pairs of any label, by the words in which they differ."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.text.pair_types import (
    CHANGED_NUMBER,
    CHANGED_WORD,
    CONTAINED,
    NEGATIONS,
    NO_NEGATIONS,
    NO_TYPE,
    PAIR_TYPES,
    list_types,
    name_type,
)

EXAMPLES = {
    ("The boat sank.", "the boat sank"): ["same words"],
    ("the dog bit the man", "the man bit the dog"): ["same words reordered"],
    ("the boat sank", "a boat had sank"): ["same content words"],
    ("the boat sank", "the boat sank in a storm"): ["contained"],
    ("the storm sank nine boats", "the storm sank ten boats"): ["changed number", "one word changed"],
    ("nine boats sank", "9 boats sank"): ["one word changed"],
    ("the boat sank", "the boat drowned"): ["one word changed"],
    ("the boat sank", "the boat never sank"): ["same content words", "negation"],
    ("the boat didn't sink", "the boat will sink soon"): ["contained", "negation"],
    ("the boat never sank", "nobody sank"): ["contained"],
    ("the crew don \u2019 t sail home", "the crew do n't sail home"): ["contained"],
    ("the crew dont sail home", "the crew don't sail home"): ["contained"],
    ("the crew wont sail home", "the crew sail home"): ["contained", "negation"],
    ("the crew can t sail home", "the crew sail home"): ["contained", "negation"],
    ("the crew were unable to sail home", "the crew could sail home"): ["contained", "negation"],
    ("the crew failed to sail home", "the crew sail home"): ["contained", "negation"],
    ("the crew failed the exam", "the crew took the exam"): ["one word changed"],
    ("the crew unable", "the crew asleep"): ["one word changed", "negation"],  # 1 of 2 words without the negation
    ("the crew hardly slept", "the crew slept"): ["contained", "negation"],
    ("a not-for-profit museum bought the boat", "a museum bought the boat for profit"): ["same content words"],
    ("the crew slept and also ate", "the crew not only slept but also ate"): ["same content words"],
    ("a storm sank the boat", "rain fell"): ["no shared content word"],
    ("a storm sank the old boat", "heavy rain and the old boat"): ["none of these"],
}
"""Pairs and their types, by the definitions in `list_types`."""


@pytest.mark.parametrize("texts", EXAMPLES)
def test_types(texts: tuple[str, str]) -> None:
    assert list(list_types(*texts)) == EXAMPLES[texts]
    assert list_types(*reversed(texts)) == list_types(*texts)


SAME_NUMBERS = [
    ("1500 boats", "1,500 boats"),
    ("1500 boats", "fifteen hundred boats"),
    ("1,200,000 boats", "1.2 million boats"),
    ("1,200,000 boats", "one million two hundred thousand boats"),
    ("1,200,005 boats", "one million two hundred thousand and five boats"),
    ("twenty-five boats", "25 boats"),
    ("forty boats", "40 boats"),
    ("two hundred boats", "200 boats"),
    ("nine hundred and ninety-nine boats", "999 boats"),
    ("two hundred thousand boats", "200,000 boats"),
    ("three thousand and four boats", "3004 boats"),
    ("a hundred boats", "100 boats"),
    ("a thousand boats", "1000 boats"),
    ("zero boats", "0 boats"),
    ("123456 boats", "123,456 boats"),
    ("boats of the 1930 's", "boats of the 1930s"),
    ("boats at 11am", "boats at 11 am"),
    ("4.1bn boats", "4.1 billion boats"),
    ("3mn boats", "3,000,000 boats"),
    ("2tn boats", "two trillion boats"),
    ("boats of 9-11", "boats of 9/11"),
    ("a dozen boats", "twelve boats"),
    ("two dozen boats", "24 boats"),
    ("half a million boats", "500,000 boats"),
    ("half a dozen boats", "six boats"),
    ("the 27th of 27 boats", "27 boats"),
    ("the 27th boat", "the twenty-seventh boat"),
    ("the 21st boat", "the twenty-first boat"),
    ("the 4th boat", "the fourth boat"),
    ("the 19th boat", "the nineteenth boat"),
    ("the 30th boat", "the thirtieth boat"),
    ("the 102nd boat", "the hundred and second boat"),
    ("boats of over-50s", "boats of over 50"),
    ("0.50 boats", "0.5 boats"),
    ("between five thousand and ten thousand boats", "between 5,000 and 10,000 boats"),
    ("from one hundred and two hundred boats", "from 100 and 200 boats"),
    ("three million and two million boats", "3,000,000 and 2,000,000 boats"),
]
"""Pairs whose numbers differ only in their spelling: a linguist found that most of these counted as changed."""


@pytest.mark.parametrize("texts", SAME_NUMBERS)
def test_spellings_of_numbers(texts: tuple[str, str]) -> None:
    first, second = (f"{text} left the old harbour in fog" for text in texts)
    assert CHANGED_NUMBER not in list_types(first, second)
    assert CHANGED_NUMBER in list_types(f"{first} 77", f"{second} 78")
    for text in texts:
        assert CHANGED_NUMBER in list_types(f"{text} left the old harbour in fog", "5678 boats left the harbour in fog")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1.5 boats", "15 boats"),
        ("1,5 boats", "15 boats"),
        ("5 million boats", "5 billion boats"),
        ("5 thousand boats", "5 hundred boats"),
        ("half the boats", "zero boats"),
        ("dozens boats", "hundreds boats"),
        ("millions boats", "2 boats"),
        ("a320 boats", "a330 boats"),
        ("7:30 boats", "7:45 boats"),
        ("9/11 boats", "9/12 boats"),
        ("1234,567 boats", "1234567 boats"),  # not a group of thousands
        ("1,000,000,000,000,000 boats", "1000 trillion boats"),  # more digits than arithmetic is exact for
        ("123456789012345678 boats", "123456789012345679 boats"),  # more digits than arithmetic is exact for
        ("twenty boats", "twenty-second boats"),
        ("five boats", "forty boats"),
    ],
)
def test_different_numbers(first: str, second: str) -> None:
    types = list_types(f"{first} left the old harbour in fog", f"{second} left the old harbour in fog")
    assert CHANGED_NUMBER in types


def test_an_ordinal_number_that_can_be_another_word_is_no_number() -> None:
    assert CHANGED_NUMBER not in list_types("the second boat left in fog", "the third boat left in fog")


def test_the_documentation_lists_all_negations() -> None:
    """A linguist asked which words are negations."""
    page = (Path(__file__).parents[3] / "docs" / "dataset.md").read_text(encoding="utf-8")
    assert ", ".join(f"*{word}*" for word in NEGATIONS) in " ".join(page.split())
    assert " and ".join(f"*{word}*" for word in NO_NEGATIONS) in " ".join(page.split())


def test_a_marked_contradiction_comes_first() -> None:
    assert list_types("the boat sank", "the boat never sank", "contradicts") == (
        "contradiction",
        "same content words",
        "negation",
    )
    # A contradiction hid the other types, although all that apply are listed.
    types = list_types("the storm sank nine boats", "the storm sank ten boats", "contradicts")
    assert types == ("contradiction", "changed number", "one word changed")


_TEXTS = st.lists(st.sampled_from("the not boat ship sank two 2 three".split()), max_size=5).map(" ".join)


@given(_TEXTS, _TEXTS)
def test_types_agree_with_the_type_of_a_negative(first: str, second: str) -> None:
    """`name_type` gives the first type that fits, of fewer types."""
    types = list_types(first, second)
    assert list(types) == sorted(types, key=PAIR_TYPES.index)
    assert (NO_TYPE in types) == (types == (NO_TYPE,))
    assert set(list_types(second, first)) == set(types)
    name = name_type(first, second)
    if name == CHANGED_WORD or CONTAINED in types:
        assert name in {*types, CHANGED_NUMBER}
