"""Facts that follow from the description of a model."""

from __future__ import annotations

import pytest

from harness.evaluation.records.record import ModelRecord
from harness.files.json_files import Json

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
    record = ModelRecord("m", "onnx", "m", "f" * 64, options, None, parameters, None)
    assert record.memory_mib == expected
