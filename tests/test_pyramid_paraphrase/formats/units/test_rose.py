"""RoSE: units, summaries, judgements, labels, and everything that is left out."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.rose import COMPARISON, LABELS, UNITS, list_labelled, write_release, write_rose

from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.corpus import Score, SummaryText
from pyramid_paraphrase.pyramids.pyramid_scores import average_by_system, score_peers
from pyramid_paraphrase.reading import read_corpus

COMPARED, RELEASE = "rose/protocol-comparison.json", "cnndm.test.acus.aggregated.jsonl"


def test_units_summaries_and_judgements(tmp_path: Path) -> None:
    corpus = read_corpus(write_rose(tmp_path / "rose"))
    assert [(pyramid.id, [scu.label for scu in pyramid.scus]) for pyramid in corpus.reference_pyramids] == [
        ("rose:3", ["A ferry sank.", "All were saved."]),
        ("rose:8", ["A fox ran.", "A fox ran.", "Trains stopped."]),
    ]
    assert not corpus.annotations
    assert [(text.topic, text.author, text.is_reference, text.document) for text in corpus.summaries] == [
        ("rose:3", "reference", True, "aa01"),
        ("rose:3", "bart", False, "aa01"),
        ("rose:3", "gold", False, "aa01"),
        ("rose:8", "reference", True, "aa02"),
        ("rose:8", "bart", False, "aa02"),
        ("rose:8", "gold", False, "aa02"),
        ("rose:9", "reference", True, ""),
    ]
    assert corpus.summaries[1] == SummaryText(
        "rose:3", "bart", "A ferry sank. All were saved.", COMPARED, False, "aa01"
    )
    assert Score("acu", "rose:3", "gold", 0.5, COMPARED) in corpus.scores
    assert len(corpus.scores) == 2 * 2 * 5
    assert (corpus.accounts.files_used, corpus.accounts.scus_used) == (2, 5)
    assert corpus.files == dict.fromkeys(("rose:3", "rose:8"), "rose/acu-cnndm-test.json")


def test_everything_left_out_is_a_problem(tmp_path: Path) -> None:
    corpus = read_corpus(write_rose(tmp_path / "rose"))
    assert [(problem.line, problem.kind, problem.message, problem.times) for problem in corpus.problems] == [
        (0, "reference-repeated", "rose:8", 1),
        (0, "unit-repeated", "1 in rose:8", 1),
        (0, "without-units", "rose:9", 1),
    ]


def test_labels_of_the_full_release_are_a_presence_test(tmp_path: Path) -> None:
    path = write_release(tmp_path / "rose_data" / RELEASE, list_labelled())
    corpus = read_corpus(path)
    means = {system: modified for system, _, _, modified, *_ in average_by_system(score_peers(corpus.annotations))}
    assert means == {"bart": 1.0, "gold": 0.25}  # gold has 1 of 2 units, and 0 of 3
    test = build_test(corpus, "presence")
    assert test.counts == {
        "summaries": 4,
        "summaries_left_out": 0,
        "positives": 6,
        "negatives": 4,
        "test_rows": 6,
        "validation_rows": 4,
    }
    rows = [row for table in (*test.splits["test"], *test.splits["validation"]) for row in table.to_pylist()]
    assert {tuple(row["sentences"]) for row in rows if row["peer"] == "bart"} == {
        ("A ferry sank.", "All were saved."),
        ("A fox ran, so trains stopped.", "Dr. Lee saw it."),
    }
    assert test.collections == ("rose",)


def test_release_and_downloaded_files_are_about_the_same_documents(tmp_path: Path) -> None:
    write_rose(tmp_path / "rose")
    corpus = read_corpus(tmp_path / "rose", write_release(tmp_path / RELEASE, list_labelled()))
    assert [pyramid.id for pyramid in corpus.reference_pyramids] == ["rose:3", "rose:8"]
    assert len(corpus.annotations) == 4
    assert len(corpus.summaries) == 7


def test_other_parts_of_the_release_have_documents_of_their_own(tmp_path: Path) -> None:
    """All parts number their documents from 0."""
    first = write_release(tmp_path / RELEASE, list_labelled())
    second = write_release(tmp_path / "xsum.test.acus.aggregated.jsonl", list_labelled(0)[::-1])
    third = write_release(tmp_path / "cnndm.val.acus.aggregated.jsonl", list_labelled(1))
    corpus = read_corpus(first, second, third)
    ids = ["rose:3", "rose:8", "rose:cnndm.val.4", "rose:cnndm.val.9", "rose:xsum.test.3", "rose:xsum.test.8"]
    assert [pyramid.id for pyramid in corpus.reference_pyramids] == ids
    assert {collection.name for collection in corpus.count_collections()} == {"rose"}


def test_a_second_text_of_a_summary_is_left_out(tmp_path: Path) -> None:
    """The comparison with large models repeats summaries, one of them with another text."""
    other = copy.deepcopy(COMPARISON[:1])
    other[0]["system_outputs"] = {"bart": "A  ferry sank. All were saved.", "gold": "It sank.", "gpt3": "A ship sank."}
    corpus = read_corpus(write_rose(tmp_path / "rose", {"protocol-comparison-llm.json": other}))
    texts = {(text.topic, text.author): text.text for text in corpus.summaries}
    assert texts["rose:3", "gold"] == "The ferry sank."
    assert texts["rose:3", "gpt3"] == "A ship sank."
    different = [problem for problem in corpus.problems if problem.kind == "summary-differs"]
    assert [(problem.file, problem.message, problem.times) for problem in different] == [
        ("rose/protocol-comparison-llm.json", f"gold of rose:3: also in {COMPARED}", 1)
    ]


def test_missing_judgements_are_no_scores(tmp_path: Path) -> None:
    """The comparison with large models has empty lists for the reference as a system."""
    other = copy.deepcopy(COMPARISON)
    other[0]["annotations"]["reference"] = {"prior": 2.5, "ref_based": [], "acu": [[]]}  # type: ignore[index]
    corpus = read_corpus(write_rose(tmp_path / "rose", {"protocol-comparison.json": other}))
    assert [score for score in corpus.scores if score.author == "reference"] == [
        Score("prior", "rose:3", "reference", 2.5, COMPARED)
    ]


def change(index: int, **values: object) -> list[dict[str, Any]]:
    documents = copy.deepcopy(COMPARISON)
    documents[index].update(values)
    return documents


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("protocol-comparison.json", change(1, system_outputs=["a"]), "entry 2 ... .system_outputs ... download rose"),
        ("protocol-comparison.json", change(0, count_id=-1), "entry 1 ... .count_id ... download rose"),
        ("protocol-comparison.json", change(0, annotations={"bart": {"acu": "high"}}), "entry 1 ... acu of bart"),
        (
            "protocol-comparison.json",
            change(0, annotations={"bart": {"acu": 10**400}}),
            "entry 1 ... acu of bart ... large",
        ),
        ("acu-cnndm-test.json", [*UNITS, {"id": 1, "reference": "A.", "acu": [" "]}], "entry 5 ... empty unit"),
        (
            "acu-cnndm-test.json",
            [*UNITS, {"id": 3, "reference": "A.", "acu": ["B."]}],
            "entry 5 ... rose:3 ... separately",
        ),
    ],
)
def test_damaged_files(tmp_path: Path, name: str, content: object, message: str) -> None:
    with pytest.raises(InputError, match=mentions(f"{name}: ... {message}")):
        read_corpus(write_rose(tmp_path / "rose", {name: content}) / name)


@pytest.mark.parametrize("labels", [[1], [1, 2], [1, "0"], 1])
def test_wrong_labels(tmp_path: Path, labels: object) -> None:
    documents = list_labelled()
    documents[0]["annotations"]["bart"]["acu_labels"] = labels
    with pytest.raises(InputError, match=mentions(f"{RELEASE}: ... entry 1 ... bart ... 2 ... labels")):
        read_corpus(write_release(tmp_path / RELEASE, documents))


def test_labels_of_a_summary_without_text(tmp_path: Path) -> None:
    documents = list_labelled()
    del documents[1]["system_outputs"]["bart"]
    with pytest.raises(InputError, match=mentions(f"{RELEASE}: ... bart of rose:8 ... no text")):
        read_corpus(write_release(tmp_path / RELEASE, documents))


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    path = write_release(tmp_path / RELEASE, list_labelled())
    path.write_text(path.read_text() + "{")
    with pytest.raises(InputError, match=mentions(f"{RELEASE}, line 3: ... download rose")):
        read_corpus(path)


def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_release(tmp_path / RELEASE, list_labelled())
    monkeypatch.setattr(limits, "MAX_LABELS", 10)
    assert len(read_corpus(path).annotations) == 4
    monkeypatch.setattr(limits, "MAX_LABELS", 9)
    with pytest.raises(LimitError, match=mentions("9 labels ... fewer files")):
        read_corpus(path)
    monkeypatch.setattr(limits, "MAX_CONTRIBUTORS", 2)
    with pytest.raises(LimitError, match=mentions(f"{RELEASE}: ... 2 units in rose:8. ... reference")):
        read_corpus(path)


def test_files_under_other_names(tmp_path: Path) -> None:
    """Files of one format are recognized by their first bytes, too."""
    (tmp_path / "units.json").write_text(json.dumps(UNITS))
    (tmp_path / "judged.jsonl").write_text("".join(json.dumps(document) + "\n" for document in COMPARISON))
    corpus = read_corpus(tmp_path)
    assert (len(corpus.reference_pyramids), len(corpus.scores)) == (2, 20)
    assert LABELS["gold"]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("samsum.test", "samsum.test."),
        ("xsum.val", "xsum.val."),
        ("cnndm.test", ""),
        ("cnndm-val", ""),
        ("cnndm.val_acus", ""),
        ("mine", ""),
    ],
)
def test_names_of_parts(tmp_path: Path, name: str, part: str) -> None:
    stem = name if "acus" in name else f"{name}.acus"
    corpus = read_corpus(write_release(tmp_path / f"{stem}.aggregated.jsonl", list_labelled()))
    assert [pyramid.id for pyramid in corpus.reference_pyramids] == [f"rose:{part}3", f"rose:{part}8"]


def test_a_name_that_only_begins_like_a_part(tmp_path: Path) -> None:
    corpus = read_corpus(write_release(tmp_path / "cnndm.val.acusx.aggregated.jsonl", list_labelled()))
    assert [pyramid.id for pyramid in corpus.reference_pyramids] == ["rose:3", "rose:8"]


@pytest.mark.parametrize(
    ("name", "number", "is_accepted"),
    [
        ("A", 0, True),
        ("aMz+N-0.5_9Z", 2**31 - 1, True),
        ("n" * 100, 1, True),
        ("n" * 101, 1, False),
        ("", 1, False),
        (":n", 1, False),
        ("n:", 1, False),
        ("n\n", 1, False),
        ("n", 2**31, False),
    ],
)
def test_names_and_numbers(tmp_path: Path, name: str, number: int, is_accepted: bool) -> None:
    document = {**COMPARISON[0], "count_id": number, "system_outputs": {name: "A ferry sank."}, "annotations": {}}
    folder = write_rose(tmp_path / "rose", {"protocol-comparison.json": [document], "acu-cnndm-test.json": None})
    if is_accepted:
        assert (f"rose:{number}", name) in {(text.topic, text.author) for text in read_corpus(folder).summaries}
    else:
        with pytest.raises(InputError, match=mentions("entry 1 ... download rose")):
            read_corpus(folder / "protocol-comparison.json")
