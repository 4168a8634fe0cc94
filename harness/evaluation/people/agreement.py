"""Agreement of people on the rows of a test, with intervals by the bootstrap over topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.evaluation.people.judgements import NO_ANSWER, Judgements
from harness.stats.agreement import compute_alpha, compute_fleiss_kappa, compute_kappa
from harness.stats.bootstrap import Cells, bootstrap, find_cells, find_intervals
from harness.stats.rounding import DECIMALS

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

MAX_UNDEFINED = 0.05
"""Largest share of resamples in which a coefficient may be undefined. Above this share, there is no interval."""

ALPHA, FLEISS, COHEN = "Krippendorff's alpha", "Fleiss' kappa", "Cohen's kappa"


class Agreement(NamedTuple):
    """A coefficient of agreement.

    Attributes:
        coefficient: Its name.
        people: Names of the people whose answers it compares.
        rows: Number of rows from which it is computed.
        value: Its value, at most 1. None if it is not defined.
        interval: The ends of its 95 % interval. None if there is no interval.
    """

    coefficient: str
    people: tuple[str, ...]
    rows: int
    value: float | None
    interval: tuple[float, float] | None


class _Coefficient(NamedTuple):
    """A coefficient that is computed from sums over rows.

    Attributes:
        name: Its name.
        people: Names of the people whose answers it compares.
        is_used: Shape (n,), whether a row counts.
        terms: Shape (n, t), the terms that each row adds to the sums.
        compute: From sums, shape (resamples, t), to values, shape (resamples,).
    """

    name: str
    people: tuple[str, ...]
    is_used: npt.NDArray[np.bool_]
    terms: Floats
    compute: Callable[[Floats], Floats]


def measure_agreement(judgements: Judgements, resamples: int, seed: int) -> list[Agreement]:
    """Measure the agreement of all people, and of each pair of people.

    Intervals are percentiles of the bootstrap over topics, like those of metrics: a row across two topics has the
    product of their weights. There is no interval if all rows are of one topic, or if the coefficient is undefined in
    more than 5 % of the resamples.

    Args:
        judgements: The judgements.
        resamples: Number of resamples.
        seed: Random seed.

    Returns:
        Krippendorff's alpha, Fleiss' kappa of the rows that everybody judged, and Cohen's kappa of each pair of people.
        Empty for a single person.
    """
    if len(judgements.people) == 1:
        return []
    coefficients = list(_list_coefficients(judgements))
    names, topics = np.unique(judgements.rows.topics[judgements.places], return_inverse=True)
    intervals: list[tuple[float, float] | None] = [None] * len(coefficients)
    if len(names) > 1:
        cells = find_cells(topics.reshape(-1, 2), len(names))  # some versions of NumPy return it flat
        intervals = _find_intervals(coefficients, cells, len(names), resamples, seed)
    measured = []
    for coefficient, interval in zip(coefficients, intervals, strict=True):
        value = float(coefficient.compute(coefficient.terms.sum(axis=0, keepdims=True))[0])
        is_defined = not np.isnan(value)
        measured.append(
            Agreement(
                coefficient=coefficient.name,
                people=coefficient.people,
                rows=int(coefficient.is_used.sum()),
                value=round(value, DECIMALS) if is_defined else None,
                interval=interval if is_defined else None,
            )
        )
    return measured


def _find_intervals(
    coefficients: Sequence[_Coefficient], cells: Cells, topic_count: int, resamples: int, seed: int
) -> list[tuple[float, float] | None]:
    """Find the interval of each coefficient from the same resamples of topics."""
    sums = [_sum_cells(coefficient.terms, cells) for coefficient in coefficients]

    def measure(weights: Floats) -> dict[str, Floats]:
        weight = cells.weigh(weights)
        return {str(n): coefficient.compute(weight @ sums[n]) for n, coefficient in enumerate(coefficients)}

    samples = bootstrap(measure, topic_count, resamples, seed)
    return [_find_interval(samples[str(number)]) for number in range(len(coefficients))]


def _sum_cells(terms: Floats, cells: Cells) -> Floats:
    """Sum the terms of the rows of each cell, shape (cells, t)."""
    columns = [np.bincount(cells.of_rows, weights=column, minlength=cells.total) for column in terms.T]
    return np.stack(columns, axis=1)


def _find_interval(values: Floats) -> tuple[float, float] | None:
    """Find the interval of a coefficient from its values in resamples, NaN where it is not defined."""
    defined = values[~np.isnan(values)]
    if len(defined) < (1 - MAX_UNDEFINED) * len(values):
        return None
    return find_intervals({"": defined})[""]


def _list_coefficients(judgements: Judgements) -> Iterator[_Coefficient]:
    yield _prepare_alpha(judgements)
    yield _prepare_fleiss(judgements)
    for first, second in combinations(range(len(judgements.people)), 2):
        yield _prepare_cohen(judgements, first, second)


def _prepare_alpha(judgements: Judgements) -> _Coefficient:
    counts = judgements.count_answers()
    sizes = counts.sum(axis=1)
    is_used = sizes >= 2
    coincidences = (counts * (counts - 1)).sum(axis=1) / np.maximum(sizes - 1, 1)
    terms = np.column_stack([coincidences, counts]) * is_used[:, None]

    def compute(sums: Floats) -> Floats:
        return compute_alpha(sums[:, 0], sums[:, 1:])

    return _Coefficient(ALPHA, judgements.people, is_used, terms, compute)


def _prepare_fleiss(judgements: Judgements) -> _Coefficient:
    counts = judgements.count_answers()
    people = len(judgements.people)
    is_used = counts.sum(axis=1) == people
    terms = np.column_stack([(counts * (counts - 1)).sum(axis=1), counts]) * is_used[:, None]

    def compute(sums: Floats) -> Floats:
        return compute_fleiss_kappa(sums[:, 0], sums[:, 1:], people)

    return _Coefficient(FLEISS, judgements.people, is_used, terms.astype(np.float64), compute)


def _prepare_cohen(judgements: Judgements, first: int, second: int) -> _Coefficient:
    answers = judgements.answers[[first, second]]
    is_used = (answers != NO_ANSWER).all(axis=0)
    categories = len(judgements.form.answers)
    has_answer = (answers[:, :, None] == np.arange(categories)) & is_used[:, None]
    terms = np.column_stack([(answers[0] == answers[1]) & is_used, has_answer[0], has_answer[1]]).astype(np.float64)
    people = (judgements.people[first], judgements.people[second])
    return _Coefficient(COHEN, people, is_used, terms, partial(_compute_cohen, categories))


def _compute_cohen(categories: int, sums: Floats) -> Floats:
    return compute_kappa(sums[:, 0], sums[:, 1 : categories + 1], sums[:, categories + 1 :])
