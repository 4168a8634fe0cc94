"""Names of documents and files: every character that a name may have, and none that it may not."""

from __future__ import annotations

import pytest

from pyramid_paraphrase.naming import DocumentName, PeerName, natural_key, parse_document_name, parse_peer_name

# The first, the last and a middle letter and digit of every range.
LETTERS, DIGITS = "AMZamz", "059"
ANY = LETTERS + DIGITS


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("D0743-A.M.100.J.B", DocumentName("D0743", "A", "B")),
        (" D0743.M.250.J.1\t", DocumentName("D0743", "", "1")),
        (f"{LETTERS}{DIGITS}-{ANY}.M.{DIGITS}.{ANY}.{ANY}", DocumentName(LETTERS + DIGITS, ANY, ANY)),
    ],
)
def test_names_of_documents(name: str, parts: DocumentName) -> None:
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
        ("100.D0601.M.250.A.1.pan", PeerName("100", "1")),
        ("D0743-A.M.100.J.13", PeerName("", "13")),
        (f"{DIGITS}.d0743-a.m.100.j.b.PAN", PeerName(DIGITS, "b")),
        ("pans/D0743-A.M.100.J.7.pan", PeerName("", "7")),
        ("a.tar!b/c.zip!D0743-A.M.100.J.7.pan", PeerName("", "7")),
    ],
)
def test_names_of_peer_annotations(file: str, parts: PeerName) -> None:
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
