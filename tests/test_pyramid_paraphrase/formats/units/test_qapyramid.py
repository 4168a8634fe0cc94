"""Reading of QAPyramid: questions with answers, and votes of people."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.qapyramid import NAME, RAN, SANK, SAVED, VOTES, write_votes

from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.corpus import Accounts
from pyramid_paraphrase.pyramids.pyramid_scores import average_by_system, score_peers
from pyramid_paraphrase.reading import read_corpus


def test_units_are_in_the_order_of_the_reference(tmp_path: Path) -> None:
    """Systems differ in the order of predicates and questions. Predicates are numbered."""
    corpus = read_corpus(write_votes(tmp_path))
    listed = [(pyramid.id, pyramid.topic, [scu.label for scu in pyramid.scus]) for pyramid in corpus.reference_pyramids]
    assert listed == [
        ("qapyramid:aa01", "qapyramid:aa01", [SANK, "Where did something sink? Orme", SAVED]),
        ("qapyramid:aa02", "qapyramid:aa02", [RAN, RAN]),
    ]
    assert [[scu.uid for scu in pyramid.scus] for pyramid in corpus.reference_pyramids] == [["1", "2", "3"], ["1", "2"]]
    assert corpus.files == dict.fromkeys(("qapyramid:aa01", "qapyramid:aa02"), NAME)
    assert not corpus.summaries
    assert corpus.accounts == Accounts(
        files_read=1, files_used=1, scus_read=5, scus_used=5, contributors_read=5, contributors_used=5
    )


def test_the_majority_decides_and_a_tie_is_absent(tmp_path: Path) -> None:
    corpus = read_corpus(write_votes(tmp_path))
    present = {
        (annotation.pyramid.id, annotation.peer): [scu.uid for scu in annotation.scus]
        for annotation in corpus.annotations
    }
    assert present == {
        ("qapyramid:aa01", "bart"): ["1", "2", "3"],
        ("qapyramid:aa01", "gold"): ["1"],
        ("qapyramid:aa02", "bart"): ["1"],
        ("qapyramid:aa02", "gold"): [],
    }
    means = {system: modified for system, _, _, modified, *_ in average_by_system(score_peers(corpus.annotations))}
    assert means == {"bart": (1 + 1 / 2) / 2, "gold": (1 / 3 + 0) / 2}


def test_votes_are_kept(tmp_path: Path) -> None:
    first, second, *_ = read_corpus(write_votes(tmp_path)).annotations
    assert (first.peer, second.peer, first.text, first.annotator) == ("bart", "gold", "", "")
    assert first.votes == (
        (("Q1", True), ("Q2", True), ("Q3", True)),
        (("Q1", True),),
        (("Q1", False), ("Q2", True), ("Q3", True)),
    )
    assert second.votes[0] == (("Q1", True), ("Q2", False), ("Q4", True))


def test_ties_and_repeated_units_are_problems(tmp_path: Path) -> None:
    problems = read_corpus(write_votes(tmp_path)).problems
    assert [(problem.line, problem.kind, problem.message, problem.times) for problem in problems] == [
        (0, "unit-repeated", "1 in qapyramid:aa02", 1),
        (0, "votes-tied", "bart of qapyramid:aa02", 1),
    ]


def change(system: str = "bart", document: str = "aa01", **predicates: object) -> dict[str, Any]:
    votes: dict[str, Any] = copy.deepcopy(VOTES)
    votes[system][document] |= predicates
    return votes


def test_units_that_nobody_judged(tmp_path: Path) -> None:
    votes = change(aa01_10={SAVED: []})
    corpus = read_corpus(write_votes(tmp_path, votes))
    assert corpus.annotations[0].votes[2] == ()
    assert [scu.uid for scu in corpus.annotations[0].scus] == ["1", "2"]
    unjudged = [problem for problem in corpus.problems if problem.kind == "without-votes"]
    assert [(problem.message, problem.times) for problem in unjudged] == [("bart of qapyramid:aa01", 1)]


def test_a_system_may_lack_a_document(tmp_path: Path) -> None:
    votes: dict[str, Any] = copy.deepcopy(VOTES)
    del votes["bart"]["aa02"]
    corpus = read_corpus(write_votes(tmp_path, votes))
    keys = [(annotation.pyramid.id, annotation.peer) for annotation in corpus.annotations]
    assert keys == [("qapyramid:aa01", "bart"), ("qapyramid:aa01", "gold"), ("qapyramid:aa02", "gold")]
    assert [problem.kind for problem in corpus.problems] == ["unit-repeated"]


def test_white_space_in_units(tmp_path: Path) -> None:
    votes = {"bart": {"aa01": {"aa01_1": {"What\u00a0sank?\n a ferry": [["Q1", 1]]}}}}
    (pyramid,) = read_corpus(write_votes(tmp_path, votes)).reference_pyramids
    assert pyramid.scus[0].label == SANK


@pytest.mark.parametrize(
    ("votes", "message"),
    [
        ([], "not a file of QAPyramid ... object ... download qapyramid"),
        (change(aa01_10={SAVED: [["Q1", 2]]}), "not a file of QAPyramid ... 2"),
        (change(aa01_10={SAVED: [["", 1]]}), "not a file of QAPyramid ... length"),
        ({"bart": {"aa-1": {"p": {SANK: []}}}}, "not a file of QAPyramid ... key"),
        ({"bart of": {"aa1": {"p": {SANK: []}}}}, "not a file of QAPyramid ... key"),
        (change(aa01_10={" ": []}), "empty unit ... bart of aa01 ... download qapyramid"),
        ({"bart": {"aa01": {}}}, "no units ... bart of aa01 ... download qapyramid"),
        ({"bart": {"aa01": {"p": {}}}}, "no units ... bart of aa01"),
        (change("gold", aa01_10={}), "other units in gold of aa01 ... download qapyramid"),
        (change(aa01_10={SAVED: [["Q1", 0], ["Q1", 1]]}), f"two votes ... '{SAVED}' in bart of aa01 ... one of them"),
    ],
)
def test_damaged_files(tmp_path: Path, votes: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(InputError, match=mentions(f"{NAME}: ... {message}")):
        read_corpus(write_votes(tmp_path, votes))


@pytest.mark.parametrize("data", [b"", b"\xff", b"[" * 100_000, b'{"a": {"\xff": 1}}'])
def test_files_that_are_no_json(tmp_path: Path, data: bytes) -> None:
    (tmp_path / NAME).write_bytes(data)
    with pytest.raises(InputError, match=mentions(f"{NAME}: ... QAPyramid ... download")):
        read_corpus(tmp_path / NAME)


def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_votes(tmp_path)
    monkeypatch.setattr(limits, "MAX_LABELS", 10)
    assert len(read_corpus(path).annotations) == 4
    monkeypatch.setattr(limits, "MAX_LABELS", 9)
    with pytest.raises(LimitError, match=mentions("9 labels ... some documents")):
        read_corpus(path)
    monkeypatch.setattr(limits, "MAX_LABELS", 10)
    monkeypatch.setattr(limits, "MAX_CONTRIBUTORS", 2)
    with pytest.raises(LimitError, match=mentions(f"{NAME}: ... 2 units in qapyramid:aa01")):
        read_corpus(path)


def test_packed_files(tmp_path: Path) -> None:
    """A copy is repeated."""
    path = write_votes(tmp_path / "votes")
    packed = tmp_path / "votes" / f"{NAME}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    corpus = read_corpus(tmp_path / "votes")
    assert len(corpus.annotations) == 4
    assert (corpus.accounts.files_used, corpus.accounts.files_repeated) == (1, 1)


def test_two_files_with_votes_on_one_document(tmp_path: Path) -> None:
    write_votes(tmp_path)
    second = write_votes(tmp_path / "b", change(aa01_10={SAVED: [["Q9", 1]]}))
    with pytest.raises(InputError, match=mentions("pyramid qapyramid:aa01 ... separately")):
        read_corpus(tmp_path)
    second.write_text(json.dumps({"gold": {"aa03": {"p": {RAN: [["Q1", 1]]}}}}))
    assert len(read_corpus(tmp_path).reference_pyramids) == 3


@pytest.mark.parametrize(
    ("system", "document", "predicate", "person"),
    [
        ("A", "Z", "p", "q"),
        ("aMz+N-0.5_9", "AMZ_az.059", "a " * 100, "\u00e9" * 200),
        ("s" * 100, "d" * 100, "p", "q"),
    ],
)
def test_names_that_are_allowed(tmp_path: Path, system: str, document: str, predicate: str, person: str) -> None:
    votes = {system: {document: {predicate: {SANK: [[person, 1]]}}}}
    (annotation,) = read_corpus(write_votes(tmp_path, votes)).annotations
    assert (annotation.peer, annotation.pyramid.id) == (system, f"qapyramid:{document}")
    assert annotation.votes == (((person, True),),)


@pytest.mark.parametrize(
    ("system", "document", "predicate", "person"),
    [
        ("", "d", "p", "q"),
        ("s" * 101, "d", "p", "q"),
        ("s,", "d", "p", "q"),
        ("s", "", "p", "q"),
        ("s", "d" * 101, "p", "q"),
        ("s", "d+", "p", "q"),
        ("s", "d", "", "q"),
        ("s", "d", "p" * 201, "q"),
        ("s", "d", "p", "q" * 201),
        ("s\n", "d", "p", "q"),
        ("s:", "d", "p", "q"),
        ("s", "d:", "p", "q"),
    ],
)
def test_names_that_are_refused(tmp_path: Path, system: str, document: str, predicate: str, person: str) -> None:
    with pytest.raises(InputError, match=mentions("not a file of QAPyramid")):
        read_corpus(write_votes(tmp_path, {system: {document: {predicate: {SANK: [[person, 1]]}}}}))


@pytest.mark.parametrize(("length", "is_shortened"), [(80, False), (81, True)])
def test_long_units_in_messages(tmp_path: Path, length: int, is_shortened: bool) -> None:
    votes = {"s": {"d": {"p": {"x" * length: [["q", 1], ["q", 1]]}}}}
    with pytest.raises(InputError, match="two votes") as caught:
        read_corpus(write_votes(tmp_path, votes))
    assert ("[...]" in str(caught.value)) == is_shortened
