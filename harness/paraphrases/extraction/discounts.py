"""Discounts of counts as in Moses: Good-Turing and Kneser-Ney (Foster, Kuhn and Johnson, 2006)."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyramid_paraphrase.errors import OptionError

Discount = Literal["good-turing", "kneser-ney"]
DISCOUNTS: tuple[Discount, ...] = ("good-turing", "kneser-ney")

_LARGEST_DISCOUNTED = 8
"""Largest count that Good-Turing discounts."""
_SMOOTHING = 0.1
"""Number that Good-Turing adds to the numbers of phrase pairs, so that none is 0."""
_FLOOR = 0.01
"""Smallest factor of Good-Turing."""

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


class PhraseCounts(NamedTuple):
    """Counts of phrase pairs, as arrays with an element per pair.

    Attributes:
        joint: Number of occurrences of the pair.
        source: Number of occurrences of its source phrase.
        target: Number of occurrences of its target phrase.
        source_distinct: Number of distinct targets of the source phrase.
        target_distinct: Number of distinct sources of the target phrase.
    """

    joint: Counts
    source: Counts
    target: Counts
    source_distinct: Counts
    target_distinct: Counts


class CountStatistics(NamedTuple):
    """The distribution of the counts of phrase pairs.

    Attributes:
        distinct: Number of distinct phrase pairs.
        sizes: Number of distinct phrase pairs that occur 0, 1, 2, ... times.
    """

    distinct: int
    sizes: tuple[int, ...]


def estimate_probabilities(
    counts: PhraseCounts, discount: Discount | None, statistics: CountStatistics
) -> tuple[Floats, Floats]:
    """Estimate p(source|target) and p(target|source) as relative frequencies, with or without a discount.

    Good-Turing multiplies a joint count c of at most 8 by (c + 1) (n(c + 1) + 0.1) / (c (n(c) + 0.1)), where n(c) is
    the number of phrase pairs that occur c times. The factor is at most 1, and at least the factor of c - 1.

    Kneser-Ney subtracts D1, D2 or D3 from counts of 1, 2, and 3 or more. These are the discounts of Chen and Goodman
    (1998), at most 0.9, 1.9 and 2.9. The mass that is subtracted for a phrase is redistributed to its translations, in
    proportion to the share of each translation in all distinct phrase pairs.

    Raises:
        OptionError: If the text is too small for the discounts of Kneser-Ney.
    """
    if discount == "kneser-ney":
        return _interpolate(counts, statistics)
    joint = counts.joint.astype(np.float64)
    if discount == "good-turing":
        factors = np.ones(_LARGEST_DISCOUNTED + 2)
        factors[1:-1] = list_good_turing_factors(statistics.sizes)
        joint = joint * factors[np.minimum(counts.joint, _LARGEST_DISCOUNTED + 1)]
    return joint / counts.target, joint / counts.source


def list_good_turing_factors(sizes: tuple[int, ...]) -> list[float]:
    """List the Good-Turing factors of the counts from 1 to 8."""
    factors = [_FLOOR]
    for count in range(1, _LARGEST_DISCOUNTED + 1):
        factor = (count + 1) / count * (sizes[count + 1] + _SMOOTHING) / (sizes[count] + _SMOOTHING)
        factors.append(max(min(factor, 1.0), factors[-1]))
    return factors[1:]


def list_kneser_ney_discounts(sizes: tuple[int, ...]) -> tuple[float, float, float]:
    """List the Kneser-Ney discounts D1, D2 and D3, for counts of 1, of 2, and of 3 or more.

    Raises:
        OptionError: If no phrase pair occurs once, no phrase pair occurs twice, or none occurs three times.
    """
    once, twice, thrice, fourfold = sizes[1:5]
    if not once or not twice or not thrice:
        reason = "--discount kneser-ney requires phrase pairs that occur once, twice and three times"
        raise OptionError(f"{reason}. Use a larger text, or another discount")
    share = once / (once + 2 * twice)
    return (
        min(1 - 2 * share * twice / once, 0.9),
        min(2 - 3 * share * thrice / twice, 1.9),
        min(3 - 4 * share * fourfold / thrice, 2.9),
    )


def _interpolate(counts: PhraseCounts, statistics: CountStatistics) -> tuple[Floats, Floats]:
    """Estimate both probabilities from counts with the discount of Kneser-Ney."""
    by_count = np.array([0.0, *list_kneser_ney_discounts(statistics.sizes)])
    subtracted = by_count[np.minimum(counts.joint, 3)]
    redistributed = subtracted * counts.source_distinct * counts.target_distinct / statistics.distinct
    joint = counts.joint - subtracted + redistributed
    return joint / counts.target, joint / counts.source
