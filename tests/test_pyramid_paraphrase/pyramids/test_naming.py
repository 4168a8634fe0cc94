"""Names of documents and files: every character that a name may have, and none that it may not."""

from __future__ import annotations

import pytest

from pyramid_paraphrase.pyramids.naming import (
    natural_key,
    note_similar,
    note_unified,
    parse_document_name,
    parse_peer_name,
    strip_zeros,
    unify_numbers,
)

# The first, the last and a middle letter and digit of every range.
LETTERS, DIGITS = "AMZamz", "059"
ANY = LETTERS + DIGITS


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("D0743-A.M.100.J.B", ("D0743", "A", "B")),
        (" D0743.M.250.J.1\t", ("D0743", "", "1")),
        (f"{LETTERS}{DIGITS}-{ANY}.M.{DIGITS}.{ANY}.{ANY}", (LETTERS + DIGITS, ANY, ANY)),
    ],
)
def test_names_of_documents(name: str, parts: tuple[str, str, str]) -> None:
    assert parse_document_name(name) == parts


@pytest.mark.parametrize(
    "name",
    [
        "D0743-A_M.100.J.B",
        "D0743-A.M_100.J.B",
        "D0743-A.M.100_J.B",
        "D0743-A.M.100.J_B",
        "D0743-A.m.100.J.B",
        "D0743-.M.100.J.B",
        "D0743A.M.100.J.B",
        "D-A.M.100.J.B",
        "0743-A.M.100.J.B",
        "D0743-A.M..J.B",
        "D0743-A.M.100..B",
        "D0743-A.M.100.J.",
        "D0743-A.M.100.J.B.pan",
        "1.D0743-A.M.100.J.B",
        "",
    ],
)
def test_what_is_no_name_of_a_document(name: str) -> None:
    assert parse_document_name(name) is None


@pytest.mark.parametrize(
    ("file", "parts"),
    [
        ("100.D0601.M.250.A.1.pan", ("100", "1")),
        ("D0743-A.M.100.J.13", ("", "13")),
        (f"{DIGITS}.d0743-a.m.100.j.b.PAN", (DIGITS, "b")),
        ("pans/D0743-A.M.100.J.7.pan", ("", "7")),
        ("a.tar!b/c.zip!D0743-A.M.100.J.7.pan", ("", "7")),
    ],
)
def test_names_of_peer_annotations(file: str, parts: tuple[str, str]) -> None:
    assert parse_peer_name(file) == parts


@pytest.mark.parametrize(
    "file",
    [
        "100_D0601.M.250.A.1.pan",
        "x.D0601.M.250.A.1.pan",
        ".D0601.M.250.A.1.pan",
        "D0601.M.250.A.1_pan",
        "D0601.M.250.A.1pan.",
        "D0601.M.250.A.1.pan/notes.txt",
        "D0601.M.250.A.1.pyr.pan",
    ],
)
def test_what_is_no_name_of_a_peer_annotation(file: str) -> None:
    assert parse_peer_name(file) is None


def test_numbers_in_names_are_ordered_by_size() -> None:
    assert natural_key("D0743-A") == ((0, "D"), (4, "0743"), (0, "-A"))
    assert sorted(["10", "D10", "9", "D9", "B", "D9-A"], key=natural_key) == ["B", "D9", "D9-A", "D10", "9", "10"]


@pytest.mark.parametrize(
    ("name", "stripped"),
    [
        *[("01", "1"), ("001", "1"), ("10", "10"), ("0", "0"), ("00", "0"), ("0A", "0A"), ("A", "A")],
        ("\u0660\u0661", "\u0660\u0661"),
    ],
)
def test_zeros_before_a_number(name: str, stripped: str) -> None:
    assert strip_zeros(name) == stripped


def test_peers_with_other_zeros_are_the_same() -> None:
    """In DUC 2006, the peers of topic D0647 are 01, 02 and so on, and those of the other topics 1, 2 and so on."""
    most = [("D0601", "1"), ("D0601", "2"), ("D0601", "12"), ("D0602", "1"), ("D0602", "2"), ("D0601", "A")]
    padded = [("D0647", "01"), ("D0647", "02"), ("D0647", "12"), ("D0647", "03")]
    assert unify_numbers([[*most, *padded]]) == {"01": "1", "02": "2"}
    assert unify_numbers([most, padded]) == {"01": "1", "02": "2"}
    assert unify_numbers([[("D1", "01"), ("D2", "01"), ("D3", "1")]]) == {"1": "01"}
    assert unify_numbers([[("D1", "01")], [("D1", "1")]]) == {"01": "1"}
    assert unify_numbers([[("D1", "01"), ("D2", "001"), ("D2", "01")]]) == {}
    assert unify_numbers([padded]) == unify_numbers([]) == {}


def test_peers_of_one_topic_are_different() -> None:
    assert unify_numbers([[("D1", "01"), ("D1", "1"), ("D2", "1")]]) == {}
    assert unify_numbers([[("D1", "01"), ("D2", "1")], [("D2", "1"), ("D2", "01")]]) == {}


def test_unified_names_have_a_note() -> None:
    assert note_unified({}) == []
    assert note_unified({"10": "010", "02": "2"}) == [
        "Names that differ in zeros before a number are one system: 02 as 2, 10 as 010"
    ]


@pytest.mark.parametrize(
    ("first", "second"), [("S1", "s1"), ("run-01", "run-1"), ("\uff11", "1"), ("x007y", "X7y"), ("0", "00")]
)
def test_similar_names_in_different_topics_have_a_note(first: str, second: str) -> None:
    (note,) = note_similar([[("t1", first), ("t2", second)], [("t1", "other")]])
    assert note.endswith(f": {', '.join(sorted((first, second), key=natural_key))}")
    assert note_similar([[("t1", first), ("t1", second)]]) == []


@pytest.mark.parametrize(
    ("first", "second"), [("v1.05", "v1.5"), ("105", "15"), ("10", "1"), ("a", "b"), ("0.1", "0.01")]
)
def test_different_names_are_not_similar(first: str, second: str) -> None:
    assert note_similar([[("t1", first), ("t2", second)]]) == []
