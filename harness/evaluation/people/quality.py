"""The quality of the labels of a test by people's judgements, and the agreement of the people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.evaluation.people.judgements import NO_ANSWER, Judgements
from harness.stats.agreement import Share, combine_shares, compute_alpha, compute_fleiss_kappa, compute_kappa
from harness.stats.bootstrap import bootstrap, find_cells, find_intervals
from harness.stats.rounding import DECIMALS
from pyramid_paraphrase.rules.options import PAIRS

Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
MAX_UNDEFINED = 0.05
"""Largest share of resamples in which a coefficient may be undefined. Above this share, there is no interval."""

ALPHA, FLEISS, COHEN = "Krippendorff's alpha", "Fleiss' kappa", "Cohen's kappa"


class Stratum(NamedTuple):
    """The rows of a label, or all questions, from which a sample was judged.

    Attributes:
        label: The label. None for questions.
        rows: Number of these rows in the whole test.
        contradicted: Rows whose label the majority contradicts, of the rows with a majority.
        rejected: Rows whose label everybody contradicts by the same answer, of the rows that two or more people judged.
    """

    label: int | None
    rows: int
    contradicted: Share
    rejected: Share


class Contradiction(NamedTuple):
    """A row whose label the majority contradicts.

    Attributes:
        row_id: Its id.
        target: Its label, or the right option.
        answer: The answer of the majority.
        agreeing: Number of people who give this answer.
        people: Number of people who judged the row.
    """

    row_id: str
    target: int
    answer: int
    agreeing: int
    people: int


class LabelQuality(NamedTuple):
    """The quality of labels, by the judgements of people.

    Attributes:
        people: Right answers of all answers of a person by label, by name of the person. The label None stands for
            all rows. Questions have no other label.
        majority: The same for the answers of the majority.
        undecided: Number of judged rows without a majority.
        strata: The rows of each label, or all questions.
        contradicted: Estimated share of all rows of the test whose label a majority would contradict, and the ends of
            its interval. None if there is no sample.
        rejected: The same for the rows whose label everybody would contradict.
        contradictions: The judged rows whose label the majority contradicts. Rows that all people contradict come
            first.
    """

    people: Mapping[str, Mapping[int | None, Share]]
    majority: Mapping[int | None, Share]
    undecided: int
    strata: Sequence[Stratum]
    contradicted: tuple[float, tuple[float, float]] | None
    rejected: tuple[float, tuple[float, float]] | None
    contradictions: Sequence[Contradiction]


def rate_labels(judgements: Judgements) -> LabelQuality:
    """Compare people's answers with the labels of the rows.

    A sheet contains as many positives as negatives, but a test does not. So the share of wrong labels in the test is
    the mean of the shares of both labels, weighted by the number of rows of each label in the test split.

    Args:
        judgements: The judgements.
    """
    majority = judgements.find_majority()
    strata = [_rate_stratum(judgements, majority, label) for label in _list_labels(judgements)]
    total = sum(stratum.rows for stratum in strata)
    weights = [stratum.rows / total for stratum in strata]
    return LabelQuality(
        people={
            person: _rate_answers(judgements, answers)
            for person, answers in zip(judgements.people, judgements.answers, strict=True)
        },
        majority=_rate_answers(judgements, majority),
        undecided=int((majority == NO_ANSWER).sum()),
        strata=strata,
        contradicted=combine_shares([*zip(weights, (stratum.contradicted for stratum in strata), strict=True)]),
        rejected=combine_shares([*zip(weights, (stratum.rejected for stratum in strata), strict=True)]),
        contradictions=_list_contradictions(judgements, majority),
    )


def _list_labels(judgements: Judgements) -> tuple[int | None, ...]:
    return (1, 0) if judgements.rows.kind == PAIRS else (None,)


def _has_label(targets: Indices, label: int | None) -> Flags:
    return np.ones(len(targets), dtype=np.bool_) if label is None else targets == label


def _rate_answers(judgements: Judgements, answers: Indices) -> dict[int | None, Share]:
    """Compare answers, shape (n,), with the targets. Rows without an answer do not count."""
    is_right, has_answer = answers == judgements.targets, answers != NO_ANSWER
    shares = {}
    for label in dict.fromkeys((None, *_list_labels(judgements))):
        has_label = _has_label(judgements.targets, label)
        shares[label] = _make_share(is_right & has_label, has_answer & has_label)
    return shares


def _rate_stratum(judgements: Judgements, majority: Indices, label: int | None) -> Stratum:
    rows = judgements.rows
    counts = judgements.count_answers()
    has_label = _has_label(judgements.targets, label)
    is_contradicted = (majority != NO_ANSWER) & (majority != judgements.targets)
    is_unanimous = counts.max(axis=1) == counts.sum(axis=1)
    is_shared = counts.sum(axis=1) >= 2
    return Stratum(
        label=label,
        rows=int(_has_label(rows.targets[rows.is_test], label).sum()),
        contradicted=_make_share(is_contradicted & has_label, (majority != NO_ANSWER) & has_label),
        rejected=_make_share(is_contradicted & is_unanimous & is_shared & has_label, is_shared & has_label),
    )


def _make_share(counted: Flags, total: Flags) -> Share:
    return Share(int(counted.sum()), int(total.sum()))


def _list_contradictions(judgements: Judgements, majority: Indices) -> list[Contradiction]:
    counts = judgements.count_answers()
    numbers = np.flatnonzero((majority != NO_ANSWER) & (majority != judgements.targets)).tolist()
    contradictions = [
        Contradiction(
            row_id=judgements.rows.ids[judgements.places[number]],
            target=int(judgements.targets[number]),
            answer=int(majority[number]),
            agreeing=int(counts[number].max()),
            people=int(counts[number].sum()),
        )
        for number in numbers
    ]
    return sorted(contradictions, key=lambda row: (row.agreeing < row.people, -row.agreeing))


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
    coefficients = [_prepare_alpha(judgements), _prepare_fleiss(judgements)]
    for first, second in combinations(range(len(judgements.people)), 2):
        coefficients.append(_prepare_cohen(judgements, first, second))
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
            interval = _find_interval(samples[str(number)]) if samples else None
            agreement = agreement._replace(value=round(value, DECIMALS), interval=interval)
        measured.append(agreement)
    return measured


def _find_interval(values: Floats) -> tuple[float, float] | None:
    """Find the interval of a coefficient from its values in resamples, NaN where it is not defined."""
    defined = values[~np.isnan(values)]
    if len(defined) < (1 - MAX_UNDEFINED) * len(values):
        return None
    return find_intervals({"": defined})[""]


def _prepare_alpha(judgements: Judgements) -> tuple[Agreement, Floats, Callable[[Floats], Floats]]:
    """Prepare Krippendorff's alpha.

    Returns:
        The coefficient without its value; the terms that each row adds to its sums, shape (n, t), 0 for rows that do
        not count; and the function from sums, shape (resamples, t), to values, shape (resamples,).
    """
    counts = judgements.count_answers()
    sizes = counts.sum(axis=1)
    is_used = sizes >= 2
    coincidences = (counts * (counts - 1)).sum(axis=1) / np.maximum(sizes - 1, 1)
    terms = np.column_stack([coincidences, counts]) * is_used[:, None]

    def compute(sums: Floats) -> Floats:
        return compute_alpha(sums[:, 0], sums[:, 1:])

    return Agreement(ALPHA, judgements.people, int(is_used.sum())), terms, compute


def _prepare_fleiss(judgements: Judgements) -> tuple[Agreement, Floats, Callable[[Floats], Floats]]:
    counts = judgements.count_answers()
    people = len(judgements.people)
    is_used = counts.sum(axis=1) == people
    terms = np.column_stack([(counts * (counts - 1)).sum(axis=1), counts]) * is_used[:, None]

    def compute(sums: Floats) -> Floats:
        return compute_fleiss_kappa(sums[:, 0], sums[:, 1:], people)

    return Agreement(FLEISS, judgements.people, int(is_used.sum())), terms.astype(np.float64), compute


def _prepare_cohen(
    judgements: Judgements, first: int, second: int
) -> tuple[Agreement, Floats, Callable[[Floats], Floats]]:
    answers = judgements.answers[[first, second]]
    is_used = (answers != NO_ANSWER).all(axis=0)
    categories = len(judgements.form.answers)
    has_answer = (answers[:, :, None] == np.arange(categories)) & is_used[:, None]
    terms = np.column_stack([(answers[0] == answers[1]) & is_used, has_answer[0], has_answer[1]]).astype(np.float64)
    people = (judgements.people[first], judgements.people[second])

    def compute(sums: Floats) -> Floats:
        return compute_kappa(sums[:, 0], sums[:, 1 : categories + 1], sums[:, categories + 1 :])

    return Agreement(COHEN, people, int(is_used.sum())), terms, compute
