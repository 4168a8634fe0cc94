"""The command paraphrases."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from itertools import product

from harness.cli.arguments import SOURCE_HELP, add_command, path, positive, probability, refuse_overwriting, say, show
from harness.cli.paraphrases.alignment import add_alignment_action
from harness.cli.paraphrases.extraction import add_extraction_actions
from harness.files.writing import expand_home
from harness.paraphrases.tables.clusters import read_clusters
from harness.paraphrases.tables.formats.entries import parse_phrase
from harness.paraphrases.tables.reading import TableReading, list_files, open_table, read_table
from harness.paraphrases.tables.recognition import FORMAT_NAMES, MOSES
from harness.paraphrases.tables.storage import write_table
from harness.rendering.tables import Prose, render_table
from harness.support.progress import Progress
from harness.text.words import stem_words
from pyramid_paraphrase.errors import EmptyResultError

_SHOWN = 20
_DIRECTIONS = {"given for it": False, "that it is given for": True}
"""Directions by title; both are shown, because matching goes both ways."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _add_compile_options(add_command(actions, "compile", _compile, "bring a table into the form that opens at once"))
    _add_clusters_options(add_command(actions, "clusters", _make_of_clusters, "make a table of the SCUs of pyramids"))
    _add_show_options(add_command(actions, "show", _show, "list what a table gives for a phrase"))
    add_alignment_action(actions)
    add_extraction_actions(actions)


def _add_compile_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source",
        type=path,
        metavar="SOURCE",
        help="PPDB, a phrase table of Moses whose two languages are one, METEOR's table, lines of phrase, paraphrase "
        "and probability divided by tabs, plain or compressed; or the folder of WordNet's data.noun and the like",
    )
    _add_output_option(parser)
    parser.add_argument(
        "--input-format",
        choices=FORMAT_NAMES,
        metavar="FORMAT",
        help="%(choices)s; default: what the content looks like",
    )
    parser.add_argument(
        "--score",
        type=positive,
        metavar="N",
        help="which score of Moses is the probability; default: that of the target given the source, the 3rd of four",
    )
    parser.add_argument(
        "--min-probability", type=probability, default=0.0, metavar="P", help="leave out what is below; default: 0"
    )


def _add_clusters_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="+", metavar="DATA", help=SOURCE_HELP)
    _add_output_option(parser)
    parser.add_argument(
        "--without",
        action="extend",
        nargs="+",
        default=[],
        metavar="TOPIC",
        help="topics to leave out, such as D0743, which may not teach what their summaries are judged by",
    )


def _add_show_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", type=path, metavar="TABLE", help="compiled, or anything that `compile` takes")
    parser.add_argument("phrase", metavar="PHRASE", help="in quotes, if it has several words")
    parser.add_argument("--stem", action="store_true", help="compare phrases by the stems of their words")
    parser.add_argument("--top", type=positive, default=_SHOWN, metavar="N", help="how many; default: %(default)s")


def _add_output_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", type=path, required=True, metavar="FILE", help="where to, such as NAME.table")


def _compile(options: argparse.Namespace) -> None:
    refuse_overwriting(options.output, *list_files(options.source))
    bar = Progress(visible=True)
    try:
        reading = read_table(options.source, options.input_format, options.score, options.min_probability, bar)
    finally:
        bar.stop()
    _write(options, reading)
    if reading.format == MOSES:
        say("note: both sides are taken for one language; of two languages, make paraphrases by `pivot`", sys.stderr)


def _make_of_clusters(options: argparse.Namespace) -> None:
    from pyramid_paraphrase.corpus import read_corpus  # imports scipy, which the other actions do without

    corpus = read_corpus(*options.data)
    # Inputs are named relative to the parent folder of their source, so every name is tried in every folder.
    folders = [expand_home(source).absolute().parent for source in options.data]
    names = [corpus_input.name for corpus_input in corpus.inputs]
    refuse_overwriting(options.output, *(folder / name for folder, name in product(folders, names)))
    _write(options, read_clusters(corpus.pyramids, options.without))


def _write(options: argparse.Namespace, reading: TableReading) -> None:
    """Write a table, and print the numbers of its entries and of the left-out entries."""
    fingerprint = write_table(options.output, reading.arrays)
    kept, phrases = len(reading.arrays.paraphrases), len(reading.arrays.phrase_nodes)
    row = (reading.format, reading.entries_read, kept, phrases, fingerprint[:12])
    say(render_table(("format", "entries read", "kept", "phrases", "fingerprint"), [row]))
    say(_describe_left_out(reading.left_out))
    if reading.repaired:
        say(_render_counts("repaired", reading.repaired))
    say(show(options.output))


def _describe_left_out(counts: Counter[str]) -> str:
    if not counts:
        return "\nNothing was left out.\n"
    return "\n" + _render_counts("left out", counts)


def _render_counts(title: str, counts: Counter[str]) -> str:
    rows = [(count, Prose(reason)) for reason, count in sorted(counts.items())]
    return render_table((title, "why"), rows) + "\n"


def _show(options: argparse.Namespace) -> None:
    bar = Progress(visible=True)
    try:
        table = open_table(options.table, stem=options.stem, progress=bar)
    finally:
        bar.stop()
    words = list(parse_phrase(options.phrase))
    query, remedy = words, "try --stem, or another form of its words"
    if options.stem:
        query, remedy = stem_words(words), "try another form of its words"
    lists = {title: table.paraphrases_of(query, reverse=reverse) for title, reverse in _DIRECTIONS.items()}
    if not any(lists.values()):
        raise EmptyResultError(f"{options.table}: has no paraphrase of '{' '.join(words)}'; {remedy}")
    for title, paraphrases in lists.items():
        if paraphrases:
            rows = [(" ".join(paraphrase), value) for paraphrase, value in paraphrases[: options.top]]
            say(render_table((title, "probability"), rows) + "\n")
    counts = ", ".join(f"{len(paraphrases):,} {title}" for title, paraphrases in lists.items())
    say(f"'{show(' '.join(words))}' in {show(table.name)} {show(table.fingerprint[:12])}: {show(counts)}.")
