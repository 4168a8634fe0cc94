"""Statistics of people's judgements: agreement corrected for chance, shares of rows, and a model of their errors.

All coefficients of agreement are (o - e) / (t - e), where o is the observed agreement, e the agreement expected by
chance, and t complete agreement. If everybody gives the same answer to every item, e equals t, and the coefficient is
not defined. The arguments are sums over items, so resampled items can be measured by weighted sums.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.stats.bootstrap import CONFIDENCE
from harness.stats.rounding import DECIMALS
from harness.support.arrays import Floats, Indices

Numbers = npt.NDArray[np.float64] | npt.NDArray[np.int64]

_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


def compute_kappa(agreed: Numbers, first: Numbers, second: Numbers) -> Floats:
    """Compute Cohen's kappa of pairs of people (Cohen 1960).

    kappa = (p - e) / (1 - e), where p is the share of the common items on which both people agree, and e the share on
    which they would agree by chance, given how often each person gives each answer.

    Args:
        agreed: Shape (...), number of items to which both people give the same answer.
        first: Shape (..., categories), number of times that the first person gives each answer to the common items.
        second: Shape (..., categories), the same for the second person.

    Returns:
        Shape (...), kappa in [-1, 1], or NaN where it is not defined.
    """
    shared = first.sum(axis=-1)
    return _correct_for_chance(shared * agreed, (first * second).sum(axis=-1), shared**2)


def compute_fleiss_kappa(agreeing: Numbers, answers: Numbers, people: int) -> Floats:
    """Compute Fleiss' kappa of items that the same number of people judged (Fleiss 1971).

    kappa = (p - e) / (1 - e), where p is the share of the ordered pairs of people who agree on an item, averaged over
    items, and e the sum of the squared shares of the answers.

    Args:
        agreeing: Shape (...), number of ordered pairs of two people who give the same answer to the same item.
        answers: Shape (..., categories), number of times that each answer is given.
        people: Number of people who judged each item, at least 2.

    Returns:
        Shape (...), kappa, or NaN where it is not defined.
    """
    total = answers.sum(axis=-1)
    by_chance = (people - 1) * (answers**2).sum(axis=-1)
    return _correct_for_chance(agreeing * total, by_chance, (people - 1) * total**2)


def compute_alpha(coincidences: Numbers, answers: Numbers) -> Floats:
    """Compute Krippendorff's alpha of nominal data, in which answers may be missing (Krippendorff 2011).

    Only items with at least two answers count. If they have n answers, and n_c of these answers are c, alpha is
    ((n - 1) o - s) / (n (n - 1) - s), where s is the sum of n_c (n_c - 1), and o the sum of the coincidences.

    Args:
        coincidences: Shape (...), sum over items of the number of ordered pairs of equal answers to an item, divided by
            the number of its answers minus one.
        answers: Shape (..., categories), number of times that each answer is given to items with at least two answers.

    Returns:
        Shape (...), alpha, or NaN where it is not defined.
    """
    total = answers.sum(axis=-1)
    by_chance = (answers * (answers - 1)).sum(axis=-1)
    return _correct_for_chance(coincidences * (total - 1), by_chance, total * (total - 1))


class VoteModel(NamedTuple):
    """The model of Dawid and Skene (1979) for votes of yes or no, as fitted by `fit_dawid_skene`.

    Attributes:
        probabilities: Shape (items,), the probability that the true answer is yes.
        sensitivity: Shape (annotators,), the probability that an annotator votes yes if the true answer is yes.
        specificity: Shape (annotators,), the probability that an annotator votes no if the true answer is no.
        share: The share of items whose true answer is yes.
        iterations: Number of iterations. `MAX_ITERATIONS` if the probabilities still changed then.
    """

    probabilities: Floats
    sensitivity: Floats
    specificity: Floats
    share: float
    iterations: int


MAX_ITERATIONS = 1000
_CHANGE = 1e-8
_LEAST_PROBABILITY = 1e-6


def fit_dawid_skene(items: Indices, annotators: Indices, votes: Indices) -> VoteModel:
    """Estimate true answers and the errors of annotators from their votes, by expectation maximization.

    The probability of an item starts with its share of yes votes. The maximization estimates sensitivity and
    specificity of each annotator, and the share of items whose answer is yes, by weighted frequencies. They are kept
    between 1e-6 and 1 - 1e-6. The expectation then computes the probability of each item by Bayes' rule.

    Args:
        items: Shape (votes,), numbers of items from 0 on, each with at least one vote.
        annotators: Shape (votes,), numbers of annotators from 0 on, each with at least one vote.
        votes: Shape (votes,), 1 for yes and 0 for no.

    Returns:
        The model after the probabilities change by less than 1e-8, or after `MAX_ITERATIONS`.
    """
    said = votes == 1
    probabilities = np.bincount(items, said) / np.bincount(items)
    iterations = 0
    change = 1.0
    while change >= _CHANGE and iterations < MAX_ITERATIONS:
        iterations += 1
        of_votes = probabilities[items]
        sensitivity = _limit(np.bincount(annotators, of_votes * said), np.bincount(annotators, of_votes))
        specificity = _limit(np.bincount(annotators, (1 - of_votes) * ~said), np.bincount(annotators, 1 - of_votes))
        share = float(_limit(probabilities.sum(), np.float64(len(probabilities))))
        yes = np.where(said, sensitivity[annotators], 1 - sensitivity[annotators])
        no = np.where(said, 1 - specificity[annotators], specificity[annotators])
        odds = np.log(share) - np.log1p(-share) + np.bincount(items, np.log(yes) - np.log(no))
        updated = 1 / (1 + np.exp(-odds))
        change = float(np.abs(updated - probabilities).max())
        probabilities = updated
    return VoteModel(probabilities, sensitivity, specificity, share, iterations)


def _limit(count: Numbers, total: Numbers) -> Floats:
    """Divide, and keep the share away from 0 and 1. It is one half if nothing is counted."""
    share = np.divide(count, total, out=np.full(np.shape(total), 0.5), where=total > 0)
    return np.clip(share, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)


def _correct_for_chance(observed: Numbers, by_chance: Numbers, complete: Numbers) -> Floats:
    corrected = np.full(np.shape(complete), np.nan)
    np.divide(observed - by_chance, complete - by_chance, out=corrected, where=complete != by_chance)
    return corrected


@dataclass(frozen=True, slots=True)
class Share:
    """A share of rows.

    Attributes:
        count: Number of the rows that count.
        total: Number of all rows.
    """

    count: int
    total: int

    def estimate(self) -> tuple[float, tuple[float, float]] | None:
        """Return the share and the ends of Wilson's score interval (Wilson 1927), or None if there are no rows."""
        return combine_shares([(1.0, self)])


def combine_shares(strata: Sequence[tuple[float, Share]]) -> tuple[float, tuple[float, float]] | None:
    """Estimate a share of a population from the shares in samples of its strata.

    The interval combines Wilson's intervals of the strata: its lower end is p - sqrt(sum of (w (p_s - l_s))^2), with
    the weight w, the share p_s and the lower end l_s of each stratum. The upper end is p + sqrt(sum of
    (w (u_s - p_s))^2), with the upper end u_s (Zou and Donner 2008, "Construction of confidence limits about effect
    measures", Statistics in Medicine 27).

    Args:
        strata: The weight of each stratum, which is its part of the population, and the share in its sample.

    Returns:
        The share and the ends of its 95 % interval, rounded. None if a stratum has no sample.
    """
    if not all(share.total for _, share in strata):
        return None
    value = below = above = 0.0
    for weight, share in strata:
        count, total = share.count, share.total
        middle = (count + _Z**2 / 2) / (total + _Z**2)
        half = _Z / (total + _Z**2) * math.sqrt(count * (total - count) / total + _Z**2 / 4)
        lower, upper, own = middle - half, middle + half, count / total
        value += weight * own
        below += (weight * (own - lower)) ** 2
        above += (weight * (upper - own)) ** 2
    ends = (value - math.sqrt(below), value + math.sqrt(above))
    lower, upper = (round(end, DECIMALS) + 0.0 for end in ends)  # adding 0.0 turns -0.0 into 0.0
    return round(value, DECIMALS), (lower, upper)


def compare_clusters(first: Sequence[int], second: Sequence[int]) -> dict[str, float]:
    """Compare two divisions of the same items into clusters.

    With the sizes a of clusters of the first division, b of the second, and n of their intersections, over N items:

    * B-cubed precision is the sum of n^2 / b divided by N: the mean share, over items, of the items in the same cluster
      of the second division that are also together in the first. B-cubed recall is the sum of n^2 / a divided by N, and
      B-cubed F their harmonic mean (Bagga and Baldwin 1998).
    * V is the harmonic mean of homogeneity, 1 - H(first | second) / H(first), and completeness, 1 - H(second | first) /
      H(second), with the entropy H (Rosenberg and Hirschberg 2007). Each is 1 where its denominator is 0.

    F and V are the same if the divisions are exchanged.

    Args:
        first: The cluster of each item.
        second: The same in the other division.

    Returns:
        ``v_measure``, ``b_cubed``, ``b_cubed_precision`` and ``b_cubed_recall``, rounded. NaN without items.
    """
    if not len(first):
        return dict.fromkeys(("v_measure", "b_cubed", "b_cubed_precision", "b_cubed_recall"), math.nan)
    _, rows = np.unique(np.asarray(first), return_inverse=True)
    _, columns = np.unique(np.asarray(second), return_inverse=True)
    table = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(table, (rows, columns), 1)
    total, of_first, of_second = table.sum(), table.sum(axis=1), table.sum(axis=0)
    precision, recall = (table**2 / of_second).sum() / total, (table**2 / of_first[:, np.newaxis]).sum() / total
    entropies = [_find_entropy(sizes / total) for sizes in (of_first, of_second, table.ravel())]
    shared = entropies[0] + entropies[1] - entropies[2]  # mutual information
    homogeneity, completeness = (shared / entropy if entropy else 1.0 for entropy in entropies[:2])
    values = {
        "v_measure": _find_harmonic_mean(homogeneity, completeness),
        "b_cubed": _find_harmonic_mean(precision, recall),
        "b_cubed_precision": precision,
        "b_cubed_recall": recall,
    }
    return {name: round(float(value), DECIMALS) for name, value in values.items()}


def _find_entropy(shares: Floats) -> float:
    positive = shares[shares > 0]
    return float(-(positive * np.log(positive)).sum())


def _find_harmonic_mean(first: float, second: float) -> float:
    return 2 * first * second / (first + second) if first + second > 0 else 0.0
