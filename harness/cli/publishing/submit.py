"""The command submit."""

from __future__ import annotations

import argparse
from datetime import datetime, timezone

from harness.cli.arguments import RESULT_HELP, path, say, set_run, show
from harness.evaluation.results import read_results
from harness.leaderboards.files.board import read_board
from harness.leaderboards.files.submissions import Form
from harness.leaderboards.judging.checks import enter_submission
from harness.support.errors import LeaderboardError


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    set_run(parser, _submit)
    parser.add_argument("result", metavar="RESULT", help=f"{RESULT_HELP}, of which it holds one")
    parser.add_argument("--to", type=path, required=True, metavar="DIR", help="folder of the leaderboard")
    parser.add_argument("--contact", required=True, metavar="TEXT", help="whom to ask about the model; it is shown")
    parser.add_argument("--model-link", required=True, metavar="URL", help="where the model is described, https://...")
    parser.add_argument("--training-data", required=True, metavar="TEXT", help="what the model was trained on")
    parser.add_argument(
        "--saw-test-data",
        required=True,
        choices=("no", "yes", "unknown"),
        help="whether texts or annotations of the tests were among that",
    )


def _submit(options: argparse.Namespace) -> None:
    board, results = read_board(options.to), read_results([options.result])
    if len(results) > 1:
        paths = ", ".join(result.path for result in results)
        raise LeaderboardError(f"{options.result}: holds {paths}; name one of them")
    (result,) = results
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
    say("Offer this folder to the maintainer of the leaderboard; the README.md of the leaderboard tells you how.")
    missing_tests = [test.configuration for test in board.tests if test.configuration not in result.tests]
    if missing_tests:
        say(f"Not ranked on: {show(', '.join(dict.fromkeys(missing_tests)))}; evaluate with --task to be.")
