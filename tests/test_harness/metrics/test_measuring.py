"""Metrics of scored rows, computed by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions

from harness.api.evaluating import evaluate
from harness.metrics.measuring import measure_f1_at_share, measure_fit, measure_rows, measure_split
from harness.metrics.rows import ScoredRows
from harness.stats.rounding import round_scores
from pyramid_paraphrase.rules.options import GRADED_PAIRS, MATCHES, PAIRS, QUESTIONS, Kind


def make_scored_rows(
    scores: list[float] | list[list[float]], targets: list[int], tested: int, *, kind: Kind = PAIRS
) -> ScoredRows:
    """Make rows, the last ``tested`` of which belong to the test split."""
    count = len(targets)
    is_test = np.arange(count) >= count - tested
    topics = np.zeros((count, 2), dtype=np.int64)
    ids = [f"row {number}" for number in range(count)]
    return ScoredRows(
        kind=kind,
        targets=np.array(targets),
        topics=topics,
        ids=ids,
        is_test=is_test,
        topic_names=("X1",),
        scores=round_scores(scores),
    )


def test_pairs_are_cut_where_validation_says() -> None:
    """The cut lies between 0.8 and 0.4; above it are two of the three rows of the test split, both paraphrases."""
    measured = measure_rows(make_scored_rows([0.8, 0.4, 0.9, 0.2, 0.6], [1, 0, 1, 0, 1], 3))
    assert measured["threshold"] == 0.6
    assert (measured["f1"], measured["accuracy"], measured["average_precision"]) == (1.0, 1.0, 1.0)
    assert measured["positive_share"] == 0.666667


def test_the_threshold_alone_is_not_rounded_to_six_decimals() -> None:
    """The middle between two scores that differ in the last decimal has one more decimal."""
    measured = measure_rows(make_scored_rows([0.000001, 0.0, 0.000001, 0.0], [1, 0, 1, 0], 2))
    assert (measured["threshold"], measured["f1"]) == (5e-7, 1.0)


@pytest.mark.parametrize(("cutoff", "recall"), [(0.95, 0.0), (0.7, 0.5), (0.0, 1.0)])
def test_pairs_are_cut_where_the_caller_says(cutoff: float, recall: float) -> None:
    measured = measure_rows(make_scored_rows([0.8, 0.4, 0.9, 0.2, 0.6], [1, 0, 1, 0, 1], 3), cutoff)
    assert (measured["threshold"], measured["recall"]) == (cutoff, recall)


def test_f_at_another_share_is_by_weights() -> None:
    """Validation has 2 paraphrases and 2 other pairs, the test split 2 and 4. A share of 1/4 gives weights 3 and 1.5.

    Without weights, validation is cut below 0.3: 2 x 2 / (3 + 2) = 0.8, and not below 0.9: 2 / (1 + 2) = 0.667. With
    weights, F below 0.3 is 2 x 2 / (2 + 3 + 2) = 0.571, so the cut is 0.7. Above it are a paraphrase and another pair
    of the test split: 2 / (1 + 1.5 + 2). All rows: 2 x 4 / (4 + 3 + 4) at 0.25 without weights, and 2 x 2 / (2 + 4) at
    0.775 with weights of 2.
    """
    scores, targets = [0.9, 0.5, 0.3, 0.1, 0.8, 0.75, 0.4, 0.35, 0.2, 0.0], [1, 0, 1, 0, 1, 0, 1, 0, 0, 0]
    rows = make_scored_rows(scores, targets, 6)
    assert measure_rows(rows)["threshold"] == 0.2
    assert measure_f1_at_share(rows, 1 / 4) == {
        "f1_at_share": 0.444444,
        "best_f1": 0.727273,
        "best_f1_at_share": 0.666667,
    }


def test_f_at_a_share_is_that_of_repeated_rows() -> None:
    """Three times as many other pairs with the same scores are what the weight of three stands for."""
    scores, targets = [0.9, 0.5, 0.3, 0.1, 0.8, 0.75, 0.4, 0.2], [1, 0, 1, 0, 1, 0, 1, 0]
    pairs = list(zip(scores, targets, strict=True))
    repeated = [pair for pair in pairs[:4] for _ in range(1 if pair[1] else 3)]
    tested = [pair for pair in pairs[4:] for _ in range(1 if pair[1] else 3)]
    more_scores, more_targets = map(list, zip(*repeated, *tested, strict=True))
    expected = measure_rows(make_scored_rows(more_scores, more_targets, len(tested)))
    assert expected["positive_share"] == 1 / 4
    assert measure_f1_at_share(make_scored_rows(scores, targets, 4), 1 / 4)["f1_at_share"] == expected["f1"] == 0.333333


@pytest.mark.full
def test_one_hot_at_the_papers_share(real_archive: Path) -> None:
    """A separate script gave best F of 0.3594 on DUC 2007, and 0.2315 with 8,390 paraphrases in 197,619 pairs."""
    rows = evaluate("one-hot", real_archive, "binary", resamples=1, cache=False).rows["binary"]
    measured = measure_f1_at_share(rows, 8_390 / 197_619)
    assert {name: round(value, 4) for name, value in measured.items()} == {
        "f1_at_share": 0.2182,
        "best_f1": 0.3594,
        "best_f1_at_share": 0.2315,
    }


@pytest.mark.parametrize("targets", [[1, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]])
def test_a_single_class_has_no_other_share(targets: list[int]) -> None:
    assert measure_f1_at_share(make_scored_rows([0.9, 0.5, 0.3, 0.1], targets, 2), 1 / 4) == {}


def test_grades() -> None:
    """Grades 4 and 5 are paraphrases, 0 to 2 are none, 3 counts for the correlation only; the first row is no test.

    By hand: scores 1, 2, 3 and grades 5, 0, 3 have the means 2 and 8/3; -2 / sqrt(2 x 38/3) = -0.397360.
    The best cut calls both that are not debatable paraphrases: one of two is, so 2 / (2 + 1).
    """
    measured = measure_rows(make_scored_rows([9.0, 1.0, 2.0, 3.0], [0, 5, 0, 3], 3, kind=GRADED_PAIRS))
    assert measured == {
        "pearson": -0.39736,
        "max_f1": 0.666667,
        "max_f1_precision": 0.5,
        "max_f1_recall": 1.0,
    }


@pytest.mark.parametrize(
    ("scores", "grades", "pearson"),
    [([1.0, 1.0], [5, 0], 0.0), ([1.0, 2.0], [4, 4], 0.0), ([1.0, 2.0], [0, 5], 1.0), ([2.0, 1.0], [0, 5], -1.0)],
)
def test_a_correlation_that_is_not_defined_is_zero(scores: list[float], grades: list[int], pearson: float) -> None:
    assert measure_rows(make_scored_rows(scores, grades, 2, kind=GRADED_PAIRS))["pearson"] == pearson


def test_debatable_grades_alone_give_no_decisions() -> None:
    measured = measure_rows(make_scored_rows([1.0, 2.0], [3, 3], 2, kind=GRADED_PAIRS))
    assert measured == {"pearson": 0.0, "max_f1": 0, "max_f1_precision": 0, "max_f1_recall": 0}


def test_questions_of_the_test_split() -> None:
    """The right options rank first and third; the question of validation would rank first."""
    scores = [[3.0, 2.0, 1.0], [3.0, 2.0, 1.0], [1.0, 2.0, 3.0]]
    assert measure_rows(make_scored_rows(scores, [0, 0, 0], 2, kind=QUESTIONS)) == {
        "success_rate": 0.5,
        "mrr": 0.666667,
    }


def test_pairs_need_a_threshold() -> None:
    rows = make_scored_rows([0.8, 0.4, 0.9], [1, 0, 1], 2)
    with pytest.raises(ValueError, match=mentions("threshold. Fit")):
        measure_split(rows.test_split(None))


def test_fit_of_a_threshold_for_pairs() -> None:
    """By hand: above 0.3 are three rows, two of them paraphrases, of two; 2 * 2 / (3 + 2). The last row is of test."""
    assert measure_fit(make_scored_rows([0.9, 0.8, 0.4, 0.2, 0.9], [1, 0, 1, 0, 0], 1)) == 0.8


def test_fit_of_a_threshold_for_matches() -> None:
    """By hand: both rows that have a match name it, and a third names a wrong one above them; 2 * 2 / (3 + 2)."""
    scores = [[0.5, 0.1], [0.2, 0.4], [0.9, 0.3], [0.1, 0.2]]
    assert measure_fit(make_scored_rows(scores, [0, 1, -1, 0], 1, kind=MATCHES)) == 0.8


@pytest.mark.parametrize(
    ("kind", "scores", "undecided"),
    [
        (PAIRS, [0.9, 0.5, 0.5, 0.5], 3),  # the first row is of the validation split
        (PAIRS, [0.5, 0.5, 0.6, 0.5], 0),
        (PAIRS, [0.5, 0.5], 0),  # a single row of the test split
        (QUESTIONS, [[0.1, 0.2, 0.3], [0.1, 0.1, np.nan], [0.2, 0.2, 0.2]], 2),
        (QUESTIONS, [[0.1, 0.1, 0.1], [0.2, 0.2, 0.2], [0.3, 0.3, 0.4]], 0),
    ],
)
def test_rows_that_equal_scores_do_not_decide(
    kind: Kind, scores: list[float] | list[list[float]], undecided: int
) -> None:
    targets = [0] * len(scores)
    assert make_scored_rows(scores, targets, len(scores) - 1, kind=kind).count_undecided() == undecided
