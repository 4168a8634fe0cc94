"""Two people's pyramids of the same summaries: their SCUs are matched, and their disagreements shown in the texts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from helpers.annotations import Scus, pyramid_file
from helpers.commands import Capture, run
from helpers.messages import mentions
from lxml import html

from harness.reports.pyramids.comparing import Row, match_scus
from harness.reports.pyramids.site import render_site
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import Contributor, Part, Pyramid, Scu, Summary

SUMMARIES = {"A": "The ferry sank at dawn. Nobody died.", "B": "At dawn, the ferry went down. All were saved."}
KIM: Scus = {
    ("1", "The ferry sank"): [("A", ["The ferry sank"]), ("B", ["the ferry went down"])],
    ("2", "It was dawn"): [("A", ["at dawn"]), ("B", ["At dawn"])],
    ("3", "Nobody died"): [("A", ["Nobody died"])],
}
LEE: Scus = {
    ("1", "All lived"): [("A", ["Nobody died"]), ("B", ["All were saved"])],
    ("2", "The ferry sank at dawn"): [("A", ["The ferry sank at dawn"]), ("B", ["the ferry went down"])],
}


def text_of(element: Any) -> str:  # noqa: ANN401
    return " ".join(element.text_content().split())


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    """NIST names the topic in headings, so both pyramids have the same id, and cannot be read as one corpus."""
    paths = [tmp_path / "kim.pyr", tmp_path / "lee.pyr"]
    for path, scus in zip(paths, (KIM, LEE), strict=True):
        path.write_bytes(pyramid_file(SUMMARIES, scus))
    return paths


def test_scus_are_matched_one_to_one() -> None:
    first = {0: frozenset({1, 2, 3}), 1: frozenset({4}), 5: frozenset({7, 8})}
    second = {3: frozenset({8, 7}), 4: frozenset({1, 2}), 6: frozenset({9})}
    assert match_scus(first, second) == [Row(0, 4, 2 / 3), Row(5, 3, 1.0), Row(1, None, 0.0), Row(None, 6, 0.0)]


def test_disagreements_come_first(sources: list[Path], tmp_path: Path, capsys: Capture) -> None:
    assert run("inspect", *sources, "--html", tmp_path / "pages") == 0
    assert re.search(mentions("index.html ... 2 pyramids, 1 comparison"), capsys.readouterr().out)
    names = sorted(path.name for path in (tmp_path / "pages").iterdir())
    assert names == ["d0901-a-kim-lee.html", "d0901-a-kim.html", "d0901-a-lee.html", "index.html"]
    page = html.document_fromstring((tmp_path / "pages" / "d0901-a-kim-lee.html").read_text(encoding="utf-8"))
    assert [text_of(heading) for heading in page.xpath("//section[@class='scus']/h3")] == [
        "In both, but not with the same words (1)",
        "Only in the pyramid of kim (2)",
        "Only in the pyramid of lee (1)",
    ]
    # Kim's SCU 1 has words 1 to 3 of A and 3 to 6 of B, Lee's SCU 2 also words 4 and 5 of A: 7 of 9 words.
    assert [text_of(summary) for summary in page.xpath("//details[@class='scu']/summary")] == [
        "1 The ferry sank2 The ferry sank at dawn weights 2 and 2, 78 % of the words in both",
        "2 It was dawn weight 2",
        "3 Nobody died weight 1",
        "1 All lived weight 2",
    ]
    assert [text_of(item) for item in page.xpath("//ul[@id='u1']/li")] == [
        "kimA: The ferry sank B: the ferry went down",
        "leeA: The ferry sank at dawn B: the ferry went down",
    ]
    assert [text_of(item) for item in page.xpath("//ul[@id='u2']/li")] == [
        "kimA: at dawn B: At dawn",
        "lee: no such SCU. SCU 2 contains some of these words",
    ]
    # "Nobody died" is half of Lee's "All lived" by contributors, but 2 of 5 words.
    assert text_of(page.xpath("//ul[@id='u3']/li")[1]) == "lee: no such SCU. SCU 1 contains some of these words"


def test_texts_show_what_the_other_person_does_not_mark(sources: list[Path], tmp_path: Path) -> None:
    assert run("inspect", *sources, "--html", tmp_path / "pages") == 0
    page = html.document_fromstring((tmp_path / "pages" / "d0901-a-kim-lee.html").read_text(encoding="utf-8"))
    assert [text_of(text) for text in page.xpath("//div[@class='text']")] == [
        "1The ferry sank 2at dawn. 3Nobody died.",
        "2The ferry sank at dawn. 1Nobody died.",
        "2At dawn, 1the ferry went down. All were saved.",
        "At dawn, 2the ferry went down. 1All were saved.",
    ]
    only = [re.sub("^[0-9]", "", text_of(mark)) for mark in page.xpath("//mark[contains(@class, 'only')]")]
    assert only == ["at dawn", "Nobody died", "at dawn", "Nobody died", "At dawn", "All were saved"]


def test_agreement_is_that_of_annotate_pyramids(sources: list[Path], tmp_path: Path) -> None:
    assert run("annotate", "pyramids", *sources, "--output", tmp_path / "agreement.json") == 0
    [agreement] = json.loads((tmp_path / "agreement.json").read_text())["agreement"]
    numbers = [f"{agreement[name]:.3f}" for name in ("contributors", "scus", "v_measure", "b_cubed", "kappa")]
    # 6 of 9 contributors and 2 of 5 SCUs are the same
    assert numbers[:2] == ["0.667", "0.400"]
    assert run("inspect", *sources, "--html", tmp_path / "pages") == 0
    for name in ("d0901-a-kim-lee.html", "index.html"):
        page = html.document_fromstring((tmp_path / "pages" / name).read_text(encoding="utf-8"))
        assert [text_of(cell) for cell in page.xpath("//tbody/tr/*")][-5:] == numbers


def test_conflicts_within_a_source_remain_errors(sources: list[Path], tmp_path: Path, capsys: Capture) -> None:
    assert run("inspect", *sources) == 2
    assert re.search(mentions("lee.pyr ... kim.pyr ... inspect --html"), capsys.readouterr().err)
    (tmp_path / "both").mkdir()
    for path in sources:
        path.rename(tmp_path / "both" / path.name)
    assert run("inspect", tmp_path / "both", "--html", tmp_path / "pages") == 2
    assert run("inspect", tmp_path / "both", "sample", "--html", tmp_path / "pages") == 2
    assert not (tmp_path / "pages").exists()


def test_both_sources_are_counted(sources: list[Path], tmp_path: Path, capsys: Capture) -> None:
    twin = tmp_path / "twin" / "kim.pyr"
    twin.parent.mkdir()
    sources[1].rename(twin)
    assert run("inspect", sources[0], twin, "--html", tmp_path / "pages") == 0
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if line.endswith("kim.pyr:")] == [f"{sources[0]}:", f"{twin}:"]
    assert [line.split() for line in out.splitlines() if line.startswith("scus")] == [
        ["scus", "3", "3", "0"],
        ["scus", "2", "2", "0"],
    ]


def make_pyramid(name: str, text: str) -> Pyramid:
    parts = (Part(text, 0, len(text), "A"),)
    return Pyramid(name, "D1", (), text, (Summary("A", "A", 0, len(text)),), (Scu("1", "x", (Contributor(parts),)),))


def render(pyramids: list[Pyramid]) -> Any:  # noqa: ANN401
    files = {pyramid.id: f"{pyramid.id}.pyr" for pyramid in pyramids}
    return render_site({"": Corpus(pyramids=tuple(pyramids), files=files)})


def test_many_pyramids_of_the_same_texts() -> None:
    """The work grows with the square of their number."""
    site = render([make_pyramid(f"D1-{number}", "It sank.") for number in range(12)])
    assert len(site.pages) == 12
    assert len(site.comparisons) == 45
    assert [re.search(mentions("D1: 10 of 12"), note) is None for note in site.notes] == [False]


def test_long_texts_are_not_compared() -> None:
    site = render([make_pyramid(name, "word " * 10_001) for name in ("D1-A", "D1-B")])
    assert len(site.pages) == 2
    assert site.comparisons == {}
    assert [re.search(mentions("D1-A ... D1-B ... 10,000 words"), note) is None for note in site.notes] == [False]
    assert "10,000 words" in site.listing


def test_other_texts_are_not_compared() -> None:
    site = render([make_pyramid("D1-A", "It sank."), make_pyramid("D1-B", "It sank. All died.")])
    assert (site.comparisons, site.notes) == ({}, [])
    assert render([make_pyramid("D1-A", "..."), make_pyramid("D1-B", "!")]).comparisons == {}  # without any word
