"""Metrics of graded similarity, against brute force, NumPy and scipy; and their bootstrap against repeating rows."""

from __future__ import annotations

import math
from pathlib import Path

import evaluate
import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

import harness.evaluate_modules
from harness.evaluate_modules.pit_similarity.pit_similarity import PitSimilarity
from harness.metrics.graded_pairs import (
    max_f1,
    measure_similarity,
    pearson,
    published_max_f1,
    resample_max_f1,
    resample_pearson,
)
from harness.metrics.pairs import make_curve
from harness.stats.rounding import round_to_size

TOPICS = 3

# Few distinct scores, so that most lists have ties.
quarters = st.integers(-5, 5).map(lambda value: value / 4)
scored = st.lists(st.tuples(quarters, st.integers(0, 1)), min_size=1, max_size=30)
rows = st.lists(
    st.tuples(quarters, st.integers(0, 5), st.integers(0, TOPICS - 1), st.integers(0, TOPICS - 1)),
    min_size=1,
    max_size=25,
)


def f_measure(said: list[bool], labels: list[int]) -> float:
    hits = sum(1 for yes, label in zip(said, labels, strict=True) if yes and label)
    return 2 * hits / (sum(said) + sum(labels)) if sum(said) + sum(labels) else 0.0


@given(scored)
def test_the_maximum_is_the_best_of_all_distinct_thresholds(table: list[tuple[float, int]]) -> None:
    scores, labels = [row[0] for row in table], [row[1] for row in table]
    best = max(f_measure([score >= cut for score in scores], labels) for cut in set(scores))
    computed = max_f1(make_curve(scores, labels))
    said = [score >= computed["max_f1_threshold"] for score in scores]
    assert computed["max_f1"] == pytest.approx(best, abs=1e-12)
    assert computed["max_f1"] == pytest.approx(f_measure(said, labels), abs=1e-12)
    hits = sum(1 for yes, label in zip(said, labels, strict=True) if yes and label)
    assert computed["max_f1_precision"] == pytest.approx(hits / max(1, sum(said)))
    assert computed["max_f1_recall"] == pytest.approx(hits / max(1, sum(labels)))


def publish(scores: list[float], labels: list[int]) -> tuple[float, ...]:
    """Return the published maximum of F, its precision and its recall."""
    return tuple(published_max_f1(round_to_size(scores), np.array(labels)).values())


@given(scored)
def test_the_published_maximum_is_the_best_of_all_cuts_in_the_order_of_scores_and_lines(
    table: list[tuple[float, int]],
) -> None:
    scores, labels = [row[0] for row in table], [row[1] for row in table]
    order = sorted(range(len(scores)), key=lambda index: (scores[index], index), reverse=True)
    cuts = [[index in order[:count] for index in range(len(scores))] for count in range(1, len(order) + 1)]
    best = max(f_measure(said, labels) for said in cuts)
    f1, precision, recall = publish(scores, labels)
    assert f1 == pytest.approx(best, abs=1e-12)
    assert f1 >= max_f1(make_curve(scores, labels))["max_f1"] - 1e-12
    first = next(count for count, said in enumerate(cuts, 1) if f_measure(said, labels) >= best - 1e-12)
    hits = sum(labels[index] for index in order[:first])
    assert (precision, recall) == pytest.approx((hits / first, hits / max(1, sum(labels))))


def test_the_published_maximum_depends_on_the_order_of_equal_scores() -> None:
    """By hand: of two equal scores, the later line comes first, and no threshold gives the cut between them."""
    assert publish([0.5, 0.5], [0, 1]) == (1.0, 1.0, 1.0)
    assert publish([0.5, 0.5], [1, 0]) == (2 / 3, 0.5, 1.0)
    for labels in ([0, 1], [1, 0]):
        assert tuple(max_f1(make_curve([0.5, 0.5], labels)).values()) == (2 / 3, 0.5, 1.0, -0.5)


def test_without_paraphrases_the_maximum_is_zero() -> None:
    best = max_f1(make_curve([0.1, 0.2], [0, 0]))
    assert (best["max_f1"], best["max_f1_precision"], best["max_f1_recall"]) == (0.0, 0.0, 0.0)
    assert publish([0.1, 0.2], [0, 0]) == (0.0, 0.0, 0.0)


def test_the_published_maximum_refuses_the_same_input() -> None:
    with pytest.raises(ValueError, match=mentions("label ... 0 nor 1")):
        publish([0.5], [-1])


@given(st.lists(st.tuples(quarters, quarters), min_size=2, max_size=30))
def test_pearson_agrees_with_numpy_and_scipy(table: list[tuple[float, float]]) -> None:
    x, y = ([row[side] for row in table] for side in (0, 1))
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    assert pearson(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-9)
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
    assert -1 <= pearson(x, y) <= 1


def test_pearson_of_the_largest_and_of_almost_equal_numbers() -> None:
    """Squares of the first would be infinite; the means of the others lose most of their digits."""
    assert pearson([1e300, -1e300, 0.0], [1.0, -1.0, 0.0]) == pytest.approx(1.0)
    assert pearson([1e9, 1e9 + 1e-6, 1e9 + 2e-6], [1.0, 2.0, 3.0]) == pytest.approx(1.0, abs=0.01)


def test_a_correlation_is_never_beyond_one() -> None:
    """The points lie on a rising or falling line, but floating point gives 1.0000000000000002."""
    assert pearson([0.0, 0.8, 0.6], [1.0, 3.4, 2.8]) == 1.0
    assert pearson([0.8, 0.5, 0.0], [-1.4, -0.5, 1.0]) == -1.0


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1.0, 2.0], [1.0, 2.0, 3.0], "shape (2,) ... (3,) ... Pass"),
        ([1.0], [1.0], "shape ( ... at least 2"),
        ([1.0, math.inf], [1.0, 2.0], "value is not finite"),
        ([0.5, 0.5], [1.0, 2.0], "all values are equal"),
        ([1.0, 2.0], [0.1, 0.1 + 1e-9], "all values are equal"),
    ],
)
def test_samples_without_a_correlation(x: list[float], y: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=mentions(message)):
        pearson(x, y)


def columns(table: list[tuple[float, int, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        np.array([row[0] for row in table]),
        np.array([row[1] for row in table]),
        np.array([row[2:] for row in table]),
    )


def repeat(topics: np.ndarray, weights: list[int]) -> list[int]:
    return [weights[a] if a == b else weights[a] * weights[b] for a, b in topics.tolist()]


@given(rows, st.lists(st.integers(0, 3), min_size=TOPICS, max_size=TOPICS))
def test_weights_do_to_correlations_what_repeating_rows_does(
    table: list[tuple[float, int, int, int]], weights: list[int]
) -> None:
    scores, grades, topics = columns(table)
    times = repeat(topics, weights)
    x, y = np.repeat(scores, times), np.repeat(grades, times)
    expected = pearson(x, y) if len(set(x)) > 1 and len(set(y)) > 1 else 0.0
    computed = resample_pearson(scores, grades.astype(float), topics, TOPICS, np.array([weights], dtype=float))
    assert computed == pytest.approx([expected], abs=1e-9)


@given(rows, st.lists(st.integers(0, 3), min_size=TOPICS, max_size=TOPICS))
def test_weights_do_to_the_maximum_what_repeating_rows_does(
    table: list[tuple[float, int, int, int]], weights: list[int]
) -> None:
    scores, grades, topics = columns(table)
    labels, times = (grades > 3).astype(int), repeat(topics, weights)
    kept = np.repeat(scores, times), np.repeat(labels, times)
    expected = max_f1(make_curve(*kept))["max_f1"] if sum(times) else 0.0
    computed = resample_max_f1(scores, labels, topics, TOPICS, np.array([weights], dtype=float))
    assert computed == pytest.approx([expected], abs=1e-12)


def test_the_maximum_over_more_cuts_than_are_looked_at_at_once() -> None:
    random = np.random.default_rng(7)
    scores, labels = random.permutation(3000) / 4096, random.integers(0, 2, size=3000)
    topics = np.tile(random.integers(0, 9, size=(3000, 1)), 2)
    computed = resample_max_f1(scores, labels, topics, 9, np.vstack([np.ones(9), 2 * np.ones(9), np.eye(9)[4]]))
    fourth = topics[:, 0] == 4
    whole, part = max_f1(make_curve(scores, labels)), max_f1(make_curve(scores[fourth], labels[fourth]))
    assert computed == pytest.approx([whole["max_f1"], whole["max_f1"], part["max_f1"]])


def test_equal_scores_in_a_resample_correlate_with_nothing() -> None:
    """For values of 1/3, the mean square minus the squared mean is not 0 in floating point."""
    scores, gold = np.array([1 / 3, 1 / 3, 1 / 3, 0.9]), np.array([0.2, 0.4, 1.0, 0.6])
    topics = np.array([[0, 0], [0, 0], [0, 0], [1, 1]])
    computed = resample_pearson(scores, gold, topics, 2, np.array([[7.0, 0.0], [0.0, 5.0], [0.0, 0.0], [1.0, 1.0]]))
    assert computed[:3].tolist() == [0.0, 0.0, 0.0]
    assert computed[3] == pytest.approx(np.corrcoef(scores, gold)[0, 1])


def test_similarity_keeps_debatable_pairs_for_the_correlation_only() -> None:
    """By hand: without the debatable pair, the best cut takes both paraphrases and one other pair."""
    computed = measure_similarity([0.9, 0.7, 0.8, 0.1], [1.0, 0.8, 0.4, 0.6], [1, 1, 0, -1])
    assert computed["pearson"] == pytest.approx(np.corrcoef([0.9, 0.7, 0.8, 0.1], [1.0, 0.8, 0.4, 0.6])[0, 1])
    assert (computed["max_f1"], computed["max_f1_precision"], computed["max_f1_recall"]) == pytest.approx(
        (0.8, 2 / 3, 1.0)
    )
    assert computed["max_f1_threshold"] == -0.5  # everything that is decided scores more


def test_metrics_that_are_not_defined_have_the_value_of_the_caller() -> None:
    """A single score has no correlation, and a debatable pair counts for no decision."""
    computed = measure_similarity([0.9], [0.6], [-1], undefined=0.25)
    assert list(computed.values()) == [0.25] * 8
    with pytest.raises(ValueError, match=mentions("Pass ... at least 1")):
        measure_similarity([], [], [], undefined=0.25)
    with pytest.raises(ValueError, match=mentions("shape (0,) ... Pass")):
        measure_similarity([0.9, 0.8], [0.6, 0.4], [-1, -1])
    defined = measure_similarity([0.9, 0.1], [1.0, 0.0], [1, 0], undefined=0.25)
    assert defined == measure_similarity([0.9, 0.1], [1.0, 0.0], [1, 0])
    assert (defined["max_f1"], defined["max_f1_threshold"]) == (1, 0.5)


def test_pit_similarity_is_a_module_of_evaluate() -> None:
    module = evaluate.load(str(Path(harness.evaluate_modules.__file__).parent / "pit_similarity"))
    assert "xu2015semeval" in module.citation
    assert "Args" in module.inputs_description
    assert set(module.features) == {"predictions", "references"}
    computed = module.compute(predictions=[0.5, 0.5, 0.1, 0.2], references=[0.4, 0.8, 0.6, 0.0])
    assert computed == pytest.approx(
        {
            "pearson": 0.355036,  # by hand: 0.075 / sqrt(0.1275 * 0.35)
            "max_f1": 2 / 3,
            "max_f1_precision": 0.5,
            "max_f1_recall": 1.0,
            "max_f1_threshold": 0.35,
            "published_max_f1": 1.0,
            "published_max_f1_precision": 1.0,
            "published_max_f1_recall": 1.0,
        },
        abs=1e-6,
    )


@pytest.mark.parametrize("reference", [0.5, -0.2, 1.2, math.nan])
def test_pit_similarity_takes_the_similarities_of_the_task(reference: float) -> None:
    module = PitSimilarity(keep_in_memory=True)  # a module that failed holds a lock in the cache
    with pytest.raises(ValueError, match=mentions("reference ... 0, 0.2, 0.4, 0.6, 0.8 or 1")):
        module.compute(predictions=[0.1, 0.2], references=[1.0, reference])
