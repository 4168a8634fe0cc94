"""Score ranked lists of paraphrases by quality and diversity (Shima and Mitamura 2011)."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from harness.cli.options import (
    RECIPIENTS,
    SEED,
    SOURCE_HELP,
    bootstrap,
    model_spec,
    name_columns,
    output_file,
    report_file,
    table_file,
)
from harness.cli.outputs import (
    choose_format,
    choose_table_form,
    note_words,
    print_notes,
    refuse_overwriting,
    say,
    show,
    show_or_write,
)
from harness.cli.parser import choice, command, flag, option, path
from harness.files.table_forms import render_sheet_file
from harness.files.writing import make_folder, write_file, write_files
from harness.models.loading import load_model
from harness.paraphrases.collection.agreement import measure_alpha, rate_annotators, tally_votes
from harness.paraphrases.dimple import conversion, derivation, figures, lists, meta_evaluation, reports
from harness.paraphrases.dimple.metrics import CUTS
from harness.paraphrases.dimple.positive_pairs import Pair, read_positive_pairs
from harness.paraphrases.dimple.quality import AUTOMATIC, AutomaticQuality, fit_quality
from harness.paraphrases.dimple.scores import DimpleScores, Judgment, judge, name_model, score_lists
from harness.rendering.reports import REPORT_FORMATS, Grid, Report, render_report, require_text
from harness.rendering.tables import count_of, render_table
from harness.support.progress import Progress
from pyramid_paraphrase.errors import OptionError, cannot_write
from pyramid_paraphrase.escaping import is_visible
from pyramid_paraphrase.files.extras import require
from pyramid_paraphrase.formats.pairs.corpora import read_pair_corpus
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.ranges import COUNT, RANK
from pyramid_paraphrase.words import split_words


def _parse_cuts(text: str) -> tuple[int | float, ...]:
    return tuple(sorted({RANK.parse(part) for part in text.split(",")}))


def _parse_sources(text: str) -> list[str]:
    sources = [source.strip() for source in text.split(",")]
    if not all(source and is_visible(source) for source in sources) or len(set(sources)) < len(sources):
        raise ValueError("use different phrases, comma-separated")
    return sources


def _parse_named(text: str, example: str) -> tuple[str, str]:
    name, _, source = text.partition("=")
    if not name.strip() or not is_visible(name) or not source:
        raise ValueError(f"use a name and a source, such as {example}")
    return name, source


_PAIRS = option(
    "--pairs NAME=SOURCE",
    "positive pairs with a NAME for tables: a pair corpus, RTE files (.xml, .zip), or answers with nuggets (.tsv). "
    "Repeatable. Sources with the same NAME are merged",
    partial(_parse_named, example="MSRPC=msrp"),
    action="append",
    required=True,
)

_SOURCES = option(
    "--sources TEXTS", "source phrases, comma-separated (default: the ten verbs of the paper)", _parse_sources
)

_LISTS = option("lists LISTS", "JSON lines file of ranked paraphrases, as `convert` writes it", nargs="+")

_SCORING = (
    _LISTS,
    option("--k NUMBERS", "rank cutoffs, comma-separated (default: 1,5,10)", _parse_cuts, default=CUTS),
    choice(
        "--judgment",
        (lists.STRICT, lists.LENIENT, AUTOMATIC),
        "quality judgments by strict annotators, lenient annotators or a model",
        default=lists.STRICT,
    ),
    model_spec("--model", "model of --judgment automatic"),
    path(
        "--fit-votes LISTS",
        "lists with votes and sentences, to which the scale of --model is fitted (repeatable)",
        action="append",
        default=[],
    ),
    flag("--diversity", "also measure diversity by D, self-BLEU and iBLEU"),
    model_spec("--encoder", "encoder that measures the distance of paraphrases, with --diversity"),
    RECIPIENTS,
)


@command(
    path("table FILE", "table with a row per paraphrase, or a table of paraphrases as `paraphrases show` reads it"),
    name_columns(conversion.FIELDS, "source=word,score=weight"),
    option("--method NAME", "name of the method if no column names it (default: the name of the file)", default=""),
    option(
        "--sources TEXTS",
        "source phrases to look up in a table of paraphrases, comma-separated (default: the ten verbs of the paper). A "
        "table with a row per paraphrase has its own",
        _parse_sources,
    ),
    option("--max-paraphrases N", "maximum paraphrases per phrase (default: all)", COUNT),
    output_file("the lists (JSON lines)"),
)
def run_dimple_convert(options: argparse.Namespace) -> None:
    """Convert a table to ranked lists."""
    refuse_overwriting(options.output, options.table)
    with Progress(visible=True) as progress:
        ranked_lists, notes = conversion.convert_table(
            options.table,
            options.sources or derivation.PAPER_SOURCES,
            columns=options.columns,
            method=options.method,
            maximum=options.max_paraphrases,
            progress=progress,
        )
    print_notes(notes)
    _write_lists(ranked_lists, options.output)


def _write_lists(ranked_lists: Sequence[lists.RankedList], output: Path) -> None:
    write_file(output, lists.render_lists(ranked_lists))
    count = count_of(sum(len(ranked.paraphrases) for ranked in ranked_lists), "paraphrase")
    say(f"{show(output)}: {count} in {count_of(len(ranked_lists), 'list')}")


@command(_LISTS, SEED, *table_file("the sheet", required=True))
def run_dimple_sheet(options: argparse.Namespace) -> None:
    """Write a sheet for annotators, with original and replaced sentences."""
    form = choose_table_form(options, options.lists)
    rows = conversion.list_sheet_rows(lists.read_lists(options.lists), options.seed)
    write_file(options.output, render_sheet_file(form, conversion.SHEET, rows))
    say(f"{show(options.output)}: {count_of(len(rows), 'paraphrase')}")


@command(
    _LISTS,
    path("--sheets FILE", "filled sheets, one per annotator", nargs="+", required=True),
    output_file("the lists with the votes (JSON lines)"),
)
def run_dimple_votes(options: argparse.Namespace) -> None:
    """Add the votes of filled sheets to lists, and print kappa."""
    refuse_overwriting(options.output, *options.lists, *options.sheets)
    ranked_lists = lists.read_lists(options.lists)
    votes = conversion.read_sheets(options.sheets, ranked_lists)
    judged, notes = conversion.add_votes(ranked_lists, votes)
    rows: list[tuple[object, ...]] = []
    for name in lists.JUDGMENTS:
        for annotator in rate_annotators(votes[name]):
            kappa = "-" if annotator.kappa is None else f"{annotator.kappa:.3f}"
            rows.append((name, annotator.name, annotator.items, annotator.yes, annotator.shared, kappa))
    print_notes(notes)
    say(render_table(("judgment", "annotator", "paraphrases", "yes", "shared votes", "kappa"), rows, keys=2))
    for name in lists.JUDGMENTS:
        alpha, used = measure_alpha(tally_votes(votes[name]))
        value = "not defined" if math.isnan(alpha) else f"{alpha:.3f}"
        say(f"{show(name)}: Krippendorff's alpha of {count_of(used, 'paraphrase')} with at least two votes: {value}")
    _write_lists(judged, options.output)


@command(*_SCORING, bootstrap("bootstrap over sources"), *report_file(REPORT_FORMATS))
def run_dimple_score(options: argparse.Namespace) -> None:
    """Score ranked lists by EP, EPR and DIMPLE."""
    form = choose_format(options, REPORT_FORMATS, options.lists)
    scores = _score_lists(_read_lists(options), options)
    show_or_write(render_report(reports.report_scores(scores), form), options.output)


def _score_lists(ranked_lists: Sequence[lists.RankedList], options: argparse.Namespace) -> DimpleScores:
    if options.encoder and not options.diversity:
        raise OptionError("--encoder SPEC requires --diversity. Use both or neither")
    encoder = load_model(options.encoder, send_text_to=options.send_text_to) if options.encoder else None
    return score_lists(
        ranked_lists,
        _make_judgment(options, ranked_lists),
        cuts=options.k,
        resamples=options.resamples,
        seed=options.seed,
        with_diversity=options.diversity,
        encoder=encoder,
    )


def _read_lists(options: argparse.Namespace) -> list[lists.RankedList]:
    """Read the lists, and print a note on phrases without words, which have the lowest diversity."""
    ranked_lists = lists.read_lists(options.lists)
    phrases = [ranked.source for ranked in ranked_lists]
    phrases += (paraphrase.text for ranked in ranked_lists for paraphrase in ranked.paraphrases)
    note_words(phrases, partial(split_words, tokenized=True), "sources and paraphrases")
    return ranked_lists


def _make_judgment(options: argparse.Namespace, ranked_lists: Sequence[lists.RankedList]) -> Judgment:
    if (options.judgment == AUTOMATIC) != (options.model is not None):
        raise OptionError("--judgment automatic and --model SPEC require each other. Use both or neither")
    if options.model is None:
        if options.fit_votes:
            raise OptionError("--fit-votes requires --judgment automatic and --model SPEC. Use all three or none")
        return judge(options.judgment)
    voted = lists.read_lists(options.fit_votes)
    model = load_model(options.model, send_text_to=options.send_text_to)
    name = name_model(model)
    quality = AutomaticQuality(model, [*voted, *ranked_lists])
    if not voted:
        return Judgment(AUTOMATIC, quality, name)
    fitted, scale = fit_quality(quality, voted)
    return Judgment(AUTOMATIC, fitted, f"{name} fitted to votes {lists.fingerprint_lists(voted)[:12]}", scale)


@command(
    *_SCORING,
    _PAIRS,
    choice(
        "--share",
        meta_evaluation.SHARES,
        "count all recognized pairs, or only pairs gained by paraphrases",
        default=meta_evaluation.SHARES[0],
    ),
    bootstrap("bootstrap over sources"),
    path("--output DIR", "write tables (.csv, .md, .tex) and a figure (.png, .pdf) to DIR"),
)
def run_dimple_meta(options: argparse.Namespace) -> None:
    """Measure how well the metrics predict the recognition of paraphrases."""
    if options.output is not None:
        require("matplotlib", "plots")  # before the computation, so that the error comes early
    ranked_lists = _read_lists(options)
    corpora = _read_pairs(options.pairs)
    if options.output is not None:
        make_folder(options.output)
    scores = _score_lists(ranked_lists, options)
    evaluation = meta_evaluation.meta_evaluate(
        scores, ranked_lists, corpora, options.share, resamples=options.resamples, seed=options.seed
    )
    report = reports.report_correlations(evaluation, with_details=True)
    say(require_text(render_report(report, "terminal")).rstrip("\n"))
    if options.output is not None:
        contents = {options.output / name: content for name, content in figures.render_files(evaluation).items()}
        try:
            write_files(contents)
        except OSError as error:
            raise cannot_write(options.output, error) from None
        say("\n" + "\n".join(map(show, contents)))


def _read_pairs(named_sources: Sequence[tuple[str, str]]) -> dict[str, list[Pair]]:
    by_name: dict[str, list[str]] = {}
    for name, source in named_sources:
        by_name.setdefault(name, []).append(source)
    corpora = {name: read_positive_pairs(sources) for name, sources in by_name.items()}
    for name, pairs in corpora.items():
        note_words(chain.from_iterable(pairs), split_words, f"texts of {name}")
    return corpora


@command(
    _SOURCES,
    option("--pyramids SOURCE", f"{SOURCE_HELP} (repeatable)", action="append", default=[]),
    path("--vocabulary PAIRS", "pair corpus with the vocabulary and the sentences", required=True),
    choice(
        "--corpus-method",
        derivation.CORPUS_METHODS,
        "phrases in the same contexts in --vocabulary: pd by the words around them, br by the nearest content words "
        "(repeatable)",
        action="append",
        default=[],
    ),
    model_spec("--neighbours", "encoder that lists nearest words", " (repeatable)", action="append", default=[]),
    option(
        "--table NAME=TABLE",
        "table of paraphrases as `paraphrases show` reads it, with a NAME for its method (repeatable)",
        partial(_parse_named, example="pivot=pivot.gz"),
        action="append",
        default=[],
    ),
    RECIPIENTS,
    option("--least N", "minimum number of texts that contain a word", COUNT, default=5),
    output_file("the lists (JSON lines), with sentences of the corpora,"),
)
def run_dimple_derive(options: argparse.Namespace) -> None:
    """Derive ranked lists from corpora, and print the sources without a list or a sentence."""
    refuse_overwriting(options.output, options.vocabulary, *options.pyramids, *(table for _, table in options.table))
    pyramids = read_corpus(*options.pyramids).pyramids if options.pyramids else ()
    splits = read_pair_corpus(options.vocabulary).splits
    texts: list[str] = []
    for pair in chain.from_iterable(splits.values()):
        texts += (pair.sentence1, pair.sentence2)
    models = [load_model(spec, send_text_to=options.send_text_to) for spec in options.neighbours]
    sources = options.sources or derivation.PAPER_SOURCES
    tables = _look_up_sources(options.table, sources)
    ranked_lists = derivation.derive_lists(
        sources, pyramids, texts, models, options.least, tables, options.corpus_method
    )
    _write_lists(ranked_lists, options.output)
    for method in derivation.list_methods(models, tables, options.corpus_method):
        if method == derivation.SCU and not pyramids:
            continue
        listed = {ranked.source for ranked in ranked_lists if ranked.method == method}
        if missing := [source for source in sources if source not in listed]:
            say(f"{show(method)}: no list for {show(', '.join(missing))}")
    without_sentence = {ranked.source for ranked in ranked_lists if not ranked.paraphrases[0].sentence}
    if without_sentence:
        names = ", ".join(sorted(without_sentence))
        say(f"Not in the vocabulary, so without a sentence for automatic judgments: {show(names)}")


def _look_up_sources(
    named_tables: Sequence[tuple[str, str]], sources: Sequence[str]
) -> list[tuple[str, list[lists.RankedList]]]:
    """Look up sources in tables, and print notes."""
    tables = []
    for name, table in named_tables:
        with Progress(visible=True) as progress:
            ranked_lists, notes = conversion.look_up(
                table, sources, name, meta_evaluation.MAX_PARAPHRASES, progress=progress
            )
        print_notes([f"{name}: {note}" for note in notes])
        tables.append((name, ranked_lists))
    return tables


@command(_PAIRS, _SOURCES, *report_file(REPORT_FORMATS, has_digits=False))
def run_dimple_count(options: argparse.Namespace) -> None:
    """Count the positive pairs with each source phrase."""
    form = choose_format(options, REPORT_FORMATS, (source for _, source in options.pairs))
    corpora = _read_pairs(options.pairs)
    indices = [meta_evaluation.PairIndex(pairs) for pairs in corpora.values()]
    rows: list[tuple[object, ...]] = []
    for source in options.sources or derivation.PAPER_SOURCES:
        counts = [len(index.select_pairs(source)) for index in indices]
        rows.append((source, *counts))
    rows.append(("all", *map(len, corpora.values())))
    table = Grid(("source", *corpora), tuple(rows))
    record = {"counts": [dict(zip(table.header, row, strict=True)) for row in rows]}
    show_or_write(render_report(Report((table,), (), table, record), form), options.output)
