"""Which model is best, and is it more than a shortcut: by hand, and against the significance of every difference."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.scored_rows import make_split
from hypothesis import given
from hypothesis import strategies as st

from harness.evaluation.comparing.comparison import measure_model
from harness.evaluation.comparing.standings import (
    MeasuredModel,
    Standing,
    answer,
    choose_decisive,
    make_standing,
    order_tests,
)
from harness.metrics.measuring import measure_split
from harness.metrics.metric import Metric
from harness.metrics.rows import ScoredSplit
from harness.metrics.table import list_metrics
from harness.models.registry import CHANCE, MODEL, PERSON, SHORTCUT, Role
from harness.stats.significance import SIGNIFICANCE, find_significant, flip_signs
from pyramid_paraphrase.rules.options import QUESTIONS

MODELS = "abc"
SUCCESS, MRR = list_metrics(QUESTIONS)


def make_questions(ranks: list[int]) -> ScoredSplit:
    """A question of four options per topic, at which a model gives the right option the rank of the topic."""
    scores = [[-rank + 0.5, -1, -2, -3] for rank in ranks]
    topics = [[topic, topic] for topic in range(len(ranks))]
    return make_split(QUESTIONS, scores, [0] * len(ranks), topics, len(ranks))


def make_member(name: str, ranks: list[int], role: Role = MODEL) -> MeasuredModel:
    split = make_questions(ranks)
    return measure_model(name, role, measure_split(split), lambda: split, 100, 0)


def make(metric: Metric = SUCCESS, test: str = "ranking_matched", **models: list[int]) -> Standing:
    """Make a standing. The role of "shortcut_..." and so on is in the name."""
    roles: dict[str, Role] = {"shortcut": SHORTCUT, "person": PERSON, "chance": CHANCE}
    members = [make_member(name, ranks, roles.get(name.partition("_")[0], MODEL)) for name, ranks in models.items()]
    return make_standing(test, metric, members)


def name_best(standing: Standing) -> list[str]:
    return [standing.members[number].name for number in standing.list_best()]


def test_a_model_that_is_better_in_every_topic_is_the_best() -> None:
    """Two of the 2^6 signs of six differences give a sum as large: p = 0.03125."""
    for metric in (SUCCESS, MRR):
        assert name_best(make(metric, a=[1] * 6, b=[2] * 6)) == ["a"]
        assert name_best(make(metric, b=[2] * 6, a=[1] * 6)) == ["a"]


def test_metrics_can_have_different_best_models() -> None:
    """No model has a right answer, and so all have the same success rate. Equal values are in the order of names."""
    ranks = {"c": [3] * 6, "b": [3] * 6, "a": [2] * 6}
    assert name_best(make(SUCCESS, **ranks)) == ["a", "b", "c"]
    assert name_best(make(MRR, **ranks)) == ["a"]


def test_a_difference_in_too_few_topics_leaves_both_models_the_best() -> None:
    """In five of eight topics one model is better, and in no topic the other: p = 2 / 2^5 = 0.0625."""
    assert name_best(make(b=[2] * 5 + [1] * 3, a=[1] * 8)) == ["a", "b"]


def test_a_model_between_two_others_is_among_the_best() -> None:
    """Its differences are in three topics; the difference of the two others is in seven, p = 2 / 2^7."""
    standing = make(a=[1] * 7, b=[1] * 4 + [2] * 3, c=[2] * 7)
    assert name_best(standing) == ["a", "b"]
    assert [standing.rank(number) for number in range(3)] == [1, 1, 2]


def test_a_lower_number_can_be_better() -> None:
    standing = make(dataclasses.replace(SUCCESS, higher_is_better=False), a=[1] * 6, b=[2] * 6)
    assert name_best(standing) == ["b"]
    assert "b 0.000. It is 0.000 above the ceiling (0)" in answer([standing])[0]


def test_too_few_topics_have_no_best() -> None:
    """With five topics, the smallest p-value is 2 / 2^5 = 0.0625."""
    assert name_best(make()) == name_best(make(a=[1] * 5, b=[2] * 5)) == []
    assert (make().topics, make(a=[1] * 5).topics) == (0, 5)
    assert name_best(make(a=[1] * 6)) == ["a"]


def test_tables_mark_the_best_of_two_or_more_models() -> None:
    assert make(a=[1] * 6, b=[2] * 6).has_marks
    assert not make(a=[1] * 6, shortcut_s=[2] * 6, person_p=[2] * 6).has_marks
    assert not make(a=[1] * 5, b=[2] * 5).has_marks
    assert not make(a=[1] * 6, b=[1] * 6).has_marks


def test_only_models_compete() -> None:
    """The others are better in all topics, and yet the model keeps its rank. They have no rank of their own."""
    standing = make(a=[2] * 6, b=[2] * 6, person_x=[1] * 6, chance_y=[1] * 6)
    assert name_best(standing) == ["a", "b"]
    assert [standing.rank(number) for number in standing.list_role(MODEL)] == [1, 1]


@pytest.mark.parametrize(
    ("ranks", "beats"),
    [
        ([1] * 6, True),
        ([1] * 5 + [2], False),  # better in five topics only
        ([2] * 6, False),  # equal
        ([3] * 6, False),
    ],
)
def test_the_best_shortcut_has_to_be_beaten(ranks: list[int], beats: bool) -> None:
    standing = make(a=ranks, b=[4] * 6, shortcut_weak=[4] * 6, shortcut_strong=[2] * 6)
    assert standing.members[standing.shortcut or 0].name == "shortcut_strong"
    assert standing.beats_shortcut(0) is beats
    assert name_best(standing) == (["a"] if beats else [])


def test_without_shortcuts_or_topics_nothing_is_known_of_them() -> None:
    assert make(a=[1] * 6, b=[2] * 6).beats_shortcut(0) is None
    assert make(a=[1] * 5, shortcut_s=[2] * 5).beats_shortcut(0) is None


def test_a_part_of_the_members() -> None:
    standing = make(a=[1] * 6, b=[2] * 6, c=[2] * 6).select([2, 1])
    assert [member.name for member in standing.members] == ["c", "b"]
    assert name_best(standing) == ["b", "c"]


def test_the_order_of_tests() -> None:
    names = ["binary", "pit_similarity", "ranking", "presence", "binary_matched", "ranking_matched"]
    assert order_tests(names) == [
        "ranking_matched",
        "binary_matched",
        "presence",
        "pit_similarity",
        "binary",
        "ranking",
    ]
    assert choose_decisive(names) == ["ranking_matched", "binary_matched", "presence", "pit_similarity"]
    assert choose_decisive(["ranking", "binary"]) == ["binary", "ranking"]
    assert choose_decisive([]) == []


def test_the_answer() -> None:
    """Equal differences in all topics have an interval of width 0."""
    strong = {"a": [1] * 6, "b": [2] * 6, "shortcut_s": [2] * 6}
    (text,) = answer([make(**strong)])
    assert text == (
        "Best on ranking_matched by success rate: a 1.000. It is 1.000 [1.000, 1.000] above the best shortcut "
        "(shortcut_s 0.000) and 0.000 below the ceiling (1)."
    )
    assert answer([make(**strong, person_p=[1] * 5 + [2])], ["T"])[0].startswith("Best on T by success rate: a 1.000.")
    assert answer([make(**strong, person_p=[2] * 6)])[0].endswith("1.000 [1.000, 1.000] above people (person_p 0.000).")


def test_the_answer_says_that_a_difference_from_people_is_not_significant() -> None:
    """The answer called a model "above people" whose interval included 0. One topic of six: p = 1."""
    strong = {"a": [1] * 6, "shortcut_s": [2] * 6}
    (text,) = answer([make(**strong, person_p=[1] * 5 + [2])])
    assert text.endswith(" 0.167 [0.000, 0.500] above people (person_p 0.833), which is not significant.")


def test_the_answer_names_tests_of_the_paper_on_which_no_model_beats_the_shortcut() -> None:
    matched = {"a": [1] * 6, "shortcut_s": [2] * 6}
    solved, unsolved = make(test="ranking", **matched), make(test="ranking", a=[2] * 6, shortcut_s=[1] * 6)
    assert len(answer([solved, make(**matched)])) == 1
    assert answer([unsolved, make(**matched)])[1:] == (
        (
            "No model beats the best shortcut on ranking by success rate: shortcut_s 1.000, against a 0.000, "
            "1.000 [1.000, 1.000] below it."
        ),
    )
    assert len(answer([make(test="ranking", a=[2] * 5, shortcut_s=[1] * 5), make(**matched)])) == 1


def test_the_answer_names_models_that_cannot_be_told_apart() -> None:
    """A model of success in six of nine topics is significantly better than a shortcut of none: p = 2 / 2^6."""
    ranks = {"b": [2] * 3 + [1] * 6, "a": [1] * 9, "c": [1] * 9, "shortcut_s": [3] * 9}
    (text,) = answer([make(**ranks)])
    assert text.startswith(
        "Best on ranking_matched by success rate: a 1.000, c 1.000 and b 0.667, which cannot be told apart. a is 1.000"
    )
    (text,) = answer([make(**ranks, d=[1] * 9)])
    assert ": a 1.000, c 1.000, d 1.000 and b 0.667, which cannot be told apart. a is 1.000" in text
    (text,) = answer([make(**ranks, d=[1] * 9, e=[1] * 9)])
    assert ": a 1.000, c 1.000, d 1.000 and 2 more, which cannot be told apart. a is 1.000" in text


def test_the_answer_does_not_call_a_model_the_best_that_a_shortcut_explains() -> None:
    """Success in three of eight topics is not significantly above none, and not significantly below five or eight."""
    ranks = {"b": [2] * 5 + [1] * 3, "a": [1] * 8, "shortcut_s": [3] * 8}
    (text,) = answer([make(**ranks)])
    assert text == (
        "Best on ranking_matched by success rate: a 1.000. It is 1.000 [1.000, 1.000] above the best shortcut "
        "(shortcut_s 0.000) and 0.000 below the ceiling (1). b 0.375 cannot be told apart from a, but does not beat "
        "the shortcut."
    )
    (text,) = answer([make(**ranks, c=[2] * 5 + [1] * 3)])
    assert text.endswith(" b 0.375 and c 0.375 cannot be told apart from a, but do not beat the shortcut.")


def test_the_answer_begins_with_the_highest_value_though_it_may_be_chance() -> None:
    """Significance depends on the topics too: here only the difference of b and the shortcut is significant."""
    ranks = {"a": [1] * 5 + [2] * 2 + [1], "b": [1] * 2 + [2] * 6, "shortcut_s": [2] * 8}
    members = make(**ranks).members
    better = np.array([[False, False, False], [False, False, False], [False, True, False]])
    (text,) = answer([Standing("ranking_matched", SUCCESS, members, better)])
    assert text.startswith(
        "Highest on ranking_matched by success rate: a 0.750. On 8 topics, it is not significantly above the best "
        "shortcut (shortcut_s 0.000). b 0.250 is: 0.250 ["
    )
    assert text.endswith("] above it. None of them is significantly better than another.")


def test_the_answer_if_only_a_model_of_a_lower_rank_beats_the_shortcut() -> None:
    """Significance is not transitive. Here a > b > s, and only the difference of a and s is not significant."""
    members = make(a=[1] * 6, b=[1] * 5 + [2], shortcut_s=[2] * 6).members
    better = np.array([[False, False, False], [True, False, False], [False, True, False]])
    (text,) = answer([Standing("ranking_matched", SUCCESS, members, better)])
    assert text.startswith("No model of rank 1 beats the best shortcut on ranking_matched by success rate: shortcut_s")
    assert re.search(mentions("against a 1.000, 1.000 ... above it, which is not significant"), text)


def test_the_answer_if_no_model_beats_the_shortcut() -> None:
    (text,) = answer([make(a=[1] * 5 + [2], b=[2] * 6, shortcut_s=[1] * 6)])
    assert text.startswith("No model beats the best shortcut on ranking_matched by success rate: shortcut_s 1.000, ag")
    assert re.search(mentions("shortcut_s 1.000 ... a 0.833, 0.167 ... below it."), text)


@pytest.mark.parametrize(
    ("shortcut", "gap"),
    [
        # The model is right in the first two topics. The intervals are from 100 resamples.
        ([2, 2, 1, 1, 1, 2], "0.167 [-0.667, 0.921] below it."),
        ([2, 2, 1, 1, 2, 2], "0.000 [-0.667, 0.667] above it."),
        ([2, 2, 1, 2, 2, 2], "0.167 [-0.333, 0.754] above it, which is not significant by the paired test."),
    ],
)
def test_the_answer_tells_how_far_the_shortcut_is(shortcut: list[int], gap: str) -> None:
    """The interval of a negative difference is turned around, with its signs."""
    (text,) = answer([make(a=[1, 1, 2, 2, 2, 2], shortcut_s=shortcut)])
    assert text.endswith(gap), text


def test_the_answer_without_a_decision() -> None:
    assert answer([make(a=[1] * 5, b=[2] * 5)]) == (
        "Highest on ranking_matched by success rate: a 1.000. 5 topics are too few to tell it apart from others.",
    )
    (text,) = answer([make(a=[1], b=[2], shortcut_s=[3])])
    assert text.endswith(
        ": a 1.000. The best shortcut: shortcut_s 0.000. 1 topic is too few to tell it apart from others."
    )
    (text,) = answer([make(a=[1] * 6)])
    assert text.startswith("The only model on ranking_matched by success rate: a 1.000. It is 0.000 below the ceiling")
    assert "No shortcut was evaluated" in text
    assert answer([make(shortcut_s=[1] * 6)]) == answer([]) == ()


def test_the_papers_tests_decide_only_alone() -> None:
    paper, matched = (make(test=name, a=[1] * 6, b=[2] * 6) for name in ("ranking", "ranking_matched"))
    (text,) = answer([paper, matched])
    assert "ranking_matched" in text
    assert len(answer([paper, make(test="binary", a=[1] * 6, b=[2] * 6)])) == 3  # the last one is the warning
    first, warning = answer([paper])
    assert "Best on ranking by" in first
    assert "binary_matched and ranking_matched" in warning


RANKS = st.integers(6, 10).flatmap(
    lambda topics: st.lists(st.lists(st.integers(1, 4), min_size=topics, max_size=topics), min_size=3, max_size=3)
)


@given(RANKS)
def test_the_best_are_those_with_no_significantly_better_model(ranks: list[list[int]]) -> None:
    """`find_significant` and the exact p-value of each difference agree with the groups."""
    for metric in list_metrics(QUESTIONS):
        standing = make(metric, **dict(zip(MODELS, ranks, strict=True)))
        contributions = np.array([member.contributions[standing.metric.name] for member in standing.members])
        differs, values = find_significant(contributions, SIGNIFICANCE), contributions.sum(axis=1)
        expected = set()
        for place, name in enumerate(MODELS):
            rivals = [rival for rival in range(len(MODELS)) if values[rival] > values[place]]
            assert [differs[place, rival] for rival in rivals] == [
                flip_signs(contributions[rival] - contributions[place]) < SIGNIFICANCE for rival in rivals
            ]
            if not any(differs[place, rival] for rival in rivals):
                expected.add(name)
        assert set(name_best(standing)) == expected
        assert MODELS[int(values.argmax())] in expected
