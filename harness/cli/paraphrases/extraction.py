"""Actions of the command paraphrases that make tables from parallel text: extract, pivot."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
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
from harness.paraphrases.extraction.building import ExtractionRules, build_phrase_table
from harness.paraphrases.extraction.discounts import DISCOUNTS
from harness.paraphrases.extraction.packing import MAX_PHRASE_WORDS
from harness.paraphrases.pivoting.building import PivotRules, write_paraphrases
from harness.paraphrases.pivoting.filters import NAMES
from harness.rendering.tables import render_table
from harness.support.progress import Progress
from pyramid_paraphrase.ranges import Range

_WORDS = Range(1, 100)


def add_extraction_actions(actions: Any) -> None:  # noqa: ANN401
    """Add extract and pivot."""
    text = "make a phrase table of Moses from sentences, their translations and word alignments"
    extract = add_command(actions, "extract", _extract, text)
    extract.add_argument("source", type=path, metavar="SOURCE", help="a sentence a line, words divided by blanks")
    extract.add_argument("target", type=path, metavar="TARGET", help="their translations")
    extract.add_argument("alignments", type=path, metavar="ALIGNMENTS", help="as of Pharaoh: 0-0 1-2")
    _add_max_words(extract, Range(1, MAX_PHRASE_WORDS))
    extract.add_argument(
        "--min-count", type=positive, default=1, metavar="N", help="leave out rarer phrase pairs; default: %(default)s"
    )
    extract.add_argument("--keep-case", action="store_true", help="do not turn words to lower case")
    extract.add_argument(
        "--discount", choices=DISCOUNTS, help="discount the counts of phrase pairs; default: relative frequencies"
    )
    add_workers_option(extract)
    _add_places(extract, "phrase table")
    _add_pivot(actions)


def _add_max_words(parser: argparse.ArgumentParser, words: Range = _WORDS) -> None:
    parser.add_argument(
        "--max-words",
        type=number_in(words),
        default=7,
        metavar="N",
        help=f"longest phrase, in words, up to {words.high}; default: %(default)s",
    )


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
        "--min-probability", type=probability, default=0.01, metavar="P", help="of a paraphrase; default: %(default)s"
    )
    pivot.add_argument(
        "--min-translation-probability",
        type=probability,
        default=0.001,
        metavar="P",
        help="of a translation, there and back; default: %(default)s",
    )
    pivot.add_argument(
        "--max-paraphrases", type=positive, default=100, metavar="N", help="per phrase; default: %(default)s"
    )
    _add_max_words(pivot)
    pivot.add_argument(
        "--keep",
        choices=NAMES,
        action="append",
        default=[],
        help="do not leave out these phrases, or pairs that differ in these only; repeatable",
    )
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
    extracted = build_phrase_table(
        text,
        options.output,
        rules,
        workers=options.workers,
        temporary=options.temporary,
        progress=Progress(visible=True),
    )
    rows = [
        ("sentence pairs", extracted.sentence_pairs),
        *_list_left_out(extracted.left_out),
        ("phrase pairs", extracted.phrase_pairs),
        ("  distinct", extracted.distinct),
        *_list_left_out({f"seen fewer than {options.min_count:,} times": extracted.distinct - extracted.written}),
        ("  written", extracted.written),
    ]
    say(f"{render_table(('', 'number'), rows)}\n{show(options.output)}")


def _pivot(options: argparse.Namespace) -> None:
    refuse_overwriting(options.output, options.table)
    rules = PivotRules(
        side=options.language_side,
        max_words=options.max_words,
        min_translation_probability=options.min_translation_probability,
        min_probability=options.min_probability,
        max_paraphrases=options.max_paraphrases,
        keep=frozenset(options.keep),
    )
    pivoted = write_paraphrases(
        options.table, options.output, rules, temporary=options.temporary, progress=Progress(visible=True)
    )
    rows = [
        ("phrase pairs", pivoted.entries),
        *_list_left_out(pivoted.entries_left_out),
        ("paraphrases", pivoted.pairs),
        *_list_left_out(pivoted.pairs_left_out),
        ("  written", pivoted.written),
        ("  phrases that have them", pivoted.phrases),
    ]
    say(f"{render_table(('', 'number'), rows)}\n{show(options.output)}")


def _list_left_out(left_out: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(f"  left out: {reason}", number) for reason, number in left_out.items() if number]
