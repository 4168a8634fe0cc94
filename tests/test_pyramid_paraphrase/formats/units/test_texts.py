"""Texts of summaries from other sources than their annotations."""

from __future__ import annotations

import json
from pathlib import Path

import datasets
import pytest
from helpers.messages import mentions
from helpers.qapyramid import VOTES, write_votes
from helpers.rose import list_labelled, write_release, write_rose

import pyramid_paraphrase
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.errors import EmptyResultError, InputError
from pyramid_paraphrase.pyramids.corpus import SummaryText
from pyramid_paraphrase.pyramids.pyramid_scores import average_by_system, score_peers
from pyramid_paraphrase.reading import read_corpus

RELEASE = "cnndm.test.acus.aggregated.jsonl"

ROWS = [
    ("aa01", "bart", "A ferry sank near Orme. All were saved."),
    ("qapyramid:aa01", "gold", "The ferry sank, said Dr. Lee."),
    ("aa02", "bart", "A fox ran.\nTrains stopped."),
]


def write_table(folder: Path, rows: list[tuple[str, str, str]] = ROWS, name: str = "mine.csv") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    if name.endswith(".csv"):
        cells = ["document,system,text", *(f'{document},{system},"{text}"' for document, system, text in rows)]
        path.write_text("\n".join(cells) + "\n")
    else:
        lines = [json.dumps(dict(zip(("document", "system", "text"), row, strict=True))) for row in rows]
        path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("name", ["mine.csv", "mine.jsonl"])
def test_own_texts(tmp_path: Path, name: str) -> None:
    corpus = read_corpus(write_votes(tmp_path / "votes"), write_table(tmp_path, name=name))
    texts = {(annotation.pyramid.id, annotation.peer): annotation.text for annotation in corpus.annotations}
    assert texts == {
        ("qapyramid:aa01", "bart"): "A ferry sank near Orme.\nAll were saved.",
        ("qapyramid:aa01", "gold"): "The ferry sank, said Dr. Lee.",
        ("qapyramid:aa02", "bart"): "A fox ran.\nTrains stopped.",
        ("qapyramid:aa02", "gold"): "",
    }
    assert SummaryText("aa01", "bart", ROWS[0][2], name, document="aa01") in corpus.summaries
    assert {problem.kind for problem in corpus.problems} == {"unit-repeated", "votes-tied"}
    assert (corpus.accounts.files_read, corpus.accounts.files_used) == (2, 2)
    without = read_corpus(tmp_path / "votes")
    assert [annotation.votes for annotation in corpus.annotations] == [
        annotation.votes for annotation in without.annotations
    ]
    assert score_peers(corpus.annotations) == score_peers(without.annotations)


def test_texts_of_rose(tmp_path: Path) -> None:
    """Both corpora name a document by the id of its article."""
    corpus = read_corpus(write_votes(tmp_path / "votes"), write_rose(tmp_path / "rose"))
    texts = [(annotation.pyramid.id, annotation.peer, annotation.text) for annotation in corpus.annotations]
    assert texts == [
        ("qapyramid:aa01", "bart", "A ferry sank.\nAll were saved."),
        ("qapyramid:aa01", "gold", "The ferry sank."),
        ("qapyramid:aa02", "bart", "A fox ran, so trains stopped.\nDr. Lee saw it."),
        ("qapyramid:aa02", "gold", "Rain fell."),
    ]


def test_rows_have_votes(tmp_path: Path) -> None:
    corpus = read_corpus(write_votes(tmp_path / "votes"), write_table(tmp_path))
    test = build_test(corpus, "presence")
    assert test.counts == {
        "summaries": 3,
        "summaries_left_out": 1,
        "units_left_out": 0,
        "positives": 5,
        "negatives": 3,
        "test_rows": 6,
        "validation_rows": 2,
    }
    rows = [row for tables in test.splits.values() for table in tables for row in table.to_pylist()]
    (row,) = [row for row in rows if row["peer"] == "gold" and row["scu"] == "1"]
    assert (row["people"], row["votes"], row["label"]) == (["Q1", "Q2", "Q4"], [1, 0, 1], 1)
    tied = [row for row in rows if row["people"] == ["Q1", "Q3"]]
    assert [(row["votes"], row["label"]) for row in tied] == [([0, 1], 0)]
    assert test.collections == ("qapyramid",)


def test_units_without_votes_have_no_rows(tmp_path: Path) -> None:
    votes = json.loads(json.dumps(VOTES))
    votes["bart"]["aa01"]["aa01_10"] = {"Who was saved? all": []}
    corpus = read_corpus(write_votes(tmp_path / "votes", votes), write_table(tmp_path))
    counts = build_test(corpus, "presence").counts
    assert (counts["units_left_out"], counts["positives"], counts["negatives"]) == (1, 4, 3)


def test_votes_do_not_change_fingerprints(tmp_path: Path) -> None:
    """Scores do not depend on votes, but on labels."""
    fingerprints = []
    for number, votes in enumerate(([["Q1", 1], ["Q2", 1], ["Q3", 1]], [["Q9", 1]], [["Q9", 0]])):
        changed = json.loads(json.dumps(VOTES))
        changed["bart"]["aa01"]["aa01_2"]["What sank? a ferry"] = votes
        corpus = read_corpus(write_votes(tmp_path / str(number), changed), write_table(tmp_path))
        fingerprints.append(build_test(corpus, "presence").fingerprint)
    assert fingerprints[0] == fingerprints[1] != fingerprints[2]


def test_load_dataset(tmp_path: Path) -> None:
    files = [str(write_votes(tmp_path / "votes")), str(write_table(tmp_path))]
    loaded = datasets.load_dataset("pyramid_paraphrase", "presence", data_files=files, cache_dir=str(tmp_path / "c"))
    direct = pyramid_paraphrase.load("presence", files)
    assert pyramid_paraphrase.fingerprint(loaded) == pyramid_paraphrase.fingerprint(direct)
    assert loaded["test"].column_names == direct["test"].column_names
    assert loaded["test"].column_names[-2:] == ["people", "votes"]
    assert sorted(map(len, loaded["test"]["votes"])) == sorted(map(len, direct["test"]["votes"]))


def test_documents_of_two_corpora_are_one_topic(tmp_path: Path) -> None:
    """The votes are about the documents of RoSE. Otherwise, a reference could be in two splits."""
    release = write_release(tmp_path / RELEASE, list_labelled())
    test = build_test(read_corpus(release, write_votes(tmp_path / "votes")), "presence")
    assert test.collections == ("qapyramid", "rose")
    topics: dict[str, set[str]] = {}
    for split, tables in test.splits.items():
        for row in (row for table in tables for row in table.to_pylist()):
            topics.setdefault(row["topic"], set()).add(f"{split} {row['pyramid']}")
    assert {topic: len(places) for topic, places in topics.items()} == {"rose:3": 2, "rose:8": 2}
    assert all(len({place.split()[0] for place in places}) == 1 for places in topics.values())
    alone = build_test(read_corpus(release), "presence")
    assert {row["topic"] for table in alone.splits["test"] for row in table.to_pylist()} < {"rose:3", "rose:8"}
    assert "votes" not in alone.column_names


def test_texts_without_an_annotation_are_counted(tmp_path: Path) -> None:
    rows = [*ROWS, ("aa01", "brio", "A ship sank."), ("aa09", "bart", "Rain fell.")]
    corpus = read_corpus(write_votes(tmp_path / "votes"), write_table(tmp_path, rows))
    unknown = [problem for problem in corpus.problems if problem.kind == "summary-unknown"]
    assert [(problem.file, problem.message) for problem in unknown] == [
        ("mine.csv", "bart of aa09"),
        ("mine.csv", "brio of aa01"),
    ]


def test_different_texts_of_two_sources(tmp_path: Path) -> None:
    """The texts of RoSE come first. Spaces make no difference."""
    rows = [("aa01", "bart", "A ferry  sank. All were saved."), ("aa01", "gold", "It sank.")]
    sources = write_votes(tmp_path / "votes"), write_rose(tmp_path / "rose"), write_table(tmp_path, rows)
    corpus = read_corpus(*sources)
    assert [annotation.text for annotation in corpus.annotations][1] == "The ferry sank."
    different = [problem for problem in corpus.problems if problem.kind == "summary-differs"]
    assert [(problem.file, problem.message) for problem in different] == [
        ("mine.csv", "gold of qapyramid:aa01: also in rose/protocol-comparison.json")
    ]


def test_annotations_with_text_keep_it(tmp_path: Path) -> None:
    release = write_release(tmp_path / RELEASE, list_labelled())
    rows = [("rose:3", "bart", "Another text."), ("rose:3", "gold", "The ferry sank.")]
    corpus = read_corpus(release, write_table(tmp_path, rows))
    assert [annotation.text for annotation in corpus.annotations][:2] == [
        "A ferry sank.\nAll were saved.",
        "The ferry sank.",
    ]
    assert not [problem for problem in corpus.problems if problem.kind == "summary-unknown"]
    assert average_by_system(score_peers(corpus.annotations))


def test_votes_alone_are_no_presence_test(tmp_path: Path) -> None:
    with pytest.raises(EmptyResultError, match=mentions("none of 4 ... no text")):
        build_test(read_corpus(write_votes(tmp_path)), "presence")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("document,system,text,more\na,b,c,d\n", "mine.csv, line 1: ... header document,system,text,more"),
        ("document,system,text\na,b,c\n\na,c\n", "mine.csv, line 4: expected 3 ... found 2"),
        ("document,system,text\na,,c\n", "mine.csv, line 2: ... length ... header document,system,text"),
        ('document,system,text\na,b,"c\n', "mine.csv, line 2: ... CSV"),
        ("document,system,text\na,b,c\na,b,d\n", "mine.csv, line 3: ... another text of b of a ... one of them"),
    ],
)
def test_damaged_tables(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "mine.csv").write_text(content)
    with pytest.raises(InputError, match=mentions(message)):
        read_corpus(tmp_path / "mine.csv")


def test_damaged_lines(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"document": "a", "system": "b", "text": "c"}\n{"document": 1}\n')
    with pytest.raises(InputError, match=mentions("mine.jsonl, line 2: ... document, system and text")):
        read_corpus(tmp_path / "mine.jsonl")


def test_equal_rows_are_one_text(tmp_path: Path) -> None:
    path = write_table(tmp_path, [ROWS[0], ROWS[0], ROWS[2]])
    assert len(read_corpus(path).summaries) == 2


@pytest.mark.parametrize("name", ["mine.csv", "mine.jsonl"])
def test_lengths_of_names(tmp_path: Path, name: str) -> None:
    long = "n" * 200
    assert len(read_corpus(write_table(tmp_path, [(long, long, "A.")], name)).summaries) == 1
    for row in ((long + "n", "s", "A."), ("d", long + "n", "A."), ("d", "", "A."), ("", "s", "A.")):
        with pytest.raises(InputError, match=mentions(f"{name}, line")):
            read_corpus(write_table(tmp_path, [row], name))


def test_a_second_text_in_another_file(tmp_path: Path) -> None:
    first = write_table(tmp_path / "one", ROWS[:1])
    second = write_table(tmp_path / "two", [(*ROWS[0][:2], "Another text.")])
    with pytest.raises(InputError, match=mentions("mine.csv, line 2: ... another text of bart of aa01 ... mine.csv")):
        read_corpus(first, second)
    assert len(read_corpus(first, write_table(tmp_path / "two", ROWS)).summaries) == 3


def test_problems_have_no_line(tmp_path: Path) -> None:
    rows = [("aa01", "gold", "It sank."), ("aa09", "bart", "Rain fell.")]
    sources = write_votes(tmp_path / "votes"), write_rose(tmp_path / "rose"), write_table(tmp_path, rows)
    problems = [problem for problem in read_corpus(*sources).problems if problem.file == "mine.csv"]
    assert [(problem.kind, problem.line, problem.times) for problem in problems] == [
        ("summary-differs", 0, 1),
        ("summary-unknown", 0, 1),
    ]
