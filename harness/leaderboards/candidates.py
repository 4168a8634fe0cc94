"""Submissions whose numbers follow from their scores, with identities and ranks, but without scores to save memory."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.evaluation.comparing.standings import MeasuredModel
from harness.evaluation.record import Record
from harness.evaluation.results import Result
from harness.leaderboards.board import Board, RankedTest
from harness.leaderboards.checks import CheckedTest, Submission, check_folder, check_result
from harness.leaderboards.reproduction import Reproduction, read_reproduction
from harness.leaderboards.submissions import Form, hash_submission
from harness.metrics.measuring import make_measure, measure_contributions
from harness.models.registry import CHANCE, SHORTCUT, find_role
from harness.stats.bootstrap import RESAMPLES, SEED, bootstrap
from harness.support.errors import LeaderboardError, describe_cause
from pyramid_paraphrase.errors import PyramidParaphraseError

NEAR_COPY = 0.95
"""Minimum rank correlation of near copies. On DUC 2007, different models (MiniLM, tf-idf, wtmf, one-hot,
character n-grams) reach at most 0.926 on pairs and 0.887 on questions. Variants of one model reach more: 0.998 with
another precision, 0.950 to 0.998 with 256 or 320 of 384 dimensions."""

_MARKS = re.compile(r"[^a-z0-9]+")

_MODELS_AT_ONCE = 64

_WORKERS = 2


class Identity(NamedTuple):
    """A name, a model or scores that only one submission to a test may have.

    Attributes:
        kind: "name", "model" or "scores".
        fingerprint: Fingerprint of the test.
        value: The name without punctuation and case, the fingerprint of the model, or the hash of the scores.
    """

    kind: str
    fingerprint: str
    value: str


def identify(record: Record, scores: Mapping[str, str]) -> list[Identity]:
    """List the identities of a result.

    Args:
        record: Its content.
        scores: Hashes from `hash_scores`, by name of the test.

    Returns:
        Three identities per test.
    """
    identities: list[Identity] = []
    for test_name, digest in scores.items():
        fingerprint = record.tests[test_name].fingerprint
        identities += [
            Identity("name", fingerprint, simplify_name(record.model.name)),
            Identity("model", fingerprint, record.model.fingerprint),
            Identity("scores", fingerprint, digest),
        ]
    return identities


def simplify_name(name: str) -> str:
    """Return a name of a model without case, punctuation and spaces. Names without another difference are the same."""
    return _MARKS.sub("-", name.casefold()).strip("-")


def rank_scores(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Rank scores so that the mean product of the ranks of two models is their rank correlation (Spearman's rho).

    The options of a question are ranked within the question. A number that is added to all options of a question does
    not change any metric, and would otherwise hide a copy.

    Args:
        scores: Shape (n,) for pairs, (n, options) for questions.

    Returns:
        Flat array of ranks with mean 0 and variance 1. Ties have their mean rank. All ranks are 0 if all scores are
        equal.
    """
    from scipy.stats import rankdata  # slow to import

    ranks = rankdata(scores, axis=-1)
    centred = (ranks - ranks.mean(axis=-1, keepdims=True)).ravel()
    deviation = centred.std()
    if deviation:
        centred /= deviation
    return np.asarray(centred, dtype=np.float32)


def find_near_copies(ranks: Sequence[npt.NDArray[np.float32]]) -> Iterator[tuple[int, int, float]]:
    """Find the pairs of models that are near copies.

    Args:
        ranks: The ranks of each model on one test, from `rank_scores`.

    Yields:
        Indices of two models whose rank correlation is `NEAR_COPY` or more, the smaller first, and the correlation.
    """
    starts = range(0, len(ranks), _MODELS_AT_ONCE)
    for start in starts:
        rows = _stack(ranks, start)
        for column_start in starts[start // _MODELS_AT_ONCE :]:
            correlations = rows @ _stack(ranks, column_start).T / rows.shape[1]
            for row, column in np.argwhere(correlations >= NEAR_COPY).tolist():
                first, second = start + row, column_start + column
                if first < second:
                    yield first, second, min(1.0, float(correlations[row, column]))


def _stack(ranks: Sequence[npt.NDArray[np.float32]], start: int) -> npt.NDArray[np.float32]:
    return np.stack(ranks[start : start + _MODELS_AT_ONCE])


@dataclass(frozen=True, slots=True)
class Candidate:
    """A submission whose numbers follow from its scores, or a shortcut.

    A submission may still be in conflict with another one.

    Attributes:
        name: Name of its folder, or "" for shortcuts.
        record: The content of the result.
        form: The statements of its author, or None for shortcuts.
        digest: SHA-256 of all its files, as `hash_submission` computes it, or "" for shortcuts.
        identities: Its identities, which no other submission may have.
        models: Its model, measured on the resamples of the leaderboard, by name of the test.
        score_ranks: The ranks of its scores, from `rank_scores`, by name of the test.
        reproduction: The record of its reproduction, or None if there is none.
    """

    name: str
    record: Record
    form: Form | None
    digest: str
    identities: tuple[Identity, ...]
    models: Mapping[str, MeasuredModel]
    score_ranks: Mapping[str, npt.NDArray[np.float32]]
    reproduction: Reproduction | None

    @property
    def place(self) -> str:
        """The name of the submission, or of the shortcut, for messages."""
        return self.name or f"the shortcut {self.record.model.name}"

    @property
    def is_shortcut(self) -> bool:
        """Whether it is a shortcut of the leaderboard."""
        return not self.name

    @property
    def is_reproduced(self) -> bool:
        """Whether the maintainer ran the model: for reproduced submissions and shortcuts."""
        return self.is_shortcut or self.reproduction is not None

    def has_test(self, test: RankedTest) -> bool:
        """Return whether its model was measured on a test."""
        name = test.configuration
        return name in self.models and self.record.tests[name].fingerprint == test.fingerprint


def make_candidate(board: Board, submission: Submission) -> Candidate:
    """Reduce a checked submission to the data that rankings and notices need.

    Raises:
        InputError: If the record of its reproduction is damaged.
    """
    reproduction = read_reproduction(board, submission)
    return _make(submission.name, submission.result, submission.form, submission.tests, reproduction)


def measure_shortcuts(board: Board) -> list[Candidate]:
    """Measure the shortcuts of a leaderboard.

    Returns:
        The shortcuts, a shortcut on a test only once. Results can overlap, because all shortcuts are evaluated again
        when tests are added.

    Raises:
        PyramidParaphraseError: If the result of a shortcut is damaged.
    """
    shortcuts, measured = [], set[tuple[str, str]]()
    for result in board.shortcuts:
        tests = check_result(board, result, with_intervals=False)
        runs = {name: (result.model, result.tests[name].fingerprint) for name in tests}
        new_tests = {name: tests[name] for name, run in runs.items() if run not in measured}
        measured.update(runs.values())
        shortcuts.append(_make("", result, None, new_tests, None))
    return shortcuts


def _make(
    name: str,
    result: Result,
    form: Form | None,
    tests: Mapping[str, CheckedTest],
    reproduction: Reproduction | None,
) -> Candidate:
    role = find_role(result.record.model.kind)
    if form is not None and role == SHORTCUT:
        role = CHANCE  # a submission never becomes a shortcut, which others have to beat
    models = {}
    for test_name, checked in tests.items():
        split = checked.scored
        samples = bootstrap(make_measure(split, with_curves=False), split.topic_count, RESAMPLES, SEED)
        contributions = measure_contributions(split, with_curves=False)
        # The function must not refer to the scores, which would stay in memory.
        models[test_name] = MeasuredModel(result.model, role, checked.metrics, contributions, partial(dict, samples))
    scores = {test_name: checked.scores_sha256 for test_name, checked in tests.items()}
    return Candidate(
        name=name,
        record=result.record,
        form=form,
        digest="" if form is None else hash_submission(result, form),
        identities=tuple(identify(result.record, scores)),
        models=models,
        score_ranks={test_name: rank_scores(checked.scored.scores) for test_name, checked in tests.items()},
        reproduction=reproduction,
    )


def read_candidates(
    board: Board, without_intervals: Collection[str]
) -> Iterator[tuple[Path, Candidate | PyramidParaphraseError]]:
    """Read and check all submissions of a leaderboard, each independently.

    Args:
        board: The leaderboard.
        without_intervals: Names of the submissions whose intervals are not recomputed, because this takes most of the
            time.

    Yields:
        The folder of each submission, in the order of names, with the submission or the error that refuses it. Any
        exception of a check refuses the submission, because one submission must not end the check of the others.
    """
    for folder, check in _check_ahead(board, board.list_submissions(), without_intervals):
        try:
            yield folder, check.result()
        except PyramidParaphraseError as error:
            yield folder, error
        except Exception as error:  # a hostile submission can cause any exception in a library
            reason = f"cannot be checked ({type(error).__name__}: {describe_cause(error)})"
            refusal = LeaderboardError(f"{folder}: {reason}. Inspect its files. --verbose shows where the check failed")
            refusal.__cause__ = error
            yield folder, refusal


def _check_ahead(
    board: Board, folders: Iterable[Path], without_intervals: Collection[str]
) -> Iterator[tuple[Path, Future[Candidate]]]:
    """Check several submissions at a time in threads. Decompression and parsing release the interpreter lock."""

    def check(folder: Path) -> Candidate:
        checked = check_folder(board, folder, with_intervals=folder.name not in without_intervals)
        return make_candidate(board, checked)

    waiting: deque[tuple[Path, Future[Candidate]]] = deque()
    with ThreadPoolExecutor(_WORKERS) as pool:
        for folder in folders:
            waiting.append((folder, pool.submit(check, folder)))
            if len(waiting) > _WORKERS:  # not more, because each keeps its scores in memory
                yield waiting.popleft()
        yield from waiting
