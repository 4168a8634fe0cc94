"""Search training corpora for the texts of a leaderboard's tests."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from harness.cli.options import RESULT_HELP, add_workers, report_file
from harness.cli.outputs import choose_format, print_notes, report, say, show, show_or_write
from harness.cli.parser import command, option, path
from harness.evaluation.results import read_results
from harness.leaderboards.audits.audits import (
    AuditOutcome,
    audit_corpus,
    compare_scores,
    list_results,
    make_report,
    write_audit,
)
from harness.leaderboards.board import read_board
from harness.leaderboards.contamination.corpora import REASONS
from harness.rendering.reports import REPORT_FORMATS, render_report
from harness.rendering.tables import count_of
from pyramid_paraphrase.errors import PyramidParaphraseError

_MOST_PROBLEMS = 5


@command(
    path("board DIR", "folder of the leaderboard"),
    path(
        "corpus CORPUS",
        "files or folders of the training data: text, JSON lines, JSON or Parquet, also compressed (gzip, bzip2, xz, "
        "zstd)",
        nargs="+",
    ),
    option(
        "--field NAME",
        "field of JSON, or column of Parquet, to search (repeatable, default: all texts)",
        action="append",
        default=[],
    ),
    path(
        "--result RESULT",
        f"{RESULT_HELP}, to measure without the rows that were found (repeatable, default: shortcuts and ranked "
        "submissions of the leaderboard)",
        action="append",
    ),
    option("--record NAME", "record the audit in the leaderboard, with this name of the corpus"),
    add_workers,
    *report_file(REPORT_FORMATS),
)
def run_leaderboard_audit(options: argparse.Namespace) -> None:
    """Search a training corpus for the texts of the tests of a leaderboard."""
    board = read_board(options.board)
    form = choose_format(options, REPORT_FORMATS, options.corpus)
    errors: list[PyramidParaphraseError] = []
    if options.result:
        results = read_results(options.result)
    else:
        results, errors = list_results(board)
    name = options.record or options.corpus[0].resolve().name
    outcome = audit_corpus(board, options.corpus, name, options.field, options.workers)
    is_any = any(test.one_side or test.both_sides for test in outcome.audit.tests)
    scores = list(compare_scores(board, outcome, results)) if is_any else []
    for error in errors:
        report(error)
    print_notes(_describe_problems(outcome))
    show_or_write(render_report(make_report(outcome, scores), form), options.output)
    if options.record:
        say(f"Recorded: {show(write_audit(board, outcome.audit))}", sys.stderr)


def _describe_problems(outcome: AuditOutcome) -> Iterable[str]:
    """Yield what was not read as it should be, a line each."""
    for reason in REASONS:
        if outcome.counts[reason]:
            yield f"{outcome.counts[reason]:,} {reason}"
    unread = [file for file in outcome.files if file.problem]
    if unread:
        yield f"{count_of(len(unread), 'file')} of {len(outcome.files):,} not read, or not to the end"
    for file in unread[:_MOST_PROBLEMS]:
        yield file.problem
    if len(unread) > _MOST_PROBLEMS:
        yield f"{len(unread) - _MOST_PROBLEMS:,} further files have such problems. --format json lists all"
