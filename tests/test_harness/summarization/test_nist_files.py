"""NIST's files of all years in `meta-eval`, with people as systems. Expected correlations are by scipy."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import Capture, run, unwrap
from helpers.messages import mentions
from helpers.nist_tables import (
    PANS_2005,
    PEERS_2008,
    PEOPLE_2008,
    TABLE_2006,
    TABLE_UPDATE,
    list_authors,
    make_aesop,
    make_manual,
)
from helpers.summary_scores import HUMANS, SYSTEMS, TOPICS, judge

from harness.summarization.meta_evaluation.formats import parse_scores
from harness.summarization.meta_evaluation.inputs import choose_measures, read_score_files
from harness.summarization.meta_evaluation.scores import MeasureScores
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pyramids.sources import SourceFile

TAC = (
    *("aesop_allpeers_A", "aesop_allpeers_B", "--judgements"),
    *("manual.peer.A", "manual.peer.B", "manual.model.A", "manual.model.B"),
)

EXPECTED = {
    ("A", "overall_responsiveness", "system"): [0.9407, 0.5, 0.4],
    ("A", "overall_responsiveness", "summary"): [0.2722, 0.22, 0.2],
    ("A", "pyramid_modified_jackknife", "summary"): [0.1394, 0.0833, 0.1],
    ("B", "overall_responsiveness", "summary"): [0.0482, 0.04, 0.04],
    ("B", "pyramid_modified_jackknife", "system"): [0.9364, 0.5, 0.4],
    ("B", "pyramid_modified_jackknife", "summary"): [-0.0698, -0.0667, -0.0333],
}
"""Correlations of the metric "baseline" of AESOP, by scipy."""


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for group in "AB":
        (tmp_path / f"manual.peer.{group}").write_text(make_manual(group, SYSTEMS))
        (tmp_path / f"manual.model.{group}").write_text(make_manual(group, HUMANS))
        (tmp_path / f"aesop_allpeers_{group}").write_text(make_aesop(group))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def parse(text: str, name: str = "file") -> dict[str, MeasureScores]:
    return {measure.name: measure for measure in parse_scores(SourceFile(name, text.encode())).finish()}


def evaluate(capsys: Capture, *arguments: object) -> dict[str, Any]:
    assert run("meta-eval", *arguments, "--resamples", 20, "--format", "json") == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


def list_values(report: dict[str, Any]) -> dict[tuple[str, str, str], list[float]]:
    return {
        (row["judgement"], row["metric"], row["level"]): [round(value, 4) for value in row["values"].values()]
        for row in report["correlations"]
    }


def test_duc_2006(tmp_path: Path, capsys: Capture) -> None:
    """Means of the systems on two judged topics: 0.15, 0.375, 0.45, and 1.5, 2.5, 4.5. All rows were refused before."""
    table = tmp_path / "2006_modified_scores.txt"
    table.write_text(TABLE_2006)
    flags = ("--metrics", "pyramid_modified", "--criteria", "content_responsiveness", "--level", "system")
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / table.name).write_text(TABLE_2006 + "\n")
    prefix = str(tmp_path / "copy" / table.name)
    report = evaluate(capsys, table, "--judgements", prefix, *flags)
    (row,) = report["correlations"]
    assert [round(value, 4) for value in row["values"].values()] == [0.891, 1.0, 1.0]
    assert row["topics"] == ["D0601", "D0602"]
    assert row["left_out"]["lacking_topics"] == ["D0647"]
    assert report["unified_systems"] == {"01": "1", "02": "2", "03": "3"}


def test_the_update_task(tmp_path: Path, capsys: Capture) -> None:
    """The summary that nobody judged leaves out its topic. Means: 0.15, 0.375, 0.675, and 1.5, 2.5, 4.5."""
    table = tmp_path / "scores.txt"
    table.write_text(TABLE_UPDATE)
    (tmp_path / "judgements.txt").write_text(TABLE_UPDATE + "\n")
    flags = ("--metrics", "pyramid_modified", "--criteria", "content_responsiveness", "--level", "system")
    report = evaluate(capsys, table, "--judgements", tmp_path / "judgements.txt", *flags)
    (row,) = report["correlations"]
    assert [round(value, 4) for value in row["values"].values()] == [0.9942, 1.0, 1.0]
    assert row["topics"] == ["D0703-A", "D0703-B"]
    assert row["left_out"]["incomplete_topics"] == ["D0703-C"]


def test_measures_of_tac_2008() -> None:
    peers, people = parse(PEERS_2008, "manual.peer"), parse(PEOPLE_2008, "manual.model")
    assert list(peers) == [
        "pyramid_modified",
        "pyramid_modified_jackknife",
        "linguistic_quality",
        "overall_responsiveness",
    ]
    assert list(people) == list(peers)[1:]
    assert peers["pyramid_modified"].values == {("D0801-A", "0"): 0.2143, ("D0801-A", "7"): 0.5}
    assert people["overall_responsiveness"].values == {("D0801-A", "A"): 5.0, ("D0801-A", "B"): 5.0}
    assert people["pyramid_modified_jackknife"].values["D0801-A", "B"] == 0.4321


def test_systems_and_people_are_in_two_files(room: Path) -> None:
    files = read_score_files(["manual.peer.A", "manual.model.A"], are_judgements=True)
    measures = {measure.name: measure for measure in choose_measures(files, None, "criterion")}
    assert list(measures) == [
        "pyramid_modified",
        "pyramid_modified_jackknife",
        "linguistic_quality",
        "overall_responsiveness",
    ]
    assert len(measures["pyramid_modified"].values) == len(TOPICS) * len(SYSTEMS)
    expected = {(f"{topic}-A", author): judge(t, a) for topic, author, t, a in list_authors("A")}
    assert measures["overall_responsiveness"].values == expected
    text = (room / "manual.peer.A").read_text()
    (room / "manual.model.A").write_text("\n".join(text.splitlines()[:1]).replace("0.", "1.") + "\n")
    (room / "other").mkdir()
    (room / "other" / "manual.peer.A").write_text(text + "\n")
    names = [
        measure.name for file in read_score_files(["manual.peer.A", "other/manual.peer.A"]) for measure in file.scores
    ]
    assert names[0] == "manual.peer.A:pyramid_modified"
    assert names[-1] == "other/manual.peer.A:overall_responsiveness"


def test_a_summary_is_in_one_of_the_two_files(room: Path) -> None:
    (room / "manual.model.A").write_text("D0901-A 3 9 7 K 0.5 5 5\n")
    files = read_score_files(["manual.peer.A", "manual.model.A"])
    message = "manual.model.A: ... score of system 3 on topic D0901-A by pyramid_modified_jackknife ... manual.peer.A"
    with pytest.raises(InputError, match=mentions(message)):
        choose_measures(files, None, "criterion")


def test_aesop_with_judgements_of_both_document_sets(room: Path, capsys: Capture) -> None:
    """Correlations by scipy from the same numbers. A metric of one set is not compared with judgements of the other."""
    report = evaluate(capsys, *TAC)
    judgements = ["pyramid_modified", "pyramid_modified_jackknife", "linguistic_quality", "overall_responsiveness"]
    values = list_values(report)
    assert list(dict.fromkeys((judgement, metric) for judgement, metric, _ in values)) == [
        (f"{group}:{judgement}", f"{group}:{metric}")
        for group in "AB"
        for judgement in judgements
        for metric in ("baseline", "other")
    ]
    computed = {key: values[f"{key[0]}:{key[1]}", f"{key[0]}:baseline", key[2]] for key in EXPECTED}
    assert computed == EXPECTED
    assert {(row["first"][0], row["second"][0], row["judgement"][0]) for row in report["differences"]} == {
        ("A", "A", "A"),
        ("B", "B", "B"),
    }
    assert report["matched_topics"]["d1-A"] == "D0901-A"
    assert len(report["matched_topics"]) == 2 * len(TOPICS)
    assert run("meta-eval", *TAC, "--resamples", 20) == 0
    output = unwrap(capsys.readouterr().out)
    assert "12 topics of AESOP matched by number: d1-A as D0901-A, d1-B as D0901-B, " in output


@pytest.mark.needs("matplotlib")
def test_a_figure_of_both_document_sets(room: Path) -> None:
    """The panels of one document set had the names of the other set's metrics."""
    assert run("meta-eval", *TAC, "--resamples", 20, "--level", "system", "--plot", "a.svg", "--output", "a.txt") == 0
    text = (room / "a.svg").read_text()
    labels = ("A:baseline", "A:other", "B:baseline", "B:other")
    assert [text.count(f">{label}<") for label in labels] == [3, 3, 3, 3]  # the panels have three rows


def test_the_year_of_aesop_is_in_its_path(room: Path, capsys: Capture) -> None:
    """Topics of another year are never matched by their number if the path says which year it is."""
    for folder in ("AESOP09_eval/data", "TAC2010", "contact2011"):
        (room / folder).mkdir(parents=True)
        (room / folder / "aesop_allpeers_A").write_text(make_aesop("A"))
    (measure, _) = read_score_files(["AESOP09_eval/data/aesop_allpeers_A"])[0].scores
    assert min(measure.values) == ("D0901-A", "1")
    assert min(read_score_files(["contact2011/aesop_allpeers_A"])[0].scores[0].values) == ("d1-A", "1")
    report = evaluate(capsys, "AESOP09_eval/data/aesop_allpeers_A", "--judgements", "manual.peer.A")
    assert "matched_topics" not in report
    assert list_values(report)["overall_responsiveness", "baseline", "summary"] == [0.2722, 0.22, 0.2]
    assert run("meta-eval", "TAC2010/aesop_allpeers_A", "--judgements", "manual.peer.A") == 2
    assert re.search(mentions("no topic ... topic D1001-A ... topic D0901-A"), capsys.readouterr().err)
    both = (room / "manual.peer.A").read_text()
    (room / "both.txt").write_text(both + both.replace("D09", "D10"))
    assert run("meta-eval", "aesop_allpeers_A", "--judgements", "both.txt") == 2
    message = "several years, such as D0901-A and D1006-A ... AESOP2010_eval/data/aesop_allpeers_A"
    assert re.search(mentions(message), capsys.readouterr().err)


def test_a_topic_without_its_document_set(room: Path, capsys: Capture) -> None:
    """Topics may lack the set that the name of the file states. A contradiction is an error."""
    text = (room / "manual.peer.B").read_text()
    (room / "manual.peer.B").write_text(text.replace("-B", ""))
    assert ("D0901-B", "1") in read_score_files(["manual.peer.B"])[0].scores[0].values
    (room / "manual.peer.B").write_text(text.replace("D0902-B", "D0902-A"))
    with pytest.raises(InputError, match=mentions("manual.peer.B, line 6: ... D0902-A ... set ... B")):
        read_score_files(["manual.peer.B"])


def test_a_document_set_without_judgements_has_a_note(room: Path, capsys: Capture) -> None:
    arguments = ("aesop_allpeers_A", "aesop_allpeers_B", "--judgements", "manual.peer.B")
    assert evaluate(capsys, *arguments)["uncompared"] == ["A:baseline", "A:other"]
    assert run("meta-eval", *arguments, "--resamples", 20) == 0
    assert "no other file has scores of the same document set: A:baseline, A:other." in unwrap(capsys.readouterr().out)
    assert run("meta-eval", "aesop_allpeers_A", "--judgements", "manual.peer.B") == 2
    assert re.search(mentions("no topic has both ... d1-A ... D0901-B"), capsys.readouterr().err)


def test_metrics_of_aesop() -> None:
    """`NaN` is a missing value. Numbers for metrics get a name, and so do metrics without as many names."""
    measures = parse("peer docset ROUGE-2 3\ns12 d7 0.25 NaN\nsA d44 0.5 -1e-3\n", "aesop_nomodels_B")
    assert {name: dict(measure.values) for name, measure in measures.items()} == {
        "ROUGE-2": {("d7-B", "12"): 0.25, ("d44-B", "A"): 0.5},
        "AESOP-3": {("d44-B", "A"): -0.001},
    }
    assert {measure.document_set for measure in measures.values()} == {"B"}
    for header in ("one\n", "a b c d e\n", "p d x x\n", "", "p\td\tx\t\n"):
        assert list(parse(header + "s12 d7 0.25 1\ns13 d7 0.5 2\n")) == ["AESOP-1", "AESOP-2"], header
    assert list(parse("peer\tdoc set\tmy own\tx\ns1\td7\t0.25\t1\n")) == ["my own", "x"]
    assert parse("a b\ns12 d7 0.25 1\n")["a"].values == {("d7", "12"): 0.25}
    assert parse("a\ns12 d7 0.25\n", "AESOP2011_eval_V1.2/data/aesop_allpeers_A")["a"].values == {
        ("D1107-A", "12"): 0.25
    }
    for text, message in (
        ("a b\ns12 d7 0.25 1\ns13 d7 0.5\n", "file, line 3: expected 2 metrics, found 1"),
        ("a b\ns12 d7 0.25 1\nx\n", "file, line 3: ... row such as ... s12 d7 0.25"),
        ("a b\ns12 d7 0.25 x\n", "file, line 2: 'x' is not a score"),
    ):
        with pytest.raises(InputError, match=mentions(message)):
            parse(text)


def test_measures_of_duc_2005() -> None:
    """Two annotators scored system 1 on the second topic. The mean counts, as a note says."""
    measures = parse(PANS_2005, "processed_pans.txt")
    assert measures["pyramid_modified"].values == {("D301", "1"): 0.25, ("D301", "A"): 0.75, ("D324", "1"): 0.25}
    assert measures["pyramid"].values["D301", "A"] == 0.9
    assert measures["pyramid_modified"].judgements == (1, 2)


HEADING = "first\nsecond\nthird\nfourth\nfifth\nsixth\n"


def test_judgements_below_an_unknown_heading() -> None:
    """The tables of DUC 2005 have six lines of heading, or seven for linguistic quality."""
    table = parse(HEADING + "D301\tB\tC\t12\t3\nD301\tB\tD\t12\t4\nD301\tB\tC\tA\t5\n", "x/responsiveness.table")
    assert list(table) == ["responsiveness"]
    assert table["responsiveness"].values == {("D301", "12"): 3.5, ("D301", "A"): 5.0}
    assert (table["responsiveness"].judgements, table["responsiveness"].judges) == ((1, 2), 2)
    quality = parse(HEADING + "seventh\nD301 B C 12 1 3\nD301 B C 12 2 4\n", "linguistic_quality.table")
    assert {name: dict(measure.values) for name, measure in quality.items()} == {
        "linguistic_quality_1": {("D301", "12"): 3.0},
        "linguistic_quality_2": {("D301", "12"): 4.0},
    }
    bars = "Topic number\n" + "".join(f"{'| ' * depth}title\n" for depth in range(1, 6))
    assert parse(bars + "D301 B C 12 3\n", "responsiveness.table")["responsiveness"].values == {("D301", "12"): 3.0}
    with pytest.raises(InputError, match=mentions("file, line 8: expected 5 columns, found 6")):
        parse(HEADING + "D301 B C 12 1\nD301 B C 12 1 3\n")


def test_tables_of_users_with_similar_rows() -> None:
    """A table of a user has a line of names, whose cells are as many as those of the rows."""
    names = {"topic\tsystem\ta\tb\tc\n": "D1 7 3 4 5", "system\ttopic\ta\n": "s12 d7 0.5"}
    names["topic\tsystem\ta\tb\td\n"] = "D1 7 3.5 4 5\nD1 8 3.5 4 5\nD1 9 3.5 4 5\nD2 7 3 4 5"
    for header, rows in names.items():
        measures = parse(header + rows.replace(" ", "\t") + "\n")
        assert list(measures) == header.split()[2:]
        key = ("d7", "s12") if header.startswith("system") else ("D1", "7")
        assert key in measures["a"].values
    aesop = parse("system\ttopic\ta\ns12\td7\t0.5\n", "aesop_allpeers_A")
    assert aesop["a"].values == {("d7-A", "12"): 0.5}


def test_rouge_and_basic_elements_of_two_document_sets(room: Path) -> None:
    for group in "AB":
        rows = [
            f"{author} ROUGE-BE-HM Eval {topic}-{group}.M.100.K.{author} R:0.1 P:0.2 F:0.3"
            for topic, author, *_ in list_authors(group)
        ]
        (room / f"simple_{group}.m.hm.out").write_text("\n".join(rows) + "\n")
    measures = [file.scores[0] for file in read_score_files(["simple_A.m.hm.out", "simple_B.m.hm.out"])]
    assert [measure.name for measure in measures] == ["A:ROUGE-BE-HM", "B:ROUGE-BE-HM"]
    assert [min(measure.values) for measure in measures] == [("D0901-A", "1"), ("D0901-B", "1")]
    (room / "simplejk_A.m.hm.out").write_text((room / "simple_A.m.hm.out").read_text().replace("R:0.1", "R:0.4"))
    files = read_score_files(["simple_A.m.hm.out", "simplejk_A.m.hm.out"])
    assert [file.scores[0].name for file in files] == [
        "simple_A.m.hm.out:ROUGE-BE-HM",
        "simplejk_A.m.hm.out:ROUGE-BE-HM",
    ]
