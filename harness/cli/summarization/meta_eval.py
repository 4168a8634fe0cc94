"""The command meta-eval."""

from __future__ import annotations

import argparse
import sys

from harness.cli.arguments import (
    add_bootstrap_options,
    add_output_options,
    choose_format,
    path,
    refuse_overwriting,
    say,
    set_run,
    show,
    show_or_write,
)
from harness.files.writing import write_file
from harness.rendering.file_formats import REPORT_FORMATS
from harness.rendering.pictures import parse_format
from harness.rendering.reports import render_report
from harness.summarization.meta_evaluation.blocks import SYSTEMS
from harness.summarization.meta_evaluation.correlations import LEVELS
from harness.summarization.meta_evaluation.evaluation import MetaEvaluation, evaluate_metrics
from harness.summarization.meta_evaluation.inputs import choose_measures, read_score_files
from harness.summarization.meta_evaluation.output.correlation_figure import draw_correlations
from harness.summarization.meta_evaluation.output.correlation_report import Sources, report_meta_evaluation
from harness.summarization.meta_evaluation.settings import BOTH, UNITS, Settings
from harness.summarization.summaries.rouge import ROUGE_VALUES
from harness.support.extras import require
from pyramid_paraphrase.errors import OptionError

_LEVELS = {**{level: (level,) for level in LEVELS}, "both": tuple(LEVELS)}
_SCORES_HELP = (
    "scores of summaries: a table of topic, system and metrics as other commands write it, output of ROUGE-1.5.5, "
    "NIST's tables, or pyramid annotations; a file in an archive is ARCHIVE/PATH"
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    set_run(parser, _evaluate)
    parser.add_argument("scores", nargs="+", metavar="SCORES", help=_SCORES_HELP)
    parser.add_argument(
        "--judgements", nargs="+", action="extend", required=True, metavar="FILE", help="judgements, in any such format"
    )
    parser.add_argument("--metrics", type=_split_names, metavar="NAMES", help="joined by commas; default: all")
    parser.add_argument("--criteria", type=_split_names, metavar="NAMES", help="the same of judgements")
    parser.add_argument(
        "--level", choices=_LEVELS, default="both", help="means of systems, or single summaries; default: %(default)s"
    )
    parser.add_argument(
        "--systems",
        choices=tuple(SYSTEMS),
        default=next(iter(SYSTEMS)),
        help="humans, whom NIST calls by letters, make correlations look better; default: %(default)s",
    )
    parser.add_argument(
        "--rouge",
        choices=ROUGE_VALUES,
        default=ROUGE_VALUES[0],
        help="what is read of ROUGE's output; default: %(default)s",
    )
    parser.add_argument(
        "--resample",
        choices=UNITS,
        default=BOTH,
        help="what resamples draw: topics (for these systems on other topics), systems (for other systems on these "
        "topics) or both; default: %(default)s",
    )
    parser.add_argument("--plot", type=path, metavar="FILE", help="draw the correlations: .png, .svg or .pdf")
    add_bootstrap_options(parser, "bootstrap and permutations")
    add_output_options(parser, REPORT_FORMATS)


def _split_names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise argparse.ArgumentTypeError("give names joined by commas")
    return names


def _evaluate(options: argparse.Namespace) -> None:
    form = choose_format(options, REPORT_FORMATS)
    _check_outputs(options)
    sources = Sources(
        tuple(read_score_files(options.scores, options.rouge)),
        tuple(read_score_files(options.judgements, options.rouge)),
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
    """Refuse outputs that cannot be written before anything is computed."""
    refuse_overwriting(options.output, *options.scores, *options.judgements)
    if options.plot is None:
        return
    parse_format(options.plot)
    require("matplotlib", "plots")
    if options.plot == options.output:
        raise OptionError(f"{options.plot}: is --output and --plot; give two paths")
    refuse_overwriting(options.plot, *options.scores, *options.judgements)


def _draw(options: argparse.Namespace, evaluation: MetaEvaluation) -> None:
    write_file(options.plot, draw_correlations(evaluation, parse_format(options.plot)))
    # A report on standard output may be JSON, which a further line would break.
    stream = sys.stdout if options.output else sys.stderr
    say(show(options.plot), stream)
