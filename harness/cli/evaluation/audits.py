"""Search training corpora for the texts of a leaderboard's tests."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence

import msgspec

from harness.cli.options import RESULT_HELP, add_workers, report_file
from harness.cli.outputs import choose_format, print_notes, report, say, show, show_or_write
from harness.cli.parser import command, option, path
from harness.evaluation.results import read_results
from harness.leaderboards.audits.audits import (
    Audit,
    AuditOutcome,
    ScoreWithout,
    audit_corpus,
    compare_scores,
    list_results,
    write_audit,
)
from harness.leaderboards.board import read_board
from harness.rendering.reports import REPORT_FORMATS, Cell, Grid, Report, render_report
from harness.rendering.tables import count_of, join_some
from pyramid_paraphrase.errors import PyramidParaphraseError

_MOST_FILES, _MOST_PROBLEMS = 3, 5
_MEANING = (
    "A side was found if the corpus contains 8 words of it in succession, or all words of a side of 4 to 7 words. "
    "This does not prove that a model was trained on the row: news in the corpus can contain the sentences that a "
    "summary quotes."
)


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
    show_or_write(render_report(_make_report(outcome, scores), form), options.output)
    if options.record:
        say(f"Recorded: {show(write_audit(board, outcome.audit))}", sys.stderr)


def _describe_problems(outcome: AuditOutcome) -> Iterable[str]:
    """Yield what was not read as it should be, a line each."""
    for reason, number in sorted(outcome.counts.items()):
        yield f"{number:,} {reason}"
    unread = [file for file in outcome.files if file.problem]
    if unread:
        yield f"{count_of(len(unread), 'file')} of {len(outcome.files):,} not read, or not to the end"
    for file in unread[:_MOST_PROBLEMS]:
        yield file.problem
    if len(unread) > _MOST_PROBLEMS:
        yield f"{len(unread) - _MOST_PROBLEMS:,} further files have such problems. --format json lists all"


def _make_report(outcome: AuditOutcome, scores: Sequence[ScoreWithout]) -> Report:
    audit = outcome.audit
    header = ("test", "rows", "one side", "both sides", "both by 8 words")
    rows = [
        (f"{test.configuration} {test.fingerprint[:12]}", test.rows, test.one_side, test.both_sides, test.both_long)
        for test in audit.tests
    ]
    grids = [Grid(header, tuple(rows), title=f"Rows whose texts {audit.corpus} contains")]
    if scores:
        cells = [
            (
                f"{score.test.configuration}: {score.model}",
                score.metric,
                *map(Cell, (score.value, score.without_both, score.without_any)),
            )
            for score in scores
        ]
        titles = ("model", "metric", "all rows", "without both sides", "without any side")
        grids.append(Grid(titles, tuple(cells), keys=2, title="Scores with and without these rows"))
    numbers = Grid(header, tuple(rows))
    return Report(tuple(grids), tuple(_list_notes(outcome)), numbers, _make_record(outcome, scores))


def _list_notes(outcome: AuditOutcome) -> Iterable[str]:
    audit = outcome.audit
    yield _MEANING
    short = [f"{test.not_searchable:,} of {test.configuration}" for test in audit.tests if test.not_searchable]
    if short:
        yield f"Rows with a side of fewer than 4 words, which is not searched: {', '.join(short)}."
    yield f"{count_of(audit.files, 'file')}, {count_of(audit.words, 'word')}, SHA-256 of the words {audit.sha256[:12]}"
    hits = sorted((file for file in outcome.files if file.found), key=lambda file: (-len(file.found), file.name))
    if hits:
        yield f"Most hits: {join_some([f'{file.name} ({len(file.found):,} hashes)' for file in hits], _MOST_FILES)}"


def _make_record(outcome: AuditOutcome, scores: Sequence[ScoreWithout]) -> dict[str, object]:
    audit: Audit = outcome.audit
    files = [
        {"name": file.name, "words": file.words, "hashes": len(file.found), "problem": file.problem}
        for file in outcome.files
    ]
    return {
        "audit": msgspec.to_builtins(audit),
        "counts": dict(sorted(outcome.counts.items())),
        "files": files,
        "scores": [
            {
                "configuration": score.test.configuration,
                "fingerprint": score.test.fingerprint,
                "model": score.model,
                "metric": score.metric,
                "value": score.value,
                "without_both_sides": score.without_both,
                "without_any_side": score.without_any,
            }
            for score in scores
        ],
    }
