"""Replace values by numbers, so that arrays can compare them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt


def number_values(values: Iterable[object]) -> npt.NDArray[np.int64]:
    """Number values in the order of their first occurrences, beginning with 0.

    Args:
        values: Hashable values, consumed one at a time.

    Returns:
        The number of each value. Equal values have the same number.
    """
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)
