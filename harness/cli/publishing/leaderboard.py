"""Create a leaderboard, check its submissions, write its site, and run a submitted model again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.cli.arguments import add_command, parse_test_names, path, report, say, show
from harness.cli.data_errors import explaining_labelled_pairs
from harness.cli.shared_options import add_data_option, describe_spec
from harness.evaluation.modules.importing import import_evaluate_alone
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.files.writing import real_path
from harness.leaderboards.files.board import Board, find_board, read_board
from harness.leaderboards.files.submissions import read_submission
from harness.leaderboards.judging.acceptance import read_accepted, update_accepted
from harness.leaderboards.judging.changes import find_changes
from harness.leaderboards.judging.checks import Checked, check_folder
from harness.leaderboards.judging.verdicts import Verdict, check_board, find_notices
from harness.leaderboards.reproduction import choose_spec, compare_runs, require_same_tests, write_reproduction
from harness.leaderboards.setup import set_up
from harness.leaderboards.site import render_site, write_site
from harness.models.loading import load_model
from harness.rendering.tables import Prose, count_of, render_table
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.rules.options import PYRAMID_TESTS


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the actions init, check, render and reproduce."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    init = add_command(actions, "init", _init, "create a leaderboard, or extend it to more data")
    init.add_argument("board", type=path, metavar="DIR", help="folder of the leaderboard")
    add_data_option(init)
    init.add_argument(
        "--task",
        type=parse_test_names,
        default=None,
        metavar="NAMES",
        help="tests that are built from pyramids, comma-separated (default: all)",
    )
    init.add_argument("--title", default="", help="title of the leaderboard")
    check = add_command(actions, "check", _check, "recompute and compare every number of the submissions")
    check.add_argument("board", type=path, metavar="DIR", help="folder of a leaderboard, or of a submission in it")
    check.add_argument(
        "--changed-since",
        metavar="REF",
        help="check only submissions that changed in git since the merge base with REF, such as origin/main. "
        "Refuse all other changes",
    )
    render = add_command(actions, "render", _render, "write the static site of a leaderboard")
    render.add_argument("board", type=path, metavar="DIR", help="folder of the leaderboard")
    render.add_argument(
        "--output", type=path, required=True, metavar="SITE", help="folder of the site. An earlier site is replaced"
    )
    reproduce = add_command(
        actions, "reproduce", _reproduce, "run the model of a submission again, and record the outcome"
    )
    reproduce.add_argument(
        "submission", type=path, metavar="SUBMISSION", help="folder of the submission, in a leaderboard"
    )
    add_data_option(reproduce)
    help_text = describe_spec("model to run", " (default: the submitted model)")
    reproduce.add_argument("--model", metavar="SPEC", help=help_text)


def _init(options: argparse.Namespace) -> None:
    import_evaluate_alone()
    with explaining_labelled_pairs(options.data, lambda _: "Leaderboards require annotations of pyramids"):
        board = set_up(options.board, options.title, options.data, options.task or PYRAMID_TESTS)
    rows = []
    for test in board.tests:
        test_rows = int(board.key(test).is_test.sum())
        numbers = test_rows, test.rows - test_rows
        rows.append((test.configuration, Prose(", ".join(test.collections)), *numbers, test.fingerprint[:12]))
    say(f"{show(board.title)}: {show(board.folder)}\n")
    say(render_table(("configuration", "collections", "test rows", "rows for thresholds", "fingerprint"), rows))


def _check(options: argparse.Namespace) -> None:
    board = find_board(options.board)
    is_submission = real_path(options.board) != board.folder
    if is_submission and options.changed_since is not None:
        raise OptionError(f"{options.board}: --changed-since checks whole leaderboards. Use {board.folder} instead")
    if is_submission:
        _check_submission(board, options.board)
    elif options.changed_since is not None:
        _check_changes(board, options.changed_since)
    else:
        _check_all(board)


def _check_submission(board: Board, submission: Path) -> None:
    verdict, verdicts = _judge(board, board.find_submission(submission))
    if verdict.refusal is not None:
        raise verdict.refusal
    say(f"{show(verdict.name)}: passes every check")
    _say_notices(verdict.name, find_notices(board, verdicts))


def _judge(board: Board, folder: Path) -> tuple[Verdict, list[Verdict]]:
    """Check one submission against all others.

    Returns:
        The verdict on the submission, and the verdicts on all submissions.
    """
    verdicts = check_board(board, only=[folder.name], visible=True)
    verdict = next((verdict for verdict in verdicts if verdict.name == folder.name), None)
    if verdict is None:
        read_submission(board, folder)  # raises the error that explains why the submission cannot be read
        raise LeaderboardError(f"{folder}: added during the check of the leaderboard. Run the command again")
    return verdict, verdicts


def _check_changes(board: Board, reference: str) -> None:
    changes = find_changes(board, reference)
    for refusal in changes.refusals:
        report(refusal)
    verdicts = check_board(board, only=changes.submissions, visible=True)
    notices = find_notices(board, verdicts)
    for name in changes.submissions & read_accepted(board).keys():
        notice = "this change alters an accepted submission. Make sure that its author proposed the change"
        notices.setdefault(name, []).insert(0, notice)
    changed = [verdict for verdict in verdicts if verdict.name in changes.submissions]
    refused = _say_verdicts(changed, notices)
    if refused or changes.refusals:
        files = f"{count_of(len(changes.refusals), 'change')} outside submissions"
        submissions = f"{refused} of {count_of(len(changed), 'changed submission')}"
        raise LeaderboardError(f"refused: {submissions}, {files}. The reasons are above")


def _check_all(board: Board) -> None:
    verdicts = check_board(board, visible=True)
    refused = _say_verdicts(verdicts, find_notices(board, verdicts))
    accepted = [verdict.candidate for verdict in verdicts if verdict.candidate and verdict.refusal is None]
    written = update_accepted(board, {candidate.name: candidate.digest for candidate in accepted})
    if written is not None:
        say(f"Updated the list of accepted submissions: {show(written)}")
    if refused:
        raise LeaderboardError(f"{refused} of {count_of(len(verdicts), 'submission')} refused. The reasons are above")


def _say_verdicts(verdicts: Sequence[Verdict], notices: Mapping[str, Sequence[str]]) -> int:
    """Print the verdicts on submissions.

    Returns:
        The number of refused submissions.
    """
    refused = 0
    for verdict in verdicts:
        if verdict.refusal is None:
            say(f"{show(verdict.name)}: passes every check")
        else:
            refused += 1
            report(verdict.refusal)
        _say_notices(verdict.name, notices)
    accepted = f"{len(verdicts) - refused} of {count_of(len(verdicts), 'submission')}"
    say(f"{show(accepted)} accepted. Only `leaderboard reproduce` can verify that a model really produced its scores.")
    _say_trust(verdicts)
    return refused


def _say_trust(verdicts: Sequence[Verdict]) -> None:
    """Print the number of accepted submissions that were reproduced."""
    accepted = [verdict.candidate for verdict in verdicts if verdict.candidate and verdict.refusal is None]
    if accepted:
        reproduced = sum(candidate.reproduction is not None for candidate in accepted)
        say(f"{reproduced} reproduced, {len(accepted) - reproduced} self-reported.")


def _say_notices(name: str, notices: Mapping[str, Sequence[str]]) -> None:
    for notice in notices.get(name, ()):
        say(f"notice: {show(name)}: {show(notice)}")


def _render(options: argparse.Namespace) -> None:
    board = read_board(options.board)
    verdicts = check_board(board, with_intervals=False, visible=True)
    for verdict in verdicts:
        if verdict.refusal is not None:
            report(verdict.refusal)
            say(f"pyramid-paraphrase: {show(verdict.name)} is not on the site", sys.stderr)
    pages = render_site(board, verdicts)
    write_site(pages, options.output)
    say(f"{show(options.output / 'index.html')}: {count_of(len(pages) - 1, 'model')}")


def _reproduce(options: argparse.Namespace) -> None:
    board = find_board(options.submission)
    folder = board.find_submission(options.submission)
    checked = check_folder(board, folder)
    rerun = _run_again(checked, choose_spec(checked, options.model), options)
    largest = compare_runs(checked, rerun)
    recorded = write_reproduction(board, checked, rerun, largest)
    say(f"Reproduced: {show(checked.submission.name)}, largest difference of a metric: {largest:.6f}")
    say(f"Recorded: {show(recorded)}")
    verdict, _ = _judge(board, folder)
    if verdict.refusal is not None:
        report(verdict.refusal)


def _run_again(checked: Checked, spec: str, options: argparse.Namespace) -> Any:  # noqa: ANN401
    import datasets

    import_evaluate_alone()
    datasets.disable_progress_bars()
    result = checked.submission.result
    suite = load_suite(options.data, list(checked.tests))
    require_same_tests(checked, {test.configuration.name: test.fingerprint for test in suite.tests})
    model = load_model(spec)
    if options.model:  # a maintainer who gives --model vouches that it is the submitted model
        model = model.renamed(result.model)
    statistics = result.record.statistics
    return evaluate_model(model, suite, Settings(statistics.resamples, statistics.seed))
