"""Separators, character references and tags in texts: what is removed, and what stays."""

from __future__ import annotations

import pytest

from harness.text.markup import Markup, divide_lines, divide_text, join_texts, starts_with_text

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
    text = divide_lines(f"a{reference}b")
    assert text == ((f"a{REFERENCES[reference]}b",), Markup(references=(reference,)))


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
    assert divide_lines(text) == ((text,), Markup())


@pytest.mark.parametrize(
    ("text", "expected", "references"),
    [
        ("&amp;amp;quot;", '"', ("&amp;", "&amp;", "&quot;")),
        ("&amp;amp;amp;quot;", "&quot;", ("&amp;",) * 3),
    ],
)
def test_text_may_have_been_escaped_three_times(text: str, expected: str, references: tuple[str, ...]) -> None:
    assert divide_lines(text) == ((expected,), Markup(references=references))


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
    assert divide_lines(f"a{tag}b") == (("a", "b"), Markup(tags=(tag,)))
    inline = tag.lower().replace("br", "em")
    assert divide_lines(f"a{inline}b<x>") == (("ab<x>",), Markup(tags=(inline,), other_tags=("<x>",)))
    separator = tag.lower().replace("br", "q")
    assert divide_lines(f"a{separator}b") == (("a", "b"), Markup(separators=(separator,)))


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
    assert divide_lines(text) == ((text,), Markup())


def test_attributes_contain_no_angle_brackets() -> None:
    assert divide_lines("<b x=<b>y")[0] == ("<b x=y",)
    assert divide_lines("<b x=>y>z")[0] == ("y>z",)


def test_byte_order_marks_are_removed() -> None:
    assert divide_lines("\ufeffa\ufeffb \n \n c  d") == (("ab", "c d"), Markup(byte_order_marks=("\ufeff",) * 2))


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
    assert divide_text(text)[0] == expected


def test_a_text_can_have_separators_of_several_programs() -> None:
    separators = ("<q>", "[SEP]", "@highlight", "NEWLINE_CHAR", "story_separator_special_tag", "##SENT##", "\\n")
    assert divide_lines("a " + " a ".join(separators)) == (("a",) * 7, Markup(separators))


ASCII = [chr(code) for code in range(33, 127)]


@pytest.mark.parametrize("line_feed", [r"\n", r"\r\n"])
def test_a_backslash_and_an_n_may_be_a_line_feed(line_feed: str) -> None:
    """It is one after the end of a sentence, and before anything but a lower-case letter."""
    assert divide_lines(f"a{line_feed}B") == (("a", "B"), Markup((line_feed,)))
    before = [sign for sign in [*ASCII, "\u201d", "\u201c"] if divide_lines(f"{sign}{line_feed}b")[1].separators]
    assert before == [*"!\"').?]", "\u201d"]
    assert divide_lines(f"<q>a.{line_feed.replace('n', 'b')}")[1].separators == ("<q>",)
    after = [sign for sign in ASCII if not divide_lines(f"a{line_feed}{sign}")[1].separators]
    assert "".join(after) == "abcdefghijklmnopqrstuvwxyz"


SIXTY = "storm" * 12


@pytest.mark.parametrize(
    "piece",
    ["a@@", "\u00e9t\u00e9@@", f"{SIXTY}@@", "\u2581a", f"\u2581{SIXTY}", "##a", "##z", f"##{SIXTY}"],
)
def test_pieces_of_words_are_found(piece: str) -> None:
    """They stay in the text. "##SENT##" was removed before."""
    assert divide_lines(f"x {piece} ##SENT## {piece}") == (
        (f"x {piece}", piece),
        Markup(separators=("##SENT##",), word_pieces=(piece, piece)),
    )


@pytest.mark.parametrize(
    "text",
    ["@@", "a@", "a@@b", f"{SIXTY}s@@", "\u2581 a", "##", "#a", "a##b", "##a.", "##A", f"##{SIXTY}s", "a\u0120 b"],
)
def test_other_signs_are_no_pieces_of_words(text: str) -> None:
    assert divide_lines(f"x {text} y")[1].word_pieces == ()


def test_the_sign_of_gpt_2_is_also_a_letter_of_maltese() -> None:
    pieces = [sign for sign in ASCII if divide_lines(f"{sign}\u0120the")[1].word_pieces == ("\u0120the",)]
    assert "".join(pieces) == ",.abcdefghijklmnopqrstuvwxyz"
    text = f"It\u0120rained.\u0120{SIXTY}\u012001,\u0120\u0120\u0120u \u0120orga a\u0120- a\u0120\u00e9"
    assert divide_lines(text)[1].word_pieces == ("\u0120rained", f"\u0120{SIXTY}", "\u012001", "\u0120\u00e9")


def test_parts_are_joined() -> None:
    parts = [divide_lines(text) for text in ("a<q>b&amp;<i>", "c<q>d\ufeff<x>")]
    markup = Markup(("<q>", "<q>"), ("&amp;",), ("<i>",), ("\ufeff",), ("<x>",))
    assert join_texts(parts) == (("a", "b&", "c", "d<x>"), markup)
