"""Leaderboards with hostile submissions: copies, hostile files, and changes that authors may not make."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import json
import logging
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from helpers.checkout import ROOT
from helpers.commands import Capture, run
from helpers.messages import mentions
from helpers.submissions import (
    FLAGS,
    FORM,
    TESTS,
    evaluate_forged,
    find_record,
    forge_scores,
    read_scores,
    rename,
    rewrite,
)
from msgspec import structs

from harness.evaluation.results import Result
from harness.evaluation.score_files import ScoreParser
from harness.files.json_files import render_json
from harness.leaderboards import candidates
from harness.leaderboards.board import Board
from harness.leaderboards.checks import Submission, check_folder
from harness.leaderboards.forms import FORM_NAME
from harness.leaderboards.notices import find_notices
from harness.leaderboards.rankings import rank_models
from harness.leaderboards.site.pages import render_site
from harness.leaderboards.submissions import write_submission
from harness.leaderboards.verdicts import check_board, list_accepted
from harness.stats.correlation import find_near_copies, rank_scores

BACKDATED = structs.replace(FORM, submitted="1970-01-01")


def list_refused(board: Board) -> dict[str, str]:
    _, refusals = check_board(board, only=())
    return {name: str(refusal) for name, refusal in refusals.items()}


def list_notices(board: Board, name: str) -> list[str]:
    return find_notices(board, *check_board(board, only=())).get(name, [])


# Precedence


COPIES: dict[str, Callable[[dict[str, Result]], Result]] = {
    "name": lambda results: rename(results["tf-idf"], "one-hot"),
    "model": lambda results: rename(results["one-hot"], "another"),
    "scores": lambda results: rename(results["one-hot"], "another", "1" * 64),
}


@pytest.mark.parametrize("kind", COPIES)
def test_a_date_gives_no_precedence(board: Board, submitted: Path, results: dict[str, Result], kind: str) -> None:
    """A copy with the date 1970 displaced the genuine submission, and the site showed the copy."""
    copied = write_submission(board, COPIES[kind](results), BACKDATED)
    refused = list_refused(board)
    # The program cannot decide which one is genuine, so neither is accepted, and the error names the remedy.
    assert sorted(refused) == sorted([submitted.name, copied.name])
    assert f"has the same {kind} as {copied.name}" in refused[submitted.name]
    assert f"has the same {kind} as {submitted.name}" in refused[copied.name]
    assert (
        "Remove all but the genuine submission, or run `pyramid-paraphrase leaderboard reproduce`"
        in refused[copied.name]
    )
    assert list(render_site(board, *check_board(board, only=()))) == [
        "index.html",
        "README.md",
        "about.html",
        "history.html",
        "topics/binary-b80dc816ce66.csv",
        "topics/ranking-fa10d090d4bd.csv",
    ]


@pytest.mark.parametrize("kind", COPIES)
def test_accepted_submissions_keep_their_precedence(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result], tmp_path: Path, kind: str
) -> None:
    assert run("leaderboard", "check", board.folder) == 0
    assert f"Recorded: {board.folder / 'accepted.json'}" in capsys.readouterr().out
    # The name of the folder, and the SHA-256 of the output of `sha256sum *` in it.
    files = sorted(submitted.iterdir(), key=lambda path: path.name)
    lines = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    expected = {submitted.name: hashlib.sha256(lines.encode()).hexdigest()}
    assert json.loads((board.folder / "accepted.json").read_text())["accepted"] == expected
    copied = write_submission(board, COPIES[kind](results), BACKDATED)
    assert run("leaderboard", "check", board.folder) == 2
    error = capsys.readouterr().err
    assert re.search(mentions(f"{copied.name}: ... same {kind} as {submitted.name}, ... accepted before"), error)
    assert re.search(mentions("1 of 2 submissions refused"), error)
    site = tmp_path / "site"
    assert run("leaderboard", "render", board.folder, "--output", site) == 0
    assert [page.stem for page in (site / "models").iterdir()] == [submitted.name]


def test_a_submission_that_is_changed_after_it_was_accepted_loses_its_precedence(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result], tmp_path: Path
) -> None:
    """A harmless submission could be accepted first, and get the scores of another model later."""
    squatter = write_submission(board, results["tf-idf"], FORM)
    assert run("leaderboard", "check", board.folder) == 0
    accepted = (board.folder / "accepted.json").read_text()
    rewrite(squatter, lambda record: record["hardware"].update(cores=99))
    assert "after the leaderboard accepted it" in list_refused(board)[squatter.name]
    copied = write_submission(board, rename(results["tf-idf"], "another"), FORM)
    assert sorted(list_refused(board)) == sorted([squatter.name, copied.name])
    # The accepted result stays in the record, so its author regains precedence by restoring it.
    assert run("leaderboard", "check", board.folder) == 2
    assert (board.folder / "accepted.json").read_text() == accepted
    shutil.rmtree(squatter)
    for command in (("render", board.folder, "--output", tmp_path / "site"), ("check", board.folder)):
        capsys.readouterr()
        assert run("leaderboard", *command) == 2
        assert re.search(mentions(f"{squatter}: ... missing. Restore ... withdraw {squatter}"), capsys.readouterr().err)
    assert run("leaderboard", "withdraw", squatter, "--reason", "a squatter") == 0
    assert run("leaderboard", "check", board.folder) == 0
    assert sorted(json.loads((board.folder / "accepted.json").read_text())["accepted"]) == sorted([
        submitted.name, copied.name,
    ])  # fmt: skip


def test_a_renamed_submission_stays_accepted_under_its_name(capsys: Capture, board: Board, submitted: Path) -> None:
    """A folder that was renamed, and renamed back later with other files, was accepted as a new submission."""
    assert run("leaderboard", "check", board.folder) == 0
    moved = submitted.rename(submitted.with_name(submitted.name.upper()))
    assert run("leaderboard", "check", board.folder) == 2
    assert re.search(mentions(f"{submitted}: ... folder is missing"), capsys.readouterr().err)
    alter_the_statements(moved)
    moved.rename(submitted)
    assert run("leaderboard", "check", board.folder) == 2
    assert re.search(mentions(f"{submitted}: ... leaderboard accept {submitted}"), capsys.readouterr().err)


def test_a_leaderboard_without_its_submissions(capsys: Capture, board: Board, submitted: Path) -> None:
    """The list of accepted submissions was emptied, although perhaps a disk was only not mounted."""
    assert run("leaderboard", "check", board.folder) == 0
    accepted = (board.folder / "accepted.json").read_text()
    elsewhere = submitted.parent.rename(board.folder.with_name("elsewhere"))
    assert run("leaderboard", "check", board.folder) == 2
    assert re.search(mentions("0 of 0 submissions refused, and 1 accepted submission missing"), capsys.readouterr().err)
    assert (board.folder / "accepted.json").read_text() == accepted
    elsewhere.rename(submitted.parent)
    assert run("leaderboard", "check", board.folder) == 0


def alter_the_statements(submitted: Path) -> None:
    path = submitted / FORM_NAME
    path.write_text(path.read_text().replace("someone@example.org", "mallory@example.org"))


def alter_the_result(submitted: Path) -> None:
    rewrite(submitted, lambda record: record["hardware"].update(cores=99))


def alter_the_scores(submitted: Path) -> None:
    """Compress the scores in another way, and write the hash of the new file to the result."""
    path = next(submitted.glob("*.binary.csv.gz"))
    data = gzip.compress(gzip.decompress(path.read_bytes()), 9, mtime=0)
    assert data != path.read_bytes()
    path.write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    rewrite(submitted, lambda record: record["tests"]["binary"]["scores"].update(sha256=digest), sign=False)


ALTERATIONS = (alter_the_statements, alter_the_result, alter_the_scores)


@pytest.mark.parametrize("alter", ALTERATIONS)
def test_an_altered_accepted_submission_is_refused_until_it_is_accepted(
    capsys: Capture, board: Board, submitted: Path, tmp_path: Path, alter: Callable[[Path], None]
) -> None:
    """The first check after the change printed a notice and recorded the new result, so the second said nothing."""
    assert run("leaderboard", "check", board.folder) == 0
    accepted = (board.folder / "accepted.json").read_bytes()
    alter(submitted)
    site = tmp_path / "site"
    for command in (
        ("check", board.folder), ("check", board.folder), ("check", submitted),
        ("render", board.folder, "--output", site),
    ):  # fmt: skip
        capsys.readouterr()
        assert run("leaderboard", *command) == 2
        error = capsys.readouterr().err
        assert re.search(mentions(f"{submitted.name}: ... accepted ... leaderboard accept {submitted}"), error)
        assert (board.folder / "accepted.json").read_bytes() == accepted
    assert re.search(mentions(f"{board.folder}: ... lacks 1 submission ... accepted"), error)
    assert list((site / "models").iterdir()) == []
    assert run("leaderboard", "accept", submitted) == 0
    assert f"Recorded: {board.folder / 'accepted.json'}" in capsys.readouterr().out
    for command in (("check", board.folder), ("check", submitted), ("render", board.folder, "--output", site)):
        assert run("leaderboard", *command) == 0
    assert run("leaderboard", "accept", submitted) == 0
    assert f"{submitted.name}: has not changed since" in capsys.readouterr().out


def test_accepting_checks_everything_and_accepts_nothing_else(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result]
) -> None:
    """`accept` recomputes intervals, compares the submission with the accepted ones, and drops no other name."""
    removed = write_submission(board, results["random"], FORM)
    assert run("leaderboard", "check", board.folder) == 0
    accepted = json.loads((board.folder / "accepted.json").read_text())["accepted"]
    shutil.rmtree(removed)
    copied = write_submission(board, COPIES["scores"](results), FORM)
    new = write_submission(board, results["tf-idf"], FORM)
    assert run("leaderboard", "accept", copied) == 2
    assert re.search(mentions(f"{copied.name}: ... same scores as {submitted.name}"), capsys.readouterr().err)
    shutil.rmtree(copied)
    content = find_record(new).read_bytes()
    rewrite(new, lambda record: record["tests"]["binary"]["intervals"].update(f1=[0.1, 0.2]))
    assert run("leaderboard", "accept", new) == 2
    assert re.search(mentions("end of f1 of binary is 0.1 ... Submit"), capsys.readouterr().err)
    find_record(new).write_bytes(content)
    assert json.loads((board.folder / "accepted.json").read_text())["accepted"] == accepted
    assert run("leaderboard", "accept", new) == 0
    after = json.loads((board.folder / "accepted.json").read_text())["accepted"]
    assert after.keys() == {*accepted, new.name}
    assert accepted.items() <= after.items()


def test_accepting_what_is_no_submission(capsys: Capture, board: Board, submitted: Path) -> None:
    assert run("leaderboard", "accept", board.folder) == 2
    assert re.search(mentions(f"{board.folder}: ... submission. ... submissions"), capsys.readouterr().err)
    assert run("leaderboard", "accept", submitted.with_name("nothing")) == 2
    assert re.search(mentions("nothing: ... no such folder"), capsys.readouterr().err)
    assert not (board.folder / "accepted.json").exists()


@pytest.mark.parametrize(
    ("suffix", "mode"), [(".json", 0o755), (".csv.gz", 0o744), (".json", 0o645), (".json", 0o4644)]
)
def test_an_executable_file_is_refused(capsys: Capture, board: Board, submitted: Path, suffix: str, mode: int) -> None:
    assert run("leaderboard", "check", board.folder) == 0
    path = sorted(path for path in submitted.iterdir() if path.name.endswith(suffix))[0]
    path.chmod(mode)
    assert run("leaderboard", "check", board.folder) == 2
    assert re.search(mentions(f"{path}: ... mode {mode:o}, ... executable. ... 644"), capsys.readouterr().err)
    assert run("leaderboard", "accept", submitted) == 2
    # On file systems without permissions, all files are executable.
    for other in (board.folder / "leaderboard.json", *submitted.iterdir()):
        other.chmod(0o777)
    assert run("leaderboard", "check", board.folder) == 0


def test_a_reproduction_decides_between_new_submissions_and_not_against_accepted_ones(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result]
) -> None:
    copied = write_submission(board, COPIES["scores"](results), BACKDATED)
    assert run("leaderboard", "reproduce", submitted, "--data", "sample") == 0
    assert capsys.readouterr().err == ""
    assert list(list_refused(board)) == [copied.name]
    assert f"has the same scores as {submitted.name}, which was reproduced" in list_refused(board)[copied.name]
    # A public model can be reproduced under any name. That must not displace an accepted submission of it.
    twin = write_submission(board, rename(results["tf-idf"], "first"), FORM)
    shutil.rmtree(copied)
    assert run("leaderboard", "check", board.folder) == 0
    later = write_submission(board, results["tf-idf"], FORM)
    capsys.readouterr()
    assert run("leaderboard", "reproduce", later, "--data", "sample") == 0
    assert re.search(mentions(f"same model as {twin.name}, ... accepted before"), capsys.readouterr().err)
    assert list(list_refused(board)) == [later.name]


def test_shortcuts_come_first(board: Board, results: dict[str, Result]) -> None:
    folder = write_submission(board, rename(results["one-hot"], "overlap"), BACKDATED)
    assert run("leaderboard", "reproduce", folder, "--data", "sample", "--model", "one-hot") == 0
    assert "has the same name as the shortcut overlap. Remove it" in list_refused(board)[folder.name]


def test_a_refused_copy_does_not_displace_others(board: Board, submitted: Path, results: dict[str, Result]) -> None:
    """A copy has the model of an accepted submission and the name of a new one, in order to displace the new one."""
    assert run("leaderboard", "check", board.folder) == 0
    copied = write_submission(board, rename(results["one-hot"], "tf-idf"), BACKDATED)
    new = write_submission(board, results["tf-idf"], FORM)
    assert list(list_refused(board)) == [copied.name]
    assert new.is_dir()


def test_one_submission_is_checked_against_all_others(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result]
) -> None:
    """The check of one submission did not compare it with the others, and accepted copies."""
    assert run("leaderboard", "check", board.folder) == 0
    copied = write_submission(board, COPIES["scores"](results), BACKDATED)
    capsys.readouterr()
    assert run("leaderboard", "check", copied) == 2
    assert re.search(mentions(f"same scores as {submitted.name}"), capsys.readouterr().err)
    assert run("leaderboard", "check", submitted) == 0
    assert f"{submitted.name}: passes every check" in capsys.readouterr().out
    assert copied.name not in json.loads((board.folder / "accepted.json").read_text())["accepted"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "is not a valid record of accepted submissions"),
        ('{"format": 1, "accepted": {"x": "y"}}', "is not a valid record of accepted submissions"),
        ("{", "is not valid JSON"),
        (" " * ((16 << 20) + 1), "is larger than 16,777,216 bytes"),
    ],
    ids=["a list", "no hash", "no JSON", "large"],
)
def test_a_damaged_record_of_accepted_submissions(capsys: Capture, board: Board, text: str, message: str) -> None:
    (board.folder / "accepted.json").write_text(text)
    assert run("leaderboard", "check", board.folder) == 2
    error = capsys.readouterr().err
    assert re.search(mentions(f"{board.folder / 'accepted.json'}: {message}"), error)
    assert re.search(mentions("board/accepted.json: ... pyramid-paraphrase leaderboard check"), error)


# One submission must not end the check of all


WRONG_INTEGERS: dict[str, Callable[[dict[str, Any]], object]] = {
    "statistics.resamples": lambda r: r["statistics"].update(resamples=20.0),
    "statistics.seed": lambda r: r["statistics"].update(seed=0.0),
    "schema_version": lambda r: r.update(schema_version=2.0),
    "hardware.cores": lambda r: r["hardware"].update(cores=True),
    "tests.ranking.counts.test": lambda r: r["tests"]["ranking"]["counts"].update(
        test=float(r["tests"]["ranking"]["counts"]["test"])
    ),
}


@pytest.mark.parametrize("place", WRONG_INTEGERS)
def test_floats_are_not_accepted_as_integers(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result], place: str
) -> None:
    """JSON Schema accepts 20.0 as an integer, and `"resamples": 20.0` ended the check of the whole board."""
    other = write_submission(board, results["tf-idf"], FORM)
    folder = rewrite(submitted, WRONG_INTEGERS[place])
    assert run("leaderboard", "check", board.folder) == 2
    captured = capsys.readouterr()
    assert re.search(mentions(f"valid result: {place}: "), captured.err)
    assert f"{other.name}: passes every check" in captured.out
    # Results that `report` and `compare` read are held to the same.
    assert run("report", find_record(folder)) == 2
    assert re.search(mentions(f"valid result: {place}: "), capsys.readouterr().err)


def test_floats_are_not_accepted_as_integers_in_a_leaderboard(capsys: Capture, board: Board) -> None:
    path = board.folder / "leaderboard.json"
    path.write_text(path.read_text().replace('"rows": 1375', '"rows": 1375.0'))
    assert run("leaderboard", "check", board.folder) == 2
    assert re.search(
        mentions(
            "board/leaderboard.json: ... tests.0.rows: 1375.0 ... integer. ... pyramid-paraphrase leaderboard init"
        ),
        capsys.readouterr().err,
    )


@pytest.mark.parametrize(("copies", "fault"), [(1, "tests.2: ... repeats"), (1000, "tests: ... 1 to 100 different")])
def test_a_leaderboard_has_a_limited_number_of_different_tests(
    capsys: Capture, board: Board, copies: int, fault: str
) -> None:
    """A thousand copies of one test took seconds to check."""
    path = board.folder / "leaderboard.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"tests": record["tests"] + record["tests"][:1] * copies}))
    assert run("leaderboard", "check", board.folder) == 2
    assert re.search(
        mentions(f"board/leaderboard.json: ... {fault} ... pyramid-paraphrase leaderboard init"),
        capsys.readouterr().err,
    )


def test_options_are_compared_with_their_types(board: Board, submitted: Path) -> None:
    """In Python, 3 == 3.0 and 1 == True, so a record could state the rules of a test in other types."""
    name = rewrite(submitted, lambda r: r["tests"]["binary"]["options"].update(min_words=3.0)).name
    assert "options of binary is" in list_refused(board)[name]


@pytest.mark.parametrize("error", [MemoryError("no room"), RecursionError(), ZeroDivisionError("by zero")])
def test_any_exception_in_a_check_refuses_one_submission(
    capsys: Capture,
    caplog: pytest.LogCaptureFixture,
    board: Board,
    submitted: Path,
    results: dict[str, Result],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    """An exception in a library ended the check of all submissions with a traceback."""
    other = write_submission(board, results["tf-idf"], FORM)

    def fail(board: Board, folder: Path, *, with_intervals: bool, parser: ScoreParser) -> Submission:
        if folder.name == submitted.name:
            raise error
        return check_folder(board, folder, with_intervals=with_intervals, parser=parser)

    monkeypatch.setattr(candidates, "check_folder", fail)
    monkeypatch.setattr(candidates, "locate_memory", lambda *_: None)  # another test checked an equal submission
    with caplog.at_level(logging.INFO):
        assert run("leaderboard", "check", board.folder) == 2
    captured = capsys.readouterr()
    assert re.search(mentions(f"{submitted}: cannot be checked ({type(error).__name__}: "), captured.err)
    assert "--verbose" in captured.err
    assert f"{other.name}: passes every check" in captured.out
    assert [record.exc_info[1] for record in caplog.records if record.exc_info] == [error]


# Copies of scores


def recompress(folder: Path, test_name: str) -> None:
    (path,) = folder.glob(f"*.{test_name}.csv.gz")
    data = gzip.compress(gzip.decompress(path.read_bytes()), compresslevel=9, mtime=0)
    path.write_bytes(data)
    rewrite(folder, lambda record: record["tests"][test_name]["scores"].update(sha256=hashlib.sha256(data).hexdigest()))


def reverse_rows(folder: Path, test_name: str) -> None:
    header, *rows = read_scores(folder, test_name)
    forge_scores(folder, test_name, "".join([header, *reversed(rows)]))


def add_decimals(folder: Path, test_name: str) -> None:
    header, *rows = read_scores(folder, test_name)
    forge_scores(folder, test_name, "".join([header, *(f"{row.rstrip()}01\n" for row in rows)]))


@pytest.mark.parametrize("change", [recompress, reverse_rows, add_decimals])
def test_scores_are_the_same_in_any_file(
    board: Board, submitted: Path, results: dict[str, Result], tmp_path: Path, change: Callable[[Path, str], None]
) -> None:
    """Scores were compared by the SHA-256 of their file, which changes without any change of a score."""
    assert run("leaderboard", "check", board.folder) == 0
    copied = write_submission(board, rename(results["one-hot"], "another", "1" * 64), FORM)
    for test_name in TESTS:
        change(copied, test_name)
    files = [{path.read_bytes() for path in folder.glob("*.csv.gz")} for folder in (submitted, copied)]
    assert [len(contents) for contents in files] == [len(TESTS)] * 2
    assert not files[0] & files[1]
    assert f"has the same scores as {submitted.name}" in list_refused(board)[copied.name]


def test_a_copy_in_another_file_is_not_submitted(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result], tmp_path: Path
) -> None:
    copied = write_submission(board, rename(results["one-hot"], "another", "1" * 64), FORM)
    for test_name in TESTS:
        reverse_rows(copied, test_name)
    (copied / FORM_NAME).unlink()
    moved = Path(shutil.move(copied, tmp_path / "copied"))
    assert run("submit", moved, "--to", board.folder, *FLAGS, "--saw-test-data", "no") == 2
    assert re.search(mentions(f"same scores as {submitted.name}"), capsys.readouterr().err)


def disguise(result: Result, change: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]) -> Result:
    """Make another model with changed scores, and with the metrics that follow from them."""
    scored_rows = {
        name: dataclasses.replace(rows, scores=np.round(change(rows.scores), 6)) for name, rows in result.rows.items()
    }
    return evaluate_forged(rename(result, "another", "1" * 64), scored_rows)


def shift_questions(scores: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Add a number to all options of a question, and a number to all pairs. No metric changes."""
    if scores.ndim == 1:
        return scores + 0.5
    return scores + 10.0 * np.random.RandomState(0).uniform(size=(len(scores), 1))


DISGUISES: dict[str, Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]] = {
    "another scale": lambda scores: 2 * scores,
    "a little noise": lambda scores: scores * (1 + 0.01 * np.random.RandomState(0).normal(size=scores.shape)),
    "questions shifted": shift_questions,
}


@pytest.mark.parametrize("name", DISGUISES)
def test_near_copies_are_shown_to_the_maintainer(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result], name: str
) -> None:
    copied = write_submission(board, disguise(results["one-hot"], DISGUISES[name]), FORM)
    write_submission(board, results["random"], FORM)
    assert run("leaderboard", "check", board.folder) == 0
    notices = [line for line in capsys.readouterr().out.splitlines() if "are nearly equal to those of" in line]
    for submission, other in ((submitted.name, copied.name), (copied.name, submitted.name)):
        for test_name in TESTS:
            scores = f"its scores of {test_name} are nearly equal to those of {other}"
            start = f"notice: {submission}: {scores} (rank correlation "
            assert any(line.startswith(start) for line in notices), (start, notices)
    assert len(notices) == 4


def test_ranks_of_scores() -> None:
    """Spearman's rho of (1, 2, 3, 4) and (2, 1, 4, 3) is 1 - 6 * 4 / (4 * 15) = 0.6; equal scores have none."""
    first, second = rank_scores(np.array([1.0, 2, 3, 4])), rank_scores(np.array([0.2, 0.1, 0.4, 0.3]))
    assert float(first.astype(float) @ second.astype(float) / 4) == pytest.approx(0.6, abs=1e-6)
    assert not rank_scores(np.ones(4)).any()
    # Ranks are within questions: a number that is added to all options of a question does not change them.
    options = np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.1, 0.2]])
    assert (rank_scores(options) == rank_scores(options + np.array([[5.0], [-3.0]]))).all()


def test_near_copies_are_found_beyond_one_block() -> None:
    """Models are compared 64 at a time."""
    ranks = [rank_scores(np.random.RandomState(seed).normal(size=500)) for seed in range(130)]
    ranks[128], ranks[129], ranks[100] = ranks[0], ranks[3], ranks[70]
    assert sorted(pair[:2] for pair in find_near_copies(ranks)) == [(0, 128), (3, 129), (70, 100)]


def test_near_copies_reach_the_limit() -> None:
    """The mean products are 0.95, which is the limit, and 1.21, which counts as 1."""
    ones = np.ones(2, dtype=np.float32)
    assert list(find_near_copies([ones, np.float32(0.95) * ones])) == [(0, 1, pytest.approx(0.95))]
    assert list(find_near_copies([np.float32(1.1) * ones] * 2)) == [(0, 1, 1.0)]


# Names


def test_lookalikes_are_shown_to_the_maintainer(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result]
) -> None:
    """`0ne-hot` and `over1ap` were accepted without a notice."""
    first = write_submission(board, rename(results["tf-idf"], "0ne_hot"), FORM)
    second = write_submission(board, rename(results["random"], "over1ap"), FORM)
    assert run("leaderboard", "check", board.folder) == 0
    said = capsys.readouterr().out
    assert (
        f"notice: {first.name}: the name of its model, 0ne_hot, is easily confused with that of {submitted.name}"
        in said
    )
    assert (
        f"notice: {submitted.name}: the name of its model, one-hot, is easily confused with that of {first.name}"
        in said
    )
    assert (
        f"notice: {second.name}: the name of its model, over1ap, is easily confused with that of the shortcut overlap"
        in said
    )


# Links


@pytest.mark.parametrize(
    "name", ["submissions", "keys", "shortcuts", "reproductions", "leaderboard.json", "accepted.json"]
)
def test_a_part_of_the_leaderboard_that_is_a_link(
    capsys: Capture, board: Board, submitted: Path, tmp_path: Path, name: str
) -> None:
    """`submissions` could be a link to any folder on the machine that runs the check."""
    assert run("leaderboard", "check", board.folder) == 0
    (board.folder / name).rename(tmp_path / "elsewhere")
    (board.folder / name).symlink_to(tmp_path / "elsewhere")
    for command in (["check", board.folder], ["render", board.folder, "--output", tmp_path / "site"]):
        capsys.readouterr()
        assert run("leaderboard", *command) == 2
        assert re.search(mentions(f"{board.folder / name}: ... symbolic link. Replace"), capsys.readouterr().err)
    assert not (tmp_path / "site").exists()


def test_a_record_of_a_reproduction_that_is_a_link(board: Board, submitted: Path, tmp_path: Path) -> None:
    assert run("leaderboard", "reproduce", submitted, "--data", "sample") == 0
    path = board.folder / "reproductions" / f"{submitted.name}.json"
    path.rename(tmp_path / "elsewhere.json")
    path.symlink_to(tmp_path / "elsewhere.json")
    assert f"{path}: is a symbolic link. Replace it" in list_refused(board)[submitted.name]
    (tmp_path / "elsewhere.json").unlink()
    assert f"{path}: is a symbolic link. Replace it" in list_refused(board)[submitted.name]


def test_a_record_of_a_reproduction_that_is_no_file(board: Board, submitted: Path) -> None:
    """It was said to be of an earlier result."""
    path = board.folder / "reproductions" / f"{submitted.name}.json"
    os.mkfifo(path)
    assert re.search(mentions(f"{path}: ... pipe"), list_refused(board)[submitted.name])
    path.unlink()
    path.mkdir()
    assert re.search(mentions(f"{path}: ... reproduce"), list_refused(board)[submitted.name])


def test_a_date_that_does_not_exist(board: Board, submitted: Path) -> None:
    folder = rewrite(submitted, lambda record: record["time"].update(date="2026-99-31T00:00:00+00:00"))
    assert re.search(
        mentions("time.date ... 2026-99-31T00:00:00+00:00, ... evaluate"), list_refused(board)[folder.name]
    )


def test_a_submission_is_not_its_own_leaderboard(
    capsys: Capture, board: Board, submitted: Path, empty_board: Path
) -> None:
    """A submission with a leaderboard.json was treated as a leaderboard, and passed every check."""
    shutil.copytree(empty_board, submitted, dirs_exist_ok=True)
    assert run("leaderboard", "check", submitted) == 2
    assert f"{submitted}: " in capsys.readouterr().err
    assert not (submitted / "accepted.json").exists()


# Scores that are too good


def make_perfect(result: Result, name: str) -> Result:
    """The answer key as scores."""
    pairs, questions = result.rows["binary"], result.rows["ranking"]
    scored_rows = {
        "binary": dataclasses.replace(pairs, scores=pairs.targets.astype(float)),
        "ranking": dataclasses.replace(questions, scores=np.eye(4)[questions.targets]),
    }
    return evaluate_forged(rename(result, name, hashlib.sha256(name.encode()).hexdigest()), scored_rows)


def test_a_perfect_entry_is_marked(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result], tmp_path: Path
) -> None:
    """Anybody who has the data can make scores from the right answers. These scores were ranked first, unmarked."""
    forged = write_submission(board, make_perfect(results["tf-idf"], "answers"), FORM)
    assert run("leaderboard", "check", board.folder) == 0
    notices = [line for line in capsys.readouterr().out.splitlines() if "implausible" in line]
    assert [line.split(":")[1].strip() for line in notices] == [forged.name] * 2
    assert all("1.000 is at least 0.95" in line for line in notices)
    site = tmp_path / "site"
    assert run("leaderboard", "render", board.folder, "--output", site) == 0
    index, page = (site / "index.html").read_text(), (site / "models" / f"{forged.name}.html").read_text()
    # Once in the overview, once per test, and once where the page explains it.
    assert index.count('<span class="badge implausible"') == 1 + 2 + 1
    assert "Anyone with the data can compute the right answers" in index
    assert page.count('<p class="warning"><span class="badge implausible">implausible</span>') == 2
    assert "badge implausible" not in (site / "models" / f"{submitted.name}.html").read_text()


def list_ranks(board: Board) -> list[dict[str, tuple[int | None, int | None]]]:
    """Return, for each test, the ranks among reproduced models and among all models, by name of the model."""
    return [
        {entry.name: (entry.ranks["reproduced"], entry.ranks["all"]) for entry in ranking.models}
        for ranking in rank_models(board, list_accepted(*check_board(board, only=())))
    ]


def test_nearly_perfect_entries_have_no_rank_and_do_not_count(
    board: Board, submitted: Path, results: dict[str, Result]
) -> None:
    write_submission(board, make_perfect(results["tf-idf"], "answers"), FORM)
    write_submission(board, results["tf-idf"], FORM)
    _, questions = list_ranks(board)
    assert questions == {
        "answers": (None, None), "tf-idf": (None, 1), "one-hot": (None, 2),
        "overlap": (None, None), "options-only": (None, None), "length": (None, None),
    }  # fmt: skip
    assert run("leaderboard", "reproduce", submitted, "--data", "sample") == 0
    _, questions = list_ranks(board)
    # tf-idf is significantly better than one-hot, but nobody has reproduced it: its rank is one among all.
    assert (questions["one-hot"], questions["tf-idf"], questions["answers"]) == ((1, 2), (None, 1), (None, None))


def test_an_entry_above_every_reproduced_one_awaits_its_reproduction(
    board: Board, submitted: Path, results: dict[str, Result], tmp_path: Path
) -> None:
    """On the sample's questions, tf-idf is significantly better than one-hot and all shortcuts. It is not implausible:
    an honest model was called so because the only reproduced model was weaker."""
    better = write_submission(board, results["tf-idf"], FORM)
    assert not list_notices(board, better.name)
    assert run("leaderboard", "reproduce", submitted, "--data", "sample") == 0
    (notice,) = list_notices(board, better.name)
    assert re.search(mentions("every reproduced model ... on ranking. Reproduce"), notice)
    assert "implausible" not in notice
    assert run("leaderboard", "render", board.folder, "--output", tmp_path / "site") == 0
    assert "badge implausible" not in (tmp_path / "site" / "models" / f"{better.name}.html").read_text()
    assert not list_notices(board, submitted.name)
    assert run("leaderboard", "reproduce", better, "--data", "sample") == 0
    assert not list_notices(board, better.name)
    rankings = rank_models(board, list_accepted(*check_board(board)))
    entries = [entry for ranking in rankings for entry in ranking.models]
    assert {entry.name for entry in entries} >= {"tf-idf", "one-hot"}
    assert not any(entry.is_implausible or entry.awaits_reproduction for entry in entries)


# Changes that authors may make


def git(folder: Path, *arguments: str) -> None:
    names = {f"GIT_{role}_{part}": "someone" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    settings = ["-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main", "-c", "core.hooksPath=/dev/null"]
    environment = {**os.environ, **names, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", *settings, *arguments], cwd=folder, env=environment, check=True, capture_output=True)


@pytest.fixture
def repository(board: Board, submitted: Path, results: dict[str, Result]) -> Path:
    """The folder of a repository with a leaderboard on branch main, and a branch for a change."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    write_submission(board, results["random"], FORM)
    assert run("leaderboard", "check", board.folder) == 0
    folder = board.folder.parent
    (folder / "notes.txt").write_text("beside the leaderboard\n")
    git(folder, "init")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "Start")
    git(folder, "checkout", "-b", "change")
    return folder


def check_change(board: Board, *more: str) -> int:
    return run("leaderboard", "check", board.folder, "--changed-since", "main", *more)


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_change_that_adds_a_submission(
    capsys: Capture, board: Board, repository: Path, results: dict[str, Result], is_committed: bool
) -> None:
    added = write_submission(board, results["tf-idf"], FORM)
    (repository / "notes.txt").write_text("changed\n")
    before = (board.folder / "accepted.json").read_bytes()
    if is_committed:
        git(repository, "add", ".")
        git(repository, "commit", "-m", "Submit")
    capsys.readouterr()
    assert check_change(board) == 0
    captured = capsys.readouterr()
    assert [line for line in captured.out.splitlines() if "passes" in line] == [f"{added.name}: passes every check"]
    assert "1 of 1 submission passed every check" in captured.out
    assert captured.err == ""
    assert (board.folder / "accepted.json").read_bytes() == before  # it is the maintainer's


def test_a_change_that_copies_a_submission(
    capsys: Capture, board: Board, repository: Path, results: dict[str, Result], submitted: Path
) -> None:
    copied = write_submission(board, COPIES["scores"](results), BACKDATED)
    assert check_change(board) == 2
    error = capsys.readouterr().err
    assert re.search(mentions(f"{copied.name}: ... same scores as {submitted.name}"), error)
    assert re.search(mentions("refused: 1 of 1 changed ... 0 changes"), error)


def remove_submission(board: Board, submitted: Path) -> str:
    shutil.rmtree(submitted)
    return f"submissions/{submitted.name}/submission.json: is removed with its submission"


def claim_reproduction(board: Board, submitted: Path) -> str:
    record = json.loads(find_record(submitted).read_text())
    value = {
        "format": 1,
        "result_sha256": hashlib.sha256(render_json(record)).hexdigest(),
        "largest_difference": 0.0,
        "date": "2026-01-02",
        "versions": {},
    }
    (board.folder / "reproductions" / f"{submitted.name}.json").write_bytes(render_json(value))
    return f"reproductions/{submitted.name}.json: is added or changed, but authors may only change submissions/"


def claim_acceptance(board: Board, submitted: Path) -> str:
    (board.folder / "accepted.json").write_text('{"format": 1, "accepted": {}}')
    return "accepted.json: is added or changed, but authors"


def change_the_title(board: Board, submitted: Path) -> str:
    path = board.folder / "leaderboard.json"
    path.write_text(path.read_text().replace("Sample models", "Mine"))
    return "leaderboard.json: is added or changed, but authors"


def remove_a_shortcut(board: Board, submitted: Path) -> str:
    shutil.rmtree(board.folder / "shortcuts" / "length")
    return ".binary.csv.gz: is removed, but authors"


def add_a_file(board: Board, submitted: Path) -> str:
    (board.folder / "submissions" / "README.md").write_text("x")
    return "submissions/README.md: is added or changed, but is not a file of a submission"


def move_a_file_out(board: Board, submitted: Path) -> str:
    (submitted / FORM_NAME).rename(board.folder / "x\ny")
    return r"x\ny: is added or changed, but authors"


OUTSIDE = (claim_reproduction, claim_acceptance, change_the_title, remove_a_shortcut)
"""Changes that touch no folder of a submission."""


@pytest.mark.parametrize(
    ("change", "is_committed"),
    [
        (remove_submission, True),
        (remove_submission, False),
        (add_a_file, True),
        (add_a_file, False),
        (move_a_file_out, True),
        *((change, True) for change in OUTSIDE),
    ],
)
def test_changes_that_only_the_maintainer_may_make(
    capsys: Capture,
    board: Board,
    repository: Path,
    submitted: Path,
    change: Callable[[Board, Path], str],
    is_committed: bool,
) -> None:
    """A pull request with `reproductions/NAME.json` was shown as reproduced."""
    message = change(board, submitted)
    if is_committed:
        git(repository, "add", ".")
        git(repository, "commit", "-m", "Change")
    capsys.readouterr()
    assert check_change(board) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
    assert all(line.isprintable() for line in error.splitlines())


@pytest.mark.parametrize("change", OUTSIDE)
def test_files_of_the_maintainer_that_are_not_committed_are_no_part_of_a_change(
    capsys: Capture, board: Board, repository: Path, submitted: Path, change: Callable[[Board, Path], str]
) -> None:
    """The maintainer's own record, which was to be committed later, refused every change."""
    change(board, submitted)
    capsys.readouterr()
    assert check_change(board) == 0
    assert re.search(mentions("notice: not committed, ... outside submissions: "), capsys.readouterr().out)


@pytest.mark.parametrize("alter", ALTERATIONS)
def test_a_change_to_an_accepted_submission_is_refused(
    capsys: Capture,
    board: Board,
    repository: Path,
    submitted: Path,
    alter: Callable[[Path], None],
) -> None:
    """A change to the contact of another author's submission was not reported."""
    alter(submitted)
    capsys.readouterr()
    assert check_change(board) == 2
    error = capsys.readouterr().err
    assert re.search(mentions(f"{submitted.name}: ... accepted ... leaderboard accept {submitted}"), error)
    assert re.search(mentions("refused: 1 of 1 changed ... 0 changes"), error)


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_change_that_makes_a_file_executable(
    capsys: Capture, board: Board, repository: Path, submitted: Path, is_committed: bool
) -> None:
    """git records whether a file can be executed, and nothing else about its permissions."""
    (submitted / FORM_NAME).chmod(0o755)
    if is_committed:
        git(repository, "commit", "-a", "-m", "Change")
    capsys.readouterr()
    assert check_change(board) == 2
    assert re.search(mentions(f"{submitted.name}/submission.json: ... mode 100755 ... Undo"), capsys.readouterr().err)


def test_a_new_executable_file(capsys: Capture, board: Board, repository: Path, results: dict[str, Result]) -> None:
    """git lists files that it does not track without their mode."""
    path = write_submission(board, results["tf-idf"], FORM) / FORM_NAME
    path.chmod(0o755)
    capsys.readouterr()
    assert check_change(board) == 2
    assert re.search(mentions(f"{path}: ... mode 755, ... executable. ... 644"), capsys.readouterr().err)


def test_a_submission_that_is_a_link_in_git(capsys: Capture, board: Board, repository: Path, submitted: Path) -> None:
    (board.folder / "submissions" / "link").symlink_to(submitted)
    (submitted / "x.json").symlink_to("/etc/passwd")
    git(repository, "add", ".")
    assert check_change(board) == 2
    error = capsys.readouterr().err
    assert re.search(mentions("board/submissions/link: ... added ... Undo"), error)
    assert re.search(mentions("x.json: ... mode 120000, ... Undo"), error)


@pytest.mark.parametrize("reference", ["nothing", "--output=x", "-x", "", "main\n", "main:notes.txt", "HEAD~9"])
def test_references_that_name_no_commit(capsys: Capture, board: Board, repository: Path, reference: str) -> None:
    assert run("leaderboard", "check", board.folder, f"--changed-since={reference}") == 2
    error = capsys.readouterr().err
    assert "is not a commit of the git repository of" in error
    assert not (repository / "x").exists()


def test_a_reference_without_common_history(capsys: Capture, board: Board, repository: Path) -> None:
    git(repository, "checkout", "--orphan", "other")
    git(repository, "commit", "-m", "Start again")
    assert check_change(board) == 2
    assert re.search(mentions("'main': ... commit ... HEAD ... fetch-depth"), capsys.readouterr().err)


def test_changes_outside_of_git(
    capsys: Capture, board: Board, submitted: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    if shutil.which("git") is not None:
        assert check_change(board) == 2
        assert re.search(
            mentions(f"{board.folder}: ... git repository ... omit --changed-since"), capsys.readouterr().err
        )
    monkeypatch.setenv("PATH", str(tmp_path))
    assert check_change(board) == 2
    assert re.search(mentions("--changed-since ... git, ... not installed"), capsys.readouterr().err)
    assert run("leaderboard", "check", submitted, "--changed-since", "main") == 2
    assert re.search(mentions("--changed-since ... whole leaderboards. Use"), capsys.readouterr().err)


def test_the_readme_shows_the_line_for_continuous_integration(board: Board) -> None:
    assert "leaderboard check FOLDER --changed-since origin/main" in (board.folder / "README.md").read_text()


# The life of a submission


def replace_submission(board: Board, result: Result, old: Path, contact: str = FORM.contact) -> Path:
    """Write a submission that says that it replaces another one."""
    return write_submission(board, result, structs.replace(FORM, replaces=old.name, contact=contact))


def test_a_replacement_waits_for_the_maintainer(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result], tmp_path: Path
) -> None:
    """A new version has the name of the earlier one. Nobody can replace the model of another team alone."""
    assert run("leaderboard", "check", board.folder) == 0
    new = replace_submission(board, rename(results["tf-idf"], "one-hot"), submitted)
    for command in (("check", board.folder), ("check", new), ("render", board.folder, "--output", tmp_path / "site")):
        capsys.readouterr()
        run("leaderboard", *command)
        pattern = mentions(f"{new.name}: replaces {submitted.name}. Run ... leaderboard accept {new}")
        assert re.search(pattern, capsys.readouterr().err)
    assert [page.stem for page in (tmp_path / "site" / "models").iterdir()] == [submitted.name]
    assert run("leaderboard", "accept", new, "--reason", "trained longer") == 0
    assert run("leaderboard", "check", board.folder) == 0
    assert run("leaderboard", "render", board.folder, "--output", tmp_path / "site") == 0
    assert [page.stem for page in (tmp_path / "site" / "models").iterdir()] == [new.name]
    page = (tmp_path / "site" / "models" / f"{new.name}.html").read_text()
    assert "Earlier submissions of this model" in page
    assert f'replaced by <a href="models/{new.name}.html">' in (tmp_path / "site" / "history.html").read_text()
    again = replace_submission(board, rename(results["random"], "one-hot"), submitted)
    assert f"replaces {submitted.name}, but it was replaced" in list_refused(board)[again.name]


def test_a_retired_model_has_a_page_and_no_rank(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result], tmp_path: Path
) -> None:
    write_submission(board, results["tf-idf"], FORM)
    assert run("leaderboard", "check", board.folder) == 0
    assert run("leaderboard", "retire", submitted, "--reason", "nobody can run it") == 0
    assert run("leaderboard", "check", board.folder) == 0
    candidates, refusals = check_board(board)
    for ranking in rank_models(board, list_accepted(candidates, refusals)):
        ranks = {
            model.candidate.name: model.ranks["all"] for model in ranking.models if not model.candidate.is_shortcut
        }
        assert ranks.pop(submitted.name) is None
        assert list(ranks.values()) == [1]
    pages = render_site(board, candidates, refusals)
    assert "No rank, because it was retired." in pages[f"models/{submitted.name}.html"]
    assert "nobody can run it" in pages["history.html"]


def test_places_over_time(
    capsys: Capture, board: Board, results: dict[str, Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`tf-idf` is better than `one-hot` on ranking: it comes second, and is then retired."""
    folders = {}
    for day, name in enumerate(("one-hot", "tf-idf")):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(1767225600 + 86_400 * day))  # from 2026-01-01 on
        folders[name] = write_submission(board, results[name], FORM)
        assert run("leaderboard", "check", board.folder) == 0
        page = render_site(board, *check_board(board))["history.html"]
        assert ("Places over time" in page) == (day == 1)  # not of one day
    values = {name: results[name].tests["ranking"].metrics["success_rate"] for name in folders}
    assert values["tf-idf"] > values["one-hot"]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(1767225600 + 86_400 * 2))
    assert run("leaderboard", "retire", folders["tf-idf"], "--reason", "nobody can run it") == 0
    page = render_site(board, *check_board(board))["history.html"]
    figures = re.findall(r"<figure>.*?</figure>", page, flags=re.DOTALL)
    (ranking,) = [figure for figure in figures if "<figcaption>ranking:" in figure]
    rows = re.findall(r"<td>(2026-[0-9-]+)</td><td class=\"number\">([0-9]+)</td>", ranking)
    assert rows == [("2026-01-01", "1"), ("2026-01-02", "2"), ("2026-01-03", "1")]  # of the model that is left
    assert "one-hot" in ranking
    assert "tf-idf" not in ranking


def test_a_withdrawn_submission_comes_back_only_by_a_decision(
    capsys: Capture, board: Board, submitted: Path, results: dict[str, Result]
) -> None:
    assert run("leaderboard", "check", board.folder) == 0
    assert run("leaderboard", "withdraw", submitted, "--reason", "wrong data") == 0
    assert not submitted.exists()
    assert run("leaderboard", "check", board.folder) == 0
    write_submission(board, results["one-hot"], FORM)
    assert run("leaderboard", "check", board.folder) == 2
    assert re.search(
        mentions(f"{submitted}: was withdrawn ... leaderboard accept {submitted}"), capsys.readouterr().err
    )
    assert run("leaderboard", "accept", submitted) == 0
    assert run("leaderboard", "check", board.folder) == 0


def read_workflow() -> dict[Any, Any]:
    """Read the workflow that the guide shows for the repository of a leaderboard."""
    (text,) = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "leaderboards.md").read_text(), re.DOTALL)
    workflow = yaml.safe_load(text)
    assert isinstance(workflow, dict)
    return workflow


def test_the_workflow_has_the_keys_that_github_needs() -> None:
    workflow = read_workflow()
    assert workflow[True] == {"pull_request_target": None}  # YAML 1.1 reads the key `on` as true
    assert workflow["permissions"] == {"contents": "read"}
    (job,) = workflow["jobs"].values()
    assert job["runs-on"]
    for step in job["steps"]:
        assert ("uses" in step) != ("run" in step)
        assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/name@v1"))
    install, checkout = (next(place for place, step in enumerate(job["steps"]) if part in str(step)) for part in (
        "pip install", "actions/checkout",
    ))  # fmt: skip
    assert install < checkout  # from a source that the change cannot alter
    assert job["steps"][checkout]["with"]["persist-credentials"] is False


@pytest.mark.parametrize("is_honest", [True, False])
def test_the_steps_of_the_workflow_in_a_clean_clone(
    board: Board,
    repository: Path,
    submitted: Path,
    results: dict[str, Result],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_honest: bool,
) -> None:
    """The leaderboard is the repository. Its clone is where the workflow says, with the commit of the change."""
    shutil.rmtree(repository / ".git")
    for arguments in (("init",), ("add", "."), ("commit", "-m", "Start"), ("checkout", "-b", "change")):
        git(board.folder, *arguments)
    write_submission(board, results["tf-idf"] if is_honest else COPIES["scores"](results), FORM)
    git(board.folder, "add", ".")
    git(board.folder, "commit", "-m", "Submit")
    (job,) = read_workflow()["jobs"].values()
    (path,) = (step["with"]["path"] for step in job["steps"] if "checkout" in step.get("uses", ""))
    place = tmp_path / "runner"
    place.mkdir()
    git(place, "clone", "--quiet", "--branch", "change", str(board.folder), path)
    monkeypatch.chdir(place)
    program, *arguments = shlex.split(job["steps"][-1]["run"])
    assert program == "pyramid-paraphrase"
    assert run(*arguments) == (0 if is_honest else 2)
