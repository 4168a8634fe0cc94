"""Ranges of numbers for settings: one definition for the command line, specs of models and Python."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import NamedTuple

from pyramid_paraphrase.errors import OptionError


class Range(NamedTuple):
    """Numbers from `low` to `high`, both included, without infinity and NaN.

    Attributes:
        low: The smallest number.
        high: The largest number.
        is_whole: Whether the range contains only whole numbers.
    """

    low: float
    high: float
    is_whole: bool = True

    def __str__(self) -> str:
        """Describe the range for messages and help texts, such as "a whole number from 1 to 100"."""
        kind = "a whole number" if self.is_whole else "a number"
        return f"{kind} from {_show(self.low)} to {_show(self.high)}"

    def parse(self, text: str) -> int | float:
        """Read a number.

        Args:
            text: The text of a user.

        Returns:
            The number: an int if the range contains only whole numbers, otherwise a float.

        Raises:
            ValueError: If the text is not a number of this range. The message states the range.
        """
        try:
            value = int(text) if self.is_whole else float(text)
        except ValueError:
            value = math.nan
        if not self.low <= value <= self.high:  # also refuses NaN
            raise ValueError(f"use {self}")
        return value

    def check(self, name: str, value: object) -> None:
        """Check a number that was passed in Python.

        Args:
            name: Name of the setting, for the message.
            value: The number. Numbers of NumPy are accepted, Booleans are not.

        Raises:
            OptionError: If it is not a number of this range.
        """
        if not self._contains(value):
            raise OptionError(f"{name} is {value!r}. Use {self}")

    def _contains(self, value: object) -> bool:
        if isinstance(value, bool):
            return False
        if isinstance(value, Integral):
            return self.low <= int(value) <= self.high
        return isinstance(value, Real) and not self.is_whole and self.low <= float(value) <= self.high


def _show(bound: float) -> str:
    return str(int(bound)) if bound == int(bound) else f"{bound:.6f}".rstrip("0")


COUNT = Range(1, 1_000_000_000)
"""A count, which the data may limit further."""

SEED = Range(0, (1 << 32) - 1)
"""Random seeds that NumPy accepts."""

RESAMPLES = Range(1, 1_000_000)
"""Number of bootstrap resamples, all of which are in memory at once."""

RANK = Range(1, 1_000_000)
"""Number of ranks of a ranked list that count."""

BATCH_SIZE = Range(1, 1_000_000)
"""Number of texts that a model encodes at once."""

PROBABILITY = Range(0, 1, is_whole=False)
"""A probability, or a share."""
