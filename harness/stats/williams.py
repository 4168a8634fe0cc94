"""Williams' test of two correlations that share a variable (Williams 1959; Steiger 1980)."""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy.special import stdtr

MIN_SYSTEMS = 4
"""The test has n - 3 degrees of freedom."""

_SLACK = 1e-9
"""Largest difference from 1 of a correlation of proportional metrics, because scores are rounded."""

_NOISE = 1e-12
"""Largest spread that can be a rounding error."""


class Williams(NamedTuple):
    """The result of the test.

    Attributes:
        t: The statistic, positive if the first metric correlates better. None if the test is not defined.
        p_value: Two-sided p-value. None if the test is not defined.
        reason: Why the test is not defined, or "".
    """

    t: float | None
    p_value: float | None
    reason: str = ""


def compare_correlations(first: float, second: float, between: float, systems: int) -> Williams:
    """Test the difference of two correlations that share a variable.

    Let r1 and r2 be the correlations of two metrics with a judgement, r the correlation of the metrics with each other,
    n the number of systems, and K = 1 - r1^2 - r2^2 - r^2 + 2 r1 r2 r. By Graham and Baldwin (2014),

    t(n - 3) = (r1 - r2) sqrt((n - 1) (1 + r)) / sqrt(2 K (n - 1) / (n - 3) + (r1 + r2)^2 / 4 (1 - r)^3).

    The test treats the systems as a sample, and the topics as fixed.

    Args:
        first: Correlation of the first metric with the judgement.
        second: Correlation of the second metric with the judgement.
        between: Correlation of both metrics with each other.
        systems: Number of systems.

    Returns:
        The result. The test is not defined for fewer than `MIN_SYSTEMS`, if the correlation of the metrics is 1 or -1,
        or if the judgement is the difference of the metrics, so that their correlations have no error.
    """
    if systems < MIN_SYSTEMS:
        return Williams(None, None, f"fewer than {MIN_SYSTEMS} systems")
    if abs(between) >= 1 - _SLACK:
        return Williams(None, None, f"the metrics correlate with each other by {between:.0f}")
    determinant = max(0.0, 1 - first**2 - second**2 - between**2 + 2 * first * second * between)
    spread = 2 * determinant * (systems - 1) / (systems - 3) + (first + second) ** 2 / 4 * (1 - between) ** 3
    gap = (first - second) * math.sqrt((systems - 1) * (1 + between))
    if spread <= _NOISE:
        return Williams(None, None, "the correlations leave no room for chance")
    t = gap / math.sqrt(spread)
    p_value = 2 * float(stdtr(systems - 3, -abs(t)))
    return Williams(round(t, 6) + 0.0, float(f"{p_value:.6g}"))
