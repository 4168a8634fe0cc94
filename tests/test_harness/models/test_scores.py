"""Scores with a mask of missing answers."""

from __future__ import annotations

import numpy as np

from harness.models.interfaces.scores import COUNTED, MISSING, NO_ANSWERS, Outcome, Scores, make_scores

SCORES = make_scores([0.5, 0.25, 1.0, 0.0], [Outcome.ANSWERED, Outcome.CUT, Outcome.IMPROBABLE, Outcome.BY_WORDS])


def test_names_of_results() -> None:
    """Results and pages contain these names."""
    assert [outcome.label for outcome in Outcome] == [
        *("answered", "refusals", "unparsable", "cut", "by_words", "improbable", "absent"),
    ]
    assert [outcome.value for outcome in Outcome] == [0, 1, 2, 3, 4, 5, 6]  # stored scores contain the values
    assert [outcome.label for outcome in COUNTED] == [
        "refusals",
        "unparsable",
        "cut",
        "by_words",
        "improbable",
        "absent",
    ]
    assert [outcome.label for outcome in NO_ANSWERS] == ["refusals", "unparsable", "cut"]
    assert [outcome.label for outcome in MISSING] == ["refusals", "unparsable", "cut", "absent"]


def test_only_missing_answers_have_no_value() -> None:
    np.testing.assert_equal(SCORES.values, [0.5, np.nan, 1.0, 0.0])
    assert SCORES.is_missing.tolist() == [False, True, False, False]
    assert SCORES.is_unusable.tolist() == [False, True, True, False]
    assert SCORES.count_unusual() == {"cut": 1, "by_words": 1, "improbable": 1}


def test_numbers_of_a_model_are_answers_whatever_they_are() -> None:
    """Negative numbers once meant that there is no answer."""
    values = np.array([-1.0, -2.0, -15.5, np.nan])
    scores = make_scores(values)
    np.testing.assert_equal(scores.values, values)
    assert not scores.is_unusable.any()
    assert scores.computed == 0


def test_a_missing_answer_to_a_question_lacks_all_options() -> None:
    scores = make_scores([[0.5, 0.5], [1.0, 0.0]], [Outcome.REFUSALS, Outcome.ANSWERED])
    np.testing.assert_equal(scores.values, [[np.nan, np.nan], [1.0, 0.0]])
    assert scores.is_missing.tolist() == [True, False]


def test_given_values_do_not_change() -> None:
    values = np.array([0.5])
    make_scores(values, [Outcome.CUT])
    assert values.tolist() == [0.5]


def test_selection_repeats_places() -> None:
    selected = Scores(SCORES.values, SCORES.outcomes, computed=3).select([3, 0, 3])
    assert selected.values.tolist() == [0.0, 0.5, 0.0]
    assert selected.outcomes.tolist() == [4, 0, 4]
    assert selected.computed == 3
