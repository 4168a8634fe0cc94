"""Correlate the scores of summaries with judgements of people, and test which metric agrees better."""

from __future__ import annotations

import argparse
import sys

from harness.cli.arguments import (
    choose_format,
    refuse_overwriting,
    say,
    set_run,
    show,
    show_or_write,
)
from harness.cli.shared_options import add_bootstrap_options, add_output_options, add_plot_option
from harness.files.writing import write_file
from harness.rendering.pictures import parse_format
from harness.rendering.reports import REPORT_FORMATS, render_report
from harness.summarization.meta_evaluation.blocks import SYSTEMS
from harness.summarization.meta_evaluation.correlations import LEVELS
from harness.summarization.meta_evaluation.evaluation import MetaEvaluation, evaluate_metrics
from harness.summarization.meta_evaluation.inputs import choose_measures, read_score_files
from harness.summarization.meta_evaluation.output.correlation_figure import draw_correlations
from harness.summarization.meta_evaluation.output.correlation_report import Sources, report_meta_evaluation
from harness.summarization.meta_evaluation.settings import BOTH, UNITS, Settings
from harness.summarization.rouge import ROUGE_VALUES
from harness.support.extras import require
from pyramid_paraphrase.errors import OptionError

_LEVELS = {**{level: (level,) for level in LEVELS}, "both": tuple(LEVELS)}
_SCORES_HELP = (
    "metric scores: a table that another command wrote, output of ROUGE-1.5.5, a NIST table, or pyramid "
    "annotations. Name a file in an archive as ARCHIVE/PATH"
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add files of scores and judgements, what is compared at which level, and options of the bootstrap."""
    set_run(parser, _evaluate)
    parser.add_argument("scores", nargs="+", metavar="SCORES", help=_SCORES_HELP)
    parser.add_argument(
        "--judgements",
        nargs="+",
        action="extend",
        required=True,
        metavar="FILE",
        help="human judgements, in the formats of SCORES",
    )
    parser.add_argument(
        "--judges",
        metavar="COLUMN",
        help="column with names of judges in tables of judgements (default: assessor, annotator, judge, rater or "
        "worker). The mean of several judgements of a summary counts",
    )
    parser.add_argument(
        "--metrics", type=_split_names, metavar="NAMES", help="metrics to evaluate, comma-separated (default: all)"
    )
    parser.add_argument(
        "--criteria",
        type=_split_names,
        metavar="NAMES",
        help="criteria of the judgements, comma-separated (default: all)",
    )
    parser.add_argument(
        "--level",
        choices=_LEVELS,
        default="both",
        help="correlate means of systems, or single summaries (default: %(default)s)",
    )
    parser.add_argument(
        "--systems",
        choices=tuple(SYSTEMS),
        default=next(iter(SYSTEMS)),
        help="summarizers to include. Humans, named by letters, inflate correlations (default: %(default)s)",
    )
    parser.add_argument(
        "--rouge",
        choices=ROUGE_VALUES,
        default=ROUGE_VALUES[0],
        help="value to read from ROUGE output (default: %(default)s)",
    )
    parser.add_argument(
        "--resample",
        choices=UNITS,
        default=BOTH,
        help="units to resample: 'topics' generalizes to other topics, 'systems' to other systems (default: "
        "%(default)s)",
    )
    add_plot_option(parser)
    add_bootstrap_options(parser, "bootstrap, and permutation tests with as many permutations")
    add_output_options(parser, REPORT_FORMATS)


def _split_names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise argparse.ArgumentTypeError("use names, comma-separated")
    return names


def _evaluate(options: argparse.Namespace) -> None:
    form = choose_format(options, REPORT_FORMATS)
    _check_outputs(options)
    sources = Sources(
        tuple(read_score_files(options.scores, options.rouge)),
        tuple(read_score_files(options.judgements, options.rouge, are_judgements=True, judges=options.judges)),
        options.rouge,
    )
    metrics = choose_measures(sources.scores, options.metrics, "metric")
    judgements = choose_measures(sources.judgements, options.criteria, "criterion")
    settings = Settings(
        levels=_LEVELS[options.level],
        systems=options.systems,
        resamples=options.resamples,
        seed=options.seed,
        drawn=options.resample,
    )
    evaluation = evaluate_metrics(metrics, judgements, settings)
    show_or_write(render_report(report_meta_evaluation(evaluation, sources), form), options.output)
    if options.plot is not None:
        _draw(options, evaluation)


def _check_outputs(options: argparse.Namespace) -> None:
    """Refuse outputs that cannot be written, before the computation."""
    refuse_overwriting(options.output, *options.scores, *options.judgements)
    if options.plot is None:
        return
    parse_format(options.plot)
    require("matplotlib", "plots")
    if options.plot == options.output:
        raise OptionError(f"{options.plot}: is the path of both --output and --plot. Use two different paths")
    refuse_overwriting(options.plot, *options.scores, *options.judgements)


def _draw(options: argparse.Namespace, evaluation: MetaEvaluation) -> None:
    write_file(options.plot, draw_correlations(evaluation, parse_format(options.plot)))
    # A report on standard output may be JSON, which another line would break.
    stream = sys.stdout if options.output else sys.stderr
    say(show(options.plot), stream)
