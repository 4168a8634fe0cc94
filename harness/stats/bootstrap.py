"""The bootstrap over topics. Topics are drawn instead of rows, because rows of one topic are not independent.

In a resample, the weight w_t of topic t is the number of times that it was drawn. A pair across topics a and b has the
weight w_a w_b, and a pair within a has the weight w_a. Rows with the same topics form a *cell*, and every metric is
computed for all resamples at once from sums over cells. Thresholds are fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from harness.stats.rounding import DECIMALS
from harness.support.arrays import Floats, Indices, number_values

Samples = Mapping[str, Floats]
Measure = Callable[[Floats], Samples]
"""A function from weights of topics, shape (resamples, topics), to metrics by name, shape (resamples,)."""

RESAMPLES, SEED = 1000, 0
"""Number of resamples and random seed of all reports that do not ask the user for them."""

CONFIDENCE = 0.95
_WEIGHTS_AT_ONCE = 2_000_000
"""Resamples times topics that are drawn at a time. Each of these numbers takes tens of bytes."""


def draw_weights(topic_count: int, resamples: int, seed: int) -> Floats:
    """Draw topics with replacement.

    Args:
        topic_count: Number of topics, and of draws per resample.
        resamples: Number of resamples.
        seed: Random seed. The same seed gives the same draws with any version of NumPy.

    Returns:
        Shape (resamples, topics): number of times that each topic was drawn.
    """
    return np.concatenate(list(_draw_parts(topic_count, resamples, seed)))


def _draw_parts(topic_count: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield blocks of resamples to bound memory, because each pair of a corpus of pairs may be its own topic."""
    stream = np.random.RandomState(seed)  # the streams of newer generators may change
    step = max(1, _WEIGHTS_AT_ONCE // topic_count)
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        cells = stream.randint(topic_count, size=(count, topic_count))
        cells += topic_count * np.arange(count)[:, None]
        counts = np.bincount(cells.ravel(), minlength=count * topic_count)
        yield counts.reshape(count, topic_count).astype(np.float64)


def bootstrap(measure: Measure, topic_count: int, resamples: int, seed: int) -> Samples:
    """Compute metrics under the weights of `draw_weights`, without all weights in memory at once.

    Args:
        measure: The metrics, as `make_measure` prepares them.
        topic_count: Number of topics.
        resamples: Number of resamples.
        seed: Random seed.

    Returns:
        Values by name of the metric, shape (resamples,).
    """
    return join_samples([measure(weights) for weights in _draw_parts(topic_count, resamples, seed)])


def join_samples(parts: Sequence[Samples]) -> Samples:
    """Concatenate the values of several parts, metric by metric."""
    joined = {}
    for name in parts[0]:
        joined[name] = np.concatenate([part[name] for part in parts])
    return joined


def find_intervals(samples: Samples) -> dict[str, tuple[float, float]]:
    """Find the percentile interval of each metric, as `find_interval` does."""
    if not samples:
        return {}
    return dict(zip(samples, find_intervals_of_rows(np.stack(list(samples.values()))), strict=True))


def find_interval(values: Floats) -> tuple[float, float]:
    """Find a percentile interval: the lower and upper end of the middle 95 % of resamples, shape (resamples,)."""
    return find_intervals_of_rows(values[None, :])[0]


def find_intervals_of_rows(values: Floats) -> list[tuple[float, float]]:
    """Find the percentile interval of each row of resamples, shape (n, resamples), as `find_interval` does."""
    tail = (1 - CONFIDENCE) / 2
    lower, upper = np.quantile(values, (tail, 1 - tail), axis=1).tolist()
    return [(round(low, DECIMALS), round(high, DECIMALS)) for low, high in zip(lower, upper, strict=True)]


class Cells(NamedTuple):
    """The cells of some rows: the pairs of topics that have rows.

    Attributes:
        of_rows: Shape (n,), the cell of each row.
        left: Shape (cells,), the lower of the two topics.
        right: Shape (cells,), the higher of the two topics.
    """

    of_rows: Indices
    left: Indices
    right: Indices

    @property
    def total(self) -> int:
        """Number of cells."""
        return len(self.left)

    def weigh(self, weights: Floats) -> Floats:
        """Compute weights of cells, shape (resamples, cells), from weights of topics, shape (resamples, topics)."""
        within = self.left == self.right
        if within.all():
            return weights[:, self.left]
        # By cell, because each is then a copy of whole rows. A pair within a topic is multiplied by a row of ones.
        by_topic = np.concatenate([weights.T, np.ones((1, len(weights)))])
        by_cell = by_topic[self.left]
        by_cell *= by_topic[np.where(within, weights.shape[1], self.right)]
        return by_cell.T


def find_cells(topics: Indices, topic_count: int) -> Cells:
    """Divide rows into cells.

    Args:
        topics: Shape (n, 2), indices of the topics of both sides.
        topic_count: Number of topics.
    """
    left, right = topics.T
    cells, of_rows = number_values(np.minimum(left, right) * topic_count + np.maximum(left, right))
    return Cells(of_rows, *np.divmod(cells, topic_count))
