"""Rankings of models whose values are known: ranks, the best ones, shortcuts, and numbers that are too good."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from harness.evaluation.comparing.standings import MeasuredModel
from harness.evaluation.record import ModelRecord
from harness.leaderboards.board import RankedTest
from harness.leaderboards.candidates import Candidate
from harness.leaderboards.rankings import RankedModel, Ranking, rank_models
from harness.models.registry import CHANCE, SHORTCUT, find_role

TOPICS = 8
"""With equal differences in eight topics p is 2 / 2^8, so that all different values differ significantly."""

TESTS = tuple(RankedTest("ranking", fingerprint, ("sample",), {}, 9, "key", "0" * 64) for fingerprint in "fg")


def make(
    name: str, value: float, *, kind: str = "one-hot", submission: str = "", is_reproduced: bool = False
) -> Candidate:
    role = find_role(kind)
    if submission and role == SHORTCUT:
        role = CHANCE
    numbers, samples = {"success_rate": value}, {"success_rate": np.full(9, value)}
    model = MeasuredModel(name, role, numbers, {"success_rate": np.full(TOPICS, value / TOPICS)}, lambda: samples)
    description = ModelRecord(name, kind, name, "0" * 64, {}, None, None, None)
    return Candidate(
        name=submission,
        record=cast("Any", SimpleNamespace(model=description, tests={"ranking": SimpleNamespace(fingerprint="f")})),
        form=None,
        digest="",
        identities=(),
        models={"ranking": model},
        score_ranks={},
        reproduction=cast("Any", object()) if is_reproduced else None,
    )


def rank(
    monkeypatch: pytest.MonkeyPatch,
    shortcuts: dict[str, float],
    reproduced: dict[str, float],
    new: dict[str, float],
    kinds: Mapping[str, str] = {},
) -> Ranking:
    """Rank models by their values on the first of two tests. The kind of a model is one-hot unless `kinds` has it."""
    measured = [make(name, value, kind="overlap") for name, value in shortcuts.items()]
    monkeypatch.setattr("harness.leaderboards.rankings.measure_shortcuts", lambda _: measured)
    candidates = []
    for values, is_reproduced in ((new, False), (reproduced, True)):
        for name, value in values.items():
            kind = kinds.get(name, "one-hot")
            candidates.append(make(name, value, kind=kind, submission=f"the-{name}", is_reproduced=is_reproduced))
    ranking, other = rank_models(cast("Any", SimpleNamespace(tests=TESTS)), candidates)
    assert (other.test, other.metric, other.models, other.shortcut) == (TESTS[1], "success_rate", (), "")
    assert (ranking.test, ranking.metric) == (TESTS[0], "success_rate")
    return ranking


def list_names(ranking: Ranking, is_listed: Callable[[RankedModel], object]) -> list[str]:
    return [model.name for model in ranking.models if is_listed(model)]


def test_ranks_count_the_models_that_are_significantly_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """A nearly perfect model has a rank only if it was reproduced. Equal models are in the order of their names."""
    shortcuts, reproduced = {"low": 0.5, "high": 0.65}, {"best": 0.97, "a": 0.6}
    ranking = rank(monkeypatch, shortcuts, reproduced, {"c": 0.7, "b": 0.7, "perfect": 0.95})
    assert ranking.shortcut == "high"
    assert [(model.name, *model.ranks.values(), model.beats_shortcut) for model in ranking.models] == [
        ("best", 1, 1, True),
        ("perfect", None, None, True),
        ("b", None, 2, True),
        ("c", None, 2, True),
        ("high", None, None, None),
        ("a", 2, 4, False),
        ("low", None, None, None),
    ]
    assert list_names(ranking, lambda model: model.candidate.is_shortcut) == ["high", "low"]
    assert ranking.models[0].candidate.name == "the-best"
    assert ranking.models[0].intervals == {"success_rate": (0.97, 0.97)}


def test_the_best_models_of_both_views(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of rank 1 that is no better than a shortcut was marked as best."""
    ranking = rank(monkeypatch, {"shortcut": 0.5}, {"a": 0.6, "b": 0.55}, {"c": 0.7, "d": 0.7, "perfect": 0.96})
    assert list_names(ranking, lambda model: "reproduced" in model.best_views) == ["a"]
    assert list_names(ranking, lambda model: "all" in model.best_views) == ["c", "d"]
    ranking = rank(monkeypatch, {"shortcut": 0.65}, {"a": 0.6, "b": 0.55}, {"c": 0.7, "d": 0.6})
    assert list_names(ranking, lambda model: model.ranks["reproduced"] == 1) == ["a"]
    assert list_names(ranking, lambda model: "reproduced" in model.best_views) == []
    assert list_names(ranking, lambda model: "all" in model.best_views) == ["c"]


def test_an_only_model_is_not_marked_as_best(monkeypatch: pytest.MonkeyPatch) -> None:
    ranking = rank(monkeypatch, {"shortcut": 0.5}, {"a": 0.6}, {"b": 0.55, "perfect": 0.96})
    assert list_names(ranking, lambda model: "reproduced" in model.best_views) == []
    assert list_names(ranking, lambda model: "all" in model.best_views) == ["a"]


def test_people_shortcuts_and_chance_do_not_compete(monkeypatch: pytest.MonkeyPatch) -> None:
    """They lower no rank. A submission of the kind of a shortcut is not a shortcut that others have to beat."""
    kinds = {"ann": "annotator", "cheat": "overlap", "dice": "random"}
    reproduced, new = {"a": 0.6, "dice": 0.8}, {"ann": 0.9, "cheat": 0.85, "b": 0.55}
    ranking = rank(monkeypatch, {"shortcut": 0.5}, reproduced, new, kinds)
    assert ranking.shortcut == "shortcut"
    assert [(model.name, model.competes, *model.ranks.values(), model.beats_shortcut) for model in ranking.models] == [
        ("ann", False, None, None, None),
        ("cheat", False, None, None, None),
        ("dice", False, None, None, None),
        ("a", True, 1, 1, True),
        ("b", True, None, 2, True),
        ("shortcut", False, None, None, None),
    ]
    assert list_names(ranking, lambda model: "all" in model.best_views or model.awaits_reproduction) == ["a"]


def test_numbers_that_are_too_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """An honest model was called implausible because the only reproduced model was weaker."""
    ranking = rank(monkeypatch, {"low": 0.5}, {"a": 0.6, "b": 0.96}, {"c": 0.95, "d": 0.9, "e": 0.97})
    assert list_names(ranking, lambda model: model.is_implausible) == ["e", "c"]
    assert list_names(ranking, lambda model: model.awaits_reproduction) == []
    ranking = rank(monkeypatch, {"low": 0.5, "high": 0.65}, {"a": 0.6}, {"c": 0.7, "d": 0.65, "e": 0.55, "f": 0.95})
    assert list_names(ranking, lambda model: model.is_implausible) == ["f"]
    assert list_names(ranking, lambda model: model.awaits_reproduction) == ["c"]


def test_without_a_reproduced_model_only_nearly_perfect_numbers_are_too_good(monkeypatch: pytest.MonkeyPatch) -> None:
    ranking = rank(monkeypatch, {"low": 0.5}, {}, {"c": 0.7, "d": 0.96})
    assert list_names(ranking, lambda model: model.is_implausible) == ["d"]
    assert list_names(ranking, lambda model: model.awaits_reproduction) == []


def test_tests_that_no_shortcut_solves_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.leaderboards.rankings.measure_shortcuts", lambda _: [])
    names = ("binary", "ranking", "presence", "binary_matched", "ranking_matched")
    tests = [RankedTest(name, name, ("sample",), {}, 9, "key", "0" * 64) for name in names]
    rankings = rank_models(cast("Any", SimpleNamespace(tests=tests)), [])
    assert [ranking.test.configuration for ranking in rankings] == [
        "ranking_matched", "binary_matched", "presence", "binary", "ranking",
    ]  # fmt: skip
