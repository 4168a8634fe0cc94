"""Precedence of submissions that share a name, a model or scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from harness.leaderboards.files.board import SUBMISSIONS, Board
from harness.leaderboards.judging.candidates import Candidate
from harness.leaderboards.judging.identities import Identity, identify_shortcuts
from harness.rendering.tables import join_some
from harness.support.errors import LeaderboardError


def settle_conflicts(
    board: Board, candidates: Sequence[Candidate], accepted: Mapping[str, str]
) -> dict[str, LeaderboardError]:
    """Refuse submissions because another submission or shortcut has the same name, model or scores.

    The statements of authors have no influence. The shortcuts come first, then submissions that the leaderboard
    accepted before and that have not changed since, then reproduced submissions. Submissions in conflict that have the
    same precedence are all refused, because only the maintainer can decide which of them is genuine.

    Args:
        board: The leaderboard.
        candidates: Submissions whose numbers follow from their scores.
        accepted: SHA-256 of the results that were accepted before, by name of the submission.

    Returns:
        The error that refuses a submission, by name of the submission.
    """
    holders = {identity: f"the shortcut {name}" for identity, name in identify_shortcuts(board).items()}
    reasons: dict[Identity, str] = {}
    refusals: dict[str, LeaderboardError] = {}
    for tier, reason in _divide_into_tiers(candidates, accepted):
        remaining = []
        for candidate in tier:
            taken = next((identity for identity in candidate.identities if identity in holders), None)
            if taken is None:
                remaining.append(candidate)
            else:
                refusals[candidate.name] = _refuse_taken(board, candidate, taken, holders[taken], reasons.get(taken))
        refusals |= _refuse_rivals(board, remaining)
        # Submissions that are refused here still block those of lower precedence, because the conflict is not settled.
        for candidate in remaining:
            holders |= dict.fromkeys(candidate.identities, candidate.name)
            reasons |= dict.fromkeys(candidate.identities, reason)
    return refusals


def _divide_into_tiers(
    candidates: Sequence[Candidate], accepted: Mapping[str, str]
) -> list[tuple[list[Candidate], str]]:
    """Divide submissions by precedence, the highest first, with the reason for the precedence."""
    accepted_before, reproduced, new = [], [], []
    for candidate in candidates:
        if accepted.get(candidate.name) == candidate.digest:
            accepted_before.append(candidate)
        elif candidate.reproduction is not None:
            reproduced.append(candidate)
        else:
            new.append(candidate)
    return [(accepted_before, "the leaderboard accepted before"), (reproduced, "was reproduced"), (new, "")]


def _refuse_taken(
    board: Board, candidate: Candidate, identity: Identity, holder: str, reason: str | None
) -> LeaderboardError:
    location = _place(board, candidate)
    if reason is None:  # a shortcut
        return LeaderboardError(f"{location}: has the same {identity.kind} as {holder}. Remove it")
    remedy = f"Remove it, or remove {holder} first if {holder} is not genuine"
    return LeaderboardError(f"{location}: has the same {identity.kind} as {holder}, which {reason}. {remedy}")


def _refuse_rivals(board: Board, candidates: Sequence[Candidate]) -> dict[str, LeaderboardError]:
    claims: defaultdict[Identity, list[str]] = defaultdict(list)
    for candidate in candidates:
        for identity in candidate.identities:
            claims[identity].append(candidate.name)
    refusals = {}
    for candidate in candidates:
        contested = [identity for identity in candidate.identities if len(claims[identity]) > 1]
        rivals = set(chain.from_iterable(claims[identity] for identity in contested)) - {candidate.name}
        if rivals:
            reason = f"has the same {contested[0].kind} as {join_some(sorted(rivals))}, and none of them is accepted"
            remedy = "Remove all but the genuine submission, or run `pyramid-paraphrase leaderboard reproduce` on it"
            refusals[candidate.name] = LeaderboardError(f"{_place(board, candidate)}: {reason}. {remedy}")
    return refusals


def _place(board: Board, candidate: Candidate) -> Path:
    return board.folder / SUBMISSIONS / candidate.name
