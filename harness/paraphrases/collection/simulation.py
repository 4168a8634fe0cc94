"""Selection of topics, in a collection that goes on, and in a simulation with the labels of a corpus of pairs.

A question shows pairs of a single topic. In a simulation, the labels of the corpus answer every question, so methods
can be compared with the same budget in many runs. Topics are selected at random, or by exploration and exploitation (Xu
et al. 2015, section 4.5). This is a multi-armed bandit: a topic is an arm, a question about it is a pull, and the
number of paraphrases in the question is the gain. Questions about a topic are asked in a fixed order. A selection is
the number of asked questions per topic.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from harness.paraphrases.collection.questions import count_share, rank_by_salience
from harness.stats.bootstrap import find_interval
from harness.stats.rounding import round_scores
from harness.support.arrays import Flags, Floats, Indices
from harness.text.words import in_lower_case, measure_pinc
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.formats.pairs.files import AnnotatedPair
from pyramid_paraphrase.words import split_words


class Plan(NamedTuple):
    """The parameters of bounded epsilon-first selection (Tran-Thanh et al. 2012), with the paper's values.

    Attributes:
        budget: B, the total number of questions.
        epsilon: The share of the budget for exploration, in (0, 1]. The paper uses 0.35 to 0.55.
        explore: m, the number of exploration questions per topic.
        limit: l, the maximum number of questions per topic.
    """

    budget: int
    epsilon: float = 0.45
    explore: int = 1
    limit: int = 10


def select_randomly(available: Indices, budget: int, stream: np.random.RandomState) -> Indices:
    """Draw the topic of each question uniformly from the topics that have questions left.

    Args:
        available: Shape (topics,), the number of questions about each topic. The sum is at least the budget.
        budget: The number of questions to ask.
        stream: Generator of random numbers.

    Returns:
        Shape (topics,), the number of questions asked about each topic.
    """
    questions_left, drawable = available.tolist(), np.flatnonzero(available).tolist()
    for draw in stream.random_sample(budget):
        position = int(draw * len(drawable))
        topic = drawable[position]
        questions_left[topic] -= 1
        if not questions_left[topic]:
            drawable[position] = drawable[-1]  # swap with the last topic, so that removal takes constant time
            drawable.pop()
    return available - np.array(questions_left, dtype=np.int64)


def select_epsilon_first(gains: Indices, available: Indices, plan: Plan, stream: np.random.RandomState) -> Indices:
    """Explore random topics, then ask about the best of them until the budget is spent.

    Exploration asks epsilon B questions, rounded down, with m questions per topic. Exploitation sorts the topics by the
    mean number of paraphrases per question so far, ties in random order. It then asks all remaining questions about one
    topic after the other until the budget is spent. If all topics have l questions, it uses about
    (1 - epsilon) B / (l - m) topics. If the explored topics have too few questions, the unexplored topics follow in
    random order. If there are too few topics to explore, exploitation gets the rest of the exploration budget.

    Args:
        gains: Shape (topics, l), number of paraphrases in each question. Questions beyond `available` are ignored.
        available: Shape (topics,), the number of questions about each topic, at most l. The sum is at least the budget.
        plan: The parameters.
        stream: Generator of random numbers.

    Returns:
        Shape (topics,), the number of questions asked about each topic.
    """
    order = stream.permutation(len(available))
    explored = _explore(order, available, plan)
    best_first = _rank_topics(gains, explored, order)
    return explored + _spend(best_first, available - explored, plan.budget - int(explored.sum()))


def _explore(order: Indices, available: Indices, plan: Plan) -> Indices:
    """Return the number of exploration questions about each topic."""
    exploring = math.floor(round(plan.epsilon * plan.budget, 6))  # 0.29 * 100 is 28.999999999999996
    return _spend(order, np.minimum(available, plan.explore), exploring)


def _rank_topics(gains: Indices, explored: Indices, order: Indices) -> Indices:
    """Sort topics by the mean number of paraphrases per explored question, ties in a given order."""
    is_explored = np.arange(gains.shape[1]) < explored[:, None]
    means = (gains * is_explored).sum(axis=1) / np.maximum(explored, 1)
    estimates = round_scores(np.where(explored > 0, means, -1.0))  # unexplored topics come last
    return np.asarray(order[np.argsort(-estimates[order], kind="stable")])


def choose_next(topics: Sequence[str], answers: Sequence[int | None], plan: Plan, seed: int) -> tuple[list[int], bool]:
    """Choose the next questions of a collection, by `select_epsilon_first` over the answers so far.

    Exploration comes first. When all its questions have answers, exploitation follows. Questions about a topic are
    asked in their order. Calls with the same seed follow the same plan.

    Args:
        topics: Topic of each question.
        answers: Number of paraphrases in the answer to each question. None without an answer.
        plan: The parameters.
        seed: Random seed of the order of topics.

    Returns:
        Indices of the questions to ask next, and whether they explore. No question if the budget is spent.
    """
    places: dict[str, list[int]] = {}
    for place, topic in enumerate(topics):
        if len(places.setdefault(topic, [])) < plan.limit:
            places[topic].append(place)
    questions = list(places.values())
    available = np.array([len(of_topic) for of_topic in questions])
    gains = np.zeros((len(questions), plan.limit), dtype=np.int64)
    for row, of_topic in enumerate(questions):
        gains[row, : len(of_topic)] = [answers[place] or 0 for place in of_topic]
    order = np.random.RandomState(seed).permutation(len(questions))
    explored = _explore(order, available, plan)
    room = plan.budget - sum(answer is not None for answer in answers)
    unexplored = [place for topic in order for place in questions[topic][: explored[topic]] if answers[place] is None]
    if unexplored:
        return unexplored[: max(0, room)], True
    selected = select_epsilon_first(gains, available, plan, np.random.RandomState(seed))
    best_first = _rank_topics(gains, explored, order)
    left = [place for topic in best_first for place in questions[topic][: selected[topic]] if answers[place] is None]
    return left[: max(0, room)], False


def _spend(order: Indices, room: Indices, budget: int) -> Indices:
    """Spend a budget on topics in a given order.

    Args:
        order: Topics in the order of use.
        room: Shape (topics,), maximum number of questions about each topic.
        budget: Number of questions.

    Returns:
        Shape (topics,), number of questions about each topic.
    """
    ordered = room[order]
    spent = np.zeros_like(room)
    spent[order] = np.clip(budget - (np.cumsum(ordered) - ordered), 0, ordered)
    return spent


class Method(NamedTuple):
    """A method that chooses questions for annotators.

    Attributes:
        name: Name of the method in reports.
        filters: Whether it filters sentences by salience.
        explores: Whether it selects topics by exploration.
    """

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
    """The n pairs of a corpus as arrays.

    Attributes:
        topics: Shape (n,), the number of each pair's topic.
        paraphrases: Shape (n,), whether a pair is labelled a paraphrase. Debatable pairs do not count as paraphrases.
        salient: Shape (n,), whether the sentence filter keeps the pair.
        pinc: Shape (n,), PINC of each paraphrase, in [0, 1]. It is 0 for other pairs.
        topic_count: Number of topics.
    """

    topics: Indices
    paraphrases: Flags
    salient: Flags
    pinc: Floats
    topic_count: int


def lay_out_pool(pairs: Sequence[AnnotatedPair], candidates: int, seed: int) -> Pool:
    """Number the topics, filter the sentences, and compute PINC of the paraphrases.

    The first sentence of a pair is the original, and the second sentence is a candidate. Words are counted over the
    distinct sentences of a topic. The filter keeps the most salient distinct candidates of each topic. All originals
    are kept, because the corpus contains no other pairs.

    Args:
        pairs: Labelled pairs.
        candidates: Percentage of a topic's candidates that the filter keeps, at least one candidate.
        seed: Seed of the hashes that break ties of salience.
    """
    numbers: dict[tuple[str, str], int] = {}
    topics = [numbers.setdefault((pair.topic, pair.topic_name), len(numbers)) for pair in pairs]
    pairs_by_topic: list[list[AnnotatedPair]] = [[] for _ in numbers]
    for topic, pair in zip(topics, pairs, strict=True):
        pairs_by_topic[topic].append(pair)
    salient = []
    for pairs_of_topic in pairs_by_topic:
        sentences = chain.from_iterable((pair.sentence1, pair.sentence2) for pair in pairs_of_topic)
        candidates_of_topic = {pair.sentence2 for pair in pairs_of_topic}
        ranked = rank_by_salience(list(dict.fromkeys(sentences)), seed)
        ranked = [sentence for sentence in ranked if sentence in candidates_of_topic]
        salient.append(frozenset(ranked[: count_share(candidates, len(ranked))]))
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


def measure_pinc_by_votes(pairs: Sequence[AnnotatedPair]) -> dict[float, list[float]]:
    """Compute PINC of all pairs with votes, by the number of votes for a paraphrase."""
    list_words = in_lower_case(split_words)
    values: dict[float, list[float]] = {}
    for pair in pairs:
        if pair.grade is not None:
            pinc = measure_pinc(list_words(pair.sentence1), list_words(pair.sentence2))
            values.setdefault(pair.grade, []).append(pinc)
    return values


def measure_shares(pool: Pool, chosen: Flags) -> Floats:
    """Compute the share of paraphrases among the chosen pairs of each topic that has chosen pairs."""
    counts = np.bincount(pool.topics[chosen], minlength=pool.topic_count)
    paraphrases = np.bincount(pool.topics[chosen & pool.paraphrases], minlength=pool.topic_count)
    return np.asarray(paraphrases[counts > 0] / counts[counts > 0])


class Yield(NamedTuple):
    """The yields of a method in all runs.

    Attributes:
        method: The method.
        paraphrases: Shape (runs,), number of paraphrases.
        topics: Shape (runs,), number of topics with paraphrases.
        pinc: Shape (runs,), mean PINC of the paraphrases. It is 0 if there are none.
    """

    method: Method
    paraphrases: Indices
    topics: Indices
    pinc: Floats

    @property
    def interval(self) -> tuple[float, float]:
        """The lowest and the highest number of paraphrases in the middle 95 % of the runs."""
        return find_interval(self.paraphrases.astype(np.float64))


def simulate_collection(pool: Pool, plan: Plan, per_question: int, runs: int, seed: int) -> list[Yield]:
    """Simulate runs of a collection with each method.

    In each run, the pairs of a topic are shuffled and divided into questions of `per_question` pairs. Remaining pairs
    are not used. All methods see the pairs in the same order.

    Args:
        pool: The pairs that can be asked about.
        plan: The parameters of topic selection.
        per_question: Number of pairs per question.
        runs: Number of runs.
        seed: Random seed. The same seed gives the same runs with any version of NumPy.

    Returns:
        The yields of each of `METHODS`.

    Raises:
        OptionError: If the budget is larger than the number of questions that a method can ask.
    """
    require_questions(pool, plan, per_question)
    # Arrays have one column per question of a topic. More columns than the largest topic needs would stay empty.
    plan = plan._replace(limit=min(plan.limit, int(np.bincount(pool.topics).max()) // per_question))
    results = np.array([_run(pool, plan, per_question, [seed, run]) for run in range(runs)])
    yields = []
    for position, method in enumerate(METHODS):
        paraphrases, topics, pinc = results[:, position].T
        yields.append(Yield(method, paraphrases.astype(np.int64), topics.astype(np.int64), pinc))
    return yields


def require_questions(pool: Pool, plan: Plan, per_question: int) -> None:
    """Check that every method has enough questions for the budget.

    Raises:
        OptionError: If the budget is larger than the number of questions that a method can ask.
    """
    for filters, description in ((False, "are available"), (True, "remain after the sentence filter")):
        counts = np.bincount(pool.topics[pool.salient | (not filters)], minlength=pool.topic_count)
        questions = int(np.minimum(counts // per_question, plan.limit).sum())
        if plan.budget > questions:
            reason = f"the budget is {plan.budget:,}, but only {questions:,} questions {description}"
            raise OptionError(f"{reason}. Lower --budget or --per-question, or raise --limit or --candidates")


def _run(pool: Pool, plan: Plan, per_question: int, seeds: list[int]) -> list[tuple[float, float, float]]:
    """Simulate a run, and return the yields of all methods."""
    # NumPy guarantees the stream of `RandomState`, but not the streams of newer generators.
    stream = np.random.RandomState(seeds)
    keys = stream.random_sample(len(pool.topics))
    questions = {
        filters: _make_questions(pool, pool.salient | (not filters), keys, plan, per_question)
        for filters in (False, True)
    }
    return [_collect(questions[method.filters], method, plan, stream) for method in METHODS]


def _make_questions(
    pool: Pool, chosen: Flags, keys: Floats, plan: Plan, per_question: int
) -> tuple[Indices, Indices, Floats]:
    """Shuffle the chosen pairs of each topic by random keys, and divide them into questions of `per_question` pairs.

    Returns:
        The number of questions about each topic, shape (topics,). The number of paraphrases in each question, and the
        sum of PINC over them, each of shape (topics, limit).
    """
    pairs = np.flatnonzero(chosen)
    pairs = pairs[np.lexsort((keys[pairs], pool.topics[pairs]))]
    topics = pool.topics[pairs]
    counts = np.bincount(topics, minlength=pool.topic_count)
    available = np.minimum(counts // per_question, plan.limit)
    first_rows = np.cumsum(counts) - counts
    numbers = (np.arange(len(pairs)) - first_rows[topics]) // per_question
    is_used = numbers < available[topics]
    positions, pairs = (topics * plan.limit + numbers)[is_used], pairs[is_used]
    gains, pinc = np.zeros((2, pool.topic_count * plan.limit))
    np.add.at(gains, positions, pool.paraphrases[pairs])
    np.add.at(pinc, positions, pool.pinc[pairs])
    shape = (pool.topic_count, plan.limit)
    return available, gains.astype(np.int64).reshape(shape), pinc.reshape(shape)


def _collect(
    questions: tuple[Indices, Indices, Floats], method: Method, plan: Plan, stream: np.random.RandomState
) -> tuple[int, int, float]:
    """Ask questions of `_make_questions` by a method.

    Returns:
        The number of paraphrases, the number of topics with paraphrases, and the mean PINC of the paraphrases.
    """
    available, gains, pinc = questions
    if method.explores:
        asked = select_epsilon_first(gains, available, plan, stream)
    else:
        asked = select_randomly(available, plan.budget, stream)
    is_asked = np.arange(plan.limit) < asked[:, None]
    gains_of_topics = (gains * is_asked).sum(axis=1)
    paraphrases = int(gains_of_topics.sum())
    return paraphrases, int((gains_of_topics > 0).sum()), float((pinc * is_asked).sum() / max(paraphrases, 1))
