"""Differences between pairs of models on the same rows, with intervals and p-values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, overload

import numpy as np

from harness.evaluation.comparing.standings import MeasuredModel
from harness.metrics.metric import Metric
from harness.stats.bootstrap import find_interval, find_intervals_of_rows
from harness.stats.rounding import DECIMALS
from harness.stats.significance import (
    MIN_TOPICS,
    SIGNIFICANCE,
    correct_holm,
    flip_pairs,
    flip_signs,
    flip_signs_of_rows,
    round_p_values,
    unfold_pairs,
)
from harness.support.arrays import Flags, Floats, Indices

_PAIRS_AT_ONCE = 256


class Difference(NamedTuple):
    """The difference between two models in one metric of one test, recomputed from the scores.

    Attributes:
        first: Name of the first model, with which the second is compared.
        model: Name of the second model.
        first_value: The first model's value.
        value: The second model's value.
        difference: The second model's value minus the first model's.
        interval: The middle 95 % of the differences over the resamples.
        p_value: P-value of the sign-flip test over the contributions of topics (`significance.flip_signs`), two-sided.
            1 with fewer than `MIN_TOPICS` topics.
        won: Number of topics whose contribution to the difference favours the second model. The contributions of all
            topics sum to the difference. More than `significance.MOST_TOPICS` topics are merged into groups, as
            `measure_contributions` does, and a group counts as a topic.
        tied: Number of topics that contribute nothing to it.
        lost: Number of topics whose contribution favours the first model.
        corrected: The p-value, corrected for all differences in this metric of this test (Holm 1979).
    """

    first: str
    model: str
    first_value: float
    value: float
    difference: float
    interval: tuple[float, float]
    p_value: float
    won: int
    tied: int
    lost: int
    corrected: float

    @property
    def is_significant(self) -> bool:
        """Whether the corrected p-value is below the significance level."""
        return self.corrected < SIGNIFICANCE


def compare_pair(first: MeasuredModel, second: MeasuredModel, metric: Metric) -> Difference:
    """Compare two models on the same rows: an interval by the paired bootstrap over topics, a p-value by sign flips.

    The p-value does not depend on resamples or seed. The share of bootstrap differences beyond the observed one would
    be too small for few topics: benchmarks/sign_flips.py counts how often it is below 0.05 for equally good models.

    Args:
        first: The first model.
        second: The second model, measured with the same resamples and seed.
        metric: The metric.

    Returns:
        The difference. Its p-value is not corrected yet.
    """
    name = metric.name
    first_value, value = first.metrics[name], second.metrics[name]
    parts = metric.sign * (second.contributions[name] - first.contributions[name])
    gains = np.round(parts, DECIMALS)
    p_value = 1.0
    if len(parts) >= MIN_TOPICS:
        p_value = float(f"{flip_signs(parts):.6g}")  # six significant digits, so that a small p-value is not 0
    return Difference(
        first.name,
        second.name,
        first_value=first_value,
        value=value,
        difference=round(value - first_value, DECIMALS),
        interval=find_interval(second.resample()[name] - first.resample()[name]),
        p_value=p_value,
        won=int((gains > 0).sum()),
        tied=int((gains == 0).sum()),
        lost=int((gains < 0).sum()),
        corrected=p_value,
    )


class DifferenceList(Sequence[Difference]):
    """The differences between pairs of models in a metric.

    With 1,000 models, there are half a million. Only corrected p-values are computed for all of them. The intervals,
    and p-values that are surely above the significance level, are computed when a difference is needed.

    Args:
        metric: The metric.
        models: The models.
        pairs: Shape (k, 2), the indices of the first and the second model of each pair.
        p_values: Shape (k,), NaN where a p-value is surely above the significance level.
        corrected: Shape (k,), the corrected p-values.
    """

    def __init__(
        self, metric: Metric, models: Sequence[MeasuredModel], pairs: Indices, p_values: Floats, corrected: Floats
    ) -> None:
        self._metric = metric
        self._models = models
        self._pairs = pairs
        self._p_values = p_values
        self._corrected = corrected

    def __len__(self) -> int:
        return len(self._pairs)

    @overload
    def __getitem__(self, place: int) -> Difference: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Difference, ...]: ...

    def __getitem__(self, place: int | slice) -> Difference | tuple[Difference, ...]:
        """Return a difference by its index, or several differences by a slice."""
        if isinstance(place, slice):
            return tuple(self._make(np.arange(len(self))[place]))
        return next(self._make(np.arange(len(self))[[place]]))

    def __iter__(self) -> Iterator[Difference]:
        for start in range(0, len(self), _PAIRS_AT_ONCE):
            yield from self._make(np.arange(start, min(start + _PAIRS_AT_ONCE, len(self))))

    def __eq__(self, other: object) -> bool:
        """Return whether the differences are the same."""
        return isinstance(other, Sequence) and len(self) == len(other) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash((self._metric, len(self)))

    def list_marks(self) -> Iterator[tuple[str, str, float, bool]]:
        """Yield the names of both models, their difference and whether it is significant. This takes no resamples."""
        for (first, second), corrected in zip(self._pairs.tolist(), self._corrected.tolist(), strict=True):
            yield *self._subtract(first, second), corrected < SIGNIFICANCE

    def find_differing(self) -> Flags:
        """Find the models that differ significantly if each pair is tested by itself, of all pairs of models.

        Returns:
            Shape (models, models), symmetric.
        """
        return unfold_pairs(self._p_values < SIGNIFICANCE, len(self._models))

    def select(self, names: Collection[str]) -> DifferenceList:
        """Return the differences between the models with some names."""
        is_named = np.array([model.name in names for model in self._models], dtype=np.bool_)
        kept = is_named[self._pairs].all(axis=1)
        return DifferenceList(
            self._metric, self._models, self._pairs[kept], self._p_values[kept], self._corrected[kept]
        )

    def _subtract(self, first: int, second: int) -> tuple[str, str, float]:
        name, pair = self._metric.name, (self._models[first], self._models[second])
        return pair[0].name, pair[1].name, round(pair[1].metrics[name] - pair[0].metrics[name], DECIMALS)

    def _make(self, numbers: Indices) -> Iterator[Difference]:
        """Make some of the differences, by their indices."""
        name, pairs = self._metric.name, self._pairs[numbers]
        parts = self._metric.sign * _subtract_parts(name, self._models, pairs)
        p_values = self._p_values[numbers]
        unknown = np.isnan(p_values)
        p_values[unknown] = flip_signs_of_rows(parts[unknown])
        samples = {number: self._models[number].resample()[name] for number in np.unique(pairs).tolist()}
        apart = np.array([samples[second] - samples[first] for first, second in pairs.tolist()])
        gains = np.round(parts, DECIMALS)
        counts = [np.count_nonzero(is_counted, axis=1).tolist() for is_counted in (gains > 0, gains == 0, gains < 0)]
        columns = (round_p_values(p_values).tolist(), *counts, self._corrected[numbers].tolist())
        for (first, second), interval, *facts in zip(
            pairs.tolist(), find_intervals_of_rows(apart), *columns, strict=True
        ):
            first_name, model, difference = self._subtract(first, second)
            first_value, value = (self._models[place].metrics[name] for place in (first, second))
            yield Difference(first_name, model, first_value, value, difference, interval, *facts)


def _subtract_parts(name: str, models: Sequence[MeasuredModel], pairs: Indices) -> Floats:
    """Subtract the contributions of the first model of each pair from those of the second, shape (pairs, topics)."""
    contributions = np.array([model.contributions[name] for model in models])
    return np.asarray(contributions[pairs[:, 1]] - contributions[pairs[:, 0]])


def compare_all(
    metric: Metric,
    models: Sequence[MeasuredModel],
    track: Callable[[Iterable[Floats]], Iterable[Floats]] = lambda rows: rows,
) -> DifferenceList:
    """Compare all models with each other. The worse model of a pair is the first one.

    Args:
        metric: The metric.
        models: The models, the best one first.
        track: Function that follows an iteration over the models.
    """
    better, worse = np.triu_indices(len(models), 1)
    pairs = np.stack([worse, better], axis=1)
    contributions = np.array([model.contributions[metric.name] for model in models])
    p_values = np.ones(len(pairs))
    if contributions.shape[1] >= MIN_TOPICS:
        p_values = np.concatenate([np.empty(0), *track(flip_pairs(contributions, SIGNIFICANCE))])
    return _correct(metric, models, pairs, p_values)


def compare_with(metric: Metric, models: Sequence[MeasuredModel], against: str) -> DifferenceList:
    """Compare all models with one of them, the first model of all pairs. For the arguments, see `compare_all`."""
    names = [model.name for model in models]
    baseline = names.index(against)
    pairs = np.array([(baseline, number) for number in range(len(models)) if number != baseline])
    p_values = np.ones(len(pairs))
    if len(models[0].contributions[metric.name]) >= MIN_TOPICS:
        p_values = flip_signs_of_rows(_subtract_parts(metric.name, models, pairs))
    return _correct(metric, models, pairs, p_values)


def _correct(metric: Metric, models: Sequence[MeasuredModel], pairs: Indices, p_values: Floats) -> DifferenceList:
    """Correct the p-values of all pairs. If at least 1 / `SIGNIFICANCE` of them are above the level, these become 1."""
    unknown = np.isnan(p_values)
    is_above = unknown | (p_values > SIGNIFICANCE)
    if is_above.sum() < 1 / SIGNIFICANCE:
        p_values[unknown] = flip_signs_of_rows(_subtract_parts(metric.name, models, pairs[unknown]))
        is_above[:] = False
    corrected = np.ones(len(pairs))
    corrected[~is_above] = correct_holm(round_p_values(p_values[~is_above]).tolist(), len(pairs))
    return DifferenceList(metric, models, pairs, p_values, corrected)
