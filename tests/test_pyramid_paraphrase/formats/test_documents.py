"""The division of an annotated text into documents, by headings of every kind that DUCView allows."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from pyramid_paraphrase.files import limits
from pyramid_paraphrase.formats.ducview_documents import (
    Heading,
    Span,
    divide,
    find_nist_headings,
    find_separators,
    match_headings,
)

MILL = "A mill burned down."
HURT = "Nobody was hurt."
RAIN = "Rain helped the firemen."
UNDIVIDED = ("undivided", "no headings found: the text is read as one document")


def list_documents(text: str, expression: str = "", marks: list[Span] | None = None) -> list[tuple[str, str]]:
    """The summarizer and the text of each document."""
    summaries, _, _, _ = divide(text, expression, marks or [])
    return [(s.summarizer, text[s.start : s.end].strip("\n")) for s in summaries]


def list_problems(text: str, expression: str, marks: list[Span] | None = None) -> list[tuple[str, str]]:
    _, _, _, problems = divide(text, expression, marks or [])
    return problems


def find_nist(text: str) -> list[tuple[str, str]]:
    headings = find_nist_headings(text)
    ends = [heading.start for heading in headings[1:]] + [len(text)] * bool(headings)
    return [(heading.title, text[heading.end : end]) for heading, end in zip(headings, ends, strict=True)]


def test_nists_headings_come_first() -> None:
    text = "#4\n\n---\nD1.M.1.A.A\n---\nfirst\n-----\n no heading\n-----\nmore\n--------\n D1.M.1.A.B \n--------\n"
    assert find_nist(text) == [("D1.M.1.A.A", "first\n-----\n no heading\n-----\nmore\n"), ("D1.M.1.A.B", "")]
    summaries, topic, sets, problems = divide(text, "no heading", [])
    assert [s.summarizer for s in summaries] == ["A", "B"]
    assert (topic, sets, problems) == ("D1", (), [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\nD1.M.1.A.A\n---", [("D1.M.1.A.A", "")]),
        (" ---\t\nD1.M.1.A.A\n\t----- \nfirst", [("D1.M.1.A.A", "first")]),
        ("---\nD1.M.1.A.A\n---\nfirst\n---", [("D1.M.1.A.A", "first\n---")]),
        ("--\nD1.M.1.A.A\n--\nfirst", []),
        ("\nD1.M.1.A.A\n\nfirst", []),
        ("---\nD1.M.1.A.A\n\nfirst", []),
        ("\nD1.M.1.A.A\n---\nfirst", []),
        ("---\nD1.M.1.A.A\nfirst\n---", []),
        ("---\n\nD1.M.1.A.A\n---", []),
    ],
)
def test_nists_heading_is_a_name_between_two_lines_of_dashes(text: str, expected: list[tuple[str, str]]) -> None:
    """Three dashes or more with any blanks around, directly above and below, from the first line to the last."""
    assert find_nist(text) == expected


@pytest.mark.parametrize(
    ("text", "expression", "expected"),
    [
        (f"-- Ann --\n{MILL}\n-- Bea --\n{HURT}", r"\-\- [A-Z][a-z]+ \-\-", [("Ann", MILL), ("Bea", HURT)]),
        (
            f"-----\n1.txt\n--\n{MILL}\n---\n2.txt\n-\n{HURT}",
            r"[-]*\n[0-9]\.txt\n[-]*\n",
            [("1.txt", MILL), ("2.txt", HURT)],
        ),
        (
            f"Caf\u00e9 A: {MILL} Caf\u00e9 B: {HURT}",
            "Caf\u00e9 [AB]: ",
            [("Caf\u00e9 A", f"{MILL} "), ("Caf\u00e9 B", HURT)],
        ),
        (f"same\n{MILL}\nsame\n{HURT}\nsame\n{RAIN}", "same", [("A", MILL), ("B", HURT), ("C", RAIN)]),
        (f"D1.M.1.A.F\n{MILL}\nD1.M.1.A.G\n{HURT}", r"D1\.M\.1\.A\..\n", [("F", MILL), ("G", HURT)]),
        (f"a+b\n{MILL}\na_b\n{HURT}", r"a.b\n", [("A", MILL), ("B", HURT)]),
        (f"only\n{MILL}", "only", [("only", MILL)]),
    ],
)
def test_the_expression_of_the_file(text: str, expression: str, expected: list[tuple[str, str]]) -> None:
    assert list_documents(text, expression) == expected
    assert list_problems(text, expression) == []


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("(", "is not a regular expression that RE2 can use"),
        ("(?=--)", "is not a regular expression that RE2 can use"),
        (r"(-)\1", "is not a regular expression that RE2 can use"),
        ("x{1001}", "is not a regular expression that RE2 can use"),
        ("no such heading", "matches nothing"),
        ("x*", "matches the empty string"),
        ("^", "matches the empty string"),
        (".", "matches text that is not a heading"),
        (r"[\s\S]+", "matches text that is not a heading"),
        (r"[\s\S]*", "matches the empty string"),
        ("[aeo]", "matches text that is not a heading"),
        ("a" * 1001, "is longer than 1,000 characters"),
    ],
)
def test_expressions_that_divide_nothing_are_told(expression: str, fault: str) -> None:
    """The file is then divided by separators that recur."""
    text = f"== 1 ==\n{MILL}\n== 2 ==\n{HURT}"
    marks = [(8, 8 + len(MILL)), (len(text) - len(HURT), len(text))]
    (kind, message), *other_problems = list_problems(text, expression, marks)
    assert (kind, other_problems) == ("expression-unused", [])
    assert message.endswith(fault)
    assert len(message) < 150
    assert list_documents(text, expression, marks) == [("1", MILL), ("2", HURT)]


def test_long_expressions_are_shortened_in_problems() -> None:
    quoted = 30 * "x" + "[...]" + 30 * "x"
    problem = ("expression-unused", f"expression '{quoted}' matches nothing")
    assert list_problems(MILL, "x" * 70) == [problem, UNDIVIDED]
    assert match_headings(MILL, "x" * 1000, []) == ([], "matches nothing")


def test_nothing_is_written_about_a_wrong_expression(capfd: pytest.CaptureFixture[str]) -> None:
    match_headings(MILL, "(", [])
    assert capfd.readouterr() == ("", "")


def test_matches_are_headings_if_they_are_half_of_the_text_at_most() -> None:
    """Their offsets count characters, their titles have no rules around them."""
    assert match_headings("abcd", "ab", []) == ([Heading(0, 2, "ab")], "")
    assert match_headings("abc", "ab", []) == ([], "matches text that is not a heading")
    assert match_headings("\u00e9b --c and more", "--c", []) == ([Heading(3, 6, "c")], "")


def test_the_steps_of_an_expression_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of n instructions takes 4 n steps for the first match in "a bc", and 3 n for the text after it."""
    size = re2.compile(b"a").programsize
    monkeypatch.setattr(limits, "MAX_EXPRESSION_STEPS", 7 * size)
    assert match_headings("a bc", "a", []) == ([Heading(0, 1, "a")], "")
    monkeypatch.setattr(limits, "MAX_EXPRESSION_STEPS", 7 * size - 1)
    assert match_headings("a bc", "a", []) == ([], "matches too often, or takes too long in a text of this length")


def test_an_expression_that_matches_bytes_is_told() -> None:
    """RE2's \\C matches one byte of a character. That ended in a UnicodeDecodeError."""
    assert match_headings(f"Caf\u00e9 A\n{MILL}", r"\C A", []) == ([], "matches only a part of a character")


HOSTILE = {
    "nested quantifiers": "(a+)+$",
    "nested stars": "((a*)*)*b",
    "optional letters": "(a?){500}a{500}b",
    "many ranges": "[ab]{900}c",
    "overlapping alternatives": "(a|aa|aaa){300}b",
    "wide classes": r"(\pL{1,30}){30}x",
    "far ends": "a(.*b)?",
    "a megabyte of alternatives": "|".join(f"w{number}" for number in range(150_000)),
    "a megabyte of brackets": "(" * (1 << 20),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(
    "text", ["a" * (1 << 20), "ab cd\n" * 170_000, "aaab" * 2_500], ids=["one word", "lines", "short"]
)
def test_hostile_expressions_end_soon(name: str, text: str) -> None:
    """Each text takes less than a second. The bound is on processor time, with a margin for slow machines."""
    start = time.process_time()
    match_headings(text, HOSTILE[name], [])
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"---\n{MILL}\n---\n{HURT}\n---\n{RAIN}", [("A", MILL), ("B", HURT), ("C", RAIN)]),
        (f"=====\none\n=====\n\n{MILL}\n=====\ntwo\n=====\n{HURT}", [("one", MILL), ("two", HURT)]),
        (f"## Ann\n{MILL}\n## Bea\n{HURT}", [("Ann", MILL), ("Bea", HURT)]),
        (f"[1]\n{MILL}\n[2]\n{HURT}", [("1", MILL), ("2", HURT)]),
        (f"<<x>>\n{MILL}\n<<x>>\n{HURT}", [("A", MILL), ("B", HURT)]),
        (f"Summary 1:\n{MILL}\nSummary 2:\n{HURT}\n", [("Summary 1", MILL), ("Summary 2", HURT)]),
        (f"1.txt\n{MILL}\n10.txt\n{HURT}\n", [("1.txt", MILL), ("10.txt", HURT)]),
        (f"2\n{MILL}\n2\n{HURT}\n", [("A", f"2\n{MILL}\n2\n{HURT}")]),
        (f"---\n{MILL}\n{HURT}", [("A", f"---\n{MILL}\n{HURT}")]),
        (f"{MILL}\n\n{HURT}", [("A", f"{MILL}\n\n{HURT}")]),
        (f" ---\t\n{MILL}\n\t--- \n{HURT}", [("A", MILL), ("B", HURT)]),
        (f" ## Ann\n{MILL}\n\t## Bea\n{HURT}", [("Ann", MILL), ("Bea", HURT)]),
        (f"--\n{MILL}\n--\n{HURT}", [("A", f"--\n{MILL}\n--\n{HURT}")]),
        (f"<<>>\n{MILL}\n<<>>\n{HURT}", [("A", f"<<>>\n{MILL}\n<<>>\n{HURT}")]),
        (f"100000000001\n{MILL}\n100000000002", [("A", f"100000000001\n{MILL}\n100000000002")]),
        (f"Page 9\nSummary 1\n{MILL}\nSummary 2\n{HURT}", [("Summary 1", MILL), ("Summary 2", HURT)]),
        (f"---\none\n---\n---\ntwo\n---\n{MILL}", [("one", ""), ("two", MILL)]),
        (
            f"---\none\n---\ntwo\n---\n{MILL}\n{HURT}\n---\nsix\n---\n{RAIN}",
            [("A", "one"), ("B", "two"), ("C", f"{MILL}\n{HURT}"), ("D", "six"), ("E", RAIN)],
        ),
    ],
)
def test_separators_that_recur(text: str, expected: list[tuple[str, str]]) -> None:
    assert list_documents(text) == expected
    assert list_problems(text, "") == ([UNDIVIDED] if len(expected) == 1 else [])


@pytest.mark.parametrize("character", "-=_*#~+")
def test_three_equal_characters_are_a_rule(character: str) -> None:
    rule = 3 * character
    assert list_documents(f"{rule}\n{MILL}\n{rule}\n{HURT}") == [("A", MILL), ("B", HURT)]
    framed = f"{rule}\none\n{rule}\n\n{MILL}\n{rule}\ntwo\n{rule}\n{HURT}"
    assert list_documents(framed) == [("one", MILL), ("two", HURT)]


@pytest.mark.parametrize("before", ["--", "==", "__", "**", "~~", "++", "<<", "#", "[", "<", "{"])
def test_titles_can_be_decorated(before: str) -> None:
    assert list_documents(f"{before}Ann\n{MILL}\n{before}Bea\n{HURT}") == [("Ann", MILL), ("Bea", HURT)]


@pytest.mark.parametrize(
    ("form", "decoration", "ends"),
    [("---\n{}\n---\n", 0, "ab"), ("# {}\n", 2, "ab"), ("{}\n", 0, "12")],
    ids=["framed", "decorated", "numbered"],
)
def test_titles_have_80_characters_at_most(form: str, decoration: int, ends: str) -> None:
    for length, is_title in ((80, True), (81, False)):
        titles = [end.rjust(length - decoration, "x") for end in ends]
        text = "".join(form.format(title) + f"{MILL}\n{HURT}\n" for title in titles)
        found_titles = [heading.title for heading in find_separators(text, []) if heading.title]
        assert found_titles == (titles if is_title else [])


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        (["a" * 40, "b"], ["a" * 40, "b"]),
        (["a" * 41, "b"], ["A", "B"]),
        (["x", "x"], ["A", "B"]),
    ],
)
def test_short_titles_that_differ_are_names(titles: list[str], names: list[str]) -> None:
    """A document is called by its title also where that is too long for a name."""
    summaries, _, _, _ = divide("".join(f"## {title}\n{MILL}\n" for title in titles), "", [])
    assert [summary.summarizer for summary in summaries] == names
    assert [summary.document for summary in summaries] == titles


def test_letters_stand_for_all_titles_if_one_is_missing() -> None:
    summaries, _, _, _ = divide(f"-- Zoe\n{MILL}\n-- \n{HURT}", r"\-\- .*\n", [])
    assert [(s.summarizer, s.document) for s in summaries] == [("A", "Zoe"), ("B", "B")]


def test_one_heading_of_ten_may_lie_in_marked_text() -> None:
    """Text before the first heading is a document if a mark begins in it."""
    text = f"{MILL}\n" + f"---\n{HURT}\n" * 10
    place = text.index("---")
    names = [[name for name, _ in list_documents(text, "", [mark])] for mark in ((2, place + 2), (place, place + 2))]
    assert names == [list("ABCDEFGHIJK"), list("ABCDEFGHIJ")]
    nine = f"{MILL}\n" + f"---\n{HURT}\n" * 9
    assert [name for name, _ in list_documents(nine, "", [(2, place + 2)])] == ["A"]


def test_marked_text_is_no_separator() -> None:
    """Short sentences look like titles."""
    text = f"# {MILL}\n# {HURT}"
    marks = [(2, 2 + len(MILL)), (text.index(HURT), len(text))]
    assert [heading.title for heading in find_separators(text, [])] == [MILL, HURT]
    assert list_documents(text, "", marks) == [("A", text)]


def test_text_before_the_first_heading_is_a_document_if_it_is_marked() -> None:
    text = f"{MILL}\n---\n{HURT}\n---\n{RAIN}"
    assert list_documents(text) == [("A", HURT), ("B", RAIN)]
    assert list_documents(text, "", [(2, 6)]) == [("A", MILL), ("B", HURT), ("C", RAIN)]


def test_letters_go_on_after_z() -> None:
    summaries, _, _, _ = divide("---\nx\n" * 28, "", [])
    names = [s.summarizer for s in summaries]
    assert (names[0], names[25:]) == ("A", ["Z", "AA", "AB"])


@given(
    st.text("a-=\n#1[ ", max_size=60),
    st.text("a-=\\n[]*+?1", max_size=8),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60))),
)
def test_every_text_has_documents_in_order(text: str, expression: str, ends: list[tuple[int, int]]) -> None:
    marks = sorted((min(pair), max(pair) + 1) for pair in ends)
    summaries, _, _, _ = divide(text, expression, marks)
    assert summaries
    places = [place for s in summaries for place in (s.start, s.end)]
    assert all(first <= second + 1 for first, second in pairwise(places))
    assert all(s.summarizer and "+" not in s.summarizer for s in summaries)
