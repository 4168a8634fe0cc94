"""The quality of the labels of a test by people's judgements, and the agreement of the people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from harness.evaluation.people.judgements import NO_ANSWER, Judgements
from harness.stats.agreement import Share, combine_shares, compute_alpha, compute_fleiss_kappa, compute_kappa
from harness.stats.bootstrap import bootstrap, find_cells, find_interval
from harness.stats.rounding import DECIMALS
from harness.support.arrays import Flags, Floats, Indices
from pyramid_paraphrase.rules.options import PAIRS

MAX_UNDEFINED = 0.05
"""Largest share of resamples in which a coefficient may be undefined. Above this share, there is no interval."""

ALPHA, FLEISS, COHEN = "Krippendorff's alpha", "Fleiss' kappa", "Cohen's kappa"


Estimate = tuple[float, tuple[float, float]] | None
"""A share and the ends of its interval. None if there is no sample."""


def rate_answers(judgements: Judgements, answers: Indices) -> dict[int | None, Share]:
    """Compare answers with the labels of the rows. Rows without an answer do not count.

    Args:
        judgements: The judgements.
        answers: The answers of a person, or of the majority, shape (n,).

    Returns:
        Right answers of all answers by label. The label None stands for all rows. Questions have no other label.
    """
    is_right, has_answer = answers == judgements.targets, answers != NO_ANSWER
    shares = {}
    for label in dict.fromkeys((None, *_list_labels(judgements))):
        has_label = _has_label(judgements.targets, label)
        shares[label] = _make_share(is_right & has_label, has_answer & has_label)
    return shares


def rate_labels(judgements: Judgements) -> dict[int | None, tuple[int, Share, Share]]:
    """Compare the labels of the rows with people's answers.

    Returns:
        By label, or None for all questions: the number of these rows in the whole test, the rows whose label the
        majority contradicts, of the rows with a majority, and the rows whose label everybody contradicts by the same
        answer, of the rows that two or more people judged.
    """
    rows, majority, counts = judgements.rows, judgements.find_majority(), judgements.count_answers()
    has_majority = majority != NO_ANSWER
    is_contradicted = has_majority & (majority != judgements.targets)
    is_unanimous = counts.max(axis=1) == counts.sum(axis=1)
    is_shared = counts.sum(axis=1) >= 2
    rated = {}
    for label in _list_labels(judgements):
        has_label = _has_label(judgements.targets, label)
        row_count = int(_has_label(rows.targets[rows.is_test], label).sum())
        contradicted = _make_share(is_contradicted & has_label, has_majority & has_label)
        rejected = _make_share(is_contradicted & is_unanimous & is_shared & has_label, is_shared & has_label)
        rated[label] = row_count, contradicted, rejected
    return rated


def estimate_wrong_labels(rated: Mapping[int | None, tuple[int, Share, Share]]) -> tuple[Estimate, Estimate]:
    """Estimate the shares of all rows of a test whose label a majority, and everybody, would contradict.

    A sheet contains as many positives as negatives, but a test does not. So the share of wrong labels in the test is
    the mean of the shares of both labels, weighted by the number of rows of each label in the test split.

    Args:
        rated: The labels, as `rate_labels` rates them.
    """
    row_counts, contradicted, rejected = zip(*rated.values(), strict=True)
    weights = [row_count / sum(row_counts) for row_count in row_counts]
    return (
        combine_shares([*zip(weights, contradicted, strict=True)]),
        combine_shares([*zip(weights, rejected, strict=True)]),
    )


def find_contradicted(judgements: Judgements) -> Indices:
    """Find the judged rows whose label the majority contradicts.

    Returns:
        Their indices among the judged rows. Rows that all people contradict come first, then those with most answers of
        the majority.
    """
    majority, counts = judgements.find_majority(), judgements.count_answers()
    contradicted = np.flatnonzero((majority != NO_ANSWER) & (majority != judgements.targets))
    agreeing, people = counts.max(axis=1)[contradicted], counts.sum(axis=1)[contradicted]
    return contradicted[np.lexsort((-agreeing, agreeing < people))]


def _list_labels(judgements: Judgements) -> tuple[int | None, ...]:
    return (1, 0) if judgements.rows.kind == PAIRS else (None,)


def _has_label(targets: Indices, label: int | None) -> Flags:
    return np.ones(len(targets), dtype=np.bool_) if label is None else targets == label


def _make_share(counted: Flags, total: Flags) -> Share:
    return Share(int(counted.sum()), int(total.sum()))


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
    value: float | None = None
    interval: tuple[float, float] | None = None


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
    cells = find_cells(topics.reshape(-1, 2), len(names))  # some versions of NumPy return it flat
    sums = []  # of the terms of the rows of each cell, shape (cells, t)
    for _, terms, _ in coefficients:
        columns = [np.bincount(cells.of_rows, column, minlength=cells.total) for column in terms.T]
        sums.append(np.stack(columns, axis=1))

    def measure(weights: Floats) -> dict[str, Floats]:
        weight = cells.weigh(weights)
        return {str(n): compute(weight @ sums[n]) for n, (_, _, compute) in enumerate(coefficients)}

    samples = bootstrap(measure, len(names), resamples, seed) if len(names) > 1 else {}
    measured = []
    for number, (agreement, terms, compute) in enumerate(coefficients):
        value = float(compute(terms.sum(axis=0, keepdims=True))[0])
        if not np.isnan(value):
            interval = find_defined_interval(samples[str(number)]) if samples else None
            agreement = agreement._replace(value=round(value, DECIMALS), interval=interval)
        measured.append(agreement)
    return measured


def find_defined_interval(values: Floats) -> tuple[float, float] | None:
    """Find the interval of a coefficient from its values in resamples, NaN where it is not defined."""
    defined = values[~np.isnan(values)]
    if len(defined) < (1 - MAX_UNDEFINED) * len(values):
        return None
    return find_interval(defined)


def _list_coefficients(judgements: Judgements) -> Iterator[tuple[Agreement, Floats, Callable[[Floats], Floats]]]:
    """Prepare the coefficients.

    Yields:
        The coefficient without its value; the terms that each row adds to its sums, shape (n, t), 0 for rows that do
        not count; and the function from sums, shape (resamples, t), to values, shape (resamples,).
    """
    everybody, answers, counts = judgements.people, judgements.answers, judgements.count_answers()
    people, sizes, agreeing = len(everybody), counts.sum(axis=1), (counts * (counts - 1)).sum(axis=1)
    is_used = sizes >= 2
    terms = np.column_stack([agreeing / np.maximum(sizes - 1, 1), counts]) * is_used[:, None]
    alpha = Agreement(ALPHA, everybody, int(is_used.sum()))
    yield alpha, terms, lambda sums: compute_alpha(sums[:, 0], sums[:, 1:])
    is_used = sizes == people
    terms = np.column_stack([agreeing, counts]).astype(np.float64) * is_used[:, None]
    fleiss = Agreement(FLEISS, everybody, int(is_used.sum()))
    yield fleiss, terms, lambda sums: compute_fleiss_kappa(sums[:, 0], sums[:, 1:], people)
    for first, second in combinations(range(people), 2):
        is_used = (answers[[first, second]] != NO_ANSWER).all(axis=0)
        has_answer = (answers[[first, second], :, None] == np.arange(counts.shape[1])) & is_used[:, None]
        is_agreed = (answers[first] == answers[second]) & is_used
        terms = np.column_stack([is_agreed, *has_answer]).astype(np.float64)
        kappa = Agreement(COHEN, (everybody[first], everybody[second]), int(is_used.sum()))
        yield kappa, terms, lambda sums: compute_kappa(sums[:, 0], *np.split(sums[:, 1:], 2, axis=1))
