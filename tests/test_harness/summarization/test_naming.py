"""Names of the files of summaries: those of NIST character by character, and the other forms."""

from __future__ import annotations

import pytest
from helpers.messages import mentions

from harness.summarization.naming import (
    SINGLE_PEER,
    SINGLE_REFERENCE,
    name_summary,
    parse_pattern,
    parse_summary_name,
    remove_ending,
)
from pyramid_paraphrase.errors import InputError


@pytest.mark.parametrize(
    ("name", "topic", "author"),
    [
        ("D0701.M.250.A.15", "D0701", "15"),
        ("d1.p.5.j.b", "d1", "b"),
        ("amz059-amz059.M.059.amz059.amz059", "amz059-amz059", "amz059"),
        ("AMZ059-059AMZ.P.950.059AMZ.059AMZ", "AMZ059-059AMZ", "059AMZ"),
        ("D061.P.100.J.15.AMZ8-09.amz50", "D061.AMZ8-09.amz50", "15"),
        ("D061.P.100.J.15.amz0", "D061.amz0", "15"),
        ("D061.P.100.J.15.m5.txt", "D061.m5", "15"),
        ("a/b/D061.P.100.J.15.z9", "D061.z9", "15"),
    ],
)
def test_names_of_nist(name: str, topic: str, author: str) -> None:
    assert parse_summary_name(name) == (topic, author)


@pytest.mark.parametrize(
    "name",
    [
        # A letter, a digit or a full stop is missing or replaced.
        "1D.M.250.A.15",
        "D.M.250.A.15",
        "D-.M.250.A.15",
        "D1-.M.250.A.15",
        "D1_B.M.250.A.15",
        "D1B.M.250.A.15",
        "D1:.M.250.A.15",
        "D1-B:.M.250.A.15",
        "D1_M.250.A.15",
        "D1.N.250.A.15",
        "D1..250.A.15",
        "D1.MP.250.A.15",
        "D1.M_250.A.15",
        "D1.M..A.15",
        "D1.M.25:.A.15",
        "D1.M.250_A.15",
        "D1.M.250..15",
        "D1.M.250.A:.15",
        "D1.M.250.A_1.5",
        "D1.M.250.A_15.a1",
        "D1.M.250.A.1:",
        "D1.M.250.A.15_A1",
        "D1.M.250.A.15.1A",
        "D1.M.250.A.15.A",
        "D1.M.250.A.15.A:",
        "D1.M.250.A.15.A1:",
        "D1.M.250.A.15.A1_",
    ],
)
def test_other_names_have_a_topic_before_the_last_full_stop(name: str) -> None:
    assert parse_summary_name(name) == tuple(name.rsplit(".", 1))


@pytest.mark.parametrize(
    ("name", "default_author", "expected"),
    [
        ("mine/storm.txt", "", ("storm", "mine")),
        ("all/mine/storm.v2.txt", "", ("storm.v2", "mine")),
        ("mine/.txt", "", None),
        ("mine/.txt", "x", None),
        ("/storm", "", None),
        ("storm.mine", "", ("storm", "mine")),
        ("storm.", "", None),
        (".mine", "", None),
        (".mine", "x", (".mine", "x")),
        ("storm.txt", "x", ("storm", "x")),
        ("storm", "", None),
        (".txt", "x", None),
    ],
)
def test_other_forms(name: str, default_author: str, expected: tuple[str, str] | None) -> None:
    assert parse_summary_name(name, default_author) == expected


@pytest.mark.parametrize("ending", ["txt", "html", "htm", "spl", "sum", "TXT", "Html"])
def test_endings_are_removed(ending: str) -> None:
    assert remove_ending(f"storm.{ending}") == "storm"
    for name in (f"storm{ending}", f"storm_{ending}", f"storm.{ending}.v2", f"storm.{ending[1:]}", f"storm.{ending}Z"):
        assert remove_ending(name) == name


def test_names_that_cannot_be_used() -> None:
    several = parse_pattern("{topic}_{author}.txt")
    assert name_summary("f", "a_b.txt", several, SINGLE_PEER) == ("a", "b")
    persian = "\u0645\u06cc\u200c\u062e"  # its joiner is visible: it separates the letters around it
    assert name_summary("f", f"a_{persian}.txt", several, SINGLE_PEER) == ("a", persian)
    assert name_summary("f", "a", None, SINGLE_REFERENCE) == ("a", "reference")
    assert name_summary("f", "a.txt", parse_pattern("{topic}.txt"), SINGLE_PEER) == ("a", "peer")
    for path, pattern, message in (
        ("a", None, "f: ... topic and author ... --pattern"),
        ("a.txt", several, "f: a.txt ... {topic}_{author}.txt ... move"),
        ("a_b_c.txt", several, "f: ... {topic}_{author}.txt ... (topic a by b_c or topic a_b by c) ... JSON ... CSV"),
        ("a\t_b.txt", several, "f: ... printed ... Rename"),
        ("a_\t.txt", several, "f: ... printed ... Rename"),
        ("\x1b.a", None, "f: ... printed ... Rename"),
        ("a\u3164.b", None, "f: ... printed ... Rename"),  # Hangul's filler, which is invisible
    ):
        with pytest.raises(InputError, match=mentions(message)):
            name_summary("f", path, pattern, SINGLE_PEER)
