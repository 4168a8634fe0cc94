"""Selection of the topics of questions: at random, or by exploration and exploitation (Xu et al. 2015, section 4.5).

This is a multi-armed bandit: a topic is an arm, a question about it is a pull, and the paraphrases in the question are
the gain. A topic has a row of questions, asked from the left. A selection is the number of asked questions per topic.
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
        budget: B, the number of questions in all.
        epsilon: The share of the budget that explores; 0.35 to 0.55 in the paper.
        explore: m, the number of questions that explore a topic.
        limit: l, the largest number of questions about a topic.
    """

    budget: int
    epsilon: float = 0.45
    explore: int = 1
    limit: int = 10


def select_randomly(available: Indices, budget: int, stream: np.random.RandomState) -> Indices:
    """Ask each question about a topic drawn from those that have questions left, all with the same chance.

    Args:
        available: Shape (topics,), the number of questions of each topic; their sum is at least the budget.
        budget: The number of questions to ask.
        stream: Random numbers.

    Returns:
        Shape (topics,), the number of questions asked about each topic.
    """
    left, drawable = available.tolist(), np.flatnonzero(available).tolist()
    for draw in stream.random_sample(budget):
        position = int(draw * len(drawable))
        topic = drawable[position]
        left[topic] -= 1
        if not left[topic]:
            drawable[position] = drawable[-1]  # moving the last topic here removes this one in constant time
            drawable.pop()
    return available - np.array(left, dtype=np.int64)


def select_epsilon_first(gains: Indices, available: Indices, plan: Plan, stream: np.random.RandomState) -> Indices:
    """Explore random topics, then ask about the best of them until each is at its limit.

    Exploration asks epsilon B questions, rounded down, m about each topic. Exploitation sorts the topics by paraphrases
    per question so far, ties in random order, and asks the remaining questions of one topic after the other until the
    budget is spent: about (1 - epsilon) B / (l - m) topics, if all have l questions. If the explored topics do not
    suffice, the unexplored ones follow in random order. If there are too few topics to explore, more of the budget is
    left to exploitation.

    Args:
        gains: Shape (topics, l), paraphrases in each question of each topic; questions beyond `available` do not count.
        available: Shape (topics,), the number of questions of each topic, at most l; their sum is at least the budget.
        plan: The parameters.
        stream: Random numbers.

    Returns:
        Shape (topics,), the number of questions asked about each topic.
    """
    order = stream.permutation(len(available))
    exploring = math.floor(round(plan.epsilon * plan.budget, 6))
    explored = _spend(order, np.minimum(available, plan.explore), exploring)
    is_explored = np.arange(gains.shape[1]) < explored[:, None]
    means = (gains * is_explored).sum(axis=1) / np.maximum(explored, 1)
    estimates = round_scores(np.where(explored > 0, means, -1.0))
    best_first = order[np.argsort(-estimates[order], kind="stable")]
    return explored + _spend(best_first, available - explored, plan.budget - int(explored.sum()))


def _spend(order: Indices, room: Indices, budget: int) -> Indices:
    """Ask as many questions as there is room for, topic by topic, until the budget is spent."""
    ordered = room[order]
    spent = np.zeros_like(room)
    spent[order] = np.clip(budget - (np.cumsum(ordered) - ordered), 0, ordered)
    return spent
