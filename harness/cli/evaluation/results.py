"""Commands that read results: compare models, list errors, and write reports and model cards."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from harness.cli.options import DATA, PLOT, REFERENCES, RESULTS, bootstrap, report_file, show_text, task
from harness.cli.outputs import (
    choose_format,
    explaining_missing_build,
    print_notes,
    refuse_overwriting,
    say,
    show,
    show_or_write,
)
from harness.cli.parser import choice, command, either, flag, option, path
from harness.evaluation.comparing.comparison import compare
from harness.evaluation.comparing.references import list_references
from harness.evaluation.results import Result, read_numbers, read_results
from harness.files.writing import write_file
from harness.rendering.pictures import parse_format
from harness.rendering.reports import GRID_FORMATS, PAGE_FORMATS, Report, render_report, require_text
from harness.reports import text_reports
from harness.reports.difference_reports import render_comparisons
from harness.reports.error_analysis import find_errors
from harness.reports.error_reports import MOST_ROWS, render_errors
from harness.reports.html_reports import render_html
from harness.reports.model_tables import ORDERS, make_tables
from harness.reports.rows import load_texts
from harness.support.progress import Progress
from pyramid_paraphrase.errors import NoBuildError, OptionError
from pyramid_paraphrase.files.extras import require
from pyramid_paraphrase.rules.options import PRESENCE
from pyramid_paraphrase.rules.ranges import COUNT


@command(
    RESULTS,
    option("--against MODEL", "baseline that all others are compared with (default: compare all pairs)"),
    REFERENCES,
    *report_file(PAGE_FORMATS),
    bootstrap(),
)
def run_compare(options: argparse.Namespace) -> None:
    """Compare the results of models: differences with intervals and p-values."""
    form = choose_format(options, PAGE_FORMATS)
    results = _read_compared_results(options)
    with Progress(visible=True) as progress:
        comparisons = compare(
            results, options.against, resamples=options.resamples, seed=options.seed, progress=progress
        )
    show_or_write(render_comparisons(comparisons, form), options.output)


@command(
    RESULTS,
    option("--right MODEL", "select rows that MODEL gets right (repeatable)", action="append", default=[]),
    option(
        "--wrong MODEL",
        "select rows that MODEL gets wrong (repeatable, default: all other models, without people, shortcuts and "
        "chance)",
        action="append",
        default=[],
    ),
    task(", comma-separated (default: all tests of the results)"),
    option("--rows N", "maximum number of rows per test", COUNT, default=MOST_ROWS),
    DATA,
    show_text(),
    *report_file(PAGE_FORMATS),
)
def run_errors(options: argparse.Namespace) -> None:
    """List rows that models get wrong, and common properties of these rows."""
    form = choose_format(options, PAGE_FORMATS)
    tables = make_tables(_read_named_results(options))
    with explaining_missing_build():
        analyses, texts = find_errors(tables, options.data, options.right, options.wrong, options.task)
    texts_to_show = texts if options.show_text else None
    show_or_write(render_errors(analyses, form, most_rows=options.rows, texts=texts_to_show), options.output)


def _parse_columns(text: str) -> list[str]:
    """Parse comma-separated names of columns, which `choose_columns` looks up."""
    return [name.strip() for name in text.split(",") if name.strip()]


@command(
    RESULTS,
    REFERENCES,
    *report_file(text_reports.FORMATS),
    choice("--sort", ORDERS, "order of the models (default: best score first)", default="score"),
    option(
        "--columns NAMES",
        "columns in order, comma-separated, such as 'ranking MRR,binary F' (default: the main ones)",
        _parse_columns,
    ),
    flag("--paper", "add the numbers of table 1 of the paper, which are on other data"),
    show_text(" that models get wrong (HTML only)"),
    flag("--by-topic", "list the values of the models on each topic instead (CSV, TSV or Excel)"),
    flag("--agreement", "compare models with people on presence: agreement, calibration, scores of systems"),
    PLOT,
    DATA,
)
def run_report(options: argparse.Namespace) -> None:
    """Show results as a table or a web page."""
    form = choose_format(options, text_reports.FORMATS, rounds_all=True)
    _refuse_useless_options(options, form)
    if options.agreement:
        _report_judges(options, form)
        return
    with Progress(visible=True) as progress:
        results = _read_compared_results(options)
        tables = make_tables(results, with_paper=options.paper, order=options.sort, progress=progress)
    if options.columns:
        text_reports.choose_columns(tables, options.columns)
    for table in tables:
        table.digits = options.digits
    if options.by_topic:
        grid, notes = text_reports.tabulate_topics(tables)
        print_notes(notes)
        show_or_write(render_report(Report((), (), grid), form), options.output)
        return
    if form != "html":
        show_or_write(text_reports.render_tables(tables, form), options.output)
        return
    texts = None
    if options.show_text:
        fingerprints = [test for table in tables for test in table.fingerprints.items()]
        with explaining_missing_build():
            texts = load_texts(options.data, list(dict(fingerprints)), [test for _, test in fingerprints])
        texts.require(fingerprints)
    show_or_write(render_html(tables, texts), options.output)


def _refuse_useless_options(options: argparse.Namespace, form: str) -> None:
    """Refuse options of `report` that have no effect in a format, or without another option.

    Raises:
        OptionError: If there is one.
    """
    if options.show_text and form != "html":
        remedy = "Change the format, or omit --show-text"
        raise OptionError(f"--show-text requires --format html, but the format is {form}. {remedy}")
    if (options.columns or options.digits) and (options.by_topic or options.agreement):
        unsuitable = "--columns" if options.columns else "--digits"
        raise OptionError(f"{unsuitable} has no effect on --by-topic and --agreement. Omit one of them")
    if options.by_topic and (form not in GRID_FORMATS or options.agreement or options.paper):
        remedy = "Use it with --format csv, tsv or xlsx, and without --agreement and --paper"
        raise OptionError(f"--by-topic lists values of models in rows, but the format is {form}. {remedy}")
    if options.data and not (options.show_text or options.agreement):
        raise OptionError("--data has no effect without --show-text or --agreement. Add one of them, or omit --data")
    if options.plot and not options.agreement:
        raise OptionError("--plot has no effect without --agreement. Add --agreement, or omit --plot")


def _report_judges(options: argparse.Namespace, form: str) -> None:
    """Write the report of judges of presence, and the figure of their reliability.

    Raises:
        OptionError: If an option does not fit, or both files have the same path.
        ComparisonError: If no result is on presence, or none is on the data.
    """
    from harness.reports.judges.measuring import judge_presence
    from harness.reports.judges.rendering import draw_reliability, render_judges  # imports scores of summaries

    if options.show_text or options.paper:
        unsuitable = "--show-text" if options.show_text else "--paper"
        raise OptionError(f"{unsuitable} has no effect on --agreement. Omit one of them")
    if options.plot is not None:  # before the computation, so that errors come early
        picture_format = parse_format(options.plot)
        require("matplotlib", "plots")
        if options.plot == options.output:
            raise OptionError(f"{options.plot}: is the path of both --output and --plot. Use two different paths")
    results = _read_compared_results(options)
    refuse_overwriting(options.plot, *(result.path for result in results))
    tables = make_tables(results, order=options.sort)
    texts, evaluated = None, [item for table in tables for item in table.fingerprints.items() if item[0] == PRESENCE]
    fingerprints = [fingerprint for _, fingerprint in evaluated]
    with suppress(NoBuildError):  # scores of systems are missing then, and a note says so
        texts = load_texts(options.data, [PRESENCE], fingerprints)
    if options.data:
        assert texts is not None
        texts.require(evaluated)
    elif texts is not None and not any(map(texts.has_test, fingerprints)):
        reason = "the last build has other rows than all results, so the scores of systems are missing"
        print_notes([f"{reason}. Add --data SOURCE, the data that the models were evaluated on"])
    judged = judge_presence(tables, texts)
    show_or_write(render_judges(judged, form), options.output)
    if options.plot is not None:
        write_file(options.plot, draw_reliability(judged, picture_format))
        # A report on standard output may be CSV, which another line would break.
        say(show(options.plot), sys.stdout if options.output else sys.stderr)


def _parse_repository(text: str) -> str:
    """Parse the id of a dataset on the Hub."""
    from huggingface_hub import errors, utils

    try:
        utils.validate_repo_id(text)  # type: ignore[attr-defined]  # lazily exported
    except errors.HFValidationError:
        pass
    else:
        if text.count("/") == 1:
            return text
    raise ValueError("use the id of a dataset on the Hub, such as ORG/NAME")


@command(
    RESULTS,
    option(
        "--model NAME",
        "name of the model in its results. The card compares it with all other results (default: the only model "
        "besides shortcuts, people and chance)",
    ),
    either(
        path("--model-dir DIR", "model folder in which README.md is updated"),
        flag("--print", "print the metadata instead of writing files"),
        required=True,
    ),
    option(
        "--dataset-repo ORG/NAME",
        "also write the results as entries for this benchmark dataset on the Hub",
        _parse_repository,
    ),
)
def run_card(options: argparse.Namespace) -> None:
    """Write the results of a model into its card on the Hub, or print them as metadata."""
    from harness.cards import numbers, writing

    with Progress(visible=True) as progress:
        all_results = read_results(options.results, progress)
    results, others = numbers.choose_model(all_results, options.model)
    snippet = writing.render_snippet(results, others)
    writing.warn_if_sample(results)
    if options.print:
        say(writing.render_metadata(results, options.dataset_repo))
    else:
        for written in writing.write_card(results, options.model_dir, options.dataset_repo):
            say(f"Written: {show(written)}")
    if not options.dataset_repo:
        remedy = "To add entries for a benchmark dataset, add --dataset-repo ORG/NAME"
        say(f"Not written: {writing.ENTRIES_NAME}. {remedy}.")
    say("\nSnippet for the model card:\n\n" + snippet)


def _read_compared_results(options: argparse.Namespace) -> list[Result]:
    """Read the results that the user names, and the reference results of the same rows if `--with` is set.

    Raises:
        OptionError: If `--output` is one of the results.
        InputError: If a file is not a result.
    """
    results = _read_named_results(options)
    if options.references:
        results += list_references(results)
    return results


def _read_named_results(options: argparse.Namespace) -> list[Result]:
    """Read the results that the user names.

    Raises:
        OptionError: If `--output` is one of them.
        InputError: If a file is not a result.
    """
    with Progress(visible=True) as progress:
        results = read_results(options.results, progress)
    refuse_overwriting(options.output, *(result.path for result in results))
    return results


def show_table(files: Sequence[Path]) -> None:
    """Print the table of results."""
    say(require_text(text_reports.render_tables(make_tables([read_numbers(file) for file in files]), "terminal")))


def write_reports(files: Sequence[Path], folder: Path, options: argparse.Namespace) -> None:
    """Write the outputs of `report` and `compare` into a folder. All results are compared with the first one.

    Raises:
        ComparisonError: If a result has no test in common with the first one.
        OutputError: If a file cannot be written.
    """
    results = read_results(files)
    show_or_write(render_html(make_tables(results)), folder / "report.html")
    if len(results) > 1:
        comparisons = compare(results, results[0].model, resamples=options.resamples, seed=options.seed)
        show_or_write(render_comparisons(comparisons, "terminal"), folder / "comparison.txt")
