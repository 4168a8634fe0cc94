"""Smaller batches if the memory of a device runs out."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from harness.support.errors import is_out_of_memory

_Output = TypeVar("_Output")
_logger = logging.getLogger(__name__)


class BatchHalving:
    """A procedure that halves the batch size whenever memory runs out. Later batches have the reduced size, too.

    Vectors and scores do not depend on the batch size, except for the rounding of the last digits.
    """

    def __init__(self) -> None:
        self._halvings = 0

    def run(self, compute: Callable[[int], _Output], size: int) -> _Output:
        """Call a function with a batch size that fits into memory.

        Args:
            compute: Function of a batch size. Each call starts from the beginning.
            size: The initial batch size, at least 1.

        Raises:
            Exception: Any error of the function, including lack of memory with a batch size of 1.
        """
        while True:
            reduced_size = max(1, size >> self._halvings)
            try:
                return compute(reduced_size)
            except Exception as error:
                if reduced_size == 1 or not is_out_of_memory(error):
                    raise
            # The exception refers to tensors until its block ends, so the next attempt must come after the block.
            self._halvings += 1
            _logger.warning("memory ran out with a batch size of %d. Continuing with half of it", reduced_size)
