"""The command pit: SemEval-2015 task 1, Paraphrase and Semantic Similarity in Twitter."""

from __future__ import annotations

import argparse
from typing import Any

from harness.cli.arguments import (
    RESULT_HELP,
    Run,
    add_bootstrap_options,
    add_command,
    add_output_options,
    choose_format,
    path,
    say,
    show,
    show_or_write,
)
from harness.evaluation.results import read_results
from harness.files.writing import write_file
from harness.pit.outputs import render_output
from harness.pit.ranking_report import report_rankings
from harness.pit.score_report import report_scores
from harness.pit.submission import make_output
from harness.pit.system_inputs import read_inputs
from harness.rendering.file_formats import REPORT_FORMATS
from harness.rendering.reports import render_report
from harness.support.errors import ComparisonError

_OUTPUT_HELP = "output of a system: per line true or false, a tab, and a score with four decimals"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _add_scoring_commands(actions)
    submit = add_command(actions, "submit", _submit, "write what the task asks for from a model's result")
    submit.add_argument("result", metavar="RESULT", help=f"{RESULT_HELP}; on both tasks of PIT-2015")
    submit.add_argument("--output", type=path, required=True, metavar="FILE", help="where to")


def _add_scoring_commands(actions: Any) -> None:  # noqa: ANN401
    score = _add_reader(actions, "score", _score, "check outputs of systems, and measure them as the organisers do")
    score.add_argument("--data", type=path, metavar="FILE", help="the task's test.data; draws topics instead of pairs")
    add_bootstrap_options(score, "bootstrap")
    purpose = "rank systems by each metric, and say how alike the rankings are"
    compare = _add_reader(actions, "compare", _compare, purpose)
    compare.add_argument(
        "--published", action="store_true", help="take the maximum of F as published, with cuts inside equal scores"
    )


def _add_reader(actions: Any, name: str, run: Run, text: str) -> argparse.ArgumentParser:  # noqa: ANN401
    parser = add_command(actions, name, run, text)
    parser.add_argument("outputs", nargs="+", type=path, metavar="OUTPUT", help=_OUTPUT_HELP)
    parser.add_argument("--labels", type=path, required=True, metavar="FILE", help="the task's test.label")
    parser.add_argument(
        "--strict", action="store_true", help="refuse outputs with scores beyond 0 to 1; else a note counts them"
    )
    add_output_options(parser, REPORT_FORMATS)
    return parser


def _score(options: argparse.Namespace) -> None:
    form = choose_format(options, REPORT_FORMATS)
    inputs = read_inputs(options.labels, options.outputs, options.data, strict=options.strict)
    show_or_write(render_report(report_scores(inputs, options.resamples, options.seed), form), options.output)


def _compare(options: argparse.Namespace) -> None:
    form = choose_format(options, REPORT_FORMATS)
    inputs = read_inputs(options.labels, options.outputs, strict=options.strict)
    show_or_write(render_report(report_rankings(inputs, published=options.published), form), options.output)


def _submit(options: argparse.Namespace) -> None:
    results = read_results([options.result])
    if len(results) > 1:
        paths = ", ".join(result.path for result in results)
        raise ComparisonError(f"{options.result}: holds {paths}; name one of them")
    output = make_output(results[0])
    write_file(options.output, render_output(output.decisions, output.scores))
    say(f"{show(options.output)}: {len(output.scores):,} pairs, {int(output.decisions.sum()):,} called paraphrases")
