"""Places of models over resamples of topics, and the number of topics that tells neighbours apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.evaluation.comparing.stability import POWER, RankStability, count_topics, measure_stability
from harness.evaluation.comparing.standings import MeasuredModel, Standing
from harness.metrics.table import find_main_metric
from harness.models.registry import MODEL, SHORTCUT
from pyramid_paraphrase.rules.options import find_configuration

METRIC = find_main_metric(find_configuration("ranking"))


def make_standing(samples: dict[str, list[float]], values: dict[str, float], *, shortcut: str = "") -> Standing:
    """Make a standing of models from their values on resamples. The contributions of topics are 8 equal parts."""
    members = [
        MeasuredModel(
            name,
            SHORTCUT if name == shortcut else MODEL,
            {METRIC.name: values[name]},
            {METRIC.name: np.full(8, values[name] / 8)},
            lambda numbers=numbers: {METRIC.name: np.array(numbers)},  # type: ignore[misc]
        )
        for name, numbers in samples.items()
    ]
    return Standing("ranking", METRIC, tuple(members), np.zeros((len(members), len(members)), dtype=bool))


def test_places_over_resamples() -> None:
    """Model b is first in two of five resamples, of which it shares one with a. The shortcut has no place."""
    samples = {
        "b": [0.5, 0.9, 0.7, 0.5, 0.5],
        "a": [0.8, 0.8, 0.7, 0.8, 0.8],
        "c": [0.1, 0.1, 0.1, 0.1, 0.6],
        "length": [1.0] * 5,
    }
    standing = make_standing(samples, {"a": 0.8, "b": 0.6, "c": 0.2, "length": 1.0}, shortcut="length")
    assert measure_stability(standing) == [
        RankStability(1, 1, (1, 2), 0.8, 6),
        RankStability(0, 2, (1, 3), 0.4, 6),
        RankStability(2, 3, (2, 3), 0.0, None),
    ]


@pytest.mark.parametrize(("losses", "lowest"), [(25, 1), (26, 2)])
def test_the_interval_leaves_out_a_fortieth_at_each_end(losses: int, lowest: int) -> None:
    """Of 1,000 resamples, 25 are at one end."""
    samples = {"a": [0.2] * losses + [0.8] * (1000 - losses), "b": [0.5] * 1000}
    first, _ = measure_stability(make_standing(samples, {"a": 0.8, "b": 0.5}))
    assert first.interval == (1, lowest)


def test_two_topics_are_enough_to_count() -> None:
    """The sum of the differences is 3, their variance 0.5: 2 x 7.85 x 2 x 0.5 / 9 = 1.7 topics, and six at least."""
    assert POWER == 0.8
    assert count_topics(np.array([1.0, 2.0]), np.zeros(2)) == 6
    assert count_topics(np.array([1.0]), np.zeros(1)) is None


def test_equal_models_share_a_place() -> None:
    samples = {"one": [0.5, 0.6], "two": [0.5, 0.6 + 1e-9], "three": [0.4, 0.4]}
    rows = measure_stability(make_standing(samples, {"one": 0.55, "two": 0.55, "three": 0.4}))
    assert [(row.number, row.place, row.interval, row.first) for row in rows] == [
        (0, 1, (1, 1), 1.0),
        (1, 1, (1, 1), 1.0),
        (2, 3, (3, 3), 0.0),
    ]
    assert [row.topics for row in rows] == [None, 6, None]


def test_a_standing_without_models() -> None:
    assert measure_stability(make_standing({"length": [1.0]}, {"length": 1.0}, shortcut="length")) == []


@given(
    st.integers(1, 6).flatmap(
        lambda models: st.lists(st.lists(st.integers(0, 3), min_size=models, max_size=models), min_size=1, max_size=9)
    )
)
def test_places_are_those_that_counting_gives(resamples: list[list[int]]) -> None:
    names = [f"m{number}" for number in range(len(resamples[0]))]
    samples = {name: [float(row[number]) for row in resamples] for number, name in enumerate(names)}
    for row in measure_stability(make_standing(samples, dict.fromkeys(names, 0.5))):
        places = [1 + sum(other > values[row.number] for other in values) for values in resamples]
        assert row.place == 1
        assert row.first == pytest.approx(sum(place == 1 for place in places) / len(places))
        assert min(places) <= row.interval[0] <= row.interval[1] <= max(places)


@pytest.mark.parametrize(
    ("differences", "topics"),
    [
        # Computed by hand: the sum is 4, the variance 6/7, and 8 (1.959964 + 0.841621)^2 * 8 (6/7) / 16 = 26.91.
        ([1, -1, 1, 1, -1, 1, 1, 1], 27),
        # 0.96, which is fewer than make a difference significant at all
        ([1, 1, 1, 1, 1, 2], 6),
        ([2, 2, 2], 6),
        ([1, -1], None),
        ([1e-9, 1e-9], None),
        ([1], None),
        ([], None),
    ],
)
def test_topics_that_tell_two_models_apart(differences: list[float], topics: int | None) -> None:
    first = np.array(differences, dtype=np.float64)
    assert count_topics(first, np.zeros(len(first))) == topics
    assert count_topics(np.zeros(len(first)), first) == topics
