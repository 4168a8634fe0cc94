"""The bootstrap over topics: rows of one topic are not independent, so topics are drawn, not rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Samples = Mapping[str, Floats]
Measure = Callable[[Floats], Samples]
"""From weights of topics, shape (resamples, topics), to metrics by name, shape (resamples,)."""

CONFIDENCE = 0.95
_WEIGHTS_AT_ONCE = 2_000_000
"""Resamples times topics that are drawn at a time; each takes some tens of bytes."""


def draw_weights(topic_count: int, resamples: int, seed: int) -> Floats:
    """Draw topics with replacement.

    Args:
        topic_count: How many there are, and are drawn each time.
        resamples: How often.
        seed: The same seed gives the same draws, with any version of NumPy.

    Returns:
        Shape (resamples, topics): how often each was drawn.
    """
    return np.concatenate(list(_draw_parts(topic_count, resamples, seed)))


def _draw_parts(topic_count: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield a few resamples at a time: corpora of pairs have up to a topic per pair."""
    stream = np.random.RandomState(seed)  # the streams of newer generators may change
    step = max(1, _WEIGHTS_AT_ONCE // topic_count)
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        cells = stream.randint(topic_count, size=(count, topic_count))
        cells += topic_count * np.arange(count)[:, None]
        counts = np.bincount(cells.ravel(), minlength=count * topic_count)
        yield counts.reshape(count, topic_count).astype(np.float64)


def bootstrap(measure: Measure, topic_count: int, resamples: int, seed: int) -> Samples:
    """Measure under weights as `draw_weights` draws them, never holding all of them at once.

    Args:
        measure: The metrics, such as `make_measure` prepares them.
        topic_count: How many topics there are.
        resamples: How often they are drawn.
        seed: Of the draws.

    Returns:
        By name of the metric, shape (resamples,).
    """
    return join_samples([measure(weights) for weights in _draw_parts(topic_count, resamples, seed)])


def join_samples(parts: Sequence[Samples]) -> Samples:
    """Join samples, or topics, of which each part has some."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def find_intervals(samples: Samples) -> dict[str, list[float]]:
    """The percentiles that hold the middle 95 % of the resamples, lower and upper, per metric."""
    tail = (1 - CONFIDENCE) / 2
    return {
        name: [round(float(end), 6) for end in np.quantile(values, (tail, 1 - tail))]
        for name, values in samples.items()
    }
