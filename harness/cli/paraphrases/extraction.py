"""Actions of the command paraphrases that make tables from parallel text: extract, pivot."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial
from typing import Any

from harness.cli.arguments import (
    add_command,
    add_workers_option,
    number_in,
    path,
    positive,
    probability,
    refuse_overwriting,
    say,
    show,
)
from harness.paraphrases.alignment.parallel_text import ParallelText
from harness.paraphrases.distributed.extraction import build_phrase_table_on_spark
from harness.paraphrases.extraction.building import build_phrase_table
from harness.paraphrases.extraction.discounts import DISCOUNTS
from harness.paraphrases.extraction.packing import MAX_PHRASE_WORDS
from harness.paraphrases.extraction.rules import ExtractionRules
from harness.paraphrases.pivoting.building import write_paraphrases
from harness.paraphrases.pivoting.filters import NAMES
from harness.paraphrases.pivoting.rules import PivotRules, keep_all_pairs
from harness.rendering.tables import render_table
from harness.support.progress import Progress
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.ranges import Range

_WORDS = Range(1, 100)
_LIMITS = ("min_probability", "min_translation_probability", "max_paraphrases", "max_words", "keep")
"""Options of pivot that limit the paraphrases."""


def add_extraction_actions(actions: Any) -> None:  # noqa: ANN401
    """Add extract and pivot."""
    text = "make a phrase table of Moses from sentences, their translations and word alignments"
    extract = add_command(actions, "extract", _extract, text)
    extract.add_argument("source", type=path, metavar="SOURCE", help="a sentence a line, words divided by blanks")
    extract.add_argument("target", type=path, metavar="TARGET", help="their translations")
    extract.add_argument("alignments", type=path, metavar="ALIGNMENTS", help="as of Pharaoh: 0-0 1-2")
    extract.add_argument(
        "--max-words",
        type=number_in(Range(1, MAX_PHRASE_WORDS)),
        default=7,
        metavar="N",
        help=f"longest phrase, in words, up to {MAX_PHRASE_WORDS}; default: %(default)s",
    )
    extract.add_argument(
        "--min-count", type=positive, default=1, metavar="N", help="leave out rarer phrase pairs; default: %(default)s"
    )
    extract.add_argument("--keep-case", action="store_true", help="do not turn words to lower case")
    extract.add_argument(
        "--discount",
        choices=DISCOUNTS,
        metavar="METHOD",
        help="discount the counts of phrase pairs: %(choices)s; default: relative frequencies",
    )
    add_workers_option(extract)
    extract.add_argument(
        "--master",
        metavar="URL",
        help="run on Spark, not in processes of this machine: spark://HOST:PORT, yarn, local[2]; needs the extra spark",
    )
    _add_places(extract, "phrase table")
    _add_pivot(actions)


def _add_pivot(actions: Any) -> None:  # noqa: ANN401
    text = "find the phrases of a phrase table that share translations"
    pivot = add_command(actions, "pivot", _pivot, text)
    pivot.add_argument("table", type=path, metavar="PHRASE_TABLE", help="of Moses, as extract makes it")
    pivot.add_argument(
        "--language-side",
        choices=("source", "target"),
        default="target",
        help="side of the table that paraphrases are wanted of; default: %(default)s",
    )
    pivot.add_argument(
        "--all",
        action="store_true",
        help="all phrases that share a translation, each with probability 1, without thresholds and filters",
    )
    pivot.add_argument(
        "--min-probability",
        type=probability,
        metavar="P",
        help=f"of a paraphrase; default: {PivotRules.min_probability}",
    )
    pivot.add_argument(
        "--min-translation-probability",
        type=probability,
        metavar="P",
        help=f"of a translation, there and back; default: {PivotRules.min_translation_probability}",
    )
    pivot.add_argument(
        "--max-paraphrases", type=positive, metavar="N", help=f"per phrase; default: {PivotRules.max_paraphrases}"
    )
    pivot.add_argument(
        "--max-words",
        type=number_in(_WORDS),
        metavar="N",
        help=f"longest phrase, in words, up to {_WORDS.high}; default: {PivotRules.max_words}",
    )
    pivot.add_argument(
        "--keep",
        choices=NAMES,
        metavar="KIND",
        action="append",
        help="do not leave out these phrases, or pairs that differ in these only: %(choices)s; repeatable",
    )
    add_workers_option(pivot)
    _add_places(pivot, "paraphrases")


def _add_places(parser: argparse.ArgumentParser, content: str) -> None:
    parser.add_argument(
        "--output", type=path, required=True, metavar="FILE", help=f"{content}; compressed if it ends in .gz"
    )
    parser.add_argument(
        "--temporary", type=path, metavar="FOLDER", help="folder for temporary files; default: that of the output"
    )


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
        *_list_left_out({f"seen fewer than {options.min_count:,} times": extracted.distinct - extracted.written}),
        ("  written", extracted.written),
    ]
    say(f"{render_table(('', 'number'), rows)}\n{show(options.output)}")


def _make_rules(options: argparse.Namespace) -> PivotRules:
    """Make the rules of pivoting from the options that are given.

    Raises:
        OptionError: If all pairs are wanted, and an option limits them.
    """
    given = {name: getattr(options, name) for name in _LIMITS if getattr(options, name) is not None}
    if options.all and given:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise OptionError(f"--all takes all pairs, without probabilities and filters; leave out {flags}")
    if options.all:
        return keep_all_pairs(options.language_side)
    if "keep" in given:
        given["keep"] = frozenset(given["keep"])
    return PivotRules(side=options.language_side, **given)


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
        ("  phrases that have them", pivoted.phrases),
    ]
    say(f"{render_table(('', 'number'), rows)}\n{show(options.output)}")


def _list_repaired(number: int) -> list[tuple[str, int]]:
    return [("  repaired: probabilities above 1, taken as 1", number)] if number else []


def _list_left_out(left_out: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(f"  left out: {reason}", number) for reason, number in left_out.items() if number]
