"""Differences of many pairs of models are those of each pair alone, and are computed only when they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np
import pytest

from harness.evaluation.comparing.differences import Difference, DifferenceList, compare_all, compare_pair, compare_with
from harness.evaluation.comparing.standings import MeasuredModel
from harness.metrics.table import list_metrics
from harness.models.registry import MODEL
from harness.stats.significance import correct_holm
from pyramid_paraphrase.rules.options import QUESTIONS

SUCCESS, _ = list_metrics(QUESTIONS)


def make_models(count: int, topics: int, spread: float, seed: int) -> tuple[list[MeasuredModel], list[int]]:
    """Models whose quality differs by a spread, the best one first, and the list of models that were resampled."""
    stream, resampled, models = np.random.RandomState(seed), list[int](), []

    def resample(number: int, samples: np.ndarray) -> dict[str, np.ndarray]:
        resampled.append(number)
        return {SUCCESS.name: samples}

    for number, quality in enumerate(np.linspace(spread, 0, count)):
        parts = np.round(stream.normal(quality, 1, topics) / topics, 9)
        samples = stream.normal(parts.sum(), 0.2, 50)
        metrics = {SUCCESS.name: round(float(parts.sum()), 6)}
        again = partial(resample, number, samples)
        models.append(MeasuredModel(f"m{number}", MODEL, metrics, {SUCCESS.name: parts}, again))
    return models, resampled


def compare_each(pairs: Sequence[tuple[MeasuredModel, MeasuredModel]]) -> list[Difference]:
    """Compare each pair by itself, with its exact p-value, and correct all p-values."""
    differences = [compare_pair(*pair, SUCCESS) for pair in pairs]
    corrected = correct_holm([difference.p_value for difference in differences])
    return [difference._replace(corrected=p_value) for difference, p_value in zip(differences, corrected, strict=True)]


@pytest.mark.parametrize(
    ("count", "topics", "spread", "least_significant"),
    [
        (30, 12, 2.0, 0),  # p cannot be below 2 / 2^12, which is too much for 435 differences
        (30, 23, 2.0, 40),
        (20, 30, 5.0, 100),
        (6, 23, 1.0, 1),  # fewer than 20 differences
        (7, 23, 9.0, 15),  # fewer than 20 differences above the level
        (9, 4, 2.0, 0),  # too few topics for any test
    ],
)
def test_all_pairs_at_once_are_compared_as_each_alone(
    count: int, topics: int, spread: float, least_significant: int
) -> None:
    """1,112 differences, with the same p-values before and after correction, intervals and counts."""
    models, _ = make_models(count, topics, spread, seed=count)
    expected = compare_each([(worse, better) for better, worse in combinations(models, 2)])
    differences = compare_all(SUCCESS, models)
    assert list(differences) == expected
    assert len(differences) == len(expected) == count * (count - 1) // 2
    assert sum(difference.is_significant for difference in differences) >= least_significant
    assert [is_significant for *_, is_significant in differences.list_marks()] == [
        difference.is_significant for difference in expected
    ]
    baseline, *others = models[1], models[0], *models[2:]
    assert list(compare_with(SUCCESS, models, "m1")) == compare_each([(baseline, model) for model in others])


def test_marks_take_no_resamples() -> None:
    """`compare` of 300 models made 180,000 differences with intervals, and showed those of the best 30 without any."""
    models, resampled = make_models(60, 23, 2.0, seed=1)
    differences = compare_all(SUCCESS, models)
    assert len(list(differences.list_marks())) == 60 * 59 // 2
    best = differences.select({"m0", "m1", "m2"})
    assert [(first, model) for first, model, _, _ in best.list_marks()] == [("m1", "m0"), ("m2", "m0"), ("m2", "m1")]
    assert resampled == []
    assert (best[0].first, best[-1].model, resampled) == ("m1", "m1", [0, 1, 1, 2])
    assert best[1:] == tuple(best)[1:]


def test_lists_of_differences_are_equal_by_their_content() -> None:
    models, _ = make_models(5, 23, 2.0, seed=1)
    differences = compare_all(SUCCESS, models)
    assert differences == compare_all(SUCCESS, models)
    assert hash(differences) == hash(compare_all(SUCCESS, models))
    assert differences != compare_all(SUCCESS, models[1:])
    assert differences != compare_all(SUCCESS, make_models(5, 23, 2.0, seed=2)[0])
    assert differences != "text"
    assert isinstance(differences, DifferenceList)
