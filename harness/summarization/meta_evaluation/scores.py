"""Scores of summaries by a measure (a metric or people), and complete blocks of the scores that measures share."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, compress, product
from statistics import fmean
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.rendering.tables import join_some
from harness.stats.rounding import (
    DECIMALS,
    count_merged,
    find_decimals,
    round_scores,
    shift_point,
)
from harness.support.errors import ComparisonError
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.escaping import is_visible
from pyramid_paraphrase.pyramids.naming import natural_key
from pyramid_paraphrase.words import compose

MAX_SIZE = 1e9
"""Largest accepted absolute value. Sums of scores that are rounded to `DECIMALS` are exact up to 9e9."""

EXACT_DECIMALS = 12
"""Decimals of the scores that Pearson's r is computed from. Ranks and ties are those of scores with `DECIMALS`."""

JUDGES, JUDGEMENTS, REFERENCES = "judges", "judgements", "references"
"""What several scores of a summary by one measure belong to."""

SYSTEMS = ("automatic", "human", "all")
"""The systems to compare, the values of `--systems`."""

COMPLETE, OWN_TOPICS, CENTRED = MEANS = ("complete", "own-topics", "centred")
"""The means of systems to correlate, the values of `--means`: over the topics that all systems have, over each system's
own topics, or the latter of differences from the topic's mean."""

MIN_SYSTEMS = 3
"""Minimum number of systems for a correlation. Two systems always lie on a line."""

ALL_TOPICS = "all topics"
"""Topic of the scores of systems in a file without topics."""

NOTHING_IN_COMMON = "no summary in common"

HUMAN = re.compile(r"[A-Za-z]")
"""Names of people in NIST's files."""

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
        values: By topic and system. If a summary has several judgements, their mean.
        judgements: Lowest and highest number of judgements of a summary.
        judges: Number of judges, or 0 if they have no names.
        merged: Numbers of different values before and after rounding to `DECIMALS`. None unless most become ties.
        document_set: The document set of an update task to which the name of NIST's file restricts it, such as "A", or
            "". Measures of different sets are not compared.
        people: Whether summarizers are people, as far as a column of the file says so.
    """

    name: str
    source: str
    values: Mapping[Key, float]
    judgements: tuple[int, int] = (1, 1)
    judges: int = 0
    merged: tuple[int, int] | None = None
    document_set: str = ""
    people: Mapping[str, bool] = field(default_factory=dict)

    def enlarge(self) -> MeasureScores:
        """Return the scores with `EXACT_DECIMALS`.

        If all are below 0.1, they are first multiplied by a power of ten, which changes no correlation.
        """
        enlarged = _enlarge(list(self.values.values()))
        exact = [round(value, EXACT_DECIMALS) + 0.0 for value in enlarged]
        return replace(self, values=dict(zip(self.values, exact, strict=True)))


def _enlarge(values: list[float]) -> list[float]:
    """Multiply values by a power of ten, so that the largest one is 0.1 at least."""
    places = find_decimals(values) - DECIMALS
    return shift_point(np.array(values), places).tolist() if places > 0 else values


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
        people: Whether summarizers are people, as far as a column of the file says so.
        columns: Names of the columns of tables of users.
        notes: What was recognized, ignored or compared, a line each, to be shown.
    """

    def __init__(self, source: str, document_set: str = "") -> None:
        self.source = source
        self.document_set = document_set
        self.parts = JUDGES
        self.refuse: Callable[[str, str, int], InputError] = partial(InputError, source)
        self.people: dict[str, bool] = {}
        self.columns: tuple[str, ...] = ()
        self.notes: list[str] = []
        self._values: dict[str, dict[Key, dict[str, float]]] = {}
        self._names: set[str] = set()

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
            if name not in self._names:
                if not name or not is_visible(name):
                    raise self.refuse(f"{name!r} is not a valid name of a {role}", "use letters and digits", line)
                self._names.add(name)
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
            enlarged = _enlarge(means)
            merged = count_merged(enlarged, round_scores(enlarged), are_sums=False)
            values = dict(zip(parts_by_key, means, strict=True))
            names = set().union(*parts_by_key.values()) - {""}
            counts = [len(parts) for parts in parts_by_key.values()]
            is_judged = self.parts != REFERENCES
            judgements = (min(counts), max(counts)) if is_judged else (1, 1)
            judges = len(names) if self.parts == JUDGES else 0
            facts = (judgements, judges, merged, self.document_set, self.people)
            measures.append(MeasureScores(name, self.source, values, *facts))
        return measures


class Block(NamedTuple):
    """Scores of the same summaries by several measures.

    Attributes:
        systems: The systems.
        topics: The topics. Every system has a summary of each topic if the block is complete.
        values: Shape (measures, topics, systems). NaN for all measures if one of them lacks a score.
        left_out: Systems and topics that the block leaves out, although at least one measure scores them:
            "lacking_systems" and "lacking_topics" have no summary that all measures score, "sparse_systems" have no
            scores for more than half of the topics, for "incomplete_topics" at least one of the kept systems has no
            score, and "small_topics" have fewer than `MIN_SYSTEMS` systems.
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

    def count_topics(self) -> tuple[int, int] | None:
        """Return the lowest and the highest number of topics of a system, or None if all have all topics."""
        counts = (~np.isnan(self.values[0])).sum(axis=0)
        return (int(counts.min()), int(counts.max())) if np.isnan(self.values).any() else None

    def drop_small_topics(self) -> Block:
        """Leave out the topics with scores of fewer than `MIN_SYSTEMS` systems, unless the block is complete."""
        present = ~np.isnan(self.values[0])
        if present.all():
            return self
        kept_topics = present.sum(axis=1) >= MIN_SYSTEMS
        kept_systems = present[kept_topics].any(axis=0)
        small_topics = tuple(compress(self.topics, ~kept_topics))
        return Block(
            tuple(compress(self.systems, kept_systems)),
            tuple(compress(self.topics, kept_topics)),
            self.values[:, kept_topics][:, :, kept_systems],
            {**self.left_out, "small_topics": small_topics} if small_topics else self.left_out,
            f"no topic has scores of {MIN_SYSTEMS} systems",
        )


def find_people(measures: Iterable[MeasureScores]) -> set[str]:
    """Find the summarizers that are people. NIST names humans by a letter, systems by a number.

    Args:
        measures: Scores. If a file says of a summarizer that it is a person or a system, its name does not count.
    """
    people: set[str] = set()
    stated: dict[str, bool] = {}
    for measure in measures:
        people.update(system for _, system in measure.values if HUMAN.fullmatch(system))
        stated.update(measure.people)
    return {system for system in people | stated.keys() if stated.get(system, True)}


def is_compared(system: str, systems: str, people: Collection[str]) -> bool:
    """Return whether a choice of `SYSTEMS` contains a system. The people are those of `find_people`."""
    return systems == "all" or (system in people) == (systems == "human")


def choose_means(metrics: Sequence[MeasureScores], judgements: Sequence[MeasureScores], systems: str) -> str:
    """Choose one of `MEANS`: those over own topics as soon as people are compared, who write about a part of them."""
    scored, judged = (set().union(*(measure.values for measure in measures)) for measures in (metrics, judgements))
    people = find_people([*metrics, *judgements])
    has_people = any(system in people and is_compared(system, systems, people) for _, system in scored & judged)
    return OWN_TOPICS if has_people else COMPLETE


def align_scores(measures: Sequence[MeasureScores], systems: str = "automatic", means: str = COMPLETE) -> Block:
    """Find the systems and topics that several measures share.

    For complete means, a system without scores for more than half of the topics is left out. Then every topic for which
    one of the remaining systems has no score is left out, because means over different topics are not comparable.
    Otherwise, all systems and topics stay.

    Args:
        measures: Scores by at least one measure.
        systems: The systems to compare, one of `SYSTEMS`.
        means: One of `MEANS`.

    Returns:
        The block, which may be empty.
    """
    keys, people = [measure.values.keys() for measure in measures], find_people(measures)
    in_any = {(topic, system) for topic, system in set().union(*keys) if is_compared(system, systems, people)}
    in_all = in_any.intersection(*keys)
    if means != COMPLETE:
        return _align_all(measures, systems, means, in_any, in_all)
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


def _align_all(
    measures: Sequence[MeasureScores], systems: str, means: str, in_any: Set[Key], in_all: Set[Key]
) -> Block:
    """Make a block of all summaries that all measures score."""
    topics, names = (_sort({key[place] for key in in_all}) for place in (0, 1))
    values = np.full((len(measures), len(topics), len(names)), np.nan)
    places = {name: place for place, name in enumerate(names)}, {topic: place for place, topic in enumerate(topics)}
    for topic, system in in_all:
        for number, measure in enumerate(measures):
            values[number, places[1][topic], places[0][system]] = measure.values[topic, system]
    if means == CENTRED and in_all:  # rounded means keep the ties within a topic
        values = np.round(values - round_scores(np.nanmean(values, axis=2, keepdims=True)), EXACT_DECIMALS) + 0.0
    left_out = {
        "lacking_systems": _sort({system for _, system in in_any}.difference(names)),
        "sparse_systems": (),
        "lacking_topics": _sort({topic for topic, _ in in_any}.difference(topics)),
        "incomplete_topics": (),
    }
    return Block(names, topics, values, left_out, "" if in_all else _explain_empty(measures, systems, [], 0))


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


def share_set(first: MeasureScores, second: MeasureScores) -> bool:
    """Return whether the names of NIST's files allow that two measures score the same summaries."""
    return len({first.document_set, second.document_set} - {""}) <= 1


def make_error_without_systems(
    reasons: Sequence[str],
    metrics: Sequence[MeasureScores],
    judgements: Sequence[MeasureScores],
    systems: str,
) -> ComparisonError:
    """Return the error if no metric and judgement have a system that can be compared."""
    start = f"no system can be compared (--systems {systems})"
    if left_out := next((reason for reason in reasons if reason != NOTHING_IN_COMMON), ""):
        remedy = "Use --systems all" if left_out.startswith("--systems ") else "Use --means own-topics"
        return ComparisonError(f"{start}: {left_out}. {remedy}")
    in_common = []
    for place, name in enumerate(("topic", "system")):
        scored, judged = (
            {key[place] for key in chain.from_iterable(measure.values for measure in measures)}
            for measures in (metrics, judgements)
        )
        if not scored & judged:
            example = f"the scores contain {name} {min(scored)}, the judgements {name} {min(judged)}"
            return ComparisonError(
                f"{start}: no {name} has both a score and a judgement: {example}. Use the same names"
            )
        in_common.append(f"{name} {min(scored & judged)}")
    reason = f"no summary has both a score and a judgement, although {' and '.join(in_common)} occur in both"
    return ComparisonError(f"{start}: {reason}. Score the summaries that were judged")


def _sort(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=natural_key))
