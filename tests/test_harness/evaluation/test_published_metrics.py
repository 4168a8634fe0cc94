"""The published values of every kind of test: equal to direct arithmetic, and computed by modules of `evaluate`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import evaluate
import numpy as np
import pytest
from helpers.scored_rows import make_split
from hypothesis import given
from hypothesis import strategies as st

from harness.api.evaluating import evaluate as evaluate_model
from harness.evaluate_modules.mrr.mrr import Mrr
from harness.evaluation.module_metrics import MODULES, make_module, publish_metrics
from harness.evaluation.record import SHARE
from harness.metrics.measuring import measure_split
from harness.metrics.rows import ScoredSplit
from harness.metrics.table import METRICS, list_metrics
from harness.stats.rounding import round_scores
from pyramid_paraphrase.rules.options import GRADED_PAIRS, KINDS, MATCHES, PAIRS, QUESTIONS, Kind

# Few distinct scores give ties. The others show whether any digit is lost on the way through the library.
SCORES = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(-1e6, 1e6).map(lambda score: float(round_scores(score))))
NAN = float("nan")


@st.composite
def splits(draw: st.DrawFn, kind: Kind) -> ScoredSplit:
    """Make the scored rows of a kind, as any model could make them."""
    count = draw(st.integers(1, 12))
    topics = [[0, 0]] * count
    if kind == PAIRS:
        scores: Any = draw(st.lists(SCORES, min_size=count, max_size=count))
        targets = draw(st.lists(st.integers(0, 1), min_size=count, max_size=count))
        return make_split(kind, scores, targets, topics, 1, draw(SCORES))
    if kind == GRADED_PAIRS:
        scores = draw(st.lists(SCORES, min_size=count, max_size=count))
        return make_split(kind, scores, draw(st.lists(st.integers(0, 5), min_size=count, max_size=count)), topics, 1)
    most = draw(st.integers(1, 5))
    if kind == QUESTIONS:
        scores = [draw(st.lists(SCORES, min_size=most, max_size=most)) for _ in range(count)]
        return make_split(kind, scores, [draw(st.integers(0, most - 1)) for _ in range(count)], topics, 1)
    options = [draw(st.lists(SCORES, min_size=1, max_size=most)) for _ in range(count)]
    padded = [row + [NAN] * (max(map(len, options)) - len(row)) for row in options]
    targets = [draw(st.integers(-1, len(row) - 1)) for row in options]
    return make_split(kind, padded, targets, topics, 1, draw(SCORES))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_modules_give_the_same_values_as_the_arithmetic(kind: Kind) -> None:
    """Equal to the last digit: results do not depend on the way through the library, and checks reproduce them."""

    @given(splits(kind))
    def compare(split: ScoredSplit) -> None:
        measured = measure_split(split)
        measured.pop("threshold", None)
        assert list(publish_metrics(split).items()) == list(measured.items())

    compare()


def test_every_metric_of_every_kind_comes_from_a_module() -> None:
    examples = {
        PAIRS: make_split(PAIRS, [0.9, 0.1], [1, 0], [[0, 0], [0, 0]], 1, 0.5),
        QUESTIONS: make_split(QUESTIONS, [[0.9, 0.1]], [0], [[0, 0]], 1),
        GRADED_PAIRS: make_split(GRADED_PAIRS, [0.9, 0.1], [5, 0], [[0, 0], [0, 0]], 1),
        MATCHES: make_split(MATCHES, [[0.9, 0.1]], [0], [[0, 0]], 1, 0.5),
    }
    assert set(examples) == set(MODULES) == set(KINDS)
    names = set()
    for kind, split in examples.items():
        published = publish_metrics(split).keys() - {SHARE}
        assert published == {metric.name for metric in list_metrics(kind)}
        names |= published
    assert len(names) == len(METRICS) == 20


def give_all(kind: Kind) -> Callable[..., dict[str, float]]:
    """Return a function that gives the same value for all metrics of a kind, in place of the arithmetic."""
    return lambda *_: {metric.name: 0.123456 for metric in list_metrics(kind)} | {SHARE: 0.5}


ARITHMETIC = [
    ("binary", "f1", "threshold_f1.threshold_f1.measure_pairs", give_all(PAIRS)),
    ("ranking", "success_rate", "ranking_success.ranking_success.rate_success", lambda *_: np.array([0.123456])),
    ("ranking", "mrr", "mrr.mrr.rate_reciprocal_rank", lambda *_: np.array([0.123456])),
    ("peers", "match_f1", "match_f1.match_f1.measure_matches", give_all(MATCHES)),
]


@pytest.mark.parametrize(("test_name", "metric", "function", "replacement"), ARITHMETIC)
def test_a_result_has_the_values_of_the_modules(
    test_name: str, metric: str, function: str, replacement: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"harness.evaluate_modules.{function}", replacement)
    result = evaluate_model("one-hot", "sample", test_name, cache=False, resamples=10)
    assert result.tests[test_name].metrics[metric] == 0.123456


def test_a_result_of_graded_pairs_has_the_values_of_its_module(monkeypatch: pytest.MonkeyPatch) -> None:
    function = "harness.evaluate_modules.pit_similarity.pit_similarity.measure_similarity"
    monkeypatch.setattr(function, give_all(GRADED_PAIRS))
    split = make_split(GRADED_PAIRS, [0.9, 0.1], [5, 0], [[0, 0], [0, 0]], 1)
    published = publish_metrics(split)
    assert {published[metric.name] for metric in list_metrics(GRADED_PAIRS)} == {0.123456}


def test_a_metric_that_no_module_returns_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was missing from the result without a word."""
    monkeypatch.setattr("harness.evaluate_modules.threshold_f1.threshold_f1.measure_pairs", lambda *_: {"f1": 0.5})
    with pytest.raises(NotImplementedError, match="accuracy"):
        publish_metrics(make_split(PAIRS, [0.9, 0.1], [1, 0], [[0, 0], [0, 0]], 1, 0.5))


def test_metrics_of_similarity_that_are_not_defined_are_0() -> None:
    """Equal scores have no correlation with grades, and pairs of grade 3 count for no decision."""
    split = make_split(GRADED_PAIRS, [0.5, 0.5], [3, 3], [[0, 0], [0, 0]], 1)
    assert publish_metrics(split) == {"pearson": 0, "max_f1": 0, "max_f1_precision": 0, "max_f1_recall": 0}


def test_no_file_is_written_to_the_cache_of_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache is a file here, so that a folder in it cannot be made. Root can write to any read-only folder."""
    cache, temporary = tmp_path / "cache", tmp_path / "temporary"
    cache.write_text("")
    temporary.mkdir()
    monkeypatch.setattr(evaluate.config, "HF_METRICS_CACHE", cache)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with pytest.raises(NotADirectoryError):
        Mrr()
    module = make_module(Mrr)
    assert not any(temporary.iterdir())
    assert module.compute(predictions=[[1.0, 0.5]], references=[1]) == {"mrr": 0.5}
    assert not any(temporary.iterdir())
