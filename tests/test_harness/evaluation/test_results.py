"""Result files: written files can be read, and files that were tampered with are refused."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from harness.api.evaluating import evaluate
from harness.evaluation.record import OtherMetric
from harness.evaluation.results import MAX_JSON_BYTES, make_result, read_result, read_results
from harness.evaluation.score_files import MAX_SCORES_BYTES, ScoreParser, parse_scores, render_scores
from harness.metrics.rows import ScoredRows
from harness.stats.rounding import RoundedScores, round_scores
from pyramid_paraphrase.errors import InputError, OutputError
from pyramid_paraphrase.rules.options import PAIRS


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return evaluate("overlap", "sample", ["ranking"], resamples=10).write(tmp_path)


def test_the_limits_of_files() -> None:
    """One mebibyte for the numbers, and a quarter of a gibibyte for the scores of a test."""
    assert (MAX_JSON_BYTES, MAX_SCORES_BYTES) == (1 << 20, 1 << 28)


def test_results_of_files_and_folders(written: Path, tmp_path: Path) -> None:
    assert [result.path for result in read_results([written, tmp_path])] == [str(written)] * 2
    with pytest.raises(InputError, match=mentions("nowhere: ... path")):
        read_results([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=mentions("empty: ... no result ... pyramid-paraphrase evaluate")):
        read_results([tmp_path / "empty"])


def test_a_result_shows_its_place_and_main_metrics(written: Path) -> None:
    result = read_result(written)
    test = structs.replace(
        result.tests["ranking"], metrics={"success_rate": 0.25, "other": 1.0}, intervals={"success_rate": (0.125, 0.5)}
    )
    named = structs.replace(test, other_metrics={"bleu": OtherMetric(0.5, None)})
    read, made = (
        dataclasses.replace(result, record=structs.replace(result.record, tests={"ranking": content}), path=path)
        for content, path in ((test, str(written)), (named, ""))
    )
    assert repr(read) == f"Result of overlap ({written})\n  ranking: success_rate 0.250 [0.125, 0.500]"
    assert repr(made).splitlines()[0] == "Result of overlap"
    assert "ranking</td><td>success rate</td><td>0.250 [0.125, 0.500]</td>" in read._repr_html_()
    assert "other_metrics" not in read.tasks["ranking"]
    assert made.tasks["ranking"]["other_metrics"] == {"bleu": {"value": 0.5, "interval": None}}
    graded = structs.replace(test, metrics={"pearson": 0.5, "max_f1": 0.25, "max_f1_recall": 1.0}, intervals={})
    record = structs.replace(result.record, tests={"pit_similarity": graded})
    assert "  pit_similarity: pearson 0.500, max_f1 0.250" in repr(dataclasses.replace(result, record=record))


def test_notes_do_not_distinguish_results(written: Path) -> None:
    result = read_result(written)
    assert dataclasses.replace(result, notes=("The model cut 3 texts.",)) == result
    assert dataclasses.replace(result, path="elsewhere.json") != result


def test_what_is_written_is_read(written: Path) -> None:
    result = read_result(written)
    assert result.model == "overlap"
    assert result.rows["ranking"].scores.shape == (634, 4)
    content = written.read_bytes()
    assert result.write(written.parent.parent) == written
    assert written.read_bytes() == content


SHARES = ("f1", "precision", "recall", "accuracy", "mcc", "average_precision", "roc_auc", "positive_share")
PAIR_TEST: dict[str, Any] = {
    "kind": "pairs",
    "fingerprint": "0" * 64,
    "options": {},
    "counts": {},
    "metrics": dict.fromkeys(SHARES, 0.5),
    "threshold": 0.5,
    "intervals": {},
}
CHANGES: dict[str, tuple[Callable[[Any], object], str]] = {
    "no test": (lambda record: record["tests"].clear(), ".json: ... tests: ... pyramid-paraphrase evaluate"),
    "a share above 1": (
        lambda record: record["tests"]["ranking"]["metrics"].update(mrr=1.5),
        ".json: ... tests.ranking.metrics.mrr: 1.5 ... 0 ... 1 ... pyramid-paraphrase evaluate",
    ),
    "a foreign key": (
        lambda record: record.update(note="x"),
        ".json: ... top level: ... unexpected ... pyramid-paraphrase evaluate",
    ),
    "no version": (
        lambda record: record.pop("schema_version"),
        ".json: ... 'schema_version' ... pyramid-paraphrase evaluate",
    ),
    "a later version": (
        lambda record: record.update(schema_version=3),
        ".json: ... version 3, written by pyramid-paraphrase 0.1.0, ... up to 2. Install",
    ),
    "a path": (
        lambda r: r["tests"]["ranking"]["scores"].update(file="../x.csv.gz"),
        ".json: ... tests.ranking.scores.file: '../x.csv.gz' ... pyramid-paraphrase evaluate",
    ),
    "a missing file": (
        lambda r: r["tests"]["ranking"]["scores"].update(file="x.csv.gz"),
        "overlap/x.csv.gz: ... directory ... pyramid-paraphrase evaluate",
    ),
    "another hash": (
        lambda r: r["tests"]["ranking"]["scores"].update(sha256="0" * 64),
        ".ranking.csv.gz: ... .json: ... changed, ... Evaluate",
    ),
    "a name of two lines": (
        lambda r: r["model"].update(name="a\x1b[2J"),
        ".json: ... model.name ... pyramid-paraphrase evaluate",
    ),
    "another kind of scores": (
        lambda r: r["tests"].update(binary={**PAIR_TEST, "scores": r["tests"]["ranking"]["scores"]}),
        ".json: ... scores of all its tests. ... pyramid-paraphrase evaluate",
    ),
    "no scores of a test": (
        lambda r: r["tests"]["ranking"].pop("scores"),
        ".json: ... tests.ranking: ... 'scores'. ... pyramid-paraphrase evaluate",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changed_results_are_refused(written: Path, name: str) -> None:
    change, message = CHANGES[name]
    record = json.loads(written.read_text())
    change(record)
    written.write_text(json.dumps(record))
    with pytest.raises(InputError) as caught:
        read_result(written)
    assert re.search(mentions(message), str(caught.value))


def test_a_metric_must_follow_from_the_scores(written: Path) -> None:
    """`report` showed any metric of the file, with the interval of the difference that the scores give."""
    value = json.loads(written.read_text())
    metrics = value["tests"]["ranking"]["metrics"]
    actual = metrics["success_rate"]
    for claimed, is_read in ((actual + 1e-6, True), (round(actual + 3e-6, 6), False), (0.9, False)):
        metrics["success_rate"] = claimed
        written.write_text(json.dumps(value))
        if is_read:
            assert read_result(written).tests["ranking"].metrics["success_rate"] == claimed
        else:
            message = mentions(f"{written}: success_rate of ranking ... {claimed}, ... {actual}. ... evaluate")
            with pytest.raises(InputError, match=message):
                read_result(written)
    metrics |= {"success_rate": actual, "later_metric": 0.9}
    written.write_text(json.dumps(value))
    assert read_result(written).tests["ranking"].metrics["later_metric"] == 0.9


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("{", "JSON"),
        ("NaN", "NaN"),
        ("[" * 100_000, "20 deep"),
        ("\xff", "UTF-8"),
        ('{"schema_version": NaN}', "NaN"),
        ('{"x": 1e999}', "1e999"),
    ],
)
def test_files_that_are_not_results(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match=mentions(f"x.json: ... {reason} ... pyramid-paraphrase evaluate")):
        read_result(path)


def test_sizes_are_limited(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.evaluation.results.MAX_JSON_BYTES", 100)
    with pytest.raises(InputError, match=mentions(".json: ... 100 bytes ... pyramid-paraphrase evaluate")):
        read_result(written)
    with pytest.raises(InputError, match=mentions("overlap: ... Is a directory ... pyramid-paraphrase evaluate")):
        read_result(written.parent)


def test_a_folder_that_cannot_be_written() -> None:
    with pytest.raises(OutputError, match=mentions("/proc/nothing/overlap: ... No such file or directory) ... path")):
        evaluate("overlap", "sample", ["ranking"], resamples=10, output="/proc/nothing")


def test_results_share_all_arrays_but_the_scores(written: Path, tmp_path: Path) -> None:
    """Each of 1,000 results had its own ids and labels, and its files: 6.2 MiB each on DUC 2007, 6.4 GiB together."""
    evaluate("one-hot", "sample", ["ranking"], resamples=10).write(tmp_path)
    first, second = read_results([tmp_path])
    assert (first.model, second.model) == ("one-hot", "overlap")
    rows, other_rows = first.rows["ranking"], second.rows["ranking"]
    shared = [name for name in ROW_ARRAYS if getattr(rows, name) is getattr(other_rows, name)]
    assert shared == ["ids", "is_test", "targets", "topics", "topic_names"]
    assert rows.scores.tolist() != other_rows.scores.tolist()
    assert not any(isinstance(value, bytes) for value in vars(first.files).values())
    alone = read_result(written)
    assert render_scores(alone.rows["ranking"]) == render_scores(other_rows) == second.files["ranking"]


def test_other_rows_of_the_same_shape_are_not_shared() -> None:
    parser = ScoreParser()
    other_rows = replace(ITEMS, ids=["aa", "cc", "bb"])
    for rows in (ITEMS, other_rows, replace(ITEMS, targets=np.array([1, 1, 1])), ITEMS):
        again = parser.parse(render_scores(rows), "x")
        assert (again.ids, again.targets.tolist()) == (rows.ids, rows.targets.tolist())
    refused = gzip.compress(f"{HEADER}aa,test,1,T1 T2,0.5\naa,test,0,T1,0.5\ncc,test,1,T1 T2,1\n".encode())
    for _ in range(2):  # also after the same columns were refused
        with pytest.raises(InputError, match=mentions("x: ... twice ... Evaluate")):
            parser.parse(refused, "x")


def test_score_files_that_change_after_they_were_read(written: Path, tmp_path: Path) -> None:
    result = read_result(written)
    assert dict(result.files) == {"ranking": written.with_suffix(".ranking.csv.gz").read_bytes()}
    written.with_suffix(".ranking.csv.gz").write_bytes(b"other")
    with pytest.raises(InputError, match=mentions(f".ranking.csv.gz: ... {written.name} ... Evaluate")):
        result.write(tmp_path / "copy")


def test_nothing_half_written_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = evaluate("overlap", "sample", ["ranking"], resamples=10)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OutputError, match=mentions("(No space left on device). ... free space")):
        result.write(tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_record_of_our_own_is_checked_too() -> None:
    result = evaluate("overlap", "sample", ["ranking"], resamples=10)
    with pytest.raises(InputError, match=mentions(": tests: ... pyramid-paraphrase evaluate")):
        make_result(structs.replace(result.record, tests={}), {})


ITEMS = ScoredRows(
    kind=PAIRS,
    ids=["aa", "bb", "cc"],
    is_test=np.array([False, True, True]),
    targets=np.array([1, 0, 1]),
    topics=np.array([[0, 1], [0, 0], [0, 1]]),
    topic_names=("T1", "T2"),
    scores=RoundedScores(np.array([0.5, -0.25, 1.0])),
)


def test_scores_are_plain_text_inside() -> None:
    assert gzip.decompress(render_scores(ITEMS)).decode() == (
        "id,split,target,topics,score\n"
        "aa,validation,1,T1 T2,0.500000\nbb,test,0,T1,-0.250000\ncc,test,1,T1 T2,1.000000\n"
    )


@given(st.lists(st.tuples(st.floats(-9, 9), st.booleans(), st.integers(0, 1)), min_size=1, max_size=20))
def test_scores_survive_the_way_to_the_disk(rows: list[tuple[float, bool, int]]) -> None:
    count = len(rows)
    is_test = np.array([True] + [row[1] for row in rows[1:]])
    scores = np.round([row[0] for row in rows], 6) + 0.0
    scored_rows = ScoredRows(
        kind=PAIRS,
        ids=[str(i) for i in range(count)],
        is_test=is_test,
        targets=np.array([r[2] for r in rows]),
        topics=np.array([[0, 1]] * count),
        topic_names=("T1", "T2"),
        scores=round_scores(scores),
    )
    again = parse_scores(render_scores(scored_rows), "x")
    assert render_scores(again) == render_scores(scored_rows)
    assert again.scores.tolist() == scores.tolist()
    assert hashlib.sha256(render_scores(scored_rows)).digest() == hashlib.sha256(render_scores(again)).digest()


ROW_ARRAYS = ("ids", "is_test", "targets", "topics", "topic_names", "scores")
HEADER = "id,split,target,topics,score\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,score\n", "x.csv.gz, line 1: ... columns ... Evaluate"),
        ("", "x.csv.gz, line 1: ... columns ... Evaluate"),
        ("id,split,target,topics,score0,score2\n", "x.csv.gz, line 1: ... columns ... Evaluate"),
        (HEADER + "a,test,1,T1\n", "x.csv.gz, line 2: ... target ... Evaluate"),
        (HEADER + "a,dev,1,T1,0.5\n", "x.csv.gz, line 2: ... target ... Evaluate"),
        (HEADER + "a,test,1,T1 T2 T3,0.5\n", "x.csv.gz, line 2: ... target ... Evaluate"),
        (HEADER + "a,test,x,T1,0.5\n", "x.csv.gz, line 2: ... number ... Evaluate"),
        (HEADER + "a,test,1,T1,nan\n", "x.csv.gz, line 2: ... range ... Evaluate"),
        (HEADER + "a,test,2,T1,0.5\n", "x.csv.gz, line 2: ... range ... Evaluate"),
        (HEADER + "a,test,1,T1,0.5\na,test,0,T1,0.5\n", "x.csv.gz: ... twice ... Evaluate"),
        (HEADER + "a,validation,1,T1,0.5\n", "x.csv.gz: ... twice ... Evaluate"),
        (HEADER + 'a,test,1,T1,"0.5"\n', "x.csv.gz, line 2: ... number ... Evaluate"),
        (HEADER + "a,test,1,T1,0.5\n\nb,test,1,T1,0.5\n", "x.csv.gz, line 3: ... number ... Evaluate"),
        (HEADER + "a,test,1,T1,0.5\nb,,1,T1,0.5\n", "x.csv.gz, line 3: ... target ... Evaluate"),
        (HEADER, "x.csv.gz: ... twice ... Evaluate"),
        ("x" * 200_000, "x.csv.gz, line 1: ... columns ... Evaluate"),
    ],
)
def test_scores_of_strangers(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_scores(gzip.compress(text.encode()), "x.csv.gz")
    assert re.search(mentions(message), str(caught.value))


def test_scores_that_are_not_an_archive() -> None:
    for data in (b"", b"text", gzip.compress(b"x" * 100)[:-9], gzip.compress(b"\xff")):
        with pytest.raises(InputError, match=mentions("x: ... ASCII ... Evaluate")):
            parse_scores(data, "x")
    with pytest.raises(InputError, match=mentions("x: ... 10 bytes ... Evaluate")):
        parse_scores(gzip.compress(b"x" * 11), "x", 10)
    with pytest.raises(InputError, match=mentions("x: ... 1,048,576 bytes ... Evaluate")):
        parse_scores(gzip.compress(b"x" * (1 << 21)), "x")
