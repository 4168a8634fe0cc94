"""Records of reproductions: the outcome of running a submitted model again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from harness.files.json_files import Amount, Date, JsonRecord, Sha256, read_record
from harness.leaderboards.files.board import REPRODUCTIONS, Board, refuse_link
from harness.leaderboards.files.submissions import Submission
from pyramid_paraphrase.files.inputs import is_file

_MAX_BYTES = 1 << 16
_REMEDY = "run `pyramid-paraphrase leaderboard reproduce` again"


class Reproduction(JsonRecord, frozen=True, tag_field="format", tag=1):
    """The outcome of running a submission again.

    Attributes:
        result_sha256: SHA-256 of the result of the submission, as `hash_record` computes it.
        largest_difference: Largest difference of any metric of any test.
        date: Date of the run, in ISO format.
        versions: Versions of Python and the libraries.
    """

    result_sha256: Sha256
    largest_difference: Amount
    date: Date
    versions: Mapping[str, Annotated[str, Meta(max_length=100)]]


def locate_reproduction(board: Board, name: str) -> Path:
    """Return the path of the record of a reproduction, by the name of the submission."""
    return board.folder / REPRODUCTIONS / f"{name}.json"


def read_reproduction(board: Board, submission: Submission) -> Reproduction | None:
    """Read the record of a reproduction.

    Returns:
        The record, or None if there is none, or if it is of an earlier result of the submission.

    Raises:
        InputError: If the record is damaged.
    """
    path = locate_reproduction(board, submission.name)
    if not is_file(path):
        return None
    refuse_link(path)
    kind = "record of a reproduction"
    reproduction = read_record(path, Reproduction, kind=kind, limit=_MAX_BYTES, remedy=_REMEDY)
    if reproduction.result_sha256 != hash_record(submission.result.content):
        return None
    return reproduction


def hash_record(content: bytes) -> str:
    """Return the SHA-256 of the content of a result, which does not depend on the line ends of its file.

    It also identifies the scores, because a result contains their hashes.
    """
    return hashlib.sha256(content).hexdigest()
