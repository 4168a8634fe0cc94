"""Metrics of choosing among options, with a value per question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics.metric import Metric
from harness.stats.rounding import RoundedScores, round_to_size
from pyramid_paraphrase.rules.options import PYRAMIDS, QUESTIONS

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


class Ranks(NamedTuple):
    """The ranks of the right options of n questions.

    Attributes:
        better: Shape (n,), number of options that score higher than the right option.
        tied: Shape (n,), number of options with the score of the right option, including the right option.
        options: Number of options of a question.
    """

    better: Indices
    tied: Indices
    options: int


@dataclass(frozen=True, slots=True)
class OfQuestions:
    """A mean over questions.

    Attributes:
        rate: Function from ranks to a value per question, shape (n,): the expected value over random orders of ties.
    """

    rate: Callable[[Ranks], Floats]


def success(ranks: Ranks) -> Floats:
    """Rate a question 1 if the right option is first, 1/t if t options tie for the first place, and 0 otherwise."""
    return np.where(ranks.better == 0, 1.0 / ranks.tied, 0.0)


def reciprocal_rank(ranks: Ranks) -> Floats:
    """Rate a question by the reciprocal of the rank of the right option (Craswell 2009), in (0, 1].

    If b options score higher than the right option and t options have its score, the value is the mean of
    1/(b + 1), ..., 1/(b + t).
    """
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, ranks.options + 1))])
    return np.asarray((harmonic[ranks.better + ranks.tied] - harmonic[ranks.better]) / ranks.tied)


QUESTION_METRICS = (
    Metric(
        name="success_rate",
        title="success rate",
        kind=QUESTIONS,
        computation=OfQuestions(success),
        is_mean_over_rows=True,
        published_for=(PYRAMIDS,),
        ranks_models_of=(PYRAMIDS,),
    ),
    Metric(
        name="mrr",
        title="MRR",
        kind=QUESTIONS,
        computation=OfQuestions(reciprocal_rank),
        is_mean_over_rows=True,
        published_for=(PYRAMIDS,),
    ),
)


def rate_success(scores: npt.ArrayLike, answers: npt.ArrayLike) -> Floats:
    """Rate questions by `success`.

    Args:
        scores: Shape (n, options), finite. The scores are rounded.
        answers: Shape (n,), indices of the right options.

    Returns:
        Shape (n,), in [0, 1].

    Raises:
        ValueError: If an array has another shape or an invalid value.
    """
    return success(rank_answers(round_to_size(scores), answers))


def rate_reciprocal_rank(scores: npt.ArrayLike, answers: npt.ArrayLike) -> Floats:
    """Rate questions by `reciprocal_rank`. Arguments, return value and errors are the same as for `rate_success`."""
    return reciprocal_rank(rank_answers(round_to_size(scores), answers))


def rate_questions(scores: RoundedScores, answers: npt.ArrayLike) -> dict[str, Floats]:
    """Rate questions by all metrics.

    Args:
        scores: Shape (n, options), finite.
        answers: Shape (n,), indices of the right options.

    Returns:
        Values by name of the metric, shape (n,), in [0, 1].

    Raises:
        ValueError: If an array has another shape or an invalid value.
    """
    ranks = rank_answers(scores, answers)
    return {metric.name: metric.computation.rate(ranks) for metric in QUESTION_METRICS}


def rank_answers(values: RoundedScores, answers: npt.ArrayLike) -> Ranks:
    """Find the ranks of the right options. Arguments and errors are the same as for `rate_questions`."""
    right = np.asarray(answers)
    if values.ndim != 2 or values.shape[:1] != right.shape or not values.size:
        shapes = f"scores of shape {values.shape} and answers of shape {right.shape}"
        raise ValueError(f"{shapes}. Pass a row of scores per answer, at least one row")
    if not np.isfinite(values).all():
        raise ValueError("a score is not finite")
    if ((right < 0) | (right >= values.shape[1])).any():
        raise ValueError("an answer is not the index of an option")
    return rank_options(values, right)


def rank_options(values: RoundedScores, options: Indices) -> Ranks:
    """Find the rank of one option of each row.

    Args:
        values: Shape (n, most options), NaN after the last option of a row.
        options: Shape (n,), the index of an option of each row.
    """
    own = values[np.arange(len(values)), options][:, None]
    return Ranks((values > own).sum(axis=1), (values == own).sum(axis=1), values.shape[1])
