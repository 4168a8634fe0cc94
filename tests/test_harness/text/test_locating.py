"""Search for texts in passages: the fewest pieces first, then the fewest words, and all equally good places."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

from harness.text import locating
from harness.text.locating import WordLocator
from pyramid_paraphrase.errors import LimitError


def locate(text: str, *passages: str) -> list[tuple[int, ...]]:
    return WordLocator([passage.split() for passage in passages], "second.pyr").locate(text.split())


def test_neighbouring_words_are_one_piece() -> None:
    assert locate("b c", "a b c d") == [(1, 2)]


def test_words_are_numbered_throughout_the_passages() -> None:
    assert locate("y z", "a b", "", "x y z") == [(3, 4)]


def test_words_between_pieces_count_for_the_length() -> None:
    assert locate("a b e", "a b c d e") == [(0, 1, 4)]


def test_few_pieces_come_before_a_short_length() -> None:
    """The first "a b c" is in three pieces within five words, the second in two pieces within nine."""
    assert locate("a b c", "a x b x c y a b u u u u u u c") == [(6, 7, 14)]


def test_of_equally_many_pieces_the_shortest_place_counts() -> None:
    assert locate("a b", "a x x b y a x b") == [(5, 7)]


def test_a_piece_may_begin_at_a_later_occurrence_of_the_same_word() -> None:
    assert locate("the end", "the start of the end") == [(3, 4)]


def test_all_equal_places_are_returned() -> None:
    assert locate("on Monday", "on Monday or on Monday", "on Monday") == [
        (0, 1),
        (3, 4),
        (5, 6),
    ]


@pytest.mark.parametrize("text", ["b a", "a a", "a z", ""])
def test_a_text_in_another_order_or_with_other_words_is_nowhere(text: str) -> None:
    assert locate(text, "a b", "z") == []


def test_words_of_two_passages_do_not_match() -> None:
    assert locate("b c", "a b", "c d") == []


@given(st.text("abc", min_size=1, max_size=4), st.text("abc", max_size=9))
def test_places_are_those_of_trying_all_positions(text: str, passage: str) -> None:
    best: dict[tuple[int, int], set[int]] = {}
    for positions in combinations(range(len(passage)), len(text)):
        if [passage[position] for position in positions] == list(text):
            best.setdefault(_measure(positions), set()).add(positions[-1])
    matches = WordLocator([passage], "second.pyr").locate(text)
    assert {_measure(positions) for positions in matches} == ({min(best)} if best else set())
    assert [positions[-1] for positions in matches] == (sorted(best[min(best)]) if best else [])
    for positions in matches:
        assert "".join(passage[position] for position in positions) == text


def _measure(positions: tuple[int, ...]) -> tuple[int, int]:
    """Count the pieces, and the words from the first one to the last one."""
    pieces = 1 + sum(right - left > 1 for left, right in pairwise(positions))
    return pieces, positions[-1] - positions[0] + 1


def test_the_time_of_all_searches_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The passage has "a" three times and "b" once; a text that is missing takes no step."""
    locator = WordLocator(["a a b a".split()], "second.pyr")
    monkeypatch.setattr(locating, "MAX_STEPS", 7)
    assert len(locator.locate(["a", "b"])) == 1
    assert locator.locate(["a", "c"]) == []
    assert locator.locate(["a"]) != []
    with pytest.raises(LimitError, match=mentions("second.pyr: ... 7 occurrences ... smaller")):
        locator.locate(["b"])


def test_a_million_occurrences_are_the_limit() -> None:
    with pytest.raises(LimitError, match=mentions("second.pyr: ... 1,000,000 occurrences ... smaller")):
        WordLocator([["a"] * 1_000_001], "second.pyr").locate(["a"])
