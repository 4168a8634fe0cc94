"""Create a leaderboard, add and check submissions, write its site, and run a submitted model again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.cli.options import DATA, RESULT_HELP, model_spec, task
from harness.cli.outputs import explaining_labelled_pairs, hint, report, say, show
from harness.cli.parser import choice, command, flag, option, path
from harness.evaluation.results import read_single_result
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.files.writing import real_path
from harness.leaderboards.board import BOARD_NAME, SUBMISSIONS, Board, find_board, read_board, write_board
from harness.leaderboards.candidates import Candidate
from harness.leaderboards.changes import find_changes
from harness.leaderboards.checks import check_folder
from harness.leaderboards.forms import Form
from harness.leaderboards.history import History, find_today, read_history, retire, update_history, withdraw
from harness.leaderboards.notices import find_notices
from harness.leaderboards.reproduction import choose_spec, compare_runs, require_same_tests, set_up, write_reproduction
from harness.leaderboards.site.entries import MODELS
from harness.leaderboards.site.pages import render_site, write_site
from harness.leaderboards.submissions import read_submission
from harness.leaderboards.verdicts import check_board, enter_submission, list_accepted
from harness.metrics.named_metrics import import_evaluate_alone
from harness.models.loading import load_model
from harness.rendering.tables import Prose, count_of, join_some, render_table
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.errors import OptionError, PyramidParaphraseError
from pyramid_paraphrase.escaping import quote_path
from pyramid_paraphrase.files.inputs import is_file
from pyramid_paraphrase.rules.options import PYRAMID_TESTS

BOARD = path("board DIR", "folder of the leaderboard")
SUBMISSION = path("submission SUBMISSION", "folder of the submission, in a leaderboard")
REASON = option("--reason TEXT", "reason, published in the history of the leaderboard", required=True)


@command(
    option("result RESULT", f"{RESULT_HELP}. It must contain a single result on the data of the leaderboard"),
    path("--to DIR", "folder of the leaderboard", required=True),
    option(
        "--contact TEXT",
        "address of e-mail, or link, for questions about the model. It is published on the leaderboard",
        required=True,
    ),
    option("--model-link URL", "address of the model description, https://... (not for baselines of this program)"),
    option("--training-data TEXT", "description of the training data", required=True),
    choice(
        "--saw-test-data",
        ("no", "yes", "unknown"),
        "whether the training data contain texts or annotations of the tests",
        required=True,
    ),
    option(
        "--replaces NAME",
        "accepted submission that this one replaces: of an earlier version of the model, or of the same result, to "
        "correct its statements",
        default="",
    ),
)
def run_submit(options: argparse.Namespace) -> None:
    """Add a result to a leaderboard, with the submitter's answers about the model."""
    board = read_board(options.to)
    ranked_tests = [test for test in board.tests if not test.superseded]
    fingerprints = {test.fingerprint for test in ranked_tests}
    result = read_single_result(
        options.result, lambda result: any(test.fingerprint in fingerprints for test in result.tests.values())
    )
    form = Form(
        contact=options.contact,
        model_link=options.model_link,
        training_data=options.training_data,
        saw_test_data=options.saw_test_data,
        submitted=find_today(),
        replaces=options.replaces,
    )
    folder = enter_submission(board, result, form)
    say(f"Valid, and not yet accepted: {show(folder)}")
    hint("Next: send this folder to the maintainer of the leaderboard, as its README.md describes.")
    missing_tests = [test.configuration for test in ranked_tests if test.configuration not in result.tests]
    if missing_tests:
        names = ",".join(dict.fromkeys(missing_tests))
        say(f"Not ranked on: {show(names)}. To be ranked, evaluate with --task {show(names)} and submit again.")


@command(
    BOARD,
    DATA,
    task(" that are built from pyramids, comma-separated (default: all)"),
    option("--title", "title of the leaderboard", default=""),
    option("--link URL", "address where the leaderboard is kept, https://..., shown on its site"),
    flag("--supersede", "make earlier tests of the same configurations and collections history"),
)
def run_leaderboard_init(options: argparse.Namespace) -> None:
    """Create a leaderboard, extend it to more data, or change its title or link."""
    if options.data is None and is_file(options.board / BOARD_NAME):
        if not (options.title or options.link) or options.task or options.supersede:
            raise OptionError(f"{options.board} is a leaderboard already. Use --data, which adds tests")
        _say_tests(write_board(options.board, options.title, (), link=options.link))
        return
    import_evaluate_alone()
    superseded = find_today() if options.supersede else None
    with explaining_labelled_pairs(options.data, lambda _: "Leaderboards require annotations of pyramids"):
        names = options.task or PYRAMID_TESTS
        board = set_up(options.board, options.title, options.data, names, link=options.link, superseded=superseded)
    _say_tests(board)


def _say_tests(board: Board) -> None:
    """Print the title of a leaderboard and its tests."""
    rows = []
    for test in board.tests:
        test_rows = int(board.key(test).is_test.sum())
        numbers = test_rows, test.rows - test_rows
        name = f"{test.configuration}, history since {test.superseded}" if test.superseded else test.configuration
        rows.append((name, Prose(", ".join(test.collections)), *numbers, test.fingerprint[:12]))
    say(f"{show(board.title)}: {show(board.folder)}\n")
    say(render_table(("configuration", "collections", "test rows", "rows for thresholds", "fingerprint"), rows))


@command(
    path("board DIR", "folder of a leaderboard, or of a submission in it"),
    option(
        "--changed-since REF",
        "check only submissions that changed in git since the merge base with REF, such as origin/main. Refuse all "
        "other changes",
    ),
)
def run_leaderboard_check(options: argparse.Namespace) -> None:
    """Recompute and compare every number of submissions."""
    board = find_board(options.board)
    is_submission = real_path(options.board) != board.folder
    if is_submission and options.changed_since is not None:
        raise OptionError(f"{options.board}: --changed-since checks whole leaderboards. Use {board.folder} instead")
    if is_submission:
        folder = board.find_submission(options.board)
        _check_alone(board, folder)
    elif options.changed_since is not None:
        _check_changes(board, options.changed_since)
    else:
        _check_all(board)


@command(SUBMISSION, option("--reason TEXT", "reason, published in the history of the leaderboard", default=""))
def run_leaderboard_accept(options: argparse.Namespace) -> None:
    """Accept a new submission, one that replaces another one, or one that changed after it was accepted."""
    board = find_board(options.submission)
    folder = board.find_submission(options.submission)
    candidate = _check_alone(board, folder, accepting=folder.name)
    written = update_history(board, lambda history: _accept(history, candidate, options.reason))
    if written is None:
        say(f"{show(folder.name)}: has not changed since the leaderboard accepted it")
    else:
        say(f"Recorded: {show(written)}")


def _accept(history: History, candidate: Candidate, reason: str = "") -> History:
    model = candidate.record.model.name
    return history.accept(candidate.name, candidate.digest, model, replaced=candidate.replaces, reason=reason)


@command(SUBMISSION, REASON)
def run_leaderboard_retire(options: argparse.Namespace) -> None:
    """Take a submission out of the ranks. Its page stays."""
    board = find_board(options.submission)
    say(f"Recorded: {show(retire(board, board.find_submission(options.submission).name, options.reason))}")


@command(SUBMISSION, REASON)
def run_leaderboard_withdraw(options: argparse.Namespace) -> None:
    """Remove a submission from a leaderboard. Its name stays in the history."""
    board = find_board(options.submission)
    say(f"Recorded: {show(withdraw(board, board.find_submission(options.submission).name, options.reason))}")


def _check_alone(board: Board, folder: Path, *, accepting: str = "") -> Candidate:
    """Check one submission against all others, and print that it passes, with the notices about it."""
    candidates, refusals = _judge(board, folder, accepting)
    if folder.name in refusals:
        raise refusals[folder.name]
    say(f"{show(folder.name)}: passes every check")
    _say_notices(folder.name, find_notices(board, candidates, refusals))
    return next(candidate for candidate in candidates if candidate.name == folder.name)


def _judge(
    board: Board, folder: Path, accepting: str = ""
) -> tuple[list[Candidate], dict[str, PyramidParaphraseError]]:
    """Check one submission against all others, as `check_board` does."""
    candidates, refusals = check_board(board, only=[folder.name], visible=True, accepting=accepting)
    if folder.name not in refusals and all(candidate.name != folder.name for candidate in candidates):
        read_submission(board, folder)  # raises the error that explains why the submission cannot be read
        raise LeaderboardError(f"{folder}: added during the check of the leaderboard. Run the command again")
    return candidates, refusals


def _check_changes(board: Board, reference: str) -> None:
    submissions, other_changes, uncommitted = find_changes(board, reference)
    for change in other_changes:
        report(change)
    if uncommitted:
        files = f"{count_of(len(uncommitted), 'file')} outside submissions: {join_some(list(map(str, uncommitted)))}"
        say(f"notice: not committed, and therefore no part of the change: {show(files)}")
    candidates, refusals = check_board(board, only=submissions, visible=True)
    notices = find_notices(board, candidates, refusals)
    changed = [candidate for candidate in candidates if candidate.name in submissions]
    refused = {name: refusal for name, refusal in refusals.items() if name in submissions}
    total = _say_verdicts(changed, refused, notices)
    if refused or other_changes:
        counts = f"{len(refused)} of {count_of(total, 'changed submission')}, {count_of(len(other_changes), 'change')}"
        raise LeaderboardError(f"refused: {counts} outside submissions. The reasons are above")


def _check_all(board: Board) -> None:
    candidates, refusals = check_board(board, visible=True)
    total = _say_verdicts(candidates, refusals, find_notices(board, candidates, refusals))
    accepted = list_accepted(candidates, refusals)
    missing = _report_missing(board)

    def accept_new(history: History) -> History:
        for candidate in accepted:
            if candidate.name not in history.accepted:
                history = _accept(history, candidate)
        return history

    written = update_history(board, accept_new)
    if written is not None:
        say(f"Recorded: {show(written)}")
    if refusals or missing:
        lost = f", and {count_of(missing, 'accepted submission')} missing" if missing else ""
        counts = f"{len(refusals)} of {count_of(total, 'submission')} refused{lost}"
        raise LeaderboardError(f"{counts}. The reasons are above")


def _say_verdicts(
    candidates: Sequence[Candidate],
    refusals: Mapping[str, PyramidParaphraseError],
    notices: Mapping[str, Sequence[str]],
) -> int:
    """Print which submissions are accepted, and why the others are refused, in the order of names.

    Returns:
        The number of submissions.
    """
    names = sorted({*refusals, *(candidate.name for candidate in candidates)})
    for name in names:
        if name in refusals:
            report(refusals[name])
        else:
            say(f"{show(name)}: passes every check")
        _say_notices(name, notices)
    accepted = list_accepted(candidates, refusals)
    count = f"{len(accepted)} of {count_of(len(names), 'submission')}"
    remark = "Only `leaderboard reproduce` can verify that a model really produced its scores."
    say(f"{show(count)} passed every check. {remark}")
    if accepted:
        reproduced = sum(candidate.is_reproduced for candidate in accepted)
        say(f"{reproduced} reproduced, {len(accepted) - reproduced} self-reported.")
    return len(names)


def _say_notices(name: str, notices: Mapping[str, Sequence[str]]) -> None:
    for notice in notices.get(name, ()):
        say(f"notice: {show(name)}: {show(notice)}")


def _report_missing(board: Board) -> int:
    """Report the accepted submissions without a folder, and return their number."""
    missing = read_history(board).accepted.keys() - {folder.name for folder in board.list_submissions()}
    for name in sorted(missing):
        folder = board.folder / SUBMISSIONS / name
        remedy = f"Restore it, or run `pyramid-paraphrase leaderboard withdraw {quote_path(folder)} --reason REASON`"
        report(LeaderboardError(f"{folder}: was accepted, and its folder is missing. {remedy}"))
    return len(missing)


@command(
    BOARD,
    path("--output SITE", "folder of the site. An earlier site is replaced", required=True),
)
def run_leaderboard_render(options: argparse.Namespace) -> None:
    """Write the static site of a leaderboard."""
    board = read_board(options.board)
    candidates, refusals = check_board(board, only=(), visible=True)
    for name, refusal in refusals.items():
        report(refusal)
        say(f"pyramid-paraphrase: {show(name)} is not on the site", sys.stderr)
    pages = render_site(board, candidates, refusals)
    write_site(pages, options.output)
    models = sum(name.startswith(f"{MODELS}/") for name in pages)
    say(f"{show(options.output / 'index.html')}: {count_of(models, 'model')}")
    if lost := len(refusals.keys() & read_history(board).accepted.keys()) + _report_missing(board):
        reason = f"the site lacks {count_of(lost, 'submission')} that the leaderboard accepted before"
        raise LeaderboardError(f"{options.board}: {reason}. The reasons are above")


@command(
    SUBMISSION,
    DATA,
    model_spec("--model", "model to run", " (default: the submitted model)"),
)
def run_leaderboard_reproduce(options: argparse.Namespace) -> None:
    """Run the model of a submission again, and record the outcome."""
    import datasets

    board = find_board(options.submission)
    folder = board.find_submission(options.submission)
    submission = check_folder(board, folder)
    spec = choose_spec(submission, options.model)
    import_evaluate_alone()
    datasets.disable_progress_bars()
    suite = load_suite(options.data, list(submission.tests))
    require_same_tests(submission, {test.configuration.name: test.fingerprint for test in suite.tests})
    model, recorded_result = load_model(spec), submission.result
    if options.model:  # a maintainer who gives --model vouches that it is the submitted model
        model = model.renamed(recorded_result.model)
    statistics = recorded_result.record.statistics
    rerun = evaluate_model(model, suite, Settings(statistics.resamples, statistics.seed))
    largest = compare_runs(submission, rerun)
    recorded = write_reproduction(board, submission, rerun, largest)
    say(f"Reproduced: {show(submission.name)}, largest difference of a metric: {largest:.6f}")
    say(f"Recorded: {show(recorded)}")
    _, refusals = _judge(board, folder)
    if folder.name in refusals:
        report(refusals[folder.name])
