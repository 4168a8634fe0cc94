"""The record of accepted submissions, which settles conflicts about a name, a model or scores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from harness.files.json_files import JsonRecord, Sha256, read_record, render_json
from harness.files.writing import write_file
from harness.leaderboards.files.board import Board, refuse_link
from pyramid_paraphrase.files.inputs import exists

ACCEPTED_NAME = "accepted.json"
_MAX_BYTES = 1 << 24
_REMEDY = "restore an earlier version of it, or remove it and run `pyramid-paraphrase leaderboard check` again"


class Accepted(JsonRecord, frozen=True, tag_field="format", tag=1):
    """The submissions that a leaderboard accepted.

    Attributes:
        accepted: SHA-256 of the accepted results, as `hash_record` computes them, by name of the submission.
    """

    accepted: Mapping[Annotated[str, Meta(min_length=1, max_length=255)], Sha256]


def read_accepted(board: Board) -> Mapping[str, str]:
    """Read the record of accepted submissions.

    Returns:
        SHA-256 of the accepted results, as `hash_record` computes them, by name of the submission. Empty if the whole
        leaderboard was never checked.

    Raises:
        InputError: If the record is damaged.
        LeaderboardError: If it is a symbolic link.
    """
    path = board.folder / ACCEPTED_NAME
    refuse_link(path)
    if not exists(path):
        return {}
    kind = "record of accepted submissions"
    return read_record(path, Accepted, kind=kind, limit=_MAX_BYTES, remedy=_REMEDY).accepted


def update_accepted(board: Board, accepted: Mapping[str, str]) -> Path | None:
    """Record which submissions a leaderboard accepts.

    A submission that was accepted before and is refused now stays in the record with its former result. Its author
    regains precedence by restoring that result. Submissions without a folder are dropped from the record.

    Args:
        board: The leaderboard, of which all submissions were checked.
        accepted: SHA-256 of the result by name, of the submissions that are accepted now.

    Returns:
        The file, or None if the record is the same as before.

    Raises:
        OutputError: If it cannot be written.
    """
    before = read_accepted(board)
    present = {folder.name for folder in board.list_submissions()}
    kept = {name: digest for name, digest in before.items() if name in present}
    record = dict(sorted({**kept, **accepted}.items()))
    if record == before:
        return None
    path = board.folder / ACCEPTED_NAME
    write_file(path, render_json(msgspec.to_builtins(Accepted(record))))
    return path
