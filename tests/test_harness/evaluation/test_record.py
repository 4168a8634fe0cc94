"""Facts that follow from the description of a model."""

from __future__ import annotations

import pytest

from harness.evaluation import record
from harness.evaluation.record import SHARE, ModelRecord
from harness.files.json_files import Json
from pyramid_paraphrase.rules.options import PAIRS

MIB = 1 << 20


@pytest.mark.parametrize(
    ("options", "parameters", "expected"),
    [
        ({}, 3 * MIB, 12.0),
        ({"dtype": "float32"}, MIB // 4, 1.0),
        ({"dtype": "float16"}, 3 * MIB, 6.0),
        ({"dtype": "bfloat16"}, 3 * MIB, 6.0),
        ({"dtype": "int8"}, 3 * MIB, 3.0),
        ({}, 0, 0.0),
        ({}, None, None),
    ],
)
def test_memory_depends_on_the_precision(
    options: dict[str, Json], parameters: int | None, expected: float | None
) -> None:
    """A number of 32 bits has 4 bytes, and one of 16 bits has 2."""
    described = ModelRecord("m", "onnx", "m", "f" * 64, options, None, parameters, None)
    assert described.memory_mib == expected


@pytest.mark.parametrize(
    ("threshold", "metrics", "expected"),
    [
        (0.5, {SHARE: 0.25, "f1": 0.75}, [("f1", 0.75), ("threshold", 0.5), (SHARE, 0.25)]),
        (None, {SHARE: 0.25, "f1": 0.75}, [("f1", 0.75), (SHARE, 0.25)]),
        (0.0, {"f1": 0.75}, [("f1", 0.75), ("threshold", 0.0)]),
    ],
)
def test_the_share_of_paraphrases_is_the_last_number(
    threshold: float | None, metrics: dict[str, float], expected: list[tuple[str, float]]
) -> None:
    measured = record.TestRecord(
        kind=PAIRS.name,
        fingerprint="f" * 64,
        options={},
        counts={},
        metrics=metrics,
        threshold=threshold,
        intervals={},
        scores=record.ScoresFile("", ""),
    )
    assert list(measured.numbers.items()) == expected
