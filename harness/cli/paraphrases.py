"""Make tables of paraphrases, from SCUs or from parallel text, and search them."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from functools import partial
from itertools import product
from pathlib import Path

from harness.cli.options import MIN_PROBABILITY, SOURCE_HELP, add_workers, list_sources, output_file
from harness.cli.outputs import refuse_overwriting, say, show
from harness.cli.parser import Row, choice, command, flag, option, path
from harness.files.writing import expand_home
from harness.paraphrases import alignment
from harness.paraphrases.extraction import building, packing, scoring, spark
from harness.paraphrases.parallel_text import BLANK, LONG, SENTENCE_PAIRS, ParallelText
from harness.paraphrases.pivoting import building as pivoting
from harness.paraphrases.pivoting import reading
from harness.paraphrases.pivoting.rules import NAMES, PivotRules, keep_all_pairs
from harness.paraphrases.tables import clusters, formats, storage, wordnet
from harness.paraphrases.tables import reading as tables
from harness.rendering.tables import Prose, render_table
from harness.support.progress import Progress
from harness.text.stems import stem_words
from pyramid_paraphrase.errors import EmptyResultError, OptionError
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.ranges import COUNT, PROBABILITY, Range

_DIRECTIONS = {"paraphrases": False, "phrases that it paraphrases": True}
"""Directions by title. Both are printed, because matching uses both directions."""

_EXTRACTED_WORDS, _WORDS = Range(1, packing.MAX_PHRASE_WORDS), Range(1, 100)

_TEMPORARY = path("--temporary FOLDER", "folder for temporary files (default: folder of --output)")


def _list_sentences(nargs: str | None = None) -> tuple[Row, Row]:
    return (
        path("source SOURCE", "text file with a sentence per line, and spaces between words", nargs=nargs),
        path("target TARGET", "translations of the sentences, in the same format", nargs=nargs),
    )


@command(
    path(
        "source SOURCE",
        "paraphrases from PPDB, METEOR, a monolingual phrase table of Moses, tab-separated text (phrase, paraphrase, "
        f"probability), or {wordnet.FOLDER}. Files can be compressed",
    ),
    output_file("the table (.table)"),
    choice("--input-format FORMAT", formats.FORMAT_NAMES, "%(choices)s (default: recognized by the content)"),
    option(
        "--score N",
        "position of the probability among the scores of Moses (default: target given source, 3rd of 4)",
        COUNT,
    ),
    MIN_PROBABILITY,
)
def run_paraphrases_compile(options: argparse.Namespace) -> None:
    """Compile a table for fast look-ups."""
    refuse_overwriting(options.output, *tables.list_files(options.source))
    with Progress(visible=True) as bar:
        format_name, arrays, counts = tables.read_table(
            options.source, options.input_format, options.score, options.min_probability, bar
        )
    _write_table(options.output, format_name, arrays, counts)
    if format_name == formats.MOSES:
        remedy = "For two languages, find paraphrases with `pivot`"
        say(f"note: both sides were read as the same language. {remedy}.", sys.stderr)


@command(
    list_sources("data", SOURCE_HELP),
    output_file("the table (.table)"),
    option(
        "--without TOPIC",
        "topics to omit, such as D0743, if their summaries are to be scored with the table",
        action="extend",
        nargs="+",
        default=[],
    ),
)
def run_paraphrases_clusters(options: argparse.Namespace) -> None:
    """Make a table from the SCUs of pyramids."""
    corpus = read_corpus(*options.data)
    # Names of inputs are relative to the parent folder of their source, so every name is checked in every folder.
    folders = [expand_home(source).absolute().parent for source in options.data]
    names = [corpus_input.name for corpus_input in corpus.inputs]
    refuse_overwriting(options.output, *(folder / name for folder, name in product(folders, names)))
    _write_table(options.output, clusters.CLUSTERS, *clusters.read_clusters(corpus.pyramids, options.without))


def _write_table(output: Path, format_name: str, arrays: storage.TableArrays, counts: Counter[str]) -> None:
    """Write a table, and print the numbers of entries that were kept, left out and repaired."""
    fingerprint = storage.write_table(output, arrays)
    row = (format_name, counts[tables.ENTRIES], len(arrays.paraphrases), len(arrays.phrase_nodes), fingerprint[:12])
    say(render_table(("format", "entries read", "kept", "phrases", "fingerprint"), [row]))
    for title, reasons in (("left out", tables.REASONS), ("repaired", (tables.ABOVE_ONE,))):
        rows = [(counts[reason], Prose(reason)) for reason in sorted(reasons) if counts[reason]]
        if rows:
            say("\n" + render_table((title, "reason"), rows))
        elif title == "left out":
            say("\nNo entries were left out.")
    say("\n" + show(output))


@command(
    path("table TABLE", "compiled table, or a source that `compile` accepts"),
    option("phrase PHRASE", "phrase to look up, in quotes if it has several words"),
    flag("--stem", "compare words by their stems"),
    option("--top N", "maximum number of paraphrases per direction", COUNT, default=20),
)
def run_paraphrases_show(options: argparse.Namespace) -> None:
    """List the paraphrases of a phrase in a table."""
    with Progress(visible=True) as bar:
        table = tables.open_table(options.table, stem=options.stem, progress=bar)
    words = list(formats.parse_phrase(options.phrase))
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


@command(
    *_list_sentences("?"),
    path("--forward FILE", "alignments from source to target, in Pharaoh format (0-0 1-2) or an A3 file of GIZA++"),
    path("--reverse FILE", "alignments from target to source"),
    choice(
        "--symmetrize METHOD",
        alignment.METHODS,
        "method to combine the two directions: %(choices)s (default: %(default)s)",
        default=alignment.DEFAULT_METHOD,
    ),
    output_file("the alignments (compressed for .gz)"),
    _TEMPORARY,
)
def run_paraphrases_align(options: argparse.Namespace) -> None:
    """Align the words of parallel text, or combine alignments in two directions."""
    text, directions = (options.source, options.target), (options.forward, options.reverse)
    if not (all(text) and not any(directions)) and not (all(directions) and not any(text)):
        remedy = "Use either SOURCE and TARGET, or --forward and --reverse"
        raise OptionError(f"expected parallel text or two alignments. {remedy}")
    refuse_overwriting(options.output, *text, *directions)
    with Progress(visible=True) as progress:
        if all(text):
            progress.start("aligning", 1)
            counts = alignment.build_alignments(*text, options.output, options.symmetrize, options.temporary)
        else:
            counts = alignment.combine_directions(*directions, options.output, options.symmetrize)
    rows = [
        (SENTENCE_PAIRS, counts[SENTENCE_PAIRS]),
        *_list_reasons(counts, sorted((BLANK, LONG)), "not aligned"),
        (alignment.FORWARD, counts[alignment.FORWARD]),
        (alignment.REVERSE, counts[alignment.REVERSE]),
        ("  in both directions", counts[alignment.SHARED]),
        (alignment.WRITTEN, counts[alignment.WRITTEN]),
    ]
    _say_counts(rows, options.output)


def _list_reasons(counts: Counter[str], reasons: Iterable[str], verb: str = "left out") -> list[tuple[str, int]]:
    return [(f"  {verb}: {reason}", counts[reason]) for reason in reasons if counts[reason]]


def _say_counts(rows: Iterable[tuple[str, int]], output: Path) -> None:
    say(f"{render_table(('', 'number'), list(rows))}\n{show(output)}")


@command(
    *_list_sentences(),
    path("alignments ALIGNMENTS", "word alignments in Pharaoh format (0-0 1-2)"),
    option("--max-words N", f"maximum words per phrase, up to {_EXTRACTED_WORDS.high}", _EXTRACTED_WORDS, default=7),
    option("--min-count N", "minimum count of a phrase pair", COUNT, default=1),
    flag("--keep-case", "do not convert words to lower case"),
    choice(
        "--discount METHOD",
        scoring.DISCOUNTS,
        "discounting of phrase pair counts: %(choices)s (default: relative frequencies)",
    ),
    add_workers,
    option(
        "--master URL",
        "run on Spark instead of this machine: spark://HOST:PORT, yarn or local[2] (requires the extra 'spark')",
    ),
    output_file("the phrase table (compressed for .gz)"),
    _TEMPORARY,
)
def run_paraphrases_extract(options: argparse.Namespace) -> None:
    """Extract a phrase table from word-aligned parallel text."""
    text = ParallelText(options.source, options.target, options.alignments)
    refuse_overwriting(options.output, *text)
    rules = scoring.ExtractionRules(options.max_words, options.min_count, options.keep_case, options.discount)
    build = partial(building.build_phrase_table, workers=options.workers)
    if options.master is not None:
        build = partial(spark.build_phrase_table_on_spark, master=options.master)
    counts = build(text, options.output, rules, temporary=options.temporary, progress=Progress(visible=True))
    rare = f"fewer than {options.min_count:,} occurrences"
    counts[rare] = counts[building.DISTINCT] - counts[building.WRITTEN]
    rows = [
        (SENTENCE_PAIRS, counts[SENTENCE_PAIRS]),
        *_list_reasons(counts, building.REASONS),
        (building.PHRASE_PAIRS, counts[building.PHRASE_PAIRS]),
        ("  distinct", counts[building.DISTINCT]),
        *_list_reasons(counts, [rare]),
        ("  written", counts[building.WRITTEN]),
    ]
    _say_counts(rows, options.output)


_FILTERS = {
    "min_probability": option(
        "--min-probability P",
        f"minimum probability of a paraphrase (default: {PivotRules.min_probability})",
        PROBABILITY,
    ),
    "min_translation_probability": option(
        "--min-translation-probability P",
        f"minimum translation probability, in both directions (default: {PivotRules.min_translation_probability})",
        PROBABILITY,
    ),
    "max_paraphrases": option(
        "--max-paraphrases N", f"maximum paraphrases per phrase (default: {PivotRules.max_paraphrases})", COUNT
    ),
    "max_words": option(
        "--max-words N", f"maximum words per phrase, up to {_WORDS.high} (default: {PivotRules.max_words})", _WORDS
    ),
    "keep": choice(
        "--keep KIND",
        NAMES,
        "keep the phrases or pairs that the filter KIND would remove: %(choices)s (repeatable)",
        action="append",
    ),
}
"""Options that filter the paraphrases, by the names of the rules."""


@command(
    path("table PHRASE_TABLE", "phrase table in Moses format, as `extract` writes it"),
    choice("--language-side", ("source", "target"), "side of the table to paraphrase", default="target"),
    flag("--all", "keep all phrases that share a translation, with probability 1 and without filters"),
    *_FILTERS.values(),
    add_workers,
    output_file("the paraphrases (compressed for .gz)"),
    _TEMPORARY,
)
def run_paraphrases_pivot(options: argparse.Namespace) -> None:
    """Find phrases of a phrase table that share translations."""
    refuse_overwriting(options.output, options.table)
    counts = pivoting.write_paraphrases(
        options.table,
        options.output,
        _make_rules(options),
        workers=options.workers,
        temporary=options.temporary,
        progress=Progress(visible=True),
    )
    repaired = []
    if counts[reading.REPAIRED]:
        repaired.append(("  repaired: probabilities above 1, set to 1", counts[reading.REPAIRED]))
    rows = [
        (reading.ENTRIES, counts[reading.ENTRIES]),
        *_list_reasons(counts, pivoting.ENTRY_REASONS),
        *repaired,
        (pivoting.PAIRS, counts[pivoting.PAIRS]),
        *_list_reasons(counts, pivoting.PAIR_REASONS),
        ("  written", counts[pivoting.WRITTEN]),
        ("  phrases with paraphrases", counts[pivoting.PHRASES]),
    ]
    _say_counts(rows, options.output)


def _make_rules(options: argparse.Namespace) -> PivotRules:
    """Make the rules of pivoting from the options that the user has set.

    Raises:
        OptionError: If `--all` is combined with a filter.
    """
    rules = {name: getattr(options, name) for name in _FILTERS if getattr(options, name) is not None}
    if options.all and rules:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in rules)
        raise OptionError(f"--all keeps all pairs, without probabilities and filters. Omit {flags}")
    if options.all:
        return keep_all_pairs(options.language_side)
    if "keep" in rules:
        rules["keep"] = frozenset(rules["keep"])
    return PivotRules(side=options.language_side, **rules)
