"""The command `meta-eval`: input formats, every flag, output, and errors."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from helpers.annotations import PEER, PEER_NAME, PYRAMID, tar
from helpers.commands import Capture, unwrap
from helpers.messages import mentions
from helpers.summary_scores import (
    HUMANS,
    SYSTEMS,
    TOPICS,
    judge,
    list_summaries,
    make_content_table,
    make_rouge_output,
    score,
    write_scores,
)
from scipy import stats

from harness.cli import main
from harness.summarization.locations import read_files
from harness.summarization.meta_evaluation.evaluation import evaluate_metrics
from harness.summarization.meta_evaluation.figure import draw_correlations
from harness.summarization.meta_evaluation.formats import parse_scores
from harness.summarization.meta_evaluation.inputs import choose_measures, read_score_files
from harness.summarization.meta_evaluation.resampling import CorrelationSettings
from harness.summarization.meta_evaluation.scores import MeasureScores
from harness.summarization.summary_scores import SummaryScore, render_scores
from pyramid_paraphrase.errors import InputError, OptionError
from pyramid_paraphrase.pyramids.sources import SourceFile

Read = Callable[[str], dict[str, MeasureScores]]


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_scores(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: object) -> int:
    return main(["meta-eval", *map(str, arguments)])


def parse(
    text: str, rouge: str = "recall", *, are_judgements: bool = False, judges: str | None = None
) -> dict[str, MeasureScores]:
    columns = {} if judges is None else {"judge": judges}
    parsed = parse_scores(SourceFile("file", text.encode()), columns, rouge=rouge, are_judgements=are_judgements)
    return {measure.name: measure for measure in parsed.finish()}


def read(*locations: object) -> dict[str, MeasureScores]:
    return {measure.name: measure for measure in choose_measures(read_score_files(map(str, locations)), None, "metric")}


def test_the_table_that_commands_write() -> None:
    """Empty cells are missing scores, also at the end of a line without its last tabs."""
    measures = parse("topic\tsystem\tone\ttwo\r\nD1\t15\t0.5\t\nD1\tA\t\t-1e-3\n\nD2\t15\n")
    assert measures["one"].values == {("D1", "15"): 0.5}
    assert measures["two"].values == {("D1", "A"): -0.001}


def test_names_in_different_normal_forms_are_equal() -> None:
    """A topic that macOS had written was left out."""
    measures = parse("topic\tsystem\tone\n\u00e9t\u00e9\t1\t0.5\ne\u0301te\u0301\te\u0301\t0.25\n")
    assert measures["one"].values == {("\u00e9t\u00e9", "1"): 0.5, ("\u00e9t\u00e9", "\u00e9"): 0.25}


def test_blanks_around_cells_are_no_part_of_names() -> None:
    """System "3 " differed from "3", so that two systems and all topics were left out."""
    measures = parse("topic \tsystem\t good \nD1 \t 3 \t 0.5 \nD1\t4\t  \n")
    assert {name: scores.values for name, scores in measures.items()} == {"good": {("D1", "3"): 0.5}}


def test_scores_of_commands_are_read() -> None:
    written = render_scores([SummaryScore("D1", "15", {"one": 0.25}), SummaryScore("D1", "A", {})], ["one", "two"])
    assert [(name, scores.values) for name, scores in parse(written).items()] == [("one", {("D1", "15"): 0.25})]


def test_rouge(room: Path) -> None:
    """The recall of system 1 on the first topic: 0.10, 0.101, 0.102 and 0.103 with four sets of references."""
    measures = read("rougejk.m.out")
    assert list(measures) == ["ROUGE-1", "ROUGE-2"]
    assert measures["ROUGE-2"].values["D0901", "1"] == score(0, 0) + 0.0015 == 0.1015
    assert len(measures["ROUGE-2"].values) == len(TOPICS) * (len(SYSTEMS) + len(HUMANS))
    text = make_rouge_output()
    assert parse(text, "precision")["ROUGE-2-P"].values["D0901", "1"] == 0.05
    assert parse(text, "f")["ROUGE-2-F"].values["D0901", "1"] == 0.025
    other = parse("7 ROUGE-2 Eval some.task.7 R:0.5 P:0.4 F:0.3\n7 ROUGE-2 Eval D0901-A.M.100.Z.7 R:0.1 P:0.4 F:0.3\n")
    assert other["ROUGE-2"].values == {("some.task", "7"): 0.5, ("D0901-A", "7"): 0.1}


def test_nist_tables(room: Path) -> None:
    """Each of two assessors of quality gives one point more than the other."""
    content = read("content.table")["content_responsiveness"]
    assert content.values == {(topic, author): float(judge(t, a)) for topic, author, t, a in list_summaries()}
    quality = read("linguistic_quality.table")
    assert list(quality) == ["linguistic_quality_1", "linguistic_quality_2"]
    assert quality["linguistic_quality_2"].values["D0902", "4"] == 1 + (3 * 2 + 1) % 4 + 0.5
    modified = read("2007_modified_scores.txt")
    assert list(modified) == [
        "pyramid_modified",
        *(f"linguistic_quality_{n}" for n in range(1, 6)),
        "content_responsiveness",
    ]
    assert modified["content_responsiveness"].values["D0901", "5"] == judge(0, 4)
    assert parse("D1 7 0.5 2 1\n")["pyramid_modified"].values == {("D1", "7"): 0.5}


def test_pyramids(tmp_path: Path) -> None:
    """Peer 7 matches SCU 1 (weight 3) twice, and one of its three contributors matches nothing: 3 / (3 + 2)."""
    archive = tmp_path / "pyramids.tar.gz"
    archive.write_bytes(tar({"D0901-A.pyr": PYRAMID, PEER_NAME: PEER, "other.pan": b"<!DOCTYPE peerAnnotation"}))
    (file,) = read_score_files([archive])
    values = {measure.name: dict(measure.values) for measure in file.scores}
    assert values == {"pyramid_modified": {("D0901-A", "7"): 0.6}, "pyramid": {("D0901-A", "7"): 0.6}}
    assert file.left_out == 1
    (tmp_path / PEER_NAME).write_bytes(PEER)
    assert set(read(tmp_path / PEER_NAME)) == {"pyramid_modified", "pyramid"}
    (tmp_path / PEER_NAME).write_bytes(PEER.decode().encode("utf-16"))
    assert {name: dict(measure.values) for name, measure in read(tmp_path / PEER_NAME).items()} == values
    assert len(read("sample")["pyramid"].values) == 16


JUDGES = """\
topic\tsystem\tannotator\trating\tstyle
t1\ts1\tanna\t1\t5
t1\ts1\tben\t2
t1\ts2\tanna\t3\t4
t2\ts1\tben\t4\t1
"""


def judged(table: str, column: str = "annotator") -> str:
    return table.replace("annotator", column)


@pytest.mark.parametrize(
    "column",
    [
        *("assessor", "annotator", "judge", "rater", "worker", "Annotator", "judges", "worker_id", "rater id"),
        *("Person", "Bewerter", "reviewer", "participant_id", "User", "coder", "Évaluateur", "person no"),
    ],
)
def test_the_mean_of_several_judges_counts(column: str) -> None:
    """The guide said so, but a column of judges was "not a score", and repeated rows had to be removed."""
    for are_judgements in (True, False):
        measures = parse(judged(JUDGES, column), are_judgements=are_judgements)
        assert list(measures) == ["rating", "style"]
        assert measures["rating"].values == {("t1", "s1"): 1.5, ("t1", "s2"): 3.0, ("t2", "s1"): 4.0}
        assert measures["style"].values == {("t1", "s1"): 5.0, ("t1", "s2"): 4.0, ("t2", "s1"): 1.0}
        assert (measures["rating"].judgements, measures["rating"].judges) == ((1, 2), 2)
        assert measures["style"].judgements == (1, 1)


def test_the_correlation_with_the_mean_of_two_judges() -> None:
    """The means of the systems are 1.75, 2.75, 3.25 and 4.75, and 0.25 to 0.85. NumPy's corrcoef of them is 0.981."""
    ratings = {"s1": (1, 2, 1, 3), "s2": (3, 2, 3, 3), "s3": (2, 4, 2, 5), "s4": (5, 4, 5, 5)}
    rows = [
        f"{topic}\t{system}\t{judge}\t{values[2 * place + number]}\n"
        for system, values in ratings.items()
        for place, topic in enumerate(("t1", "t2"))
        for number, judge in enumerate(("anna", "ben"))
    ]
    judged = parse("topic\tsystem\tannotator\trating\n" + "".join(rows), are_judgements=True)["rating"]
    values = {(topic, f"s{n}"): n / 5 + shift for n in range(1, 5) for topic, shift in (("t1", 0.0), ("t2", 0.1))}
    (correlation, _) = evaluate_metrics([MeasureScores("metric", "m", values)], [judged]).correlations
    assert round(correlation.values["pearson"], 3) == 0.981


def test_a_column_of_judges_may_be_given() -> None:
    table = judged(JUDGES, "panel")
    assert parse(table, judges="panel")["rating"].values["t1", "s1"] == 1.5
    assert parse(table, are_judgements=True)["rating"].judges == 0
    assert parse(table, are_judgements=True, judges="panels")["rating"].judges == 0


@pytest.mark.parametrize("column", ["Person", "judge"])
def test_numbers_of_judges_are_no_criterion(column: str) -> None:
    """Numbered persons became a criterion of their own. If each summary has one row, they may be scores."""
    table = f"topic\tsystem\t{column}\trating\nt1\ts1\t1\t4\nt1\ts2\t1\t3\n"
    assert list(parse(table, are_judgements=True)) == [column, "rating"]
    (rating,) = parse(f"{table}t1\ts1\t2\t5\n", are_judgements=True).values()
    assert (rating.name, rating.judges, rating.values["t1", "s1"]) == ("rating", 2, 4.5)


def test_usual_names_of_judges_come_first() -> None:
    table = "topic\tsystem\tuser\tannotator\trating\nt\ts\tu\tanna\t1\nt\ts\tu\tben\t2\n"
    assert parse(table)["rating"].judges == 2


def test_repeated_rows_without_judges_are_averaged_as_judgements_only() -> None:
    table = "topic\tsystem\trating\nt1\ts1\t1\nt1\ts1\t2\nt1\ts1\t2\nt1\ts2\t3\n"
    rating = parse(table, are_judgements=True)["rating"]
    assert rating.values == {("t1", "s1"): 5 / 3, ("t1", "s2"): 3.0}
    assert (rating.judgements, rating.judges) == ((1, 3), 0)
    with pytest.raises(InputError, match=mentions("file, line 3: ... two scores of system s1 on topic t1 by rating")):
        parse(table)


def test_a_judge_judges_a_summary_once() -> None:
    with pytest.raises(
        InputError, match=mentions("file, line 6: ... two scores of system s1 on topic t1 by rating by")
    ):
        parse(JUDGES + "t1\ts1\tanna\t3\n", are_judgements=True)
    with pytest.raises(InputError, match=mentions("file, line 6: ... no annotator. ... judge")):
        parse(JUDGES + "t1\ts1\t\t3\n", are_judgements=True)
    with pytest.raises(InputError, match=mentions("file: annotator and worker ... --columns judge=annotator")):
        parse("topic\tsystem\tannotator\tworker\ta\nt\ts\tx\ty\t1\n")


def test_numbers_of_a_judge_are_scores_if_summaries_have_one_row() -> None:
    """Language models are judges, too, and their numbers are scores. Numbers of workers identify them."""
    once = "topic\tsystem\tjudge\tgood\nt1\ts1\t7\t1\nt1\ts2\t7\t2\n"
    assert list(parse(once)) == ["judge", "good"]
    assert parse(once + "t1\ts2\t8\t4\n")["good"].values == {("t1", "s1"): 1.0, ("t1", "s2"): 3.0}
    assert parse("topic\tsystem\tjudge\nt1\ts1\t7\nt1\ts1\t8\n", are_judgements=True)["judge"].values == {
        ("t1", "s1"): 7.5
    }


def test_several_judges_have_a_note(room: Path, capsys: Capture) -> None:
    (room / "judges.tsv").write_text(
        "topic\tsystem\tcoder\trating\tstyle\n"
        + "".join(
            f"{topic}\t{system}\t{who}\t{n + shift}\t{n if who == 'anna' else ''}\n"
            for n, (topic, system) in enumerate((topic, system) for topic in TOPICS for system in SYSTEMS)
            for who, shift in (("anna", 0), ("ben", 1))
        )
    )
    arguments = ("scores.tsv", "--judgements", "judges.tsv", "linguistic_quality.table", "--resamples", 20)
    assert run(*arguments, "--judges", "coder") == 0
    output = unwrap(capsys.readouterr().out)
    assert "judges.tsv: 2 judgements per summary by 2 judges, whose mean counts (rating)." in output
    quality = "linguistic_quality_1, linguistic_quality_2"
    assert f"linguistic_quality.table: 2 judgements per summary by 2 judges, whose mean counts ({quality})." in output
    assert run(*arguments, "--judges", "coder", "--format", "json") == 0
    table, nist = json.loads(capsys.readouterr().out)["judgements"]
    assert table["judgements_per_summary"] == {"rating": {"lowest": 2, "highest": 2, "judges": 2}}
    assert set(nist["judgements_per_summary"]) == {"linguistic_quality_1", "linguistic_quality_2"}
    assert run("scores.tsv", "--judgements", "content.table", "--resamples", 20, "--format", "json") == 0
    assert "judgements_per_summary" not in json.loads(capsys.readouterr().out)["judgements"][0]


def test_systems_with_zeros_before_their_numbers(room: Path, capsys: Capture) -> None:
    """One topic of NIST's table of 2006 names systems 01, 02 and so on, and was left out."""
    topic = TOPICS[0]
    lines = [line.split("\t") for line in (room / "scores.tsv").read_text().splitlines()]
    padded = [[line[0], f"0{line[1]}", *line[2:]] if line[0] == topic and line[1].isdigit() else line for line in lines]
    (room / "padded.tsv").write_text("".join("\t".join(line) + "\n" for line in padded))
    arguments = ("--judgements", "content.table", "--resamples", 20, "--format", "json")
    assert run("scores.tsv", *arguments) == 0
    expected = json.loads(capsys.readouterr().out)
    assert "unified_systems" not in expected
    assert run("padded.tsv", *arguments) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["unified_systems"] == {f"0{system}": system for system in SYSTEMS}
    assert report["correlations"] == expected["correlations"]
    assert topic in report["correlations"][0]["topics"]
    assert run("padded.tsv", *arguments[:-2]) == 0
    note = "Names that differ in zeros before a number are one system: 01 as 1, 02 as 2"
    assert note in unwrap(capsys.readouterr().out)


def test_peers_of_annotations_with_zeros_before_their_numbers(tmp_path: Path, capsys: Capture) -> None:
    other = PEER_NAME.replace("D0901", "D0902").replace(".7", ".07")
    files = {PEER_NAME: PEER, other: PEER.replace(b"D0901", b"D0902")}
    (tmp_path / "a.tar.gz").write_bytes(tar(files))
    assert set(read(tmp_path / "a.tar.gz")["pyramid"].values) == {("D0901-A", "7"), ("D0902-A", "7")}
    assert main(["score", str(tmp_path / "a.tar.gz")]) == 0
    assert "Names that differ in zeros before a number are one system: 07 as 7." in capsys.readouterr().out


def test_a_file_within_an_archive(room: Path) -> None:
    (room / "eval.tar.gz").write_bytes(tar({"eval/manual/content.table": make_content_table().encode(), "eval/x": b""}))
    assert len(read("eval.tar.gz/eval/manual/content.table")["content_responsiveness"].values) == 42
    with pytest.raises(InputError, match=mentions("eval.tar.gz/eval: ... 1 ... 2 files ... annotations")):
        read("eval.tar.gz/eval")
    message = "eval.tar.gz: ... 2 files ... ARCHIVE/PATH"
    with pytest.raises(InputError, match=mentions(message)):
        read("eval.tar.gz")


def test_measures_with_the_same_name_get_a_prefix(room: Path) -> None:
    (room / "copy").mkdir()
    (room / "copy" / "scores.tsv").write_text("topic\tsystem\tgood\nD1\t1\t1\n")
    names = list(read("content.table", "2007_modified_scores.txt"))
    assert names[0] == "content.table:content_responsiveness"
    assert names[1] == "pyramid_modified"
    assert names[-1] == "2007_modified_scores.txt:content_responsiveness"
    assert list(read("scores.tsv", "copy/scores.tsv")) == ["scores.tsv:good", "noise", "copy/scores.tsv:good"]
    with pytest.raises(InputError, match=mentions("scores.tsv: ... input ... once")):
        read("scores.tsv", room / "scores.tsv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nothing\n", "file: ... no rows"),
        (
            "a,b\nx,1\ny,2\n",
            "file: ... no column for topic and system. ... a (x, y), b (1, 2). ... --columns topic=NAME,system=NAME",
        ),
        ("topic\tsystem\n", "file: ... no rows"),
        (
            "topic\tsystem\n1\t2\n",
            "file: ... no column of numbers. ... topic (1), system (2). ... column for each measure",
        ),
        ("topic\tsystem\ta\ta\n", "file, line 1: ... two columns a. ... different name for each column"),
        ("topic\tsystem\ta\t\tb\n1\t2\t3\tx\t5\n", "file, line 1: ... column of 'x' has no name. Name it"),
        ("topic\tsystem\ta\n1\t2\t3\n1\t3\t3\t4\n", "file, line 3: ... 3 cells, found 4. ... one cell per column"),
        ("topic\tsystem\ta\n1\t2\n", "file: ... no column of numbers"),
        ("topic\tsystem\ta\n1\t2\tx\n1\t3\t1\n", "file, line 2: 'x' ... Use a number"),
        ("topic\tsystem\ta\n1\t2\t1\n1\t3\t1_0\n", "file, line 3: '1_0' ... Use a number"),
        ("topic\tsystem\ta\n1\t2\t1e10\n", "file, line 2: '10000000000.0' ... from -1,000,000,000 to 1,000,000,000"),
        ("topic\tsystem\ta\n\t2\t1\n", "file, line 2: ... no topic. ... in each row"),
        ("topic,score\n1,3\n", "file: ... no column for system. ... --columns system=NAME"),
        ("topic,a,b\n1,3,4\n", 'file: ... no column for system. ... --columns system=NAME. ... --columns "system=*"'),
        (
            "a,b\n1,3\n",
            "file: ... no column for topic and system. ... topic=NAME,system=NAME, and judge=NAME ... alone",
        ),
        (
            "system,score\n1,3\n1,4\n",
            "file: ... no column for topic. ... --columns topic=NAME. ... single row per system needs no",
        ),
        ("topic\tsystem\ta\n1\t\x1b\t1\n", r"file, line 2: '\x1b' ... name of a system. Use letters"),
        ("topic\tsystem\ta\n1\t2\t1\n1\t2\t1\n", "file, line 3: ... two scores of system 2 on topic 1 by a"),
        ("7 ROUGE-2 Eval D1.7 R:1 P:1 F:1\nx\n", "file, line 2: ... line of ROUGE's output. ... ROUGE-1.5.5"),
        ("7 ROUGE-2 Eval D1.8 R:1 P:1 F:1\n", "file, line 1: ... line of ROUGE's output. ... ROUGE-1.5.5"),
        (
            "-----\n7 ROUGE-2 Average_R: 0.1 (95%-conf.int. 0.1 - 0.2)\n",
            "file: ... averages, ... Run ROUGE with -d",
        ),
        (
            "Topic\n|  Summarizer\n|  |  Rank\n",
            "file: ... no columns Summarizer and Score ... NIST's file",
        ),
        (
            "Topic\n|  Summarizer\n|  |  Content Score\n|  |  |\nD1\t2\n",
            "file, line 5: ... 3 columns, found 2. ... NIST's file",
        ),
        (
            "Topic\n|  Summarizer\n|  |  Content Score\n|  |  |\n",
            "file: ... NIST's tables of content and linguistic quality, ... no scores",
        ),
        (
            "D1 7 0.5 2 1\nD1 8 0.5\n",
            "file, line 2: ... columns pyramid, peer, modified score, number of SCUs",
        ),
        ("D1 7 0.5 2 1\nD1 8 0.5 2 1 4\n", "file, line 2: ... 5 columns, found 6. ... 2007_modified_scores.txt"),
    ],
)
def test_files_that_cannot_be_used(text: str, message: str) -> None:
    with pytest.raises(InputError, match=mentions(message)):
        parse(text)


def test_the_report(room: Path, capsys: Capture) -> None:
    flags = ("--resamples", "40", "--resample", "topics")
    assert run("scores.tsv", "--judgements", "content.table", *flags) == 0
    output = capsys.readouterr().out
    lines = output.splitlines()
    assert lines[0] == "content_responsiveness, system level"
    means = {
        name: [fmean(values[topic, system] for topic in TOPICS) for system in SYSTEMS]
        for name, values in (
            ("good", read("scores.tsv")["good"].values),
            ("people", read("content.table")["content_responsiveness"].values),
        )
    }
    expected = stats.pearsonr(means["good"], means["people"]).statistic
    assert lines[2].split()[:2] == ["good", f"{expected:.3f}"]
    tables = [table.splitlines() for table in output.split("\n\n")]
    assert tables[1][0].split() == [
        "content_responsiveness,",
        "system",
        "level",
        "Kendall",
        "tau-b",
        "systems",
        "topics",
    ]
    assert tables[1][1].split()[-2:] == ["5", "6"]
    assert tables[2][0] == "content_responsiveness, summary level"
    assert tables[4][0] == "content_responsiveness, differences"
    assert tables[4][1].split() == ["r", "of", "r", "of", "r", "of", "difference", "Williams"]
    assert tables[4][2].split() == ["1st", "2nd", "both", "t"]
    assert tables[4][3].startswith("good vs. noise")
    first, second, _, difference = map(float, tables[4][3].replace("[", " ").split()[3:7])
    assert difference == pytest.approx(first - second, abs=0.002)
    for note in (
        "System level: correlation of the systems' means over topics.",
        "Summary level: correlation over the systems within each topic, averaged over topics.",
        "Systems: automatic. Left out: 2 others (A, B). A name of one letter is treated as a human.",
        "Intervals: 95 %, bootstrap over topics, 40 resamples, seed 0. They apply to the same number of other topics.",
        "With more topics, the means of systems are less noisy, and correlations tend to be higher.",
        "Differences use the systems and topics that both metrics score. Values may differ from those above.",
        (
            "Williams' p (Pearson's r, system level): probability of a difference at least as large by the choice of "
            "systems alone."
        ),
        "Bootstrap p: probability of a difference at least as large by the choice of topics alone.",
        "All p-values are two-sided. p (Holm) is corrected for 1 difference per test, level and coefficient.",
    ):
        assert note in unwrap(output).splitlines()
    lines = unwrap(output).splitlines()
    assert lines[-1].startswith("Signature: meta-eval|scores:")
    assert "|rouge:recall|systems:automatic|bootstrap:topics:40/0|holm:1|version:" in lines[-1]
    keys = [[line.split()[3:5] for line in table[-5:]] for table in tables if " other differences" in table[0]]
    assert len(keys) > 1  # the columns are divided, and each table has all that names the differences
    assert all(others == keys[0] for others in keys)
    others = keys[0]
    assert others == [[level, name] for level in ("system", "summary") for name in ("r", "rho", "tau")][1:]


@pytest.mark.parametrize(("drawn", "over"), [("systems", "systems"), ("both", "topics and systems")])
def test_the_report_names_the_drawn_units(room: Path, capsys: Capture, drawn: str, over: str) -> None:
    """Resamples draw topics and systems by default, and not only topics. Swaps of systems give another p-value."""
    flags = ("--judgements", "content.table", "--resamples", "40")
    assert run("scores.tsv", *flags, "--resample", drawn) == 0
    output = capsys.readouterr().out
    assert f"Intervals: 95 %, bootstrap over {over}, 40 resamples, seed 0" in output
    note = f"Bootstrap p: probability of a difference at least as large by the choice of {over} alone."
    assert note in unwrap(output)
    assert "Permutation p:" in output
    assert f"|bootstrap:{drawn}:40/0|" in output
    if drawn == "both":
        assert run("scores.tsv", *flags) == 0
        assert capsys.readouterr().out == output


def test_left_out_systems_and_topics_have_a_note(room: Path, capsys: Capture) -> None:
    """The fourth system in NIST's table of pyramids has no score on one topic, and two topics are in only one file."""
    text = (room / "2007_modified_scores.txt").read_text().splitlines(keepends=True)
    (room / "some.txt").write_text("".join(line for line in text if not line.startswith("D0903\t5")))
    flags = ("--criteria", "pyramid_modified", "--resamples", "4", "--level", "summary")
    assert run("scores.tsv", "--judgements", "some.txt", *flags) == 0
    output = unwrap(capsys.readouterr().out)
    assert (
        "Left out for pyramid_modified by good, noise: 1 system without both scores and judgements (1), 3 "
        "topics without both scores and judgements (D0902, D0904, D0906), 1 topic without some of the remaining "
        "systems (D0903).\n"
    ) in output
    assert "Intervals and bootstrap p-values require at least 5 topics.\n" in output
    assert "Intervals: 95 %" not in output
    assert "pyramid_modified, differences" not in output
    assert "Williams" not in output
    assert "System level" not in output


def test_few_resamples_have_a_note(room: Path, capsys: Capture) -> None:
    """With 3 differences and 10 resamples, p is at least 1 / 11, corrected 3 / 11. 60 resamples give p below 0.05."""
    flags = ("--judgements", "content.table", "--level", "system", "--resamples", "10")
    assert run("scores.tsv", "rougejk.m.out", "--metrics", "good,noise,ROUGE-1", *flags) == 0
    output = unwrap(capsys.readouterr().out)
    assert "With 10 resamples, p (Holm) of the bootstrap and the permutations cannot be below 0.273." in output
    assert " Use --resamples 60 or more, or fewer --metrics.\n" in output
    reason = "the metrics correlate with each other by 1"
    assert f"Not defined (-): content_responsiveness, noise vs. ROUGE-1, Williams: {reason}.\n" in output


def test_undefined_is_marked(room: Path, capsys: Capture) -> None:
    rows = "".join(f"{topic}\t{system}\t1\n" for topic in TOPICS for system in SYSTEMS)
    (room / "flat.tsv").write_text("topic\tsystem\tflat\n" + rows)
    assert run("flat.tsv", "--judgements", "content.table", "--level", "system") == 0
    output = capsys.readouterr().out
    flat = next(line for line in output.splitlines() if line.startswith("flat"))
    assert flat.split() == ["flat", "-", "-", "-", "5", "6"]
    reason = "all systems have equal scores or equal judgements, to 6 decimals"
    assert f"Not defined (-): content_responsiveness by flat, system level: {reason}.\n" in unwrap(output)


def test_one_note_per_reason_for_undefined_values(room: Path, capsys: Capture) -> None:
    """A constant metric among thirteen others filled the screen with a note for each of its differences."""
    names = ["flat", *(f"m{number}" for number in range(13))]
    rows = "".join(
        f"{topic}\t{author}\t1" + "".join(f"\t{score(t, a) + n * t * a % 3}" for n in range(13)) + "\n"
        for topic, author, t, a in list_summaries()
    )
    (room / "many.tsv").write_text("\t".join(["topic", "system", *names]) + "\n" + rows)
    assert run("many.tsv", "--judgements", "content.table", "--level", "system", "--resamples", "4") == 0
    (note,) = (line for line in unwrap(capsys.readouterr().out).splitlines() if "equal scores by one metric" in line)
    assert note.startswith("Not defined (-): content_responsiveness, flat vs. m0, flat vs. m1, ")
    assert note.endswith(
        "flat vs. m11 and 1 more, difference: all systems have equal scores by one metric or equal judgements, to 6 "
        "decimals."
    )


def test_undefined_resamples_have_a_note(room: Path, capsys: Capture) -> None:
    """The systems differ in only one topic."""
    rows = [(topic, system, int(system) * (topic == "D0901")) for topic in TOPICS for system in SYSTEMS]
    (room / "rare.tsv").write_text("topic\tsystem\trare\n" + "".join("\t".join(map(str, row)) + "\n" for row in rows))
    assert run("rare.tsv", "--judgements", "content.table", "--resamples", "100", "--resample", "topics") == 0
    drawn = np.random.RandomState(0).randint(len(TOPICS), size=(100, len(TOPICS)))
    without = int((drawn != 0).all(axis=1).sum())
    output = unwrap(capsys.readouterr().out)
    line = f"content_responsiveness by rare, system level: the interval leaves out {without} resamples without a "
    assert line in output
    assert (
        "Left out for content_responsiveness by rare at the summary level: 5 topics in which all systems have "
        "equal scores or judgements (D0902, D0903, D0904, D0905, D0906).\n"
    ) in output


def test_flags(room: Path, capsys: Capture) -> None:
    flags = ("--judgements", "content.table", "linguistic_quality.table", "--criteria", "linguistic_quality_2")
    more = (
        "--metrics",
        "ROUGE-2-F",
        "--rouge",
        "f",
        "--systems",
        "all",
        "--seed",
        "9",
        "--resamples",
        "20",
        "--resample",
        "topics",
    )
    assert run("rougejk.m.out", *flags, *more, "--format", "json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["kind"] == "meta-evaluation"
    assert [correlation["level"] for correlation in record["correlations"]] == ["system", "summary"]
    first = record["correlations"][0]
    assert (first["metric"], first["judgement"]) == ("ROUGE-2-F", "linguistic_quality_2")
    assert set(first["systems"]) == {*SYSTEMS, *HUMANS}
    assert set(first["left_out"]) == {"lacking_systems", "sparse_systems", "lacking_topics", "incomplete_topics"}
    assert record["statistics"] == {"unit": "topics", "resamples": 20, "seed": 9, "confidence": 0.95}
    assert record["differences"] == []
    assert record["scores"][0]["measures"] == ["ROUGE-1-F", "ROUGE-2-F"]
    assert run("rougejk.m.out", "--judgements", "content.table", "--systems", "human", "--format", "json") == 0
    record = json.loads(capsys.readouterr().out)
    assert {correlation["reason"] for correlation in record["correlations"]} == {"fewer than 3 systems"}
    assert record["differences"][0]["values"] == {"first": None, "second": None, "between": None}
    assert record["other_systems"] == list(SYSTEMS)


def test_names_of_metrics_are_no_formulas_in_the_csv(room: Path, capsys: Capture) -> None:
    """A metric can have any name, and `=HYPERLINK(...)` was a live link once a spreadsheet had opened the report."""
    scores = (room / "scores.tsv").read_text()
    (room / "scores.tsv").write_text(scores.replace("good", "=HYPERLINK(1)", 1))
    assert run("scores.tsv", "--judgements", "content.table", "--format", "csv", "--resamples", "50") == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    names = {cell for row in rows for cell in row if "HYPERLINK" in cell}
    assert "'=HYPERLINK(1)" in names
    assert not any(name.startswith("=") for name in names)


def test_every_number_is_in_the_csv(room: Path, capsys: Capture) -> None:
    assert run("scores.tsv", "--judgements", "content.table", "--output", "a.csv", "--resamples", "50") == 0
    assert capsys.readouterr().out == "a.csv\n"
    rows = list(csv.DictReader(io.StringIO((room / "a.csv").read_text())))
    assert [row["measure"] for row in rows[:3]] == ["pearson", "spearman", "kendall"]
    assert len(rows) == 2 * 2 * 3 + 1 + 2 * 2 * 3  # Williams' test, and two others per level and coefficient
    tested, drawn, swapped = rows[12:15]
    assert (tested["measure"], drawn["measure"], swapped["measure"]) == ("williams_t", "difference", "permutation")
    assert swapped["value"] == drawn["value"]
    assert [(row["level"], row["measure"]) for row in rows[15::2]] == [
        *(("system", f"difference_{name}") for name in ("spearman", "kendall")),
        *(("summary", f"difference{end}") for end in ("", "_spearman", "_kendall")),
    ]
    t = float(tested["value"])
    assert float(tested["p"]) == pytest.approx(1 - abs(t) / math.sqrt(2 + t * t), abs=1e-6)
    assert float(drawn["lower"]) <= float(drawn["value"]) <= float(drawn["upper"])
    good, noise = (row for row in rows if row["measure"] == "pearson" and row["level"] == "system")
    assert float(drawn["value"]) == pytest.approx(float(good["value"]) - float(noise["value"]), abs=2e-6)
    assert run("scores.tsv", "--judgements", "content.table", "--format", "csv", "--resamples", "50") == 0
    assert capsys.readouterr().out == (room / "a.csv").read_text()


def test_tables_for_papers(room: Path, capsys: Capture) -> None:
    for name, expected in (("a.md", "| good | 0."), ("a.tex", "good vs. noise & 0."), ("a.txt", "good vs. noise")):
        assert run("scores.tsv", "--judgements", "content.table", "--output", name, "--resamples", "9") == 0
        assert capsys.readouterr().out == f"{name}\n"
        assert expected in (room / name).read_text()


@pytest.mark.needs("matplotlib")
def test_plot(room: Path, capsys: Capture) -> None:
    flags = ("--judgements", "content.table", "--resamples", "20", "--plot")
    assert run("scores.tsv", *flags, "a.png") == 0
    assert capsys.readouterr().err == "a.png\n"
    assert run("scores.tsv", *flags, "a.png", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "meta-evaluation"  # the name of the picture came after it
    assert run("scores.tsv", *flags, "a.png", "--output", "a.txt") == 0
    assert capsys.readouterr().out == "a.txt\na.png\n"
    assert (room / "a.png").read_bytes().startswith(b"\x89PNG")
    assert run("scores.tsv", *flags, "a.svg", "--level", "system", "--systems", "all") == 0
    text = (room / "a.svg").read_text()
    for label in (">content_responsiveness<", ">system level, 7 systems, 6 topics<", ">good<", ">Kendall tau-b<"):
        assert label in text
    assert ">correlation (line: 95 % interval)<" in text
    assert run("scores.tsv", *flags, "a.pdf", "--systems", "human") == 0  # of two humans there is nothing to draw
    assert (room / "a.pdf").read_bytes().startswith(b"%PDF")
    capsys.readouterr()
    assert run("scores.tsv", *flags, "a.gif") == 2
    assert re.search(mentions("format '.gif' ... .png, .svg, .pdf"), capsys.readouterr().err)
    assert run("scores.tsv", *flags, "a.svg", "--output", "a.svg", "--format", "csv") == 2
    assert re.search(mentions("--output ... --plot ... paths"), capsys.readouterr().err)


@pytest.mark.needs("matplotlib")
def test_a_picture_for_dark_pages_has_light_texts() -> None:
    """Pictures of the documentation were white on dark pages."""
    values = {(f"D{topic}", system): float(topic * int(system) % 4) for topic in range(3) for system in SYSTEMS}
    scores = MeasureScores("m", "m", values)
    settings = CorrelationSettings(resamples=2, coefficients=("pearson", "accuracy"))
    pictures = [
        draw_correlations(evaluate_metrics([scores], [scores], settings), "svg", is_dark=dark) for dark in (0, 1)
    ]
    light, dark = (picture.decode() for picture in pictures)
    assert ("#1b1f24" in light, "#e6e9ed" in light) == (True, False)
    assert ("#1b1f24" in dark, "#e6e9ed" in dark) == (False, True)
    assert ">correlation or accuracy<" in light  # two resamples of three topics give no interval


def test_a_metric_in_several_files_needs_a_prefix(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (room / "other.tsv").write_text((room / "scores.tsv").read_text() + "D1\t1\t0\t0\n")
    assert run("scores.tsv", "other.tsv", "--judgements", "content.table", "--metrics", "good") == 2
    message = "'good' ... scores.tsv:good ... other.tsv:good"
    assert re.search(mentions(message), capsys.readouterr().err)


def test_a_picture_has_limits() -> None:
    values = {(f"D{topic}", system): float(topic * int(system) % 4) for topic in range(3) for system in SYSTEMS}
    many = [MeasureScores(f"m{number}", "m", values) for number in range(280)]
    evaluation = evaluate_metrics([many[0]], many)
    with pytest.raises(OptionError, match=mentions("560 panels ... --metrics ... --criteria")):
        draw_correlations(evaluation)


@pytest.mark.needs("matplotlib")
def test_bad_input(room: Path, capsys: Capture) -> None:
    judged = ("--judgements", "content.table")
    for arguments, message in (
        (
            ("scores.tsv", *judged, "--metrics", "goo"),
            "'goo' ... 'good' ... good, noise",
        ),
        (("scores.tsv", *judged, "--metrics", "good,good"), "'good' ... once"),
        (("scores.tsv", *judged, "--criteria", "x"), "'x' ... content_responsiveness"),
        (("nothing", *judged), "nothing: no such file ... ARCHIVE/PATH"),
        (
            ("sample", *judged),
            "(--systems automatic) ... no topic ... topic S0101 ... judgements topic D0901 ... names",
        ),
        (
            ("scores.tsv", *judged, "--output", "scores.tsv", "--format", "csv"),
            "scores.tsv: ... also an input ... --output",
        ),
        (("scores.tsv", *judged, "--plot", "content.png"), "content.png: ... also an input ... --output"),
    ):
        if "content.png" in arguments:
            (room / "content.png").symlink_to("content.table")
        assert run(*arguments) == 2
        assert re.search(mentions(message), capsys.readouterr().err)
    with pytest.raises(SystemExit):
        run("scores.tsv", *judged, "--metrics", "a,,b")
    assert re.search(mentions("--metrics"), capsys.readouterr().err)


def test_left_out_files_have_a_note(room: Path, capsys: Capture) -> None:
    """An invalid peer annotation is left out, and the other files of the archive are read."""
    (room / "a.tar.gz").write_bytes(tar({"D0901-A.pyr": PYRAMID, PEER_NAME: PEER, "other.pan": b"<!DOCTYPE pyramid"}))
    (room / "b.tsv").write_text("topic\tsystem\tm\nD0901-A\t7\t1\n")
    assert run("b.tsv", "--judgements", "a.tar.gz") == 0
    assert "a.tar.gz: 1 file left out. `pyramid-paraphrase inspect` lists the reasons.\n" in capsys.readouterr().out


@pytest.fixture(scope="module")
def nist(real_archive: Path) -> Path:
    path = real_archive.with_name("mainEval.tar.gz")
    if not path.is_file():
        pytest.skip("the licensed evaluation of DUC 2007 is not beside the checkout (../shared/data/duc2007)")
    return path / "mainEval"


def test_means_are_those_that_nist_published(nist: Path) -> None:
    """Of content to all of its three decimals.

    NIST's averages of ROUGE are ROUGE's own, which are means over its resamples: the lines that begin with the system
    and `Average_R`. They differ from the means of what it says of the summaries by 0.00014 at most.
    """

    def average(name: str, location: str) -> dict[str, float]:
        by_system: dict[str, list[float]] = {}
        for (_, system), value in read(nist / location)[name].values.items():
            by_system.setdefault(system, []).append(value)
        return {system: fmean(values) for system, values in by_system.items()}

    def published(location: str) -> dict[str, float]:
        rows = [line.split() for line in read_files(nist / location)[0].data.decode().splitlines() if line.strip()]
        return {row[0]: float(row[1]) for row in rows}

    ours, theirs = average("content_responsiveness", "manual/content.table"), published("manual/avg_content")
    assert len(theirs) == 42
    assert {system: round(value, 3) for system, value in ours.items()} == theirs
    for metric, file in (("ROUGE-2", "rouge2"), ("ROUGE-SU4", "rougeSU4")):
        ours, theirs = average(metric, "ROUGE/rougejk.m.out"), published(f"ROUGE/{file}.jk.m.avg")
        assert max(abs(ours[system] - value) for system, value in theirs.items() if system.isdigit()) < 0.00014


def test_correlations_on_duc_2007(nist: Path, real_archive: Path, capsys: Capture) -> None:
    """Expected values by scipy, from NIST's files by a few lines of their own, which round no single score."""
    table = real_archive / "mainPyramidEval" / "scoring" / "2007_modified_scores.txt"
    flags = ("--metrics", "ROUGE-2,ROUGE-SU4", "--criteria", "content.table:content_responsiveness,pyramid_modified")
    rouge, content = nist / "ROUGE" / "rougejk.m.out", nist / "manual" / "content.table"
    assert run(rouge, "--judgements", content, table, *flags, "--format", "csv", "--resamples", "20") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    computed = {
        (row["judgement"].split(":")[-1], row["metric"], row["level"], row["measure"]): float(row["value"])
        for row in rows
    }
    content_name, pyramid = "content_responsiveness", "pyramid_modified"
    expected = {
        (content_name, "ROUGE-2", "system"): (0.877806, 0.868202, 0.707340),
        (content_name, "ROUGE-SU4", "system"): (0.830553, 0.826562, 0.642298),
        (pyramid, "ROUGE-2", "system"): (0.979136, 0.989011, 0.948718),
        (pyramid, "ROUGE-SU4", "system"): (0.960864, 0.972527, 0.897436),
        (content_name, "ROUGE-SU4", "summary"): (0.508278, 0.485562, 0.390501),
        (pyramid, "ROUGE-2", "summary"): (0.705412, 0.658087, 0.519967),
    }
    for key, values in expected.items():
        for name, value in zip(("pearson", "spearman", "kendall"), values, strict=True):
            assert computed[(*key, name)] == pytest.approx(value, abs=5e-6)
    assert computed[content_name, "ROUGE-2", "system", "williams_t"] == pytest.approx(2.954008, abs=5e-4)
    assert {(row["systems"], row["topics"]) for row in rows} == {("32", "45"), ("13", "23")}
