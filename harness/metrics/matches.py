"""Metrics of finding the option that a text expresses, if any: decisions at a threshold, and ranks of right options.

A model names its best option if the score of that option is at least the threshold, and no option otherwise. Options
that tie for the highest score count in equal parts: if t options tie, the right option is named 1/t times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics.metric import Metric
from harness.metrics.pairs import Curve, fit_threshold
from harness.metrics.questions import rank_options, reciprocal_rank, success
from harness.stats.rounding import RoundedScores, divide, round_to_size
from pyramid_paraphrase.rules.options import FRAGMENTS, MATCHES, NO_MATCH

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


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


@dataclass(frozen=True, slots=True)
class OfMatches:
    """A ratio of sums over rows.

    Attributes:
        rate: Function from sums to values of the same shape.
        is_of_ranks: Whether the metric does not depend on the threshold.
    """

    rate: Callable[[Rates], Floats]
    is_of_ranks: bool = False


def f1(sums: Rates) -> Floats:
    """Compute F = 2 right / (named + matched). It is 0 where no row is matched and no option is named."""
    return divide(2 * sums.right, sums.named + sums.matched)


def precision(sums: Rates) -> Floats:
    """Compute precision = right / named. It is 0 where no option is named."""
    return divide(sums.right, sums.named)


def recall(sums: Rates) -> Floats:
    """Compute recall = right / matched. It is 0 where no row is matched."""
    return divide(sums.right, sums.matched)


def accuracy(sums: Rates) -> Floats:
    """Compute accuracy = (right + left_out) / rows. It is 0 without rows."""
    return divide(sums.right + sums.left_out, sums.rows)


def success_rate(sums: Rates) -> Floats:
    """Compute the share of the matched rows whose right option scores highest. It is 0 where no row is matched."""
    return divide(sums.first, sums.matched)


def mean_reciprocal_rank(sums: Rates) -> Floats:
    """Compute the mean reciprocal rank of the right options of the matched rows. It is 0 where no row is matched."""
    return divide(sums.reciprocal, sums.matched)


MATCH_METRICS = (
    Metric(
        name="match_f1",
        title="F of matches",
        heading="F",
        kind=MATCHES,
        computation=OfMatches(f1),
        published_for=(FRAGMENTS,),
        ranks_models_of=(FRAGMENTS,),
    ),
    Metric(name="match_precision", title="precision of matches", kind=MATCHES, computation=OfMatches(precision)),
    Metric(name="match_recall", title="recall of matches", kind=MATCHES, computation=OfMatches(recall)),
    Metric(
        name="match_accuracy",
        title="accuracy of matches",
        kind=MATCHES,
        computation=OfMatches(accuracy),
        is_mean_over_rows=True,
    ),
    Metric(
        name="match_success_rate",
        title="success rate of matched fragments",
        heading="success rate",
        kind=MATCHES,
        computation=OfMatches(success_rate, is_of_ranks=True),
        published_for=(FRAGMENTS,),
    ),
    Metric(
        name="match_mrr",
        title="MRR of matched fragments",
        heading="MRR",
        kind=MATCHES,
        computation=OfMatches(mean_reciprocal_rank, is_of_ranks=True),
        published_for=(FRAGMENTS,),
    ),
)


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
    first = success(ranks) * matched
    return Rates(
        named=named,
        right=named * first,
        matched=matched,
        left_out=(1 - named) * (1 - matched),
        first=first,
        reciprocal=reciprocal_rank(ranks) * matched,
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
    return {metric.name: float(metric.computation.rate(sums)) for metric in MATCH_METRICS}
