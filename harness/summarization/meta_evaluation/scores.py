"""Scores of summaries by a metric or by people: the values of a measure by topic and system."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from harness.stats.rounding import DECIMALS
from pyramid_paraphrase.errors import InputError

MAX_SIZE = 1e9
"""Largest absolute value that is accepted. Scores rounded to `DECIMALS` are summed exactly up to a sum of 9e9."""

Key = tuple[str, str]
"""Topic and system."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of summaries by a measure.

    Attributes:
        name: Name of the measure, such as "ROUGE-2".
        source: Location that it was read from.
        values: By topic and system, rounded to `DECIMALS`.
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
            part: Which of several scores of the summary it is: an assessor, or a set of references.

        Raises:
            InputError: If the score is not a number, a name is not printable, or the same score was added before.
        """
        topic, system = key
        for role, name in (("measure", measure), ("topic", topic), ("system", system)):
            if not name or not name.isprintable():
                raise InputError(self.source, f"{name!r} is no name of a {role}", "name it by letters and digits", line)
        parts = self._values.setdefault(measure, {}).setdefault(key, {})
        if part in parts:
            reason = f"scores system {system} on topic {topic} by {measure} twice"
            raise InputError(self.source, reason, "leave one out", line)
        parts[part] = self._parse(value, line)

    def _parse(self, value: str | float, line: int) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        # NaN is not at most `MAX_SIZE`, either. Python accepts underscores in numbers, files should not have them.
        if not abs(number) <= MAX_SIZE or "_" in str(value):
            remedy = f"give a number of up to {MAX_SIZE:,.0f} in size, or nothing"
            raise InputError(self.source, f"{str(value)!r} is no score", remedy, line)
        return number

    def finish(self) -> list[Scores]:
        """Return the measures in the order of the file, with the mean of each summary's scores."""
        measures = []
        for name, parts_by_key in self._values.items():
            means = {key: round(fmean(parts.values()), DECIMALS) + 0.0 for key, parts in parts_by_key.items()}
            measures.append(Scores(name, self.source, means))
        return measures
