"""Score and compare systems of SemEval-2015 task 1, Paraphrase and Semantic Similarity in Twitter."""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.cli.options import RESULT_HELP, bootstrap, name_columns, output_file, report_file
from harness.cli.outputs import choose_format, refuse_overwriting, say, show, show_or_write
from harness.cli.parser import command, flag, option, path
from harness.evaluation.results import read_single_result
from harness.files.writing import write_file
from harness.pit import files, reports
from harness.pit.scoring import read_inputs
from harness.rendering.reports import REPORT_FORMATS, render_report
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.formats.pairs.corpora import LABEL_FILE, PIT_FILES

_SYSTEMS = (
    path(
        "outputs OUTPUT",
        "system output: on each line 'true' or 'false', a tab, and a score with four decimals, a table of one's own, "
        "or a folder of outputs",
        nargs="+",
    ),
    path("--labels FILE", "test.label of the task", required=True),
    path(
        "--test-data FILE",
        "test.data of the task. With it, the bootstrap draws topics instead of pairs, and differences are tested",
        dest="data",
        hidden=["--data"],
    ),
    name_columns(files.OUTPUT_FIELDS, "score=similarity"),
    flag("--strict", "refuse scores outside 0 to 1, instead of counting them in a note, and tables of one's own"),
    *report_file(REPORT_FORMATS),
)


@command(
    *_SYSTEMS,
    bootstrap("bootstrap"),
)
def run_pit_score(options: argparse.Namespace) -> None:
    """Check system outputs, and score them as the organizers do."""
    outputs = files.list_outputs(options.outputs)
    form = choose_format(options, REPORT_FORMATS, (options.labels, options.data, *outputs))
    inputs = read_inputs(options.labels, outputs, options.data, strict=options.strict, columns=options.columns)
    report = reports.report_scores(inputs, options.resamples, options.seed)
    show_or_write(render_report(report, form), options.output)


@command(
    *_SYSTEMS,
    flag("--published", "compute the maximum F as published, with thresholds inside ties"),
    option("--against SYSTEM", "baseline that all others are compared with (default: compare all pairs)"),
    bootstrap("bootstrap over topics, for the intervals of differences"),
)
def run_pit_compare(options: argparse.Namespace) -> None:
    """Rank systems by each metric, compare the rankings, and test the differences."""
    outputs = files.list_outputs(options.outputs)
    form = choose_format(options, REPORT_FORMATS, (options.labels, options.data, *outputs))
    inputs = read_inputs(options.labels, outputs, options.data, strict=options.strict, columns=options.columns)
    report = reports.report_rankings(
        inputs,
        published=options.published,
        against=options.against,
        resamples=options.resamples,
        seed=options.seed,
    )
    show_or_write(render_report(report, form), options.output)


@command(
    option("result RESULT", f"{RESULT_HELP}, on both tests of PIT-2015"),
    output_file("the system output"),
)
def run_pit_submit(options: argparse.Namespace) -> None:
    """Write the result of a model as a system output."""
    if options.output.name in (*PIT_FILES, LABEL_FILE):
        raise OptionError(f"{options.output}: has the name of a file of the corpus. Use another name for --output")
    result = read_single_result(options.result, lambda result: files.IDENTIFICATION in result.tests)
    scores_files = (Path(result.path).with_name(test.scores.file) for test in result.tests.values())
    refuse_overwriting(options.output, result.path, *scores_files)
    decisions, scores = files.make_output(result)
    write_file(options.output, files.render_output(decisions, scores))
    pairs = f"{len(scores):,} pairs, {int(decisions.sum()):,} labelled as paraphrases"
    say(f"{show(options.output)}: {pairs}")
