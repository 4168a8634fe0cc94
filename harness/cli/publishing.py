"""The commands about publishing results: report, card."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from harness.cli.arguments import (
    RESULT_HELP,
    SOURCE_HELP,
    add_command,
    add_output_options,
    choose_format,
    path,
    say,
    show,
    show_or_write,
)
from pyramid_paraphrase.errors import OptionError

if TYPE_CHECKING:
    from harness.reports.contents import Table

FORMATS = {"terminal": ".txt", "markdown": ".md", "latex": ".tex", "csv": ".csv", "html": ".html"}
"""Formats of reports, and what their files end in."""


def add_publishing_commands(commands: Any) -> None:  # noqa: ANN401
    """Add report and card."""
    _add_report_options(add_command(commands, "report", _report, "show results as a table or a page"))
    _add_card_options(add_command(commands, "card", _write_card, "enter a model's numbers into its card on the Hub"))


def _add_report_options(report: argparse.ArgumentParser) -> None:
    report.add_argument("results", nargs="+", metavar="RESULT", help=RESULT_HELP)
    add_output_options(report, FORMATS)
    report.add_argument("--paper", action="store_true", help="add the numbers of the paper's table 1, on other data")
    report.add_argument(
        "--show-text", action="store_true", help="html: show the texts of mistakes; such a page must not be passed on"
    )
    report.add_argument(
        "--data",
        action="append",
        metavar="SOURCE",
        help=f"where the texts are: {SOURCE_HELP}, or a built folder; repeatable; default: the last build",
    )


def _add_card_options(card: argparse.ArgumentParser) -> None:
    card.add_argument("results", nargs="+", metavar="RESULT", help=f"{RESULT_HELP}; all of one model")
    target = card.add_mutually_exclusive_group(required=True)
    target.add_argument(
        "--model-dir", type=path, metavar="DIR", help="folder of the model: its README.md gets the numbers, too"
    )
    target.add_argument("--print", action="store_true", help="show what would be written, and write nothing")
    card.add_argument(
        "--dataset-repo",
        type=_repository,
        metavar="ORG/NAME",
        help="benchmark dataset on the Hub that the numbers are entered for, under .eval_results",
    )


def _report(options: argparse.Namespace) -> None:
    from harness.evaluation.results import read_results
    from harness.reports.contents import make_tables

    form = choose_format(options, FORMATS)
    if options.show_text and form != "html":
        raise OptionError(f"--show-text is for html, and the format is {form}; leave it out, or give --format html")
    if options.data and not options.show_text:
        raise OptionError("--data is where --show-text finds the texts; leave it out, or add --show-text")
    tables = make_tables(read_results(options.results), with_paper=options.paper)
    show_or_write(_render(tables, form, options), options.output)


def _render(tables: Sequence[Table], form: str, options: argparse.Namespace) -> str:
    if form == "html":
        from harness.reports.page import render_html
        from harness.reports.texts import load_texts

        tasks = list(dict.fromkeys(task for table in tables for task in table.fingerprints))
        return render_html(tables, load_texts(options.data, tasks) if options.show_text else None)
    from harness.reports import plain

    render = {
        "terminal": plain.render_terminal,
        "markdown": plain.render_markdown,
        "latex": plain.render_latex,
        "csv": plain.render_csv,
    }
    return render[form](tables)


def _repository(text: str) -> str:
    """An id of a dataset on the Hub, for `argparse`."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]  # lazily exported

    try:
        validate_repo_id(text)
    except HFValidationError:
        pass
    else:
        if text.count("/") == 1:
            return text
    raise argparse.ArgumentTypeError("give a dataset's id on the Hub, such as ORG/NAME")


def _write_card(options: argparse.Namespace) -> None:
    from harness.cards.snippet import render_snippet
    from harness.cards.writing import ENTRIES_NAME, render_metadata, warn_if_sample, write_card
    from harness.evaluation.results import read_results

    results = read_results(options.results)
    snippet = render_snippet(results)
    warn_if_sample(results)
    if options.print:
        say(render_metadata(results, options.dataset_repo))
    else:
        for written in write_card(results, options.model_dir, options.dataset_repo):
            say(f"Written: {show(written)}")
    if not options.dataset_repo:
        say(f"Left out: {ENTRIES_NAME}; entries are for a benchmark dataset on the Hub, which --dataset-repo names")
    say("\nTo paste into the card:\n\n" + snippet)
