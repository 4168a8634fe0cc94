"""Unique titles of the tests of a leaderboard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from harness.leaderboards.files.board import RankedTest
from pyramid_paraphrase.catalog import title_of


class Title(NamedTuple):
    """The titles of a test.

    Attributes:
        long: The configuration and the titles of the collections.
        short: The configuration alone, or the long title if the leaderboard has several tests of the configuration.
    """

    long: str
    short: str


def title_tests(tests: Sequence[RankedTest]) -> list[Title]:
    """Give each test of a leaderboard a title that no other test has.

    Tests of the same configuration and the same collections differ in their options. Their titles end with the first
    digits of the fingerprint.
    """
    long_titles = [f"{test.configuration}: {title_collections(test)}" for test in tests]
    repeated = Counter(long_titles)
    configurations = Counter(test.configuration for test in tests)
    titles = []
    for test, title in zip(tests, long_titles, strict=True):
        long = title if repeated[title] == 1 else f"{title} ({test.fingerprint[:12]})"
        titles.append(Title(long, test.configuration if configurations[test.configuration] == 1 else long))
    return titles


def title_collections(test: RankedTest) -> str:
    """Join the titles of the collections from which a test is made."""
    return ", ".join(map(title_of, test.collections))
