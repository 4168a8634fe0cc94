"""Score summaries by ROUGE-n (Lin 2004)."""

from __future__ import annotations

import argparse

from harness.cli.arguments import path, refuse_among_summaries, set_run
from harness.cli.shared_options import NO_STOP_WORDS_HELP, add_workers_option, note_words
from harness.cli.summarization.options import (
    add_summary_options,
    list_summaries,
    read_comparisons,
    write_and_show_means,
)
from harness.summarization.rouge import RECALL, ROUGE_VALUES, name_metric, score_rouge
from harness.support.progress import track
from harness.text.stems import PORTER, ROUGE, STEMS, choose_division
from harness.text.words import count_words

_MAX_ORDER = 10
_LEGEND = "rouge_N is the recall, rouge_N_p the precision, and rouge_N_f their harmonic mean."


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add summaries, the lengths of n-grams, stemming, and the output."""
    set_run(parser, _rouge)
    add_summary_options(parser)
    parser.add_argument(
        "--n",
        type=_parse_orders,
        default=(1, 2),
        metavar="NUMBERS",
        help="lengths of n-grams, comma-separated (default: 1,2)",
    )
    parser.add_argument(
        "--values",
        type=_parse_values,
        default=(RECALL,),
        metavar="NAMES",
        help=f"columns of --output, comma-separated: {', '.join(ROUGE_VALUES)} (default: {RECALL})",
    )
    parser.add_argument(
        "--stem",
        choices=STEMS,
        default=PORTER,
        help="stemming of words. 'rouge' stems like ROUGE-1.5.5 -m, with irregular forms of WordNet (default: "
        "%(default)s)",
    )
    parser.add_argument(
        "--wordnet", type=path, metavar="DIR", help="folder of WordNet for --stem rouge (default: /usr/share/wordnet)"
    )
    parser.add_argument("--no-stop-words", action="store_true", help=NO_STOP_WORDS_HELP)
    add_workers_option(parser)


def _parse_orders(text: str) -> tuple[int, ...]:
    parts = dict.fromkeys(part.strip() for part in text.split(","))
    if not parts.keys() <= set(map(str, range(1, _MAX_ORDER + 1))):
        raise argparse.ArgumentTypeError(f"use whole numbers from 1 to {_MAX_ORDER}, comma-separated")
    return tuple(map(int, parts))


def _parse_values(text: str) -> tuple[str, ...]:
    parts = dict.fromkeys(part.strip() for part in text.split(","))
    if not parts.keys() <= set(ROUGE_VALUES):
        raise argparse.ArgumentTypeError(f"use a comma-separated selection of {', '.join(ROUGE_VALUES)}")
    return tuple(parts)


def _rouge(options: argparse.Namespace) -> None:
    refuse_among_summaries({"--output": options.output}, options.peers, options.references)
    divide, signature = choose_division(options.stem, stop_words=not options.no_stop_words, wordnet=options.wordnet)
    comparisons = read_comparisons(options)
    words = "letters and digits"
    if options.stem == ROUGE:
        words = f"letters and digits of ASCII, but --stem {PORTER} counts all letters"
    note_words(count_words(list_summaries(comparisons), divide), words=words)
    rated = score_rouge(comparisons, options.n, divide, jackknife=options.jackknife, workers=options.workers)
    scores = list(track(rated, "summaries", len(comparisons)))
    jackknife = "yes" if options.jackknife else "no"
    signature = f"rouge|{signature}|jackknife:{jackknife}"
    columns = [name_metric(order, value) for order in options.n for value in options.values]
    best_by = name_metric(options.n[-1])
    write_and_show_means(scores, columns, options.output, best_by=best_by, signature=signature, legend=_LEGEND)
