"""Metrics compared with scikit-learn and brute force, and on inputs that other harnesses measure wrongly."""

from __future__ import annotations

import itertools
from pathlib import Path

import evaluate
import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics

import harness.evaluate_modules
from harness.evaluate_modules.mrr.mrr import Mrr
from harness.evaluate_modules.ranking_success.ranking_success import RankingSuccess
from harness.evaluate_modules.threshold_f1.threshold_f1 import ThresholdF1
from harness.metrics.choices import pad_scores, rate_reciprocal_rank, rate_success
from harness.metrics.pairs import (
    average_precision,
    count_decisions,
    fit_threshold,
    make_curve,
    measure_pairs,
    rate_decisions,
    roc_auc,
)

FOLDER = Path(harness.evaluate_modules.__file__).parent

# Few distinct scores, so that most lists have ties.
quarters = st.integers(-5, 5).map(lambda value: value / 4)
scored = st.lists(st.tuples(quarters, st.integers(0, 1)), min_size=1, max_size=40)


def f_measure(scores: list[float], labels: list[int], threshold: float) -> float:
    said = [score >= threshold for score in scores]
    hits = sum(1 for yes, label in zip(said, labels, strict=True) if yes and label)
    return 2 * hits / (sum(said) + sum(labels)) if sum(said) + sum(labels) else 0.0


@given(scored)
def test_the_threshold_is_the_best_cut_between_distinct_scores(rows: list[tuple[float, int]]) -> None:
    scores, labels = [row[0] for row in rows], [row[1] for row in rows]
    distinct = sorted(set(scores), reverse=True)
    ends = (distinct[0] + 1, distinct[-1] - 1)
    cuts = [ends[0], *((a + b) / 2 for a, b in itertools.pairwise(distinct)), ends[1]]
    best = max(f_measure(scores, labels, cut) for cut in cuts)
    threshold = fit_threshold(make_curve(scores, labels))
    assert threshold not in scores
    assert f_measure(scores, labels, threshold) == pytest.approx(best, abs=1e-12)
    higher = [cut for cut in cuts[:-1] if cut > max(threshold, ends[1])]
    assert all(f_measure(scores, labels, cut) < best - 1e-12 for cut in higher if cut < ends[0])


@given(scored, st.floats(-2, 2))
def test_metrics_agree_with_scikit_learn(rows: list[tuple[float, int]], threshold: float) -> None:
    scores, labels = [row[0] for row in rows], [row[1] for row in rows]
    said = [int(score >= threshold) for score in scores]
    measured = measure_pairs(make_curve(scores, labels), threshold)
    expected = {
        "f1": sklearn_metrics.f1_score(labels, said, zero_division=0),
        "precision": sklearn_metrics.precision_score(labels, said, zero_division=0),
        "recall": sklearn_metrics.recall_score(labels, said, zero_division=0),
        "accuracy": sklearn_metrics.accuracy_score(labels, said),
        "mcc": 0.0 if len({*labels, *said}) < 2 else sklearn_metrics.matthews_corrcoef(labels, said),
        "kappa": 0.0 if len({*labels, *said}) < 2 else sklearn_metrics.cohen_kappa_score(labels, said),
    }
    if any(labels):
        expected["average_precision"] = sklearn_metrics.average_precision_score(labels, scores)
    if 0 < sum(labels) < len(labels):
        expected["roc_auc"] = sklearn_metrics.roc_auc_score(labels, scores)
    for name, value in expected.items():
        assert measured[name] == pytest.approx(value, abs=1e-12), name


def test_by_hand() -> None:
    """Four pairs, 0.9 and 0.5 of them paraphrases: the best cut is below 0.5, with 2 of 3 said right."""
    curve = make_curve([0.9, 0.7, 0.5, 0.1], [1, 0, 1, 0])
    assert fit_threshold(curve) == pytest.approx(0.3)
    assert count_decisions(curve, 0.3) == (2, 1, 0, 1)
    measured = measure_pairs(curve, 0.3)
    assert measured["f1"] == pytest.approx(0.8)
    assert measured["average_precision"] == pytest.approx((1 + 2 / 3) / 2)
    assert measured["roc_auc"] == pytest.approx(3 / 4)
    assert measured["mcc"] == pytest.approx(1 / 3**0.5)
    assert measured["kappa"] == pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2))


def test_a_constant_scorer_gains_nothing_by_a_cut_inside_equal_scores() -> None:
    """Other harnesses cut between equal scores, and a constant scorer then reaches accuracy 1.0."""
    curve = make_curve([0.5] * 4, [1, 1, 0, 0])
    threshold = fit_threshold(curve)
    assert threshold == -0.5
    assert measure_pairs(curve, threshold) == {
        "f1": pytest.approx(2 / 3),
        "precision": 0.5,
        "recall": 1.0,
        "accuracy": 0.5,
        "mcc": 0.0,
        "kappa": 0.0,
        "average_precision": 0.5,
        "roc_auc": 0.5,
        "threshold": -0.5,
        "positive_share": 0.5,
    }


def test_among_equal_f_the_highest_cut_wins() -> None:
    assert fit_threshold(make_curve([4, 3, 2, 1], [1, 0, 0, 1])) == 3.5
    assert fit_threshold(make_curve([4, 3], [0, 0])) == 6.0


def test_a_score_in_the_middle_is_a_paraphrase() -> None:
    """The middle of 0.8 and 0.4 is 0.6000000000000001 in floating point, and a score of 0.6 fell below it."""
    assert fit_threshold(make_curve([0.8, 0.4], [1, 0])) == 0.6


def test_the_middle_of_neighbouring_scores_keeps_its_seventh_decimal() -> None:
    assert fit_threshold(make_curve([0.000001, 0.0], [1, 0])) == 5e-7
    assert fit_threshold(make_curve([0.500001, 0.5], [1, 0])) == 0.5000005


def test_thresholds_of_very_small_and_large_scores() -> None:
    """A threshold with seven decimals would be 0, and 1 is too little for the distance from large scores."""
    assert fit_threshold(make_curve([4e-9, 3e-9], [1, 0])) == 3.5e-9
    assert fit_threshold(make_curve([4e299, 3e299], [1, 0])) == 3.5e299
    assert fit_threshold(make_curve([1e20, 1e20], [1, 0])) < 1e20
    assert fit_threshold(make_curve([1e20, 1e20], [0, 0])) > 1e20


def test_metrics_round_scores_of_any_size() -> None:
    """Called as the modules for `evaluate` call them, with scores that no evaluation has rounded."""
    assert rate_success([[2e-9, 1e-9], [1e-9, 2e-9]], [0, 0]).tolist() == [1.0, 0.0]
    assert rate_reciprocal_rank([[2e-9, 1e-9], [1e-9, 2e-9]], [0, 0]).tolist() == [1.0, 0.5]
    assert pad_scores([[2e-9, 1e-9], [3e-9]])[:, 0].tolist() == [2e-9, 3e-9]


def test_the_share_of_paraphrases_is_that_of_all_pairs() -> None:
    measured = measure_pairs(make_curve([0.9, 0.7, 0.5, 0.1], [1, 0, 1, 1]), 0.3)
    assert (measured["positive_share"], measured["threshold"]) == (0.75, 0.3)


def test_undefined_metrics_are_zero_and_the_area_a_half() -> None:
    only_others = make_curve([1.0, 2.0], [0, 0])
    assert average_precision(only_others) == 0.0
    assert roc_auc(only_others) == 0.5
    assert roc_auc(make_curve([1.0, 2.0], [1, 1])) == 0.5
    assert {name: float(value) for name, value in rate_decisions(0, 0, 0, 0).items()} == dict.fromkeys(
        ("f1", "precision", "recall", "accuracy", "mcc", "kappa"), 0.0
    )


@pytest.mark.parametrize(
    ("scores", "labels", "message"),
    [
        ([], [], "shape ( ... labels ... same number of both, at least one"),
        ([1.0], [1, 0], "shape ( ... labels ... same number of both, at least one"),
        ([float("nan")], [1], "score is not finite"),
        ([1.0], [2], "label ... 0 nor 1"),
    ],
)
def test_bad_pairs(scores: list[float], labels: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=mentions(message)):
        make_curve(scores, labels)


questions = st.integers(2, 5).flatmap(
    lambda options: st.lists(
        st.tuples(st.lists(st.integers(0, 3), min_size=options, max_size=options), st.integers(0, options - 1)),
        min_size=1,
        max_size=10,
    )
)


@given(questions)
def test_tied_options_count_what_random_orders_would_give(rows: list[tuple[list[int], int]]) -> None:
    """Brute force: the mean over all positions that the right option can have among tied options."""
    scores, answers = [row[0] for row in rows], [row[1] for row in rows]
    success, reciprocal = rate_success(scores, answers), rate_reciprocal_rank(scores, answers)
    for index, (row, answer) in enumerate(rows):
        better, tied = sum(s > row[answer] for s in row), sum(s == row[answer] for s in row)
        ranks = range(better + 1, better + tied + 1)
        assert success[index] == pytest.approx(sum(rank == 1 for rank in ranks) / tied)
        assert reciprocal[index] == pytest.approx(sum(1 / rank for rank in ranks) / tied)


def test_a_constant_scorer_has_the_value_of_chance() -> None:
    """Other harnesses list the positive first and break ties by position: MRR 1.0 for a constant scorer."""
    for answer in range(4):
        assert rate_success([[0.5] * 4], [answer])[0] == 0.25
        assert rate_reciprocal_rank([[0.5] * 4], [answer])[0] == pytest.approx(25 / 48)  # 0.5208


@pytest.mark.parametrize(
    ("scores", "answers", "message"),
    [
        ([1.0, 2.0], [0, 1], "shape ( ... row of scores per answer"),
        ([[1.0, 2.0]], [0, 1], "shape ( ... row of scores per answer"),
        ([[]], [0], "shape ( ... row of scores per answer"),
        ([[1.0, float("inf")]], [0], "score is not finite"),
        ([[1.0, 2.0]], [2], "answer ... index of an option"),
    ],
)
def test_bad_questions(scores: list[list[float]], answers: list[int], message: str) -> None:
    for rate in (rate_success, rate_reciprocal_rank):
        with pytest.raises(ValueError, match=mentions(message)):
            rate(scores, answers)


def test_modules_load_by_path_and_say_what_they_are() -> None:
    for name in ("threshold_f1", "ranking_success", "mrr", "match_f1"):
        module = evaluate.load(str(FOLDER / name))
        assert module.description.strip()
        assert "Args" in module.inputs_description
        assert "Returns" in module.inputs_description
        assert "baumel2016sentence" in module.citation
        assert set(module.features) == {"predictions", "references"}


def test_threshold_f1_fits_on_validation_and_measures_on_test() -> None:
    metric = evaluate.load(str(FOLDER / "threshold_f1"))
    computed = metric.compute(
        predictions=[0.9, 0.2, 0.6],
        references=[1, 0, 1],
        validation_predictions=[0.8, 0.4],
        validation_references=[1, 0],
    )
    assert computed["threshold"] == pytest.approx(0.6)
    assert computed["f1"] == 1.0
    assert computed["positive_share"] == pytest.approx(2 / 3)
    assert metric.compute(predictions=[0.9, 0.2], references=[1, 0], threshold=0.95)["f1"] == 0.0


def test_threshold_f1_needs_a_threshold_or_validation_scores() -> None:
    """In memory: a module that failed holds a lock in the cache, for which the next one would wait."""
    for arguments in ({}, {"threshold": 0.5, "validation_predictions": [1.0], "validation_references": [1]}):
        with pytest.raises(
            ValueError, match=mentions("threshold ... validation_predictions ... validation_references")
        ):
            ThresholdF1(keep_in_memory=True).compute(predictions=[1.0], references=[1], **arguments)


def test_match_f1_takes_texts_with_different_numbers_of_options() -> None:
    """At the fitted threshold of 0.6, the first option is rightly named and the last text rightly has none."""
    metric = evaluate.load(str(FOLDER / "match_f1"))
    computed = metric.compute(
        predictions=[[0.9, 0.2], [0.1, 0.7, 0.6], [0.5]],
        references=[0, 2, -1],
        validation_predictions=[[0.8], [0.4, 0.1]],
        validation_references=[0, -1],
    )
    assert computed == {
        "match_f1": pytest.approx(0.5),
        "match_precision": pytest.approx(0.5),
        "match_recall": pytest.approx(0.5),
        "match_accuracy": pytest.approx(2 / 3),
        "match_success_rate": pytest.approx(0.5),
        "match_mrr": pytest.approx((1 + 1 / 2) / 2),
        "threshold": pytest.approx(0.6),
    }
    with pytest.raises(ValueError, match=mentions("threshold ... validation_predictions ... validation_references")):
        metric.compute(predictions=[[0.5]], references=[0])
    with pytest.raises(ValueError, match=mentions("score is not finite")):
        metric.compute(predictions=[[0.5, float("nan")]], references=[0], threshold=0.5)


def test_scores_keep_their_precision_on_the_way_through_evaluate() -> None:
    """With a format set, `evaluate` rounds double to single precision, and these two scores would be equal."""
    metric = evaluate.combine([RankingSuccess(), Mrr()])
    computed = metric.compute(predictions=[[100.0, 100.000001]], references=[1])
    assert computed == {"success_rate": 1.0, "mrr": 1.0}


def test_metrics_do_not_change_their_arguments() -> None:
    scores, labels = np.array([0.3, 0.1, 0.2]), np.array([1, 0, 1])
    make_curve(scores, labels)
    assert scores.tolist() == [0.3, 0.1, 0.2]
    assert labels.tolist() == [1, 0, 1]
