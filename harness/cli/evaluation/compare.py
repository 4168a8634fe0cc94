"""Compare the results of models: differences with intervals and p-values."""

from __future__ import annotations

import argparse

from harness.cli.arguments import choose_format, read_compared_results, set_run, show_or_write
from harness.cli.shared_options import RESULT_HELP, add_bootstrap_options, add_output_options, add_reference_option
from harness.evaluation.comparing.comparison import compare
from harness.rendering.reports import PAGE_FORMATS
from harness.reports.difference_reports import render_comparisons


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add results, the baseline, and options of the report and the bootstrap."""
    set_run(parser, _compare)
    parser.add_argument("results", nargs="+", metavar="RESULT", help=RESULT_HELP)
    parser.add_argument("--against", metavar="MODEL", help="baseline for all other models (default: compare all pairs)")
    add_reference_option(parser)
    add_output_options(parser, PAGE_FORMATS)
    add_bootstrap_options(parser)


def _compare(options: argparse.Namespace) -> None:
    form = choose_format(options, PAGE_FORMATS)
    results = read_compared_results(options)
    comparisons = compare(results, options.against, resamples=options.resamples, seed=options.seed)
    show_or_write(render_comparisons(comparisons, form), options.output)
