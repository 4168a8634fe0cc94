"""Agreement of people who sort items into categories, corrected for agreement by chance.

All coefficients are (o - e) / (t - e), where o is the observed agreement, e the agreement expected by chance, and t
complete agreement. If everybody gives the same answer to every item, e equals t, and the coefficient is not defined.
The arguments are sums over items, so resampled items can be measured by weighted sums.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.float64] | npt.NDArray[np.int64]


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


def _correct_for_chance(observed: Numbers, by_chance: Numbers, complete: Numbers) -> Floats:
    corrected = np.full(np.shape(complete), np.nan)
    np.divide(observed - by_chance, complete - by_chance, out=corrected, where=complete != by_chance)
    return corrected
