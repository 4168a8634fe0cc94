"""List rows that models get wrong, and common properties of these rows."""

from __future__ import annotations

import argparse

from harness.cli.arguments import choose_format, parse_test_names, positive, read_named_results, set_run, show_or_write
from harness.cli.data_errors import SAME_DATA, explaining_missing_build
from harness.cli.shared_options import RESULT_HELP, add_data_option, add_output_options, add_show_text_option
from harness.rendering.reports import PAGE_FORMATS
from harness.reports.model_tables import make_tables


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add results, the models that are right and wrong, and the maximum number of rows per test, at least 1."""
    from harness.reports.errors.rendering import MOST_ROWS

    set_run(parser, _errors)
    parser.add_argument("results", nargs="+", metavar="RESULT", help=RESULT_HELP)
    parser.add_argument(
        "--right",
        action="append",
        default=[],
        metavar="MODEL",
        help="select rows that MODEL gets right (repeatable)",
    )
    parser.add_argument(
        "--wrong",
        action="append",
        default=[],
        metavar="MODEL",
        help="select rows that MODEL gets wrong (repeatable, default: all other models, without people, shortcuts "
        "and chance)",
    )
    parser.add_argument(
        "--task",
        type=parse_test_names,
        metavar="NAMES",
        help="tests, comma-separated (default: all tests of the results)",
    )
    parser.add_argument(
        "--rows",
        type=positive,
        default=MOST_ROWS,
        metavar="N",
        help="maximum number of rows per test (default: %(default)s)",
    )
    add_data_option(parser)
    add_show_text_option(parser)
    add_output_options(parser, PAGE_FORMATS)


def _errors(options: argparse.Namespace) -> None:
    from harness.reports.errors.loading import find_errors
    from harness.reports.errors.rendering import render_errors

    form = choose_format(options, PAGE_FORMATS)
    tables = make_tables(read_named_results(options))
    with explaining_missing_build(SAME_DATA):
        analyses, texts = find_errors(tables, options.data, options.right, options.wrong, options.task)
    texts_to_show = texts if options.show_text else None
    show_or_write(render_errors(analyses, form, most_rows=options.rows, texts=texts_to_show), options.output)
