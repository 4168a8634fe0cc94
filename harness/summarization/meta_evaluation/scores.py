"""Scores of summaries, by whomever: a measure with its values by topic and system."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from harness.stats.rounding import DECIMALS
from pyramid_paraphrase.errors import InputError

MAX_SIZE = 1e9
"""What is larger is taken for a mistake. Scores rounded to `DECIMALS` are summed exactly up to a sum of 9e9."""

Key = tuple[str, str]
"""Topic and system."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What a measure says of summaries.

    Attributes:
        name: Of the measure, such as "ROUGE-2".
        source: Where it was read from.
        values: By topic and system, rounded to `DECIMALS`.
    """

    name: str
    source: str
    values: Mapping[Key, float]


class ScoreCollector:
    """Gathers the scores of a file, and averages those that one summary has several of.

    Args:
        source: The file's name.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._values: dict[str, dict[Key, dict[str, float]]] = {}

    def add(self, measure: str, key: Key, value: str | float, line: int = 0, part: str = "") -> None:
        """Take a score.

        Args:
            measure: Name of the measure.
            key: Topic and system.
            value: The score, or what the file says it is.
            line: Where it stands, for errors.
            part: Which of several of the summary it is: an assessor, or a set of references.

        Raises:
            InputError: If it is no score, a name is none, or the same one was taken before.
        """
        for what, name in (("measure", measure), ("topic", key[0]), ("system", key[1])):
            if not name or not name.isprintable():
                raise InputError(self.source, f"{name!r} is no name of a {what}", "name it by letters and digits", line)
        parts = self._values.setdefault(measure, {}).setdefault(key, {})
        if part in parts:
            whose = f"system {key[1]} on topic {key[0]}"
            raise InputError(self.source, f"scores {whose} by {measure} twice", "leave one out", line)
        parts[part] = self._parse(value, line)

    def _parse(self, value: str | float, line: int) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not abs(number) <= MAX_SIZE or "_" in str(value):  # which NaN is not, either
            remedy = f"give a number of up to {MAX_SIZE:,.0f} in size, or nothing"
            raise InputError(self.source, f"{str(value)!r} is no score", remedy, line)
        return number

    def finish(self) -> list[Scores]:
        """The measures in the order in which they came, each with the mean of what a summary has by it."""
        return [
            Scores(
                measure,
                self.source,
                {key: round(fmean(parts.values()), DECIMALS) + 0.0 for key, parts in values.items()},
            )
            for measure, values in self._values.items()
        ]
