"""Score summaries by ROUGE (Lin 2004)."""

from __future__ import annotations

import argparse

from harness.cli.options import NO_STOP_WORDS, add_workers
from harness.cli.outputs import note_words, print_notes
from harness.cli.parser import choice, command, either, flag, option, path
from harness.cli.summarization import summaries
from harness.summarization.references import cut_summaries
from harness.summarization.rouge import RECALL, ROUGE_VALUES, name_metric, parse_measure, score_rouge
from harness.support.progress import Progress
from harness.text.stems import PORTER, ROUGE, STEMS, choose_division, read_stop_words
from pyramid_paraphrase.rules.ranges import COUNT


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
    flag("--no-wordnet", "cut irregular forms by rules, too, in --stem rouge"),
    either(NO_STOP_WORDS, path("--stop-words FILE", "ignore the words of a file, one per line")),
    option("--max-words N", "cut summaries and references to N words, as ROUGE-1.5.5 -l does", COUNT),
    option("--max-bytes N", "cut summaries and references to N bytes, as ROUGE-1.5.5 -b does", COUNT),
    add_workers,
)
def run_rouge(options: argparse.Namespace) -> None:
    """Score summaries by ROUGE."""
    summaries.refuse_among_summaries({"--output": options.output}, options.peers, options.references)
    stop_words = read_stop_words(options.stop_words) if options.stop_words else not options.no_stop_words
    divide, signature = choose_division(
        options.stem, stop_words=stop_words, wordnet=options.wordnet, irregular_forms=not options.no_wordnet
    )
    limits = {"words": options.max_words, "bytes": options.max_bytes}
    read = summaries.read_comparisons(options)
    comparisons, notes = cut_summaries(read, words=options.max_words, size=options.max_bytes)
    if options.no_wordnet:
        notes.append("without WordNet, 'went' and 'go' have different stems, so values differ from ROUGE-1.5.5 -m")
    if options.max_bytes and any(parse_measure(name).exponent for name in options.n):
        notes.append("texts are cut for all measures. ROUGE-1.5.5 -b cuts none for L and W, so these values differ")
    print_notes(notes)
    words = "letters and digits"
    if options.stem == ROUGE:
        words = f"letters and digits of ASCII, but --stem {PORTER} counts all letters"
    note_words(summaries.list_summaries(comparisons), divide, words=words)
    rated = score_rouge(comparisons, options.n, divide, jackknife=options.jackknife, workers=options.workers)
    with Progress(visible=True) as progress:
        scores = list(progress.track(rated, "summaries", len(comparisons)))
    jackknife = "yes" if options.jackknife else "no"
    cuts = "".join(f"|max-{unit}:{limit}" for unit, limit in limits.items() if limit)
    signature = f"rouge|{signature}|jackknife:{jackknife}{cuts}"
    columns = [name_metric(order, value) for order in options.n for value in options.values]
    best_by = name_metric(options.n[-1])
    legend = "rouge_N is the recall, rouge_N_p the precision, and rouge_N_f their harmonic mean."
    summaries.write_and_show_means(scores, columns, options, best_by=best_by, signature=signature, legend=legend)
