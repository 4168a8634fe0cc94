"""Selection of the topics of questions: at random, or by exploration and exploitation (Xu et al. 2015, section 4.5).

This is a multi-armed bandit: a topic is an arm, a question about it is a pull, and the number of paraphrases in the
question is the gain. Questions about a topic are asked in a fixed order. A selection is the number of asked questions
per topic.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.stats.rounding import round_scores

Indices = npt.NDArray[np.int64]


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
    exploring = math.floor(round(plan.epsilon * plan.budget, 6))  # 0.29 * 100 is 28.999999999999996
    explored = _spend(order, np.minimum(available, plan.explore), exploring)
    is_explored = np.arange(gains.shape[1]) < explored[:, None]
    means = (gains * is_explored).sum(axis=1) / np.maximum(explored, 1)
    estimates = round_scores(np.where(explored > 0, means, -1.0))  # unexplored topics come last
    best_first = order[np.argsort(-estimates[order], kind="stable")]
    return explored + _spend(best_first, available - explored, plan.budget - int(explored.sum()))


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
