"""Whether a submission is what it says: every number follows from its scores, and the scores are of every row."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from harness.errors import LeaderboardError
from harness.items import Items, align
from harness.leaderboards.board import Board, RankedTest
from harness.leaderboards.reproduction import Reproduction, find_reproduction, read_reproduction
from harness.leaderboards.submissions import (
    Form,
    Submission,
    check_form,
    find_same_submission,
    find_tests,
    read_submission,
    read_submitted_form,
    read_submitted_record,
    write_submission,
)
from harness.measuring import measure_items
from harness.models.naming import slug
from harness.results import Result, hash_settings, make_signature
from harness.statistics import CONFIDENCE, Scored, bootstrap, find_intervals, resample_metrics
from pyramid_paraphrase.errors import PyramidParaphraseError
from pyramid_paraphrase.temporary import remove_abandoned

TOLERANCE = 2e-6
"""By how much a number may be off: results round to six decimals, and sums depend on the machine in the last one."""

MAX_RESAMPLES = 10_000

MAX_SCORE = 1e9
"""Beyond it, a number of double precision cannot be sure of six decimals."""

_MAX_SHOWN = 300
_WORKERS = 2


class CheckedTask(NamedTuple):
    """One task of a result whose numbers follow from its scores.

    Attributes:
        scored: The test split, in the order of the key.
        metrics: Computed from it.
    """

    scored: Scored
    metrics: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Checked:
    """A submission whose numbers follow from its scores.

    Attributes:
        submission: The submission.
        tasks: What was computed, by task.
    """

    submission: Submission
    tasks: Mapping[str, CheckedTask]


class Verdict(NamedTuple):
    """What came of checking one submission.

    Attributes:
        name: Name of its folder.
        checked: The submission, if it is accepted.
        refusal: Why it is not, if it is not.
        reproduction: What came out when it was run again, if it is accepted and was.
    """

    name: str
    checked: Checked | None
    refusal: PyramidParaphraseError | None
    reproduction: Reproduction | None = None


def check_folder(board: Board, folder: Path, *, with_intervals: bool = True) -> Checked:
    """Read and check a submission.

    Args:
        board: Where it is submitted to.
        folder: Its folder.
        with_intervals: Whether intervals are computed anew, too, which takes most time.

    Returns:
        The submission, all of whose numbers are what they should be.

    Raises:
        PyramidParaphraseError: If it is refused.
    """
    submission = read_submission(board, folder)
    return Checked(submission, check_result(board, submission.result, with_intervals=with_intervals))


def check_result(board: Board, result: Result, *, with_intervals: bool = True) -> dict[str, CheckedTask]:
    """Compute every number of a result anew.

    Returns:
        What was computed, by task.

    Raises:
        PyramidParaphraseError: If a number is not what it should be, or rows are missing.
    """
    record, where = result.record, Path(result.path or result.model)
    statistics = record["statistics"]
    if statistics["resamples"] > MAX_RESAMPLES or statistics["seed"] >= 1 << 32:
        reason = f"has {statistics['resamples']:,} resamples, and {MAX_RESAMPLES:,} are allowed"
        raise LeaderboardError(f"{where}: {reason}; evaluate the model again with fewer")
    _require_equal(where, "confidence", statistics["confidence"], CONFIDENCE)
    _require_equal(where, "signature", record["signature"], make_signature(record))
    _require_equal(where, "settings_hash", record["settings_hash"], hash_settings(record))
    tests = find_tests(board, record, where)
    return {task: _check_task(board, test, result, task, with_intervals=with_intervals) for task, test in tests.items()}


def _require_equal(where: Path, what: str, found: object, expected: object) -> None:
    if found != expected:
        shown = str(found)[:_MAX_SHOWN]
        raise LeaderboardError(f"{where}: {what} is {shown}, and should be {expected}; evaluate the model again")


def _check_task(board: Board, test: RankedTest, result: Result, task: str, *, with_intervals: bool) -> CheckedTask:
    where, claimed, key = Path(result.path or result.model), result.tasks[task], board.key(test)
    _require_equal(where, f"options of {task}", claimed["options"], dict(test.options))
    try:
        items = align(result.items[task], key)
    except ValueError as error:
        raise LeaderboardError(f"{where}: the scores are not those of {task}: {error}; evaluate again") from None
    _require_bounded(where, task, items)
    if not items.is_binary:
        _require_equal(where, f"options per question of {task}", items.scores.shape[1], int(key.targets.max()) + 1)
    metrics = measure_items(items)
    for name, value in metrics.items():
        _require_close(where, f"{name} of {task}", claimed[name], value)
    scored = items.scored(metrics.get("threshold"))
    _require_equal(where, f"counts of {task}", dict(claimed["counts"]), _count(items, scored))
    if with_intervals:
        _check_intervals(where, task, claimed["intervals"], scored, result.record["statistics"])
    return CheckedTask(scored, metrics)


def _require_bounded(where: Path, task: str, items: Items) -> None:
    """Scores are rounded when they are read, which says nothing of very large ones."""
    if np.abs(items.scores).max() > MAX_SCORE:
        reason = f"a score of {task} is beyond {MAX_SCORE:,.0f}"
        raise LeaderboardError(f"{where}: {reason}; submit what `pyramid-paraphrase evaluate` wrote")


def _require_close(where: Path, what: str, claimed: float, found: float) -> None:
    if abs(claimed - found) > TOLERANCE:
        reason = f"{what} is said to be {claimed}, and its scores give {found}"
        raise LeaderboardError(f"{where}: {reason}; submit what `pyramid-paraphrase evaluate` wrote")


def _count(items: Items, scored: Scored) -> dict[str, int]:
    test = len(scored.targets)
    counts = {"test": test, "validation": len(items.ids) - test, "topics": scored.topic_count}
    return counts | ({"paraphrases": int(scored.targets.sum())} if items.is_binary else {})


def _check_intervals(
    where: Path, task: str, claimed: Mapping[str, Any], scored: Scored, statistics: Mapping[str, Any]
) -> None:
    measure = partial(resample_metrics, scored)
    found = find_intervals(bootstrap(measure, scored.topic_count, statistics["resamples"], statistics["seed"]))
    _require_equal(where, f"metrics with an interval of {task}", sorted(claimed), sorted(found))
    for name, interval in found.items():
        for end, said, value in zip(("lower", "upper"), claimed[name], interval, strict=True):
            _require_close(where, f"{end} end of {name} of {task}", said, value)


def check_board(board: Board, *, with_intervals: bool = True) -> Iterator[Verdict]:
    """Check every submission, and that none is there twice.

    Yields:
        What came of each: of those that were run again first, then by date and name. Of those that are the same, the
        later ones are refused: a name that sorts first puts out nobody.
    """
    seen = _identify_shortcuts(board)
    folders = sorted(board.list_submissions(), key=lambda folder: _find_precedence(board, folder))
    for folder, check in _check_ahead(board, folders, with_intervals=with_intervals):
        try:
            checked = check.result()
            refuse_duplicate(checked.submission.result.record, seen, folder)
            reproduction = read_reproduction(board, checked.submission)
        except PyramidParaphraseError as error:
            yield Verdict(folder.name, None, error)
        else:
            seen |= dict.fromkeys(identify(checked.submission.result.record), folder.name)
            yield Verdict(folder.name, checked, None, reproduction)


def _check_ahead(
    board: Board, folders: Iterable[Path], *, with_intervals: bool
) -> Iterator[tuple[Path, Future[Checked]]]:
    """Check several at a time, in their order; decompressing and parsing, which take most time, need no turns."""
    waiting: deque[tuple[Path, Future[Checked]]] = deque()
    with ThreadPoolExecutor(_WORKERS) as pool:
        for folder in folders:
            waiting.append((folder, pool.submit(check_folder, board, folder, with_intervals=with_intervals)))
            if len(waiting) > _WORKERS:  # no more, for each holds its scores
                yield waiting.popleft()
        yield from waiting


def _find_precedence(board: Board, folder: Path) -> tuple[bool, str, str]:
    try:
        date = read_submitted_form(folder).submitted
        return find_reproduction(board, folder.name) is None, date, folder.name
    except PyramidParaphraseError:
        return True, "", folder.name


def identify(record: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """What no two submissions may have in common: the same name, model or scores on the same test."""
    found: list[tuple[str, ...]] = []
    for task, metrics in record["tasks"].items():
        fingerprint = metrics["fingerprint"]
        found += [
            # As in a path: names that differ in blanks, marks or case alone look the same, and so may their pages.
            ("name", fingerprint, slug(record["model"]["name"]).casefold()),
            ("model", fingerprint, record["model"]["fingerprint"]),
            ("scores", fingerprint, record["items"][task]["sha256"]),
        ]
    return found


def _identify_shortcuts(board: Board) -> dict[tuple[str, ...], str]:
    return {identity: one.model for one in board.shortcuts for identity in identify(one.record)}


def refuse_duplicate(record: Mapping[str, Any], seen: Mapping[tuple[str, ...], str], where: Path) -> None:
    """Refuse a result that shares what identifies it with another submission.

    Args:
        record: The result.
        seen: Names of submissions by what identifies them.
        where: What to name in the error.

    Raises:
        LeaderboardError: If there is one.
    """
    for identity in identify(record):
        if identity in seen:
            raise LeaderboardError(f"{where}: has the same {identity[0]} as {seen[identity]}; remove one of them")


def list_identities(board: Board) -> dict[tuple[str, ...], str]:
    """What identifies the shortcuts and submissions that are there; those that are not sound do not count."""
    seen = _identify_shortcuts(board)
    for folder in board.list_submissions():
        try:
            seen |= dict.fromkeys(identify(read_submitted_record(folder)[1]), folder.name)
        except PyramidParaphraseError:
            continue
    return seen


def enter_submission(board: Board, result: Result, form: Form) -> Path:
    """Enter a result into a leaderboard.

    Args:
        board: The leaderboard.
        result: What `evaluate` wrote.
        form: What its author says.

    Returns:
        The folder of the submission, which is accepted.

    Raises:
        PyramidParaphraseError: If it is refused, or cannot be written; nothing is left of it then.
    """
    check_form(form)
    check_result(board, result)
    remove_abandoned(board.folder)
    if entered := find_same_submission(board, result, form):  # by a run that was killed before it could say so
        return entered
    refuse_duplicate(result.record, list_identities(board), Path(result.path or result.model))
    return write_submission(board, result, form, lambda folder: check_folder(board, folder, with_intervals=False))
