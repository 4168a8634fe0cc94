"""Shares with intervals: published values, combination of strata, and the edges 0 and 1."""

from __future__ import annotations

import random
from math import sqrt

import pytest

from harness.stats.agreement import Share, combine_shares


@pytest.mark.parametrize(
    ("count", "total", "interval"),
    [
        # Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I, method 3.
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0.0, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
        (20, 20, (0.8389, 1.0)),
        # What docs/annotation.md says about sheets without contradicted negatives, by z^2 / (n + z^2).
        (0, 50, (0.0, 0.0713)),
        (0, 200, (0.0, 0.0188)),
    ],
)
def test_interval_of_a_share(count: int, total: int, interval: tuple[float, float]) -> None:
    estimate = Share(count, total).estimate()
    assert estimate is not None
    value, ends = estimate
    assert value == pytest.approx(count / total, abs=1e-6)
    assert ends == pytest.approx(interval, abs=5e-5)
    assert "-" not in str(ends)


def test_shares_of_strata_by_hand() -> None:
    """0.1 * 5/20 + 0.9 * 1/29; distances to the ends of Wilson's intervals, 0.1119 to 0.4687 and 0.0061 to 0.1718."""
    estimate = combine_shares([(0.1, Share(5, 20)), (0.9, Share(1, 29))])
    assert estimate is not None
    value, interval = estimate
    assert value == pytest.approx(0.1 * 0.25 + 0.9 / 29, abs=1e-6)
    below = sqrt((0.1 * (0.25 - 0.1119)) ** 2 + (0.9 * (1 / 29 - 0.0061)) ** 2)
    above = sqrt((0.1 * (0.4687 - 0.25)) ** 2 + (0.9 * (0.1718 - 1 / 29)) ** 2)
    assert interval == pytest.approx((value - below, value + above), abs=1e-4)


def test_a_stratum_without_rows_has_no_share() -> None:
    assert Share(0, 0).estimate() is None
    assert combine_shares([(0.1, Share(1, 2)), (0.9, Share(0, 0))]) is None


def test_intervals_contain_the_share_in_about_95_percent_of_samples() -> None:
    """2,000 balanced samples of 100 rows from labels of which 20 % and 3 % are wrong; one positive in ten rows."""
    chance, truth, hits = random.Random(1), 0.1 * 0.2 + 0.9 * 0.03, 0
    for _ in range(2000):
        counts = [sum(chance.random() < share for _ in range(50)) for share in (0.2, 0.03)]
        estimate = combine_shares([(0.1, Share(counts[0], 50)), (0.9, Share(counts[1], 50))])
        assert estimate is not None
        _, (lower, upper) = estimate
        hits += lower <= truth <= upper
    assert 0.93 <= hits / 2000 <= 0.985
