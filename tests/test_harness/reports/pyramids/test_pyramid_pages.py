"""Pages of pyramids: SCUs in order, places of contributors, peers with their scores, and what does not fit."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from helpers.annotations import Part as WrittenPart
from helpers.annotations import peer_file, pyramid_element, pyramid_file
from helpers.commands import Capture, run
from helpers.messages import mentions
from lxml import html

from harness.reports.pyramids import marking
from harness.reports.pyramids.site import _name_file, render_site
from pyramid_paraphrase.formats.units.common import make_annotation, make_pyramid
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import (
    Contributor,
    DiscourseUnit,
    Part,
    PeerAnnotation,
    PeerScu,
    Pyramid,
    Relation,
    Scu,
    Summary,
)

SUMMARIES = {
    "A": "The ferry sank at dawn. Nobody died.",
    "B": "At dawn, the ferry went down. All were saved.",
    "C": "Divers found the wreck.",
}
SCUS = {
    ("3", "Divers found the wreck"): [("C", ["Divers found the wreck"])],
    ("7", "The ferry sank"): [("A", ["The ferry sank"]), ("B", ["the ferry went down"])],
    ("9", "It happened at dawn"): [("A", ["The ferry sank", "at dawn"]), ("B", ["At dawn"])],
    ("12", "Everybody lived"): [("A", ["Nobody died"]), ("B", ["All were saved"])],
}
PEER = "A ferry sank. Rain fell."
MATCHES = {
    ("7", "(2) The ferry sank"): [["A ferry sank"]],
    ("0", "matches nothing"): [["Rain fell"]],
}


def write_files(folder: Path, peer: bytes | None = None) -> Path:
    """Write a pyramid, and peers 2 and 10. Their SCUs: 1 and 4 by uid 7 and 3, in the order of the page."""
    folder.mkdir()
    element = pyramid_element(SUMMARIES, SCUS)
    (folder / "D0901-A.pyr").write_bytes(pyramid_file(SUMMARIES, SCUS))
    (folder / "D0901-A.M.100.A.2.pan").write_bytes(peer or peer_file(element, PEER, MATCHES))
    (folder / "D0901-A.M.100.A.10.pan").write_bytes(
        peer_file(element, "Divers found it.", {("3", "(1) Divers found the wreck"): [["Divers found it"]]})
    )
    return folder


def open_page(folder: Path, tmp_path: Path, name: str = "d0901-a.html") -> Any:  # noqa: ANN401
    assert run("inspect", folder, "--html", tmp_path / "pages") == 0
    return html.document_fromstring((tmp_path / "pages" / name).read_text(encoding="utf-8"))


def text_of(element: Any) -> str:  # noqa: ANN401
    return " ".join(element.text_content().split())


def test_scus_are_listed_by_weight(tmp_path: Path) -> None:
    """Then by number of contributors, then in the order of the file."""
    page = open_page(write_files(tmp_path / "in"), tmp_path)
    assert [text_of(title) for title in page.xpath("//section[@class='scus']/h3")] == ["Weight 2 (3)", "Weight 1 (1)"]
    assert [text_of(title) for title in page.xpath("//details[@class='scu']/summary")] == [
        "1 The ferry sank 2 contributors, 1 peer",
        "2 It happened at dawn 2 contributors",
        "3 Everybody lived 2 contributors",
        "4 Divers found the wreck 1 contributor, 1 peer",
    ]
    assert [text_of(item) for item in page.xpath("//ul[@id='u1']/li")] == [
        "A: The ferry sank",
        "B: the ferry went down",
        "peer 2: A ferry sank",
        "Not in summary C",
        "Not in peer 10",
        "uid 7",
    ]
    assert [text_of(item) for item in page.xpath("//ul[@id='u2']/li")][:2] == [
        "A: The ferry sank … at dawn",
        "B: At dawn",
    ]


def test_contributors_are_marked_in_the_summaries(tmp_path: Path) -> None:
    page = open_page(write_files(tmp_path / "in"), tmp_path)
    texts = [text_of(text) for text in page.xpath("//div[@class='text']")]
    assert texts == [
        "12.1The ferry sank 2.2at dawn. 3Nobody died.",
        "2At dawn, 1the ferry went down. 3All were saved.",
        "4Divers found the wreck.",
        "1A ferry sank. Rain fell.",
        "4Divers found it.",
    ]
    assert [page.get_element_by_id(f"m{number}").get("class") for number in range(1, 10)] == [
        *("d2", "d1", "d1", "d1", "d1", "d1", "d1", "d1", "no-scu"),
    ]
    assert len(page.xpath("//mark")) == 10
    # SCU 2 is marks 1 and 2 of summary A, and mark 4 of B.
    assert [scu.get("data-marks") for scu in page.xpath("//details[@class='scu']")] == [
        "1-1 5-5 8-8",
        "1-1 2-2 4-4",
        "3-3 6-6",
        "7-7 10-10",
    ]
    assert [link.get("href") for link in page.xpath("//ul[@id='u2']//a")] == ["#m1", "#m4"]


def test_peers_have_the_scores_of_score(tmp_path: Path, capsys: Capture) -> None:
    folder = write_files(tmp_path / "in")
    page = open_page(folder, tmp_path)
    cells = [[text_of(cell) for cell in row] for row in page.xpath("//tr")]
    capsys.readouterr()
    assert run("score", folder) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("D0901-A")]
    # pyramid, peer, original, modified, scus, repetitions; originals are shown, because half of the peers have uid 0
    assert lines == [["D0901-A", "2", "0.5000", "0.5000", "1", "0"], ["D0901-A", "10", "0.5000", "0.2500", "1", "0"]]
    assert cells == [
        ["Peer", "Modified", "Original", "SCUs", "Repetitions"],
        ["2", "0.5000", "0.5000", "1", "0"],
        ["10", "0.2500", "0.5000", "1", "0"],
    ]
    folds = [text_of(fold) for fold in page.xpath("//div[@class='texts']//details")]
    assert folds == [
        "SCUs that are not in peer 2: 3 2 3 4",
        "Matches no SCU: 1 Rain fell",
        "SCUs that are not in peer 10: 3 1 2 3",
    ]


def test_scores_that_are_too_high_are_hidden(tmp_path: Path) -> None:
    """As `score` does, for collections whose annotators did not mark text that matches no SCU."""
    matches = {("7", "(2) The ferry sank"): [["A ferry sank"]]}
    peer = peer_file(pyramid_element(SUMMARIES, SCUS), PEER, matches)
    page = open_page(write_files(tmp_path / "in", peer), tmp_path)
    assert [text_of(cell) for cell in page.xpath("//th[@scope='col']")] == ["Peer", "Modified", "SCUs", "Repetitions"]
    assert "too high" in text_of(page)


def test_parts_that_do_not_fit_are_listed_and_not_highlighted(tmp_path: Path, capsys: Capture) -> None:
    """A text that is nowhere, a text before the first heading, and offsets that are off by one, which are repaired."""
    folder = tmp_path / "in"
    folder.mkdir()
    scus = {
        ("1", "Lost"): [("A", [WrittenPart("The boat sank", 60, 73)]), ("B", ["At dawn"])],
        ("2", "Outside"): [("A", [WrittenPart("D0901-A.M.100.A.A", 20, 37)])],
        ("3", "Off"): [("A", [WrittenPart("Nobody died", 83, 94)])],
    }
    (folder / "D0901-A.pyr").write_bytes(pyramid_file(SUMMARIES, scus))
    page = open_page(folder, tmp_path)
    assert [mark.text_content() for mark in page.iter("mark")] == ["2Nobody died", "1At dawn"]
    [line] = [text_of(line) for line in page.xpath("//main/p[@class='muted']")]
    assert line.startswith("2 of 4 parts are not highlighted")
    assert text_of(page.xpath("//ul[@id='u1']/li")[0]) == "A: The boat sank (not highlighted)"
    assert re.search(mentions("pages/index.html ... 1 pyramid ... 2 of 4 parts"), capsys.readouterr().out)
    index = html.document_fromstring((tmp_path / "pages" / "index.html").read_text(encoding="utf-8"))
    assert [text_of(cell) for cell in index.xpath("//tbody/tr/*")][:6] == ["D0901-A", "3", "3", "4", "0", "2"]


def test_scus_of_other_pyramids_are_no_scus_of_the_page(tmp_path: Path) -> None:
    """In TAC 2011, uids of peer annotations name other SCUs of the pyramid. Labels tell."""
    matches = {("9", "(2) The ferry sank"): [["A ferry sank"]], ("77", "(3) It rained"): [["Rain fell"]]}
    page = open_page(write_files(tmp_path / "in", peer_file(pyramid_element(SUMMARIES, SCUS), PEER, matches)), tmp_path)
    assert [text_of(text) for text in page.xpath("//div[@class='text']")][3] == "?A ferry sank. ?Rain fell."
    assert [mark.get("class") for mark in page.xpath("//mark")][7:9] == ["foreign", "foreign"]
    assert "2 SCUs in peer annotations are not in this pyramid" in text_of(page)
    assert "peer 2: " not in text_of(page.get_element_by_id("u2"))
    fold = page.xpath("//div[@class='texts']//details")[1]
    assert text_of(fold) == (
        "SCUs that are not in this pyramid: 2 uid 9 The ferry sank: A ferry sankuid 77 It rained: Rain fell"
    )


def test_texts_of_strangers_are_text(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>\u202e"
    folder = tmp_path / "in"
    folder.mkdir()
    summaries = {"A": f"{evil} sank", "B": "x"}
    (folder / "D0901-A.pyr").write_bytes(
        pyramid_file(summaries, {('1"><img>', evil): [("A", [evil]), ("B", ["x"])], ("2", ""): [("B", ["x"])]})
    )
    page = open_page(folder, tmp_path)
    assert len(page.xpath("//script")) == 1
    assert page.xpath("//img") == []
    shown = "<script>alert(1)</script>\\u202e"
    assert text_of(page.xpath("//mark")[0]) == f"1{shown}"
    assert [text_of(title) for title in page.xpath("//details[@class='scu']/summary")] == [
        f"1 {shown} 2 contributors",
        "2 no label: x 1 contributor",
    ]


def test_units_of_whole_summaries_have_no_places(tmp_path: Path) -> None:
    """In REALSumm, people said which units a summary expresses, and not where."""
    pyramid = make_pyramid("realsumm:1", ["It sank.", "All swam."], "file")
    annotation = make_annotation("bart", pyramid, "A boat sank.", [True, False])
    silent = make_annotation("t5", pyramid, "", [False, True])
    pages = render_site({"": Corpus(reference_pyramids=(pyramid,), annotations=(annotation, silent))}).pages
    page = html.document_fromstring(pages["realsumm-1.html"].html)
    assert [text_of(text) for text in page.xpath("//div[@class='text']")] == ["1It sank. 2All swam.", "A boat sank."]
    assert "peer bart: expressed, but no place is marked" in text_of(page.get_element_by_id("u1"))
    assert "peer t5: expressed" in text_of(page.get_element_by_id("u2"))
    assert "do not contain the text" in text_of(page)
    assert pages["realsumm-1.html"][3:] == (2, 2, 0)


def test_a_single_pyramid_is_a_file(tmp_path: Path, capsys: Capture) -> None:
    folder = write_files(tmp_path / "in")
    assert run("inspect", folder, "--html", tmp_path / "kim.html") == 0
    assert "The ferry sank" in (tmp_path / "kim.html").read_text(encoding="utf-8")
    assert run("inspect", "sample", "--html", tmp_path / "kim.html") == 2
    assert re.search(mentions("kim.html ... 8 pyramids ... --html"), capsys.readouterr().err)


def test_inputs_and_other_pages_stay(tmp_path: Path, capsys: Capture) -> None:
    """The pages of earlier runs would look as if they were of these sources."""
    folder = write_files(tmp_path / "in")
    pyramid = folder / "D0901-A.pyr"
    odd = pyramid.rename(folder / "kim.html")
    assert run("inspect", odd, "--html", odd) == 2
    assert re.search(mentions("kim.html ... --html"), capsys.readouterr().err)
    assert run("inspect", "sample", "--html", tmp_path / "pages") == 0
    assert run("inspect", "sample", "--html", tmp_path / "pages") == 0
    before = sorted((tmp_path / "pages").iterdir())
    assert run("inspect", folder, "--html", tmp_path / "pages") == 2
    assert re.search(mentions("pages ... s0101.html ... --html"), capsys.readouterr().err)
    assert sorted((tmp_path / "pages").iterdir()) == before
    (tmp_path / "file").write_text("x")
    assert run("inspect", folder, "--html", tmp_path / "file") == 2


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        (["D1-A", "d1-a", "D1/A"], ["d1-a.html", "d1-a-2.html", "d1-a-3.html"]),
        (["index", "INDEX-2"], ["index-2.html", "index-2-2.html"]),
        (["../x", "..."], ["x.html", "model.html"]),
    ],
)
def test_names_of_files_are_distinct(titles: list[str], names: list[str]) -> None:
    taken: list[str] = []
    for title in titles:
        taken.append(_name_file(title, taken))
    assert taken == names


def test_pages_are_the_same_in_every_run(tmp_path: Path) -> None:
    for name in ("first", "second"):
        assert run("inspect", "sample", "--html", tmp_path / name) == 0
    files = sorted(path.name for path in (tmp_path / "first").iterdir())
    assert len(files) == 9
    assert [(tmp_path / "first" / name).read_bytes() for name in files] == [
        (tmp_path / "second" / name).read_bytes() for name in files
    ]


def make_scu(uid: str, label: str, start: int, *, units: tuple[DiscourseUnit, ...] = ()) -> Scu:
    part = Part(label, start, start + len(label), "A")
    return Scu(uid, label, (Contributor((part,)),), units)


def test_relations_and_discourse_units_are_listed() -> None:
    """As in SuperPAL and SEAView. SCU numbers are those of the page."""
    unit = DiscourseUnit("Ships sink", "S1", ())
    scus = (make_scu("a", "It sank", 0, units=(unit,)), make_scu("b", "All swam", 9), make_scu("c", "Nobody died", 19))
    relations = (Relation("entails", "a", "c", True), Relation("entails", "a", "b", False))
    relations += (Relation("contradicts", "b", "c", True),)
    text = "It sank. All swam. Nobody died."
    pyramid = Pyramid("D1", "D1", (), text, (Summary("A", "A", 0, len(text)),), scus, relations)
    site = render_site({"": Corpus(pyramids=(pyramid,), files={"D1": "d1.pyr"})})
    page = html.document_fromstring(site.pages["d1.html"].html)
    assert [text_of(item) for item in page.xpath("//ul[@id='u1']/li")] == [
        "A: It sank",
        "discourse unit (S1): Ships sink",
        "entails 2, 3",
        "uid a",
    ]
    assert [text_of(item) for item in page.xpath("//ul[@id='u2']/li")][1:] == ["contradicts 3", "uid b"]
    assert [link.get("href") for link in page.xpath("//ul[@id='u1']/li[3]/a")] == ["#u2", "#u3"]


def test_scus_that_are_expressed_in_part() -> None:
    """As in SummHay. They are marked, and neither among the SCUs of the peer nor among those that it lacks."""
    scus = (make_scu("a", "It sank", 0), make_scu("b", "All swam", 9))
    text = "It sank. All swam."
    pyramid = Pyramid("D1", "D1", (), text, (Summary("A", "A", 0, len(text)),), scus)
    partly = PeerScu("a", 1, (Contributor((Part("A boat sank", 0, 11, ""),)),))
    annotation = PeerAnnotation("x", "7", pyramid, "A boat sank.", (), partial=(partly,))
    corpus = Corpus(pyramids=(pyramid,), files={"D1": "d1.pyr"}, annotations=(annotation,))
    page = html.document_fromstring(render_site({"": corpus}).pages["d1.html"].html)
    assert [text_of(item) for item in page.xpath("//ul[@id='u1']/li")] == [
        "A: It sank",
        "peer x (annotator 7), in part: A boat sank",
        "uid a",
    ]
    assert text_of(page.xpath("//div[@class='texts']//details")[0]) == "SCUs that are not in peer x (annotator 7): 1 2"


def test_many_parts_over_many_summaries() -> None:
    """The text of a part is compared once, and not for each summary that it covers: 200 parts over 200 summaries."""
    text = "\n".join(f"{number} sank" for number in range(400))
    cuts = [len(text) * number // 200 for number in range(201)]
    summaries = tuple(Summary(str(cut), str(cut), cut, end) for cut, end in itertools.pairwise(cuts))
    parts = [
        Part(" ".join(text[start : len(text) - start].split()), start, len(text) - start, "") for start in range(200)
    ]
    scus = tuple(Scu(str(number), "x", (Contributor((part,)),)) for number, part in enumerate(parts))
    pyramid = Pyramid("D1", "D1", (), text, summaries, scus)
    with mock.patch.object(marking, "fits", wraps=marking.fits) as compared:
        page = render_site({"": Corpus(pyramids=(pyramid,), files={"D1": "d1.pyr"})}).pages["d1.html"]
    assert (page.parts, page.unmarked, compared.call_count) == (200, 0, 200)
