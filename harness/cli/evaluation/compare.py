"""The command compare."""

from __future__ import annotations

import argparse

from harness.cli.arguments import RESULT_HELP, add_bootstrap_options, say, set_run
from harness.evaluation.comparison import compare
from harness.evaluation.results import read_results
from harness.reports.difference_reports import render_comparison


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    set_run(parser, _compare)
    parser.add_argument("results", nargs="+", metavar="RESULT", help=RESULT_HELP)
    add_bootstrap_options(parser)


def _compare(options: argparse.Namespace) -> None:
    results = read_results(options.results)
    differences = compare(results, resamples=options.resamples, seed=options.seed)
    say(render_comparison(results[0].model, differences).rstrip("\n"))
