"""The values of the metric modules that no published result contains, imported directly, not copied by `load`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions

from harness.evaluate_modules.dimple.dimple import Dimple
from harness.evaluate_modules.expected_precision.expected_precision import ExpectedPrecision
from harness.evaluate_modules.expected_precision_redundancy.expected_precision_redundancy import (
    ExpectedPrecisionRedundancy,
)
from harness.evaluate_modules.frame import MetricModule
from harness.evaluate_modules.paraeval.paraeval import Paraeval
from harness.evaluate_modules.pinc.pinc import Pinc
from harness.evaluate_modules.threshold_f1.threshold_f1 import ThresholdF1
from pyramid_paraphrase.errors import OptionError

LISTS: dict[str, Any] = {"predictions": [["cars", "vehicle"]], "references": [[1.0, 0.5]]}
"""Paraphrases of "car" with their qualities. The first one is another form of the source."""

TWO_LISTS: dict[str, Any] = {"predictions": [["cars", "vehicle"], ["auto"]], "references": [[1.0, 0.5], [0.0]]}
"""The same, and a wrong paraphrase, which contributes 0."""

SUMMARY: dict[str, Any] = {"predictions": ["The dog sleeps."], "references": [["The cat sleeps.", "A dog slept."]]}


def compute(kind: type[MetricModule], tmp_path: Path, **arguments: Any) -> Any:  # noqa: ANN401
    """Compute the only value of a metric."""
    (value,) = kind(cache_dir=str(tmp_path)).compute(**arguments).values()
    return value


def test_dimple(tmp_path: Path) -> None:
    """(2^(1 * 2) - 1 + 2^(0.5 * 3) - 1) / (7 * 2): D is 2 for a shared stem, and 3 for a new word."""
    expected = (3 + 2**1.5 - 1) / 14
    assert compute(Dimple, tmp_path, **LISTS, sources=["car"], k=2) == pytest.approx(expected)
    assert compute(Dimple, tmp_path, **LISTS, sources=["car"]) == pytest.approx(expected * 2 / 10)
    assert compute(Dimple, tmp_path, **TWO_LISTS, sources=["car", "car"], k=2) == pytest.approx(expected / 2)


def test_expected_precision(tmp_path: Path) -> None:
    """(1 + 0.5) / 2. The redundant "cars" contributes 0 to the other metric."""
    assert compute(ExpectedPrecision, tmp_path, **LISTS, k=2) == 0.75
    assert compute(ExpectedPrecision, tmp_path, **LISTS) == 0.15
    assert compute(ExpectedPrecision, tmp_path, **TWO_LISTS, k=2) == 0.375
    assert compute(ExpectedPrecisionRedundancy, tmp_path, **LISTS, sources=["car"], k=2) == 0.25
    assert compute(ExpectedPrecisionRedundancy, tmp_path, **LISTS, sources=["car"]) == 0.05
    assert compute(ExpectedPrecisionRedundancy, tmp_path, **TWO_LISTS, sources=["car", "car"], k=2) == 0.125


def test_pinc(tmp_path: Path) -> None:
    """One of 3 words, both pairs of words and the only three words are new."""
    expected = pytest.approx((1 / 3 + 2 / 2 + 1 / 1) / 3)
    assert compute(Pinc, tmp_path, predictions=["the old car"], references=["The new car"]) == expected
    one_word = compute(Pinc, tmp_path, predictions=["the old car"], references=["The new car"], max_order=1)
    assert one_word == pytest.approx(1 / 3)
    equal = ("the new car", "The new car")
    assert compute(Pinc, tmp_path, predictions=["the old car", equal[0]], references=["The new car", equal[1]]) == (
        pytest.approx(expected.expected / 2)
    )


def test_paraeval(tmp_path: Path) -> None:
    """2 of the 3 words of the first reference, and 1 of the 3 words of the second."""
    assert compute(Paraeval, tmp_path, **SUMMARY) == pytest.approx(3 / 6)
    assert compute(Paraeval, tmp_path, **SUMMARY, stop_words=False) == pytest.approx(2 / 4)
    table = tmp_path / "table.tsv"
    table.write_text("cat\tdog\t0.5\nslept\tsleeps\t0.1\n")
    assert compute(Paraeval, tmp_path, **SUMMARY, table=str(table)) == pytest.approx(5 / 6)
    assert compute(Paraeval, tmp_path, **SUMMARY, table=[str(table)], min_probability=0.2) == pytest.approx(4 / 6)


def test_paraeval_removes_separators(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    texts: dict[str, Any] = {"predictions": ["The dog sleeps.<q>"], "references": [["<t> The cat sleeps. </t>"]]}
    assert compute(Paraeval, tmp_path, **texts) == pytest.approx(2 / 3)
    assert caplog.messages == ["paraeval: removed 3 separators such as <q> in 2 texts"]


def test_paraeval_with_settings(tmp_path: Path) -> None:
    """By default "dogs" is not "dog". Without each reference in turn, the mean of 1/2 and 2/3 counts, not 3/5."""
    plural: dict[str, Any] = {"predictions": ["The dogs sleep."], "references": [["The dog sleeps."]]}
    assert compute(Paraeval, tmp_path, **plural) == pytest.approx(1 / 3)
    assert compute(Paraeval, tmp_path, **plural, stem=True) == 1
    unequal: dict[str, Any] = {"predictions": ["The dog sleeps."], "references": [["The cat sleeps.", "A dog."]]}
    assert compute(Paraeval, tmp_path, **unequal) == pytest.approx(3 / 5)
    assert compute(Paraeval, tmp_path, **unequal, jackknife=True) == pytest.approx((1 / 2 + 2 / 3) / 2)
    with pytest.raises(OptionError, match=mentions("min_probability is 1.5")):
        compute(Paraeval, tmp_path, **plural, min_probability=1.5)


PAIRS: dict[str, Any] = {"predictions": [0.9, 0.2], "references": [1, 0]}
FITTED: dict[str, Any] = {"validation_predictions": [0.8, 0.4], "validation_references": [1, 0]}


def test_a_threshold_is_given_or_fitted(tmp_path: Path) -> None:
    """Half of the way from 0.4 to 0.8 is 0.6."""
    module = ThresholdF1(cache_dir=str(tmp_path))
    assert module.compute(**PAIRS, **FITTED)["threshold"] == 0.6
    assert module.compute(**PAIRS, threshold=0.25)["threshold"] == 0.25


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {**FITTED, "threshold": 0.5},
        {"validation_predictions": [0.8, 0.4]},
        {"validation_references": [1, 0]},
        {"threshold": float("nan")},
    ],
)
def test_thresholds_that_cannot_be_used(tmp_path: Path, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"pass either|finite"):
        ThresholdF1(cache_dir=str(tmp_path)).compute(**PAIRS, **arguments)


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        (ExpectedPrecision, {"predictions": [], "references": []}),
        (ExpectedPrecision, {"predictions": [["a", "b"]], "references": [[1.0]]}),
        (ExpectedPrecision, {"predictions": [["a", "b"], ["c"]], "references": [[1.0], [1.0]]}),
        (Pinc, {"predictions": [], "references": []}),
        (Paraeval, {"predictions": ["a", "b"], "references": [["a"], []]}),
        (Paraeval, {**SUMMARY, "tiers": [4]}),
        (Paraeval, {"predictions": ["a"], "references": [["a"]], "jackknife": True}),
    ],
)
def test_wrong_arguments(tmp_path: Path, kind: type[MetricModule], arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"[Pp]ass|Use"):
        compute(kind, tmp_path, **arguments)
