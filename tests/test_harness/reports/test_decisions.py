"""Decisions and confidences of models on hand-written rows of each kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from harness.evaluation.comparing.standings import MeasuredModel, Standing, make_standing
from harness.metrics.rows import ScoredRows
from harness.metrics.table import list_metrics
from harness.models.registry import MODEL, SHORTCUT
from harness.reports import error_analysis as module
from harness.reports.error_analysis import Decisions, decide, select_rows
from harness.stats.rounding import RoundedScores
from pyramid_paraphrase.rules.options import GRADED_PAIRS, MATCHES, PAIRS, QUESTIONS, Kind


def make_rows(kind: Kind, scores: Sequence[Any], targets: Sequence[int]) -> ScoredRows:
    """Make test rows of the topic "x" and, the last one, of both topics. A first row is for fitting thresholds."""
    count = len(targets)
    return ScoredRows(
        kind=kind,
        ids=[f"row{number}" for number in range(count)],
        targets=np.array(targets),
        is_test=np.array([False] + [True] * (count - 1)),
        topics=np.array([[0, 0]] * (count - 1) + [[0, 1]]),
        topic_names=("x", "y"),
        scores=RoundedScores(np.array(scores, dtype=np.float64)),
    )


def decide_rows(
    monkeypatch: pytest.MonkeyPatch, rows: Mapping[str, ScoredRows], threshold: float | None
) -> Decisions | None:
    """Decide the rows of models by name."""
    tests = {"t": SimpleNamespace(threshold=threshold)}
    models = [(SimpleNamespace(name=name, tests=tests), scored) for name, scored in rows.items()]
    monkeypatch.setattr(module, "align_scored_rows", lambda *_: iter(models))
    standing = make_standing_of(rows)
    return decide(SimpleNamespace(fingerprints={"t": "f" * 64}, find_standing={"t": standing}.get), "t")  # type: ignore[arg-type]


def make_standing_of(names: Iterable[str]) -> Standing:
    """Make a standing of models without values. Models whose name begins with "length" are shortcuts."""
    roles = [(name, SHORTCUT if name.startswith("length") else MODEL) for name in names]
    metric = list_metrics(QUESTIONS)[0]
    contributions, samples = {metric.name: np.zeros(2)}, {metric.name: np.zeros(1)}
    members = [MeasuredModel(name, role, {metric.name: 0.0}, contributions, lambda: samples) for name, role in roles]
    return make_standing("t", metric, members)


@pytest.mark.parametrize("factor", [1, 2.0**-700, 2.0**700])
def test_pairs(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A score at the threshold counts as a paraphrase. The standard deviation of the scores is 2, in any scale."""
    rows = make_rows(PAIRS, np.array([4, 4, 8, 4, 8]) * factor, [1, 1, 0, 0, 1])
    with_deviation = make_rows(PAIRS, np.array([4, 8, 8, 4, 6]) * factor, [1, 1, 0, 0, 1])
    decided = decide_rows(monkeypatch, {"m": with_deviation, "length": rows}, 6 * factor)
    assert decided is not None
    assert (decided.test_name, decided.fingerprint, decided.competing) == ("t", "f" * 64, ["m"])
    assert (decided.ids, decided.topics) == (["row1", "row2", "row3", "row4"], ["x", "x", "x", "x y"])
    assert decided.credits["m"].tolist() == [1.0, 0.0, 1.0, 1.0]
    deviation = np.std([4, 8, 8, 4, 6])
    assert decided.margins["m"].tolist() == pytest.approx([2 / deviation, 2 / deviation, 2 / deviation, 0])
    assert decided.credits["length"].tolist() == [0.0, 0.0, 1.0, 1.0]


def test_equal_scores_have_no_deviation(monkeypatch: pytest.MonkeyPatch) -> None:
    decided = decide_rows(monkeypatch, {"m": make_rows(PAIRS, [3, 3, 3], [1, 1, 0])}, 5)
    assert decided is not None
    assert decided.margins["m"].tolist() == [2.0, 2.0]


def test_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tie gives a share. The confidence is the distance from the best wrong option."""
    scores = [[0, 0, 0], [3, 1, 0], [1, 2, 2], [0, 4, 0]]
    decided = decide_rows(monkeypatch, {"m": make_rows(QUESTIONS, scores, [0, 0, 1, 2])}, None)
    assert decided is not None
    assert decided.credits["m"].tolist() == [1.0, 0.5, 0.0]
    deviation = np.std(scores)
    assert decided.margins["m"].tolist() == pytest.approx([2 / deviation, 0, 4 / deviation])


def test_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Right are the best option above the threshold, and no option above it where none matches."""
    scores = [[0, 0], [5, 1], [1, 5], [1, 2], [4, 1], [2, 2]]
    decided = decide_rows(monkeypatch, {"m": make_rows(MATCHES, scores, [0, 0, 0, -1, -1, 0])}, 3)
    assert decided is not None
    assert decided.credits["m"].tolist() == [1.0, 0.0, 1.0, 0.0, 0.0]
    deviation = np.std(scores)
    assert decided.margins["m"].tolist() == pytest.approx([distance / deviation for distance in (2, 2, 1, 1, 1)])


def test_grades_are_neither_right_nor_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    assert decide_rows(monkeypatch, {"m": make_rows(GRADED_PAIRS, [1, 2, 3], [1, 2, 3])}, None) is None


def test_selected_rows() -> None:
    """A tie does not count as right."""
    credit = {"a": np.array([1, 0.5, 0, 1]), "b": np.array([1, 1, 0, 0.0]), "c": np.array([0, 1, 1, 1.0])}
    decided = Decisions("t", "f" * 64, list("wxyz"), [""] * 4, credit, {}, make_standing_of(credit))
    assert select_rows(decided, ["a", "b"], []).tolist() == [True, False, False, False]
    assert select_rows(decided, [], ["a"]).tolist() == [False, True, True, False]
    assert select_rows(decided, ["c"], ["a", "b"]).tolist() == [False, False, True, False]
    assert select_rows(decided, [], []).tolist() == [True] * 4
