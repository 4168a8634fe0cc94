"""Coverage of words of SCUs by stems and paraphrases: crafted SCUs, the sample, the command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.annotations import PYRAMID
from helpers.messages import mentions
from helpers.paraphrase_tables import make_paraphrase_table

from harness.cli import main
from harness.paraphrases.tables.formats import ParaphraseEntry
from harness.rendering.reports import Report, render_report, require_text
from harness.summarization.paraeval.coverage import (
    Matcher,
    make_matchers,
    match_stems,
    measure_coverage,
    report_coverage,
)
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.pyramids.records import Contributor, Part, Pyramid, Scu

TABLE = "old\tancient\t1\nburned down\tdestroyed\t0.5\nnobody was hurt\tall workers escaped unharmed\t0.5\n"


def pyramid_of(*texts: str, topic: str = "D1") -> Pyramid:
    contributors = tuple(Contributor((Part(text, 0, len(text), "A"),)) for text in texts)
    return Pyramid(topic, topic, (), "", (), (Scu("1", "label", contributors),))


def test_words_are_found_by_stems_phrases_and_synonyms() -> None:
    pairs = (("the old", "the ancient"), ("burned down", "destroyed"), ("ruined by", "hit by"))
    entries = [ParaphraseEntry(tuple(phrase.split()), tuple(paraphrase.split()), 1.0) for phrase, paraphrase in pairs]
    matchers = make_matchers([make_paraphrase_table(entries, "table")])
    pyramid = pyramid_of("The old mills burned down", "The ancient mill was destroyed")
    coverage = measure_coverage([pyramid], lambda _: matchers)
    # By hand: old, mills, burned, and ancient, mill, destroyed; all six lack an equal word ("down" is no content word).
    by_name = {"equal stems": 2, "table, phrases": 2, "table, synonyms": 2}
    assert coverage == (2, 6, 6, {**by_name, "any of these": 6})


def test_equal_words_are_no_cases_and_words_count_once() -> None:
    coverage = measure_coverage([pyramid_of("rain, rain and snow", "rain or hail")], lambda _: make_matchers([]))
    assert coverage == (2, 4, 2, {"equal stems": 0, "any of these": 0})


def test_places_are_those_of_the_first_text() -> None:
    assert match_stems(["the", "mills", "burned"], ["a", "mill", "burns"]) == {1, 2}


def test_topics_have_matchers_of_their_own() -> None:
    asked = []

    def matchers_of(topic: str) -> dict[str, Matcher]:
        asked.append(topic)
        return {"all": lambda words, _: set(range(len(words)))}

    pyramids = [pyramid_of("rain", "snow", topic=topic) for topic in ("D1", "D2")]
    coverage = measure_coverage(pyramids, matchers_of)
    assert (asked, coverage) == (["D1", "D2"], (4, 4, 4, {"all": 4, "any of these": 4}))


def test_a_pyramid_without_pairs_names_its_matchers() -> None:
    pyramids = [pyramid_of("rain", "snow"), pyramid_of("rain", topic="D2")]
    _, _, _, matched = measure_coverage(pyramids, lambda topic: {topic: lambda *_: {0}})
    assert matched == {"D1": 2, "D2": 0, "any of these": 2}


def test_shares_are_of_all_words_or_cases() -> None:
    assert show(report_coverage(1, 1, 1, {"a": 1, "b": 1})).count("100.00 %") == 3
    assert show(report_coverage(1, 0, 0, {"a": 0})).count("0.00 %") == 2


def show(report: Report) -> str:
    return require_text(render_report(report, "terminal"))


def test_nothing_to_compare() -> None:
    with pytest.raises(EmptyResultError, match=mentions("SCU ... pyramids")):
        measure_coverage([pyramid_of("rain")], lambda _: {})


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "D0901-A.pyr").write_bytes(PYRAMID)
    (tmp_path / "table.tsv").write_text(TABLE)
    assert main(["coverage", "--pyramids", str(tmp_path / "D0901-A.pyr"), "--table", str(tmp_path / "table.tsv")]) == 0
    # By hand: 4, 4 and 6 content words, each twice, and 2 and 3; by phrases hurt, workers, escaped, unharmed, by
    # synonyms old and ancient, burned and destroyed.
    assert (
        capsys.readouterr().out
        == """\
Of 33 content words in 8 ordered pairs of contributors of one SCU, 25 (75.76 %)
  do not occur in the other contributor.

matched by       words  share
equal stems          0  0.00 %
table, phrases       4  16.00 %
table, synonyms      4  16.00 %
any of these         8  32.00 %
"""
    )


def test_texts_without_words_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "D0901-A.pyr").write_bytes(PYRAMID)
    (tmp_path / "table.tsv").write_text(TABLE + "rain\t\u2602\t1\n", encoding="utf-8")
    assert main(["coverage", "--pyramids", str(tmp_path / "D0901-A.pyr"), "--table", str(tmp_path / "table.tsv")]) == 0
    assert re.search(mentions("note: table: 1 of its entries"), capsys.readouterr().err)


def test_other_topics_are_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """Counts on the sample corpus, from an earlier run of this program."""
    assert main(["coverage", "--pyramids", "sample", "--other-topics"]) == 0
    assert capsys.readouterr().out.splitlines()[-4:] == [
        "equal stems            78  2.67 %",
        "clusters, phrases       0  0.00 %",
        "clusters, synonyms      2  0.07 %",
        "any of these           80  2.74 %",
    ]
