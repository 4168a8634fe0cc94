"""ROUGE: the n-grams, subsequences and skip-bigrams that a summary and its references have in common (Lin 2004)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter
from statistics import fmean
from typing import NamedTuple

import numpy as np

from harness.summarization import subsequences
from harness.summarization.references import Comparison, divide_counts, pool_references
from harness.summarization.summaries import Summary
from harness.summarization.summary_scores import SummaryScore
from harness.support.workers import divide_items, limit_workers, map_in_order
from harness.text.stems import Divide
from pyramid_paraphrase.errors import OptionError

_SUMMARIES_PER_WORKER = 1000
"""Minimum number of summaries per process, because starting a process takes time."""

_SUMMARIES_AT_ONCE = 200
"""Number of summaries of a topic that a process scores at a time."""

RECALL, PRECISION, F_MEASURE = ROUGE_VALUES = ("recall", "precision", "f")
"""Values of a measure, in the order of their columns."""

_ENDINGS = {RECALL: "", PRECISION: "_p", F_MEASURE: "_f"}
_MAX_ORDER = 10
_MEASURE = re.compile(
    r"(?P<order>10|[1-9])|(?P<sequence>L|W-(?P<weight>[1-9](?:\.[0-9]{1,3})?))|(?P<skip>SU?)(?P<gap>10|[0-9])"
)


class Measure(NamedTuple):
    """A measure of ROUGE.

    Attributes:
        name: Its name: "2" for n-grams of two words, "L" for longest common subsequences, "W-1.2" for those where a
            sequence of k words in a row weighs k ** 1.2, "S4" for pairs of words with at most four words between them,
            "SU4" for these and single words.
        order: The length of n-grams. 0 for other measures.
        exponent: The exponent of subsequences, 1 for "L". 0 for other measures.
        gap: The largest number of words between the words of a pair.
        with_single_words: Whether single words count as well as pairs.
    """

    name: str
    order: int = 0
    exponent: float = 0.0
    gap: int = 0
    with_single_words: bool = False


def parse_measure(name: str) -> Measure:
    """Parse the name of a measure.

    Raises:
        OptionError: If there is no such measure.
    """
    match = _MEASURE.fullmatch(name.upper())
    if match is None:
        raise OptionError(f"unknown measure '{name}'. Use numbers from 1 to {_MAX_ORDER}, L, W-1.2, S4 or SU4")
    if match["order"]:
        return Measure(match[0], order=int(match["order"]))
    if match["sequence"]:
        return Measure(match[0], exponent=float(match["weight"] or 1))
    return Measure(match[0], gap=int(match["gap"]), with_single_words=match["skip"] == "SU")


def name_metric(measure: str, value: str = RECALL) -> str:
    """Return the name of a value of a measure, such as "rouge_2" for recall and "rouge_su4_f" for F."""
    return f"rouge_{measure.lower()}{_ENDINGS[value]}"


Grams = frozenset[int]
"""The numbers of the n-grams of a text. The second, third and later occurrences of an n-gram have other numbers."""

Numbers = defaultdict[tuple[object, ...], int]
"""Numbers of n-grams, and of an n-gram's number with the index of a later occurrence. New ones get the next number."""


def make_numbers() -> Numbers:
    """Make an empty table of numbers. Texts that are compared share it."""
    numbers: Numbers = defaultdict()
    numbers.default_factory = numbers.__len__
    return numbers


def list_ngrams(words: Sequence[str], order: int) -> Iterable[tuple[str, ...]]:
    """List the n-grams of a text. They extend across sentences, as in ROUGE-1.5.5."""
    return zip(*(words[start:] for start in range(order)), strict=False)


def list_skip_bigrams(words: Sequence[str], gap: int, *, with_single_words: bool) -> Iterator[tuple[str, ...]]:
    """List the pairs of words with at most `gap` words between them, across sentences.

    With single words, all words but the last one are listed, too: ROUGE-1.5.5 leaves it out.
    """
    for place in range(len(words) - 1):
        word = words[place]
        if with_single_words:
            yield (word,)
        for other in words[place + 1 : place + gap + 2]:
            yield word, other


def number_grams(grams: Iterable[tuple[str, ...]], numbers: Numbers) -> Grams:
    """Number the n-grams or pairs of words of a text."""
    found = list(map(numbers.__getitem__, grams))
    distinct = set(found)
    if len(distinct) != len(found):
        for number, count in Counter(found).items():
            for place in range(1, count):
                distinct.add(numbers[number, place])
    return frozenset(distinct)


def match_grams(peer: Grams, reference: Grams) -> tuple[int, int, int]:
    """Match n-grams. Each counts as often as it occurs in both texts.

    Returns:
        Numbers of n-grams: matched n-grams, all of the reference, and all of the summary.
    """
    return len(peer & reference), len(reference), len(peer)


def compute_values(
    matched: float, reference_total: float, peer_total: float, *, exponent: float = 1.0
) -> dict[str, float]:
    """Compute the values of a measure from numbers of n-grams or weights, which may be sums over several references.

    Args:
        matched: Number or weight of what the summary and the references have in common.
        reference_total: That of the references.
        peer_total: That of the summary, counted once per reference.
        exponent: That of the weights. Recall and precision are roots of quotients of weights.

    Returns:
        By name of the value: recall = matched / reference_total, precision = matched / peer_total, and their harmonic
        mean, which is ROUGE-1.5.5's F with ``-p 0.5``. 0 where a denominator is 0.
    """
    recall, precision = (divide_counts(matched, total) ** (1 / exponent) for total in (reference_total, peer_total))
    f_measure = divide_counts(2 * precision * recall, precision + recall)
    return {RECALL: recall, PRECISION: precision, F_MEASURE: f_measure}


def score_rouge(
    comparisons: Sequence[Comparison],
    measures: Sequence[str],
    divide: Divide,
    *,
    jackknife: bool = False,
    workers: int = 1,
) -> Iterator[SummaryScore]:
    """Score summaries by ROUGE: recall, precision and F.

    With several references, a summary is matched with one reference at a time, and each value is that of all references
    together, as ROUGE-1.5.5 computes it with ``-f A``.

    Args:
        comparisons: Summaries with their references, sorted by topic.
        measures: Names of measures, such as "1", "2", "L", "W-1.2", "S4" and "SU4".
        divide: Divides a text into the words that are compared.
        jackknife: Whether to leave out each reference of a system in turn, and average each value.
        workers: Number of processes. It does not change the scores.

    Yields:
        The scores of a summary by `name_metric`, three for each measure, 0 to 1, in order.

    Raises:
        OptionError: If a measure is unknown.
    """
    parsed = [parse_measure(name) for name in measures]
    workers = limit_workers(workers, len(comparisons), _SUMMARIES_PER_WORKER)
    parts = divide_items(comparisons, attrgetter("peer.topic"), _SUMMARIES_AT_ONCE)
    score = partial(_score_part, measures=parsed, divide=divide, jackknife=jackknife)
    for scored in map_in_order(score, parts, workers):
        yield from scored


def _score_part(
    comparisons: Sequence[Comparison], measures: Sequence[Measure], divide: Divide, *, jackknife: bool
) -> list[SummaryScore]:
    """Score some summaries of one topic."""
    summaries = dict.fromkeys(summary for row in comparisons for summary in (row.peer, *row.references))
    words = {summary: divide("\n".join(summary.sentences)) for summary in summaries}
    values: list[dict[str, float]] = [{} for _ in comparisons]
    for measure in measures:
        if measure.exponent:
            match = _match_by_sequences(comparisons, divide, measure.exponent)
        else:
            match = _match_by_grams(words, measure)
        for comparison, by_name in zip(comparisons, values, strict=True):
            counts = [match(comparison.peer, reference) for reference in comparison.references]
            leave_out = jackknife and not comparison.is_reference
            pooled = pool_references(counts, leave_out=leave_out)
            measured = [compute_values(*totals, exponent=measure.exponent or 1.0) for totals in pooled]
            for value in ROUGE_VALUES:
                by_name[name_metric(measure.name, value)] = fmean(numbers[value] for numbers in measured)
    return [
        SummaryScore(comparison.peer.topic, comparison.peer.author, by_name)
        for comparison, by_name in zip(comparisons, values, strict=True)
    ]


Match = Callable[[Summary, Summary], tuple[float, float, float]]
"""A function that matches a summary with a reference: what they have in common, all of it, and all of the summary."""


def _match_by_grams(words: Mapping[Summary, Sequence[str]], measure: Measure) -> Match:
    numbers = make_numbers()
    grams = {}
    for summary, found in words.items():
        listed = list_ngrams(found, measure.order)
        if not measure.order:
            listed = list_skip_bigrams(found, measure.gap, with_single_words=measure.with_single_words)
        grams[summary] = number_grams(listed, numbers)
    return lambda peer, reference: match_grams(grams[peer], grams[reference])


def _match_by_sequences(comparisons: Sequence[Comparison], divide: Divide, exponent: float) -> Match:
    """Match by the longest common subsequences of each sentence of a reference with the sentences of a summary.

    The totals of weights are those of ROUGE-1.5.5: the weights of the reference's sentences are summed, and the sum is
    weighted once more, and the summary counts as one sentence.
    """
    numbers = make_numbers()

    def number_sentences(summary: Summary) -> tuple[subsequences.Sentence, ...]:
        return tuple(tuple(numbers[word,] for word in divide(sentence)) for sentence in summary.sentences)

    peers = {row.peer: number_sentences(row.peer) for row in comparisons}
    references = {reference: number_sentences(reference) for row in comparisons for reference in row.references}
    row_of, column_of = (
        {sentence: place for place, sentence in enumerate(dict.fromkeys(chain.from_iterable(texts.values())))}
        for texts in (references, peers)
    )
    hits = subsequences.find_hits(list(row_of), list(column_of), exponent)
    peer_counts = {peer: Counter(chain.from_iterable(sentences)) for peer, sentences in peers.items()}
    columns = {peer: [column_of[sentence] for sentence in sentences] for peer, sentences in peers.items()}

    def match(peer: Summary, reference: Summary) -> tuple[float, float, float]:
        sentences = references[reference]
        found = [np.asarray(hits[row_of[sentence]][columns[peer]].any(axis=0)) for sentence in sentences]
        total = subsequences.count_hits(sentences, found, peer_counts[peer], exponent)
        reference_total = sum(len(sentence) ** exponent for sentence in sentences)
        return total, reference_total**exponent, peer_counts[peer].total() ** exponent

    return match
