"""Records of reproductions: who ran a submitted model again, and what came of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.files.json_files import check_schema, parse_json, read_bytes, render_json
from harness.leaderboards.files.board import REPRODUCTIONS, Board, refuse_link
from harness.leaderboards.files.submissions import Submission
from pyramid_paraphrase.inputs import is_file

FORMAT = 1
_MAX_BYTES = 1 << 16
_REMEDY = "run `pyramid-paraphrase leaderboard reproduce` again"


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What came out when a submission was run again.

    Attributes:
        largest_difference: Of any metric of any task.
        date: When, in ISO format.
        versions: Of Python and the libraries.
    """

    largest_difference: float
    date: str
    versions: Mapping[str, str]


def locate_reproduction(board: Board, name: str) -> Path:
    """Return where the reproduction of a submission is recorded."""
    return board.folder / REPRODUCTIONS / f"{name}.json"


def _find_reproduction(board: Board, name: str) -> Path | None:
    """Where it is recorded that a submission was run again; None if it is not."""
    place = locate_reproduction(board, name)
    return place if is_file(place) else None


def read_reproduction(board: Board, submission: Submission) -> Reproduction | None:
    """What is recorded of a submission; None if nothing is, or it was of another result than is there now.

    Raises:
        InputError: If the record is damaged.
    """
    path = _find_reproduction(board, submission.name)
    if path is None:
        return None
    refuse_link(path)
    value = parse_json(read_bytes(path, _MAX_BYTES, _REMEDY), str(path), _REMEDY)
    check_schema(value, "leaderboards/files/reproduction.schema.json", str(path), "record of a reproduction", _REMEDY)
    if value["result_sha256"] != hash_record(submission.result.record):
        return None
    return Reproduction(value["largest_difference"], value["date"], value["versions"])


def hash_record(record: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the JSON file of a result, with any line ends; the file holds the hashes of the scores."""
    return hashlib.sha256(render_json(record)).hexdigest()
