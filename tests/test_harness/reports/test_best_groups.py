"""The best models of a test: by hand, and against the significance of every difference."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from helpers.scored_rows import make_split
from hypothesis import given
from hypothesis import strategies as st

from harness.metrics.contributions import measure_contributions
from harness.metrics.questions import QUESTION_METRICS
from harness.metrics.rows import ScoredSplit
from harness.reports.best_groups import find_best_groups, has_enough_topics
from harness.stats.significance import SIGNIFICANCE, find_significant, flip_signs
from pyramid_paraphrase.kinds import QUESTIONS

MODELS = "abc"


def make_questions(ranks: list[int]) -> ScoredSplit:
    """A question of four options per topic, at which a model gives the right option the rank of the topic."""
    scores = [[-rank + 0.5, -1, -2, -3] for rank in ranks]
    topics = [[topic, topic] for topic in range(len(ranks))]
    return make_split(QUESTIONS, scores, [0] * len(ranks), topics, len(ranks))


def find_best(**models: list[int]) -> dict[str, frozenset[str]]:
    return find_best_groups({name: make_questions(ranks) for name, ranks in models.items()}, QUESTION_METRICS)


def test_a_model_that_is_better_in_every_topic_is_the_best() -> None:
    """Two of the 2^6 signs of six differences give a sum as large: p = 0.03125."""
    assert find_best(a=[1] * 6, b=[2] * 6) == {"success_rate": {"a"}, "mrr": {"a"}}
    assert find_best(b=[2] * 6, a=[1] * 6) == {"success_rate": {"a"}, "mrr": {"a"}}


def test_metrics_can_have_different_best_models() -> None:
    """No model has a right answer, and so all have the same success rate."""
    assert find_best(a=[2] * 6, b=[3] * 6, c=[3] * 6) == {"success_rate": {"a", "b", "c"}, "mrr": {"a"}}


def test_equal_models_are_both_the_best() -> None:
    assert find_best(a=[1, 2, 3] * 3, b=[1, 2, 3] * 3) == {"success_rate": {"a", "b"}, "mrr": {"a", "b"}}


def test_a_difference_in_too_few_topics_leaves_both_models_the_best() -> None:
    """In five of eight topics one model is better, and in no topic the other: p = 2 / 2^5 = 0.0625."""
    assert find_best(a=[1] * 8, b=[2] * 5 + [1] * 3) == {"success_rate": {"a", "b"}, "mrr": {"a", "b"}}


def test_a_model_between_two_others_is_among_the_best() -> None:
    """Its differences are in three topics; the difference of the two others is in seven, p = 2 / 2^7."""
    groups = find_best(a=[1] * 7, b=[1] * 4 + [2] * 3, c=[2] * 7)
    assert groups["success_rate"] == {"a", "b"}


def test_a_lower_number_can_be_better() -> None:
    metric = dataclasses.replace(QUESTION_METRICS[0], higher_is_better=False)
    splits = {"a": make_questions([1] * 6), "b": make_questions([2] * 6)}
    assert find_best_groups(splits, [metric]) == {"success_rate": {"b"}}


@pytest.mark.parametrize("models", [{}, {"a": [1] * 6}])
def test_fewer_than_two_models_have_no_best(models: dict[str, list[int]]) -> None:
    assert find_best(**models) == {}


def test_too_few_topics_have_no_best_model() -> None:
    """With five topics, the smallest p-value is 2 / 2^5 = 0.0625."""
    assert find_best(a=[1] * 5, b=[2] * 5) == {}


def test_topics_without_rows_do_not_count() -> None:
    split = make_questions([1] * 6)
    assert has_enough_topics(split)
    assert not has_enough_topics(dataclasses.replace(make_questions([1] * 5), topic_count=9))


RANKS = st.integers(6, 10).flatmap(
    lambda topics: st.lists(st.lists(st.integers(1, 4), min_size=topics, max_size=topics), min_size=3, max_size=3)
)


@given(RANKS)
def test_the_best_are_those_with_no_significantly_better_model(ranks: list[list[int]]) -> None:
    """`find_significant` and the exact p-value of each difference agree with the groups."""
    splits = {name: make_questions(model_ranks) for name, model_ranks in zip(MODELS, ranks, strict=True)}
    groups = find_best_groups(splits, QUESTION_METRICS)
    for metric in QUESTION_METRICS:
        contributions = np.array([measure_contributions(split)[metric.name] for split in splits.values()])
        differs, values = find_significant(contributions, SIGNIFICANCE), contributions.sum(axis=1)
        expected = set()
        for place, name in enumerate(MODELS):
            rivals = [rival for rival in range(len(MODELS)) if values[rival] > values[place]]
            assert [differs[place, rival] for rival in rivals] == [
                flip_signs(contributions[rival] - contributions[place]) < SIGNIFICANCE for rival in rivals
            ]
            if not any(differs[place, rival] for rival in rivals):
                expected.add(name)
        assert groups[metric.name] == expected
        assert MODELS[int(values.argmax())] in expected
