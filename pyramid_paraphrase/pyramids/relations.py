"""Relations between SCUs: some merge two SCUs, others only exclude that the two form a negative in a test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from pyramid_paraphrase.pyramids.records import (
    CONTRADICTS,
    ENTAILS,
    Contributor,
    Pyramid,
    Relation,
    Scu,
    require_comparable,
)

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


def _list_partners(relations: Iterable[Relation]) -> dict[str, frozenset[str]]:
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
    for scu in scus:
        contributors += scu.contributors
    return Scu(uid, scus[0].label, tuple(contributors))


def _rename(relations: Iterable[Relation], uids: Mapping[str, str]) -> tuple[Relation, ...]:
    """Replace the uids in relations by the uids of merged SCUs. Relations within an SCU and repetitions are dropped."""
    renamed = set()
    for relation in relations:
        premise, hypothesis = uids[relation.premise], uids[relation.hypothesis]
        if premise != hypothesis:
            renamed.add(replace(relation, premise=premise, hypothesis=hypothesis))
    return tuple(sorted(renamed))
