"""Submissions whose numbers follow from their scores, with identities and ranks, but without scores to save memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.evaluation.record import ModelRecord, Record
from harness.leaderboards.board import Board
from harness.leaderboards.checks import CheckedTest, Submission, check_folder, check_result
from harness.leaderboards.reproduction import Reproduction, hash_record, read_reproduction
from harness.leaderboards.submissions import Form
from harness.metrics.measuring import make_measure, measure_contributions
from harness.stats.bootstrap import RESAMPLES, SEED, Samples, bootstrap
from harness.support.errors import LeaderboardError, describe_cause
from harness.support.names import slug
from pyramid_paraphrase.errors import PyramidParaphraseError

NEAR_COPY = 0.95
"""Minimum rank correlation of near copies. On DUC 2007, different models (MiniLM, tf-idf, wtmf, one-hot,
character n-grams) reach at most 0.926 on pairs and 0.887 on questions. Variants of one model reach more: 0.998 with
another precision, 0.950 to 0.998 with 256 or 320 of 384 dimensions."""

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
    for test_name, test in record.tests.items():
        fingerprint = test.fingerprint
        identities += [
            # Normalized as in a path, because names that differ only in spaces, punctuation or case could share a page.
            Identity("name", fingerprint, slug(record.model.name).casefold()),
            Identity("model", fingerprint, record.model.fingerprint),
            Identity("scores", fingerprint, scores[test_name]),
        ]
    return identities


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
class Measured:
    """A model, or a shortcut, on one test.

    Attributes:
        submission: Name of the submission, or "" for shortcuts.
        description: The description of the model in its result.
        fingerprint: Fingerprint of the test.
        metrics: All metrics, computed from the scores.
        samples: The metrics that have an interval, on the resamples of the leaderboard.
        contributions: The contribution of each topic to the metrics, for paired tests.
        ranks: Ranks of the scores, to compare them with those of other models.
        is_reproduced: Whether the maintainer ran the model: for reproduced submissions and shortcuts.
    """

    submission: str
    description: ModelRecord
    fingerprint: str
    metrics: Mapping[str, float]
    samples: Samples
    contributions: Samples
    ranks: npt.NDArray[np.float32]
    is_reproduced: bool

    @property
    def place(self) -> str:
        """The name of the submission, or of the shortcut, for messages."""
        return self.submission or f"the shortcut {self.description.name}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A submission whose numbers follow from its scores. It may still be in conflict with another submission.

    Attributes:
        name: Name of its folder.
        record: The content of the result.
        form: The statements of its author.
        digest: SHA-256 of the result.
        identities: Its identities, which no other submission may have.
        measured: Its model on each test.
        reproduction: The record of its reproduction, or None if there is none.
    """

    name: str
    record: Record
    form: Form
    digest: str
    identities: tuple[Identity, ...]
    measured: tuple[Measured, ...]
    reproduction: Reproduction | None


def make_candidate(board: Board, submission: Submission) -> Candidate:
    """Reduce a checked submission to the data that rankings and notices need.

    Raises:
        InputError: If the record of its reproduction is damaged.
    """
    result, reproduction = submission.result, read_reproduction(board, submission)
    scores = {name: checked.scores_sha256 for name, checked in submission.tests.items()}
    return Candidate(
        name=submission.name,
        record=result.record,
        form=submission.form,
        digest=hash_record(result.content),
        identities=tuple(identify(result.record, scores)),
        measured=tuple(
            _measure(submission.name, result.record, test_name, checked, is_reproduced=reproduction is not None)
            for test_name, checked in submission.tests.items()
        ),
        reproduction=reproduction,
    )


def measure_shortcuts(board: Board) -> list[Measured]:
    """Measure the shortcuts of a leaderboard.

    Returns:
        One measured model per shortcut and test. Results can overlap, because all shortcuts are evaluated again when
        tests are added.

    Raises:
        PyramidParaphraseError: If the result of a shortcut is damaged.
    """
    measured: dict[tuple[str, str], Measured] = {}
    for result in board.shortcuts:
        for test_name, checked in check_result(board, result, with_intervals=False).items():
            identity = (result.model, result.tests[test_name].fingerprint)
            if identity not in measured:
                measured[identity] = _measure("", result.record, test_name, checked, is_reproduced=True)
    return list(measured.values())


def _measure(submission: str, record: Record, test_name: str, checked: CheckedTest, *, is_reproduced: bool) -> Measured:
    scored = checked.scored
    measure = make_measure(scored, with_curves=False)
    return Measured(
        submission=submission,
        description=record.model,
        fingerprint=record.tests[test_name].fingerprint,
        metrics=checked.metrics,
        samples=bootstrap(measure, scored.topic_count, RESAMPLES, SEED),
        contributions=measure_contributions(scored, with_curves=False),
        ranks=rank_scores(scored.scores),
        is_reproduced=is_reproduced,
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
