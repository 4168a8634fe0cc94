"""Verdicts on all submissions to a leaderboard: conflicts between them, and notices for its maintainer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from msgspec import structs

from harness.evaluation.record import Record
from harness.evaluation.results import Result
from harness.leaderboards.board import SUBMISSIONS, Board
from harness.leaderboards.candidates import (
    Candidate,
    Identity,
    identify,
    read_candidates,
)
from harness.leaderboards.checks import check_folder, check_result, hash_scores
from harness.leaderboards.forms import Form, check_form
from harness.leaderboards.history import RANKED, REPLACED, WITHDRAWN, History, read_history
from harness.leaderboards.submissions import (
    correct_form,
    find_same_submission,
    name_submission,
    read_submission,
    require_as_written,
    write_submission,
)
from harness.metrics.rows import align
from harness.rendering.tables import join_some
from harness.support.errors import LeaderboardError
from harness.support.progress import Progress
from pyramid_paraphrase.errors import PyramidParaphraseError
from pyramid_paraphrase.escaping import quote_path
from pyramid_paraphrase.files.atomic import remove_abandoned


def check_board(
    board: Board, *, only: Collection[str] | None = None, visible: bool = False, accepting: str = ""
) -> tuple[list[Candidate], dict[str, PyramidParaphraseError]]:
    """Check every submission, and settle conflicts between them.

    Args:
        board: The leaderboard.
        only: Names of the submissions whose intervals are recomputed, which takes most of the time, or None for all.
            The other submissions are needed to find conflicts.
        visible: Whether to show a progress bar.
        accepting: Name of a submission that the maintainer accepts, whatever was decided before.

    Returns:
        The submissions whose numbers follow from their scores, in the order of names, and the errors that refuse
        submissions, by name, sorted. A submission that is refused because of others, or of a decision, has both.

    Raises:
        PyramidParaphraseError: If the leaderboard is damaged.
    """
    for test in board.tests:
        board.key(test)
    history = read_history(board)
    accepted = {name: digest for name, digest in history.accepted.items() if name != accepting}
    names = {folder.name for folder in board.list_submissions()}
    without_intervals = set() if only is None else names - set(only)
    candidates: list[Candidate] = []
    refusals: dict[str, PyramidParaphraseError] = {}
    with Progress(visible=visible) as progress:
        checks = list(progress.track(read_candidates(board, without_intervals), "check", len(names)))
    for folder, outcome in checks:
        if isinstance(outcome, Candidate):
            candidates.append(replace(outcome, state=history.find_state(outcome.name)))
        else:
            refusals[folder.name] = outcome
    refusals |= settle_conflicts(board, candidates, accepted, history)
    for candidate in candidates:
        if accepted.get(candidate.name, candidate.digest) != candidate.digest:
            refusals[candidate.name] = refuse_alteration(board, candidate)
        elif reason := _find_obstacle(board, candidate, history, is_accepting=candidate.name == accepting):
            refusals[candidate.name] = LeaderboardError(f"{_place(board, candidate)}: {reason}")
    return candidates, dict(sorted(refusals.items()))


def refuse_alteration(board: Board, candidate: Candidate) -> LeaderboardError:
    """Describe why a submission is refused that differs from the one that the leaderboard accepted."""
    place = _place(board, candidate)
    remedy = f"Restore them, or run `{_accept(place)}` if its author proposed the change"
    return LeaderboardError(f"{place}: its files changed after the leaderboard accepted it. {remedy}")


def _accept(place: Path) -> str:
    return f"pyramid-paraphrase leaderboard accept {quote_path(place)}"


def _find_obstacle(board: Board, candidate: Candidate, history: History, *, is_accepting: bool) -> str:
    """Return why a submission that the leaderboard does not list as accepted needs a decision of its maintainer.

    Returns:
        The reason and the remedy, or "" if it needs none.
    """
    name, replaced = candidate.name, candidate.replaces
    if name in history.accepted:
        return ""
    if replaced and (state := history.find_state(replaced)) not in RANKED:
        known = f"it was {state}" if state else "the leaderboard did not accept it"
        return f"replaces {replaced}, but {known}. Submit it again without --replaces, or with another name there"
    if is_accepting:
        return ""
    if past := _find_superseded(board, candidate.record):
        return past
    remedy = f"Run `{_accept(_place(board, candidate))}`"
    if replaced:
        return f"replaces {replaced}. {remedy} if the author of {replaced} proposed it"
    if history.find_state(name) == WITHDRAWN:
        return f"was withdrawn before. {remedy} if its author submits it again, or remove its folder"
    return ""


def _find_superseded(board: Board, record: Record) -> str:
    """Return why a new result is refused that is of a superseded test, or ""."""
    for name, test in record.tests.items():
        ranked = board.find_test(name, test.fingerprint)
        if ranked is not None and ranked.superseded:
            latest = [other for other in board.tests if other.configuration == name and not other.superseded]
            prints = join_some([other.fingerprint[:12] for other in latest])
            reason = f"is of {name} {test.fingerprint[:12]}, which other data took the place of on {ranked.superseded}"
            return f"{reason}. Evaluate the model on the data with the fingerprint {prints}"
    return ""


def list_accepted(candidates: Iterable[Candidate], refusals: Container[str]) -> list[Candidate]:
    """List the accepted submissions, those that others replaced included: what `check_board` did not refuse."""
    return [candidate for candidate in candidates if candidate.name not in refusals]


def list_current(candidates: Iterable[Candidate], refusals: Container[str]) -> list[Candidate]:
    """List the accepted submissions that no other one has replaced."""
    return [candidate for candidate in list_accepted(candidates, refusals) if candidate.state != REPLACED]


def settle_conflicts(
    board: Board, candidates: Sequence[Candidate], accepted: Mapping[str, str], history: History
) -> dict[str, LeaderboardError]:
    """Refuse submissions because another submission or shortcut has the same name, model or scores.

    The statements of authors have no influence. The shortcuts come first, then submissions that the leaderboard
    accepted before and that have not changed since, then reproduced submissions. Submissions in conflict that have the
    same precedence are all refused, because only the maintainer can decide which of them is genuine. A submission is in
    no conflict with those that it replaces.

    Args:
        board: The leaderboard.
        candidates: Submissions whose numbers follow from their scores.
        accepted: SHA-256 of the submissions that were accepted before, by name.
        history: The decisions, which say what was replaced.

    Returns:
        The error that refuses a submission, by name of the submission.
    """
    holders = {identity: (f"the shortcut {name}", "") for identity, name in identify_shortcuts(board).items()}
    families = find_families(candidates, history)
    refusals: dict[str, LeaderboardError] = {}
    for tier, reason in _divide_into_tiers(candidates, accepted):
        remaining = []
        for candidate in tier:
            family = families[candidate.name]
            held = (identity for identity in candidate.identities if identity in holders)
            taken = next((identity for identity in held if families.get(holders[identity][0]) != family), None)
            if taken is None:
                remaining.append(candidate)
                continue
            holder, precedence = holders[taken]
            same, remedy = f"has the same {taken.kind} as {holder}", "Remove it"
            if precedence:  # otherwise a shortcut
                same += f", which {precedence}"
                remedy = f"Remove it, or remove {holder} first if {holder} is not genuine"
                if holder in accepted:
                    genuine = f"or withdraw {holder} if that one is not genuine"
                    remedy = f"Remove it, submit it with --replaces {holder}, {genuine}"
            refusals[candidate.name] = LeaderboardError(f"{_place(board, candidate)}: {same}. {remedy}")
        refusals |= _refuse_rivals(board, remaining, families)
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


def find_families(candidates: Iterable[Candidate], history: History) -> dict[str, str]:
    """Return the latest submission of each family by the names of its members: those that replace each other.

    A submission that is not accepted belongs to the family of the one that it says it replaces, which
    `check_board` refuses until the maintainer decides.
    """
    families = {name: history.find_latest(name) for name in history.accepted}
    for candidate in candidates:
        if candidate.name not in history.accepted:
            is_known = history.find_state(candidate.replaces) in RANKED
            families[candidate.name] = candidate.replaces if is_known else candidate.name
    return families


def _refuse_rivals(
    board: Board, candidates: Sequence[Candidate], families: Mapping[str, str]
) -> dict[str, LeaderboardError]:
    claims: defaultdict[Identity, list[str]] = defaultdict(list)
    for candidate in candidates:
        for identity in candidate.identities:
            claims[identity].append(candidate.name)
    refusals = {}
    for candidate in candidates:
        family = families[candidate.name]
        rivals_by_kind: dict[str, list[str]] = {}
        for identity in candidate.identities:
            if others := [name for name in claims[identity] if families[name] != family]:
                rivals_by_kind.setdefault(identity.kind, []).extend(others)
        rivals = set(chain.from_iterable(rivals_by_kind.values()))
        if rivals:
            same = f"has the same {next(iter(rivals_by_kind))} as {join_some(sorted(rivals))}"
            reason = f"{same}, and none of them is accepted"
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
    """Enter a result into a leaderboard, or correct the statements about one that was entered before.

    Args:
        board: The leaderboard.
        result: A result that `evaluate` wrote.
        form: The statements of its author. If it names the submission of the same result as replaced, only the
            statements of that submission change.

    Returns:
        The folder of the submission, which passes every check, but which the maintainer has not accepted yet.

    Raises:
        PyramidParaphraseError: If the submission is refused, or cannot be written. No files of it remain then.
    """
    check_form(form, result.record)
    tests = check_result(board, result)
    if past := _find_superseded(board, result.record):
        raise LeaderboardError(f"{result.path or result.model}: {past}")
    remove_abandoned(board.folder)
    if form.replaces == name_submission(result.record):
        return correct_form(board, result, structs.replace(form, replaces=""))
    if form.replaces and form.replaces not in read_history(board).accepted:
        raise LeaderboardError(f"{form.replaces}: is not an accepted submission of {board.folder}. Change --replaces")
    # An earlier run may have entered the submission, and may have been killed before it reported success.
    if entered := find_same_submission(board, result, form):
        return entered
    scores = {name: checked.scores_sha256 for name, checked in tests.items()}
    try:
        refuse_duplicate(board, result, scores, form.replaces)
        return write_submission(board, result, form, lambda folder: check_folder(board, folder, with_intervals=False))
    except LeaderboardError:
        if entered := find_same_submission(board, result, form):  # by another process, in the meantime
            return entered
        raise


def refuse_duplicate(board: Board, result: Result, scores: Mapping[str, str], replaced: str) -> None:
    """Refuse a result that shares an identity with another result.

    Args:
        board: The leaderboard.
        result: The result.
        scores: Hashes from `hash_scores`, by name of the test.
        replaced: Name of the submission that the result replaces, which it may share, or "".

    Raises:
        LeaderboardError: If it shares an identity.
    """
    location, history = result.path or result.model, read_history(board)
    holders, submissions = list_identities(board)
    for identity in identify(result.record, scores):
        if identity in holders:
            same = f"{location}: has the same {identity.kind} as the shortcut {holders[identity]}"
            raise LeaderboardError(f"{same} of the leaderboard, which shows it already. Submit another model")
        holder = submissions.get(identity, "")
        if holder and history.find_latest(holder) != history.find_latest(replaced):
            same = f"{location}: has the same {identity.kind} as {holder}"
            remedy = f"Add --replaces {holder} if it is an earlier submission of yours"
            raise LeaderboardError(f"{same}. {remedy}, or evaluate under another name")


def list_identities(board: Board) -> tuple[dict[Identity, str], dict[Identity, str]]:
    """Return the names of the shortcuts, and of the submissions of a leaderboard, by their identities.

    Submissions that cannot be read are left out. The metrics are not checked.
    """
    submissions: dict[Identity, str] = {}
    for folder in board.list_submissions():
        try:
            result, _ = read_submission(board, folder)
            require_as_written(result)
            identities = _identify_result(board, result)
        except Exception:  # noqa: S112 - a hostile submission can cause any exception; `check` reports it
            continue
        submissions |= dict.fromkeys(identities, folder.name)
    return identify_shortcuts(board), submissions
