"""Scores of summaries by a metric or by people: the values of a measure by topic and system."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from harness.stats.rounding import DECIMALS, SMALL, find_decimals, shift_point
from pyramid_paraphrase.errors import InputError

MAX_SIZE = 1e9
"""Largest accepted absolute value. Sums of scores that are rounded to `DECIMALS` are exact up to 9e9."""

Key = tuple[str, str]
"""Topic and system."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of summaries by a measure.

    Attributes:
        name: Name of the measure, such as "ROUGE-2".
        source: Location that the scores were read from.
        values: By topic and system, rounded to `DECIMALS`. If all are below `SMALL`, they are first multiplied by a
            power of ten, which changes no correlation.
    """

    name: str
    source: str
    values: Mapping[Key, float]


class ScoreCollector:
    """Gathers the scores of a file, and averages several scores of the same summary.

    Args:
        source: The file's name.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._values: dict[str, dict[Key, dict[str, float]]] = {}

    def add(self, measure: str, key: Key, value: str | float, line: int = 0, part: str = "") -> None:
        """Add a score.

        Args:
            measure: Name of the measure.
            key: Topic and system.
            value: The score as a number, or as the text of the file.
            line: Number of its line, for errors.
            part: Distinguishes several scores of one summary: an assessor, or a set of references.

        Raises:
            InputError: If the score is not a number, a name is not printable, or the same score was added before.
        """
        topic, system = key
        for role, name in (("measure", measure), ("topic", topic), ("system", system)):
            if not name or not name.isprintable():
                raise InputError(
                    self.source, f"{name!r} is not a valid name of a {role}", "use letters and digits", line
                )
        parts = self._values.setdefault(measure, {}).setdefault(key, {})
        if part in parts:
            reason = f"contains two scores of system {system} on topic {topic} by {measure}"
            raise InputError(self.source, reason, "remove one of them", line)
        parts[part] = self._parse(value, line)

    def _parse(self, value: str | float, line: int) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        # `not ... <=` also refuses NaN. `float` accepts underscores, which are mistakes in a file of scores.
        if not abs(number) <= MAX_SIZE or "_" in str(value):
            remedy = f"use a number from -{MAX_SIZE:,.0f} to {MAX_SIZE:,.0f}, or leave the cell empty"
            raise InputError(self.source, f"{str(value)!r} is not a score", remedy, line)
        return number

    def finish(self) -> list[Scores]:
        """Return the measures in the order of the file, with the mean of each summary's scores."""
        measures = []
        for name, parts_by_key in self._values.items():
            means = _enlarge([fmean(parts.values()) for parts in parts_by_key.values()])
            rounded = [round(mean, DECIMALS) + 0.0 for mean in means]
            measures.append(Scores(name, self.source, dict(zip(parts_by_key, rounded, strict=True))))
        return measures


def _enlarge(values: list[float]) -> list[float]:
    """Multiply values that are all below `SMALL` by a power of ten, so that the largest one is between 0.1 and 1."""
    if max(map(abs, values)) >= SMALL:
        return values
    enlarged: list[float] = shift_point(np.array(values), find_decimals(values) - DECIMALS).tolist()
    return enlarged
