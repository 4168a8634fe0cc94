"""Votes of people on units of summaries: agreement, and held-out people."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from helpers.commands import Capture, run
from helpers.messages import mentions
from helpers.qapyramid import write_votes
from helpers.rose import write_rose

import harness
from harness.evaluation.people.votes import LABELS, PERSON, hold_out, report_votes
from harness.models.loading import load_model
from harness.support.errors import ModelError
from harness.support.terminal import WIDTH
from pyramid_paraphrase import load
from pyramid_paraphrase.errors import EmptyResultError, OptionError
from pyramid_paraphrase.reading import read_corpus


def test_items_by_number_of_votes(tmp_path: Path) -> None:
    """Counted by hand in `VOTES`: three items have one vote, one has two, which differ, and six have three."""
    record = report_votes(read_corpus(write_votes(tmp_path)), 10, 0).record
    assert [(size["votes"], size["items"], size["tied_items"]) for size in record["sizes"]] == [
        (1, 3, 0),
        (2, 1, 1),
        (3, 6, 0),
        ("all", 10, 1),
    ]
    assert [size["unanimous"] for size in record["sizes"]] == [1.0, 0.0, 0.333333, 0.5]
    assert [size["present"] for size in record["sizes"]] == [0.333333, 0.0, 0.666667, 0.5]


def test_alpha(tmp_path: Path) -> None:
    """By hand: seven items with several votes have 20 votes, 11 of them yes. The coincidences are 10."""
    record = report_votes(read_corpus(write_votes(tmp_path)), 10, 0).record
    assert record["alpha"]["items"] == 7
    assert record["alpha"]["value"] == pytest.approx(
        (19 * 10 - (11 * 10 + 9 * 8)) / (20 * 19 - (11 * 10 + 9 * 8)), abs=1e-6
    )


def test_people_against_the_labels_by_the_others(tmp_path: Path) -> None:
    """By hand. Labels without the vote of a person are those of two others or of one, and a tie is absent."""
    people = report_votes(read_corpus(write_votes(tmp_path)), 10, 0).record["people"]
    assert [(row["person"], row["votes"]) for row in people] == [
        ("Q1", 7),
        ("Q2", 6),
        ("Q3", 6),
        ("Q4", 1),
        ("all", 20),
    ]
    accuracies = {row["person"]: row["accuracy"] for row in people}
    # Q1 is right on "sank" of bart, and on "saved" and the second "ran" of gold.
    assert accuracies["Q1"] == pytest.approx(3 / 7, abs=1e-6)
    assert accuracies["Q4"] == 0.0  # the others are tied, which is absent
    inflated = {row["person"]: row["inflated"] for row in people}
    assert inflated["Q1"] == pytest.approx(6 / 7, abs=1e-6)
    assert inflated["all"] == pytest.approx(15 / 20, abs=1e-6)
    assert all(row["inflated"] >= row["accuracy"] for row in people)


def test_no_votes(tmp_path: Path) -> None:
    with pytest.raises(EmptyResultError, match=mentions("no votes ... QAPyramid")):
        report_votes(read_corpus("sample"), 10, 0)


def test_a_single_vote_per_item_has_no_agreement(tmp_path: Path) -> None:
    votes = {"bart": {"aa01": {"p": {"What sank? a ferry": [["Q1", 1]]}}}}
    report = report_votes(read_corpus(write_votes(tmp_path, votes)), 10, 0)
    assert [table.title for table in report.tables] == ["Units of summaries by the number of votes"]
    assert (report.record["people"], report.record["alpha"]["value"]) == ([], None)


def test_one_document_has_no_interval(tmp_path: Path) -> None:
    votes = {"bart": {"aa01": {"p": {"Who? A": [["Q1", 1], ["Q2", 0]], "Who? B": [["Q1", 1], ["Q2", 1]]}}}}
    record = report_votes(read_corpus(write_votes(tmp_path, votes)), 10, 0).record
    assert (record["alpha"]["interval"], record["people"][-1]["f1_interval"]) == (None, None)
    assert record["alpha"]["value"] == 0.0  # (3 * 2 - 6) / (12 - 6)


def unpack(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_a_held_out_person(tmp_path: Path) -> None:
    corpus = read_corpus(write_votes(tmp_path / "votes"), write_rose(tmp_path / "rose"))
    archives, counts = hold_out(corpus, "Q2")
    assert counts == {"kept": 6, "alone": 1, "others": 3}
    members = {name: unpack(data) for name, data in archives.items()}
    assert list(members) == [LABELS, PERSON]
    assert set(members[LABELS]) == {"QA_presence.json", "texts.jsonl"}
    labels, person = (json.loads(members[name]["QA_presence.json"]) for name in (LABELS, PERSON))
    assert labels["bart"]["aa01"] == {
        "1": {"What sank? a ferry": [["Q1", 1], ["Q3", 1]]},
        "2": {"Where did something sink? Orme": []},
        "3": {"Who was saved? all": [["Q1", 0], ["Q3", 1]]},
    }
    assert person["bart"]["aa01"]["3"] == {"Who was saved? all": [["Q2", 1]]}
    assert "Q2" not in members[LABELS]["QA_presence.json"]
    assert archives == hold_out(corpus, "Q2")[0]


def test_anyone_is_a_person_per_unit_and_summary(tmp_path: Path) -> None:
    corpus = read_corpus(write_votes(tmp_path))
    archives, counts = hold_out(corpus, "anyone")
    assert counts == {"kept": 7, "alone": 3, "others": 0}
    assert set(unpack(archives[PERSON])) == {"QA_presence.json"}  # there are no texts
    for name, data in archives.items():
        (tmp_path / name).write_bytes(data)
    one, rest = (read_corpus(tmp_path / name).annotations for name in (PERSON, LABELS))
    for first, second in zip(one, rest, strict=True):
        for held_out, others in zip(first.votes, second.votes, strict=True):
            assert len(held_out) == bool(others)
            assert {name for name, _ in held_out}.isdisjoint(name for name, _ in others)
    assert {name for annotation in one for votes in annotation.votes for name, _ in votes} > {"Q1"}


def test_unknown_people(tmp_path: Path) -> None:
    votes = {"bart": {"aa01": {"p": {"Who? A": [["Q1", 1], ["Q2", 0]], "Who? B": [["Q5", 1]]}}}}
    corpus = read_corpus(write_votes(tmp_path, votes))
    with pytest.raises(OptionError, match=mentions("person 'Q9' ... Q1, Q2, Q5, anyone")):
        hold_out(corpus, "Q9")
    with pytest.raises(EmptyResultError, match=mentions("Q5 judged no unit ... anyone")):
        hold_out(corpus, "Q5")


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_votes(tmp_path / "votes")
    write_rose(tmp_path / "rose")
    assert run("annotate", "votes", "votes", "rose", "--hold-out", "Q3", "--save", "held", "--resamples", 10) == 0
    return tmp_path / "held"


def test_the_command(held: Path, capsys: Capture, caplog: pytest.LogCaptureFixture) -> None:
    assert run("annotate", "votes", "votes", "rose", "--hold-out", "Q3", "--save", held, "--resamples", 10) == 0
    captured = capsys.readouterr()
    assert ": 6 units of summaries" in captured.err
    assert "no texts" not in caplog.text
    assert max(map(len, captured.out.splitlines())) <= WIDTH
    assert run("annotate", "votes", "votes", "--resamples", 10, "--output", "votes.json") == 0
    record = json.loads(Path("votes.json").read_text())
    assert record["sizes"][-1]["items"] == 10
    assert run("annotate", "votes", "votes", "--resamples", 10, "--output", "votes.csv") == 0
    assert "Krippendorff's alpha,all,0.0404" in Path("votes.csv").read_text()
    assert run("annotate", "votes", "votes", "--hold-out", "Q1", "--save", "other") == 0
    assert "no texts of summaries" in caplog.text


@pytest.mark.parametrize("arguments", [("--hold-out", "Q1"), ("--save", "folder")])
def test_options_that_belong_together(held: Path, capsys: Capture, arguments: tuple[str, str]) -> None:
    capsys.readouterr()
    assert run("annotate", "votes", "votes", *arguments) == 2
    assert "--hold-out and --save" in capsys.readouterr().err


def test_a_person_is_a_model(held: Path) -> None:
    """Its scores are the votes, and no label depends on them."""
    results = harness.evaluate(
        [f"annotator:{held / PERSON}"], held / LABELS, tasks=["presence"], resamples=10, quiet=True
    )
    result = next(result for result in results if result.record.model.kind == "annotator")
    assert result.tasks["presence"]["threshold"] == 0.5
    rows = load("presence", held / LABELS, split="test")
    model = load_model(f"annotator:{held / PERSON}")
    scores = model.scorer.score_summaries(rows["scu_text"], rows["sentences"])
    assert set(scores) <= {0.0, 0.5, 1.0}  # a repeated unit has the mean of its votes
    assert not any("Q3" in people for people in rows["people"])


def test_votes_are_not_of_other_summaries(held: Path) -> None:
    model = load_model(f"annotator:{held / PERSON}")
    with pytest.raises(ModelError, match=mentions("no vote on 1 of 2 units ... --hold-out")):
        model.scorer.score_summaries(["Who was saved? all", "Who was saved? all"], [["The ferry sank."], ["It sank."]])
