"""Metrics of matches, computed by hand, and their invariants."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.scored_rows import make_split
from hypothesis import given
from hypothesis import strategies as st

from harness.metrics.choices import find_best, fit_match_threshold, measure_matches, rate_matches, rate_questions
from harness.metrics.measuring import make_measure, measure_contributions, measure_split
from harness.metrics.table import list_metrics, list_published
from harness.stats.rounding import RoundedScores, round_scores
from pyramid_paraphrase.rules.options import MATCHES, find_configuration

NAN = float("nan")

SCORES = round_scores(
    [
        [0.9, 0.1, 0.2],  # the right option first
        [0.6, 0.8, NAN],  # the right option second
        [0.7, 0.7, 0.1],  # the right option shares the first place
        [0.3, 0.2, 0.1],  # the right option first, below the threshold
        [0.6, 0.4, NAN],  # none is right, and the first is named
        [0.2, 0.1, 0.0],  # none is right, and none is named
    ]
)
TARGETS = np.array([0, 0, 1, 0, -1, -1])


def test_by_hand() -> None:
    """At 0.5, four rows are named: 1 + 0 + 1/2 + 0 right. Four rows are matched."""
    assert measure_matches(SCORES, TARGETS, 0.5) == {
        "match_f1": pytest.approx(2 * 1.5 / (4 + 4)),
        "match_precision": pytest.approx(1.5 / 4),
        "match_recall": pytest.approx(1.5 / 4),
        "match_accuracy": pytest.approx((1.5 + 1) / 6),
        "match_success_rate": pytest.approx((1 + 0 + 1 / 2 + 1) / 4),
        "match_mrr": pytest.approx((1 + 1 / 2 + (1 + 1 / 2) / 2 + 1) / 4),
    }


@pytest.mark.parametrize(
    ("threshold", "f1", "precision", "accuracy"),
    [
        (0.9, 2 / 5, 1.0, 3 / 6),
        (2.0, 0.0, 0.0, 2 / 6),
        (0.0, 2 * 2.5 / 10, 2.5 / 6, 2.5 / 6),
        (0.85, 2 / 5, 1.0, 3 / 6),
    ],
)
def test_the_threshold_decides_the_named_options(
    threshold: float, f1: float, precision: float, accuracy: float
) -> None:
    measured = measure_matches(SCORES, TARGETS, threshold)
    assert measured["match_f1"] == pytest.approx(f1)
    assert measured["match_precision"] == pytest.approx(precision)
    assert measured["match_accuracy"] == pytest.approx(accuracy)
    assert measured["match_success_rate"] == pytest.approx(2.5 / 4)


def test_the_fitted_threshold_has_the_highest_f() -> None:
    """Naming all rows down to 0.3 gives 2 x 2.5 / (5 + 4); the cut lies between 0.3 and 0.2."""
    assert fit_match_threshold(SCORES, TARGETS) == 0.25
    assert measure_matches(SCORES, TARGETS, 0.25)["match_f1"] == pytest.approx(5 / 9)


def test_rows_with_equal_scores_are_not_divided() -> None:
    """Both rows score the same, so that both are named or neither: F = 2/3 or 0."""
    assert fit_match_threshold(round_scores([[0.5, 0.1], [0.5, 0.1]]), np.array([0, -1])) == -0.5


def test_without_a_matched_row_no_option_is_named() -> None:
    threshold = fit_match_threshold(round_scores([[0.5, 0.1]]), np.array([-1]))
    assert threshold > 0.5
    assert measure_matches(round_scores([[0.5, 0.1]]), np.array([-1]), threshold) == {
        **dict.fromkeys((metric.name for metric in list_metrics(MATCHES)), 0.0),
        "match_accuracy": 1.0,
    }


@pytest.mark.parametrize(
    ("scores", "targets", "message"),
    [
        ([[0.5, NAN, 0.5]], [0], "score is not finite"),
        ([[NAN, NAN]], [-1], "score is not finite"),
        ([[0.5, float("inf")]], [0], "score is not finite"),
        ([[0.5, NAN]], [1], "target ... index of an option"),
        ([[0.5, 0.5]], [-2], "target ... index of an option"),
        ([[0.5, 0.5]], [0, 0], "shape ( ... row of scores per target"),
        ([0.5, 0.5], [0, 0], "shape ( ... row of scores per target"),
    ],
)
def test_scores_that_cannot_be(scores: list[object], targets: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=mentions(message)):
        find_best(RoundedScores(np.array(scores)), targets)


def test_the_published_metrics() -> None:
    published = list_published(find_configuration("peers"))
    assert [metric.name for metric in published] == ["match_f1", "match_success_rate", "match_mrr"]
    assert [metric.name for metric in list_metrics(MATCHES) if not metric.needs_threshold] == [
        "match_success_rate",
        "match_mrr",
    ]


@st.composite
def match_rows(draw: st.DrawFn) -> tuple[RoundedScores, np.ndarray, np.ndarray]:
    """Scores, targets and topics of a few rows; scores often tie."""
    count = draw(st.integers(1, 12))
    scores = np.full((count, 4), np.nan)
    targets, topics = [], []
    for row in range(count):
        options = draw(st.integers(1, 4))
        scores[row, :options] = draw(
            st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=options, max_size=options)
        )
        targets.append(draw(st.integers(-1, options - 1)))
        topics.append(draw(st.integers(0, 2)))
    return round_scores(scores), np.array(targets), np.array(topics)


@given(match_rows(), st.sampled_from([-1.0, 0.1, 0.3, 0.6, 2.0]))
def test_metrics_agree_with_a_slow_computation(
    rows: tuple[RoundedScores, np.ndarray, np.ndarray], threshold: float
) -> None:
    """Expected values over random orders of ties, row by row."""
    scores, targets, _ = rows
    named = right = correct = 0.0
    for values, target in zip(scores.tolist(), targets.tolist(), strict=True):
        options = [value for value in values if value == value]  # NaN is not equal to itself
        best = [place for place, value in enumerate(options) if value == max(options)]
        is_named = max(options) >= threshold
        share = best.count(target) / len(best)
        named += is_named
        right += is_named * share
        correct += share if is_named else target == -1
    matched = int((targets != -1).sum())
    measured = measure_matches(scores, targets, threshold)
    assert measured["match_precision"] == pytest.approx(right / named if named else 0)
    assert measured["match_recall"] == pytest.approx(right / matched if matched else 0)
    assert measured["match_f1"] == pytest.approx(2 * right / (named + matched) if named + matched else 0)
    assert measured["match_accuracy"] == pytest.approx(correct / len(targets))


@given(match_rows())
def test_no_cut_is_better_than_the_fitted_threshold(rows: tuple[RoundedScores, np.ndarray, np.ndarray]) -> None:
    scores, targets, _ = rows
    best = measure_matches(scores, targets, fit_match_threshold(scores, targets))["match_f1"]
    cuts = [-1.0, 0.1, 0.3, 0.6, 2.0]
    assert best == pytest.approx(max(measure_matches(scores, targets, cut)["match_f1"] for cut in cuts))


@given(match_rows())
def test_ranks_are_those_of_questions(rows: tuple[RoundedScores, np.ndarray, np.ndarray]) -> None:
    """If every row has all options and a right option, success rate and MRR equal those of questions."""
    scores, targets, _ = rows
    full = round_scores(np.nan_to_num(scores, nan=-1.0))
    answers = np.maximum(targets, 0)
    rates = rate_matches(full, answers, 0.0)
    expected = rate_questions(full, answers)
    assert rates.first.tolist() == pytest.approx(expected["success_rate"].tolist())
    assert rates.reciprocal.tolist() == pytest.approx(expected["mrr"].tolist())


@given(match_rows())
def test_topics_are_weighted(rows: tuple[RoundedScores, np.ndarray, np.ndarray]) -> None:
    """A topic of weight 2 counts as if its rows were repeated. Contributions of topics sum to the metric."""
    scores, targets, topics = rows
    split = make_split(MATCHES, scores, targets, np.stack([topics, topics], axis=1), 3, 0.3)
    repeats = np.where(topics == 0, 2, 1)
    samples = make_measure(split)(np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]))
    twice = measure_matches(RoundedScores(np.repeat(scores, repeats, axis=0)), np.repeat(targets, repeats), 0.3)
    contributions = measure_contributions(split)
    measured = measure_split(split)
    measured.pop("threshold")
    assert len(measured) == 6
    for name, value in measured.items():
        assert samples[name][0] == pytest.approx(value, abs=1e-6)
        assert samples[name][1] == pytest.approx(twice[name])
        assert contributions[name].sum() == pytest.approx(value, abs=1e-5)
