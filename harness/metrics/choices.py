"""Metrics of choosing among options: of questions, which have a right option, and of matches, which may have none.

A model that matches names its best option if the score of that option is at least the threshold, and no option
otherwise. Options that tie for the highest score count in equal parts: if t options tie, the right option is named 1/t
times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics.metric import Metric
from harness.metrics.pairs import Curve, fit_threshold
from harness.stats.rounding import RoundedScores, divide, round_to_size
from harness.support.arrays import Floats, Indices
from pyramid_paraphrase.rules.options import FRAGMENTS, MATCHES, NO_MATCH, PYRAMIDS, QUESTIONS

QUESTION_METRICS = (
    Metric(
        name="success_rate",
        title="success rate",
        kind=QUESTIONS,
        is_mean_over_rows=True,
        published_for=(PYRAMIDS,),
        ranks_models_of=(PYRAMIDS,),
    ),
    Metric(name="mrr", title="MRR", kind=QUESTIONS, is_mean_over_rows=True, published_for=(PYRAMIDS,)),
)
"""The metrics of questions, which `rate_questions` computes."""

MATCH_METRICS = (
    Metric(
        name="match_f1",
        title="F of matches",
        heading="F",
        kind=MATCHES,
        needs_threshold=True,
        published_for=(FRAGMENTS,),
        ranks_models_of=(FRAGMENTS,),
    ),
    Metric(name="match_precision", title="precision of matches", kind=MATCHES, needs_threshold=True),
    Metric(name="match_recall", title="recall of matches", kind=MATCHES, needs_threshold=True),
    Metric(
        name="match_accuracy",
        title="accuracy of matches",
        kind=MATCHES,
        needs_threshold=True,
        is_mean_over_rows=True,
    ),
    Metric(
        name="match_success_rate",
        title="success rate of matched fragments",
        heading="success rate",
        kind=MATCHES,
        published_for=(FRAGMENTS,),
    ),
    Metric(
        name="match_mrr",
        title="MRR of matched fragments",
        heading="MRR",
        kind=MATCHES,
        published_for=(FRAGMENTS,),
    ),
)
"""The metrics of matches, which `rate_sums` computes."""


def success(better: Indices, tied: Indices) -> Floats:
    """Rate a question 1 if the right option is first, 1/t if t options tie for the first place, and 0 otherwise.

    Args:
        better: Shape (n,), number of options that score higher than the right option.
        tied: Shape (n,), number of options with the score of the right option, including the right option.
    """
    return np.where(better == 0, 1.0 / tied, 0.0)


def reciprocal_rank(better: Indices, tied: Indices) -> Floats:
    """Rate a question by the reciprocal of the rank of the right option (Craswell 2009), in (0, 1].

    If b options score higher than the right option and t options have its score, the value is the mean of
    1/(b + 1), ..., 1/(b + t).

    Args:
        better: As for `success`.
        tied: As for `success`.
    """
    last = better + tied
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, last.max(initial=0) + 1))])
    return np.asarray((harmonic[last] - harmonic[better]) / tied)


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
    return success(*rank_answers(round_to_size(scores), answers))


def rate_reciprocal_rank(scores: npt.ArrayLike, answers: npt.ArrayLike) -> Floats:
    """Rate questions by `reciprocal_rank`. Arguments, return value and errors are the same as for `rate_success`."""
    return reciprocal_rank(*rank_answers(round_to_size(scores), answers))


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
    better, tied = rank_answers(scores, answers)
    return {"success_rate": success(better, tied), "mrr": reciprocal_rank(better, tied)}


def rank_answers(values: RoundedScores, answers: npt.ArrayLike) -> tuple[Indices, Indices]:
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


def rank_options(values: RoundedScores, options: Indices) -> tuple[Indices, Indices]:
    """Find the rank of one option of each row.

    Args:
        values: Shape (n, most options), NaN after the last option of a row.
        options: Shape (n,), the index of an option of each row.

    Returns:
        The numbers of better and of tied options, as for `success`.
    """
    own = values[np.arange(len(values)), options][:, None]
    return (values > own).sum(axis=1), (values == own).sum(axis=1)


class Rates(NamedTuple):
    """The outcomes of a model on n rows, shape (n,), or their sums over rows. All arrays have the same shape.

    Attributes:
        named: 1 where the model names an option.
        right: The share of the right option in the named options.
        matched: 1 where an option is right.
        left_out: 1 where the model names no option and no option is right.
        first: The share of the right option in the options with the highest score, without regard to the threshold. 0
        without a right option.
        reciprocal: The expected reciprocal rank of the right option. It is 0 without a right option.
        rows: 1 for each row.
    """

    named: Floats
    right: Floats
    matched: Floats
    left_out: Floats
    first: Floats
    reciprocal: Floats
    rows: Floats


def rate_sums(sums: Rates) -> dict[str, Floats]:
    """Compute all metrics of matches from sums over rows, by name. A metric is 0 where its denominator is 0.

    F is 2 right / (named + matched), precision right / named, recall right / matched, and accuracy (right + left out) /
    rows. The success rate and the mean reciprocal rank are means over the matched rows.
    """
    return {
        "match_f1": divide(2 * sums.right, sums.named + sums.matched),
        "match_precision": divide(sums.right, sums.named),
        "match_recall": divide(sums.right, sums.matched),
        "match_accuracy": divide(sums.right + sums.left_out, sums.rows),
        "match_success_rate": divide(sums.first, sums.matched),
        "match_mrr": divide(sums.reciprocal, sums.matched),
    }


def pad_scores(scores: Sequence[Sequence[float]]) -> RoundedScores:
    """Lay out a list of scores per row as an array, with NaN after the last option of a row.

    Raises:
        ValueError: If a score is not finite.
    """
    padded = np.full((len(scores), max(map(len, scores), default=0)), np.nan)
    for row, values in zip(padded, scores, strict=True):
        row[: len(values)] = values
        if not np.isfinite(row[: len(values)]).all():
            raise ValueError("a score is not finite")
    return round_to_size(padded)


def rate_matches(scores: RoundedScores, targets: npt.ArrayLike, threshold: float) -> Rates:
    """Compute the outcomes of a model on each row.

    Args:
        scores: Shape (n, most options), NaN after the last option of a row.
        targets: Shape (n,), indices of the right options, `NO_MATCH` where no option is right.
        threshold: The lowest score of an option that is named.

    Raises:
        ValueError: If an array has another shape or an invalid value.
    """
    right, best = np.asarray(targets), find_best(scores, targets)
    # Without a right option, the first option is ranked. Its rank does not count.
    ranks = rank_options(scores, np.maximum(right, 0))
    matched = (right != NO_MATCH).astype(np.float64)
    named = (best >= threshold).astype(np.float64)
    first = success(*ranks) * matched
    return Rates(
        named=named,
        right=named * first,
        matched=matched,
        left_out=(1 - named) * (1 - matched),
        first=first,
        reciprocal=reciprocal_rank(*ranks) * matched,
        rows=np.ones(len(right)),
    )


def find_best(scores: RoundedScores, targets: npt.ArrayLike) -> Floats:
    """Return the highest score of each row, shape (n,). Arguments and errors are the same as for `rate_matches`."""
    right = np.asarray(targets)
    if scores.ndim != 2 or scores.shape[:1] != right.shape or not scores.size:
        shapes = f"scores of shape {scores.shape} and targets of shape {right.shape}"
        raise ValueError(f"{shapes}. Pass a row of scores per target")
    is_option = ~np.isnan(scores)
    is_prefix = (is_option[:, :1].all(axis=1)) & (is_option[:, 1:] <= is_option[:, :-1]).all(axis=1)
    if not is_prefix.all() or np.isinf(scores).any():
        raise ValueError("a score is not finite")
    if ((right < NO_MATCH) | (right >= is_option.sum(axis=1))).any():
        raise ValueError("a target is not the index of an option")
    return np.asarray(np.nanmax(scores, axis=1))


def fit_match_threshold(scores: RoundedScores, targets: npt.ArrayLike) -> float:
    """Find the threshold with the highest F, as `pairs.fit_threshold` does. Arguments as for `rate_matches`."""
    best = find_best(scores, targets)
    rates = rate_matches(scores, targets, -np.inf)
    values, places = np.unique(-best, return_inverse=True)
    right = np.cumsum(np.bincount(places.ravel(), rates.right))
    named = np.cumsum(np.bincount(places.ravel()))
    return fit_threshold(Curve(-values, right, named), float(rates.matched.sum()))


def measure_matches(scores: RoundedScores, targets: npt.ArrayLike, threshold: float) -> dict[str, float]:
    """Compute all metrics of matches, by name. Arguments are the same as for `rate_matches`."""
    sums = Rates(*(np.asarray(values.sum()) for values in rate_matches(scores, targets, threshold)))
    return {name: float(value) for name, value in rate_sums(sums).items()}
