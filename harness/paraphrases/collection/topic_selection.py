"""Which topics to ask annotators about: at random, or first exploring, then those that gave most (section 4.5).

A topic is a slot machine, a question about it a pull of its arm, and the paraphrases found in it the gain. A topic has
a *row* of questions, asked from the left; a selection says how many of each topic's questions are asked.
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
        budget: B, how many questions are asked in all.
        epsilon: Which share of the budget explores; the paper has 0.35 to 0.55.
        explore: m, how many questions a topic is explored with.
        limit: l, how many questions a topic gets at most.
    """

    budget: int
    epsilon: float = 0.45
    explore: int = 1
    limit: int = 10


def select_randomly(available: Indices, budget: int, stream: np.random.RandomState) -> Indices:
    """Ask each question about a topic drawn from those that have questions left, all with the same chance.

    Args:
        available: Shape (topics,), how many questions each topic has; their sum is at least the budget.
        budget: How many questions are asked.
        stream: Random numbers.

    Returns:
        Shape (topics,), how many are asked about each.
    """
    left, drawable = available.tolist(), np.flatnonzero(available).tolist()
    for draw in stream.random_sample(budget):
        place = int(draw * len(drawable))
        topic = drawable[place]
        left[topic] -= 1
        if not left[topic]:
            drawable[place] = drawable[-1]
            drawable.pop()
    return available - np.array(left, dtype=np.int64)


def select_epsilon_first(gains: Indices, available: Indices, plan: Plan, stream: np.random.RandomState) -> Indices:
    """Explore random topics, then ask about the best of them until each is at its limit.

    Exploration asks epsilon B questions, rounded down, m about each topic. Exploitation sorts the topics by paraphrases
    per question so far, equals in random order, and asks all that a topic has left, topic by topic, until the budget is
    spent: (1 - epsilon) B / (l - m) topics where all have l questions. Should the explored ones not suffice, others
    follow in random order; should there be too few to explore, more is left to exploit.

    Args:
        gains: Shape (topics, l), paraphrases in each question of each topic; those beyond `available` do not count.
        available: Shape (topics,), how many questions each topic has, at most l; their sum is at least the budget.
        plan: The parameters.
        stream: Random numbers.

    Returns:
        Shape (topics,), how many are asked about each.
    """
    order = stream.permutation(len(available))
    exploring = math.floor(round(plan.epsilon * plan.budget, 6))
    explored = _spend(order, np.minimum(available, plan.explore), exploring)
    seen = np.arange(gains.shape[1]) < explored[:, None]
    estimates = round_scores(np.where(explored > 0, (gains * seen).sum(axis=1) / np.maximum(explored, 1), -1.0))
    best_first = order[np.argsort(-estimates[order], kind="stable")]
    return explored + _spend(best_first, available - explored, plan.budget - int(explored.sum()))


def _spend(order: Indices, room: Indices, budget: int) -> Indices:
    """Ask all that there is room for, topic by topic, until the budget is spent; the last one may get fewer."""
    ordered = room[order]
    spent = np.zeros_like(room)
    spent[order] = np.clip(budget - (np.cumsum(ordered) - ordered), 0, ordered)
    return spent
