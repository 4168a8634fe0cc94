"""Metrics of choosing among options, a value per question."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from harness.stats.rounding import RoundedScores, round_scores

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

METRIC_NAMES = ("success_rate", "mrr")


def rate_success(scores: npt.ArrayLike, answers: npt.ArrayLike) -> Floats:
    """Compute how far each question was answered.

    Args:
        scores: Shape (n, options), finite; they are rounded.
        answers: Shape (n,), indices of the right options.

    Returns:
        Shape (n,): 1 where the right option scores highest; 1/t where it shares that with t - 1 others, which is the
        expected value over random orders of ties; 0 elsewhere.

    Raises:
        ValueError: If the shapes or the values are others.
    """
    return _rate_success(*_compare(round_scores(scores), answers))


def rate_reciprocal_rank(scores: npt.ArrayLike, answers: npt.ArrayLike) -> Floats:
    """Compute the reciprocal of the rank of the right option (Craswell 2009).

    Args:
        scores: Shape (n, options), finite; they are rounded.
        answers: Shape (n,), indices of the right options.

    Returns:
        Shape (n,), in (0, 1]: with b options that score more and t that score the same, itself among them, the mean of
        1/(b + 1) ... 1/(b + t), which is the expected value over random orders of ties.

    Raises:
        ValueError: If the shapes or the values are others.
    """
    return rate_questions(round_scores(scores), answers)["mrr"]


def rate_questions(scores: RoundedScores, answers: npt.ArrayLike) -> dict[str, Floats]:
    """Compute all metrics of questions from scores that are rounded already, by their names in `METRIC_NAMES`.

    Arguments and errors are those of `rate_success` and `rate_reciprocal_rank`, and so are the values.
    """
    better, tied = _compare(scores, answers)
    reciprocal_ranks = _rate_reciprocal_rank(better, tied, options=scores.shape[1])
    return {"success_rate": _rate_success(better, tied), "mrr": reciprocal_ranks}


def _rate_success(better: Indices, tied: Indices) -> Floats:
    return np.where(better == 0, 1.0 / tied, 0.0)


def _rate_reciprocal_rank(better: Indices, tied: Indices, *, options: int) -> Floats:
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, options + 1))])
    return np.asarray((harmonic[better + tied] - harmonic[better]) / tied)


def _compare(values: RoundedScores, answers: npt.ArrayLike) -> tuple[Indices, Indices]:
    """Count the options of each question that score more than the right one, and those that score the same."""
    right = np.asarray(answers)
    if values.ndim != 2 or values.shape[:1] != right.shape or not values.size:
        raise ValueError(
            f"scores {values.shape} and answers {right.shape}; give a row of scores per answer, at least one"
        )
    if not np.isfinite(values).all():
        raise ValueError("a score is not finite")
    if ((right < 0) | (right >= values.shape[1])).any():
        raise ValueError("an answer is not the index of an option")
    own = values[np.arange(len(values)), right][:, None]
    return (values > own).sum(axis=1), (values == own).sum(axis=1)
