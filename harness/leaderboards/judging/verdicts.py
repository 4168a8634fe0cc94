"""Verdicts on all submissions to a leaderboard, and notices for its maintainer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from harness.leaderboards.files.board import Board
from harness.leaderboards.files.reproductions import locate_reproduction
from harness.leaderboards.judging.acceptance import read_accepted
from harness.leaderboards.judging.candidates import Candidate, Measured, measure_shortcuts, read_candidates
from harness.leaderboards.judging.copies import find_near_copies
from harness.leaderboards.judging.precedence import settle_conflicts
from harness.leaderboards.judging.rankings import NEAR_PERFECT, Ranking, Rankings
from harness.rendering.tables import join_some
from harness.support.progress import track
from pyramid_paraphrase.errors import PyramidParaphraseError
from pyramid_paraphrase.files.inputs import exists

_LETTERS = str.maketrans({"1": "l", "i": "l", "0": "o"})
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
_MARKS = re.compile(r"[^a-z0-9]+")
"""Replacements for names that look alike: letters, pairs of letters, and marks."""


class Verdict(NamedTuple):
    """The verdict on one submission.

    Attributes:
        name: Name of its folder.
        candidate: The submission, if its numbers follow from its scores.
        refusal: The error that refuses it, or None if it is accepted.
    """

    name: str
    candidate: Candidate | None
    refusal: PyramidParaphraseError | None


def check_board(
    board: Board, *, with_intervals: bool = True, only: Collection[str] | None = None, visible: bool = False
) -> list[Verdict]:
    """Check every submission, and settle conflicts between them.

    Args:
        board: The leaderboard.
        with_intervals: Whether to recompute intervals, which takes most of the time.
        only: Names of the submissions whose intervals are recomputed, or None for all. The other submissions are needed
            to find conflicts.
        visible: Whether to show a progress bar.

    Returns:
        The verdict on each submission, in the order of names.

    Raises:
        PyramidParaphraseError: If the leaderboard is damaged.
    """
    for test in board.tests:
        board.key(test)
    accepted, folders = read_accepted(board), board.list_submissions()
    without_intervals = {folder.name for folder in folders}
    if with_intervals and only is None:
        without_intervals = set()
    elif with_intervals and only is not None:
        without_intervals -= set(only)
    checks = track(read_candidates(board, without_intervals), "check", len(folders), visible=visible)
    outcomes = [(folder.name, outcome) for folder, outcome in checks]
    candidates = [outcome for _, outcome in outcomes if isinstance(outcome, Candidate)]
    refusals = settle_conflicts(board, candidates, accepted)
    verdicts = []
    for name, outcome in outcomes:
        if isinstance(outcome, Candidate):
            verdicts.append(Verdict(name, outcome, refusals.get(name)))
        else:
            verdicts.append(Verdict(name, None, outcome))
    return verdicts


def rank_accepted(board: Board, verdicts: Iterable[Verdict]) -> list[Ranking]:
    """Rank the accepted submissions on each test."""
    rankings = Rankings(board)
    for verdict in verdicts:
        if verdict.candidate is not None and verdict.refusal is None:
            rankings.add(verdict.candidate)
    return rankings.rank()


def find_notices(board: Board, verdicts: Sequence[Verdict]) -> dict[str, list[str]]:
    """Find submissions that a maintainer should inspect before merging. A notice does not refuse a submission.

    Args:
        board: The leaderboard.
        verdicts: The verdicts of `check_board`.

    Returns:
        Notices by name of the submission.
    """
    candidates = [verdict.candidate for verdict in verdicts if verdict.candidate is not None]
    accepted = read_accepted(board)
    notices = defaultdict(list)
    all_notices = chain(
        _find_changed(candidates, accepted),
        _find_outdated_reproductions(board, candidates),
        _find_lookalikes(board, candidates),
        _find_copies(board, candidates),
        _find_implausible(rank_accepted(board, verdicts)),
    )
    for name, notice in all_notices:
        notices[name].append(notice)
    return dict(notices)


def _find_changed(candidates: Iterable[Candidate], accepted: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for candidate in candidates:
        if accepted.get(candidate.name, candidate.digest) != candidate.digest:
            yield candidate.name, "its result is not the result that the leaderboard accepted before"


def _find_outdated_reproductions(board: Board, candidates: Iterable[Candidate]) -> Iterator[tuple[str, str]]:
    for candidate in candidates:
        if candidate.reproduction is None and exists(locate_reproduction(board, candidate.name)):
            reason = "the record of its reproduction is of an earlier result, so it counts as self-reported"
            yield candidate.name, f"{reason}. Run `pyramid-paraphrase leaderboard reproduce` again"


def _find_lookalikes(board: Board, candidates: Iterable[Candidate]) -> Iterator[tuple[str, str]]:
    """Find names of models that look alike. Equal names on one test are a conflict, and need no notice."""
    holders: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for result in board.shortcuts:
        holders[find_skeleton(result.model)][result.model] = f"the shortcut {result.model}"
    names = {candidate.name: candidate.record.model.name for candidate in candidates}
    for submission, name in names.items():
        holders[find_skeleton(name)].setdefault(name, submission)
    for submission, name in names.items():
        alike = [place for similar, place in holders[find_skeleton(name)].items() if similar != name]
        if alike:
            yield submission, f"the name of its model, {name}, is easily confused with that of {join_some(alike)}"


def find_skeleton(name: str) -> str:
    """Return a name without differences that are easily overlooked.

    The method is that of Unicode Technical Standard 39. Names on leaderboards are ASCII, so a few replacements suffice:
    case, punctuation and spaces, I, l and 1, O and 0, and pairs of letters that look like another letter.

    Args:
        name: Name of a model, in the characters that leaderboards allow.

    Returns:
        A text that is equal for names that look alike. It is not a valid name.
    """
    skeleton = _MARKS.sub("-", name.casefold()).strip("-")
    for pair, letter in _PAIRS:
        skeleton = skeleton.replace(pair, letter)
    return skeleton.translate(_LETTERS)


def _find_copies(board: Board, candidates: Iterable[Candidate]) -> Iterator[tuple[str, str]]:
    measured = measure_shortcuts(board)
    for candidate in candidates:
        measured += candidate.measured
    for test in board.tests:
        models = [model for model in measured if model.fingerprint == test.fingerprint]
        alike: defaultdict[str, list[tuple[float, Measured]]] = defaultdict(list)
        for first, second, correlation in find_near_copies([model.ranks for model in models]):
            alike[models[first].submission].append((correlation, models[second]))
            alike[models[second].submission].append((correlation, models[first]))
        alike.pop("", None)  # the shortcuts
        for submission, similar in alike.items():
            similar.sort(key=lambda pair: (-pair[0], pair[1].place))
            places = [f"{model.place} (rank correlation {correlation:.4f})" for correlation, model in similar]
            yield submission, f"its scores of {test.configuration} are nearly equal to those of {join_some(places)}"


def _find_implausible(rankings: Iterable[Ranking]) -> Iterator[tuple[str, str]]:
    for ranking in rankings:
        test, remedy = ranking.test.configuration, "Reproduce the model before you trust it"
        for model in ranking.models:
            if model.is_implausible:
                value = f"{model.metrics[ranking.metric]:.3f} is at least {NEAR_PERFECT}"
                yield model.submission, f"implausible on {test}: {value}. {remedy}"
            elif model.awaits_reproduction:
                reason = f"significantly better than every reproduced model and every shortcut on {test}"
                yield model.submission, f"{reason}. {remedy}"
