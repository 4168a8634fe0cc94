"""Names of pyramids whose headings name no topic."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.annotations import PYRAMID, SCUS, SUMMARIES, peer_file, pyramid_element, pyramid_file, zipped
from helpers.messages import mentions

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.reading import read_corpus

OTHER = {letter: summary.replace("mill", "shop") for letter, summary in SUMMARIES.items()}
OTHER_SCUS = {
    name: [(letter, [part.replace("mill", "shop") for part in parts]) for letter, parts in contributors]
    for name, contributors in SCUS.items()
}
FEWER = dict(list(SCUS.items())[:1])
"""The SCUs of another annotator on the same text."""


def unname(data: bytes, heading: str = "{}.txt") -> bytes:
    """Give a file headings that name no topic."""
    for letter in SUMMARIES:
        name = f"D0901-A.M.100.A.{letter}"
        data = data.replace(name.encode(), heading.format(letter).ljust(len(name)).encode())
    return data


MILL = unname(pyramid_file(SUMMARIES, SCUS))
MILL_BY_ANOTHER = unname(pyramid_file(SUMMARIES, FEWER), "essay {}")
SHOP = unname(pyramid_file(OTHER, OTHER_SCUS))
INN = SHOP.replace(b"shop", b"inns")
PEER = unname(peer_file(pyramid_element(SUMMARIES, SCUS), "A mill burned.", {("1", "(3) x"): [["A mill burned"]]}))
PEER_BY_ANOTHER = unname(peer_file(pyramid_element(SUMMARIES, FEWER), "A mill burned.", {}))
SHOP_PEER = PEER_BY_ANOTHER.replace(b"mill", b"shop")
SHOP_PEER_TOO = SHOP_PEER.replace(b"A shop burned.", b"A shop was lost.")


def read(folder: Path, files: dict[str, bytes]) -> Corpus:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return read_corpus(folder)


@pytest.mark.parametrize(
    ("files", "ids"),
    [
        ({"mill.pyr": MILL}, ["mill"]),
        ({"the mill-1 (A+Z).PYR": MILL}, ["the_mill_1_A_Z_"]),
        ({"a_0.9z_Mq5.pyr": MILL}, ["a_0.9z_Mq5"]),
        ({"aZpyr": MILL}, ["aZpyr"]),
        ({"a__b=c.pyr": MILL}, ["a__b_c"]),
        ({"1/" + "x/" * 98 + "x.pyr": MILL, "2/" + "x/" * 98 + "x.pyr": SHOP}, ["1" + "_x" * 99, "2" + "_x" * 99]),
        ({"1/" + "x/" * 99 + "x.pyr": MILL, "2/" + "x/" * 99 + "x.pyr": SHOP}, ["x", "x_2"]),
        ({"mill.pyr": MILL, "shop.pyr": SHOP}, ["mill", "shop"]),
        ({"ann.pyr": MILL, "bea.pyr": MILL_BY_ANOTHER}, ["ann-ann", "ann-bea"]),
        ({"1/essay.pyr": MILL, "2/essay.pyr": SHOP}, ["1_essay", "2_essay"]),
        (
            {"1/x/essay.pyr": MILL, "2/x/essay.pyr": SHOP, "a.pyr": MILL_BY_ANOTHER},
            ["1_x_essay-1_x_essay", "1_x_essay-a", "2_x_essay"],
        ),
        ({"mill.pyr": MILL, "mill.pan": PEER}, ["mill"]),
        ({"mill.pyr": MILL, "copy/mill.pyr": MILL}, ["mill"]),
        ({"mill.pyr": MILL, "7.pan": PEER}, ["mill"]),
        ({"mill.pyr": MILL, "a.pan": PEER_BY_ANOTHER}, ["mill"]),
        ({"mill.7.pan": PEER, "mill.8.pan": PEER_BY_ANOTHER}, ["mill"]),
        ({"mi.pan": PEER, "mu.pan": PEER_BY_ANOTHER}, ["m"]),
        ({"mil.pan": PEER, "mill.pan": PEER_BY_ANOTHER}, ["mil"]),
        ({"7.pan": PEER}, ["7"]),
        ({"a.pan": PEER, "b.pan": PEER}, ["a"]),
        ({"mill.pyr": MILL, "nist.pyr": PYRAMID}, ["D0901-A", "mill"]),
        # The names differ only in other characters. The second file was once refused as another version of the first.
        ({"x 1.pyr": MILL, "x-1.pyr": SHOP}, ["x_1", "x_1_2"]),
        ({"a 1/x.pyr": MILL, "a-1/x.pyr": SHOP}, ["x", "x_2"]),
        ({"c/a 1/x.pyr": MILL, "c/a-1/x.pyr": SHOP, "c/x_2.pyr": INN}, ["c_x_2", "x", "x_2"]),
        ({"c/a/x.pyr": MILL, "c/b/x.pyr": SHOP, "c/a_x.pyr": INN}, ["a_x", "b_x", "c_a_x"]),
        ({"mill.pyr": MILL, "mill.PYR": SHOP}, ["mill", "mill_2"]),
        # Once, the second text was taken for another version of the first.
        (
            {"mi.pan": PEER, "mu.pan": PEER_BY_ANOTHER, "ma.pan": SHOP_PEER, "mo.pan": SHOP_PEER_TOO},
            ["m", "m_2"],
        ),
    ],
)
def test_names_follow_from_files(tmp_path: Path, files: dict[str, bytes], ids: list[str]) -> None:
    corpus = read(tmp_path, files)
    assert [pyramid.id for pyramid in corpus.pyramids] == ids
    assert [pyramid.topic for pyramid in corpus.pyramids] == [name.split("-")[0] for name in ids]
    assert {annotation.pyramid.id for annotation in corpus.annotations} <= set(ids)


def test_texts_whose_files_have_a_common_name_are_numbered_by_their_first_files(tmp_path: Path) -> None:
    files = {"mi.pan": PEER, "mu.pan": PEER_BY_ANOTHER, "ma.pan": SHOP_PEER, "mz.pan": SHOP_PEER_TOO}
    first, second = read(tmp_path, files).pyramids
    assert ("shop" in first.text, "mill" in second.text) == (True, True)
    assert (first.id, second.id) == ("m", "m_2")


def test_archives_are_like_folders(tmp_path: Path) -> None:
    (tmp_path / "0.zip").write_bytes(zipped({"essay.pyr": MILL}))
    assert [pyramid.id for pyramid in read_corpus(tmp_path).pyramids] == ["essay"]
    (tmp_path / "0.zip").unlink()
    for name, data in (("1.zip", MILL), ("2.zip", SHOP)):
        (tmp_path / name).write_bytes(zipped({"essay.pyr": data}))
    assert [pyramid.id for pyramid in read_corpus(tmp_path).pyramids] == ["1.zip_essay", "2.zip_essay"]


def test_all_files_of_a_pyramid_share_it(tmp_path: Path) -> None:
    corpus = read(tmp_path, {"mill.pyr": MILL, "7.pan": PEER, "8.pan": PEER_BY_ANOTHER})
    assert [(a.peer, a.pyramid.id) for a in corpus.annotations] == [("7.pan", "mill"), ("8.pan", "mill")]
    assert corpus.annotations[0].pyramid == corpus.pyramids[0]
    assert [problem.kind for problem in corpus.problems].count("pyramid-differs") == 1


def test_summaries_have_the_names_of_their_headings(tmp_path: Path) -> None:
    (pyramid,) = read(tmp_path, {"mill.pyr": MILL}).pyramids
    assert [summary.summarizer for summary in pyramid.summaries] == ["A.txt", "B.txt", "C.txt"]
    assert pyramid.scus[0].weight == 3


def test_a_text_without_headings_is_one_document(tmp_path: Path) -> None:
    data = PYRAMID.replace(b"-----------------", b"").replace(b"D0901-A.M.100.A.", b"by ")
    corpus = read(tmp_path, {"mill.pyr": data})
    assert [summary.summarizer for summary in corpus.pyramids[0].summaries] == ["A"]
    assert "undivided" in {problem.kind for problem in corpus.problems}


def test_an_expression_that_cannot_be_used_is_a_problem(tmp_path: Path) -> None:
    data = MILL.replace(b"<pyramid>", b"<pyramid><startDocumentRegEx>(?=x)</startDocumentRegEx>", 1)
    (problem,) = (p for p in read(tmp_path, {"mill.pyr": data}).problems if p.kind == "expression-unused")
    assert "'(?=x)' is not a regular expression that RE2 can use" in problem.message


def test_names_do_not_depend_on_the_order_of_files(tmp_path: Path) -> None:
    files = {"ann.pyr": MILL, "bea.pyr": MILL_BY_ANOTHER, "7.pan": PEER}
    read(tmp_path, files)
    orders = (sorted(files), sorted(files, reverse=True))
    first, second = (read_corpus(*(tmp_path / name for name in order)) for order in orders)
    assert [p.id for p in first.pyramids] == [p.id for p in second.pyramids] == ["ann-ann", "ann-bea"]


def test_two_originals_of_one_name_contradict_each_other(tmp_path: Path) -> None:
    """Only NIST's headings can give two files one name."""
    second_version = pyramid_file(SUMMARIES, FEWER)
    with pytest.raises(InputError, match=mentions("b.pyr: ... D0901-A ... a.pyr ... Remove")):
        read(tmp_path, {"a.pyr": PYRAMID, "b.pyr": second_version})
