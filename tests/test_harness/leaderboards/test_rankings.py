"""Rankings of models whose values are known: ranks, shortcuts, and numbers that are too good."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from harness.evaluation.records.record import ModelRecord
from harness.leaderboards.files.board import RankedTest
from harness.leaderboards.judging.candidates import Measured
from harness.leaderboards.judging.rankings import Ranking, Rankings

TOPICS = 8
"""With equal differences in eight topics p is 2 / 2^8, so that all different values differ significantly."""

TESTS = tuple(RankedTest("ranking", fingerprint, ("sample",), {}, 9, "key", "0" * 64) for fingerprint in "fg")


def measure(name: str, value: float, *, submission: str = "", is_reproduced: bool = False) -> Measured:
    return Measured(
        submission=submission,
        description=ModelRecord(name, "random", name, "0" * 64, {}, None, None, None),
        fingerprint="f",
        metrics={"success_rate": value},
        samples={"success_rate": np.full(9, value)},
        contributions={"success_rate": np.full(TOPICS, value / TOPICS)},
        ranks=np.zeros(1, dtype=np.float32),
        is_reproduced=is_reproduced,
    )


def rank(
    monkeypatch: pytest.MonkeyPatch, shortcuts: dict[str, float], reproduced: dict[str, float], new: dict[str, float]
) -> Ranking:
    """Rank models by their values on the first of two tests."""
    measured = [measure(name, value, is_reproduced=True) for name, value in shortcuts.items()]
    monkeypatch.setattr("harness.leaderboards.judging.rankings.measure_shortcuts", lambda _: measured)
    rankings = Rankings(cast("Any", SimpleNamespace(tests=TESTS)))
    for values, is_reproduced in ((new, False), (reproduced, True)):
        for name, value in values.items():
            model = measure(name, value, submission=f"the-{name}", is_reproduced=is_reproduced)
            rankings.add(cast("Any", SimpleNamespace(measured=(model,))))
    ranking, other = rankings.rank()
    assert other == Ranking(TESTS[1], "success_rate", (), 0)
    assert (ranking.test, ranking.metric, ranking.shortcut_count) == (TESTS[0], "success_rate", len(shortcuts))
    return ranking


def test_ranks_count_the_models_that_are_significantly_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """A nearly perfect model has a rank only if it was reproduced. Equal models are in the order of their names."""
    shortcuts, reproduced = {"low": 0.5, "high": 0.65}, {"best": 0.97, "a": 0.6}
    ranking = rank(monkeypatch, shortcuts, reproduced, {"c": 0.7, "b": 0.7, "perfect": 0.95})
    assert [
        (model.name, model.rank_among_reproduced, model.rank_among_all, model.shortcuts_beaten)
        for model in ranking.models
    ] == [
        ("best", 1, 1, 2),
        ("perfect", None, None, 2),
        ("b", None, 2, 2),
        ("c", None, 2, 2),
        ("high", None, None, 1),
        ("a", 2, 4, 1),
        ("low", None, None, 0),
    ]
    assert [model.name for model in ranking.models if model.is_shortcut] == ["high", "low"]
    assert ranking.models[0].submission == "the-best"
    assert ranking.models[0].intervals == {"success_rate": (0.97, 0.97)}


def test_numbers_that_are_too_good(monkeypatch: pytest.MonkeyPatch) -> None:
    ranking = rank(monkeypatch, {"low": 0.5}, {"a": 0.6, "b": 0.96}, {"c": 0.95, "d": 0.9, "e": 0.97})
    assert {model.name: model.implausible[:14] for model in ranking.models if model.implausible} == {
        "c": "nearly perfect",
        "e": "nearly perfect",
    }
    ranking = rank(monkeypatch, {"low": 0.5, "high": 0.65}, {"a": 0.6}, {"c": 0.7, "d": 0.65, "e": 0.55})
    assert {model.name: model.implausible for model in ranking.models if model.implausible} == {
        "c": "significantly better than every reproduced model and every shortcut"
    }


def test_without_a_reproduced_model_only_nearly_perfect_numbers_are_too_good(monkeypatch: pytest.MonkeyPatch) -> None:
    ranking = rank(monkeypatch, {"low": 0.5}, {}, {"c": 0.7, "d": 0.96})
    assert [model.name for model in ranking.models if model.implausible] == ["d"]
