"""Identities of submissions: no two submissions may share a name, a model or scores on the same test."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from harness.evaluation.records.record import Record
from harness.evaluation.results import Result
from harness.leaderboards.files.board import Board
from harness.leaderboards.files.submissions import read_submission
from harness.metrics.rows import ScoredRows, align
from harness.support.errors import LeaderboardError
from harness.support.names import slug


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


def hash_scores(rows: ScoredRows) -> str:
    """Return the SHA-256 of scores, which does not depend on the file format.

    Args:
        rows: Rows of both splits in the order of the key. Scores are rounded when they are read, so the order of
            rows, further decimals and the compression of a file make no difference.
    """
    return hashlib.sha256(np.ascontiguousarray(rows.scores, dtype="<f8").tobytes()).hexdigest()


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


def identify_shortcuts(board: Board) -> dict[Identity, str]:
    """Return the names of shortcuts by their identities.

    Raises:
        LeaderboardError: If a result of a shortcut is not of the leaderboard's tests.
    """
    holders: dict[Identity, str] = {}
    for result in board.shortcuts:
        holders |= dict.fromkeys(_identify_result(board, result), result.model)
    return holders


def list_identities(board: Board) -> dict[Identity, str]:
    """Return the names of the shortcuts and the submissions of a leaderboard by their identities.

    Submissions that cannot be read are left out. The metrics are not checked.
    """
    holders = identify_shortcuts(board)
    for folder in board.list_submissions():
        try:
            identities = _identify_result(board, read_submission(board, folder).result)
        except Exception:  # noqa: S112 - a hostile submission can cause any exception; `check` reports it
            continue
        holders |= dict.fromkeys(identities, folder.name)
    return holders


def _identify_result(board: Board, result: Result) -> list[Identity]:
    scores = {}
    for test_name, test in result.tests.items():
        ranked_test = board.find_test(test_name, test.fingerprint)
        if ranked_test is None:
            reason = f"{result.place}: is a result of a test that this leaderboard does not have"
            raise LeaderboardError(f"{reason}. Remove it")
        try:
            scores[test_name] = hash_scores(align(result.rows[test_name], board.key(ranked_test)))
        except ValueError as error:
            raise LeaderboardError(
                f"{result.place}: the scores do not match the rows of {test_name}: {error}. Remove it"
            ) from None
    return identify(result.record, scores)


def refuse_duplicate(result: Result, scores: Mapping[str, str], holders: Mapping[Identity, str]) -> None:
    """Refuse a result that shares an identity with another result.

    Args:
        result: The result.
        scores: Hashes from `hash_scores`, by name of the test.
        holders: Names of shortcuts and submissions by their identities.

    Raises:
        LeaderboardError: If it shares an identity.
    """
    location = result.path or result.model
    for identity in identify(result.record, scores):
        if identity in holders:
            raise LeaderboardError(
                f"{location}: has the same {identity.kind} as {holders[identity]}. Remove one of them"
            )
