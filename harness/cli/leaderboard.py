"""The commands about leaderboards: submit, leaderboard."""

from __future__ import annotations

import argparse
import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from harness.cli.arguments import RESULT_HELP, SOURCE_HELP, add_command, parse_tasks, path, report, say, show
from harness.errors import LeaderboardError
from harness.tables import count_of, render_table

if TYPE_CHECKING:
    from harness.leaderboards.checks import Checked, Verdict

_DATA_HELP = f"{SOURCE_HELP}, or a built folder; repeatable; default: the last build"


def add_leaderboard_commands(commands: Any) -> None:  # noqa: ANN401
    """Add submit and leaderboard."""
    submit = add_command(commands, "submit", _submit, "enter a result into a leaderboard")
    submit.add_argument("result", metavar="RESULT", help=f"{RESULT_HELP}, of which it holds one")
    submit.add_argument("--to", type=path, required=True, metavar="DIR", help="folder of the leaderboard")
    submit.add_argument("--contact", required=True, metavar="TEXT", help="whom to ask about the model; it is shown")
    submit.add_argument("--model-link", required=True, metavar="URL", help="where the model is described, https://...")
    submit.add_argument("--training-data", required=True, metavar="TEXT", help="what the model was trained on")
    submit.add_argument(
        "--saw-test-data",
        required=True,
        choices=("no", "yes", "unknown"),
        help="whether texts or annotations of the tests were among that",
    )
    board = commands.add_parser("leaderboard", help="make, check and show leaderboards", allow_abbrev=False)
    _add_board_commands(board.add_subparsers(required=True, metavar="ACTION"))


def _add_board_commands(actions: Any) -> None:  # noqa: ANN401
    init = add_command(actions, "init", _init, "make a leaderboard, or let one rank models on more data")
    init.add_argument("board", type=path, metavar="DIR", help="where to")
    init.add_argument("--data", action="append", metavar="SOURCE", help=_DATA_HELP)
    init.add_argument(
        "--task",
        type=parse_tasks,
        default=None,
        metavar="NAMES",
        help="of the configurations that are made from pyramids, joined by commas; default: all",
    )
    init.add_argument("--title", default="", help="what it is called")
    check = add_command(actions, "check", _check, "compute every number of submissions anew, and compare")
    check.add_argument("board", type=path, metavar="DIR", help="folder of a leaderboard, or of one submission in it")
    render = add_command(actions, "render", _render, "write a leaderboard as a static site")
    render.add_argument("board", type=path, metavar="DIR", help="folder of a leaderboard")
    render.add_argument(
        "--output", type=path, required=True, metavar="SITE", help="where to; a site that is there is replaced"
    )
    reproduce = add_command(actions, "reproduce", _reproduce, "run the model of a submission again, and record that")
    reproduce.add_argument("submission", type=path, metavar="SUBMISSION", help="its folder, within a leaderboard")
    reproduce.add_argument("--data", action="append", metavar="SOURCE", help=_DATA_HELP)
    reproduce.add_argument("--model", metavar="SPEC", help="the model; default: as the submission names it")


def _submit(options: argparse.Namespace) -> None:
    from harness.leaderboards.board import read_board
    from harness.leaderboards.checks import enter_submission
    from harness.leaderboards.submissions import Form
    from harness.results import read_results

    board, results = read_board(options.to), read_results([options.result])
    if len(results) > 1:
        raise LeaderboardError(f"{options.result}: holds {', '.join(one.path for one in results)}; name one of them")
    (result,) = results
    today = datetime.now(timezone.utc).date().isoformat()
    form = Form(options.contact, options.model_link, options.training_data, options.saw_test_data, today)
    folder = enter_submission(board, result, form)
    say(f"Accepted: {show(folder)}\nOffer this folder to whoever maintains the leaderboard; see its README.md.")
    if missing := dict.fromkeys(test.configuration for test in board.tests if test.configuration not in result.tasks):
        say(f"Not ranked on: {show(', '.join(missing))}; evaluate with --task to be.")


def _init(options: argparse.Namespace) -> None:
    from harness.leaderboards.setup import set_up
    from pyramid_paraphrase.options import PYRAMID_TESTS

    board = set_up(options.board, options.title, options.data, options.task or PYRAMID_TESTS)
    rows = [(test.configuration, ", ".join(test.collections), test.rows, test.fingerprint[:12]) for test in board.tests]
    say(f"{show(board.title)}: {show(board.folder)}\n")
    say(render_table(("configuration", "collections", "rows", "fingerprint"), rows))


def _check(options: argparse.Namespace) -> None:
    from harness.leaderboards.board import find_board
    from harness.leaderboards.checks import check_board, check_folder

    board = find_board(options.board)
    if options.board.resolve() != board.folder:
        checked = check_folder(board, board.find_submission(options.board))
        say(f"{show(checked.submission.name)}: every number follows from its scores")
        return
    refused, count = 0, 0
    for verdict in check_board(board):
        count += 1
        refused += _tell(verdict)
    say(f"{count - refused} of {count_of(count, 'submission')} consistent; whether they are honest, `reproduce` tells")
    if refused:
        raise LeaderboardError(f"{refused} of {count_of(count, 'submission')} refused; see above")


def _tell(verdict: Verdict) -> bool:
    """Say what came of a submission; whether it is refused."""
    if verdict.refusal is None:
        say(f"{show(verdict.name)}: consistent")
        return False
    report(verdict.refusal)
    return True


def _render(options: argparse.Namespace) -> None:
    from harness.leaderboards.board import read_board
    from harness.leaderboards.checks import check_board
    from harness.leaderboards.site import render_site, write_site

    board = read_board(options.board)
    verdicts = check_board(board, with_intervals=False)
    pages = render_site(board, _report_refusals(verdicts))
    write_site(pages, options.output)
    say(f"{show(options.output / 'index.html')}: {count_of(len(pages) - 1, 'model')}")


def _report_refusals(verdicts: Any) -> Any:  # noqa: ANN401
    for verdict in verdicts:
        if verdict.refusal is not None:
            report(verdict.refusal)
            say(f"pyramid-paraphrase: {show(verdict.name)} is left out", sys.stderr)
        yield verdict


def _reproduce(options: argparse.Namespace) -> None:
    from harness.leaderboards.board import find_board
    from harness.leaderboards.checks import check_folder
    from harness.leaderboards.reproduction import choose_spec, compare_runs, write_reproduction

    board = find_board(options.submission)
    checked = check_folder(board, board.find_submission(options.submission))
    again = _run_again(checked, choose_spec(checked, options.model), options)
    largest = compare_runs(checked, again)
    recorded = write_reproduction(board, checked, again, largest)
    say(f"Reproduced: {show(checked.submission.name)}, largest difference of a metric {largest:.6f}")
    say(f"Recorded: {show(recorded)}")


def _run_again(checked: Checked, spec: str, options: argparse.Namespace) -> Any:  # noqa: ANN401
    import datasets

    from harness.leaderboards.reproduction import require_same_tests
    from harness.models.kinds import load_model
    from harness.runner import Settings, evaluate_model, load_suite

    datasets.disable_progress_bars()
    result = checked.submission.result
    suite = load_suite(options.data, list(checked.tasks))
    require_same_tests(checked, {test.configuration.name: test.fingerprint for test in suite.tests})
    model = load_model(spec)
    if options.model:  # who names the model vouches for what it is called
        model = model.renamed(result.model)
    statistics = result.record["statistics"]
    return evaluate_model(model, suite, Settings(statistics["resamples"], statistics["seed"]))
