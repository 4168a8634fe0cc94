"""The order of annotations, and repeated files."""

from __future__ import annotations

import pytest
from helpers.annotations import DOCTYPE, PEER, PYRAMID, sea_file, sep_file

from pyramid_paraphrase.formats.ducview import iter_annotations
from pyramid_paraphrase.pyramids.sources import SourceFile


def list_names(*files: tuple[str, bytes]) -> list[str]:
    return [file.name for file in iter_annotations([SourceFile(name, data) for name, data in files])]


def test_pyramids_come_before_other_files() -> None:
    assert list_names(("a.pan", b"a"), ("b.PYR", b"b"), ("c.pan", b"c"), ("d.pyr", b"d")) == [
        "b.PYR",
        "d.pyr",
        "a.pan",
        "c.pan",
    ]


def test_pyramids_are_repeated_if_their_bytes_are() -> None:
    assert list_names(("a.pyr", b"1"), ("b/c.pyr", b"1"), ("d.pyr", b"2")) == ["a.pyr", "d.pyr"]


def test_peer_annotations_are_repeated_if_their_peer_and_annotator_are_too() -> None:
    """Only the name of a file identifies the peer: "1" and "2" by annotator 100. Other names count as they are."""
    first, second = "100.D0601.M.250.A.1.pan", "100.D0601.M.250.A.2.pan"
    names = [first, f"archive.zip!folder/{first}", second, "some.pan", "folder/some.pan", "other.pan"]
    assert list_names(*((name, b"1") for name in names)) == [first, second, "some.pan", "other.pan"]


@pytest.mark.parametrize("pyramid", [PYRAMID, b"<pyramid/>", sea_file("", []), b"<SEA></SEA>", DOCTYPE.encode()])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_pyramids_are_known_by_their_content(pyramid: bytes, encoding: str) -> None:
    """The last one is only a document type: it begins a pyramid, if it begins anything. Copies are repetitions."""
    data = pyramid.decode().replace("{root}", "pyramid").encode(encoding)
    assert list_names(("a.pan", b"x"), ("b.sep", data), ("c", data)) == ["b.sep", "a.pan"]


@pytest.mark.parametrize("peer", [PEER, b"<peerAnnotation/>", sep_file(PEER, []), b"<SEP></SEP>"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_peers_are_known_by_their_content(peer: bytes, encoding: str) -> None:
    """Copies under other names are other peers, as for `.pan`."""
    data = peer.decode().encode(encoding)
    assert list_names(("a.pyr", data), ("b.pyr", data), ("c.pyr", b"x")) == ["c.pyr", "a.pyr", "b.pyr"]


def test_a_peer_that_was_saved_after_a_pyramid() -> None:
    assert list_names(("a.pyr", PYRAMID + PEER), ("b.pyr", PYRAMID + PEER)) == ["a.pyr", "b.pyr"]
