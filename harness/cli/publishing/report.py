"""Show results as a table or a web page."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from harness.cli.arguments import choose_format, read_compared_results, set_run, show_or_write
from harness.cli.data_errors import SAME_DATA, explaining_missing_build
from harness.cli.shared_options import (
    RESULT_HELP,
    add_data_option,
    add_output_options,
    add_reference_option,
    add_show_text_option,
)
from harness.reports.model_tables import ORDERS, Table, make_tables
from harness.reports.text_reports import FORMATS, render_tables
from pyramid_paraphrase.errors import OptionError


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add results, their order, and what the report shows beside them."""
    set_run(parser, _report)
    parser.add_argument("results", nargs="+", metavar="RESULT", help=RESULT_HELP)
    add_reference_option(parser)
    add_output_options(parser, FORMATS)
    parser.add_argument(
        "--sort", choices=ORDERS, default="score", help="order of the models (default: best score first)"
    )
    parser.add_argument(
        "--paper", action="store_true", help="add the numbers of table 1 of the paper, which are on other data"
    )
    add_show_text_option(parser, " that models get wrong (HTML only)")
    add_data_option(parser)


def _report(options: argparse.Namespace) -> None:
    form = choose_format(options, FORMATS)
    if options.show_text and form != "html":
        raise OptionError(
            f"--show-text requires --format html, but the format is {form}. Change the format, or omit --show-text"
        )
    if options.data and not options.show_text:
        raise OptionError("--data has no effect without --show-text. Add --show-text, or omit --data")
    tables = make_tables(read_compared_results(options), with_paper=options.paper, order=options.sort)
    show_or_write(_render(tables, form, options), options.output)


def _render(tables: Sequence[Table], form: str, options: argparse.Namespace) -> str:
    if form == "html":
        from harness.reports.html_reports import render_html
        from harness.reports.row_texts import load_texts

        texts = None
        if options.show_text:
            tests = [test for table in tables for test in table.fingerprints.items()]
            with explaining_missing_build(SAME_DATA):
                texts = load_texts(options.data, list(dict(tests)))
            texts.require(tests)
        return render_html(tables, texts)
    return render_tables(tables, form)
