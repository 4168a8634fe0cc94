"""The command submit."""

from __future__ import annotations

import argparse
from datetime import datetime, timezone

from harness.cli.arguments import path, say, set_run, show
from harness.cli.shared_options import RESULT_HELP
from harness.evaluation.results import read_results
from harness.leaderboards.files.board import read_board
from harness.leaderboards.files.submissions import Form
from harness.leaderboards.judging.checks import enter_submission
from harness.support.errors import LeaderboardError


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    set_run(parser, _submit)
    parser.add_argument("result", metavar="RESULT", help=f"{RESULT_HELP}. It must contain a single result")
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
    board, results = read_board(options.to), read_results([options.result])
    fingerprints = {test.fingerprint for test in board.tests}
    fitting = [result for result in results if fingerprints & {test.fingerprint for test in result.tests.values()}]
    if len(fitting or results) > 1:
        paths = ", ".join(result.path for result in fitting or results)
        raise LeaderboardError(f"{options.result}: contains several results: {paths}. Use a single result")
    (result,) = fitting or results
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
