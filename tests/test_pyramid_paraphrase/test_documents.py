"""The division of an annotated text into documents, by headings of every kind that DUCView allows."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramid_paraphrase.documents import Span, divide, find_nist_headings, find_separators, match_headings

MILL = "A mill burned down."
HURT = "Nobody was hurt."
RAIN = "Rain helped the firemen."


def list_documents(text: str, expression: str = "", marks: list[Span] | None = None) -> list[tuple[str, str]]:
    """The summarizer and the text of each document."""
    return [(s.summarizer, text[s.start : s.end].strip("\n")) for s in divide(text, expression, marks or []).summaries]


def list_problems(text: str, expression: str, marks: list[Span] | None = None) -> list[tuple[str, str]]:
    return list(divide(text, expression, marks or []).problems)


def find_nist(text: str) -> list[tuple[str, str]]:
    headings = find_nist_headings(text)
    ends = [heading.start for heading in headings[1:]] + [len(text)] * bool(headings)
    return [(heading.title, text[heading.end : end]) for heading, end in zip(headings, ends, strict=True)]


def test_nists_headings_come_first() -> None:
    text = "#4\n\n---\nD1.M.1.A.A\n---\nfirst\n-----\n no heading\n-----\nmore\n--------\n D1.M.1.A.B \n--------\n"
    assert find_nist(text) == [("D1.M.1.A.A", "first\n-----\n no heading\n-----\nmore\n"), ("D1.M.1.A.B", "")]
    division = divide(text, "no heading", [])
    assert [s.summarizer for s in division.summaries] == ["A", "B"]
    assert (division.topic, division.sets, division.problems) == ("D1", (), ())


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
        ("x*", "matches an empty text"),
        ("^", "matches an empty text"),
        (".", "matches text that is no heading"),
        (r"[\s\S]+", "matches text that is no heading"),
        (r"[\s\S]*", "matches an empty text"),
        ("[aeo]", "matches text that is no heading"),
        ("a" * 1001, "is longer than 1,000 characters"),
    ],
)
def test_expressions_that_divide_nothing_are_told(expression: str, fault: str) -> None:
    """The file is then divided by separators that recur."""
    text = f"== 1 ==\n{MILL}\n== 2 ==\n{HURT}"
    marks = [(8, 8 + len(MILL)), (len(text) - len(HURT), len(text))]
    (kind, message), *others = list_problems(text, expression, marks)
    assert (kind, others) == ("expression-unused", [])
    assert message.endswith(fault)
    assert len(message) < 150
    assert list_documents(text, expression, marks) == [("1", MILL), ("2", HURT)]


def test_an_expression_that_matches_bytes_is_told() -> None:
    """RE2's \\C matches one byte of a character. That ended in a UnicodeDecodeError."""
    assert match_headings(f"Caf\u00e9 A\n{MILL}", r"\C A", []) == ([], "matches a part of a character")


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
    """Each takes less than a second; the bound is of processor time, and leaves room for slow machines."""
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
    ],
)
def test_separators_that_recur(text: str, expected: list[tuple[str, str]]) -> None:
    assert list_documents(text) == expected
    assert list_problems(text, "") == (
        [("undivided", "no headings found; read as one document")] if len(expected) == 1 else []
    )


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
    names = [s.summarizer for s in divide("---\nx\n" * 28, "", []).summaries]
    assert (names[0], names[25:]) == ("A", ["Z", "AA", "AB"])


@given(
    st.text("a-=\n#1[ ", max_size=60),
    st.text("a-=\\n[]*+?1", max_size=8),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60))),
)
def test_every_text_has_documents_in_order(text: str, expression: str, ends: list[tuple[int, int]]) -> None:
    marks = sorted((min(pair), max(pair) + 1) for pair in ends)
    division = divide(text, expression, marks)
    assert division.summaries
    places = [place for s in division.summaries for place in (s.start, s.end)]
    assert all(first <= second + 1 for first, second in pairwise(places))
    assert all(s.summarizer and "+" not in s.summarizer for s in division.summaries)
