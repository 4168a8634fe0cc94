"""What ways of choosing topics and sentences would have found in a corpus whose pairs are labelled already.

A question shows some pairs of one topic. Whatever is asked, the corpus answers with its labels, so that ways to choose
can be compared on the same budget, many times over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics.ngram_changes import measure_pinc
from harness.paraphrases.collection.salience import count_share, rank_by_salience
from harness.paraphrases.collection.topic_selection import Plan, select_epsilon_first, select_randomly
from harness.stats.bootstrap import find_intervals
from harness.text.tokenizers import in_lower_case
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.pair_corpora import AnnotatedPair
from pyramid_paraphrase.words import split_words

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Method(NamedTuple):
    """A way to choose what annotators are asked."""

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
        paraphrases: Shape (n,), whether a pair is labelled a paraphrase; what is debatable is none.
        salient: Shape (n,), whether the sentence filter leaves the pair.
        pinc: Shape (n,), PINC of each paraphrase, and 0 elsewhere.
        topic_count: How many topics there are.
    """

    topics: Indices
    paraphrases: Flags
    salient: Flags
    pinc: Floats
    topic_count: int


def lay_out_pool(pairs: Sequence[AnnotatedPair], candidates: int, seed: int) -> Pool:
    """Number the topics, filter the sentences, and measure how paraphrases are worded.

    The first sentence of a pair is the original, and the second a candidate. Words are counted over the distinct
    sentences of a topic. The filter leaves a share of its distinct candidates, the most salient ones; originals stay
    as they are, for the corpus has no other pairs.

    Args:
        pairs: Labelled pairs.
        candidates: Percentage of a topic's candidates that the filter leaves; at least one.
        seed: Decides between candidates that are equally salient.
    """
    numbers: dict[tuple[str, str], int] = {}
    topics = [numbers.setdefault((pair.topic, pair.topic_name), len(numbers)) for pair in pairs]
    grouped: list[list[AnnotatedPair]] = [[] for _ in numbers]
    for topic, pair in zip(topics, pairs, strict=True):
        grouped[topic].append(pair)
    salient = [_find_salient(group, candidates, seed) for group in grouped]
    list_words = in_lower_case(split_words)
    return Pool(
        topics=np.array(topics, dtype=np.int64),
        paraphrases=np.array([pair.label == 1 for pair in pairs]),
        salient=np.array([pair.sentence2 in salient[topic] for topic, pair in zip(topics, pairs, strict=True)]),
        pinc=np.array(
            [
                measure_pinc(list_words(pair.sentence1), list_words(pair.sentence2)) if pair.label == 1 else 0.0
                for pair in pairs
            ]
        ),
        topic_count=len(numbers),
    )


def _find_salient(pairs: Sequence[AnnotatedPair], percent: int, seed: int) -> frozenset[str]:
    sentences = list(dict.fromkeys(sentence for pair in pairs for sentence in (pair.sentence1, pair.sentence2)))
    candidates = {pair.sentence2 for pair in pairs}
    ranked = [sentence for sentence in rank_by_salience(sentences, seed) if sentence in candidates]
    return frozenset(ranked[: count_share(percent, len(ranked))])


def measure_shares(pool: Pool, chosen: Flags) -> Floats:
    """The share of paraphrases among the chosen pairs of each topic that has any."""
    counts = np.bincount(pool.topics[chosen], minlength=pool.topic_count)
    found = np.bincount(pool.topics[chosen & pool.paraphrases], minlength=pool.topic_count)
    return np.asarray(found[counts > 0] / counts[counts > 0])


class _Dealt(NamedTuple):
    """Questions of a run: how many each topic has, and sums over their pairs, shape (topics, limit)."""

    available: Indices
    gains: Indices
    pinc: Floats


class Yield(NamedTuple):
    """What a method found, over all runs.

    Attributes:
        method: The method.
        paraphrases: Shape (runs,), how many paraphrases.
        topics: Shape (runs,), how many topics they come from.
        pinc: Shape (runs,), their mean PINC; 0 without any.
    """

    method: Method
    paraphrases: Indices
    topics: Indices
    pinc: Floats

    @property
    def interval(self) -> list[float]:
        """The middle 95 % of the runs: where the number of paraphrases of one collection lies."""
        return find_intervals({"": self.paraphrases.astype(np.float64)})[""]


def simulate_collection(pool: Pool, plan: Plan, per_question: int, runs: int, seed: int) -> list[Yield]:
    """Collect paraphrases again and again, by each method.

    In each run the pairs of a topic are shuffled and dealt into questions; those left over are not asked. Pairs are in
    the same order for all methods.

    Args:
        pool: What can be asked.
        plan: How topics are chosen.
        per_question: How many pairs a question shows.
        runs: How often.
        seed: The same seed gives the same runs, with any version of NumPy.

    Returns:
        What each of `METHODS` found.

    Raises:
        OptionError: If a method has fewer questions than the budget.
    """
    require_questions(pool, plan, per_question)
    # Arrays have a column per question of a topic, and no more than any topic has.
    plan = plan._replace(limit=min(plan.limit, int(np.bincount(pool.topics).max()) // per_question))
    found = np.array([_run(pool, plan, per_question, [seed, run]) for run in range(runs)])
    return [
        Yield(method, found[:, place, 0].astype(np.int64), found[:, place, 1].astype(np.int64), found[:, place, 2])
        for place, method in enumerate(METHODS)
    ]


def require_questions(pool: Pool, plan: Plan, per_question: int) -> None:
    """Check that the budget can be spent.

    Raises:
        OptionError: If it is more than a method has questions.
    """
    for filters, which in ((False, "that there are"), (True, "that the sentence filter leaves")):
        counts = np.bincount(pool.topics[pool.salient | (not filters)], minlength=pool.topic_count)
        most = int(np.minimum(counts // per_question, plan.limit).sum())
        if plan.budget > most:
            reason = f"a budget of {plan.budget:,} is more than the {most:,} questions {which}"
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
    places, pairs = (topics * plan.limit + number)[asked], pairs[asked]
    gains, pinc = np.zeros((2, pool.topic_count * plan.limit))
    np.add.at(gains, places, pool.paraphrases[pairs])
    np.add.at(pinc, places, pool.pinc[pairs])
    shape = (pool.topic_count, plan.limit)
    return _Dealt(available, gains.astype(np.int64).reshape(shape), pinc.reshape(shape))


def _collect(dealt: _Dealt, method: Method, plan: Plan, stream: np.random.RandomState) -> tuple[float, float, float]:
    """Ask; return how many paraphrases were found, in how many topics, and their mean PINC."""
    if method.explores:
        asked = select_epsilon_first(dealt.gains, dealt.available, plan, stream)
    else:
        asked = select_randomly(dealt.available, plan.budget, stream)
    seen = np.arange(plan.limit) < asked[:, None]
    gains = (dealt.gains * seen).sum(axis=1)
    found = int(gains.sum())
    return found, int((gains > 0).sum()), float((dealt.pinc * seen).sum() / max(found, 1))
