"""The command errors."""

from __future__ import annotations

import argparse

from harness.cli.arguments import (
    DATA_HELP,
    RESULT_HELP,
    add_output_options,
    choose_format,
    parse_test_names,
    positive,
    set_run,
    show_or_write,
)
from harness.evaluation.results import read_results
from harness.rendering.file_formats import PAGE_FORMATS
from harness.reports.model_tables import make_tables


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    from harness.reports.errors.rendering import MOST_ROWS

    set_run(parser, _errors)
    parser.add_argument("results", nargs="+", metavar="RESULT", help=RESULT_HELP)
    parser.add_argument(
        "--right",
        action="append",
        default=[],
        metavar="MODEL",
        help="select rows that this model gets right; repeatable",
    )
    parser.add_argument(
        "--wrong",
        action="append",
        default=[],
        metavar="MODEL",
        help="select rows that this model gets wrong; repeatable; default: all other models, without the shortcuts",
    )
    parser.add_argument(
        "--task", type=parse_test_names, metavar="NAMES", help="tests, joined by commas; default: all of the results"
    )
    parser.add_argument(
        "--rows", type=positive, default=MOST_ROWS, metavar="N", help="rows to list per test; default: %(default)s"
    )
    parser.add_argument(
        "--data",
        action="append",
        metavar="SOURCE",
        help=f"data that the models were evaluated on: {DATA_HELP}",
    )
    parser.add_argument(
        "--show-text", action="store_true", help="show the texts of the rows; do not pass such a report on"
    )
    add_output_options(parser, PAGE_FORMATS)


def _errors(options: argparse.Namespace) -> None:
    from harness.reports.errors.loading import find_errors
    from harness.reports.errors.rendering import render_errors

    form = choose_format(options, PAGE_FORMATS)
    tables = make_tables(read_results(options.results))
    analyses, texts = find_errors(tables, options.data, options.right, options.wrong, options.task)
    shown = texts if options.show_text else None
    show_or_write(render_errors(analyses, form, most_rows=options.rows, texts=shown), options.output)
