"""The quality of the labels of a test, by the judgements of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.evaluation.people.judgements import NO_ANSWER, Judgements
from harness.stats.agreement import Share, combine_shares
from pyramid_paraphrase.rules.options import PAIRS

Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Accuracy(NamedTuple):
    """The share of answers that agree with the label, or with the right option.

    Attributes:
        right: Right answers, of all answers.
        by_label: For pairs, the same share for the rows of each label. Empty for questions.
    """

    right: Share
    by_label: Mapping[int, Share]


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
        people: Accuracy by name of the person.
        majority: Accuracy of the answers of the majority.
        undecided: Number of judged rows without a majority.
        strata: The rows of each label, or all questions.
        contradicted: Estimated share of all rows of the test whose label a majority would contradict, and the ends of
            its interval. None if there is no sample.
        rejected: The same for the rows whose label everybody would contradict.
        contradictions: The judged rows whose label the majority contradicts. Rows that all people contradict come
            first.
    """

    people: Mapping[str, Accuracy]
    majority: Accuracy
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


def _rate_answers(judgements: Judgements, answers: Indices) -> Accuracy:
    """Compare answers, shape (n,), with the targets. Rows without an answer do not count."""
    is_right, has_answer = answers == judgements.targets, answers != NO_ANSWER
    by_label = {}
    for label in _list_labels(judgements):
        if label is not None:
            has_label = _has_label(judgements.targets, label)
            by_label[label] = _make_share(is_right & has_label, has_answer & has_label)
    return Accuracy(_make_share(is_right, has_answer), by_label)


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
