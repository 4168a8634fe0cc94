"""Submissions as rankings need them: their numbers on the leaderboard's resamples, and their identities."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from helpers.messages import mentions
from helpers.submissions import FORM, change, make_board, make_overlap_result

from harness.evaluation.score_files import ScoreParser
from harness.leaderboards import candidates, checks
from harness.leaderboards.board import Board
from harness.leaderboards.candidates import (
    make_candidate,
    measure_shortcuts,
    read_candidates,
)
from harness.leaderboards.checks import Submission, check_folder
from harness.leaderboards.submissions import write_submission
from harness.leaderboards.verdicts import list_identities, refuse_duplicate
from harness.metrics.measuring import make_measure, measure_contributions
from harness.stats.bootstrap import bootstrap
from harness.support.errors import LeaderboardError


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return make_board(tmp_path / "board")


@pytest.fixture
def submission(board: Board) -> Submission:
    return check_folder(board, write_submission(board, make_overlap_result(), FORM), with_intervals=False)


def test_a_candidate_is_measured_on_the_resamples_of_the_leaderboard(board: Board, submission: Submission) -> None:
    """1,000 resamples with seed 0, although the result has only 10."""
    candidate = make_candidate(board, submission)
    assert (candidate.is_reproduced, candidate.place) == (False, candidate.name)
    for measured, test in zip(candidate.models.values(), submission.tests.values(), strict=True):
        scored = test.scored
        samples = bootstrap(make_measure(scored, with_curves=False), scored.topic_count, 1000, 0)
        assert {name: values.tolist() for name, values in measured.resample().items()} == {
            name: values.tolist() for name, values in samples.items()
        }
        assert measured.contributions.keys() == measure_contributions(scored, with_curves=False).keys()


def test_samples_of_the_intervals_are_used_again(
    board: Board, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bootstrap takes most of the time of a check. The result has 10 resamples, as usual ones have 1,000."""
    folder = board.folder / "submissions" / submission.name
    assert {test.samples for test in check_folder(board, folder).tests.values()} == {None}
    for module in (checks, candidates):
        monkeypatch.setattr(module, "RESAMPLES", 10)
    expected = make_candidate(board, submission)
    monkeypatch.delattr(candidates, "bootstrap")
    candidate = make_candidate(board, check_folder(board, folder))
    for name, model in expected.models.items():
        samples, values = candidate.models[name].resample(), model.resample()
        assert {metric: sample.tolist() for metric, sample in samples.items()} == {
            metric: value.tolist() for metric, value in values.items()
        }
        assert len(values[min(values)]) == 10


def test_a_shortcut_is_measured_once(submission: Submission, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its intervals are not recomputed, which takes most of the time of a check."""
    asked = []

    def check(_: Board, result: object, *, with_intervals: bool) -> dict[str, Any]:
        asked.append((result, with_intervals))
        return dict(submission.tests)

    monkeypatch.setattr(candidates, "check_result", check)
    result = make_overlap_result()
    shortcuts = measure_shortcuts(cast("Any", SimpleNamespace(shortcuts=[result, result])))
    assert asked == [(result, False)] * 2
    assert [list(shortcut.models) for shortcut in shortcuts] == [["binary", "ranking"], []]
    assert {(shortcut.is_reproduced, shortcut.place) for shortcut in shortcuts} == {(True, "the shortcut overlap")}


def test_identities_of_readable_submissions(board: Board, submission: Submission) -> None:
    """A submission that cannot be read hides no other one, whatever their order."""
    (board.folder / "submissions" / "0").mkdir()
    shortcuts, identities = list_identities(board)
    assert shortcuts == {}
    assert {identity.kind for identity in identities} == {"name", "model", "scores"}
    assert set(identities.values()) == {submission.name}
    assert len(identities) == 6
    scores = {name: test.scores_sha256 for name, test in submission.tests.items()}
    result = submission.result
    for place in (result.path, ""):
        moved = SimpleNamespace(path=place, model=result.model, record=result.record)
        message = f"{place or 'overlap'}: ... same name as {submission.name}. Add --replaces {submission.name}"
        with pytest.raises(LeaderboardError, match=mentions(message)) as raised:
            refuse_duplicate(board, cast("Any", moved), scores, "")
        assert str(raised.value).startswith(place or "overlap")
    refuse_duplicate(board, result, scores, submission.name)
    shutil.rmtree(board.folder / "submissions" / submission.name)
    refuse_duplicate(board, result, scores, "")


def test_shortcuts_have_identities_if_they_are_of_the_leaderboard(board: Board, submission: Submission) -> None:
    def make(result: object) -> Any:  # noqa: ANN401
        return SimpleNamespace(shortcuts=[result], list_submissions=list, find_test=board.find_test, key=board.key)

    shortcuts, submissions = list_identities(make(make_overlap_result()))
    assert (set(shortcuts.values()), submissions) == ({"overlap"}, {})
    foreign = change(make_overlap_result(), lambda record: record["tests"]["binary"].update(fingerprint="0" * 64))
    with pytest.raises(LeaderboardError, match=mentions("overlap: ... test ... Remove")):
        list_identities(make(foreign))
    result = submission.result
    swapped = {**result.rows, "ranking": result.rows["binary"]}
    damaged = SimpleNamespace(tests=result.tests, rows=swapped, record=result.record, model="x", place="here")
    with pytest.raises(LeaderboardError, match=mentions("here: ... rows of ranking: ... Remove")):
        list_identities(make(damaged))


def test_intervals_of_some_submissions_are_recomputed(
    board: Board, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More submissions than are checked at a time are returned in the order of their names."""
    for number in range(4):
        shutil.copytree(board.folder / "submissions" / submission.name, board.folder / "submissions" / str(number))
    asked = []

    def check(_: Board, folder: Path, *, with_intervals: bool, parser: ScoreParser) -> None:
        asked.append((folder.name, with_intervals))
        raise LeaderboardError(folder.name)

    monkeypatch.setattr(candidates, "check_folder", check)
    names = ["0", "1", "2", "3", submission.name]
    read = [(folder.name, str(error)) for folder, error in read_candidates(board, {"1", "2"})]
    assert read == [(name, name) for name in names]
    assert sorted(asked) == [(name, name not in ("1", "2")) for name in names]
