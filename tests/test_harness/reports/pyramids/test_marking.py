"""Spans are marked where they are, in texts of any characters, however they overlap."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.reports.pyramids.marking import Item, Marker, Span, fits, mark_text
from pyramid_paraphrase.pyramids.records import Contributor, Part

TEXT = "\nThe ferry sank at dawn.\nNobody died.\n"


def span(text: str, owner: int, title: str = "", kind: str = "") -> Span:
    start = TEXT.index(text)
    return Span(start, start + len(text), owner, int(title.partition(".")[0] or 0), title, kind)


def test_overlapping_spans_are_cut_at_their_ends() -> None:
    spans = [span("The ferry sank", 0, "1"), span("sank at dawn", 1, "2.1"), span("died", 2, "2.2")]
    marked, ranges = mark_text(TEXT, (0, len(TEXT)), spans, 5)
    assert marked == (
        '<mark id="m5" class="d1"><a class="ref" href="#u1">1</a>The ferry </mark>'
        '<mark id="m6" class="d2"><a class="ref" href="#u2">2.1</a>sank</mark>'
        '<mark id="m7" class="d1"> at dawn</mark>.\nNobody '
        '<mark id="m8" class="d1"><a class="ref" href="#u2">2.2</a>died</mark>.'
    )
    assert [(own.owner, first, last) for own, first, last in ranges] == [(0, 5, 6), (1, 6, 7), (2, 8, 8)]


def test_marks_have_the_kinds_of_their_spans() -> None:
    """Text that matches no SCU, or an SCU that is not on the page, has no link."""
    spans = [span("sank at dawn", 0, kind="no-scu"), span("sank", 1, "1"), Span(32, 36, 2, 0, "?", "foreign")]
    marked, _ = mark_text(TEXT, (1, 40), spans, 1)
    assert marked == (
        'The ferry <mark id="m1" class="d1 no-scu"><a class="ref" href="#u1">1</a>sank</mark>'
        '<mark id="m2" class="no-scu"> at dawn</mark>.\nNobody <mark id="m3" class="foreign"><span class="ref">?</span>'
        "died</mark>."
    )


def test_equal_and_nested_spans() -> None:
    """Four spans of the same text: the deepest style is that of three."""
    spans = [span("ferry", owner, str(owner + 1)) for owner in range(4)]
    marked, ranges = mark_text(TEXT, (0, 15), [*spans, span("The ferry sank", 4, "9")], 1)
    assert re.sub("<a.*?</a>", "", marked) == (
        '<mark id="m1" class="d1">The </mark><mark id="m2" class="d3">ferry</mark><mark id="m3" class="d1"> sank</mark>'
    )
    assert ranges[0][1:] == (1, 3)
    assert [own.owner for own, *_ in ranges] == [4, 0, 1, 2, 3]


def test_a_section_shows_only_its_part_of_a_span() -> None:
    first, (inside,) = mark_text(TEXT, (0, 14), [span("ferry sank", 0, "1")], 1)
    assert first == 'The <mark id="m1" class="d1"><a class="ref" href="#u1">1</a>ferry san</mark>'
    assert inside[0][:2] == (5, 14)
    assert mark_text(TEXT, (24, 38), [span("ferry sank", 0, "1")], 1) == ("Nobody died.", [])
    assert mark_text(TEXT, (24, 38), [Span(20, 25, 0, 1, "1")], 1) == ("Nobody died.", [])  # it ends where N begins
    assert mark_text(TEXT, (0, 1), [], 1) == ("", [])


def test_the_title_of_a_longer_span_comes_first() -> None:
    marked, _ = mark_text(TEXT, (0, 15), [span("The ferry", 0, "2"), span("The ferry sank", 1, "1")], 1)
    assert re.findall(">([0-9])<", marked) == ["1", "2"]
    marked, _ = mark_text(TEXT, (0, 15), [span("The ferry", 0, "1"), span("The ferry sank", 1, "2")], 1)
    assert re.findall(">([0-9])<", marked) == ["2", "1"]


def test_a_part_over_several_sections_is_marked_once_in_each() -> None:
    """It begins before the first section, in its heading."""
    marker = Marker()
    item = Item(1, "1", "A", Contributor((Part("-- It sank. -- All swam.", 0, 24, ""),)))
    htmls = marker.mark("-- It sank. -- All swam.", [(3, 11), (15, 24)], [item])
    assert [re.sub("<a.*?</a>", "", text) for text in htmls] == [
        '<mark id="m1" class="d1">It sank.</mark>',
        '<mark id="m2" class="d1">All swam.</mark>',
    ]
    assert (marker.parts, marker.unmarked, marker.ranges) == (1, 0, {1: ["1-1", "2-2"]})
    assert marker.places == {1: [("A", "-- It sank. -- All swam.", 1)]}


def test_markup_and_invisible_characters_are_escaped() -> None:
    text = 'a <b onload="x"> \u202e& \u200b\nend'
    marked, _ = mark_text(text, (0, len(text)), [Span(2, 5, 0, 1, "<1>"), Span(18, 19, 1, 0, "<?>")], 1)
    assert marked == (
        'a <mark id="m1" class="d1"><a class="ref" href="#u1">&lt;1&gt;</a>&lt;b </mark>'
        'onload=&quot;x&quot;&gt; \\u202e<mark id="m2" class="d1"><span class="ref">&lt;?&gt;</span>&amp;</mark> '
        "\\u200b\nend"
    )


def test_a_span_can_begin_within_a_letter() -> None:
    """An offset between a letter and its accent changes nothing in the text."""
    text = "Se\u0301rannes"
    marked, _ = mark_text(text, (0, len(text)), [Span(2, 9, 0, 1, "")], 1)
    assert marked == 'Se<mark id="m1" class="d1">\u0301rannes</mark>'


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (Part("sank at dawn", 11, 23, "A"), True),
        (Part("dawn. Nobody", 19, 32, "A"), True),  # a line feed in the text
        (Part("sank at dawn", 10, 22, "A"), False),
        (Part("sank at dawn", 11, 24, "A"), False),
        (Part("sank", -1, 3, "A"), False),
        (Part("died.", 32, 99, "A"), False),
        (Part("", 5, 5, "A"), False),
        (Part(" ", 4, 5, "A"), False),
    ],
)
def test_only_parts_at_their_offsets_fit(part: Part, *, expected: bool) -> None:
    assert fits(part, TEXT) is expected


@given(
    st.text(alphabet="ab \n<&\u0301\u202e", max_size=30),
    st.lists(
        st.tuples(st.integers(-2, 32), st.integers(-2, 32), st.sampled_from(["", "no-scu", "foreign"])), max_size=8
    ),
    st.integers(0, 30),
    st.integers(0, 30),
)
def test_marks_cover_exactly_the_spans(text: str, ends: list[tuple[int, int, str]], low: int, high: int) -> None:
    spans = [Span(min(one, two), max(one, two), owner, 1, "", kind) for owner, (one, two, kind) in enumerate(ends)]
    text = text.translate({0x301: "c", 0x202E: "d"})  # offsets in the page are those of the text if all is visible
    low, high = sorted((min(low, len(text)), min(high, len(text))))
    marked, ranges = mark_text(text, (low, high), spans, 1)
    covered: list[bool] = []
    shown = ""
    by_mark: dict[int, str] = {}
    for number, inside, outside in re.findall(r'<mark id="m(\d+)" class="[\w -]+">([^<]*)</mark>|([^<]+)', marked):
        piece = html.unescape(inside or outside)
        shown += piece
        covered += [bool(number)] * len(piece)
        if number:
            by_mark[int(number)] = piece
    assert shown == text[low:high].strip()
    start = low + len(text[low:high]) - len(text[low:high].lstrip()) if shown else low
    expected = [any(own.start <= start + place < own.end for own in spans) for place in range(len(shown))]
    assert covered == expected
    for own, first, last in ranges:
        assert "".join(by_mark[number] for number in range(first, last + 1)) == text[own.start : own.end]
