"""The types of pairs, and their numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pyramid_paraphrase
from harness.reports.pairs import TESTS, PairCounts, list_cells, list_pairs
from harness.reports.rows import CHANGED_NUMBER, CHANGED_WORD, CONTAINED, OTHER, PAIR_TYPES, list_types, name_type
from pyramid_paraphrase.loading import load_tests

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
    ("a storm sank the boat", "rain fell"): ["no shared content word"],
    ("a storm sank the old boat", "heavy rain and the old boat"): ["other"],
}
"""Pairs and their types, by the definitions in `list_types`."""


@pytest.mark.parametrize("texts", EXAMPLES)
def test_types(texts: tuple[str, str]) -> None:
    assert list(list_types(*texts)) == EXAMPLES[texts]
    assert list_types(*reversed(texts)) == list_types(*texts)


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
    assert (OTHER in types) == (types == (OTHER,))
    assert set(list_types(second, first)) == set(types)
    name = name_type(first, second)
    if name == CHANGED_WORD or CONTAINED in types:
        assert name in {*types, CHANGED_NUMBER}


def test_pairs_of_the_sample() -> None:
    """Each question has four options, of which one is the paraphrase."""
    tests = load_tests(["binary", "ranking"], "sample")
    pairs = list(list_pairs(tests))
    rows = pyramid_paraphrase.load("ranking", "sample")
    questions = sum(map(len, rows.values()))
    assert len([pair for pair in pairs if pair.test == "ranking"]) == 4 * questions
    assert len([pair for pair in pairs if pair.test == "ranking" and pair.label == "paraphrase"]) == questions
    first = rows["test"][0]
    options = [pair for pair in pairs if pair.id == first["id"]]
    assert [pair.text2 for pair in options] == first["options"]
    assert [pair.option for pair in options if pair.label == "paraphrase"] == [first["answer"]]
    assert {pair.scu2 for pair in options} == set(first["option_scus"])
    pair = next(pair for pair in pairs if pair.text1.startswith("A first round of negotiations"))
    assert (pair.words1, pair.words2, pair.length_ratio, pair.shared_words) == (9, 7, 0.778, 6)
    assert list_cells(pair)[6] == "contained"
    assert "presence" not in TESTS
    assert "peers" not in TESTS


def test_counts_and_examples() -> None:
    pairs = list(list_pairs(load_tests(["binary"], "sample")))
    counts = PairCounts(pairs, 2)
    table = counts.tabulate()
    assert table.header == ("type", "binary: paraphrase", "binary: other")
    assert {row[0]: row[1:] for row in table.rows}["contained"] == (8, 25)
    assert table.rows[-1] == ("all pairs", 693, 682)
    assert "<td>693</td><td>682</td></tr>" in counts._repr_html_()
    examples = counts.tabulate_examples().rows
    assert [row[:2] for row in examples if row[0] == "contained"] == [("contained", "paraphrase")] * 2 + [
        ("contained", "other")
    ] * 2
    assert PairCounts(pairs, 0).tabulate_examples().rows == ()
