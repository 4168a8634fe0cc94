"""Make tables of paraphrases, from SCUs or from parallel text, and search them."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from itertools import product

from harness.cli.arguments import add_command, path, positive, probability, refuse_overwriting, say, show
from harness.cli.paraphrases.alignment import add_alignment_action
from harness.cli.paraphrases.extraction import add_extraction_actions
from harness.cli.shared_options import MIN_PROBABILITY_HELP, SOURCE_HELP, add_required_output
from harness.files.writing import expand_home
from harness.paraphrases.tables.clusters import read_clusters
from harness.paraphrases.tables.formats import FORMAT_NAMES, MOSES, parse_phrase
from harness.paraphrases.tables.reading import TableReading, list_files, open_table, read_table
from harness.paraphrases.tables.storage import write_table
from harness.rendering.tables import Prose, render_table
from harness.support.progress import Progress
from harness.text.stems import stem_words
from pyramid_paraphrase.errors import EmptyResultError, OptionError

_MAX_PARAPHRASES = 20
_DIRECTIONS = {"paraphrases": False, "phrases that it paraphrases": True}
"""Directions by title. Both are printed, because matching uses both directions."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the actions compile, clusters, show, align, extract and pivot."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _add_compile_options(add_command(actions, "compile", _compile, "compile a paraphrase table for fast look-ups"))
    _add_clusters_options(
        add_command(actions, "clusters", _make_cluster_table, "make a paraphrase table from the SCUs of pyramids")
    )
    _add_show_options(add_command(actions, "show", _show, "list the paraphrases of a phrase in a table"))
    add_alignment_action(actions)
    add_extraction_actions(actions)


def _add_compile_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source",
        type=path,
        metavar="SOURCE",
        help="paraphrases from PPDB, METEOR, a monolingual phrase table of Moses, tab-separated text (phrase, "
        "paraphrase, probability), or the folder of WordNet. Files can be compressed",
    )
    add_required_output(parser, "the table (.table)")
    parser.add_argument(
        "--input-format",
        choices=FORMAT_NAMES,
        metavar="FORMAT",
        help="%(choices)s (default: recognized by the content)",
    )
    parser.add_argument(
        "--score",
        type=positive,
        metavar="N",
        help="position of the probability among the scores of Moses (default: target given source, 3rd of 4)",
    )
    parser.add_argument("--min-probability", type=probability, default=0.0, metavar="P", help=MIN_PROBABILITY_HELP)


def _add_clusters_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", metavar="DATA", help=SOURCE_HELP)
    add_required_output(parser, "the table (.table)")
    parser.add_argument(
        "--without",
        action="extend",
        nargs="+",
        default=[],
        metavar="TOPIC",
        help="topics to omit, such as D0743, if their summaries are to be scored with the table",
    )


def _add_show_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", type=path, metavar="TABLE", help="compiled table, or a source that `compile` accepts")
    parser.add_argument("phrase", metavar="PHRASE", help="phrase to look up, in quotes if it has several words")
    parser.add_argument("--stem", action="store_true", help="compare words by their stems")
    parser.add_argument(
        "--top",
        type=positive,
        default=_MAX_PARAPHRASES,
        metavar="N",
        help="maximum number of paraphrases per direction (default: %(default)s)",
    )


def _compile(options: argparse.Namespace) -> None:
    refuse_overwriting(options.output, *list_files(options.source))
    bar = Progress(visible=True)
    try:
        reading = read_table(options.source, options.input_format, options.score, options.min_probability, bar)
    finally:
        bar.stop()
    _write(options, reading)
    if reading.format == MOSES:
        say(
            "note: both sides were read as the same language. For two languages, find paraphrases with `pivot`.",
            sys.stderr,
        )


def _make_cluster_table(options: argparse.Namespace) -> None:
    from pyramid_paraphrase.reading import read_corpus  # imports scipy, which the other actions do not need

    corpus = read_corpus(*options.data)
    # Names of inputs are relative to the parent folder of their source, so every name is checked in every folder.
    folders = [expand_home(source).absolute().parent for source in options.data]
    names = [corpus_input.name for corpus_input in corpus.inputs]
    refuse_overwriting(options.output, *(folder / name for folder, name in product(folders, names)))
    _write(options, read_clusters(corpus.pyramids, options.without))


def _write(options: argparse.Namespace, reading: TableReading) -> None:
    """Write a table, and print the numbers of entries that were kept, left out and repaired."""
    fingerprint = write_table(options.output, reading.arrays)
    kept, phrases = len(reading.arrays.paraphrases), len(reading.arrays.phrase_nodes)
    row = (reading.format, reading.entries_read, kept, phrases, fingerprint[:12])
    say(render_table(("format", "entries read", "kept", "phrases", "fingerprint"), [row]))
    left_out = "No entries were left out.\n"
    if reading.left_out:
        left_out = _render_counts("left out", reading.left_out)
    say(f"\n{left_out}")
    if reading.repaired:
        say(_render_counts("repaired", reading.repaired))
    say(show(options.output))


def _render_counts(title: str, counts: Counter[str]) -> str:
    rows = [(count, Prose(reason)) for reason, count in sorted(counts.items())]
    return render_table((title, "reason"), rows) + "\n"


def _show(options: argparse.Namespace) -> None:
    bar = Progress(visible=True)
    try:
        table = open_table(options.table, stem=options.stem, progress=bar)
    finally:
        bar.stop()
    words = list(parse_phrase(options.phrase))
    if not words:
        raise OptionError(f"'{options.phrase}' has no words (letters and digits). Look up a phrase with words")
    query, remedy = words, "Try --stem, or other forms of the words"
    if options.stem:
        query, remedy = stem_words(words), "Try other forms of the words"
    lists = {title: table.paraphrases_of(query, reverse=reverse) for title, reverse in _DIRECTIONS.items()}
    if not any(lists.values()):
        raise EmptyResultError(f"{options.table}: no paraphrases of '{' '.join(words)}'. {remedy}")
    for title, paraphrases in lists.items():
        if paraphrases:
            rows = [(" ".join(paraphrase), value) for paraphrase, value in paraphrases[: options.top]]
            say(render_table((title, "probability"), rows) + "\n")
    counts = ", ".join(f"{len(paraphrases):,} {title}" for title, paraphrases in lists.items())
    say(f"'{show(' '.join(words))}' in {show(table.name)} {show(table.fingerprint[:12])}: {show(counts)}.")
