"""The configuration `presence`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from statistics import fmean
from typing import Any

import datasets
import pytest
from helpers.checkout import REALSUMM, needs_realsumm
from helpers.messages import mentions
from helpers.scu_labels import write_scu_labels

import pyramid_paraphrase
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.building.splits import choose_topics
from pyramid_paraphrase.errors import EmptyResultError, LimitError, OptionError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.pyramid_scores import average_by_system, score_peers
from pyramid_paraphrase.pyramids.records import PeerAnnotation
from pyramid_paraphrase.reading import read_corpus

SAMPLE_FINGERPRINT = "6ecd75245b0c"
"""First digits, from the first build of the configuration."""


def list_rows(built: BuiltTest) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for split, tables in built.splits.items():
        for table in tables:
            rows += [{**row, "split": split} for row in table.to_pylist()]
    return rows


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return read_corpus(write_scu_labels(tmp_path_factory.mktemp("labelled")))


def test_rows(labelled: Corpus) -> None:
    built = build_test(labelled, "presence")
    rows = {(row["pyramid"], row["scu"], row["peer"]): row for row in list_rows(built)}
    assert len(rows) == 11  # 2 systems with 7 SCUs, less the 3 of the summary without text
    row = rows["mill", "2", "terse"]
    assert row["scu_text"] == "The fire began at night."
    assert row["sentences"] == ["In Tarn, the mill burned down at night.", "Dr. Lee saw it."]
    assert (row["label"], row["topic"], row["collection"], row["annotator"]) == (1, "mill", "other", "")
    assert rows["mill", "2", "copy"]["label"] == 0
    assert len({row["id"] for row in rows.values()}) == 11
    assert {row["topic"] for row in rows.values() if row["split"] == "validation"} == choose_topics(
        ["ferry", "fox_1", "mill"], 10
    )
    assert built.counts == {
        "summaries": 5,
        "summaries_left_out": 1,
        "positives": 8,
        "negatives": 3,
        "test_rows": len([row for row in rows.values() if row["split"] == "test"]),
        "validation_rows": len([row for row in rows.values() if row["split"] == "validation"]),
    }


def test_the_sample_has_the_rows_of_its_peer_annotations() -> None:
    built = build_test(read_corpus("sample"), "presence")
    assert built.fingerprint.startswith(SAMPLE_FINGERPRINT)
    assert (built.counts["summaries"], built.counts["positives"], built.counts["negatives"]) == (16, 138, 240)
    peers = {(row["pyramid"], row["peer"]) for row in list_rows(built)}
    assert len(peers) == 16


def test_all_ways_of_loading_give_the_same_rows(tmp_path: Path) -> None:
    loaded = pyramid_paraphrase.load("presence", "sample")
    assert pyramid_paraphrase.fingerprint(loaded).startswith(SAMPLE_FINGERPRINT)
    assert loaded["test"].features["label"].names == ["absent", "present"]
    by_library = datasets.load_dataset(
        "pyramid_paraphrase", "presence", data_dir=SAMPLE_DIR, cache_dir=str(tmp_path), revision=None
    )
    assert pyramid_paraphrase.fingerprint(by_library).startswith(SAMPLE_FINGERPRINT)


def test_an_scu_without_a_label_is_given_by_its_first_contributor() -> None:
    corpus = read_corpus("sample")
    annotation = corpus.annotations[0]
    pyramid = annotation.pyramid
    bare = dataclasses.replace(pyramid, scus=tuple(dataclasses.replace(scu, label="") for scu in pyramid.scus))
    changed = (dataclasses.replace(annotation, pyramid=bare), *corpus.annotations[1:])
    rows = list_rows(build_test(dataclasses.replace(corpus, annotations=changed), "presence"))
    texts = {row["scu"]: row["scu_text"] for row in rows if (row["pyramid"], row["peer"]) == ("S0101", annotation.peer)}
    assert texts == {scu.uid: scu.contributors[0].text for scu in pyramid.scus}


def test_annotations_that_do_not_fit_their_pyramid_are_left_out() -> None:
    corpus = read_corpus("sample")
    first = corpus.annotations[0]
    foreign = dataclasses.replace(first.scus[0], uid="9999")
    changed = (dataclasses.replace(first, scus=(foreign, *first.scus[1:])), *corpus.annotations[1:])
    counts = build_test(dataclasses.replace(corpus, annotations=changed), "presence").counts
    assert (counts["summaries"], counts["summaries_left_out"]) == (15, 1)
    with pytest.raises(EmptyResultError, match=mentions("presence ... none of 1 can be used: ... not in the pyramid")):
        build_test(dataclasses.replace(corpus, annotations=changed[:1]), "presence")


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        (0, "presence ... annotations ... SCU"),
        (1, "presence ... SCU ... topics"),
    ],
)
def test_too_few_annotations(annotations: int, message: str) -> None:
    corpus = read_corpus("sample")
    few: tuple[PeerAnnotation, ...] = corpus.annotations[:annotations]
    with pytest.raises(EmptyResultError, match=mentions(message)):
        build_test(dataclasses.replace(corpus, annotations=few), "presence")


@pytest.mark.parametrize(
    ("limit", "value", "error"),
    [
        # SCUs times bytes of the summary, plus bytes of the SCUs, in the order of the annotations:
        # 2 * 63 + 38, 2 * 13 + 38, 3 * 54 + 66, 2 * 22 + 53, 2 * 55 + 53.
        ("MAX_LABELS", 11, "labelled0/SCUs.txt: presence ... 10 rows ... annotations"),
        (
            "MAX_PRESENCE_BYTES",
            716,
            "labelled0/SCUs.txt: presence ... 715 bytes ... annotations",
        ),
        ("MAX_SUMMARY_SENTENCES", 2, "labelled0/SCUs.txt: presence ... 1 sentences ... annotations"),
        (
            "MAX_PRESENCE_SENTENCES",
            22,
            "labelled0/SCUs.txt: presence ... 21 sentences (rows times sentences ... annotations",
        ),
    ],
)
def test_limits(labelled: Corpus, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, error: str) -> None:
    monkeypatch.setattr(limits, limit, value)
    build_test(labelled, "presence")
    monkeypatch.setattr(limits, limit, value - 1)
    with pytest.raises(LimitError, match=mentions(error)):
        build_test(labelled, "presence")


def test_other_tests_cannot_be_made_of_labels_alone(labelled: Corpus) -> None:
    with pytest.raises(EmptyResultError, match=mentions("SCU ... presence")):
        build_test(labelled, "ranking")


def test_it_has_no_options(labelled: Corpus) -> None:
    with pytest.raises(OptionError, match=mentions("seed ... presence ... Omit")):
        build_test(labelled, "presence", {"seed": 1})


def test_topics_are_chosen_by_their_hashes() -> None:
    """By SHA-256 of ("0", topic); 10 % of 25, rounded half up, are 3."""
    topics = [f"D{number}" for number in range(25)]
    chosen = choose_topics([*topics, *topics], 10)
    assert chosen == choose_topics(reversed(topics), 10)
    assert len(chosen) == 3
    assert len(choose_topics(topics[:4], 10)) == 1


@needs_realsumm
def test_realsumm() -> None:
    """26,400 labels of 25 systems, and the published human score of one system."""
    corpus = read_corpus(REALSUMM)
    assert (len(corpus.reference_pyramids), len(corpus.annotations), corpus.accounts.scus_used) == (100, 2500, 1056)
    assert corpus.problems == ()
    scores = average_by_system(score_peers(corpus.annotations))
    assert len(scores) == 25
    assert {summaries for _, summaries, _, _ in scores} == {100}
    for peer, _, _, modified in scores:
        labels = [len(note.scus) / len(note.pyramid.scus) for note in corpus.annotations if note.peer == peer]
        assert modified == fmean(labels)
    assert {peer: modified for peer, _, _, modified in scores}["abs_bart_out"] == pytest.approx(
        0.48349483849, abs=1e-11
    )
    built = build_test(corpus, "presence")
    assert (built.counts["positives"], built.counts["negatives"]) == (12069, 14331)
    assert (built.counts["test_rows"], built.counts["validation_rows"]) == (23800, 2600)
    assert built.fingerprint.startswith("0fe31c24e074")


def test_duc_2007(real: Corpus) -> None:
    """Counts and fingerprint of the first build: 298 summaries, because one has no text."""
    built = build_test(real, "presence")
    assert (built.counts["summaries"], built.counts["summaries_left_out"]) == (298, 1)
    assert (built.counts["positives"], built.counts["negatives"]) == (2561, 17971)
    assert built.fingerprint.startswith("b1222bc7cd4a")
