"""Scores of summaries by a metric or by people: the values of a measure by topic and system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from harness.stats.rounding import DECIMALS, SMALL, RoundedScores, count_merged, find_decimals, shift_point
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.words import compose

MAX_SIZE = 1e9
"""Largest accepted absolute value. Sums of scores that are rounded to `DECIMALS` are exact up to 9e9."""

JUDGES, JUDGEMENTS, REFERENCES = "judges", "judgements", "references"
"""What several scores of a summary by one measure belong to."""

_REPEATED_REMEDY = (
    "keep the right one. If both are right because they are by several judges, name the judges in a column such as "
    "assessor, whose mean counts"
)

Key = tuple[str, str]
"""Topic and system."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of summaries by a measure.

    Attributes:
        name: Name of the measure, such as "ROUGE-2".
        source: Location that the scores were read from.
        values: By topic and system, rounded to `DECIMALS`. If a summary has several judgements, their mean. If all are
            below `SMALL`, they are first multiplied by a power of ten, which changes no correlation.
        judgements: Lowest and highest number of judgements of a summary.
        judges: Number of judges, or 0 if they have no names.
        merged: Numbers of different values before and after rounding. None unless rounding merges most of them.
    """

    name: str
    source: str
    values: Mapping[Key, float]
    judgements: tuple[int, int] = (1, 1)
    judges: int = 0
    merged: tuple[int, int] | None = None


def is_number(value: str | float) -> bool:
    """Return whether a value is a score: finite, and not too large. `float` also accepts underscores."""
    try:
        return abs(float(value)) <= MAX_SIZE and "_" not in str(value)  # False for NaN
    except ValueError:
        return False


class ScoreCollector:
    """Gathers the scores of a file, and averages several scores of the same summary.

    Args:
        source: The file's name.

    Attributes:
        source: The file's name.
        parts: What the parts of a summary's scores are: `JUDGES`, `JUDGEMENTS` without names, or `REFERENCES`.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.parts = JUDGES
        self._values: dict[str, dict[Key, dict[str, float]]] = {}

    def add(self, measure: str, key: Key, value: str | float, line: int = 0, part: str = "") -> None:
        """Add a score.

        Args:
            measure: Name of the measure.
            key: Topic and system, in any normal form of Unicode.
            value: The score as a number, or as the text of the file.
            line: Number of its line, for errors.
            part: Distinguishes several scores of one summary, or "" if there is one score of each summary.

        Raises:
            InputError: If the score is not a number, a name is not printable, or the same score was added before.
        """
        topic, system = key = compose(key[0]), compose(key[1])
        for role, name in (("measure", measure), ("topic", topic), ("system", system)):
            if not name or not name.isprintable():
                raise InputError(
                    self.source, f"{name!r} is not a valid name of a {role}", "use letters and digits", line
                )
        parts = self._values.setdefault(measure, {}).setdefault(key, {})
        if part in parts:
            by_judge = f" by judge {part}" if part and self.parts == JUDGES else ""
            reason = f"contains two scores of system {system} on topic {topic} by {measure}{by_judge}"
            raise InputError(self.source, reason, _REPEATED_REMEDY, line)
        parts[part] = self._parse(value, line)

    def _parse(self, value: str | float, line: int) -> float:
        if not is_number(value):
            remedy = f"use a number from -{MAX_SIZE:,.0f} to {MAX_SIZE:,.0f}, or leave the cell empty"
            raise InputError(self.source, f"{str(value)!r} is not a score", remedy, line)
        return float(value)

    def finish(self) -> list[Scores]:
        """Return the measures in the order of the file, with the mean of each summary's scores."""
        measures = []
        for name, parts_by_key in self._values.items():
            means = _enlarge([fmean(parts.values()) for parts in parts_by_key.values()])
            rounded = [round(mean, DECIMALS) + 0.0 for mean in means]
            merged = count_merged(means, RoundedScores(np.array(rounded)), are_sums=False)
            values = dict(zip(parts_by_key, rounded, strict=True))
            names = set().union(*parts_by_key.values()) - {""}
            counts = [len(parts) for parts in parts_by_key.values()]
            is_judged = self.parts != REFERENCES
            judgements = (min(counts), max(counts)) if is_judged else (1, 1)
            judges = len(names) if self.parts == JUDGES else 0
            measures.append(Scores(name, self.source, values, judgements, judges, merged))
        return measures


def _enlarge(values: list[float]) -> list[float]:
    """Multiply values that are all below `SMALL` by a power of ten, so that the largest one is between 0.1 and 1."""
    if max(map(abs, values)) >= SMALL:
        return values
    enlarged: list[float] = shift_point(np.array(values), find_decimals(values) - DECIMALS).tolist()
    return enlarged
