"""Summary of a Haystack: insights, bullets, three grades, the judgements of models, and everything that is left out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.summhay import INSIGHTS, make_entries, write_summhay

from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.catalog import documents_of
from pyramid_paraphrase.errors import EmptyResultError, InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.formats.units.summhay import read_judgements
from pyramid_paraphrase.pyramids.corpus import Score, SummaryText
from pyramid_paraphrase.pyramids.pyramid_scores import score_peers, score_peers_by_ducview
from pyramid_paraphrase.pyramids.records import Problem
from pyramid_paraphrase.pyramids.sources import SourceFile
from pyramid_paraphrase.reading import read_corpus

FILE = "summhay/eval_benchmark_data.json"
IDS = ("summhay:64aa:s3", "summhay:harbour:s1", "summhay:harbour:s2")


def list_rows(test: BuiltTest) -> list[dict[str, Any]]:
    return [row for tables in test.splits.values() for table in tables for row in table.to_pylist()]


def test_insights_bullets_and_coverage(tmp_path: Path) -> None:
    corpus = read_corpus(write_summhay(tmp_path / "summhay").parent)
    pyramids = {pyramid.id: [(scu.uid, scu.label) for scu in pyramid.scus] for pyramid in corpus.reference_pyramids}
    assert pyramids == dict(zip(IDS, (INSIGHTS["s3"], INSIGHTS["s1"], INSIGHTS["s2"]), strict=True))
    assert [(text.topic, text.author, text.is_reference) for text in corpus.summaries] == [
        ("summhay:64aa:s3", "reference", True),
        ("summhay:64aa:s3", "e5/base_one", False),
        ("summhay:harbour:s1", "reference", True),
        ("summhay:harbour:s1", "e5/base_one", False),
        ("summhay:harbour:s1", "two", False),
        ("summhay:harbour:s2", "reference", True),
        ("summhay:harbour:s2", "two", False),
    ]
    ferries = "Ferries leave three times an hour.\nBuying tickets is possible on the ferry."
    assert corpus.summaries[-1] == SummaryText(IDS[2], "two", ferries, FILE)
    assert corpus.summaries[-2].text == "The ferry now leaves every twenty minutes.\nTickets are sold on board only."
    scores = {(score.measure, score.topic[-2:], score.author): score.value for score in corpus.scores}
    assert scores == {  # means of 1, 0.5 and 0
        ("coverage", "s1", "e5/base_one"): pytest.approx(2.5 / 3),
        ("coverage", "s1", "two"): pytest.approx(1 / 3),
        ("coverage", "s2", "two"): 0.75,
        ("coverage", "s3", "e5/base_one"): 1.0,
        ("prompted_big", "s1", "e5/base_one"): pytest.approx(2 / 3),
        ("prompted_big", "s1", "two"): 1.0,
        ("prompted_big", "s2", "two"): 0.75,
        ("prompted_big", "s3", "e5/base_one"): 0.5,
    }
    assert Score("coverage", IDS[2], "two", 0.75, FILE, by_people=True) in corpus.scores
    assert Score("prompted_big", IDS[2], "two", 0.75, FILE, by_people=False) in corpus.scores
    assert (corpus.accounts.files_used, corpus.accounts.scus_used) == (1, 7)
    assert [collection.name for collection in corpus.count_collections()] == ["summhay"]


def test_people_count_bullets_from_zero(tmp_path: Path) -> None:
    """In the published file, 754 of the 948 bullets share most words with their insights if they count from 0.

    With places from 1, as its description says, they are 35.
    """
    corpus = read_corpus(write_summhay(tmp_path / "summhay"))
    annotation = next(row for row in corpus.annotations if (row.pyramid.id, row.peer) == (IDS[1], "e5/base_one"))
    lines = annotation.text.split("\n")
    assert lines[:2] == ["## Repairs of lights", "* **Repairs** closed the lighthouse in March. [3]"]
    placed = [(scu.uid, scu.weight, [item.text for item in scu.contributors]) for scu in annotation.scus]
    assert placed == [("a1", 1, [lines[1]]), ("a3", 1, [lines[2]]), ("0", 0, [lines[0], lines[3]])]
    assert [(scu.uid, scu.contributors[0].text) for scu in annotation.partial] == [("a2", lines[2])]
    parts = [part for scu in annotation.scus for item in scu.contributors for part in item.parts]
    assert [annotation.text[part.start : part.end] for part in parts] == [part.text for part in parts]


def test_places_without_units_and_units_without_places(tmp_path: Path) -> None:
    corpus = read_corpus(write_summhay(tmp_path / "summhay"))
    assert {problem.line for problem in corpus.problems} == {0}
    assert [(problem.kind, problem.uid, problem.message) for problem in corpus.problems] == [
        ("place-missing", "b2", "two of summhay:harbour:s2: partially_covered, bullet no_selection"),
        ("place-missing", "c2", "e5/base_one of summhay:64aa:s3: fully_covered, bullet no_selection"),
        ("place-without-unit", "a1", "two of summhay:harbour:s1: not_covered, bullet 0"),
    ]
    frost = next(row for row in corpus.annotations if row.pyramid.id == IDS[0])
    assert [(scu.uid, len(scu.contributors)) for scu in frost.scus] == [("c1", 1), ("c2", 0), ("0", 2)]
    scores = {(row.pyramid[-2:], row.peer): (row.modified, row.scus, row.repetitions) for row in score_peers([frost])}
    assert scores == {("s3", "e5/base_one"): (1.0, 2, 0)}
    assert [row.repetitions for row in score_peers_by_ducview([frost])] == [0]


def test_insights_in_part_are_not_in_presence(tmp_path: Path) -> None:
    test = build_test(read_corpus(write_summhay(tmp_path / "summhay")), "presence")
    assert test.counts == {
        "summaries": 4,
        "summaries_left_out": 0,
        "partly_present_left_out": 2,
        "positives": 6,
        "negatives": 2,
        "test_rows": 2,
        "validation_rows": 6,
    }
    rows = {(row["scu"], row["peer"]): row["label"] for row in list_rows(test)}
    assert rows == {
        ("a1", "e5/base_one"): 1,
        ("a3", "e5/base_one"): 1,
        ("a1", "two"): 0,
        ("a2", "two"): 1,
        ("a3", "two"): 0,
        ("b1", "two"): 1,
        ("c1", "e5/base_one"): 1,
        ("c2", "e5/base_one"): 1,
    }
    assert test.column_names.count("grade") == 0


def test_three_grades_are_a_test_of_their_own(tmp_path: Path) -> None:
    test = build_test(read_corpus(write_summhay(tmp_path / "summhay")), "presence_grades")
    assert test.counts == {
        "summaries": 4,
        "summaries_left_out": 0,
        "partly_present": 2,
        "positives": 6,
        "negatives": 2,
        "test_rows": 2,
        "validation_rows": 8,
    }
    graded = {(row["scu"], row["peer"]): (row["label"], row["grade"]) for row in list_rows(test)}
    assert graded["a2", "e5/base_one"] == graded["b2", "two"] == (-1, 3)
    assert (graded["a1", "e5/base_one"], graded["a1", "two"]) == ((1, 5), (0, 0))
    assert test.column_names[:5] == ["id", "scu_text", "sentences", "label", "grade"]


def test_grades_require_units_in_part() -> None:
    with pytest.raises(EmptyResultError, match=mentions("presence_grades ... presence")):
        build_test(read_corpus("sample"), "presence_grades")


def test_bullets_in_peers(tmp_path: Path) -> None:
    """A bullet about insights in part is neither right nor wrong for them: it has no row, and they are not options."""
    test = build_test(read_corpus(write_summhay(tmp_path / "summhay")), "peers")
    rows = {(row["fragment"], row["scu"]): row["option_scus"] for row in list_rows(test)}
    assert {key: sorted(options) for key, options in rows.items()} == {
        ("Ferries leave three times an hour.", "b1"): ["b1", "b2"],
        ("Frost destroyed half the apples.", "c1"): ["c1", "c2"],
        ("Makers of cider turned to pears.", ""): ["c1", "c2"],
        ("Bees came early this year.", ""): ["c1", "c2"],
        ("* **Repairs** closed the lighthouse in March. [3]", "a1"): ["a1", "a2", "a3"],
        ("Boats use other channels while workers paint doors. [1][2]", "a3"): ["a1", "a3"],
        ("## Repairs of lights", ""): ["a1", "a2", "a3"],
        ("Gulls nest on every roof.", ""): ["a1", "a2", "a3"],
        ("Doors were painted green by a keeper.", "a2"): ["a1", "a2", "a3"],
        ("Buying tickets is possible on the ferry.", ""): ["b1", "b2"],
    }
    assert test.counts["contributors_expressing_a_part"] == 1
    outcomes = [count for name, count in test.counts.items() if name.startswith("contributors_")]
    assert sum(outcomes) == test.counts["contributors"] == 11


def test_bullets_of_summaries_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first summary has four bullets about insights or about none, and one about an insight in part."""
    corpus = read_corpus(write_summhay(tmp_path / "summhay"))
    without_text = [
        replace(row, text="") if (row.pyramid.id, row.peer) == (IDS[1], "e5/base_one") else row
        for row in corpus.annotations
    ]
    test = build_test(replace(corpus, annotations=tuple(without_text)), "peers")
    assert (test.counts["contributors_of_other_pyramids"], test.counts["contributors"]) == (5, 11)
    for tables in test.splits.values():
        ids = [row_id for table in tables for row_id in table["id"].to_pylist()]
        assert ids == sorted(ids)
    monkeypatch.setattr(limits, "MAX_CONTRIBUTORS", 4)
    with pytest.raises(LimitError, match=mentions("peers ... 4 contributors ... e5/base_one")):
        build_test(corpus, "peers")


def test_judgements_of_models_on_single_insights(tmp_path: Path) -> None:
    path = write_summhay(tmp_path / "summhay")
    ((model, rows),) = read_judgements(SourceFile("a.json", path.read_bytes())).items()
    assert (model, len(rows)) == ("prompted_big", 10)
    ferries = "Ferries leave three times an hour. Buying tickets is possible on the ferry."
    assert [row[::2] for row in rows if row[1] == ferries] == [
        ("The ferry now leaves every twenty minutes.", 1.0),
        ("Tickets are sold on board only.", 0.5),
    ]


@pytest.mark.parametrize("name", ["presence", "presence_grades", "peers"])
def test_subtopics_with_the_same_documents_are_in_one_split(tmp_path: Path, name: str) -> None:
    """Of two subtopics of the published file, insights share as many words as within a subtopic."""
    test = build_test(read_corpus(write_summhay(tmp_path / "summhay")), name)
    documents = {}
    for split, tables in test.splits.items():
        pyramids = {pyramid for table in tables for pyramid in table["pyramid"].to_pylist()}
        documents[split] = set(map(documents_of, pyramids))
    assert documents == {"test": {"summhay:64aa"}, "validation": {"summhay:harbour"}}
    assert {row["topic"] for row in list_rows(test)} == set(IDS)


def test_documents_of_other_collections_are_those_of_the_topic() -> None:
    names = [documents_of(pyramid) for pyramid in ("D0743-A", "rose:cnndm.val.4", "cnndm7", "summhay:a_b:c.1")]
    assert names == ["D0743", "rose:cnndm.val.4", "cnndm7", "summhay:a_b"]


def change(index: int, **values: object) -> list[dict[str, Any]]:
    entries = make_entries()
    entries[index].update(values)
    return entries


ANNOTATION = make_entries()[2]["annotation"]
INSIGHT = make_entries()[2]["reference_insights"]


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (change(2, summkey="a\nb"), "entry 3 ... download summhay"),
        (change(2, summkey="a<"), "entry 3 ... summkey"),
        (change(3, topic_id="a<"), "entry 4 ... topic_id"),
        (change(2, summkey=""), "entry 3 ... summkey"),
        (change(2, summkey="a" * 121), "entry 3 ... summkey"),
        (change(2, reference_insights=[{**INSIGHT[0], "insight_id": "0"}]), "entry 3 ... insight_id"),
        (change(2, summary="text"), "entry 3 ... summary ... download summhay"),
        (change(2, summary=["One bullet.", " "]), "entry 3 ... empty bullet"),
        (change(2, summary=[]), "entry 3 ... names bullet 0"),
        (change(3, topic_id=None), "entry 4 ... topic_id"),
        (change(3, topic_id="a-b"), "entry 4 ... topic_id"),
        (change(3, topic_id="a-json"), "entry 4 ... topic_id"),
        (change(2, annotation=ANNOTATION[:1]), "entry 3 ... 2 insights in annotation"),
        (change(2, annotation=ANNOTATION[:1] * 2), "entry 3 ... 2 insights in annotation"),
        (change(2, annotation=[ANNOTATION[0], {**ANNOTATION[1], "coverage": "mostly"}]), "entry 3 ... coverage"),
        (
            change(2, annotation=[ANNOTATION[0], {**ANNOTATION[1], "candidate_id": "2"}]),
            "entry 3 ... bullet 2 ... is 1. ",
        ),
        (change(2, annotation=[ANNOTATION[0], {**ANNOTATION[1], "candidate_id": "-1"}]), "entry 3 ... candidate_id"),
        (change(2, predictions_prompted_big=[]), "entry 3 ... predictions_prompted_big"),
        (change(2, predictions_other={"a": 1}), "entry 3 ... download summhay"),
        (change(2, reference_insights=[]), "entry 3 ... no insights"),
        (change(2, reference_insights=[INSIGHT[0], {**INSIGHT[1], "insight": " "}]), "entry 3 ... empty insight"),
        (change(2, reference_insights=[INSIGHT[0], INSIGHT[0]]), "entry 3 ... insight_id"),
        (
            change(1, reference_insights=make_entries()[1]["reference_insights"][::-1]),
            "entry 2 ... other insights of summhay:harbour:s1 ... separately",
        ),
        (change(1, summkey="summary_subtopic_e5/base_one"), "entry 2 repeats e5/base_one of summhay:harbour:s1"),
    ],
)
def test_damaged_files(tmp_path: Path, entries: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError, match=mentions(f"{FILE}: ... {message}")):
        read_corpus(write_summhay(tmp_path / "summhay", entries).parent)


def test_repeated_insights_are_kept_and_counted(tmp_path: Path) -> None:
    text = "The orchard lost half of its apples to frost."
    entries = change(3, reference_insights=[{"insight": text, "insight_id": uid} for uid in ("c1", "c2")])
    corpus = read_corpus(write_summhay(tmp_path / "summhay", entries).parent)
    assert Problem(FILE, 0, "unit-repeated", "", "1 in summhay:64aa:s3", 1) in corpus.problems


def test_lines_of_records_and_equal_files(tmp_path: Path) -> None:
    first = write_summhay(tmp_path / "summhay")
    lines = tmp_path / "judged.jsonl"
    lines.write_text("".join(json.dumps(entry) + "\n" for entry in make_entries()))
    assert read_corpus(lines).scores == tuple(
        score._replace(file="judged.jsonl") for score in read_corpus(first).scores
    )
    (tmp_path / "copy.json").write_bytes(first.read_bytes())
    accounts = read_corpus(first, tmp_path / "copy.json").accounts
    assert (accounts.files_read, accounts.files_used, accounts.files_repeated) == (2, 1, 1)


def test_other_summaries_of_the_same_insights_are_read_together(tmp_path: Path) -> None:
    first, *others = make_entries()
    write_summhay(tmp_path / "a", [first])
    write_summhay(tmp_path / "b", others)
    assert len(read_corpus(tmp_path).annotations) == 4


def test_names_of_systems_and_documents(tmp_path: Path) -> None:
    names = ("a" * 120, "ABZ/az_09.+-", "summary_subtopic_")
    entries = [change(3, summkey=name)[3] for name in names] + [change(2, topic_fn="x/Topic_AB_yz9.json")[2]]
    corpus = read_corpus(write_summhay(tmp_path / "summhay", entries))
    assert {annotation.peer for annotation in corpus.annotations} == {*names, "two"}
    assert [pyramid.id for pyramid in corpus.reference_pyramids] == ["summhay:64aa:s3", "summhay:Topic_AB_yz9:s2"]


def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_summhay(tmp_path / "summhay")
    monkeypatch.setattr(limits, "MAX_LABELS", 10)
    assert len(read_corpus(path).annotations) == 4
    monkeypatch.setattr(limits, "MAX_LABELS", 9)
    with pytest.raises(LimitError, match=mentions("9 judgements up to entry 4 ... fewer")):
        read_corpus(path)
    monkeypatch.setattr(limits, "MAX_CONTRIBUTORS", 2)
    with pytest.raises(LimitError, match=mentions("2 units in summhay:harbour:s1")):
        read_corpus(path)
