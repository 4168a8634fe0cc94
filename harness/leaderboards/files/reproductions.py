"""Records of reproductions: the outcome of running a submitted model again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.files.json_files import read_json
from harness.leaderboards.files.board import REPRODUCTIONS, Board, refuse_link
from harness.leaderboards.files.submissions import Submission
from pyramid_paraphrase.files.inputs import is_file

FORMAT = 1
_SCHEMA = "leaderboards/files/reproduction.schema.json"
_MAX_BYTES = 1 << 16
_REMEDY = "run `pyramid-paraphrase leaderboard reproduce` again"


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The outcome of running a submission again.

    Attributes:
        largest_difference: Largest difference of any metric of any test.
        date: Date of the run, in ISO format.
        versions: Versions of Python and the libraries.
    """

    largest_difference: float
    date: str
    versions: Mapping[str, str]


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
    value = read_json(path, schema=_SCHEMA, kind="record of a reproduction", limit=_MAX_BYTES, remedy=_REMEDY)
    if value["result_sha256"] != hash_record(submission.result.content):
        return None
    return Reproduction(value["largest_difference"], value["date"], value["versions"])


def hash_record(content: bytes) -> str:
    """Return the SHA-256 of the content of a result, which does not depend on the line ends of its file.

    It also identifies the scores, because a result contains their hashes.
    """
    return hashlib.sha256(content).hexdigest()
