"""Scores of the systems and topics that several measures share: a complete block, in which no score is missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.rendering.tables import join_some
from harness.summarization.meta_evaluation.scores import Key, Scores
from pyramid_paraphrase.pyramids.naming import natural_key

MIN_SYSTEMS = 3
"""Minimum number of systems for a correlation. Two systems always lie on a line."""

NOTHING_IN_COMMON = "no summary in common"

_HUMAN = re.compile(r"[A-Za-z]")


class LeftOut(NamedTuple):
    """Systems and topics that a block leaves out, although at least one measure scores them.

    Attributes:
        lacking_systems: Systems without a summary that all measures score.
        sparse_systems: Systems without scores for more than half of the topics.
        lacking_topics: Topics without a summary that all measures score.
        incomplete_topics: Topics for which at least one of the kept systems has no score.
    """

    lacking_systems: tuple[str, ...]
    sparse_systems: tuple[str, ...]
    lacking_topics: tuple[str, ...]
    incomplete_topics: tuple[str, ...]


class Block(NamedTuple):
    """Scores of the same summaries by several measures.

    Attributes:
        systems: The systems.
        topics: The topics. Every system has a summary of each topic.
        values: Shape (measures, topics, systems).
        left_out: Systems and topics that are not in the block.
        why_empty: The reason why the block has no system, or "" if it has one.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: npt.NDArray[np.float64]
    left_out: LeftOut
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


def is_human(system: str) -> bool:
    """Return whether a system is a human. NIST names humans by a letter, and systems by a number."""
    return _HUMAN.fullmatch(system) is not None


def _is_automatic(system: str) -> bool:
    return not is_human(system)


def _is_any(system: str) -> bool:
    del system
    return True


SYSTEMS: Mapping[str, Callable[[str], bool]] = {"automatic": _is_automatic, "human": is_human, "all": _is_any}
"""Functions that return whether a system is compared, by the value of `--systems`."""


def align_scores(measures: Sequence[Scores], systems: str = "automatic") -> Block:
    """Find the systems and topics that several measures share.

    A system without scores for more than half of the topics is left out. Then every topic for which one of the
    remaining systems has no score is left out, because means over different topics are not comparable.

    Args:
        measures: Scores by at least one measure.
        systems: The systems to compare, one of `SYSTEMS`.

    Returns:
        The block, which may be empty.
    """
    keys = [_select_keys(measure, systems) for measure in measures]
    in_any, in_all = set().union(*keys), keys[0].intersection(*keys[1:])
    topics_per_system = Counter(system for _, system in in_all)
    all_topics = {topic for topic, _ in in_all}
    kept_systems = {system for system, count in topics_per_system.items() if 2 * count >= len(all_topics)}
    systems_per_topic = Counter(topic for topic, system in in_all if system in kept_systems)
    kept_topics = {topic for topic in all_topics if systems_per_topic[topic] == len(kept_systems)}
    left_out = LeftOut(
        lacking_systems=_sort({system for _, system in in_any} - topics_per_system.keys()),
        sparse_systems=_sort(topics_per_system.keys() - kept_systems),
        lacking_topics=_sort({topic for topic, _ in in_any} - all_topics),
        incomplete_topics=_sort(all_topics - kept_topics),
    )
    block_topics, block_systems = _sort(kept_topics), _sort(kept_systems)
    cells = list(product(block_topics, block_systems))
    values = np.array([[measure.values[cell] for cell in cells] for measure in measures], dtype=np.float64)
    values = values.reshape(len(measures), len(block_topics), len(block_systems))
    why_empty = "" if kept_systems else _explain_empty(measures, systems, left_out, len(all_topics))
    return Block(block_systems, block_topics, values, left_out, why_empty)


def _explain_empty(measures: Sequence[Scores], systems: str, left_out: LeftOut, topics: int) -> str:
    """Say where the systems of a block were left out."""
    if left_out.sparse_systems:
        names = join_some(left_out.sparse_systems)
        return f"no system has scores for at least half of {topics} topics ({names} have fewer)"
    first, *others = (set(measure.values) for measure in measures)
    if in_common := first.intersection(*others):
        names = join_some(_sort({system for _, system in in_common}))
        rule = "a name of one letter is that of a human, and any other name that of an automatic system"
        return f"--systems {systems} leaves out all systems in common ({names}), because {rule}"
    return NOTHING_IN_COMMON


def _select_keys(measure: Scores, systems: str) -> set[Key]:
    """Select the topics and systems of a measure whose systems are to be compared."""
    is_compared = SYSTEMS[systems]
    return {(topic, system) for topic, system in measure.values if is_compared(system)}


def _sort(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=natural_key))
