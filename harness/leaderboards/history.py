"""The record of a leaderboard's decisions: which submissions it accepted, replaced, retired and withdrew."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from harness.files import json_files
from harness.files.writing import write_file
from harness.leaderboards.board import REPRODUCTIONS, SUBMISSIONS, Board, refuse_link
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.errors import InputError, cannot_write
from pyramid_paraphrase.files.atomic import locked_folder
from pyramid_paraphrase.files.inputs import exists

ACCEPTED_NAME = "accepted.json"
_MAX_BYTES = 1 << 24
_REMEDY = "restore an earlier version of it, or remove it and run `pyramid-paraphrase leaderboard check` again"
_EPOCH = "SOURCE_DATE_EPOCH"

ACCEPTED, CHANGED, REPLACED, RETIRED, WITHDRAWN = "accepted", "changed", "replaced", "retired", "withdrawn"
"""Decisions about a submission. The last one is its state: it is ranked if it was accepted or changed, keeps its page
if it was retired, and stays only in the history if it was replaced or withdrawn."""

Action = Literal["accepted", "changed", "replaced", "retired", "withdrawn"]

RANKED = (ACCEPTED, CHANGED)
"""States of submissions that compete."""

SubmissionName = Annotated[str, Meta(min_length=1, max_length=255)]


class Decision(json_files.JsonRecord, frozen=True):
    """A decision of the maintainer about a submission.

    Attributes:
        date: Its date, in ISO format.
        action: What was decided.
        submission: Name of the submission.
        model: Name of its model.
        reason: The reason that the maintainer gave, or "".
        replacement: Name of the submission that replaces it, or "".
    """

    date: json_files.Date
    action: Action
    submission: SubmissionName
    model: json_files.ShortLine
    reason: Annotated[
        str, Meta(pattern=json_files.LINE, max_length=300, description="1 to 300 characters in one line")
    ] = ""
    replacement: Annotated[str, Meta(max_length=255)] = ""


class History(json_files.JsonRecord, frozen=True, tag_field="format", tag=1):
    """All decisions of a leaderboard.

    Attributes:
        accepted: SHA-256 of the submissions that have a folder, as `hash_submission` computes them, by name:
            the ranked, the replaced and the retired ones.
        history: The decisions, the first one first. Submissions of earlier releases have none.
    """

    accepted: Mapping[SubmissionName, json_files.Sha256]
    history: tuple[Decision, ...] = ()

    def find_last(self, name: str) -> Decision | None:
        """Return the last decision about a submission, or None if there is none."""
        return next((decision for decision in reversed(self.history) if decision.submission == name), None)

    def find_state(self, name: str) -> str:
        """Return the last decision about a submission: one of the actions, or "" if it was never accepted."""
        last = self.find_last(name)
        if last is None:
            return ACCEPTED if name in self.accepted else ""
        return last.action

    def find_latest(self, name: str) -> str:
        """Return the submission that replaces a submission in the end, or the submission itself."""
        replacements = {}
        for decision in self.history:
            replacements[decision.submission] = decision.replacement
        seen = {name}
        while (following := replacements.get(name)) and following not in seen:
            name = following
            seen.add(name)
        return name

    def accept(self, name: str, digest: str, model: str, *, replaced: str = "", reason: str = "") -> History:
        """Return the history after a submission is accepted, which is the same if it has not changed since.

        Args:
            name: Name of the submission.
            digest: SHA-256 of it as it is now.
            model: Name of its model.
            replaced: Name of the submission that it replaces, or "".
            reason: The reason that the maintainer gives, or "".
        """
        state = self.find_state(name)
        if self.accepted.get(name) == digest and state != RETIRED:
            return self
        action: Action = "changed" if state in RANKED else "accepted"
        history = self.decide(Decision(find_today(), action, name, model, reason), digest)
        if replaced and action == ACCEPTED:
            last = self.find_last(replaced)
            earlier = replaced if last is None else last.model
            history = history.decide(Decision(find_today(), "replaced", replaced, earlier, reason, name))
        return history

    def decide(self, decision: Decision, digest: str = "") -> History:
        """Return the history after a decision.

        Args:
            decision: The decision.
            digest: SHA-256 of the submission as it is now, or "" if its folder does not count.
        """
        accepted = dict(self.accepted)
        if digest:
            accepted[decision.submission] = digest
        elif decision.action == WITHDRAWN:
            accepted.pop(decision.submission, None)
        return replace(self, accepted=dict(sorted(accepted.items())), history=(*self.history, decision))


def find_today() -> str:
    """Return the date in UTC, in ISO format: of today, or of the time in the variable SOURCE_DATE_EPOCH.

    Raises:
        LeaderboardError: If that variable is not a time in seconds.
    """
    seconds = os.environ.get(_EPOCH)
    if seconds is None:
        return datetime.now(timezone.utc).date().isoformat()
    try:
        return datetime.fromtimestamp(int(seconds), timezone.utc).date().isoformat()
    except (ValueError, OverflowError, OSError):
        reason = f"the variable {_EPOCH} is {seconds!r}, which is no number of seconds since 1970"
        raise LeaderboardError(f"{reason}. Change it") from None


def read_history(board: Board) -> History:
    """Read the record of decisions. It is empty if no submission was ever accepted.

    Raises:
        InputError: If the record is damaged.
        LeaderboardError: If it is a symbolic link.
    """
    path = board.folder / ACCEPTED_NAME
    refuse_link(path)
    if not exists(path):
        return History({})
    kind = "record of accepted submissions"
    history = json_files.read_record(path, History, kind=kind, limit=_MAX_BYTES, remedy=_REMEDY)
    for number, decision in enumerate(history.history):
        try:
            date.fromisoformat(decision.date)
        except ValueError:
            reason = f"is not a valid {kind}: history.{number}.date: {decision.date} is not a date"
            raise InputError(str(path), reason, _REMEDY) from None
    return history


def update_history(board: Board, decide: Callable[[History], History]) -> Path | None:
    """Record decisions.

    Args:
        board: The leaderboard.
        decide: Function from the record, which no other process can change meanwhile, to the new record.

    Returns:
        The file, or None if the record is the same as before.

    Raises:
        InputError: If a decision is not valid, such as one with a reason of several lines.
        OutputError: If it cannot be written.
    """
    path = board.folder / ACCEPTED_NAME
    with locked_folder(board.folder):
        before = read_history(board)
        after = decide(before)
        if after == before:
            return None
        content = json_files.render_json(msgspec.to_builtins(after))
        remedy = "change the reason"
        value = json_files.parse_json(content, str(path), remedy)
        json_files.make_record(value, History, str(path), "record of accepted submissions", remedy)
        write_file(path, content)
    return path


def retire(board: Board, name: str, reason: str) -> Path:
    """Take a submission out of the ranks. Its page stays, for instance after a server has switched off the model.

    Returns:
        The file of the record.

    Raises:
        LeaderboardError: If it is not ranked.
    """
    return _decide(board, name, "retired", reason, RANKED)


def withdraw(board: Board, name: str, reason: str) -> Path:
    """Remove a submission with the record of its reproduction. Its name stays in the history.

    Returns:
        The file of the record.

    Raises:
        LeaderboardError: If it was never accepted, or withdrawn before.
        OutputError: If its folder cannot be removed. It is refused then, and the command can be run again.
    """
    state = read_history(board).find_state(name)
    path = board.folder / ACCEPTED_NAME
    if state != WITHDRAWN:  # otherwise an earlier run was killed before it removed the folder
        path = _decide(board, name, "withdrawn", reason, (*RANKED, RETIRED, REPLACED))
    folder = board.folder / SUBMISSIONS / name
    try:
        if exists(folder):
            shutil.rmtree(folder)
        (board.folder / REPRODUCTIONS / f"{name}.json").unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from None
    return path


def _decide(board: Board, name: str, action: Action, reason: str, states: Collection[str]) -> Path:
    """Record a decision about a submission that must be in one of some states."""

    def decide(history: History) -> History:
        state, last = history.find_state(name), history.find_last(name)
        if state not in states:
            known = f"was {state} before" if state else "was never accepted, so it needs no record. Remove its folder"
            raise LeaderboardError(f"{board.folder / SUBMISSIONS / name}: {known}")
        model = name if last is None else last.model
        return history.decide(Decision(find_today(), action, name, model, reason))

    return update_history(board, decide) or board.folder / ACCEPTED_NAME
