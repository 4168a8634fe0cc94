"""Types of negatives and distractors, by their definitions."""

from __future__ import annotations

import pytest

from harness.text.pair_types import TYPES, name_type


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        ("The storm killed 12 people", "The storm killed 15 people", "changed number"),
        ("The storm killed twelve people", "The storm killed 1,500 people in all", "changed number"),
        ("Team 0 won gold", "Team 9 won gold", "changed number"),
        ("Storm killed 12 people", "Storm killed 15 cows", "changed number"),  # 2 of 4 other content words
        ("Storm killed 12 people", "Heat killed 15 cows", "other"),  # 1 of 5
        ("Storm killed 12 people", "Storm killed people", "contained"),  # only one text has a number
        ("In 1998, 12 people died", "12 people died", "contained"),  # only one text has a number of its own
        ("12", "15", "one word changed"),  # no other content word
        ("one of them", "two of them", "contained"),  # "one" is a function word
        ("The storm hit the coast", "The storm hit a village", "one word changed"),
        ("The storm hit the coast", "The storm spared the coast", "one word changed"),
        ("The storm hit the coast", "On Monday a storm hit the coast", "contained"),
        ("A dog bit the man", "The man bit a dog", "contained"),  # pyramids have no such negative
        ("The storm hit the coast", "Farmers lost the harvest", "other"),
        ("", "", "contained"),
    ],
)
def test_types_by_words(first: str, second: str, name: str) -> None:
    assert name_type(first, second) == name_type(second, first) == name
    assert name in TYPES


def test_annotators_decide_first() -> None:
    assert name_type("The storm killed 12 people", "The storm killed 15 people", "contradicts") == "contradiction"
