"""The values of modules of `evaluate` whose metrics are no published values, without the copies that `load` makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.evaluate_modules.dimple.dimple import Dimple
from harness.evaluate_modules.expected_precision.expected_precision import ExpectedPrecision
from harness.evaluate_modules.expected_precision_redundancy.expected_precision_redundancy import (
    ExpectedPrecisionRedundancy,
)
from harness.evaluate_modules.frame import MetricModule
from harness.evaluate_modules.paraeval.paraeval import Paraeval
from harness.evaluate_modules.pinc.pinc import Pinc

LISTS: dict[str, Any] = {"predictions": [["cars", "vehicle"]], "references": [[1.0, 0.5]]}
"""Paraphrases of "car" with their qualities. The first one is another form of the source."""

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


def test_expected_precision(tmp_path: Path) -> None:
    """(1 + 0.5) / 2. The redundant "cars" contributes 0 to the other metric."""
    assert compute(ExpectedPrecision, tmp_path, **LISTS, k=2) == 0.75
    assert compute(ExpectedPrecisionRedundancy, tmp_path, **LISTS, sources=["car"], k=2) == 0.25


def test_pinc(tmp_path: Path) -> None:
    """One of 3 words, both pairs of words and the only three words are new."""
    expected = pytest.approx((1 / 3 + 2 / 2 + 1 / 1) / 3)
    assert compute(Pinc, tmp_path, predictions=["the old car"], references=["The new car"]) == expected
    one_word = compute(Pinc, tmp_path, predictions=["the old car"], references=["The new car"], max_order=1)
    assert one_word == pytest.approx(1 / 3)


def test_paraeval(tmp_path: Path) -> None:
    """2 of the 3 words of the first reference, and 1 of the 3 words of the second."""
    assert compute(Paraeval, tmp_path, **SUMMARY) == pytest.approx(3 / 6)
    assert compute(Paraeval, tmp_path, **SUMMARY, stop_words=False) == pytest.approx(2 / 4)
    table = tmp_path / "table.tsv"
    table.write_text("cat\tdog\t0.5\nslept\tsleeps\t0.1\n")
    assert compute(Paraeval, tmp_path, **SUMMARY, table=str(table)) == pytest.approx(5 / 6)
    assert compute(Paraeval, tmp_path, **SUMMARY, table=[str(table)], min_probability=0.2) == pytest.approx(4 / 6)


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        (ExpectedPrecision, {"predictions": [["a", "b"]], "references": [[1.0]]}),
        (Paraeval, {**SUMMARY, "tiers": [4]}),
        (Paraeval, {"predictions": ["a"], "references": [["a"]], "jackknife": True}),
    ],
)
def test_wrong_arguments(tmp_path: Path, kind: type[MetricModule], arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"[Pp]ass|Use"):
        compute(kind, tmp_path, **arguments)
