"""Scores of summaries, gathered row by row: means of judges, sizes, and rows that are refused."""

from __future__ import annotations

import math
import re

import pytest
from helpers.messages import mentions

from harness.summarization.meta_evaluation.scores import (
    JUDGEMENTS,
    JUDGES,
    REFERENCES,
    MeasureScores,
    ScoreCollector,
    is_number,
)
from pyramid_paraphrase.errors import InputError

A, B = ("t1", "a"), ("t1", "b")


@pytest.mark.parametrize("value", ["1", 1, -0.5, "1e9", "-1e9", 1e9, " 2 "])
def test_numbers(value: str | float) -> None:
    assert is_number(value)


@pytest.mark.parametrize("value", ["", "x", "nan", math.nan, math.inf, "1.000001e9", -1.1e9, "1_0"])
def test_values_that_are_no_scores(value: str | float) -> None:
    assert not is_number(value)
    with pytest.raises(InputError, match=mentions(f"f: ... '{value}' ... -1,000,000,000 to 1,000,000,000")):
        ScoreCollector("f").add("m", A, value)


@pytest.mark.parametrize(
    ("parts", "judgements", "judges"), [(JUDGES, (1, 3), 3), (JUDGEMENTS, (1, 3), 0), (REFERENCES, (1, 1), 0)]
)
def test_the_mean_of_several_scores(parts: str, judgements: tuple[int, int], judges: int) -> None:
    collector = ScoreCollector("f")
    collector.parts = parts
    for key, part, value in ((A, "anna", 1), (A, "ben", "2"), (A, "cleo", 4.0), (B, "ben", -0.0)):
        collector.add("rating", key, value, part=part)
    collector.add("style", B, 0.00049999)
    rating, style = collector.finish()
    assert rating == MeasureScores("rating", "f", {A: 7 / 3, B: 0.0}, judgements, judges)
    assert math.copysign(1, rating.enlarge().values[B]) == 1
    assert style == MeasureScores("style", "f", {B: 0.00049999}, (1, 1), 0)
    assert style.enlarge().values == {B: 0.49999}


def test_scores_without_parts_have_one_judgement() -> None:
    assert (MeasureScores("m", "f", {}).judgements, MeasureScores("m", "f", {}).judges) == ((1, 1), 0)


def test_scores_of_a_tenth_are_not_enlarged() -> None:
    collector = ScoreCollector("f")
    collector.add("m", A, 0.1)
    collector.add("m", B, -0.00012345678)
    assert collector.finish()[0].enlarge().values == {A: 0.1, B: -0.00012345678}


@pytest.mark.parametrize(
    ("measure", "key", "place"),
    [("", A, "'' ... measure"), ("m", ("", "a"), "'' ... topic"), ("m", ("t", "a\tb"), "'a\\tb' ... system")],
)
def test_names_that_cannot_be_printed(measure: str, key: tuple[str, str], place: str) -> None:
    with pytest.raises(InputError, match=mentions(f"f, line 7: {place} ... letters")):
        ScoreCollector("f").add(measure, key, 1, 7)


@pytest.mark.parametrize(
    ("parts", "part", "is_named"), [(JUDGES, "anna", True), (REFERENCES, "anna", False), (JUDGES, "", False)]
)
def test_the_same_score_twice(parts: str, part: str, is_named: bool) -> None:
    collector = ScoreCollector("f")
    collector.parts = parts
    collector.add("m", A, 1, 2, part)
    with pytest.raises(InputError) as error:
        collector.add("m", A, 1, 3, part)
    assert re.search(mentions("f, line 3: ... system a ... topic t1 ... m"), str(error.value))
    assert ("judge anna" in str(error.value)) is is_named


def test_small_scores_that_become_equal_are_counted() -> None:
    """Beside 1e9, scores below a millionth would be rounding errors if they were sums. All but one are rounded to 0."""
    collector = ScoreCollector("f")
    for system, value in enumerate(["1e9", "1e-7", "2e-7", "3e-7", "4e-7"]):
        collector.add("m", ("t", str(system)), value)
    assert collector.finish()[0].merged == (5, 2)
