"""ROUGE: the n-grams, subsequences and skip-bigrams that a summary and its references have in common (Lin 2004)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from harness.summarization import subsequences
from harness.summarization.grams import TopicGrams
from harness.summarization.references import Comparison
from harness.summarization.summaries import Summary
from harness.summarization.summary_scores import SummaryScore
from harness.support.arrays import Floats
from harness.support.workers import divide_items, limit_workers, map_in_order
from harness.text.stems import Divide
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.words import is_plain

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


def compute_values(matched: Floats, reference_total: Floats, peer_total: Floats, *, exponent: float = 1.0) -> Floats:
    """Compute the values of a measure from numbers of n-grams or weights, which may be sums over several references.

    Args:
        matched: Number or weight of what a summary and the references have in common.
        reference_total: That of the references.
        peer_total: That of the summary, counted once per reference.
        exponent: That of the weights. Recall and precision are roots of quotients of weights.

    Returns:
        For each element of the arrays, in the order of `ROUGE_VALUES`: recall = matched / reference_total, precision =
        matched / peer_total, and their harmonic mean, which is ROUGE-1.5.5's F with ``-p 0.5``. 0 where a denominator
        is 0.
    """
    recall, precision = (_divide(matched, total) for total in (reference_total, peer_total))
    if exponent != 1:  # Python's powers have the same last digits on all processors, and NumPy's do not
        recall, precision = (
            np.reshape([value ** (1 / exponent) for value in quotient.ravel().tolist()], quotient.shape)
            for quotient in (recall, precision)
        )
    return np.stack([recall, precision, _divide(2 * precision * recall, precision + recall)], axis=-1)


def _divide(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole != 0)


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
    references = list(dict.fromkeys(reference for row in comparisons for reference in row.references))
    columns = {reference: column for column, reference in enumerate(references)}
    groups = defaultdict(list)
    for row, comparison in enumerate(comparisons):
        leave_out = jackknife and not comparison.is_reference
        groups[leave_out, tuple(map(columns.__getitem__, comparison.references))].append(row)
    texts = _number_words(references, [row.peer for row in comparisons], divide, measures)
    values: list[dict[str, float]] = [{} for _ in comparisons]
    for measure, matched, totals in _match(texts, len(references), measures):
        names = [name_metric(measure.name, value) for value in ROUGE_VALUES]
        for (leave_out, chosen), rows in groups.items():
            shape = (len(rows), len(chosen))
            counts = (
                matched[np.ix_(rows, chosen)],
                np.broadcast_to(totals[list(chosen)], shape),
                np.broadcast_to(totals[len(references) :][rows, None], shape),
            )
            pooled = (_pool(count.astype(np.float64), leave_out=leave_out) for count in counts)
            by_row = compute_values(*pooled, exponent=measure.exponent or 1.0).transpose(0, 2, 1).tolist()
            for row, by_value in zip(rows, by_row, strict=True):
                values[row].update(zip(names, map(fmean, by_value), strict=True))
    return [
        SummaryScore(comparison.peer.topic, comparison.peer.author, by_name)
        for comparison, by_name in zip(comparisons, values, strict=True)
    ]


class _Text(NamedTuple):
    """The words of a text, by their numbers. Words that no reference has are negative.

    Attributes:
        words: Its words.
        sentences: The words of its sentences. In scripts without blanks, they can be other words.
    """

    words: list[int]
    sentences: list[tuple[int, ...]]


def _number_words(
    references: Sequence[Summary], peers: Sequence[Summary], divide: Divide, measures: Sequence[Measure]
) -> list[_Text]:
    """Number the words of references and summaries."""
    by_sentence = any(measure.exponent for measure in measures)
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    texts = []
    for place, summary in enumerate(chain(references, peers)):
        if place == len(references):
            numbers.default_factory = lambda: -1
        text = "\n".join(summary.sentences)
        sentences = []
        if by_sentence:
            sentences = [tuple(map(numbers.__getitem__, divide(sentence))) for sentence in summary.sentences]
        if sentences and is_plain(text):
            words = list(chain.from_iterable(sentences))
        else:
            words = list(map(numbers.__getitem__, divide(text)))
        texts.append(_Text(words, sentences))
    return texts


def _match(
    texts: Sequence[_Text], references: int, measures: Sequence[Measure]
) -> Iterator[tuple[Measure, npt.NDArray[Any], npt.NDArray[Any]]]:
    """Match summaries with references: by measure, what they have in common, and all of each text.

    Args:
        texts: The texts of references, and then those of summaries.
        references: The number of references.
        measures: The measures.

    Yields:
        A measure, numbers or weights of shape (summaries, references), and those of each text.
    """
    grams = TopicGrams([text.words for text in texts[:references]], [text.words for text in texts[references:]])
    exponents = [measure.exponent for measure in measures if measure.exponent]
    by_sequence = iter(_match_sequences(texts[:references], texts[references:], exponents))
    for measure in measures:
        if measure.exponent:
            yield measure, *next(by_sequence)
        elif measure.order:
            yield measure, *grams.match_ngrams(measure.order)
        else:
            yield measure, *grams.match_skip_bigrams(measure.gap, with_single_words=measure.with_single_words)


def _match_sequences(
    references: Sequence[_Text], peers: Sequence[_Text], exponents: Sequence[float]
) -> Iterator[tuple[Floats, Floats]]:
    """Match by the longest common subsequences of each sentence of a reference with the sentences of a summary.

    The totals of weights are those of ROUGE-1.5.5: the weights of the reference's sentences are summed, and the sum is
    weighted once more, and the summary counts as one sentence.
    """
    if not exponents:
        return
    distinct = (dict.fromkeys(chain.from_iterable(text.sentences for text in texts)) for texts in (references, peers))
    row_of, column_of = ({sentence: place for place, sentence in enumerate(sentences)} for sentences in distinct)
    columns = [[column_of[sentence] for sentence in peer.sentences] for peer in peers]
    size = 1 + max(chain.from_iterable(row_of), default=0)
    lengths = [sum(map(len, peer.sentences)) for peer in peers]
    peer_counts = np.zeros((len(peers), size + 1), dtype=np.int64)
    for counts, peer in zip(peer_counts, peers, strict=True):
        words = np.array(list(chain.from_iterable(peer.sentences)), dtype=np.int64)
        counts[:] = np.bincount(words[words >= 0], minlength=size + 1)
    for exponent, hits in zip(exponents, subsequences.find_hits(list(row_of), list(column_of), exponents), strict=True):
        matched = np.zeros((len(peers), len(references)))
        totals = []
        for place, reference in enumerate(references):
            sentences = reference.sentences
            starts = np.cumsum([0, *map(len, sentences)], dtype=np.int64)[:-1]
            words = np.array(list(chain.from_iterable(sentences)), dtype=np.int64)
            of_peers = np.zeros((len(peers), len(words)), dtype=np.bool_)
            if len(words):
                found = np.concatenate([hits[row_of[sentence]] for sentence in sentences], axis=1)
                for flags, chosen in zip(of_peers, columns, strict=True):
                    flags[:] = found[chosen].any(axis=0)
                matched[:, place] = subsequences.count_hits(words, starts, of_peers, peer_counts, exponent)
            totals.append(sum(len(sentence) ** exponent for sentence in sentences) ** exponent)
        yield matched, np.array([*totals, *(length**exponent for length in lengths)])


def _pool(counts: Floats, *, leave_out: bool) -> Floats:
    """Add up numbers or weights of all references, as `pool_references` does, for all summaries at once."""
    total = np.zeros(len(counts))
    for column in counts.T:  # in this order, for equal last digits
        total = total + column
    return total[:, None] - counts if leave_out else total[:, None]
