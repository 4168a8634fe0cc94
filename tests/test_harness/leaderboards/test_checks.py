"""Checks of submissions: every number at its tolerance, and every kind of error."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.submissions import FORM, change, make_board, make_overlap_result
from msgspec import structs

from harness.evaluation import record as parts
from harness.evaluation.results import Result
from harness.leaderboards import checks
from harness.leaderboards.board import Board
from harness.leaderboards.checks import check_folder, check_result
from harness.leaderboards.forms import FORM_NAME, read_form
from harness.leaderboards.submissions import write_submission
from harness.leaderboards.verdicts import check_board, enter_submission
from harness.metrics.rows import ScoredRows
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files import atomic

WHERE = Path("x.json")


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return make_board(tmp_path / "board")


def test_a_sound_result(board: Board) -> None:
    tests = check_result(board, make_overlap_result())
    assert {
        name: (len(checked.scored.targets), checked.scored.threshold is None) for name, checked in tests.items()
    } == {
        "binary": (1237, False),
        "ranking": (634, True),
    }
    assert tests["ranking"].metrics == make_overlap_result().tests["ranking"].metrics
    assert list(tests["ranking"].metrics) == ["success_rate", "mrr"]


RECORDS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a metric": (
        lambda r: r["tests"]["ranking"]["metrics"].update(mrr=0.99),
        "mrr of ranking ... 0.99 ... pyramid-paraphrase evaluate",
    ),
    "the threshold": (
        lambda r: r["tests"]["binary"].update(threshold=0.1),
        "overlap: threshold of binary ... 0.1 ... pyramid-paraphrase evaluate",
    ),
    "options": (
        lambda r: r["tests"]["binary"]["options"].update(scope="a text"),
        "overlap: options of binary ... { ... Evaluate",
    ),
    "rows of test": (
        lambda r: r["tests"]["binary"]["counts"].update(test=9),
        "overlap: counts of binary ... {'test': 9 ... Evaluate",
    ),
    "rows of validation": (
        lambda r: r["tests"]["binary"]["counts"].update(validation=9),
        "overlap: ... {'test': 1237, 'validation': 138, 'topics': 8, 'paraphrases' ... Evaluate",
    ),
    "more refusals than answers": (
        lambda r: r["tests"]["ranking"]["counts"].update(refusals=2 * 4 * 634 + 1),
        "overlap: refusals of ranking ... 5,073, ... 5,072 ... pyramid-paraphrase evaluate",
    ),
    "paraphrases of questions": (
        lambda r: r["tests"]["ranking"]["counts"].update(paraphrases=9),
        "overlap: ... {'test': 634, 'validation': 0, 'topics': 8} ... Evaluate",
    ),
    "an interval": (
        lambda r: r["tests"]["ranking"]["intervals"].update(mrr=[0.1, 0.11]),
        "overlap: lower end of mrr of ranking ... 0.1 ... pyramid-paraphrase evaluate",
    ),
    "an upper end": (
        lambda r: r["tests"]["ranking"]["intervals"]["mrr"].__setitem__(1, 0.99),
        "overlap: upper end of mrr of ranking ... 0.99 ... pyramid-paraphrase evaluate",
    ),
    "a missing interval": (
        lambda r: r["tests"]["ranking"]["intervals"].pop("mrr"),
        "overlap: metrics with an interval of ranking ... ['success_rate'], ... ['mrr', 'success_rate'] ... Evaluate",
    ),
    "the metric of the ranks is missing": (
        lambda r: r["tests"]["binary"]["metrics"].pop("f1"),
        "overlap: ... f1 ... pyramid-paraphrase evaluate",
    ),
    "an interval without a metric": (
        lambda r: r["tests"]["ranking"]["intervals"].update(words=[0, 1]),
        "overlap: intervals of ranking without a metric ... ['words'], ... [] ... Evaluate",
    ),
    "an interval that nobody computes": (
        lambda r: r["tests"]["binary"]["intervals"].update(positive_share=[0, 1]),
        "overlap: metrics with an interval of binary ... 'f1', 'kappa', 'mcc', 'positive_share', ... Evaluate",
    ),
    "an interval that is not published": (
        lambda r: r["tests"]["binary"]["intervals"].update(mcc=[-1, 1]),
        "overlap: lower end of mcc of binary ... -1 ... pyramid-paraphrase evaluate",
    ),
    "confidence": (
        lambda r: r["statistics"].update(confidence=0.5),
        "overlap: confidence ... 0.5, ... 0.95 ... Evaluate",
    ),
}


def test_numbers_of_options_that_made_no_difference(board: Board) -> None:
    """A test that was built with another seed, and had the same rows, was refused. A text in its place is refused."""
    options = {"seed": 9, "labels": False}
    result = change(make_overlap_result(), lambda record: record["tests"]["binary"]["options"].update(options))
    assert check_result(board, result).keys() == {"binary", "ranking"}
    for wrong in ("nine", None, 1.5):
        result = change(make_overlap_result(), lambda record: record["tests"]["binary"]["options"].update(seed=wrong))  # noqa: B023
        with pytest.raises(LeaderboardError, match=mentions("overlap: options of binary ... Evaluate")):
            check_result(board, result)


INTERVALS = (
    "an interval",
    "an upper end",
    "a missing interval",
    "an interval that nobody computes",
    "an interval that is not published",
)
"""Checked only if intervals are."""


@pytest.mark.parametrize("name", RECORDS)
def test_numbers_that_do_not_follow(board: Board, name: str) -> None:
    edit, message = RECORDS[name]
    result = change(make_overlap_result(), edit)
    with pytest.raises(LeaderboardError) as caught:
        check_result(board, result)
    assert re.search(mentions(message), str(caught.value))
    if name in INTERVALS:
        check_result(board, result, with_intervals=False)


def test_metrics_of_other_releases(board: Board) -> None:
    """Later releases may compute more metrics, and earlier releases fewer unpublished metrics."""

    def edit(record: dict[str, Any]) -> None:
        test = record["tests"]["binary"]
        test["metrics"]["new"] = 17
        test["intervals"]["new"] = [-1, 1]
        del test["metrics"]["mcc"], test["intervals"]["mcc"]

    checked = check_result(board, change(make_overlap_result(), edit))["binary"]
    assert "mcc" in checked.metrics
    assert "new" not in checked.metrics


def test_missing_answers_that_a_judge_counts(board: Board) -> None:
    """The scores do not show them, so the counts of a judge are more than those of the rows."""
    edited = change(
        make_overlap_result(), lambda record: record["tests"]["ranking"]["counts"].update(refusals=2, cut=1)
    )
    assert check_result(board, edited).keys() == {"binary", "ranking"}


@pytest.mark.parametrize("key", ["signature", "settings_hash"])
def test_signature_and_hash_follow_from_the_rest(board: Board, key: str) -> None:
    result = change(make_overlap_result(), lambda record: record.update({key: "0" * 64}), sign=False)
    with pytest.raises(LeaderboardError, match=mentions(f"overlap: {key} ... {'0' * 64}, ... Evaluate")):
        check_result(board, result)


def with_rows(edit: Callable[[ScoredRows], ScoredRows]) -> Result:
    result = make_overlap_result()
    return dataclasses.replace(result, rows=dict(result.rows) | {"ranking": edit(result.rows["ranking"])})


def test_scores_of_other_rows(board: Board) -> None:
    flipped = with_rows(lambda rows: dataclasses.replace(rows, is_test=~rows.is_test))
    with pytest.raises(LeaderboardError, match=mentions("overlap: ... ranking ... Evaluate")):
        check_result(board, flipped)


@pytest.mark.parametrize("options", [3, 5])
def test_questions_have_as_many_options_as_the_key(board: Board, options: int) -> None:
    """There must be four options, because the highest answer in the key is the fourth option."""
    result = with_rows(lambda rows: dataclasses.replace(rows, scores=np.zeros((len(rows.ids), options))))
    with pytest.raises(LeaderboardError, match=mentions(f"ranking ... {options} ... 4")):
        check_result(board, result)


def test_very_large_scores_are_refused(board: Board) -> None:
    """Pairs and questions, with both signs. A score of exactly 1e9 is allowed."""
    for score in (1.5e9, -1.5e9):
        result = with_rows(lambda rows, score=score: dataclasses.replace(rows, scores=rows.scores + score))
        with pytest.raises(
            LeaderboardError,
            match=mentions("overlap: ... ranking ... 1,000,000,000 ... pyramid-paraphrase evaluate"),
        ):
            check_result(board, result)
    rows = cast("ScoredRows", SimpleNamespace(scores=np.array([1e9, -1e9])))
    checks._require_bounded(WHERE, "ranking", rows)


@pytest.mark.parametrize(
    ("claimed", "found", "close"), [(2e-6, 0, True), (0.5, 0.5000019, True), (0.5, 0.500003, False)]
)
def test_numbers_may_be_off_by_two_millionths(claimed: float, found: float, close: bool) -> None:
    if close:
        checks._require_close(WHERE, "f1", claimed, found)
        checks._require_close(WHERE, "f1", found, claimed)
    else:
        for pair in ((claimed, found), (found, claimed)):
            with pytest.raises(LeaderboardError, match=mentions("x.json: f1 ... 0.5 ... pyramid-paraphrase evaluate")):
                checks._require_close(WHERE, "f1", *pair)


@pytest.mark.parametrize(
    ("largest", "error", "close"),
    [(8.0, 1.9e-6, True), (8.0, 3e-6, False), (0.001, 1.9e-9, True), (0.001, 3e-9, False), (0.001, 1.9e-6, False)],
)
def test_the_error_of_a_threshold_shrinks_with_the_scores(largest: float, error: float, close: bool) -> None:
    measured = {"f1": 0.5, "threshold": 0.0005}
    claimed = structs.replace(
        make_overlap_result().tests["binary"], metrics={"f1": 0.5 + 1.9e-6}, threshold=0.0005 + error, intervals={}
    )
    if close:
        checks._check_metrics(WHERE, "binary", claimed, measured, largest)
    else:
        with pytest.raises(LeaderboardError, match=mentions("x.json: threshold of binary ... 0.0005")):
            checks._check_metrics(WHERE, "binary", claimed, measured, largest)


def test_long_values_are_cut_in_messages() -> None:
    with pytest.raises(LeaderboardError) as caught:
        checks._require_equal(WHERE, "note", "y" * 1000, "n")
    shown = f"{'y' * 150}[...]{'y' * 150}"
    assert str(caught.value) == f"x.json: note is {shown}, but must be n. Evaluate the model again"


@pytest.mark.parametrize(
    ("resamples", "seed", "message"),
    [
        (10_000, (1 << 32) - 1, "my-model: confidence ... 0 ... 0.95 ... Evaluate"),
        (10_001, 0, "my-model: ... 10,000 resamples ... resamples"),
        (10**4000, 0, "my-model: ... 10,000 resamples ... resamples"),
        (10, 1 << 32, "my-model: ... seed ... 4,294,967,295 ... seed"),
    ],
)
def test_the_work_of_a_check_is_bounded(resamples: int, seed: int, message: str) -> None:
    statistics = parts.StatisticsRecord(confidence=0, resamples=resamples, seed=seed, unit="topic")
    result = SimpleNamespace(record=SimpleNamespace(statistics=statistics), path=None, model="my-model")
    with pytest.raises(LeaderboardError) as caught:
        check_result(cast("Board", None), cast("Result", result))
    assert re.search(mentions(message), str(caught.value))
    assert len(str(caught.value)) < 200
    assert ("confidence" in str(caught.value)) == (resamples == 10_000)


def test_errors_name_the_file_or_else_the_model(board: Board) -> None:
    for edit in (RECORDS["confidence"][0], RECORDS["a metric"][0]):
        wrong = change(make_overlap_result(), edit)
        for result, name in ((wrong, "overlap: "), (dataclasses.replace(wrong, path="a/b.json"), "a/b.json: ")):
            with pytest.raises(LeaderboardError) as caught:
                check_result(board, result)
            assert str(caught.value).startswith(name)


def test_folders_and_boards_are_checked_with_their_intervals(board: Board) -> None:
    folder = write_submission(board, change(make_overlap_result(), RECORDS["an interval"][0]), FORM)
    with pytest.raises(LeaderboardError, match=mentions(".json: ... 0.1 ... pyramid-paraphrase evaluate")):
        check_folder(board, folder)
    assert check_folder(board, folder, with_intervals=False).name == folder.name
    candidates, refusals = check_board(board)
    assert (candidates, list(refusals)) == ([], [folder.name])
    candidates, refusals = check_board(board, only=())
    assert ([candidate.name for candidate in candidates], refusals) == ([folder.name], {})


def test_a_result_is_entered(board: Board) -> None:
    folder = enter_submission(board, make_overlap_result(), FORM)
    assert board.list_submissions() == [folder]
    assert enter_submission(board, make_overlap_result(), FORM) == folder
    another = structs.replace(FORM, contact="other@example.org")
    with pytest.raises(LeaderboardError, match=mentions(f"overlap: ... {folder.name} ... --replaces {folder.name}")):
        enter_submission(board, make_overlap_result(), another)
    again = dataclasses.replace(make_overlap_result(), path="a/b.json")
    with pytest.raises(LeaderboardError, match=mentions(f"a/b.json: ... --replaces {folder.name}")):
        enter_submission(board, again, another)
    assert enter_submission(board, again, structs.replace(another, replaces=folder.name)) == folder
    assert read_form(folder / FORM_NAME) == another
    unknown = structs.replace(another, replaces="nobody")
    with pytest.raises(LeaderboardError, match=mentions("nobody: is not an accepted submission ... --replaces")):
        enter_submission(board, again, unknown)


def test_files_of_a_killed_run_are_removed(board: Board) -> None:
    abandoned = board.folder / atomic._make_name()
    abandoned.write_text("half a file")
    enter_submission(board, make_overlap_result(), FORM)
    assert not abandoned.exists()


def test_refused_submissions_are_not_entered(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    """An invalid form, a wrong number, and an error that is detected after writing."""
    with pytest.raises(InputError, match=mentions("the form: ... submitted: 2026-02-30 ... Change")):
        enter_submission(board, make_overlap_result(), structs.replace(FORM, submitted="2026-02-30"))
    with pytest.raises(LeaderboardError, match=mentions("overlap: ... 0.1 ... pyramid-paraphrase evaluate")):
        enter_submission(board, change(make_overlap_result(), RECORDS["an interval"][0]), FORM)
    text = change(make_overlap_result(), lambda record: record["model"]["options"].update(note="x" * 301))
    with pytest.raises(
        LeaderboardError, match=mentions(".json: ... 301 characters ... model.options.note ... 300 characters")
    ):
        enter_submission(board, text, FORM)
    assert board.list_submissions() == []
