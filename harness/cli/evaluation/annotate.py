"""Write sheets on which people judge rows of a test, and report the agreement of annotators."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.evaluation.evaluate import load_requested_suite
from harness.cli.options import (
    DATA,
    NO_CACHE,
    RECIPIENTS,
    SEED,
    SOURCE_HELP,
    TEST_SOURCE_HELP,
    bootstrap,
    list_sources,
    model_spec,
    report_file,
    table_file,
)
from harness.cli.outputs import choose_format, choose_table_form, refuse_overwriting, say, show, show_or_write
from harness.cli.parser import command, flag, option, path
from harness.cli.summarization.summaries import PATTERN
from harness.evaluation.people import CONTRIBUTORS, JUDGED_TESTS, MOST_DISAGREEMENTS, UNITS
from harness.files.writing import create_file, make_folder, write_files, write_outputs
from harness.rendering.reports import PAGE_FORMATS, REPORT_FORMATS, render_report
from harness.rendering.tables import count_of
from harness.support.names import slug
from harness.support.progress import Progress
from pyramid_paraphrase.catalog import has_terms, licence_of, title_of
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files.inputs import is_file, is_folder
from pyramid_paraphrase.hub import require_source
from pyramid_paraphrase.rules.options import PAIRS
from pyramid_paraphrase.rules.ranges import COUNT, Range

if TYPE_CHECKING:
    from harness.evaluation.layout import TextRows
    from harness.evaluation.people.pyramids import MarkedSummaries
    from pyramid_paraphrase.pyramids.corpus import Corpus
    from pyramid_paraphrase.pyramids.records import Pyramid

_ROWS = Range(2, 10_000)
_logger = make_logger(__name__)


@command(
    list_sources("data", TEST_SOURCE_HELP),
    option("--task NAME", "test to sample: %(choices)s", choices=JUDGED_TESTS, required=True),
    option("--rows N", f"number of rows, from {_ROWS.low} to {_ROWS.high} (default: %(default)s)", _ROWS, default=100),
    SEED,
    *table_file("the sheet", required=True),
)
def run_annotate_sample(options: argparse.Namespace) -> None:
    """Write a sheet on which people judge rows of a test."""
    from harness.evaluation.people.judgements import count_options
    from harness.evaluation.people.sheets import choose_rows, make_form, render_sheet

    table_form = choose_table_form(options)
    rows, texts = _load_rows(options, options.task)
    form = make_form(rows.test.configuration, count_options(rows))
    places = choose_rows(rows, options.rows, options.seed)
    sheet = render_sheet(rows, texts, places, form, table_form)
    output = options.output
    # An existing file is never replaced, because filling a sheet takes hours. A sheet that was written before may stay.
    try:
        create_file(output, sheet)
    except FileExistsError:
        if not is_file(output) or output.stat().st_size != len(sheet) or output.read_bytes() != sheet:
            reason = "already exists, and may contain judgements"
            raise OptionError(f"{output}: {reason}. Use another path for --output") from None
    say(form.instruct(show(output.name)))
    row_count, topic_count = len(places), len(set(rows.topics[places, 0].tolist()))
    written = f"{count_of(row_count, 'row')} of {rows.name}, of {count_of(topic_count, 'topic')}"
    say(f"Written: {show(output)}: {show(written)}", sys.stderr)
    if row_count < options.rows:
        reason = "the test has no more rows"
        if rows.kind == PAIRS:
            reason = "a sheet has as many positives as negatives, and the test has no more of one of them"
        _logger.warning("the sheet has %s rows instead of %s: %s", f"{row_count:,}", f"{options.rows:,}", reason)
    for collection in filter(has_terms, rows.test.collections):
        _logger.warning(
            "%s contains licensed text of %s. Check the licence before you share it: %s",
            output,
            title_of(collection),
            licence_of(collection),
        )


def _load_rows(options: argparse.Namespace, test_name: str) -> tuple[TextRows, Sequence[str]]:
    """Load the rows of a test, as `evaluate` does."""
    for source in options.data or ():
        require_source(source)
    suite = load_requested_suite(options, [test_name])
    return suite.rows[0], suite.texts


@command(
    option(
        "sources FILE",
        "filled sheets, votes of several people, or pyramids of the same summaries, each with the name of the person "
        "as file name. Their content is recognized",
        nargs="+",
    ),
    DATA,
    option("--rows N", "maximum number of disagreements to list", COUNT, default=MOST_DISAGREEMENTS),
    flag("--no-text", "list disagreements without their texts, for a report to publish"),
    *report_file(PAGE_FORMATS),
    bootstrap("bootstrap over topics, for the intervals"),
)
def run_annotate_agreement(options: argparse.Namespace) -> None:
    """Report the agreement of annotators, and list what they disagree on."""
    from harness.evaluation.people import agreement
    from harness.evaluation.people.judgements import collect_judgements, read_sheets
    from harness.evaluation.people.pyramids import read_markings
    from harness.evaluation.people.rendering import render_agreement

    form = choose_format(options, PAGE_FORMATS, options.sources)
    sheets, votes, pyramids = agreement.sort_sources(options.sources)
    refuse_overwriting(options.output, *sheets)  # those of folders, too
    if options.data and not sheets:
        raise OptionError("--data has no effect without sheets, whose rows it has. Omit it, or add sheets")
    settings = (options.resamples, options.seed)
    reports = []
    if sheets:
        filled = read_sheets(sheets)
        rows, texts = _load_rows(options, filled[0].configuration.name)
        reports.append(agreement.report_sheets(collect_judgements(filled, rows), texts, *settings))
    if votes:
        reports.append(agreement.report_voters(_read_votes(votes), *settings))
    if pyramids:
        reports.append(agreement.report_pyramids(*read_markings(pyramids), *settings))
    rendered = render_agreement(reports, form, most=options.rows, with_texts=not options.no_text)
    show_or_write(rendered, options.output)


@command(
    path("sheets SHEET", "filled sheet, with the name of the annotator as file name", nargs="+"),
    DATA,
    *report_file(REPORT_FORMATS),
    bootstrap("bootstrap over topics, for the intervals of agreement"),
)
def run_annotate_score(options: argparse.Namespace) -> None:
    """Compare filled sheets with the labels and with each other."""
    from harness.evaluation.people.judgements import collect_judgements, read_sheets
    from harness.evaluation.people.report import report_judgements

    form = choose_format(options, REPORT_FORMATS, options.sheets)
    sheets = read_sheets(options.sheets)
    rows, _ = _load_rows(options, sheets[0].configuration.name)
    judgements = collect_judgements(sheets, rows)
    report = report_judgements(judgements, options.resamples, options.seed)
    show_or_write(render_report(report, form), options.output)


@command(
    list_sources(
        "sources", f"{SOURCE_HELP}, or a file of PyrEval. An annotator has the name of the file", required=False
    ),
    path("--summaries LOCATION", "summaries without pyramids, of which models make pyramids"),
    PATTERN,
    model_spec("--model", "model that makes pyramids of similar propositions", " (repeatable)", action="append"),
    option(
        "--join UNITS",
        "propositions that models join: %(choices)s (default: %(default)s)",
        choices=UNITS,
        default=UNITS[0],
    ),
    option(
        "--fit SOURCE", "pyramids to fit thresholds of models on (repeatable, default: other topics)", action="append"
    ),
    path("--save FOLDER", "write the pyramids of the model to FOLDER (.pyr)"),
    *report_file(REPORT_FORMATS),
    NO_CACHE,
    RECIPIENTS,
    bootstrap("bootstrap over topics, for the intervals"),
)
def run_annotate_pyramids(options: argparse.Namespace) -> None:
    """Compare pyramids of the same summaries by several annotators."""
    from harness.evaluation.people.pyramids import read_markings
    from harness.evaluation.people.report import report_agreement

    form = choose_format(options, REPORT_FORMATS, options.sources)
    models = options.model or []
    _check_pyramids(options, models)
    summaries, notes = read_markings(options.sources) if options.sources else ([], [])
    if options.summaries:
        unmarked, more_notes = _read_unmarked(options)
        summaries, notes = summaries + unmarked, [*notes, *more_notes]
    if models:
        notes += _add_models(summaries, models, options)
    report = report_agreement(summaries, notes, options.resamples, options.seed)
    show_or_write(render_report(report, form), options.output)


@command(
    list_sources("sources", f"{SOURCE_HELP}, with votes of several people, such as QAPyramid"),
    option("--hold-out PERSON", "person to hold out, or 'anyone': another person for each unit and summary"),
    path("--save FOLDER", "write the votes of the others (labels.zip) and of the person (person.zip) to FOLDER"),
    *report_file(REPORT_FORMATS),
    bootstrap("bootstrap over topics"),
)
def run_annotate_votes(options: argparse.Namespace) -> None:
    """Measure the agreement of votes on units of summaries."""
    from harness.evaluation.people.votes import hold_out, report_votes

    form = choose_format(options, REPORT_FORMATS, options.sources)
    if bool(options.hold_out) != bool(options.save):
        raise OptionError("--hold-out and --save belong together. Add both, or omit both")
    corpus = _read_votes(options.sources)
    if options.save:
        files, counts = hold_out(corpus, options.hold_out)
        folder: Path = options.save
        write_outputs({folder / name: data for name, data in files.items()})
        reasons = f"{counts['alone']:,} nobody else judged, {counts['others']:,} {options.hold_out} did not judge"
        say(f"Written: {show(folder)}: {counts['kept']:,} units of summaries (left out: {show(reasons)})", sys.stderr)
        if not any(annotation.text for annotation in corpus.annotations):
            _logger.warning("%s: has no texts of summaries. Add them as a source to evaluate models", folder)
    show_or_write(render_report(report_votes(corpus, options.resamples, options.seed), form), options.output)


def _read_votes(sources: Sequence[str]) -> Corpus:
    from pyramid_paraphrase.reading import read_corpus, warn_about_problems

    corpus = read_corpus(*sources)
    warn_about_problems(corpus)
    return corpus


def _check_pyramids(options: argparse.Namespace, models: Sequence[str]) -> None:
    """Check that the options of `annotate pyramids` fit together."""
    if options.save and len(models) != 1:
        raise OptionError("--save writes the pyramids of one model. Add one --model")
    if options.fit and not models:
        raise OptionError("--fit has no effect without a model. Add --model")
    if options.summaries and (not models or options.join == CONTRIBUTORS):
        remedy = "Add --model, and --join clauses or sentences"
        raise OptionError(f"--summaries have no contributors of annotators. {remedy}")
    if options.pattern and not options.summaries:
        raise OptionError("--pattern has no effect without summaries. Add --summaries")
    if not options.sources and not options.summaries:
        raise OptionError("no pyramids. Add the pyramids of annotators, or --summaries")


def _read_unmarked(options: argparse.Namespace) -> tuple[list[MarkedSummaries], list[str]]:
    """Read summaries without annotators, and return them with notes."""
    from harness.evaluation.people.pyramids import MarkedSummaries, mark
    from harness.summarization.reading import read_summaries
    from harness.summarization.references import build_empty_pyramids

    references, notes = read_summaries(options.summaries, pattern=options.pattern)
    pyramids = build_empty_pyramids(references)
    return [MarkedSummaries(pyramid, mark(pyramid)[0], {}) for pyramid in pyramids], notes


def _add_models(
    summaries: Sequence[MarkedSummaries], specs: Sequence[str], options: argparse.Namespace
) -> Iterator[str]:
    """Let models make pyramids, add them as annotators, and save them. Yield a note per model."""
    from harness.evaluation.people.pyramids import add_marking, make_pyramids, mark, read_markings
    from harness.models.files.store import ModelStore
    from harness.models.loading import load_model
    from harness.models.specs import parse_spec, require_different_names

    require_different_names([parse_spec(spec).title for spec in specs])
    others = read_markings(options.fit)[0] if options.fit else []
    store, made = None if options.no_cache else ModelStore(), {}
    for spec in specs:
        model = load_model(spec, send_text_to=options.send_text_to)
        with Progress(visible=True) as progress:
            made[model.name], note = make_pyramids(
                summaries, others, model, options.join, store=store, listen=progress.follow
            )
        yield note
    for name, pyramids in made.items():  # after all models, because thresholds are fitted on people
        for group, pyramid in zip(summaries, pyramids, strict=True):
            add_marking(group, name, mark(pyramid)[1], name)
        if options.save:
            _save_pyramids(options.save, pyramids)


def _save_pyramids(folder: Path, pyramids: Sequence[Pyramid]) -> None:
    """Write pyramids to a folder without other pyramids."""
    from pyramid_paraphrase.formats.ducview import render_pyramid

    contents = {folder / f"{slug(pyramid.id)}.pyr": render_pyramid(pyramid) for pyramid in pyramids}
    other_files = sorted(set(folder.glob("*.pyr")) - contents.keys()) if is_folder(folder) else []
    if other_files or len(contents) < len(pyramids):
        reason = f"contains {other_files[0].name}" if other_files else "two topics have the same file name"
        raise OptionError(f"{folder}: {reason}. Use another folder, or fewer topics")
    make_folder(folder)
    write_files(contents)
