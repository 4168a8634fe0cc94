"""Immutable records of the content of annotation files, and the relations between SCUs.

Offsets count characters of the annotated text, which is the file's lines joined by line feeds. ``end`` is exclusive.
Some relations merge two SCUs, others only exclude that the two form a negative in a test.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from typing import Generic, TypeVar

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
class DiscourseUnit:
    """A clause of an argument that annotators aligned with an SCU, because it has the same meaning.

    ``text`` is the sentence that annotators wrote for it or, without one, the text of its parts. ``summarizer`` names
    the author of the argument, as for the parts of contributors.
    """

    text: str
    summarizer: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Scu:
    """A Summary Content Unit: a label, which is "" if annotators wrote none, and the contributors that express it.

    Only files of SEAView have ``units``, which are not part of the content of a pyramid. ``writer`` is the person who
    wrote the label, where the files name this person.
    """

    uid: str
    label: str
    contributors: tuple[Contributor, ...]
    units: tuple[DiscourseUnit, ...] = ()
    writer: str = ""

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


End = TypeVar("End")


@dataclass(frozen=True, slots=True, order=True)
class Relation(Generic[End]):
    """The relation of propositions of two SCUs, which their uids name, or of two propositions that have no SCUs yet.

    Attributes:
        kind: `ENTAILS` or `CONTRADICTS` if at least one person said so. `OVERLAPS` if the propositions are parts of one
            sentence and share most of their text.
        premise: The SCU or proposition that entails or contradicts the other.
        hypothesis: The other SCU or proposition.
        agreed: Whether more than half of the people who judged the hypothesis named this kind. At least one of them
            named this premise.
    """

    kind: str
    premise: End
    hypothesis: End
    agreed: bool


@dataclass(frozen=True, slots=True)
class Pyramid:
    """The annotated model summaries of one topic, or of one document set of it.

    ``id`` is unique over all collections ("D0743", "D0743-A"). ``topic`` is its first part ("D0743"). If the headings
    name no topic, both are empty until `ducview.name_pyramids` names the pyramid. ``sets`` are the letters of the
    document sets, none for a main task and several for a combined pyramid. Only aligned corpora have ``relations``.
    """

    id: str
    topic: str
    sets: tuple[str, ...]
    text: str
    summaries: tuple[Summary, ...]
    scus: tuple[Scu, ...]
    relations: tuple[Relation[str], ...] = ()

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


def add_units(pyramid: Pyramid, units: Mapping[str, Iterable[DiscourseUnit]]) -> Pyramid:
    """Add discourse units to the SCUs of a pyramid, in a fixed order.

    Args:
        pyramid: The pyramid.
        units: The units of SCUs, by uid.
    """
    if not units:
        return pyramid
    scus = []
    for scu in pyramid.scus:
        ordered = sorted(units.get(scu.uid, ()), key=astuple)
        scus.append(replace(scu, units=tuple(ordered)))
    return replace(pyramid, scus=tuple(scus))


def require_comparable_units(pyramids: Iterable[Pyramid]) -> None:
    """Check that the texts of each SCU can be compared with each other in bounded time, with its discourse units.

    Raises:
        LimitError: If there are more pairs of texts than `limits` allows.
    """
    pairs = 0
    for pyramid in pyramids:
        pairs += sum(len(scu.units) * (len(scu.units) + len(scu.contributors)) for scu in pyramid.scus)
        if pairs > limits.MAX_UNIT_PAIRS:
            reason = (
                f"has more than {limits.MAX_UNIT_PAIRS:,} pairs with discourse units, alone or with those before it"
            )
            raise LimitError(pyramid.id, reason, "omit the option units, or use fewer files")


def content_digest(pyramid: Pyramid) -> str:
    """Compute the SHA-256 of a pyramid's content.

    It does not depend on the order of SCUs and their contributors, nor on empty lines at the end of the text.
    """
    scus = []
    for scu in pyramid.scus:
        contributors = sorted(_list_spans(contributor) for contributor in scu.contributors)
        scus.append((scu.uid, scu.label, contributors))
    scus.sort()
    # DucView drops empty lines at the end of the text when it saves.
    return hashlib.sha256(json.dumps([pyramid.id, pyramid.text.rstrip("\n"), scus]).encode()).hexdigest()


def _list_spans(contributor: Contributor) -> list[tuple[str, int, int]]:
    return [(part.text, part.start, part.end) for part in contributor.parts]


@dataclass(frozen=True, slots=True)
class PeerScu:
    """The contributors of a peer that express one SCU. None if the annotator found it without saying where.

    ``weight`` is the weight in the label or, if the label has none, the weight of the SCU. ``label`` is the label
    without the weight, where the files repeat it. In TAC 2011, an SCU of the pyramid with the same uid can be another.
    """

    uid: str
    weight: int
    contributors: tuple[Contributor, ...]
    label: str = field(default="", compare=False)


Vote = tuple[str, bool]
"""The name of a person, and whether the person finds an SCU in a summary."""


def is_found(votes: Sequence[Vote]) -> bool:
    """Return whether more people find an SCU in a summary than not. A tie counts as not found."""
    return 2 * sum(vote for _, vote in votes) > len(votes)


@dataclass(frozen=True, slots=True)
class PeerAnnotation:
    """One peer summary matched against a pyramid by one annotator ("" if the file does not name the annotator).

    ``written_score`` contains the names and texts of the numbers that DucView computed and wrote into the file, if any.
    ``votes`` has the votes of people on each SCU of the pyramid, where the files have them. An SCU without votes was
    not judged.
    ``partial`` are the SCUs that the summary expresses only in part, which only some corpora distinguish.
    """

    peer: str
    annotator: str
    pyramid: Pyramid
    text: str
    scus: tuple[PeerScu, ...]
    written_score: tuple[tuple[str, str], ...] = ()
    votes: tuple[tuple[Vote, ...], ...] = ()
    partial: tuple[PeerScu, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A repair or omission in the input that occurred ``times`` times, of a kind that `corpus` lists."""

    file: str
    line: int
    kind: str
    uid: str
    message: str
    times: int = 1


UidPair = tuple[str, str]
"""Uids of a premise and a hypothesis."""


def merge_mutual(pyramid: Pyramid) -> Pyramid:
    """Merge SCUs that entail each other, if most people agree on both directions.

    Args:
        pyramid: A pyramid with relations.

    Returns:
        The pyramid with fewer SCUs. Merging is transitive. A merged SCU has the uid of its first SCU.

    Raises:
        LimitError: If there are more contributors, or more pairs within SCUs, than `limits` allows.
    """
    entailed = _list_agreed(pyramid)
    return _merge(pyramid, {pair for pair in entailed if pair[::-1] in entailed})


def merge_entailed(pyramid: Pyramid) -> Pyramid:
    """Merge SCUs if one entails the other and most people agree on this direction. See `merge_mutual`."""
    return _merge(pyramid, _list_agreed(pyramid))


def list_related(pyramid: Pyramid) -> dict[str, frozenset[str]]:
    """List the SCUs that must not be used as different: one may entail the other, or their texts overlap.

    Contradicting SCUs are different, so they may form negatives and distractors.

    Args:
        pyramid: A pyramid.

    Returns:
        Uids of related SCUs by uid, in both directions. SCUs without related SCUs are omitted.
    """
    return _list_partners(relation for relation in pyramid.relations if relation.kind != CONTRADICTS)


def list_contradicting(pyramid: Pyramid) -> dict[str, frozenset[str]]:
    """List the SCUs that contradict each other according to at least one person, in the form of `list_related`."""
    return _list_partners(relation for relation in pyramid.relations if relation.kind == CONTRADICTS)


def _list_partners(relations: Iterable[Relation[str]]) -> dict[str, frozenset[str]]:
    partners: dict[str, set[str]] = {}
    for relation in relations:
        partners.setdefault(relation.premise, set()).add(relation.hypothesis)
        partners.setdefault(relation.hypothesis, set()).add(relation.premise)
    return {uid: frozenset(uids) for uid, uids in partners.items()}


def _list_agreed(pyramid: Pyramid) -> set[UidPair]:
    entailments = (relation for relation in pyramid.relations if relation.kind == ENTAILS and relation.agreed)
    return {(relation.premise, relation.hypothesis) for relation in entailments}


def _merge(pyramid: Pyramid, pairs: Iterable[UidPair]) -> Pyramid:
    merged_uids = _find_components([scu.uid for scu in pyramid.scus], sorted(pairs))
    members: dict[str, list[Scu]] = {}
    for scu in pyramid.scus:
        members.setdefault(merged_uids[scu.uid], []).append(scu)
    scus = tuple(_join(uid, group) for uid, group in members.items())
    require_comparable(scus, pyramid.id)
    return replace(pyramid, scus=scus, relations=_rename(pyramid.relations, merged_uids))


def _find_components(uids: list[str], pairs: list[UidPair]) -> dict[str, str]:
    """Return the first uid of the connected component of each uid."""
    import numpy as np
    import scipy.sparse as sp  # slow to import, and few commands find components
    from scipy.sparse.csgraph import connected_components

    numbers = {uid: number for number, uid in enumerate(uids)}
    edges = np.array([(numbers[premise], numbers[hypothesis]) for premise, hypothesis in pairs], dtype=np.int64)
    rows, columns = edges.reshape(-1, 2).T
    graph = sp.coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(uids), len(uids)))
    _, components = connected_components(graph, directed=False)
    first: dict[int, str] = {}
    return {uid: first.setdefault(int(component), uid) for uid, component in zip(uids, components, strict=True)}


def _join(uid: str, scus: list[Scu]) -> Scu:
    """Make one SCU of several. It has the label of the first."""
    contributors: list[Contributor] = []
    units: list[DiscourseUnit] = []
    for scu in scus:
        contributors += scu.contributors
        units += scu.units
    return Scu(uid, scus[0].label, tuple(contributors), tuple(units))


def _rename(relations: Iterable[Relation[str]], uids: Mapping[str, str]) -> tuple[Relation[str], ...]:
    """Replace the uids in relations by the uids of merged SCUs. Relations within an SCU and repetitions are dropped."""
    renamed = set()
    for relation in relations:
        premise, hypothesis = uids[relation.premise], uids[relation.hypothesis]
        if premise != hypothesis:
            renamed.add(replace(relation, premise=premise, hypothesis=hypothesis))
    return tuple(sorted(renamed))
