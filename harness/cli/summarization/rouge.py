"""Score summaries by ROUGE (Lin 2004)."""

from __future__ import annotations

import argparse

from harness.cli.options import NO_STOP_WORDS, add_workers
from harness.cli.outputs import note_words
from harness.cli.parser import choice, command, option, path
from harness.cli.summarization import summaries
from harness.summarization.rouge import RECALL, ROUGE_VALUES, name_metric, parse_measure, score_rouge
from harness.support.progress import Progress
from harness.text.stems import PORTER, ROUGE, STEMS, choose_division


def _parse_measures(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(parse_measure(part.strip()).name for part in text.split(",")))


def _parse_values(text: str) -> tuple[str, ...]:
    parts = dict.fromkeys(part.strip() for part in text.split(","))
    if not parts.keys() <= set(ROUGE_VALUES):
        raise ValueError(f"use a comma-separated selection of {', '.join(ROUGE_VALUES)}")
    return tuple(parts)


@command(
    *summaries.SUMMARIES,
    option(
        "--n MEASURES",
        "comma-separated: lengths of n-grams, L, W-1.2 (subsequences), S4 (pairs with at most four words between), SU4 "
        "(also single words) (default: 1,2)",
        _parse_measures,
        default=("1", "2"),
    ),
    option(
        "--values NAMES",
        f"columns of --output, comma-separated: {', '.join(ROUGE_VALUES)} (default: {RECALL})",
        _parse_values,
        default=(RECALL,),
    ),
    choice(
        "--stem",
        STEMS,
        "stemming of words. 'rouge' stems like ROUGE-1.5.5 -m, with irregular forms of WordNet",
        default=PORTER,
    ),
    path("--wordnet DIR", "folder of WordNet for --stem rouge (default: /usr/share/wordnet)"),
    NO_STOP_WORDS,
    add_workers,
)
def run_rouge(options: argparse.Namespace) -> None:
    """Score summaries by ROUGE."""
    summaries.refuse_among_summaries({"--output": options.output}, options.peers, options.references)
    divide, signature = choose_division(options.stem, stop_words=not options.no_stop_words, wordnet=options.wordnet)
    comparisons = summaries.read_comparisons(options)
    words = "letters and digits"
    if options.stem == ROUGE:
        words = f"letters and digits of ASCII, but --stem {PORTER} counts all letters"
    note_words(summaries.list_summaries(comparisons), divide, words=words)
    rated = score_rouge(comparisons, options.n, divide, jackknife=options.jackknife, workers=options.workers)
    with Progress(visible=True) as progress:
        scores = list(progress.track(rated, "summaries", len(comparisons)))
    jackknife = "yes" if options.jackknife else "no"
    signature = f"rouge|{signature}|jackknife:{jackknife}"
    columns = [name_metric(order, value) for order in options.n for value in options.values]
    best_by = name_metric(options.n[-1])
    legend = "rouge_N is the recall, rouge_N_p the precision, and rouge_N_f their harmonic mean."
    summaries.write_and_show_means(scores, columns, options.output, best_by=best_by, signature=signature, legend=legend)
