"""Numbering of values."""

from __future__ import annotations

import numpy as np
import pytest

from harness.support.arrays import number_values


@pytest.mark.parametrize("values", [[], [5], [2, 0, 2], [[3, 1], [1, 7]], [[10**12, 3], [3, 0]]])
def test_values_are_numbered_as_by_sorting(values: list[int]) -> None:
    array = np.array(values, dtype=np.int64)
    distinct, numbers = number_values(array)
    assert distinct.tolist() == sorted(set(array.ravel().tolist()))
    assert numbers.shape == array.shape
    assert distinct[numbers].tolist() == values
