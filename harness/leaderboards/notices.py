"""Notices about submissions that a maintainer should look at before merging. No notice refuses a submission."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from itertools import chain

from harness.leaderboards.board import Board
from harness.leaderboards.candidates import Candidate, measure_shortcuts, simplify_name
from harness.leaderboards.rankings import NEAR_PERFECT, Ranking, rank_models
from harness.leaderboards.reproduction import locate_reproduction
from harness.leaderboards.verdicts import list_current
from harness.rendering.tables import join_some
from harness.stats.correlation import find_near_copies
from pyramid_paraphrase.files.inputs import exists

_LETTERS = str.maketrans({"1": "l", "i": "l", "0": "o"})
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
"""Replacements for names that look alike: letters, and pairs of letters."""

_OVERLOOKED = re.compile("(?<![lo0-9])-|-(?![lo0-9])")
"""Marks that are easily overlooked. Between digits, and letters that look like digits, a mark makes another number."""


def find_notices(board: Board, candidates: Sequence[Candidate], refusals: Container[str]) -> dict[str, list[str]]:
    """Find submissions that a maintainer should inspect before merging. A notice does not refuse a submission.

    Args:
        board: The leaderboard.
        candidates: Submissions whose numbers follow from their scores.
        refusals: Names of the refused submissions.

    Returns:
        Notices by name of the submission.
    """
    notices = defaultdict(list)
    for candidate in candidates:
        if candidate.reproduction is None and exists(locate_reproduction(board, candidate.name)):
            reason = "the record of its reproduction is of an earlier result, so it counts as self-reported"
            notices[candidate.name].append(f"{reason}. Run `pyramid-paraphrase leaderboard reproduce` again")
    for candidate in candidates:
        for notice in _find_future_dates(candidate):
            notices[candidate.name].append(notice)
    current = list_current(candidates, refusals)
    rankings = rank_models(board, current)
    others = list_current(candidates, ())
    similar = chain(_find_lookalikes(board, others), _find_copies(board, others))
    for name, notice in chain(similar, _find_implausible(rankings), _find_contradictions(rankings)):
        notices[name].append(notice)
    return dict(notices)


def _find_future_dates(candidate: Candidate) -> Iterator[str]:
    dates = {"Evaluated": candidate.record.time.date[:10]}
    if candidate.form is not None:
        dates["Submitted"] = candidate.form.submitted
    tomorrow = (datetime.now(timezone.utc) + timedelta(days=1)).date().isoformat()  # which it is in the far east
    for title, day in dates.items():
        if day > tomorrow:
            yield f"its date '{title}', {day}, is in the future"


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
    case, punctuation and spaces, I, l and 1, O and 0, and pairs of letters that look like another letter. Only between
    digits does punctuation make a difference, as in 1.1 and 11.

    Args:
        name: Name of a model, in the characters that leaderboards allow.

    Returns:
        A text that is equal for names that look alike. It is not a valid name.
    """
    skeleton = _OVERLOOKED.sub("", simplify_name(name).translate(_LETTERS))
    for pair, letter in _PAIRS:
        skeleton = skeleton.replace(pair, letter)
    return skeleton


def _find_copies(board: Board, submissions: Iterable[Candidate]) -> Iterator[tuple[str, str]]:
    candidates = [*measure_shortcuts(board), *submissions]
    for test in board.tests:
        rivals = [candidate for candidate in candidates if candidate.has_test(test)]
        alike: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
        for first, second, correlation in find_near_copies(
            [candidate.score_ranks[test.configuration] for candidate in rivals]
        ):
            alike[rivals[first].name].append((correlation, rivals[second].place))
            alike[rivals[second].name].append((correlation, rivals[first].place))
        alike.pop("", None)  # the shortcuts
        for submission, similar in alike.items():
            similar.sort(key=lambda pair: (-pair[0], pair[1]))
            places = [f"{place} (rank correlation {correlation:.4f})" for correlation, place in similar]
            yield submission, f"its scores of {test.configuration} are nearly equal to those of {join_some(places)}"


def _find_implausible(rankings: Iterable[Ranking]) -> Iterator[tuple[str, str]]:
    for ranking in rankings:
        test, remedy = ranking.test.configuration, "Reproduce the model before you trust it"
        for model in ranking.models:
            if model.is_implausible:
                value = f"{model.metrics[ranking.metric]:.3f} is at least {NEAR_PERFECT}"
                yield model.candidate.name, f"implausible on {test}: {value}. {remedy}"
            elif model.awaits_reproduction:
                reason = f"significantly better than every reproduced model and every shortcut on {test}"
                yield model.candidate.name, f"{reason}. {remedy}"


def _find_contradictions(rankings: Iterable[Ranking]) -> Iterator[tuple[str, str]]:
    """Find models whose card names training data that contain a test, although their author does not say so."""
    for ranking in rankings:
        for model in ranking.models:
            form, trained_on = model.candidate.form, model.describe_training_data(ranking.test)
            if trained_on and form is not None and form.saw_test_data != "yes":
                stated = f"its form says '{form.saw_test_data}' about test data, and its model card"
                yield model.candidate.name, f"{stated} names {trained_on} as training data. Ask its author"
