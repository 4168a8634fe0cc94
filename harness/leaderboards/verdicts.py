"""Verdicts on all submissions to a leaderboard: conflicts between them, and notices for its maintainer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from itertools import chain
from pathlib import Path

from harness.evaluation.results import Result
from harness.leaderboards.board import SUBMISSIONS, Board, read_accepted
from harness.leaderboards.candidates import (
    Candidate,
    Identity,
    identify,
    measure_shortcuts,
    read_candidates,
    simplify_name,
)
from harness.leaderboards.checks import check_folder, check_result, hash_scores
from harness.leaderboards.rankings import NEAR_PERFECT, Ranking, rank_models
from harness.leaderboards.reproduction import locate_reproduction
from harness.leaderboards.submissions import (
    Form,
    check_form,
    find_same_submission,
    read_submission,
    require_as_written,
    write_submission,
)
from harness.metrics.rows import align
from harness.rendering.tables import join_some
from harness.stats.correlation import find_near_copies
from harness.support.errors import LeaderboardError
from harness.support.progress import Progress
from pyramid_paraphrase.errors import PyramidParaphraseError
from pyramid_paraphrase.escaping import quote_path
from pyramid_paraphrase.files.atomic import remove_abandoned
from pyramid_paraphrase.files.inputs import exists

_LETTERS = str.maketrans({"1": "l", "i": "l", "0": "o"})
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
"""Replacements for names that look alike: letters, and pairs of letters."""

_OVERLOOKED = re.compile("(?<![lo0-9])-|-(?![lo0-9])")
"""Marks that are easily overlooked. Between digits, and letters that look like digits, a mark makes another number."""


def check_board(
    board: Board, *, only: Collection[str] | None = None, visible: bool = False, accepting: str = ""
) -> tuple[list[Candidate], dict[str, PyramidParaphraseError]]:
    """Check every submission, and settle conflicts between them.

    Args:
        board: The leaderboard.
        only: Names of the submissions whose intervals are recomputed, which takes most of the time, or None for all.
            The other submissions are needed to find conflicts.
        visible: Whether to show a progress bar.
        accepting: Name of a submission that may differ from the one that the leaderboard accepted.

    Returns:
        The submissions whose numbers follow from their scores, in the order of names, and the errors that refuse
        submissions, by name, sorted. A submission in a conflict, or one that changed after it was accepted, has both.

    Raises:
        PyramidParaphraseError: If the leaderboard is damaged.
    """
    for test in board.tests:
        board.key(test)
    accepted = {name: digest for name, digest in read_accepted(board).items() if name != accepting}
    names = {folder.name for folder in board.list_submissions()}
    without_intervals = set() if only is None else names - set(only)
    candidates: list[Candidate] = []
    refusals: dict[str, PyramidParaphraseError] = {}
    with Progress(visible=visible) as progress:
        checks = list(progress.track(read_candidates(board, without_intervals), "check", len(names)))
    for folder, outcome in checks:
        if isinstance(outcome, Candidate):
            candidates.append(outcome)
        else:
            refusals[folder.name] = outcome
    refusals |= settle_conflicts(board, candidates, accepted)
    for candidate in candidates:
        if accepted.get(candidate.name, candidate.digest) != candidate.digest:
            refusals[candidate.name] = refuse_alteration(board, candidate)
    return candidates, dict(sorted(refusals.items()))


def refuse_alteration(board: Board, candidate: Candidate) -> LeaderboardError:
    """Describe why a submission is refused that differs from the one that the leaderboard accepted."""
    place = _place(board, candidate)
    command = f"pyramid-paraphrase leaderboard accept {quote_path(place)}"
    remedy = f"Restore them, or run `{command}` if its author proposed the change"
    return LeaderboardError(f"{place}: its files changed after the leaderboard accepted it. {remedy}")


def list_accepted(candidates: Iterable[Candidate], refusals: Container[str]) -> list[Candidate]:
    """List the accepted submissions: those that `check_board` did not refuse."""
    return [candidate for candidate in candidates if candidate.name not in refusals]


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
        accepted: SHA-256 of the submissions that were accepted before, by name.

    Returns:
        The error that refuses a submission, by name of the submission.
    """
    holders = {identity: (f"the shortcut {name}", "") for identity, name in identify_shortcuts(board).items()}
    refusals: dict[str, LeaderboardError] = {}
    for tier, reason in _divide_into_tiers(candidates, accepted):
        remaining = []
        for candidate in tier:
            taken = next((identity for identity in candidate.identities if identity in holders), None)
            if taken is None:
                remaining.append(candidate)
                continue
            holder, precedence = holders[taken]
            same, remedy = f"has the same {taken.kind} as {holder}", "Remove it"
            if precedence:  # otherwise a shortcut
                same += f", which {precedence}"
                remedy = f"Remove it, or remove {holder} first if {holder} is not genuine"
            refusals[candidate.name] = LeaderboardError(f"{_place(board, candidate)}: {same}. {remedy}")
        refusals |= _refuse_rivals(board, remaining)
        # Submissions that are refused here still block those of lower precedence, because the conflict is not settled.
        for candidate in remaining:
            holders |= dict.fromkeys(candidate.identities, (candidate.name, reason))
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


def identify_shortcuts(board: Board) -> dict[Identity, str]:
    """Return the names of shortcuts by their identities.

    Raises:
        LeaderboardError: If a result of a shortcut is not of the leaderboard's tests.
    """
    holders: dict[Identity, str] = {}
    for result in board.shortcuts:
        holders |= dict.fromkeys(_identify_result(board, result), result.model)
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


def enter_submission(board: Board, result: Result, form: Form) -> Path:
    """Enter a result into a leaderboard.

    Args:
        board: The leaderboard.
        result: A result that `evaluate` wrote.
        form: The statements of its author.

    Returns:
        The folder of the accepted submission.

    Raises:
        PyramidParaphraseError: If the submission is refused, or cannot be written. No files of it remain then.
    """
    check_form(form)
    tests = check_result(board, result)
    remove_abandoned(board.folder)
    # An earlier run may have entered the submission, and may have been killed before it reported success.
    if entered := find_same_submission(board, result, form):
        return entered
    scores = {name: checked.scores_sha256 for name, checked in tests.items()}
    try:
        refuse_duplicate(result, scores, list_identities(board))
        return write_submission(board, result, form, lambda folder: check_folder(board, folder, with_intervals=False))
    except LeaderboardError:
        if entered := find_same_submission(board, result, form):  # by another process, in the meantime
            return entered
        raise


def list_identities(board: Board) -> dict[Identity, str]:
    """Return the names of the shortcuts and the submissions of a leaderboard by their identities.

    Submissions that cannot be read are left out. The metrics are not checked.
    """
    holders = identify_shortcuts(board)
    for folder in board.list_submissions():
        try:
            result, _ = read_submission(board, folder)
            require_as_written(result)
            identities = _identify_result(board, result)
        except Exception:  # noqa: S112 - a hostile submission can cause any exception; `check` reports it
            continue
        holders |= dict.fromkeys(identities, folder.name)
    return holders


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
    rankings = rank_models(board, list_accepted(candidates, refusals))
    similar = chain(_find_lookalikes(board, candidates), _find_copies(board, candidates))
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
