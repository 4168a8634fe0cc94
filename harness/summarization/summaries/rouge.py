"""ROUGE-n: the share of the n-grams of references that a summary has (Lin 2004)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter

from harness.summarization.summaries.records import Summary
from harness.summarization.summaries.references import Comparison, Recall, combine_recalls
from harness.summarization.summaries.score_files import SummaryScore
from harness.support.workers import divide_items, limit_workers, map_in_order
from harness.text.stemming import Divide

NgramCounts = Counter[tuple[str, ...]]

_SUMMARIES_PER_WORKER = 1000
"""Fewest summaries per process; starting a process takes time."""

_SUMMARIES_AT_ONCE = 200
"""Summaries of a topic that a process scores at a time."""


def name_metric(order: int) -> str:
    """Return the name of the recall of n-grams of a length, such as "rouge_2"."""
    return f"rouge_{order}"


def count_ngrams(words: Sequence[str], order: int) -> NgramCounts:
    """Count the n-grams of a text; they reach from one sentence into the next, as in ROUGE-1.5.5."""
    return Counter(zip(*(words[start:] for start in range(order)), strict=False))


def measure_recall(peer: NgramCounts, reference: NgramCounts) -> Recall:
    """Match n-grams, each as often as both have it."""
    return Recall((peer & reference).total(), reference.total())


def score_rouge(
    comparisons: Sequence[Comparison],
    orders: Sequence[int],
    divide: Divide,
    *,
    jackknife: bool = False,
    workers: int = 1,
) -> Iterator[SummaryScore]:
    """Score summaries by ROUGE-n recall.

    With several references, the n-grams are matched one reference at a time, and the recall is that of all references
    together: all matched n-grams / all n-grams, as ROUGE-1.5.5 computes it with ``-f A``.

    Args:
        comparisons: Summaries with their references, sorted by topic.
        orders: Lengths of n-grams, such as 1 and 2.
        divide: Divides a text into the words that are compared.
        jackknife: Whether to leave out each reference of a system in turn, and take the mean.
        workers: Number of processes; it does not change the scores.

    Yields:
        A score per summary and length, 0 to 1, in order; 0 where no reference has n-grams.
    """
    workers = limit_workers(workers, len(comparisons), _SUMMARIES_PER_WORKER)
    parts = divide_items(comparisons, attrgetter("peer.topic"), _SUMMARIES_AT_ONCE)
    score = partial(_score_part, orders=orders, divide=divide, jackknife=jackknife)
    for scored in map_in_order(score, parts, workers):
        yield from scored


def _score_part(
    comparisons: Sequence[Comparison], orders: Sequence[int], divide: Divide, *, jackknife: bool
) -> list[SummaryScore]:
    """Score some summaries of one topic."""
    ngrams: dict[Summary, Mapping[int, NgramCounts]] = {}
    scored = []
    for comparison in comparisons:
        for summary in (comparison.peer, *comparison.references):
            if summary not in ngrams:
                words = divide("\n".join(summary.sentences))
                ngrams[summary] = {order: count_ngrams(words, order) for order in orders}
        leave_out = jackknife and not comparison.is_reference
        peer, references = ngrams[comparison.peer], [ngrams[reference] for reference in comparison.references]
        values = {}
        for order in orders:
            recalls = [measure_recall(peer[order], reference[order]) for reference in references]
            values[name_metric(order)] = combine_recalls(recalls, leave_out=leave_out)
        scored.append(SummaryScore(comparison.peer.topic, comparison.peer.author, values))
    return scored
