"""Finding parts whose offsets are wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramid_paraphrase.formats.ducview_documents import TextIndex

TEXT = "one two\nthree one  two three"


@pytest.mark.parametrize(
    ("label", "start", "end", "location"),
    [
        ("two", 4, 7, (4, 7, None)),
        ("two", 5, 8, (4, 7, "part-moved")),
        ("two", 18, 21, (19, 22, "part-moved")),
        ("one", 8, 11, (14, 17, "part-moved")),
        ("one", 7, 10, (0, 3, "part-moved")),
        ("three", -1, -1, (8, 13, "part-moved")),
        ("two three", 4, 13, (19, 28, "part-moved")),
        ("one two three", 0, 13, (0, 13, "part-whitespace")),
        ("onetwo three", 14, 28, (14, 28, "part-whitespace")),
        ("four", 0, 4, None),
        # Right at the first character, where an offset is 0.
        ("one", 0, 3, (0, 3, None)),
        # Five characters after one occurrence, ten before the other.
        ("two", 9, 12, (4, 7, "part-moved")),
    ],
)
def test_locate(label: str, start: int, end: int, location: tuple[int, int, str | None] | None) -> None:
    assert TextIndex(TEXT).locate(label, start, end) == location


def test_without_an_offset_the_first_occurrence_counts() -> None:
    assert TextIndex("aaa").locate("aa", -1, -1) == (0, 2, "part-moved")


def test_the_end_of_a_part_with_other_whitespace() -> None:
    """The label is a part of the text only, so that its end cannot be counted from the wrong side."""
    assert TextIndex("a b c d e f").locate("bc", 2, 4) == (2, 5, "part-whitespace")


@given(st.text("ab \n", min_size=1), st.data())
def test_whatever_the_text_says_is_found(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    label, guess = text[start:end], data.draw(st.integers(-1, 2 * len(text)))
    if not label.strip():
        return
    location = TextIndex(text).locate(label, guess, guess + len(label))
    assert location is not None
    found_start, found_end, _ = location
    assert text[found_start:found_end] == label
    assert abs(found_start - guess) <= abs(start - guess)


def test_labels_that_almost_match_take_linear_time() -> None:
    """`str.rfind` compares each character of the label with each of the text: this call took minutes."""
    text = "a" * 1_000_000
    assert TextIndex(text).locate("ab" + "a" * 400_000, 500_000, 500_001) is None


def test_offsets_far_apart_copy_nothing() -> None:
    """Each part with offsets at both ends of the text used to copy all of it."""
    index = TextIndex("a" * 1_000_000)
    assert index.says("a" * 1_000_000, 0, 2_000_000)  # an end behind the text is the text's end
    assert not any(index.says("b", 0, 1_000_000) for _ in range(200_000))
    assert index.steps == 0


def test_searches_are_counted() -> None:
    """Labels with correct offsets take no steps. Each search counts at least the whole text."""
    index = TextIndex(TEXT)
    index.locate("two", 4, 7)
    assert index.steps == 0
    index.locate("two", 5, 8)
    moved = index.steps
    assert moved >= len(TEXT)
    index.locate("four", 0, 4)
    assert index.steps >= 3 * moved  # in the text and in the text without whitespace


def test_searching_is_counted_by_an_upper_bound() -> None:
    """Two searches of a text of 10 characters, each of which may compare all of them with 3: 2 * (10 + 3 * 10)."""
    index = TextIndex("a" * 10)
    assert index.find_nearest("aab", 0) == -1
    assert index.steps == 80


def test_the_bound_on_comparisons_of_long_labels_and_texts() -> None:
    """At most 100 characters of a label count, and 30,000 of a text: 2 * (40,000 + 100 * 30,000)."""
    index = TextIndex("a" * 40_000)
    assert index.find_nearest("b" * 200, 0) == -1
    assert index.steps == 6_080_000


def test_each_search_without_whitespace_is_counted_once() -> None:
    """A text of 3 characters and its 2 that are not blank, with a label of 2: 2 * (3 + 2 * 3) + 2 * (2 + 2 * 2)."""
    index = TextIndex("a b")
    for number in (1, 2):
        index.locate("ab", 5, 7)
        assert index.steps == 30 * number
