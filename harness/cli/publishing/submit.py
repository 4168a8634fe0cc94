"""Add a result to a leaderboard, with the submitter's answers about the model."""

from __future__ import annotations

import argparse
from datetime import datetime, timezone

from harness.cli.arguments import path, read_single_result, say, set_run, show
from harness.cli.shared_options import RESULT_HELP
from harness.leaderboards.files.board import read_board
from harness.leaderboards.files.submissions import Form
from harness.leaderboards.judging.checks import enter_submission


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the result, the leaderboard, and the answers, all of which are required."""
    set_run(parser, _submit)
    parser.add_argument(
        "result",
        metavar="RESULT",
        help=f"{RESULT_HELP}. It must contain a single result on the data of the leaderboard",
    )
    parser.add_argument("--to", type=path, required=True, metavar="DIR", help="folder of the leaderboard")
    parser.add_argument(
        "--contact",
        required=True,
        metavar="TEXT",
        help="contact for questions about the model, published on the leaderboard",
    )
    parser.add_argument(
        "--model-link", required=True, metavar="URL", help="address of the model description, https://..."
    )
    parser.add_argument("--training-data", required=True, metavar="TEXT", help="description of the training data")
    parser.add_argument(
        "--saw-test-data",
        required=True,
        choices=("no", "yes", "unknown"),
        help="whether the training data contain texts or annotations of the tests",
    )


def _submit(options: argparse.Namespace) -> None:
    board = read_board(options.to)
    fingerprints = {test.fingerprint for test in board.tests}
    result = read_single_result(
        options.result, lambda result: any(test.fingerprint in fingerprints for test in result.tests.values())
    )
    today = datetime.now(timezone.utc).date().isoformat()
    form = Form(
        contact=options.contact,
        model_link=options.model_link,
        training_data=options.training_data,
        saw_test_data=options.saw_test_data,
        submitted=today,
    )
    folder = enter_submission(board, result, form)
    say(f"Accepted: {show(folder)}")
    say("Next: send this folder to the maintainer of the leaderboard, as its README.md describes.")
    missing_tests = [test.configuration for test in board.tests if test.configuration not in result.tests]
    if missing_tests:
        names = ",".join(dict.fromkeys(missing_tests))
        say(f"Not ranked on: {show(names)}. To be ranked, evaluate with --task {show(names)} and submit again.")
