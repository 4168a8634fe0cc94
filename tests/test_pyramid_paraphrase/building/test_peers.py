"""The configuration `peers`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import datasets
import pytest
from helpers.annotations import peer_file, pyramid_element
from helpers.messages import mentions

import pyramid_paraphrase
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.building.peers import OUTCOMES
from pyramid_paraphrase.errors import EmptyResultError, LimitError, OptionError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.reading import read_corpus

SAMPLE_FINGERPRINT = "fedb3e343acd"
"""First digits, from the first build of the configuration."""

SUMMARIES = {
    "A": "Fire burned the mill. Nobody was hurt. A cat woke the miller.",
    "B": "Fire ruined the mill. Rain ended the fire.",
}
SCUS = {
    ("1", "Fire burned the mill"): [("A", ["Fire burned the mill"]), ("B", ["Fire ruined the mill"])],
    ("2", "No people were hurt"): [("A", ["Nobody was hurt"])],
    ("3", "A cat woke the miller"): [("A", ["A cat woke the miller"])],
    ("4", "Rain ended the fire"): [("B", ["Rain ended the fire"])],
}
TOPICS = [f"D09{number:02d}" for number in range(12)]
"""Enough topics for both splits to have a matched fragment."""

Marks = Mapping[tuple[str, str], Sequence[Sequence[str]]]


def write_peers(folder: Path, texts: Mapping[str, tuple[str, Marks]]) -> Corpus:
    """Read peer annotations by the number of the peer: the summary, and its marked parts by SCU."""
    for topic in TOPICS:
        for peer, (text, marks) in texts.items():
            data = peer_file(pyramid_element(SUMMARIES, SCUS, topic), text, marks)
            (folder / f"{topic}.M.100.A.{peer}.pan").write_bytes(data)
    return read_corpus(folder)


def list_rows(built: BuiltTest, topic: str = TOPICS[0]) -> list[dict[str, Any]]:
    """List the rows of a topic in the order of their fragments and SCUs."""
    rows: list[dict[str, Any]] = []
    for tables in built.splits.values():
        for table in tables:
            rows += [row for row in table.to_pylist() if row["topic"] == topic]
    return sorted(rows, key=lambda row: (row["fragment"], row["scu"]))


def describe(row: Mapping[str, Any]) -> tuple[str, str, list[str]]:
    """Return the fragment, the text of the matching option, and the uids of all options."""
    match = row["options"][row["match"]] if row["match"] != -1 else "none"
    return row["fragment"], match, sorted(row["option_scus"])


def test_rows(tmp_path: Path) -> None:
    """One fragment has an SCU, and one has none. The options are all SCUs of the pyramid."""
    text = "Flames destroyed the old mill. The weather was fine."
    marks: Marks = {
        ("1", "(2) Fire"): [["Flames destroyed", "old mill"]],
        ("0", "(0) Unmatched"): [["The weather was fine"]],
    }
    corpus = write_peers(tmp_path, {"21": (text, marks)})
    built = build_test(corpus, "peers")
    matched, unmatched = list_rows(built)
    assert describe(matched) == ("Flames destroyed old mill", "Fire burned the mill", ["1", "2", "3", "4"])
    assert (matched["scu"], matched["weight"], matched["parts"]) == ("1", 2, 2)
    assert (matched["peers"], matched["pyramid"], matched["collection"]) == (["21"], TOPICS[0], "other")
    assert dict(zip(matched["option_scus"], matched["option_weights"], strict=True)) == {"1": 2, "2": 1, "3": 1, "4": 1}
    assert describe(unmatched) == ("The weather was fine", "none", ["1", "2", "3", "4"])
    assert (unmatched["match"], unmatched["scu"], unmatched["weight"]) == (-1, "", 0)
    assert built.counts == {
        "contributors": 24,
        **dict.fromkeys(OUTCOMES, 0),
        "contributors_used": 24,
        "positives": 12,
        "negatives": 12,
        "test_rows": 22,
        "validation_rows": 2,
    }


def test_the_place_of_the_right_option_varies(tmp_path: Path) -> None:
    corpus = write_peers(tmp_path, {"21": ("Flames took it all away.", {("1", ""): [["Flames took"]]})})
    with pytest.raises(
        EmptyResultError, match=mentions("peers ... contributors ... contributors_too_short ... annotations")
    ):
        build_test(corpus, "peers")
    corpus = write_peers(tmp_path, {"21": ("Flames took the mill.", {("1", ""): [["Flames took the mill"]]})})
    built = build_test(corpus, "peers")
    places = {row["match"] for topic in TOPICS for row in list_rows(built, topic)}
    assert len(places) > 1


def test_other_scus_that_a_fragment_expresses_are_not_options(tmp_path: Path) -> None:
    """One fragment has two SCUs. Another fragment contains the contributor of a third SCU."""
    text = "Flames took the mill while rain fell. A cat woke people as the mill burned."
    marks: Marks = {
        ("1", ""): [["Flames took the mill while rain fell"], ["A cat woke people as the mill burned"]],
        ("4", ""): [["Flames took the mill while rain fell"]],
        ("3", ""): [["A cat woke people"]],
    }
    rows = list_rows(build_test(write_peers(tmp_path, {"21": (text, marks)}), "peers"))
    assert [describe(row) for row in rows] == [
        ("A cat woke people", "A cat woke the miller", ["1", "2", "3", "4"]),
        ("A cat woke people as the mill burned", "Fire burned the mill", ["1", "2", "4"]),
        ("Flames took the mill while rain fell", "Fire burned the mill", ["1", "2", "3"]),
        ("Flames took the mill while rain fell", "Rain ended the fire", ["2", "3", "4"]),
    ]


def test_a_part_lies_within_neighbouring_parts(tmp_path: Path) -> None:
    """Parts with only a blank between them are one span."""
    text = "A cat woke people as the mill burned."
    marks: Marks = {("1", ""): [["A cat woke", "people as the mill burned"]], ("3", ""): [["cat woke people"]]}
    rows = list_rows(build_test(write_peers(tmp_path, {"21": (text, marks)}), "peers"))
    assert describe(rows[0]) == ("A cat woke people as the mill burned", "Fire burned the mill", ["1", "2", "4"])


def test_a_fragment_of_several_summaries_is_one_row(tmp_path: Path) -> None:
    """It has an SCU if it has one in any of the summaries, whatever its case."""
    marked: Marks = {("1", ""): [["Flames took the mill"]]}
    unmarked: Marks = {("0", ""): [["flames took the mill"]]}
    texts = {
        "21": ("Flames took the mill.", marked),
        "22": ("There flames took the mill.", unmarked),
        "23": ("Flames took the mill.", marked),
    }
    corpus = write_peers(tmp_path, texts)
    built = build_test(corpus, "peers")
    (row,) = list_rows(built)
    assert describe(row) == ("Flames took the mill", "Fire burned the mill", ["1", "2", "3", "4"])
    assert row["peers"] == ["21", "23"]
    reversed_corpus = dataclasses.replace(corpus, annotations=corpus.annotations[::-1])
    assert build_test(reversed_corpus, "peers").fingerprint == built.fingerprint
    assert (built.counts["contributors_used"], built.counts["contributors_outvoted"]) == (24, 12)


def test_texts_with_the_same_content_words(tmp_path: Path) -> None:
    """A fragment that repeats the label of its SCU has no row for it. Other labels that it repeats are not options."""
    marks: Marks = {
        ("1", ""): [["The fire burned a mill"], ["the rain ended a fire"]],
        ("3", ""): [["The fire burned a mill"]],
    }
    built = build_test(
        write_peers(tmp_path, {"21": ("The fire burned a mill until the rain ended a fire.", marks)}), "peers"
    )
    first, second = list_rows(built)
    assert describe(first) == ("The fire burned a mill", "A cat woke the miller", ["2", "3", "4"])
    assert describe(second) == ("the rain ended a fire", "Fire burned the mill", ["1", "2", "3"])
    assert built.counts["contributors_with_words_of_scu"] == 12


def test_every_contributor_is_accounted_for(tmp_path: Path) -> None:
    text = "Flames took the mill. Mill burned. She saw flames there. The fire burned the mill."
    marks: Marks = {
        ("1", ""): [["Flames took the mill"], ["Mill burned"], ["The fire burned the mill"]],
        ("2", ""): [["She saw flames there"]],
    }
    corpus = write_peers(tmp_path, {"21": (text, marks)})
    first, *remaining = corpus.annotations
    foreign = dataclasses.replace(first.scus[0], uid="77")
    changed = dataclasses.replace(first, scus=(foreign, *first.scus[1:]))
    counts = build_test(dataclasses.replace(corpus, annotations=(changed, *remaining)), "peers").counts
    assert {name: counts[name] for name in ("contributors", *OUTCOMES)} == {
        "contributors": 48,
        "contributors_used": 11,
        "contributors_too_short": 11,
        "contributors_with_pronouns": 11,
        "contributors_of_other_pyramids": 4,
        "contributors_outvoted": 0,
        "contributors_with_words_of_scu": 11,
        "contributors_without_options": 0,
    }


def test_a_row_has_at_least_two_options(tmp_path: Path) -> None:
    """All SCUs but one lie within a fragment, and all but two within another."""
    text = "Flames took the mill and nobody got hurt and a cat woke people and rain ended the blaze."
    whole = text.rstrip(".")
    marks: Marks = {
        ("1", ""): [[whole], [whole.partition(" and rain")[0]]],
        ("2", ""): [["nobody got hurt"]],
        ("3", ""): [["a cat woke people"]],
        ("4", ""): [["rain ended the blaze"]],
    }
    built = build_test(write_peers(tmp_path, {"21": (text, marks)}), "peers")
    assert (built.counts["contributors_without_options"], built.counts["contributors_used"]) == (12, 48)
    assert min(len(row["options"]) for row in list_rows(built)) == 2


def test_all_ways_of_loading_give_the_same_rows(tmp_path: Path) -> None:
    loaded = pyramid_paraphrase.load("peers", "sample")
    assert pyramid_paraphrase.fingerprint(loaded).startswith(SAMPLE_FINGERPRINT)
    by_library = datasets.load_dataset(
        "pyramid_paraphrase", "peers", data_dir=SAMPLE_DIR, cache_dir=str(tmp_path), revision=None
    )
    assert pyramid_paraphrase.fingerprint(by_library).startswith(SAMPLE_FINGERPRINT)


def test_the_order_of_annotations_does_not_matter() -> None:
    corpus = read_corpus("sample")
    reversed_corpus = dataclasses.replace(corpus, annotations=corpus.annotations[::-1])
    assert build_test(reversed_corpus, "peers").fingerprint.startswith(SAMPLE_FINGERPRINT)


def test_it_has_no_options() -> None:
    with pytest.raises(OptionError, match=mentions("seed ... peers ... Omit")):
        build_test(read_corpus("sample"), "peers", {"seed": 1})


def test_it_needs_peer_annotations() -> None:
    bare = dataclasses.replace(read_corpus("sample"), annotations=())
    with pytest.raises(EmptyResultError, match=mentions("peers ... annotations")):
        build_test(bare, "peers")


@pytest.mark.parametrize(
    ("limit", "value", "reason"),
    [
        ("MAX_CONTRIBUTORS", 15, "14 contributors ... peer"),
        ("MAX_LABELS", 4345, "4,344 options ... peer"),
        ("MAX_PRESENCE_BYTES", 231_529, "231,528 bytes ... peer"),
    ],
)
def test_limits(monkeypatch: pytest.MonkeyPatch, limit: str, value: int, reason: str) -> None:
    """The sample has at most so many contributors of a summary, options, and bytes of options."""
    corpus = read_corpus("sample")
    monkeypatch.setattr(limits, limit, value)
    build_test(corpus, "peers")
    monkeypatch.setattr(limits, limit, value - 1)
    with pytest.raises(LimitError, match=mentions(f".pyr: peers ... {reason} ... fewer annotations")):
        build_test(corpus, "peers")


def test_duc_2007(real: Corpus) -> None:
    """Counts and fingerprint of the first build. Annotators marked fragments without an SCU in 8 of 23 topics."""
    built = build_test(real, "peers")
    contributors = [len(scu.contributors) for annotation in real.annotations for scu in annotation.scus]
    assert sum(contributors) == built.counts["contributors"] == sum(built.counts[name] for name in OUTCOMES) == 3725
    assert (built.counts["contributors_used"], built.counts["positives"], built.counts["negatives"]) == (
        2817,
        1476,
        323,
    )
    assert (built.counts["test_rows"], built.counts["validation_rows"]) == (1619, 180)
    assert built.fingerprint.startswith("799288eaff47")
    unmatched = {
        row["topic"]
        for tables in built.splits.values()
        for table in tables
        for row in table.to_pylist()
        if row["match"] == -1
    }
    assert len(unmatched) == 8
