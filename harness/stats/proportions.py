"""Shares of rows, with intervals that are also valid near 0 and 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

from harness.stats.bootstrap import CONFIDENCE
from harness.stats.rounding import DECIMALS

_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


class Estimate(NamedTuple):
    """An estimated share.

    Attributes:
        value: The share.
        interval: The ends of its 95 % interval.
    """

    value: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Share:
    """A share of rows.

    Attributes:
        count: Number of the rows that count.
        total: Number of all rows.
    """

    count: int
    total: int

    def estimate(self) -> Estimate | None:
        """Return the share with Wilson's score interval (Wilson 1927), or None if there are no rows."""
        return combine_shares([(1.0, self)])


def combine_shares(strata: Sequence[tuple[float, Share]]) -> Estimate | None:
    """Estimate a share of a population from the shares in samples of its strata.

    The interval combines Wilson's intervals of the strata: its lower end is p - sqrt(sum of (w (p_s - l_s))^2), with
    the weight w, the share p_s and the lower end l_s of each stratum. The upper end is p + sqrt(sum of
    (w (u_s - p_s))^2), with the upper end u_s (Zou and Donner 2008, "Construction of confidence limits about effect
    measures", Statistics in Medicine 27).

    Args:
        strata: The weight of each stratum, which is its part of the population, and the share in its sample.

    Returns:
        The estimate, rounded. None if a stratum has no sample.
    """
    if not all(share.total for _, share in strata):
        return None
    value = below = above = 0.0
    for weight, share in strata:
        lower, upper = _find_ends(share)
        own = share.count / share.total
        value += weight * own
        below += (weight * (own - lower)) ** 2
        above += (weight * (upper - own)) ** 2
    ends = (value - math.sqrt(below), value + math.sqrt(above))
    lower, upper = (round(end, DECIMALS) + 0.0 for end in ends)  # adding 0.0 turns -0.0 into 0.0
    return Estimate(round(value, DECIMALS), (lower, upper))


def _find_ends(share: Share) -> tuple[float, float]:
    """Find the ends of Wilson's score interval."""
    count, total = share.count, share.total
    middle = (count + _Z**2 / 2) / (total + _Z**2)
    half = _Z / (total + _Z**2) * math.sqrt(count * (total - count) / total + _Z**2 / 4)
    return middle - half, middle + half
