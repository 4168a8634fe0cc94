"""Batches that become smaller when the memory of a device runs out."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from harness.support.errors import is_out_of_memory

_Output = TypeVar("_Output")
_logger = logging.getLogger(__name__)


class BatchHalving:
    """Halves the batches of a model whenever memory runs out, and keeps later batches as small.

    Vectors and scores do not depend on the batch, except for the rounding of the last digits.
    """

    def __init__(self) -> None:
        self._halvings = 0

    def run(self, compute: Callable[[int], _Output], size: int) -> _Output:
        """Call a function with a batch size that fits into memory.

        Args:
            compute: Computes with a batch size, from the beginning if it is called again.
            size: The batch size to begin with; at least 1.

        Raises:
            Exception: What the function raises, also if memory runs out with a batch size of 1.
        """
        while True:
            reduced_size = max(1, size >> self._halvings)
            try:
                return compute(reduced_size)
            except Exception as error:
                if reduced_size == 1 or not is_out_of_memory(error):
                    raise
            # The exception holds tensors until its block ends, so the next attempt comes after it.
            self._halvings += 1
            _logger.warning("memory ran out with a batch size of %d; going on with half of it", reduced_size)
