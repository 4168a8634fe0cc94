"""Immutable records of the content of annotation files.

Offsets count characters of the annotated text, which is the file's lines joined by line feeds. ``end`` is exclusive.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.files import limits

NON_MATCHING_UID = "0"
"""Uid of the entry of a peer annotation for all content that matches no SCU of the pyramid."""

ENTAILS, CONTRADICTS, OVERLAPS = "entails", "contradicts", "overlaps"
"""Kinds of relations between SCUs."""


@dataclass(frozen=True, slots=True)
class Part:
    """A span of a text. ``summarizer`` is the name of its model summary, usually a letter, or "" outside of them."""

    text: str
    start: int
    end: int
    summarizer: str


@dataclass(frozen=True, slots=True)
class Contributor:
    """One summary's expression of an SCU: at least one part, in text order."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The proposition: the parts in text order, joined by one space."""
        return " ".join(part.text for part in self.parts)

    @property
    def summarizers(self) -> tuple[str, ...]:
        """The names of the model summaries that contain the parts, sorted. A few real files have several."""
        return tuple(sorted({part.summarizer for part in self.parts if part.summarizer}))


@dataclass(frozen=True, slots=True)
class Scu:
    """A Summary Content Unit: a label, which is "" if annotators wrote none, and the contributors that express it."""

    uid: str
    label: str
    contributors: tuple[Contributor, ...]

    @property
    def weight(self) -> int:
        """Number of distinct model summaries that contribute (Nenkova and Passonneau 2004)."""
        summarizers: set[str] = set()
        for contributor in self.contributors:
            summarizers.update(contributor.summarizers)
        return len(summarizers)


@dataclass(frozen=True, slots=True)
class Summary:
    """The place of one model summary in the text: from after its heading to before the next heading."""

    document: str
    summarizer: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, order=True)
class Relation:
    """The relation of propositions of two SCUs.

    Attributes:
        kind: `ENTAILS` or `CONTRADICTS` if at least one person said so. `OVERLAPS` if the propositions are parts of one
            sentence and share most of their text.
        premise: Uid of the SCU whose proposition entails or contradicts the other proposition.
        hypothesis: Uid of the other SCU.
        agreed: Whether more than half of the people who judged the hypothesis named this kind. At least one of them
            named this premise.
    """

    kind: str
    premise: str
    hypothesis: str
    agreed: bool


@dataclass(frozen=True, slots=True)
class Pyramid:
    """The annotated model summaries of one topic, or of one document set of it.

    ``id`` is unique over all collections ("D0743", "D0743-A"). ``topic`` is its first part ("D0743"). If the headings
    name no topic, both are empty until `topics.name_pyramids` names the pyramid. ``sets`` are the letters of the
    document sets, none for a main task and several for a combined pyramid. Only aligned corpora have ``relations``.
    """

    id: str
    topic: str
    sets: tuple[str, ...]
    text: str
    summaries: tuple[Summary, ...]
    scus: tuple[Scu, ...]
    relations: tuple[Relation, ...] = ()

    @property
    def contributor_count(self) -> int:
        """Number of contributors of all SCUs."""
        return sum(len(scu.contributors) for scu in self.scus)


def require_comparable(scus: Iterable[Scu], name: str) -> None:
    """Check that the contributors of a pyramid can be compared with each other in bounded time and memory.

    Args:
        scus: The SCUs of the pyramid.
        name: Name of the file or the pyramid, for the error.

    Raises:
        LimitError: If there are more contributors, or more pairs within SCUs, than `limits` allows.
    """
    sizes = [len(scu.contributors) for scu in scus]
    if sum(sizes) > limits.MAX_CONTRIBUTORS or sum(size * (size - 1) for size in sizes) > limits.MAX_PAIRS:
        reason = f"has more than {limits.MAX_CONTRIBUTORS:,} contributors, or {limits.MAX_PAIRS:,} pairs within SCUs"
        raise LimitError(name, reason, "split the pyramid, or remove it")


def content_digest(pyramid: Pyramid) -> str:
    """Compute the SHA-256 of a pyramid's content. It does not depend on the order of SCUs and their contributors."""
    scus = []
    for scu in pyramid.scus:
        contributors = sorted(_list_spans(contributor) for contributor in scu.contributors)
        scus.append((scu.uid, scu.label, contributors))
    scus.sort()
    return hashlib.sha256(json.dumps([pyramid.id, pyramid.text, scus]).encode()).hexdigest()


def _list_spans(contributor: Contributor) -> list[tuple[str, int, int]]:
    return [(part.text, part.start, part.end) for part in contributor.parts]


@dataclass(frozen=True, slots=True)
class PeerScu:
    """The contributors of a peer that express one SCU, at least one.

    ``weight`` is the weight in the label or, if the label has none, the weight of the SCU.
    """

    uid: str
    weight: int
    contributors: tuple[Contributor, ...]


@dataclass(frozen=True, slots=True)
class PeerAnnotation:
    """One peer summary matched against a pyramid by one annotator ("" if the file does not name the annotator)."""

    peer: str
    annotator: str
    pyramid: Pyramid
    text: str
    scus: tuple[PeerScu, ...]


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A repair or omission in the input. It occurred ``times`` times, and ``kind`` is a key of `problems.KINDS`."""

    file: str
    line: int
    kind: str
    uid: str
    message: str
    times: int = 1
