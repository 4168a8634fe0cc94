"""Which systems and topics several measures share: a complete block, so that all systems have the same topics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.summarization.meta_evaluation.scores import Scores
from pyramid_paraphrase.naming import natural_key

MIN_SYSTEMS = 3
"""Two systems are always in line."""

_HUMAN = re.compile(r"[A-Za-z]")

SYSTEMS: Mapping[str, Callable[[str], bool]] = {
    "automatic": lambda system: not is_human(system),
    "human": lambda system: is_human(system),
    "all": lambda system: True,  # noqa: ARG005 - as of the others
}
"""Which systems are compared, by the name that users give."""


class LeftOut(NamedTuple):
    """What a block leaves out of the systems and topics that any of its measures has.

    Attributes:
        lacking_systems: Systems without a topic that all measures have.
        sparse_systems: Systems that lack more than half of the topics.
        lacking_topics: Topics without a system that all measures have.
        incomplete_topics: Topics that one of the systems that are kept lacks.
    """

    lacking_systems: tuple[str, ...]
    sparse_systems: tuple[str, ...]
    lacking_topics: tuple[str, ...]
    incomplete_topics: tuple[str, ...]


class Block(NamedTuple):
    """What several measures say of the same summaries.

    Attributes:
        systems: The systems.
        topics: The topics, of each of which every system has a summary.
        values: Shape (measures, topics, systems).
        left_out: What is not in it.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: npt.NDArray[np.float64]
    left_out: LeftOut

    def explain_lack(self) -> str:
        """Why a block gives no correlation, or ""."""
        if not self.systems:
            return "no summary in common"
        if not self.topics:
            return f"no topic has a summary by each of {len(self.systems)} systems; fill in missing scores"
        return "" if len(self.systems) >= MIN_SYSTEMS else f"fewer than {MIN_SYSTEMS} systems"


def is_human(system: str) -> bool:
    """Whether a summary is by a human: NIST calls humans by a letter, and systems by a number."""
    return _HUMAN.fullmatch(system) is not None


def align_scores(measures: Sequence[Scores], systems: str = "automatic") -> Block:
    """Find the systems and topics that several measures share.

    A system that lacks more than half of the topics is left out, and then every topic that one of the others lacks:
    means over different topics do not compare.

    Args:
        measures: At least one.
        systems: Which systems count, one of `SYSTEMS`.

    Returns:
        The block, which may be empty.
    """
    keys = [one.values.keys() for one in measures]
    every = {system for part in keys for _, system in part}
    counted = {system for system in every if SYSTEMS[systems](system)}
    shared = {key for key in keys[0] if key[1] in counted and all(key in part for part in keys[1:])}
    by_system, by_topic = Counter(system for _, system in shared), Counter(topic for topic, _ in shared)
    topics, present = _sort(by_topic), _sort(by_system)
    full = [system for system in present if 2 * by_system[system] >= len(topics)]
    by_topic.subtract(topic for topic, system in shared if 2 * by_system[system] < len(topics))
    whole = [topic for topic in topics if by_topic[topic] == len(full)]
    left_out = LeftOut(
        _without(counted, present),
        _without(present, full),
        _without({topic for part in keys for topic, system in part if system in counted}, topics),
        _without(topics, whole),
    )
    values = [[[one.values[topic, system] for system in full] for topic in whole] for one in measures]
    shape = (len(measures), len(whole), len(full))
    return Block(tuple(full), tuple(whole), np.array(values, dtype=np.float64).reshape(shape), left_out)


def _sort(names: Iterable[str]) -> list[str]:
    return sorted(names, key=natural_key)


def _without(names: set[str] | list[str], kept: list[str]) -> tuple[str, ...]:
    return tuple(_sort(set(names) - set(kept)))
