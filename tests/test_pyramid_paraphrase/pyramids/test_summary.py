"""The summary of a corpus contains counts, but no texts."""

from __future__ import annotations

import shutil
from pathlib import Path

from helpers.annotations import PYRAMID, SUMMARIES

import pyramid_paraphrase
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.pyramids.corpus import Corpus, describe_parts


def test_a_corpus_shows_its_counts(sample: Corpus) -> None:
    """The counts are those that `inspect sample` prints."""
    assert repr(sample).splitlines() == [
        "collection  pyramids  SCUs  contributors  peers",
        "sample             8   189           439     16",
        "Problems: nothing to repair",
    ]
    page = sample._repr_html_()
    assert ">sample</td><td>8</td><td>189</td><td>439</td><td>16</td>" in page
    assert "Problems: nothing to repair" in page


def test_a_corpus_shows_problems_and_no_text(tmp_path: Path) -> None:
    (tmp_path / "x.pyr").write_bytes(PYRAMID)
    (tmp_path / "<b>.pyr").write_bytes(b"<html/>")
    corpus = pyramid_paraphrase.read_corpus(tmp_path)
    for summary in (repr(corpus), corpus._repr_html_()):
        assert "1 left out (file-rejected 1)" in summary
        assert "<b>" not in summary
        assert not any(text in summary for text in SUMMARIES.values())


def test_part_of_a_known_collection(sample: Corpus, tmp_path: Path) -> None:
    assert describe_parts(sample.count_collections()) == ""
    for topic in ("S0101", "S0104", "S0108"):
        shutil.copy(SAMPLE_DIR / f"{topic}.pyr", tmp_path)
    (tmp_path / "x.pyr").write_bytes(PYRAMID)  # of TAC 2009, whose counts are not known
    corpus = pyramid_paraphrase.read_corpus(tmp_path)
    assert describe_parts(corpus.count_collections()) == "Part of a collection: 3 of 8 topics of sample."
