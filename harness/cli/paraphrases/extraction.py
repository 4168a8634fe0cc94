"""Extract phrase tables from parallel text, and paraphrases from them (`paraphrases extract`, `paraphrases pivot`)."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial
from typing import Any

from harness.cli.arguments import (
    add_command,
    number_in,
    path,
    positive,
    probability,
    refuse_overwriting,
    say,
    show,
)
from harness.cli.shared_options import (
    SENTENCES_HELP,
    TRANSLATIONS_HELP,
    add_required_output,
    add_temporary_option,
    add_workers_option,
)
from harness.paraphrases.alignment.parallel_text import ParallelText
from harness.paraphrases.extraction.building import build_phrase_table
from harness.paraphrases.extraction.packing import MAX_PHRASE_WORDS
from harness.paraphrases.extraction.scoring import DISCOUNTS, ExtractionRules
from harness.paraphrases.extraction.spark import build_phrase_table_on_spark
from harness.paraphrases.pivoting.building import write_paraphrases
from harness.paraphrases.pivoting.rules import NAMES, PivotRules, keep_all_pairs
from harness.rendering.tables import render_table
from harness.support.progress import Progress
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.rules.ranges import Range

_WORDS = Range(1, 100)
_LIMITS = ("min_probability", "min_translation_probability", "max_paraphrases", "max_words", "keep")
"""Options of pivot that filter the paraphrases."""


def add_extraction_actions(actions: Any) -> None:  # noqa: ANN401
    """Add the actions extract and pivot."""
    text = "extract a phrase table (Moses format) from word-aligned parallel text"
    extract = add_command(actions, "extract", _extract, text)
    extract.add_argument("source", type=path, metavar="SOURCE", help=SENTENCES_HELP)
    extract.add_argument("target", type=path, metavar="TARGET", help=TRANSLATIONS_HELP)
    extract.add_argument(
        "alignments", type=path, metavar="ALIGNMENTS", help="word alignments in Pharaoh format (0-0 1-2)"
    )
    extract.add_argument(
        "--max-words",
        type=number_in(Range(1, MAX_PHRASE_WORDS)),
        default=7,
        metavar="N",
        help=f"maximum words per phrase, up to {MAX_PHRASE_WORDS} (default: %(default)s)",
    )
    extract.add_argument(
        "--min-count",
        type=positive,
        default=1,
        metavar="N",
        help="minimum count of a phrase pair (default: %(default)s)",
    )
    extract.add_argument("--keep-case", action="store_true", help="do not convert words to lower case")
    extract.add_argument(
        "--discount",
        choices=DISCOUNTS,
        metavar="METHOD",
        help="discounting of phrase pair counts: %(choices)s (default: relative frequencies)",
    )
    add_workers_option(extract)
    extract.add_argument(
        "--master",
        metavar="URL",
        help="run on Spark instead of this machine: spark://HOST:PORT, yarn or local[2] (requires the extra 'spark')",
    )
    add_required_output(extract, "the phrase table (compressed for .gz)")
    add_temporary_option(extract)
    _add_pivot(actions)


def _add_pivot(actions: Any) -> None:  # noqa: ANN401
    text = "find paraphrases: phrases of a phrase table that share translations"
    pivot = add_command(actions, "pivot", _pivot, text)
    pivot.add_argument(
        "table", type=path, metavar="PHRASE_TABLE", help="phrase table in Moses format, as `extract` writes it"
    )
    pivot.add_argument(
        "--language-side",
        choices=("source", "target"),
        default="target",
        help="side of the table to paraphrase (default: %(default)s)",
    )
    pivot.add_argument(
        "--all",
        action="store_true",
        help="keep all phrases that share a translation, with probability 1 and without filters",
    )
    pivot.add_argument(
        "--min-probability",
        type=probability,
        metavar="P",
        help=f"minimum probability of a paraphrase (default: {PivotRules.min_probability})",
    )
    pivot.add_argument(
        "--min-translation-probability",
        type=probability,
        metavar="P",
        help=f"minimum translation probability, in both directions (default: {PivotRules.min_translation_probability})",
    )
    pivot.add_argument(
        "--max-paraphrases",
        type=positive,
        metavar="N",
        help=f"maximum paraphrases per phrase (default: {PivotRules.max_paraphrases})",
    )
    pivot.add_argument(
        "--max-words",
        type=number_in(_WORDS),
        metavar="N",
        help=f"maximum words per phrase, up to {_WORDS.high} (default: {PivotRules.max_words})",
    )
    pivot.add_argument(
        "--keep",
        choices=NAMES,
        metavar="KIND",
        action="append",
        help="keep the phrases or pairs that the filter KIND would remove: %(choices)s (repeatable)",
    )
    add_workers_option(pivot)
    add_required_output(pivot, "the paraphrases (compressed for .gz)")
    add_temporary_option(pivot)


def _extract(options: argparse.Namespace) -> None:
    text = ParallelText(options.source, options.target, options.alignments)
    refuse_overwriting(options.output, *text)
    rules = ExtractionRules(options.max_words, options.min_count, options.keep_case, options.discount)
    build = partial(build_phrase_table, workers=options.workers)
    if options.master is not None:
        build = partial(build_phrase_table_on_spark, master=options.master)
    extracted = build(text, options.output, rules, temporary=options.temporary, progress=Progress(visible=True))
    rows = [
        ("sentence pairs", extracted.sentence_pairs),
        *_list_left_out(extracted.left_out),
        ("phrase pairs", extracted.phrase_pairs),
        ("  distinct", extracted.distinct),
        *_list_left_out({f"fewer than {options.min_count:,} occurrences": extracted.distinct - extracted.written}),
        ("  written", extracted.written),
    ]
    say(f"{render_table(('', 'number'), rows)}\n{show(options.output)}")


def _make_rules(options: argparse.Namespace) -> PivotRules:
    """Make the rules of pivoting from the options that the user has set.

    Raises:
        OptionError: If `--all` is combined with a filter.
    """
    limits = {name: getattr(options, name) for name in _LIMITS if getattr(options, name) is not None}
    if options.all and limits:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in limits)
        raise OptionError(f"--all keeps all pairs, without probabilities and filters. Omit {flags}")
    if options.all:
        return keep_all_pairs(options.language_side)
    if "keep" in limits:
        limits["keep"] = frozenset(limits["keep"])
    return PivotRules(side=options.language_side, **limits)


def _pivot(options: argparse.Namespace) -> None:
    refuse_overwriting(options.output, options.table)
    pivoted = write_paraphrases(
        options.table,
        options.output,
        _make_rules(options),
        workers=options.workers,
        temporary=options.temporary,
        progress=Progress(visible=True),
    )
    rows = [
        ("phrase pairs", pivoted.entries),
        *_list_left_out(pivoted.entries_left_out),
        *_list_repaired(pivoted.repaired),
        ("paraphrases", pivoted.pairs),
        *_list_left_out(pivoted.pairs_left_out),
        ("  written", pivoted.written),
        ("  phrases with paraphrases", pivoted.phrases),
    ]
    say(f"{render_table(('', 'number'), rows)}\n{show(options.output)}")


def _list_repaired(number: int) -> list[tuple[str, int]]:
    return [("  repaired: probabilities above 1, set to 1", number)] if number else []


def _list_left_out(left_out: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(f"  left out: {reason}", number) for reason, number in left_out.items() if number]
