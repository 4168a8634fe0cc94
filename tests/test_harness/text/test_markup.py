"""Separators, character references and tags in texts: what is removed, and what stays."""

from __future__ import annotations

import pytest

from harness.text.markup import Markup, Text, join_texts, read_lines, read_text, starts_with_text

REFERENCES = {
    "&amp;": "&",
    "&AMP;": "&",
    "&Beta;": "\u0392",
    "&zeta;": "\u03b6",
    "&ZHcy;": "\u0416",
    "&frac12;": "\u00bd",
    "&DoubleLeftArrow;": "\u21d0",
    "&CounterClockwiseContourIntegral;": "\u2233",  # the longest name in HTML
    "&#48;": "0",
    "&#057;": "9",
    "&#0000176;": "\u00b0",
    "&#x41;": "A",
    "&#X5a;": "Z",
    "&#xE9;": "\u00e9",
    "&#x00f0;": "\u00f0",
    "&#xfB06;": "\ufb06",
    "&#x10FfFd;": "\U0010fffd",
}
"""Character references of HTML and XML, and their characters by the tables of the two standards."""


@pytest.mark.parametrize("reference", REFERENCES)
def test_references_are_replaced(reference: str) -> None:
    text = read_lines(f"a{reference}b")
    assert text == Text((f"a{REFERENCES[reference]}b",), Markup(references=(reference,)))


@pytest.mark.parametrize(
    "text",
    [
        "a&b;",
        "&unknown; &;",
        "AT&T;",
        "R&amp D",
        "&amp:a;",
        "&lt[;",
        "&a.mp;",
        "&12;",
        "&#65",
        "&#65:;",
        "&#65A;",
        "&#-65;",
        "&#x41",
        "&#x41G;",
        "&#x-41;",
        "&#00000065;",
        "&#x0000041;",
        "#65; amp;",
    ],
)
def test_other_ampersands_stay(text: str) -> None:
    """`html.unescape` alone replaces some of them, such as "&amp" without a semicolon."""
    assert read_lines(text) == Text((text,), Markup())


@pytest.mark.parametrize(
    "tag",
    [
        "<br>",
        "</br>",
        "<br/>",
        "<br />",
        "<br\t/>",
        "<br >",
        "<BR class=x>",
        "<br\nclass='x y'>",
        "<br class = x/>",
        "<br w=>",
        "<br xml:lang='e'>",
        "<br data-x=1 y=2 />",
        f"<br {'x' * 40}=1>",
        f"<br x={'y' * 200}>",
    ],
)
def test_tags_with_attributes_are_removed(tag: str) -> None:
    """Tags within a line are removed, and those between lines end a line."""
    assert read_lines(f"a{tag}b") == Text(("a", "b"), Markup(tags=(tag,)))
    inline = tag.lower().replace("br", "em")
    assert read_lines(f"a{inline}b<x>") == Text(("ab<x>",), Markup(tags=(inline,), other_tags=("<x>",)))
    separator = tag.lower().replace("br", "q")
    assert read_lines(f"a{separator}b") == Text(("a", "b"), Markup(separators=(separator,)))


@pytest.mark.parametrize(
    "text",
    [
        "a <b and c> d",
        "<b =1>",
        "<b x y=1>",
        "<bx=1",
        "<b /x>",
        "<b //>",
        "<b x!=1>",
        f"<b {'x' * 41}=1>",
        f"<b x={'y' * 202}>",
        "< b>",
        "<b x==<>",
        "1 < 2 > 0",
    ],
)
def test_other_angle_brackets_stay(text: str) -> None:
    assert read_lines(text) == Text((text,), Markup())


def test_attributes_contain_no_angle_brackets() -> None:
    assert read_lines("<b x=<b>y").sentences == ("<b x=y",)
    assert read_lines("<b x=>y>z").sentences == ("y>z",)


def test_byte_order_marks_are_removed() -> None:
    assert read_lines("\ufeffa\ufeffb \n \n c  d") == Text(("ab", "c d"), Markup(byte_order_marks=("\ufeff",) * 2))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" <t> a <p>", True),
        ("[SEP]<p>", True),
        ("<sum>a<t>", False),
        ("<p>a<t>", True),
        ("<html>a<t>", False),
        ("<body x=1><t>", False),
        ("<!-- a --><t>", False),
        ("<a>a<t>", False),
        ("a<t>", False),
        ("", False),
    ],
)
def test_separators_and_tags_within_text_at_the_beginning(text: str, expected: bool) -> None:
    assert starts_with_text(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. So what?", ("It rained.", "So what?")),
        ("It rained. So what?\nLate.", ("It rained. So what?", "Late.")),
        ("It rained. So what?<q>", ("It rained. So what?",)),
        ("It rained. <b>So</b> what?", ("It rained.", "So what?")),
        ("", ()),
    ],
)
def test_a_line_without_separators_is_divided_into_sentences(text: str, expected: tuple[str, ...]) -> None:
    assert read_text(text).sentences == expected


def test_a_text_can_have_separators_of_several_programs() -> None:
    separators = ("<q>", "[SEP]", "@highlight", "NEWLINE_CHAR", "story_separator_special_tag")
    assert read_lines("a " + " a ".join(separators)) == Text(("a",) * 5, Markup(separators))


def test_parts_are_joined() -> None:
    parts = [read_lines(text) for text in ("a<q>b&amp;<i>", "c<q>d\ufeff<x>")]
    markup = Markup(("<q>", "<q>"), ("&amp;",), ("<i>",), ("\ufeff",), ("<x>",))
    assert join_texts(parts) == Text(("a", "b&", "c", "d<x>"), markup)
