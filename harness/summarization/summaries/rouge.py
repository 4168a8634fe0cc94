"""ROUGE-n: the n-grams that a summary and its references have in common (Lin 2004)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from harness.summarization.summaries.records import Summary
from harness.summarization.summaries.references import Comparison, combine_references
from harness.summarization.summaries.score_files import SummaryScore
from harness.support.workers import divide_items, limit_workers, map_in_order
from harness.text.stems import Divide

NgramCounts = Counter[tuple[str, ...]]

_SUMMARIES_PER_WORKER = 1000
"""Minimum number of summaries per process, because starting a process takes time."""

_SUMMARIES_AT_ONCE = 200
"""Number of summaries of a topic that a process scores at a time."""

RECALL, PRECISION, F_MEASURE = ROUGE_VALUES = ("recall", "precision", "f")
"""Values of ROUGE-n, in the order of their columns."""

_ENDINGS = {RECALL: "", PRECISION: "_p", F_MEASURE: "_f"}


class NgramMatches(NamedTuple):
    """Numbers of n-grams: matched n-grams, all of the reference, and all of the summary."""

    matched: int
    reference_total: int
    peer_total: int


def name_metric(order: int, value: str = RECALL) -> str:
    """Return the name of a ROUGE value of n-grams, such as "rouge_2" for recall and "rouge_2_f" for F."""
    return f"rouge_{order}{_ENDINGS[value]}"


def count_ngrams(words: Sequence[str], order: int) -> NgramCounts:
    """Count the n-grams of a text. They extend across sentences, as in ROUGE-1.5.5."""
    return Counter(zip(*(words[start:] for start in range(order)), strict=False))


def match_ngrams(peer: NgramCounts, reference: NgramCounts) -> NgramMatches:
    """Match n-grams. Each counts as often as it occurs in both texts."""
    return NgramMatches((peer & reference).total(), reference.total(), peer.total())


def measure_recall(matches: Sequence[NgramMatches]) -> float:
    """Return the matched n-grams of all references / the n-grams of all references, or 0 if they have none."""
    return _divide(sum(match.matched for match in matches), sum(match.reference_total for match in matches))


def measure_precision(matches: Sequence[NgramMatches]) -> float:
    """Return the matched n-grams of all references / the n-grams of the summary, counted once per reference.

    0 if the summary has none.
    """
    return _divide(sum(match.matched for match in matches), sum(match.peer_total for match in matches))


def measure_f(matches: Sequence[NgramMatches]) -> float:
    """Return the harmonic mean of precision and recall, or 0 if both are 0: ROUGE-1.5.5's F with ``-p 0.5``."""
    recall, precision = measure_recall(matches), measure_precision(matches)
    return _divide(2 * precision * recall, precision + recall)


def _divide(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


_MEASURES: Mapping[str, Callable[[Sequence[NgramMatches]], float]] = {
    RECALL: measure_recall,
    PRECISION: measure_precision,
    F_MEASURE: measure_f,
}


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
            matches = [match_ngrams(peer[order], reference[order]) for reference in references]
            for value, measure in _MEASURES.items():
                values[name_metric(order, value)] = combine_references(matches, measure, leave_out=leave_out)
        scored.append(SummaryScore(comparison.peer.topic, comparison.peer.author, values))
    return scored
