"""Mistakes and distributions of matches and graded pairs, on arrays that can be checked by eye."""

from __future__ import annotations

import math

import numpy as np
import pytest

from harness.metrics.rows import ScoredRows
from harness.reports.analysis import ask_for_any, chance_of_first, find_mistakes, spread_by_grade
from harness.stats.rounding import RoundedScores
from pyramid_paraphrase.rules.options import GRADED_PAIRS, MATCHES, PAIRS, Kind


def make_rows(
    kind: Kind, scores: list[float] | list[list[float]], targets: list[int], last_is_test: bool
) -> ScoredRows:
    """Make rows of one topic, all of the test split except the last one if it is not."""
    count = len(targets)
    is_test = np.ones(count, bool)
    is_test[-1] = last_is_test
    return ScoredRows(
        kind=kind,
        ids=[f"r{number}" for number in range(count)],
        is_test=is_test,
        targets=np.array(targets),
        topics=np.zeros((count, 2), np.int64),
        topic_names=("T",),
        scores=RoundedScores(np.array(scores, np.float64)),
    )


def list_ids(rows: ScoredRows, threshold: float | None, count: int = 9) -> list[list[str]]:
    return [[row_id for row_id, _, _ in rows] for rows in find_mistakes(rows, threshold, count).values()]


@pytest.fixture
def matches() -> ScoredRows:
    """Rows with three options, the last option of the first row missing. At 0.5, all but r3 and r4 name an option.

    r0 is right. r1 and r5 name another SCU. r2 and r6 match nothing. r3 is not found. The last row is not scored.
    """
    scores = [
        [0.9, 0.1, math.nan],
        [0.2, 0.7, 0.1],
        [0.6, 0.1, 0.2],
        [0.4, 0.3, 0.2],
        [0.1, 0.2, 0.3],
        [0.8, 0.1, 0.9],
        [0.1, 0.8, 0.2],
        [0.9, 0.9, 0.9],
    ]
    return make_rows(MATCHES, scores, [0, 0, -1, 0, -1, 0, -1, -1], last_is_test=False)


def test_mistakes_of_matches(matches: ScoredRows) -> None:
    """The worst first: the highest score of a wrong option, and the lowest of a fragment that is not found."""
    other, unmatched, missed = find_mistakes(matches, 0.5, 9).values()
    assert [(row_id, score) for row_id, _, score in other] == [("r5", 0.9), ("r1", 0.7)]
    assert [(row_id, score) for row_id, _, score in unmatched] == [("r6", 0.8), ("r2", 0.6)]
    assert [(row_id, score) for row_id, _, score in missed] == [("r3", 0.4)]
    assert list_ids(matches, 0.5, count=1) == [["r5"], ["r6"], ["r3"]]
    assert list_ids(matches, 1.0) == [[], [], ["r3", "r1", "r0", "r5"]]


def test_matches_as_pairs(matches: ScoredRows) -> None:
    pairs = ask_for_any(matches)
    assert pairs.kind == PAIRS
    assert pairs.scores.tolist() == [0.9, 0.7, 0.6, 0.4, 0.3, 0.9, 0.8, 0.9]
    assert pairs.targets.tolist() == [1, 1, 0, 1, 0, 1, 0, 0]
    assert pairs.ids == matches.ids


def test_the_chance_of_the_first_rank(matches: ScoredRows) -> None:
    """One matched row has two options, and three have three."""
    assert chance_of_first(matches) == pytest.approx((1 / 2 + 3 / 3) / 4)


def test_mistakes_of_graded_pairs() -> None:
    """Grades 0 to 2 are low and 4 and 5 are high. Grade 3 is debatable, so it is never a mistake."""
    rows = make_rows(GRADED_PAIRS, [0.9, 0.1, 0.5, 0.9, 0.2, 0.8, 1.0], [0, 2, 3, 4, 5, 1, 0], last_is_test=False)
    assert list_ids(rows, None) == [["r0", "r5", "r1"], ["r4", "r3"]]
    assert list_ids(rows, None, count=1) == [["r0"], ["r4"]]


def test_quartiles_by_grade() -> None:
    """By linear interpolation, the quartiles of 0, 1, 2 and 4 are 0.75, 1.5 and 2.5."""
    rows = make_rows(GRADED_PAIRS, [4.0, 0.0, 2.0, 1.0, 7.0, 9.0], [5, 5, 5, 5, 0, 0], last_is_test=False)
    assert spread_by_grade(rows) == [(0, 1, (7.0, 7.0, 7.0)), (5, 4, (0.75, 1.5, 2.5))]
