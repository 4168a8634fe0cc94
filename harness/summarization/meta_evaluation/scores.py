"""Scores of summaries by a measure (a metric or people), and complete blocks of the scores that measures share."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from statistics import fmean
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.rendering.tables import join_some
from harness.stats.rounding import DECIMALS, SMALL, RoundedScores, count_merged, find_decimals, shift_point
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.escaping import is_visible
from pyramid_paraphrase.pyramids.naming import natural_key
from pyramid_paraphrase.words import compose

MAX_SIZE = 1e9
"""Largest accepted absolute value. Sums of scores that are rounded to `DECIMALS` are exact up to 9e9."""

JUDGES, JUDGEMENTS, REFERENCES = "judges", "judgements", "references"
"""What several scores of a summary by one measure belong to."""

SYSTEMS = ("automatic", "human", "all")
"""The systems to compare, the values of `--systems`."""

MIN_SYSTEMS = 3
"""Minimum number of systems for a correlation. Two systems always lie on a line."""

ALL_TOPICS = "all topics"
"""Topic of the scores of systems in a file without topics."""

NOTHING_IN_COMMON = "no summary in common"

_HUMAN = re.compile(r"[A-Za-z]")
_REPEATED_REMEDY = (
    "keep the right one. If both are right because they are by several judges or metrics, name these in a column, and "
    "add --columns judge=NAME, so that the mean counts, or --columns metric=NAME"
)

Key = tuple[str, str]
"""Topic and system."""


@dataclass(frozen=True, slots=True)
class MeasureScores:
    """The scores of summaries by a measure.

    Attributes:
        name: Name of the measure, such as "ROUGE-2".
        source: Location that the scores were read from.
        values: By topic and system, rounded to `DECIMALS`. If a summary has several judgements, their mean. If all are
            below `SMALL`, they are first multiplied by a power of ten, which changes no correlation.
        judgements: Lowest and highest number of judgements of a summary.
        judges: Number of judges, or 0 if they have no names.
        merged: Numbers of different values before and after rounding. None unless rounding merges most of them.
        document_set: The document set of an update task to which the name of NIST's file restricts it, such as "A", or
            "". Measures of different sets are not compared.
    """

    name: str
    source: str
    values: Mapping[Key, float]
    judgements: tuple[int, int] = (1, 1)
    judges: int = 0
    merged: tuple[int, int] | None = None
    document_set: str = ""


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
        document_set: The document set that the name states, or "".

    Attributes:
        source: The file's name.
        document_set: The document set that the name states, or "".
        parts: What the parts of a summary's scores are: `JUDGES`, `JUDGEMENTS` without names, or `REFERENCES`.
        refuse: Makes an error from the reason, the remedy and the number of the line.
        columns: Names of the columns of tables of users.
        notes: What was recognized, ignored or compared, a line each, to be shown.
    """

    def __init__(self, source: str, document_set: str = "") -> None:
        self.source = source
        self.document_set = document_set
        self.parts = JUDGES
        self.refuse: Callable[[str, str, int], InputError] = partial(InputError, source)
        self.columns: tuple[str, ...] = ()
        self.notes: list[str] = []
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
            if not name or not is_visible(name):
                raise self.refuse(f"{name!r} is not a valid name of a {role}", "use letters and digits", line)
        parts = self._values.setdefault(measure, {}).setdefault(key, {})
        if part in parts:
            by_judge = f" by judge {part}" if part and self.parts == JUDGES else ""
            reason = f"contains two scores of system {system} on topic {topic} by {measure}{by_judge}"
            raise self.refuse(reason, _REPEATED_REMEDY, line)
        if not is_number(value):
            remedy = f"use a number from -{MAX_SIZE:,.0f} to {MAX_SIZE:,.0f}, or leave the cell empty"
            raise self.refuse(f"{str(value)!r} is not a score", remedy, line)
        parts[part] = float(value)

    def average(self, measure: str, *, by_topic: bool, by_system: bool) -> dict[Key, float]:
        """Return the means of the scores by a measure so far, by topic, by system or by both.

        The other part of a key is "".
        """
        groups: dict[Key, list[float]] = defaultdict(list)
        for (topic, system), parts in self._values.get(measure, {}).items():
            groups[topic if by_topic else "", system if by_system else ""].append(fmean(parts.values()))
        return {key: fmean(means) for key, means in groups.items()}

    def finish(self) -> list[MeasureScores]:
        """Return the measures in the order of the file, with the mean of each summary's scores."""
        measures = []
        for name, parts_by_key in self._values.items():
            means = [fmean(parts.values()) for parts in parts_by_key.values()]
            if max(map(abs, means)) < SMALL:  # so that the largest one is between 0.1 and 1
                means = shift_point(np.array(means), find_decimals(means) - DECIMALS).tolist()
            rounded = [round(mean, DECIMALS) + 0.0 for mean in means]
            merged = count_merged(means, RoundedScores(np.array(rounded)), are_sums=False)
            values = dict(zip(parts_by_key, rounded, strict=True))
            names = set().union(*parts_by_key.values()) - {""}
            counts = [len(parts) for parts in parts_by_key.values()]
            is_judged = self.parts != REFERENCES
            judgements = (min(counts), max(counts)) if is_judged else (1, 1)
            judges = len(names) if self.parts == JUDGES else 0
            measures.append(MeasureScores(name, self.source, values, judgements, judges, merged, self.document_set))
        return measures


class Block(NamedTuple):
    """Scores of the same summaries by several measures.

    Attributes:
        systems: The systems.
        topics: The topics. Every system has a summary of each topic.
        values: Shape (measures, topics, systems).
        left_out: Systems and topics that the block leaves out, although at least one measure scores them:
            "lacking_systems" and "lacking_topics" have no summary that all measures score, "sparse_systems" have no
            scores for more than half of the topics, and for "incomplete_topics" at least one of the kept systems has no
            score.
        why_empty: The reason why the block has no system, or "" if it has one.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: npt.NDArray[np.float64]
    left_out: Mapping[str, tuple[str, ...]]
    why_empty: str = ""

    def explain_missing_correlation(self) -> str:
        """Return the reason why a block gives no correlation, or "" if it gives one."""
        if not self.systems:
            return self.why_empty
        if not self.topics:
            return f"no topic has a summary by each of {len(self.systems)} systems. Fill in the missing scores"
        if len(self.systems) < MIN_SYSTEMS:
            return f"fewer than {MIN_SYSTEMS} systems"
        return ""


def is_compared(system: str, systems: str) -> bool:
    """Return whether a choice of `SYSTEMS` contains a system. NIST names humans by a letter, systems by a number."""
    return systems == "all" or bool(_HUMAN.fullmatch(system)) == (systems == "human")


def align_scores(measures: Sequence[MeasureScores], systems: str = "automatic") -> Block:
    """Find the systems and topics that several measures share.

    A system without scores for more than half of the topics is left out. Then every topic for which one of the
    remaining systems has no score is left out, because means over different topics are not comparable.

    Args:
        measures: Scores by at least one measure.
        systems: The systems to compare, one of `SYSTEMS`.

    Returns:
        The block, which may be empty.
    """
    keys = [measure.values.keys() for measure in measures]
    in_any = {(topic, system) for topic, system in set().union(*keys) if is_compared(system, systems)}
    in_all = in_any.intersection(*keys)
    topics_per_system = Counter(system for _, system in in_all)
    all_topics = {topic for topic, _ in in_all}
    kept_systems = {system for system, count in topics_per_system.items() if 2 * count >= len(all_topics)}
    systems_per_topic = Counter(topic for topic, system in in_all if system in kept_systems)
    kept_topics = {topic for topic in all_topics if systems_per_topic[topic] == len(kept_systems)}
    left_out = {
        "lacking_systems": _sort({system for _, system in in_any} - topics_per_system.keys()),
        "sparse_systems": _sort(topics_per_system.keys() - kept_systems),
        "lacking_topics": _sort({topic for topic, _ in in_any} - all_topics),
        "incomplete_topics": _sort(all_topics - kept_topics),
    }
    block_topics, block_systems = _sort(kept_topics), _sort(kept_systems)
    cells = list(product(block_topics, block_systems))
    values = np.array([[measure.values[cell] for cell in cells] for measure in measures], dtype=np.float64)
    values = values.reshape(len(measures), len(block_topics), len(block_systems))
    why_empty = "" if kept_systems else _explain_empty(measures, systems, left_out["sparse_systems"], len(all_topics))
    return Block(block_systems, block_topics, values, left_out, why_empty)


def _explain_empty(measures: Sequence[MeasureScores], systems: str, sparse_systems: Sequence[str], topics: int) -> str:
    """Say where the systems of a block were left out."""
    if sparse_systems:
        return f"no system has scores for at least half of {topics} topics ({join_some(sparse_systems)} have fewer)"
    first, *others = (set(measure.values) for measure in measures)
    if in_common := first.intersection(*others):
        names = join_some(_sort({system for _, system in in_common}))
        rule = "a name of one letter is that of a human, and any other name that of an automatic system"
        return f"--systems {systems} leaves out all systems in common ({names}), because {rule}"
    return NOTHING_IN_COMMON


def _sort(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=natural_key))
