"""Simulation of a collection: the yields of methods that choose topics and sentences in a corpus of labelled pairs.

A question shows some pairs of one topic. The labels of the corpus answer every question, so that methods can be
compared on the same budget, many times over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.paraphrases.collection.salience import count_share, rank_by_salience
from harness.paraphrases.collection.topic_selection import Plan, select_epsilon_first, select_randomly
from harness.stats.bootstrap import find_intervals
from harness.text.ngram_changes import measure_pinc
from harness.text.tokenizers import in_lower_case
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.pair_corpora import AnnotatedPair
from pyramid_paraphrase.words import split_words

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Method(NamedTuple):
    """A method that chooses the questions to annotators, with or without sentence filter and topic selection."""

    name: str
    filters: bool
    explores: bool


METHODS = (
    Method("random", filters=False, explores=False),
    Method("sentence filter", filters=True, explores=False),
    Method("topic selection", filters=False, explores=True),
    Method("both", filters=True, explores=True),
)


@dataclass(frozen=True, slots=True)
class Pool:
    """The pairs of a corpus as arrays; n pairs.

    Attributes:
        topics: Shape (n,), the number of each pair's topic.
        paraphrases: Shape (n,), whether a pair is labelled a paraphrase; debatable pairs are not.
        salient: Shape (n,), whether the sentence filter keeps the pair.
        pinc: Shape (n,), PINC of each paraphrase, and 0 elsewhere.
        topic_count: Number of topics.
    """

    topics: Indices
    paraphrases: Flags
    salient: Flags
    pinc: Floats
    topic_count: int


def lay_out_pool(pairs: Sequence[AnnotatedPair], candidates: int, seed: int) -> Pool:
    """Number the topics, filter the sentences, and measure PINC of the paraphrases.

    The first sentence of a pair is the original, and the second a candidate. Words are counted over the distinct
    sentences of a topic. The filter keeps a share of the distinct candidates of a topic, the most salient ones. All
    originals are kept, because the corpus has no other pairs.

    Args:
        pairs: Labelled pairs.
        candidates: Percentage of a topic's candidates that the filter keeps; it keeps at least one.
        seed: Seed by which equally salient candidates are sorted.
    """
    numbers: dict[tuple[str, str], int] = {}
    topics = [numbers.setdefault((pair.topic, pair.topic_name), len(numbers)) for pair in pairs]
    pairs_by_topic: list[list[AnnotatedPair]] = [[] for _ in numbers]
    for topic, pair in zip(topics, pairs, strict=True):
        pairs_by_topic[topic].append(pair)
    salient = [_find_salient(pairs_of_topic, candidates, seed) for pairs_of_topic in pairs_by_topic]
    paraphrases = np.array([pair.label == 1 for pair in pairs])
    pinc = np.zeros(len(pairs))
    list_words = in_lower_case(split_words)
    for index in np.flatnonzero(paraphrases).tolist():
        pinc[index] = measure_pinc(list_words(pairs[index].sentence1), list_words(pairs[index].sentence2))
    return Pool(
        topics=np.array(topics, dtype=np.int64),
        paraphrases=paraphrases,
        salient=np.array([pair.sentence2 in salient[topic] for topic, pair in zip(topics, pairs, strict=True)]),
        pinc=pinc,
        topic_count=len(numbers),
    )


def _find_salient(pairs: Sequence[AnnotatedPair], percent: int, seed: int) -> frozenset[str]:
    both_sentences = chain.from_iterable((pair.sentence1, pair.sentence2) for pair in pairs)
    sentences = list(dict.fromkeys(both_sentences))
    candidates = {pair.sentence2 for pair in pairs}
    ranked = [sentence for sentence in rank_by_salience(sentences, seed) if sentence in candidates]
    return frozenset(ranked[: count_share(percent, len(ranked))])


def measure_shares(pool: Pool, chosen: Flags) -> Floats:
    """Compute the share of paraphrases among the chosen pairs of each topic that has chosen pairs."""
    counts = np.bincount(pool.topics[chosen], minlength=pool.topic_count)
    paraphrases = np.bincount(pool.topics[chosen & pool.paraphrases], minlength=pool.topic_count)
    return np.asarray(paraphrases[counts > 0] / counts[counts > 0])


class _Dealt(NamedTuple):
    """Questions of a run.

    Attributes:
        available: Shape (topics,), number of questions of each topic.
        gains: Shape (topics, limit), number of paraphrases in each question.
        pinc: Shape (topics, limit), sum of their PINC.
    """

    available: Indices
    gains: Indices
    pinc: Floats


class Yield(NamedTuple):
    """The yields of a method in all runs.

    Attributes:
        method: The method.
        paraphrases: Shape (runs,), number of paraphrases.
        topics: Shape (runs,), number of topics that they come from.
        pinc: Shape (runs,), their mean PINC; 0 without paraphrases.
    """

    method: Method
    paraphrases: Indices
    topics: Indices
    pinc: Floats

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the middle 95 % of the runs, in which the yield of a collection lies."""
        return find_intervals({"": self.paraphrases.astype(np.float64)})[""]


def simulate_collection(pool: Pool, plan: Plan, per_question: int, runs: int, seed: int) -> list[Yield]:
    """Simulate runs of a collection by each method.

    In each run the pairs of a topic are shuffled and dealt into questions. Left-over pairs are not asked about. Pairs
    are in the same order for all methods.

    Args:
        pool: The pairs that can be asked about.
        plan: The parameters of topic selection.
        per_question: Number of pairs of a question.
        runs: Number of runs.
        seed: Random seed; the same seed gives the same runs, with any version of NumPy.

    Returns:
        The yields of each of `METHODS`.

    Raises:
        OptionError: If a method has fewer questions than the budget.
    """
    require_questions(pool, plan, per_question)
    # Arrays have a column per question of a topic, and no more than any topic has.
    plan = plan._replace(limit=min(plan.limit, int(np.bincount(pool.topics).max()) // per_question))
    results = np.array([_run(pool, plan, per_question, [seed, run]) for run in range(runs)])
    yields = []
    for position, method in enumerate(METHODS):
        paraphrases, topics, pinc = results[:, position].T
        yields.append(Yield(method, paraphrases.astype(np.int64), topics.astype(np.int64), pinc))
    return yields


def require_questions(pool: Pool, plan: Plan, per_question: int) -> None:
    """Check that the budget can be spent.

    Raises:
        OptionError: If the budget is larger than the number of questions of a method.
    """
    for filters, description in ((False, "that there are"), (True, "that the sentence filter leaves")):
        counts = np.bincount(pool.topics[pool.salient | (not filters)], minlength=pool.topic_count)
        most = int(np.minimum(counts // per_question, plan.limit).sum())
        if plan.budget > most:
            reason = f"a budget of {plan.budget:,} is more than the {most:,} questions {description}"
            raise OptionError(f"{reason}; lower --budget or --per-question, or raise --limit or --candidates")


def _run(pool: Pool, plan: Plan, per_question: int, seeds: list[int]) -> list[tuple[float, float, float]]:
    stream = np.random.RandomState(seeds)  # the streams of newer generators may change
    keys = stream.random_sample(len(pool.topics))
    dealt = {filters: _deal(pool, pool.salient | (not filters), keys, plan, per_question) for filters in (False, True)}
    return [_collect(dealt[method.filters], method, plan, stream) for method in METHODS]


def _deal(pool: Pool, chosen: Flags, keys: Floats, plan: Plan, per_question: int) -> _Dealt:
    """Shuffle the chosen pairs of each topic by their keys, and deal them into full questions."""
    pairs = np.flatnonzero(chosen)
    pairs = pairs[np.lexsort((keys[pairs], pool.topics[pairs]))]
    topics = pool.topics[pairs]
    counts = np.bincount(topics, minlength=pool.topic_count)
    available = np.minimum(counts // per_question, plan.limit)
    number = (np.arange(len(pairs)) - (np.cumsum(counts) - counts)[topics]) // per_question
    asked = number < available[topics]
    positions, pairs = (topics * plan.limit + number)[asked], pairs[asked]
    gains, pinc = np.zeros((2, pool.topic_count * plan.limit))
    np.add.at(gains, positions, pool.paraphrases[pairs])
    np.add.at(pinc, positions, pool.pinc[pairs])
    shape = (pool.topic_count, plan.limit)
    return _Dealt(available, gains.astype(np.int64).reshape(shape), pinc.reshape(shape))


def _collect(dealt: _Dealt, method: Method, plan: Plan, stream: np.random.RandomState) -> tuple[float, float, float]:
    """Ask questions by a method; return the number of paraphrases, of their topics, and their mean PINC."""
    if method.explores:
        asked = select_epsilon_first(dealt.gains, dealt.available, plan, stream)
    else:
        asked = select_randomly(dealt.available, plan.budget, stream)
    is_asked = np.arange(plan.limit) < asked[:, None]
    gains = (dealt.gains * is_asked).sum(axis=1)
    paraphrases = int(gains.sum())
    mean_pinc = float((dealt.pinc * is_asked).sum() / max(paraphrases, 1))
    return paraphrases, int((gains > 0).sum()), mean_pinc
