"""Score and compare systems of SemEval-2015 task 1, Paraphrase and Semantic Similarity in Twitter."""

from __future__ import annotations

import argparse
from typing import Any

from harness.cli.arguments import (
    Run,
    add_command,
    choose_format,
    path,
    read_single_result,
    refuse_overwriting,
    say,
    show,
    show_or_write,
)
from harness.cli.shared_options import RESULT_HELP, add_bootstrap_options, add_output_options, add_required_output
from harness.files.writing import write_file
from harness.pit.files import IDENTIFICATION, make_output, render_output
from harness.pit.reports import report_rankings, report_scores
from harness.pit.systems import read_inputs
from harness.rendering.reports import REPORT_FORMATS, render_report
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.formats.pair_corpora import LABEL_FILE, PIT_FILES

_OUTPUT_HELP = "system output: on each line 'true' or 'false', a tab, and a score with four decimals"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the actions that score and compare systems, and submit."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _add_scoring_commands(actions)
    submit = add_command(actions, "submit", _submit, "write the result of a model as a system output")
    submit.add_argument("result", metavar="RESULT", help=f"{RESULT_HELP}, on both tests of PIT-2015")
    add_required_output(submit, "the system output")


def _add_scoring_commands(actions: Any) -> None:  # noqa: ANN401
    score = _add_reader(actions, "score", _score, "check system outputs, and score them as the organizers do")
    score.add_argument(
        "--data", type=path, metavar="FILE", help="test.data of the task. The bootstrap then draws topics, not pairs"
    )
    add_bootstrap_options(score, "bootstrap")
    purpose = "rank systems by each metric, and compare the rankings"
    compare = _add_reader(actions, "compare", _compare, purpose)
    compare.add_argument(
        "--published", action="store_true", help="compute the maximum F as published, with thresholds inside ties"
    )


def _add_reader(actions: Any, name: str, run: Run, text: str) -> argparse.ArgumentParser:  # noqa: ANN401
    parser = add_command(actions, name, run, text)
    parser.add_argument("outputs", nargs="+", type=path, metavar="OUTPUT", help=_OUTPUT_HELP)
    parser.add_argument("--labels", type=path, required=True, metavar="FILE", help="test.label of the task")
    parser.add_argument(
        "--strict", action="store_true", help="refuse scores outside 0 to 1, instead of counting them in a note"
    )
    add_output_options(parser, REPORT_FORMATS)
    return parser


def _score(options: argparse.Namespace) -> None:
    form = choose_format(options, REPORT_FORMATS)
    refuse_overwriting(options.output, *filter(None, (options.labels, options.data, *options.outputs)))
    inputs = read_inputs(options.labels, options.outputs, options.data, strict=options.strict)
    show_or_write(render_report(report_scores(inputs, options.resamples, options.seed), form), options.output)


def _compare(options: argparse.Namespace) -> None:
    form = choose_format(options, REPORT_FORMATS)
    refuse_overwriting(options.output, options.labels, *options.outputs)
    inputs = read_inputs(options.labels, options.outputs, strict=options.strict)
    show_or_write(render_report(report_rankings(inputs, published=options.published), form), options.output)


def _submit(options: argparse.Namespace) -> None:
    if options.output.name in (*PIT_FILES, LABEL_FILE):
        raise OptionError(f"{options.output}: has the name of a file of the corpus. Use another name for --output")
    output = make_output(read_single_result(options.result, lambda result: IDENTIFICATION in result.tests))
    write_file(options.output, render_output(output.decisions, output.scores))
    say(
        f"{show(options.output)}: {len(output.scores):,} pairs, {int(output.decisions.sum()):,} labelled as paraphrases"
    )
