"""ROUGE-n: the n-grams that a summary and its references have in common (Lin 2004)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from statistics import fmean

from harness.summarization.references import Comparison, divide_counts, pool_references
from harness.summarization.summaries import Summary
from harness.summarization.summary_scores import SummaryScore
from harness.support.workers import divide_items, limit_workers, map_in_order
from harness.text.stems import Divide

_SUMMARIES_PER_WORKER = 1000
"""Minimum number of summaries per process, because starting a process takes time."""

_SUMMARIES_AT_ONCE = 200
"""Number of summaries of a topic that a process scores at a time."""

RECALL, PRECISION, F_MEASURE = ROUGE_VALUES = ("recall", "precision", "f")
"""Values of ROUGE-n, in the order of their columns."""

_ENDINGS = {RECALL: "", PRECISION: "_p", F_MEASURE: "_f"}


def name_metric(order: int, value: str = RECALL) -> str:
    """Return the name of a ROUGE value of n-grams, such as "rouge_2" for recall and "rouge_2_f" for F."""
    return f"rouge_{order}{_ENDINGS[value]}"


Ngrams = frozenset[int]
"""The numbers of the n-grams of a text. The second, third and later occurrences of an n-gram have other numbers."""

Numbers = defaultdict[tuple[object, ...], int]
"""Numbers of n-grams, and of an n-gram's number with the index of a later occurrence. New ones get the next number."""


def make_numbers() -> Numbers:
    """Make an empty table of numbers. Texts that are compared share it."""
    numbers: Numbers = defaultdict()
    numbers.default_factory = numbers.__len__
    return numbers


def number_ngrams(words: Sequence[str], order: int, numbers: Numbers) -> Ngrams:
    """Number the n-grams of a text. They extend across sentences, as in ROUGE-1.5.5."""
    found = list(map(numbers.__getitem__, zip(*(words[start:] for start in range(order)), strict=False)))
    distinct = set(found)
    if len(distinct) != len(found):
        for number, count in Counter(found).items():
            for place in range(1, count):
                distinct.add(numbers[number, place])
    return frozenset(distinct)


def match_ngrams(peer: Ngrams, reference: Ngrams) -> tuple[int, int, int]:
    """Match n-grams. Each counts as often as it occurs in both texts.

    Returns:
        Numbers of n-grams: matched n-grams, all of the reference, and all of the summary.
    """
    return len(peer & reference), len(reference), len(peer)


def measure_ngrams(matched: int, reference_total: int, peer_total: int) -> dict[str, float]:
    """Compute the values of ROUGE-n from numbers of n-grams, which may be sums over several references.

    Returns:
        By name of the value: recall = matched / n-grams of the references, precision = matched / n-grams of the summary
        (counted once per reference), and their harmonic mean, which is ROUGE-1.5.5's F with ``-p 0.5``. 0 where a
        denominator is 0.
    """
    recall, precision = divide_counts(matched, reference_total), divide_counts(matched, peer_total)
    f_measure = divide_counts(2 * precision * recall, precision + recall)
    return {RECALL: recall, PRECISION: precision, F_MEASURE: f_measure}


def score_rouge(
    comparisons: Sequence[Comparison],
    orders: Sequence[int],
    divide: Divide,
    *,
    jackknife: bool = False,
    workers: int = 1,
) -> Iterator[SummaryScore]:
    """Score summaries by ROUGE-n: recall, precision and F.

    With several references, the n-grams are matched one reference at a time, and each value is that of all references
    together, as ROUGE-1.5.5 computes it with ``-f A``.

    Args:
        comparisons: Summaries with their references, sorted by topic.
        orders: Lengths of n-grams, such as 1 and 2.
        divide: Divides a text into the words that are compared.
        jackknife: Whether to leave out each reference of a system in turn, and average each value.
        workers: Number of processes. It does not change the scores.

    Yields:
        The scores of a summary by `name_metric`, three for each length, 0 to 1, in order.
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
    numbers = make_numbers()
    ngrams: dict[Summary, Mapping[int, Ngrams]] = {}
    scored = []
    for comparison in comparisons:
        for summary in (comparison.peer, *comparison.references):
            if summary not in ngrams:
                words = divide("\n".join(summary.sentences))
                ngrams[summary] = {order: number_ngrams(words, order, numbers) for order in orders}
        leave_out = jackknife and not comparison.is_reference
        peer, references = ngrams[comparison.peer], [ngrams[reference] for reference in comparison.references]
        values = {}
        for order in orders:
            counts = [match_ngrams(peer[order], reference[order]) for reference in references]
            measured = [measure_ngrams(*pooled) for pooled in pool_references(counts, leave_out=leave_out)]
            for value in ROUGE_VALUES:
                values[name_metric(order, value)] = fmean(measures[value] for measures in measured)
        scored.append(SummaryScore(comparison.peer.topic, comparison.peer.author, values))
    return scored
