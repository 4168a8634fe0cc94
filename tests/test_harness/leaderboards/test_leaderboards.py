"""Leaderboards: acceptance, every reason for refusal, ranks, sites, and reproduction."""

from __future__ import annotations

import csv
import dataclasses
import gzip
import hashlib
import html
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.commands import Capture, run
from helpers.comparisons import compare_scored
from helpers.messages import mentions
from helpers.results import edit_result
from helpers.submissions import (
    FLAGS,
    FORM,
    SPECS,
    change,
    evaluate_forged,
    find_record,
    forge_scores,
    load_sample,
    read_scores,
    rename,
    rewrite,
)
from msgspec import structs

import harness
from harness.evaluation.comparing.comparison import compare
from harness.evaluation.results import Result, read_result
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.evaluation.score_files import render_scores
from harness.leaderboards.board import Board, find_board, read_board, write_board
from harness.leaderboards.candidates import make_candidate
from harness.leaderboards.checks import check_folder
from harness.leaderboards.rankings import RankedModel, Ranking, rank_models
from harness.leaderboards.site.pages import render_site
from harness.leaderboards.submissions import FORM_NAME, write_submission
from harness.leaderboards.verdicts import check_board, list_accepted
from harness.metrics.measuring import measure_contributions
from harness.metrics.rows import align
from harness.metrics.table import METRICS
from harness.models.loading import load_model
from harness.stats.significance import find_significant
from harness.support.errors import LeaderboardError
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.errors import PyramidParaphraseError

SITE = ("index.html", "README.md", "about.html", "history.html")
TOPICS = ("topics/binary-b80dc816ce66.csv", "topics/ranking-fa10d090d4bd.csv")
"""The pages of a leaderboard without models."""


def test_a_leaderboard_holds_keys_and_shortcuts_but_no_text(board: Board) -> None:
    names = sorted(str(path.relative_to(board.folder)) for path in board.folder.rglob("*") if path.is_file())
    # Fingerprints of the sample: test_sample.py.
    assert names[:6] == [
        "README.md", "hashes/binary-b80dc816ce66.json.gz", "hashes/ranking-fa10d090d4bd.json.gz",
        "keys/binary-b80dc816ce66.csv.gz", "keys/ranking-fa10d090d4bd.csv.gz", "leaderboard.json",
    ]  # fmt: skip
    assert sorted({Path(name).parts[1] for name in names[6:]}) == ["length", "options-only", "overlap"]
    everything = "".join(
        gzip.decompress(data).decode() if path.suffix == ".gz" else data.decode()
        for path in board.folder.rglob("*")
        if path.is_file()
        for data in [path.read_bytes()]
    )
    texts = load_sample().texts
    assert len(texts) > 300
    assert not any(text in everything for text in texts)
    assert [(test.configuration, test.rows) for test in board.tests] == [("binary", 1375), ("ranking", 634)]


def test_more_data_can_be_added_and_the_same_changes_nothing(board: Board) -> None:
    before = {path: path.read_bytes() for path in board.folder.rglob("*") if path.is_file()}
    assert run("leaderboard", "init", board.folder, "--data", "sample", "--task", "binary,ranking") == 0
    assert len(before) > 8
    changed = [path for path, data in before.items() if path.read_bytes() != data]
    assert all(path.parent.parent.name == "shortcuts" and path.suffix == ".json" for path in changed)  # times
    assert run("leaderboard", "init", board.folder, "--data", "sample", "--task", "ranking_matched") == 0
    again = read_board(board.folder)
    assert again.title == "Sample models"
    assert [test.configuration for test in again.tests] == ["binary", "ranking", "ranking_matched"]


def test_the_keys_are_the_rows_that_are_evaluated(board: Board, results: dict[str, Result]) -> None:
    assert len(board.tests) == 2
    for test in board.tests:
        scored_rows = results["one-hot"].rows[test.configuration]
        assert align(scored_rows, board.key(test)).ids == scored_rows.ids


def test_results_of_evaluate_are_accepted(
    capsys: Capture, board: Board, results: dict[str, Result], tmp_path: Path
) -> None:
    path = results["one-hot"].write(tmp_path / "results")
    assert run("submit", path, "--to", board.folder, *FLAGS, "--saw-test-data", "no") == 0
    (folder,) = board.list_submissions()
    assert f"Valid, and not yet accepted: {folder}" in capsys.readouterr().out
    stem = f"{path.stem}"
    assert sorted(entry.name for entry in folder.iterdir()) == sorted(
        [f"{stem}.json", f"{stem}.binary.csv.gz", f"{stem}.ranking.csv.gz", "submission.json"]
    )
    assert folder.name == f"one-hot-{stem}"
    form = json.loads((folder / FORM_NAME).read_text())
    assert {**form, "submitted": ""} == {
        "format": 1,
        "contact": "someone@example.org",
        "model_link": "https://example.org/m",
        "training_data": "none",
        "saw_test_data": "no",
        "submitted": "",
    }
    assert run("leaderboard", "check", folder) == 0
    assert "passes every check" in capsys.readouterr().out
    assert run("leaderboard", "check", board.folder) == 0
    assert "1 of 1 submission passed every check. Only `leaderboard reproduce` can verify" in capsys.readouterr().out


RECORDS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a success rate that does not follow": (
        lambda r: r["tests"]["ranking"]["metrics"].update(success_rate=0.99),
        ".json: success_rate of ranking ... 0.99 ... pyramid-paraphrase evaluate",
    ),
    "an F that does not follow": (
        lambda r: r["tests"]["binary"]["metrics"].update(f1=0.9),
        ".json: f1 of binary ... 0.9 ... pyramid-paraphrase evaluate",
    ),
    "another threshold": (
        lambda r: r["tests"]["binary"].update(threshold=0.1),
        ".json: threshold of binary ... 0.1, ... -1.85042 ... pyramid-paraphrase evaluate",
    ),
    "a narrower interval": (
        lambda r: r["tests"]["ranking"]["intervals"].update(mrr=[0.7, 0.71]),
        ".json: lower end of mrr of ranking ... 0.7 ... pyramid-paraphrase evaluate",
    ),
    "an interval that is missing": (
        lambda r: r["tests"]["ranking"]["intervals"].pop("mrr"),
        ".json: metrics with an interval of ranking ... ['success_rate'], ... ['mrr', 'success_rate'] ... Evaluate",
    ),
    "other counts": (
        lambda r: r["tests"]["ranking"]["counts"].update(test=635),
        ".json: counts of ranking ... {'test': 635 ... Evaluate",
    ),
    "other rules": (
        lambda r: r["tests"]["binary"]["options"].update(anchor="question"),
        ".json: options of binary ... { ... Evaluate",
    ),
    "a fingerprint that is none of the leaderboard's": (
        lambda r: r["tests"]["ranking"].update(fingerprint="0" * 64),
        ".json: ... ranking 000000000000 ... --task",
    ),
    "the fingerprint of another configuration": (
        lambda r: r["tests"]["ranking"].update(fingerprint=r["tests"]["binary"]["fingerprint"]),
        ".json: ... b80dc816ce66 ... --task ... b80dc816ce66, ranking",
    ),
    "a name that is HTML": (
        lambda r: r["model"].update(name="<script>alert(1)</script>"),
        ".json: the model name ... '<script>alert(1)</script>' ... 150 letters ... _.,:=@/()+-",
    ),
    "a name with a quote": (
        lambda r: r["model"].update(name='x" onclick="y'),
        ".json: the model name ... 150 letters ... _.,:=@/()+-",
    ),
    "a name that turns around": (
        lambda r: r["model"].update(name="a\u202eb"),
        ".json: the model name ... 150 letters ... _.,:=@/()+-",
    ),
    "a name that cannot be seen": (
        lambda r: r["model"].update(name="\u3164"),
        r".json: the model name ... \u3164 ... 150 letters ... _.,:=@/()+-",
    ),
    "a name that only looks like another": (
        lambda r: r["model"].update(name="\u043ene-hot"),
        ".json: the model name ... 150 letters ... _.,:=@/()+-",
    ),
    "a name with a wide letter": (
        lambda r: r["model"].update(name="\uff4fne-hot"),
        ".json: the model name ... 150 letters ... _.,:=@/()+-",
    ),
    "a name with a combining mark": (
        lambda r: r["model"].update(name="one-hot\u0323"),
        ".json: the model name ... 150 letters ... _.,:=@/()+-",
    ),
    "a name with blanks that no page shows": (
        lambda r: r["model"].update(name="tf-idf "),
        ".json: the model name ... 150 letters ... _.,:=@/()+-",
    ),
    "a name of 151 characters": (
        lambda r: r["model"].update(name="x" * 151),
        ".json: the model name ... 150 letters ... _.,:=@/()+-",
    ),
    "text in an option": (
        lambda r: r["model"]["options"].update(note="word " * 100),
        ".json: ... 500 characters ... model.options.note ... 300 characters",
    ),
    "text in a key": (
        lambda r: r["model"]["options"].update({"word " * 100: 1}),
        ".json: ... 500 characters ... model.options (a key) ... 300 characters",
    ),
    "a key that looks like a part of the signature": (
        lambda r: r["model"]["options"].update({"x|version:9": 1}),
        ".json: ... 'x|version:9' ... model.options (a key) ... pyramid-paraphrase evaluate",
    ),
    "words for a version": (
        lambda r: r["versions"].update(numpy="1, run again"),
        ".json: ... '1, run again' ... versions.numpy ... pyramid-paraphrase evaluate",
    ),
    "words for a date": (
        lambda r: r["time"].update(date="today"),
        ".json: ... 'today' ... time.date ... pyramid-paraphrase evaluate",
    ),
    "words for a kind": (
        lambda r: r["model"].update(kind="the best"),
        ".json: ... 'the best' ... model.kind ... pyramid-paraphrase evaluate",
    ),
    "words for the version of the data": (
        lambda r: r["dataset"].update(data_version="1|model:x"),
        ".json: ... '1|model:x' ... dataset.data_version ... pyramid-paraphrase evaluate",
    ),
    "many texts, each of them short": (
        lambda r: r["model"]["options"].update(note=["word " * 50] * 700),
        ".json: ... characters ... 10,000 ... Shorten",
    ),
    "scores of another test": (
        lambda r: r["tests"]["binary"]["scores"].update(r["tests"]["ranking"]["scores"]),
        "eb67d016dee3-6dad3318.json: ... named eb67d016dee3-6dad3318.TEST.csv.gz ... pyramid-paraphrase submit",
    ),
    "words for the name of a file": (
        lambda r: r["tests"]["binary"]["scores"].update(file="some-words.csv.gz"),
        "eb67d016dee3-6dad3318.json: ... named eb67d016dee3-6dad3318.TEST.csv.gz ... pyramid-paraphrase submit",
    ),
    "an integer that is no float": (
        lambda r: r["tests"]["binary"].update(threshold=10**400),
        ".json: ... number ... too large ... pyramid-paraphrase submit",
    ),
    "lists in lists": (
        lambda r: r["model"]["options"].update(note=json.loads("[" * 500 + "]" * 500)),
        ".json: ... 20 deep ... pyramid-paraphrase submit",
    ),
    "a value that fills the terminal": (
        lambda r: r["tests"]["binary"]["options"].update(scope="x" * 299),
        ".json: options of binary ... [...] ... Evaluate",
    ),
    "a line break": (
        lambda r: r["versions"].update(numpy="1\n2"),
        ".json: ... 3 characters ... versions.numpy ... 300 characters",
    ),
    "too much work": (
        lambda r: r["statistics"].update(resamples=10**9),
        ".json: ... 10,000 resamples ... resamples",
    ),
    "another confidence": (
        lambda r: r["statistics"].update(confidence=0.5),
        ".json: confidence ... 0.5, ... 0.95. ... Evaluate",
    ),
    "a path": (
        lambda r: r["tests"]["ranking"]["scores"].update(file="../x.csv.gz"),
        ".json: ... tests.ranking.scores.file: '../x.csv.gz' ... pyramid-paraphrase evaluate",
    ),
    "a foreign key": (
        lambda r: r.update(note="x"),
        ".json: ... top level: ... unexpected ... pyramid-paraphrase evaluate",
    ),
}


@pytest.mark.parametrize("name", RECORDS)
def test_records_that_are_refused(board: Board, submitted: Path, name: str) -> None:
    change, message = RECORDS[name]
    submitted = rewrite(submitted, change)
    with pytest.raises(PyramidParaphraseError) as caught:
        check_folder(board, submitted)
    assert re.search(mentions(message), str(caught.value))
    assert "\n" not in str(caught.value)


def test_a_prompt_may_have_several_lines(board: Board, results: dict[str, Result]) -> None:
    renamed = rename(results["one-hot"], "model (prompt=Task Query:...0c31c0)")
    prompted = change(renamed, lambda record: record["model"]["options"].update(prompt="Task\nQuery:"))
    folder = write_submission(board, prompted, FORM)
    assert check_folder(board, folder).result.signature == prompted.signature


def test_a_signature_and_a_hash_that_do_not_follow(board: Board, submitted: Path) -> None:
    rewrite(submitted, lambda record: record.update(signature="mine"), sign=False)
    with pytest.raises(LeaderboardError, match=mentions(".json: signature ... mine ... Evaluate")):
        check_folder(board, submitted)
    rewrite(submitted, lambda record: record["statistics"].update(seed=1), sign=False)
    with pytest.raises(LeaderboardError, match=mentions(".json: signature ... mine ... Evaluate")):
        check_folder(board, submitted)


def swap_scores(lines: list[str]) -> list[str]:
    """Give the right option of each question the highest score, which is better than the numbers of the record."""
    rows = [line.rstrip("\n").split(",") for line in lines[1:]]
    for row in rows:
        row[4 + int(row[2])] = "9.000000"
    return [lines[0], *(",".join(row) + "\n" for row in rows)]


SCORES: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "a row that is missing": (lambda lines: lines[:-1], ".json: ... ranking: missing rows: 1, ... 0. Evaluate"),
    "a row that is twice": (lambda lines: [*lines, lines[-1]], ".ranking.csv.gz: ... twice ... Evaluate"),
    "a row of another test": (
        lambda lines: [*lines[:-1], "x" + lines[-1][1:]],
        ".json: ... ranking: missing rows: 1, ... 1. Evaluate",
    ),
    "a text for an id": (
        lambda lines: [*lines[:-1], "some words" + lines[-1][64:]],
        ".json: ... ranking: missing rows: 1, ... 1. Evaluate",
    ),
    "another right option": (
        lambda lines: [lines[0], *(line.replace(",test,0,", ",test,1,") for line in lines[1:])],
        ".json: ... ranking: the targets ... Evaluate",
    ),
    "another topic": (
        lambda lines: [lines[0], *(line.replace(",S01", ",S02") for line in lines[1:])],
        ".json: ... ranking: the topics ... Evaluate",
    ),
    "fewer options": (
        lambda lines: [",".join(line.rstrip("\n").split(",")[:7]) + "\n" for line in lines],
        "number out of range. Evaluate",
    ),
    "more options": (
        lambda lines: [lines[0].rstrip("\n") + ",score4\n", *(line.rstrip("\n") + ",0\n" for line in lines[1:])],
        ".json: options per question of ranking ... 5, ... 4 ... Evaluate",
    ),
    "better scores": (swap_scores, ".json: success_rate of ranking ... 1.0. ... pyramid-paraphrase evaluate"),
    "numbers that round to infinity": (
        lambda lines: [lines[0], *(",".join([*line.split(",")[:4], *["1e308"] * 4]) + "\n" for line in lines[1:])],
        ".ranking.csv.gz, line 2: ... range ... Evaluate",
    ),
    "a number beyond six decimals": (
        lambda lines: [lines[0], *(line.rsplit(",", 1)[0] + ",1e15\n" for line in lines[1:])],
        ".json: ... score of ranking ... 1,000,000,000 ... pyramid-paraphrase evaluate",
    ),
    "a text beside": (
        lambda lines: [lines[0].rstrip("\n") + ",text\n", *lines[1:]],
        ".ranking.csv.gz, line 1: ... columns ... Evaluate",
    ),
    "a bomb": (lambda lines: [*lines, "0" * (1 << 20)], ".ranking.csv.gz: ... 127,800 bytes ... Evaluate"),
}


@pytest.mark.parametrize("name", SCORES)
def test_scores_that_are_refused(board: Board, submitted: Path, name: str) -> None:
    change, message = SCORES[name]
    forge_scores(submitted, "ranking", "".join(change(read_scores(submitted, "ranking"))))
    with pytest.raises(PyramidParaphraseError) as caught:
        check_folder(board, submitted)
    assert re.search(mentions(message), str(caught.value))


def test_scores_in_another_order_are_the_same(board: Board, submitted: Path) -> None:
    measured = check_folder(board, submitted).tests["ranking"].metrics
    header, *rows = read_scores(submitted, "ranking")
    forge_scores(submitted, "ranking", "".join([header, *reversed(rows)]))
    assert check_folder(board, submitted).tests["ranking"].metrics == pytest.approx(measured)


def test_scores_that_are_not_the_ones_of_the_record(board: Board, submitted: Path) -> None:
    (path,) = submitted.glob("*.ranking.csv.gz")
    path.write_bytes(gzip.compress(b"x"))
    with pytest.raises(PyramidParaphraseError, match=mentions(".ranking.csv.gz: ... belongs ... Evaluate")):
        check_folder(board, submitted)


FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a picture": (lambda f: (f / "x.png").write_bytes(b""), "x.png ... Remove"),
    "a pickle": (lambda f: (f / "x.pkl").write_bytes(b""), "x.pkl ... Remove"),
    "a folder": (lambda f: (f / "x").mkdir(), ": x ... regular file. Remove"),
    "a link": (lambda f: (f / "x").symlink_to("/etc/passwd"), ": x ... regular file. Remove"),
    "a second result": (
        lambda f: (f / "x.json").write_text("{}"),
        "exactly ... submission.json ... pyramid-paraphrase submit",
    ),
    "no form": (lambda f: (f / FORM_NAME).unlink(), "exactly ... submission.json ... pyramid-paraphrase submit"),
    "a damaged form": (
        lambda f: (f / FORM_NAME).write_text("{"),
        "submission.json: ... JSON ... pyramid-paraphrase submit",
    ),
    "a form of something else": (
        lambda f: (f / FORM_NAME).write_text("{}"),
        "submission.json: ... 'contact'. ... pyramid-paraphrase submit",
    ),
    "no scores": (
        lambda f: next(f.glob("*.ranking.csv.gz")).unlink(),
        ".ranking.csv.gz: ... directory ... pyramid-paraphrase evaluate",
    ),
    "keys that come twice": (
        lambda f: find_record(f).write_bytes(find_record(f).read_bytes().replace(b"{", b'{\n "time": "words",', 1)),
        ".json: ... 'time' ... pyramid-paraphrase submit",
    ),
    "a form with keys that come twice": (
        lambda f: (f / FORM_NAME).write_text((f / FORM_NAME).read_text().replace("{", '{"contact": "words",')),
        "submission.json: ... 'contact' ... pyramid-paraphrase submit",
    ),
    "a number that was edited by hand": (
        lambda f: find_record(f).write_bytes(re.sub(rb'"mrr": 0[.]\d+', b'"mrr":  0.99', find_record(f).read_bytes())),
        ".json: mrr of ranking ... 0.99 ... pyramid-paraphrase evaluate",
    ),
    "another encoding": (
        lambda f: find_record(f).write_text(find_record(f).read_text(), encoding="utf-16"),
        ".json: spacing ... pyramid-paraphrase submit",
    ),
    "a contact of half a character": (
        lambda f: (f / FORM_NAME).write_text((f / FORM_NAME).read_text().replace("someone", "\\ud800")),
        "submission.json: ... \\ud83d ... pyramid-paraphrase submit",
    ),
    "another name": (
        lambda f: next(p for p in f.glob("*.json") if p.name != FORM_NAME).rename(f / "result.json"),
        "result.json: ... named ... pyramid-paraphrase submit",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_folders_that_are_refused(board: Board, submitted: Path, name: str) -> None:
    change, message = FILES[name]
    change(submitted)
    with pytest.raises(PyramidParaphraseError) as caught:
        check_folder(board, submitted)
    assert re.search(mentions(message), str(caught.value))


@pytest.mark.parametrize(
    ("which", "message"),
    [
        ("*[0-9a-f].json", ".json: ... 262,144 bytes ... pyramid-paraphrase submit"),
        ("*.ranking.csv.gz", ".ranking.csv.gz: ... 127,800 bytes ... pyramid-paraphrase evaluate"),
    ],
)
def test_a_file_of_a_gigabyte_is_not_read(board: Board, submitted: Path, which: str, message: str) -> None:
    path = next(submitted.glob(which))
    with path.open("r+b") as file:
        file.truncate(1 << 30)  # sparse: it takes no room
    with pytest.raises(PyramidParaphraseError, match=mentions(message)):
        check_folder(board, submitted)


def test_a_submission_that_is_a_link_or_a_file(board: Board, submitted: Path) -> None:
    for name in ("link", "file"):
        path = submitted.with_name(name)
        path.symlink_to(submitted) if name == "link" else path.write_text("")
        with pytest.raises(LeaderboardError, match=mentions("is not a folder of a submission. Remove")):
            check_folder(board, path)


FORMS = {
    "a link that is code": ({"model_link": "javascript:alert(1)"}, "the form: ... model_link ... https:// ... Change"),
    "a link that leaves its attribute": (
        {"model_link": 'https://x"onclick="y'},
        "the form: ... model_link ... https:// ... Change",
    ),
    "an empty contact": ({"contact": ""}, "the form: ... contact ... Change"),
    "a long text": ({"training_data": "x" * 1001}, "the form: ... training_data ... Change"),
    "a link that names another host first": (
        {"model_link": "https://a.org@b.org/"},
        "the form: ... model_link ... https:// ... Change",
    ),
    "a link that turns around": (
        {"model_link": "https://a.org/\u202eb"},
        "the form: ... model_link ... https:// ... Change",
    ),
    "a blank contact": ({"contact": " "}, "the form: ... contact: ... printable line. ... Change"),
    "a contact that nobody sees": ({"contact": "\u3164"}, "the form: ... contact: ... printable line. ... Change"),
    "a text that turns around": ({"training_data": "a\u202eb"}, "the form: ... training_data ... printable ... Change"),
    "two lines": ({"contact": "a\nb"}, "the form: ... contact ... Change"),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms_that_are_refused_leave_nothing(
    capsys: Capture, board: Board, results: dict[str, Result], tmp_path: Path, name: str
) -> None:
    changes, message = FORMS[name]
    values = {"contact": "x", "model_link": "https://example.org", "training_data": "x", **changes}
    path = results["one-hot"].write(tmp_path / "results")
    flags = [part for key, value in values.items() for part in (f"--{key.replace('_', '-')}", value)]
    assert run("submit", path, "--to", board.folder, *flags, "--saw-test-data", "unknown") == 2
    error = capsys.readouterr().err
    assert re.search(mentions(message), error)
    assert error.count("\n") == 1
    assert board.list_submissions() == []


def test_the_result_on_the_data_of_the_leaderboard_is_submitted(
    capsys: Capture, board: Board, results: dict[str, Result], tmp_path: Path
) -> None:
    """A folder can also have results on other data."""
    results["one-hot"].write(tmp_path / "results")
    harness.evaluate("one-hot", SAMPLE_DIR / "S0101.pyr", "binary", resamples=5).write(tmp_path / "results")
    folder = tmp_path / "results" / "one-hot"
    assert len(list(folder.glob("*.json"))) == 2
    assert run("submit", folder, "--to", board.folder, *FLAGS, "--saw-test-data", "no") == 0
    results["one-hot"].write(tmp_path / "results" / "again")
    capsys.readouterr()
    assert run("submit", tmp_path / "results", "--to", board.folder, *FLAGS, "--saw-test-data", "no") == 2
    assert "contains several results: " in capsys.readouterr().err


def test_refused_submissions_are_not_written(
    capsys: Capture, board: Board, results: dict[str, Result], tmp_path: Path
) -> None:
    forged = edit_result(results["one-hot"], lambda record: record["tests"]["ranking"]["metrics"].update(mrr=0.99))
    path = forged.write(tmp_path / "results")
    assert run("submit", path, "--to", board.folder, *FLAGS, "--saw-test-data", "no") == 2
    assert re.search(
        mentions(".json: mrr ... ranking ... 0.99 ... pyramid-paraphrase evaluate"), capsys.readouterr().err
    )
    assert board.list_submissions() == []
    assert run("submit", path, "--to", tmp_path, *FLAGS, "--saw-test-data", "no") == 2
    assert re.search(mentions("is not a leaderboard. ... pyramid-paraphrase leaderboard init"), capsys.readouterr().err)


def test_duplicates_are_refused(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result], tmp_path: Path
) -> None:
    one = results["one-hot"]
    other = results["tf-idf"]
    copies = {
        "the same name as one-hot-": rename(other, "One-Hot"),
        "the same model as one-hot-": rename(one, "mine"),
        "the same scores as one-hot-": rename(one, "mine", "1" * 64),
        "the same name as the shortcut overlap": rename(other, "overlap", "2" * 64),
    }
    for number, (message, copied) in enumerate(copies.items()):
        path = copied.write(tmp_path / f"results{number}")
        assert run("submit", path, "--to", board.folder, *FLAGS, "--saw-test-data", "no") == 2
        assert re.search(mentions(message), capsys.readouterr().err)
    assert board.list_submissions() == [submitted]
    assert run("leaderboard", "check", board.folder) == 0
    write_submission(board, copies["the same scores as one-hot-"], FORM)
    assert run("leaderboard", "check", board.folder) == 2
    captured = capsys.readouterr()
    assert "one-hot-eb67d016dee3-6dad3318: passes every check" in captured.out
    assert "has the same scores as one-hot-" in captured.err
    assert re.search(mentions("1 of 2 submissions refused. ... above"), captured.err)


def test_a_changed_key_is_refused(board: Board, submitted: Path) -> None:
    path = board.folder / "keys" / board.tests[0].key
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(
        LeaderboardError,
        match=mentions("board/keys/binary-b80dc816ce66.csv.gz: ... created ... pyramid-paraphrase leaderboard init"),
    ):
        check_folder(board, submitted)


def test_invalid_leaderboards(capsys: Capture, board: Board, tmp_path: Path) -> None:
    assert run("leaderboard", "check", tmp_path) == 2
    assert re.search(mentions("neither a leaderboard nor ... leaderboard.json"), capsys.readouterr().err)
    assert run("leaderboard", "check", board.folder / "keys") == 2
    assert re.search(mentions("board/keys: ... submission ... board/submissions"), capsys.readouterr().err)
    (board.folder / "leaderboard.json").write_text('{"format": 1}')
    assert run("leaderboard", "render", board.folder, "--output", tmp_path / "site") == 2
    assert re.search(
        mentions("board/leaderboard.json: ... 'title' ... pyramid-paraphrase leaderboard init"), capsys.readouterr().err
    )
    assert not (tmp_path / "site").exists()


def submit_all(board: Board, results: dict[str, Result]) -> list[Ranking]:
    checked = [check_folder(board, write_submission(board, result, FORM)) for result in results.values()]
    return rank_models(board, [make_candidate(board, submission) for submission in checked])


def test_ranks_follow_from_comparing_pair_by_pair(board: Board, results: dict[str, Result]) -> None:
    """The rank is 1 + the number of significantly better models, by the uncorrected p-values of `compare`."""
    pairs, questions = submit_all(board, results)
    for ranking, metric in ((pairs, "f1"), (questions, "success_rate")):
        ranked = {entry.name: entry for entry in ranking.models if entry.ranks["all"] is not None}
        assert sorted(ranked) == ["one-hot", "tf-idf"]  # the other two are chance, and do not compete
        for name, entry in ranked.items():
            compared = next(
                compared
                for compared in compare([results[other] for other in SPECS], name, resamples=5)
                if (compared.test_name, compared.metric.name) == (ranking.test.configuration, metric)
            )
            better = [
                difference.model
                for difference in compared.differences
                if difference.model in ranked and difference.p_value < 0.05 and difference.difference > 0
            ]
            assert entry.ranks["all"] == 1 + len(better), (name, better)
    ranks = {entry.name: entry.ranks["all"] for entry in questions.models}
    # Of eight topics; shortcuts and chance have no rank.
    assert ranks == {
        "tf-idf": 1, "one-hot": 2, "overlap": None, "options-only": None, "length": None, "constant": None,
        "random": None,
    }  # fmt: skip
    assert {entry.ranks["reproduced"] for entry in questions.models} == {None}
    # By `compare --against overlap` on `ranking`: p is 0.0078 for tf-idf, and 0.4922 for one-hot.
    assert {entry.name: entry.beats_shortcut for entry in questions.models if entry.competes} == {
        "tf-idf": True,
        "one-hot": False,
    }
    assert (questions.shortcut, pairs.shortcut) == ("overlap", "length")


def test_a_model_of_one_test_is_in_one_ranking(board: Board) -> None:
    only = load_suite("sample", ["ranking"])
    result = evaluate_model(load_model("char-ngrams"), only, Settings(resamples=10))
    pairs, questions = submit_all(board, {"char-ngrams": result})
    names: Callable[[tuple[RankedModel, ...]], list[str]] = lambda entries: [entry.name for entry in entries]  # noqa: E731
    assert "char-ngrams" not in names(pairs.models)
    assert "char-ngrams" in names(questions.models)


def test_all_pairs_at_once_are_compared_as_two_are(results: dict[str, Result]) -> None:
    """A leaderboard and `compare` could disagree on a pair. Both now use the exact test."""
    scored = [results[name].rows["ranking"].test_split(None) for name in SPECS]
    differs = find_significant(np.array([measure_contributions(rows)["mrr"] for rows in scored]), 0.05)
    mrr = next(metric for metric in METRICS if metric.name == "mrr")
    expected = [
        [compare_scored(rows, column_rows, [mrr], 5, 3)["mrr"].p_value < 0.05 for column_rows in scored]
        for rows in scored
    ]
    assert differs.tolist() == expected
    assert 0 < differs.sum() < differs.size - len(SPECS)  # there are pairs of both kinds


def test_a_site_shows_checked_numbers_and_escapes_untrusted_texts(
    capsys: Capture, board: Board, results: dict[str, Result], tmp_path: Path
) -> None:
    hostile = structs.replace(FORM, contact="<b>me</b>", training_data="</dd><script>x</script>")
    folder = write_submission(board, results["one-hot"], hostile)
    refused = write_submission(board, results["random"], FORM)
    rewrite(refused, lambda record: record["tests"]["ranking"]["metrics"].update(mrr=1.0))
    site = tmp_path / "site"
    assert run("leaderboard", "render", board.folder, "--output", site) == 0
    captured = capsys.readouterr()
    assert captured.out == f"{site / 'index.html'}: 1 model\n"
    assert re.search(mentions(".json: mrr ... ranking ... 1.0 ... pyramid-paraphrase evaluate"), captured.err)
    assert re.search(mentions(f"{refused.name} is not on the site"), captured.err)
    index, model = (site / "index.html").read_text(), (site / "models" / f"{folder.name}.html").read_text()
    assert "Refused and not shown: 1 submission." in index
    assert f'<a href="models/{folder.name}.html">one-hot</a>' in index
    # Once in the overview, once per test, and once where the page explains it.
    assert index.count('<span class="badge self-reported">self-reported</span>') == 1 + 2 + 1
    assert index.count('<span class="badge shortcut">shortcut</span>') == 3 + 5 + 1
    assert [heading for heading in (">F<", ">AP<", ">accuracy<", ">success rate<", ">MRR<") if heading in index] == [
        ">F<",
        ">AP<",
        ">success rate<",
        ">MRR<",
    ]  # what is published of each configuration, and no more
    assert "Only the author vouches that the\nmodel made the scores" in index
    assert "&lt;b&gt;me&lt;/b&gt;" in model
    assert "&lt;/dd&gt;&lt;script&gt;x&lt;/script&gt;" in model
    assert model.count("<script>") == 1  # ours
    assert results["one-hot"].signature in model
    assert sorted(path.name for path in site.rglob("*.html")) == sorted([*SITE[:1], *SITE[2:], f"{folder.name}.html"])
    first = {path: path.read_bytes() for path in site.rglob("*") if path.is_file()}
    assert run("leaderboard", "render", board.folder, "--output", site) == 0
    assert {path: path.read_bytes() for path in site.rglob("*") if path.is_file()} == first
    (site / "mine.txt").write_text("x")
    assert run("leaderboard", "render", board.folder, "--output", site) == 2
    assert re.search(mentions("site: ... mine.txt ... move"), capsys.readouterr().err)


def test_a_site_quotes_cards_that_name_the_data_of_a_test(
    capsys: Capture, board: Board, results: dict[str, Result], tmp_path: Path
) -> None:
    """The site shows them beside what the author says, and `check` prints a notice."""
    trained = change(results["one-hot"], lambda r: r["model"].update(training_data=["CNN_dailymail", "<b>"]))
    folder = write_submission(board, trained, FORM)
    description = board.folder / "leaderboard.json"
    description.write_text(re.sub(r'"sample"', '"rose"', description.read_text()))
    assert run("leaderboard", "check", folder) == 0
    assert capsys.readouterr().out.count("names the texts of rose (in CNN_dailymail) as training data") == 2
    assert run("leaderboard", "render", board.folder, "--output", tmp_path / "site") == 0
    index = (tmp_path / "site" / "index.html").read_text()
    mark = '<abbr title="names its training data">†</abbr>'
    quoted = (
        f"<td>no {mark}<small>trained on the texts of rose (in CNN_dailymail), according to its model card</small></td>"
    )
    assert index.count(quoted) == 3  # once in the overview, and once per test
    page = (tmp_path / "site" / "models" / f"{folder.name}.html").read_text()
    assert (
        page.count("According to its model card, this model was trained on the texts of rose (in CNN_dailymail).") == 2
    )
    assert "<dd>CNN_dailymail, &lt;b&gt;</dd>" in page


@pytest.mark.parametrize(
    ("model", "command"),
    [
        ({"spec": "one-hot"}, "--model one-hot --data SOURCE --task binary,ranking"),
        ({"spec": "one-hot,name=a; echo $b"}, "--model 'one-hot,name=a; echo $b' --data SOURCE"),
        ({"kind": "object", "spec": "x"}, ""),
        ({"kind": "sentence-transformers", "spec": "sentence-transformers:a/b,trust_remote_code=true"}, ""),
    ],
)
def test_commands_of_a_page_are_safe_to_copy(
    board: Board, submitted: Path, model: dict[str, str], command: str
) -> None:
    """A spec comes from an untrusted author, and a visitor may paste it into a terminal."""
    folder = rewrite(submitted, lambda record: record["model"].update(model))
    page = html.unescape(render_site(board, *check_board(board, only=()))[f"models/{folder.name}.html"])
    assert f"leaderboard reproduce BOARD/submissions/{folder.name} --data SOURCE" in page
    assert ("pyramid-paraphrase evaluate --model" in page) == bool(command)
    assert command in page
    assert ("--data SOURCE --model MODEL" in page) == (not command)


def test_metrics_of_other_releases_do_not_change_the_site(board: Board, submitted: Path) -> None:
    """A later release may compute more metrics, and an earlier one does not know the mean reciprocal rank."""

    def edit(record: dict[str, Any]) -> None:
        test = record["tests"]["ranking"]
        test["metrics"]["map_at_10"] = 0.123456
        test["intervals"]["map_at_10"] = [0.1, 0.9]
        del test["metrics"]["mrr"], test["intervals"]["mrr"]

    folder = rewrite(submitted, edit)
    assert run("leaderboard", "check", folder) == 0
    pages = render_site(board, *check_board(board, only=()))
    assert list(pages) == [*SITE, f"models/{folder.name}.html", *TOPICS]
    for page in [*pages.values()][: -len(TOPICS)]:
        assert "map_at_10" not in page
        assert "0.123" not in re.sub("<svg.*?</svg>", "", page, flags=re.DOTALL)


def test_values_on_each_topic_are_beside_the_pages(
    capsys: Capture, board: Board, results: dict[str, Result], tmp_path: Path
) -> None:
    folder = write_submission(board, results["one-hot"], FORM)
    site = tmp_path / "site"
    assert run("leaderboard", "render", board.folder, "--output", site) == 0
    index = (site / "index.html").read_text(encoding="utf-8")
    for path in TOPICS:
        assert f'<a href="{path}" download>' in index
        assert (site / path).is_file()
    rows = list(csv.DictReader(io.StringIO((site / TOPICS[1]).read_text(encoding="utf-8"))))
    assert len({row["topic"] for row in rows}) == 8  # S0101 to S0108
    own = [row for row in rows if row["submission"] == folder.name and row["metric"] == "success_rate"]
    assert {row["status"] for row in own} == {"self-reported"}
    assert {row["fingerprint"][:12] for row in own} == {"fa10d090d4bd"}
    # The mean over questions is the mean over topics, weighted by their questions.
    total = sum(int(row["rows"]) for row in own)
    mean = sum(float(row["value"]) * int(row["rows"]) for row in own) / total
    assert mean == pytest.approx(results["one-hot"].tests["ranking"].metrics["success_rate"], abs=1e-6)
    assert {row["status"] for row in rows if not row["submission"]} == {"shortcut"}


def test_an_empty_leaderboard_is_shown(board: Board) -> None:
    assert list(render_site(board, *check_board(board))) == [*SITE, *TOPICS]  # of the shortcuts


def test_a_submission_is_run_again(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result], tmp_path: Path
) -> None:
    reproduce = ["leaderboard", "reproduce", submitted, "--data", "sample"]
    assert run(*reproduce) == 0
    assert f"Reproduced: {submitted.name}, largest difference of a metric: 0.000000" in capsys.readouterr().out
    recorded = json.loads((board.folder / "reproductions" / f"{submitted.name}.json").read_text())
    assert recorded["largest_difference"] == 0
    assert "1 reproduced and 0 self-reported" in render_site(board, *check_board(board))["index.html"]
    # Of another result than the one that was run, nothing is known.
    rewrite(submitted, lambda record: record["hardware"].update(cores=99))
    assert "0 reproduced and 1 self-reported" in render_site(board, *check_board(board))["index.html"]
    assert run("leaderboard", "check", board.folder) == 0
    output = capsys.readouterr().out
    assert f"notice: {submitted.name}: the record of its reproduction is of an earlier result" in output
    assert "0 reproduced, 1 self-reported." in output
    assert run(*reproduce, "--model", "tf-idf") == 2
    assert re.search(mentions("another model was run: ... --model"), capsys.readouterr().err)
    assert run("leaderboard", "reproduce", board.folder / "keys", "--data", "sample") == 2
    assert re.search(mentions("board/keys: ... submission ... board/submissions"), capsys.readouterr().err)


@pytest.mark.parametrize("there", ["org/model", "org/model,revision=main"])
def test_files_in_the_working_directory_are_not_models_of_the_hub(
    capsys: Capture, board: Board, submitted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: str
) -> None:
    """The library runs code from a model folder, and an untrusted change can add a model folder."""
    (tmp_path / there).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    spec = {"kind": "sentence-transformers", "spec": "sentence-transformers:org/model,revision=main"}
    rewrite(submitted, lambda record: record["model"].update(spec))
    assert run("leaderboard", "reproduce", submitted, "--data", "sample") == 2
    assert re.search(mentions("working directory, ... --model"), capsys.readouterr().err)


def test_who_names_the_model_vouches_for_its_name(board: Board, results: dict[str, Result]) -> None:
    folder = write_submission(board, rename(results["one-hot"], "bag of words"), FORM)
    reproduce = ["leaderboard", "reproduce", folder, "--data", "sample"]
    assert run(*reproduce) == 2
    assert run(*reproduce, "--model", "one-hot") == 0


def test_other_data_prove_nothing(capsys: Capture, board: Board, results: dict[str, Result], tmp_path: Path) -> None:
    """A constant scorer has the same numbers on all questions."""
    folder = write_submission(board, results["constant"], FORM)
    assert run("build", "sample", "--output", tmp_path / "built", "--min-words", "4") == 0
    assert run("leaderboard", "reproduce", folder, "--data", tmp_path / "built") == 2
    message = "binary b80dc816ce66, ... 542805d7197c. ... --data"
    assert re.search(mentions(message), capsys.readouterr().err)


def test_perfect_scores_are_not_reproduced(capsys: Capture, board: Board, results: dict[str, Result]) -> None:
    """A metric of exactly 1 can be written as an integer, and only floats had been compared."""
    one_hot = results["one-hot"]
    scored_rows = one_hot.rows["ranking"]
    perfect = dataclasses.replace(scored_rows, scores=np.eye(4)[scored_rows.targets])
    folder = write_submission(board, evaluate_forged(one_hot, {**one_hot.rows, "ranking": perfect}), FORM)
    folder = rewrite(folder, lambda record: record["tests"]["ranking"]["metrics"].update(success_rate=1, mrr=1))
    assert run("leaderboard", "check", folder) == 0
    assert run("leaderboard", "reproduce", folder, "--data", "sample") == 2
    assert re.search(mentions("not reproduced: success_rate of ranking ... Ask"), capsys.readouterr().err)


def test_scores_that_the_model_did_not_make_are_found_out(
    capsys: Capture, board: Board, results: dict[str, Result]
) -> None:
    """All numbers follow from the scores, but the model is worse. Only a new run can detect this."""
    one_hot = results["one-hot"]
    scores = one_hot.rows["ranking"].scores.copy()
    scores[np.arange(len(scores)), one_hot.rows["ranking"].targets] += 0.2
    scored_rows = {**one_hot.rows, "ranking": dataclasses.replace(one_hot.rows["ranking"], scores=np.round(scores, 6))}
    forged = evaluate_forged(one_hot, scored_rows)
    folder = write_submission(board, forged, FORM)
    assert run("leaderboard", "check", folder) == 0
    assert run("leaderboard", "reproduce", folder, "--data", "sample") == 2
    assert re.search(mentions("not reproduced: success_rate of ranking ... Ask"), capsys.readouterr().err)
    assert list((board.folder / "reproductions").iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"kind": "object", "spec": "E in memory"},
            "files of its author. ... --model",
        ),
        ({"kind": "vectors", "spec": "vectors:x.txt"}, "files of its author. ... --model"),
        (
            {"kind": "sentence-transformers", "spec": "sentence-transformers:folder"},
            "files of its author. ... --model",
        ),
        (
            {"kind": "sentence-transformers", "spec": "sentence-transformers:a/b,trust_remote_code=true"},
            "code of its author. ... --model",
        ),
        ({"spec": "vectors:x.txt"}, "files of its author. ... --model"),
        ({"kind": "judge", "spec": "judge:a/b,prompt_file=x.txt"}, "files of its author. ... --model"),
        ({"spec": "one-hot:x"}, "files of its author. ... --model"),
        (
            {"kind": "sentence-transformers", "spec": "sentence-transformers:../b"},
            "files of its author. ... --model",
        ),
        ({"spec": "one-hot,name=other"}, "name of the model ... one-hot ... other ... --model"),
        ({"dimension": 3}, "dimension of the model ... 3 ... 1262 ... --model"),
    ],
)
def test_untrusted_specs_are_not_run(
    capsys: Capture, board: Board, submitted: Path, changes: dict[str, str], message: str
) -> None:
    rewrite(submitted, lambda record: record["model"].update(changes))
    assert run("leaderboard", "reproduce", submitted, "--data", "sample") == 2
    assert re.search(mentions(message), capsys.readouterr().err)


def test_a_damaged_reproduction_is_reported_and_affects_no_other_submission(
    board: Board, submitted: Path, results: dict[str, Result]
) -> None:
    other = write_submission(board, results["tf-idf"], FORM)
    (board.folder / "reproductions" / f"{submitted.name}.json").write_text("[]")
    candidates, refusals = check_board(board)
    assert "is not a valid record of a reproduction" in str(refusals[submitted.name])
    assert list_accepted(candidates, refusals)[0].name == other.name
    assert list(render_site(board, *check_board(board))) == [*SITE, f"models/{other.name}.html", *TOPICS]


@pytest.mark.parametrize("name", ["index", "a\nb", "\x1b[31mred", "a#b", "x" * 255, "a\udcff"])
def test_a_folder_of_another_name_does_not_displace_others(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result], tmp_path: Path, name: str
) -> None:
    """Pages have the names of folders. Some names broke links, the terminal, or the whole site."""
    other = write_submission(board, results["tf-idf"], FORM)
    submitted.rename(submitted.with_name(name))
    assert run("leaderboard", "render", board.folder, "--output", tmp_path / "site") == 0
    assert [path.stem for path in (tmp_path / "site" / "models").iterdir()] == [other.name]
    error = capsys.readouterr().err
    assert re.search(mentions("one-hot-eb67d016dee3-6dad3318 ... pyramid-paraphrase submit"), error)
    assert error.count("\n") == 2
    assert error.replace("\n", "").isprintable()
    assert run("leaderboard", "check", board.folder) == 2


def test_a_path_that_cannot_be_looked_at(capsys: Capture, board: Board) -> None:
    with pytest.raises(LeaderboardError, match=mentions("(File name too long) ... Remove")):
        check_folder(board, board.folder / "submissions" / ("x" * 300))
    assert run("leaderboard", "reproduce", board.folder / "submissions" / ("x" * 300), "--data", "sample") == 2
    assert re.search(mentions("(File name too long) ... Remove"), capsys.readouterr().err)


@pytest.mark.parametrize(
    ("flag", "field"), [(4, b"\x05\x00words"), (8, b"words\x00"), (16, b"words\x00")], ids=["extra", "name", "comment"]
)
def test_words_in_the_header_of_gzip(board: Board, submitted: Path, flag: int, field: bytes) -> None:
    (path,) = submitted.glob("*.ranking.csv.gz")
    data = path.read_bytes()
    path.write_bytes(data[:3] + bytes([flag]) + data[4:10] + field + data[10:])
    rewrite(
        submitted,
        lambda r: r["tests"]["ranking"]["scores"].update(sha256=hashlib.sha256(path.read_bytes()).hexdigest()),
    )
    with pytest.raises(PyramidParaphraseError, match=mentions(".ranking.csv.gz: ... comment ... Evaluate")):
        check_folder(board, submitted)


def test_git_may_change_the_ends_of_lines(board: Board, submitted: Path) -> None:
    for path in (find_record(submitted), submitted / FORM_NAME):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert check_folder(board, submitted).form == FORM


def test_invalid_dates(board: Board, results: dict[str, Result]) -> None:
    folder = write_submission(board, results["one-hot"], structs.replace(FORM, submitted="2026-02-30"))
    with pytest.raises(
        PyramidParaphraseError,
        match=mentions("submission.json: ... submitted: 2026-02-30 ... pyramid-paraphrase submit"),
    ):
        check_folder(board, folder)


@pytest.mark.parametrize("name", ["Org model", "org--model", "org_model", "ORG.MODEL", "org/model-", "org:model"])
def test_names_that_differ_in_marks_alone_are_the_same(board: Board, results: dict[str, Result], name: str) -> None:
    write_submission(board, rename(results["one-hot"], "org/model"), FORM)
    write_submission(board, rename(results["tf-idf"], name), FORM)
    refusals = [str(refusal) for refusal in check_board(board)[1].values()]
    assert len(refusals) == 2
    assert all(
        re.search(mentions("accepted ... pyramid-paraphrase leaderboard reproduce"), refusal) for refusal in refusals
    )


def test_a_submission_that_is_refused_after_writing_is_removed(
    capsys: Capture, board: Board, results: dict[str, Result], tmp_path: Path
) -> None:
    """`evaluate` accepts names that a leaderboard refuses, which was detected only after the folder was written."""
    path = rename(results["one-hot"], "it's mine").write(tmp_path / "results")
    assert run("submit", path, "--to", board.folder, *FLAGS, "--saw-test-data", "no") == 2
    assert re.search(mentions('the model name "it\'s mine" ... 150 letters'), capsys.readouterr().err)
    assert board.list_submissions() == []


def test_a_submission_that_cannot_be_written_leaves_nothing(board: Board, results: dict[str, Result]) -> None:
    name = "x" * 249 + ".csv.gz"  # one byte too many for the name of a file
    result = edit_result(results["one-hot"], lambda record: record["tests"]["ranking"]["scores"].update(file=name))
    with pytest.raises(PyramidParaphraseError, match=mentions("(File name too long) ... shorter name")):
        write_submission(board, result, FORM)
    assert board.list_submissions() == []


def test_an_existing_folder_is_not_changed(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result], tmp_path: Path
) -> None:
    find_record(submitted).write_text("{")
    path = results["one-hot"].write(tmp_path / "results")
    assert run("submit", path, "--to", board.folder, *FLAGS, "--saw-test-data", "no") == 2
    assert re.search(mentions(f"{submitted}: ... exists ... submit"), capsys.readouterr().err)
    assert find_record(submitted).read_text() == "{"


def test_a_title_changes_without_data(board: Board, capsys: Capture) -> None:
    """Without --data, the tests of the last build would be added to a published leaderboard."""
    before = read_board(board.folder)
    assert run("leaderboard", "init", board.folder, "--title", "Our models", "--link", "https://example.org/b") == 0
    after = read_board(board.folder)
    assert (after.title, after.link, after.tests) == ("Our models", "https://example.org/b", before.tests)
    assert "Our models: " in capsys.readouterr().out
    for options in ((), ("--title", "x", "--task", "ranking"), ("--title", "x", "--supersede")):
        assert run("leaderboard", "init", board.folder, *options) == 2
        assert re.search(mentions("is a leaderboard already ... --data"), capsys.readouterr().err)
    assert read_board(board.folder) == after


def test_a_title_that_could_not_be_read_again(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / "board"
    assert run("leaderboard", "init", folder, "--data", "sample", "--task", "ranking", "--title", "x" * 101) == 2
    assert re.search(mentions("board: ... title: ... 1 to 100 characters ... title"), capsys.readouterr().err)
    assert not folder.exists()


def test_shortcuts_that_were_evaluated_twice_count_once(board: Board) -> None:
    assert run("leaderboard", "init", board.folder, "--data", "sample", "--task", "ranking") == 0
    _, questions = rank_models(board, [])
    assert sorted(entry.name for entry in questions.models) == ["length", "options-only", "overlap"]
    assert [len(standing.members) for standing in questions.standings.values()] == [3, 3]


def test_a_leaderboard_is_found_from_within(board: Board, submitted: Path) -> None:
    assert find_board(submitted).title == board.title


def test_a_folder_that_cannot_be_written(board: Board) -> None:
    with pytest.raises(PyramidParaphraseError, match=mentions("/proc/nothing/keys: cannot be written ( ... path")):
        write_board(Path("/proc/nothing"), "x", load_sample().tests)


def test_scores_of_a_submission_are_those_that_were_evaluated(submitted: Path, results: dict[str, Result]) -> None:
    read = read_result(find_record(submitted))
    assert {name: render_scores(rows) for name, rows in read.rows.items()} == results["one-hot"].files


@pytest.mark.parametrize("title", ["Paraphrases", "a: b # c", '"quoted" \\ {braces}', "Ünïcode"])
def test_a_site_is_a_space_of_the_hub(tmp_path: Path, title: str) -> None:
    """Its metadata is read by the library of the Hub, whatever the title contains."""
    from huggingface_hub import SpaceCard

    board = write_board(tmp_path / "board", title, load_sample().tests)
    card = SpaceCard(render_site(board, [], [])["README.md"])
    assert (card.data.title, card.data.sdk, card.data.app_file) == (title, "static", "index.html")
