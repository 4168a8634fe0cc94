"""Pyramid scores of peer summaries (Nenkova and Passonneau 2004; Passonneau et al. 2006), as NIST computed them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from pyramid_paraphrase.catalog import Collection, find_collection
from pyramid_paraphrase.errors import EmptyResultError, InputError, place
from pyramid_paraphrase.pyramids.corpus import REJECTED
from pyramid_paraphrase.pyramids.naming import natural_key, strip_zeros, unify_numbers
from pyramid_paraphrase.pyramids.records import NON_MATCHING_UID, PeerAnnotation, Problem, Pyramid
from pyramid_paraphrase.pyramids.sources import SourceFile

_TABLE_REMEDY = "use NIST's table, such as 2007_modified_scores.txt"
_LINE_END = re.compile(r"\r\n?|\n")
_PUBLISHED_PRECISION = 0.00005
"""Largest rounding error of published scores, which have four decimals."""


class PeerScore(NamedTuple):
    """Scores of one peer summary.

    Attributes:
        pyramid: Id of the pyramid.
        peer: Id of the summarizer.
        annotator: Id of the annotator, or "" if unknown.
        original: Weight of the matched SCUs / highest weight of as many SCUs as the peer expresses, 0 to 1. It is too
            high if annotators did not mark text that matches no SCU (`find_inflated`).
        modified: Weight of the matched SCUs / highest weight of as many SCUs as a model summary expresses on average.
            It can exceed 1 if the peer expresses more SCUs than a model summary.
        scus: Number of distinct matched SCUs.
        repetitions: Number of contributors that match an SCU again after its first contributor.
    """

    pyramid: str
    peer: str
    annotator: str
    original: float
    modified: float
    scus: int
    repetitions: int


def score_peers(annotations: Iterable[PeerAnnotation], problems: Iterable[Problem] = ()) -> list[PeerScore]:
    """Score peer summaries, each against the pyramid in its own file.

    Args:
        annotations: Peer annotations, as in `Corpus.annotations`.
        problems: The problems of reading them, for the error if there is no annotation.

    Returns:
        One row per annotation, in the order of pyramid, peer and annotator. `unify_peers` names the peers.

    Raises:
        EmptyResultError: If there is no annotation.
    """
    listed = list(annotations)
    unified = unify_peers(listed)
    scores = [score_peer(annotation) for annotation in listed]
    scores = [score._replace(peer=unified.get(score.peer, score.peer)) for score in scores]
    if not scores:
        remedy = "Add the peer annotations of the pyramids"
        for problem in problems:
            if problem.kind in REJECTED:
                remedy = f"A file was left out, {place(problem.file, problem.line)}: {problem.message}. Correct it"
                break
        raise EmptyResultError(f"no peer annotations (.pan) in the sources. {remedy}")
    return sorted(scores, key=lambda row: (natural_key(row.pyramid), natural_key(row.peer), row.annotator))


def unify_peers(annotations: Iterable[PeerAnnotation]) -> dict[str, str]:
    """Map names of peers such as "01" to those of the same peers in other topics, as `unify_numbers` does."""
    return unify_numbers([[(annotation.pyramid.id, annotation.peer) for annotation in annotations]])


def score_peer(annotation: PeerAnnotation) -> PeerScore:
    """Score one peer summary.

    The weight of an SCU is the number of its contributors, as in the published scores. A matched SCU has the weight
    that the annotation states, because in some years the uids of annotation and pyramid differ. The number of SCUs that
    a peer expresses is the number of all contributors of its annotation: first matches, repetitions, and contributors
    that match no SCU.
    """
    weights = [len(scu.contributors) for scu in annotation.pyramid.scus]
    matched = {scu.uid: scu for scu in annotation.scus if scu.uid != NON_MATCHING_UID}
    reached = sum(scu.weight for scu in matched.values())
    expressed = sum(len(scu.contributors) for scu in annotation.scus)
    matching = sum(len(scu.contributors) for scu in annotation.scus if scu.uid != NON_MATCHING_UID)
    return PeerScore(
        pyramid=annotation.pyramid.id,
        peer=annotation.peer,
        annotator=annotation.annotator,
        original=_ratio(reached, _best_weight(weights, expressed)),
        modified=_ratio(reached, _best_weight(weights, average_scus(annotation.pyramid))),
        scus=len(matched),
        repetitions=matching - len(matched),
    )


def find_inflated(annotations: Iterable[PeerAnnotation]) -> frozenset[str]:
    """Find the collections whose original pyramid scores are too high.

    The original score needs the number of all SCUs that a peer expresses. If annotators did not mark unmatched text,
    only the matched SCUs are counted, so a peer with few SCUs of high weight has a score near 1. From DUC 2006 on,
    annotators did not have to mark unmatched text. In DUC 2007, 212 of 299 annotations mark no unmatched text. On
    average, their contributors cover 42 % of the peer's text. In the other annotations, contributors cover 75 %.

    Args:
        annotations: Peer annotations.

    Returns:
        Names of collections. `Collection.marks_unmatched` decides. If it is None, scores are inflated if less than half
        of the annotations have a contributor that matches no SCU.
    """
    marks: dict[Collection, list[bool]] = {}
    for annotation in annotations:
        has_unmatched = any(scu.uid == NON_MATCHING_UID and scu.contributors for scu in annotation.scus)
        marks.setdefault(find_collection(annotation.pyramid.id), []).append(has_unmatched)
    inflated = set()
    for collection, marked in marks.items():
        is_marked = collection.marks_unmatched
        if is_marked is None:
            is_marked = 2 * sum(marked) >= len(marked)
        if not is_marked:
            inflated.add(collection.name)
    return frozenset(inflated)


def average_scus(pyramid: Pyramid) -> int:
    """Return the mean number of contributors per model summary, rounded half up."""
    models = len(pyramid.summaries)
    return (2 * pyramid.contributor_count + models) // (2 * models)


def _best_weight(weights: Iterable[int], count: int) -> int:
    return sum(sorted(weights, reverse=True)[:count])


def _ratio(reached: int, best: int) -> float:
    return reached / best if best else 0.0


def average_by_system(scores: Sequence[PeerScore]) -> list[tuple[str, int, float, float]]:
    """Compute the mean scores of the summaries of each peer.

    Returns:
        For each peer, best modified score first: its name, number of summaries, original score and modified score.
    """
    by_peer: dict[str, list[PeerScore]] = {}
    for score in scores:
        by_peer.setdefault(score.peer, []).append(score)
    modified = {peer: fmean(row.modified for row in rows) for peer, rows in by_peer.items()}
    systems = []
    for peer in sorted(by_peer, key=lambda peer: (-modified[peer], natural_key(peer))):
        original = fmean(row.original for row in by_peer[peer])
        systems.append((peer, len(by_peer[peer]), original, modified[peer]))
    return systems


def parse_official(table: SourceFile) -> list[tuple[str, str, tuple[float, int, int]]]:
    """Read a published table: pyramid, peer, modified score, SCUs, repetitions, and columns that are ignored.

    Returns:
        The rows, as `parse_official_row` returns them.

    Raises:
        InputError: If a row does not have these columns, or there are no rows.
    """
    lines = _LINE_END.split(table.data.decode("utf-8", "replace"))
    rows = [parse_official_row(line, table.name, number) for number, line in enumerate(lines, 1) if line.strip()]
    if not rows:
        raise InputError(table.name, "contains no scores", _TABLE_REMEDY)
    return rows


def parse_official_row(line: str, name: str, number: int) -> tuple[str, str, tuple[float, int, int]]:
    """Read one row of a published table.

    Args:
        line: The row, not blank.
        name: Name of the file, for errors.
        number: Line of the file, for errors.

    Returns:
        The pyramid, the peer, and the published numbers: modified score, SCUs and repetitions.

    Raises:
        InputError: If the row does not have the columns of `parse_official`.
    """
    if len(line.splitlines()) > 1:
        reason = "contains a character that some programs treat as the end of a line, such as a vertical tab"
        raise InputError(name, reason, _TABLE_REMEDY, number)
    try:
        pyramid, peer, modified, scus, repetitions = line.split()[:5]
        return pyramid, peer, (float(modified), int(scus), int(repetitions))
    except ValueError:
        reason = "expected the columns pyramid, peer, modified score, number of SCUs and number of repetitions"
        raise InputError(name, reason, _TABLE_REMEDY, number) from None


def compare_with_official(
    scores: Sequence[PeerScore], official: Iterable[tuple[str, str, tuple[float, int, int]]]
) -> list[str]:
    """Compare our scores with published scores, as numbers, at the published precision.

    If several annotators scored a peer, it is sufficient that one of the scores agrees. Peers "1" and "01" of a pyramid
    are the same peer.

    Returns:
        A line on each published row that our scores do not reproduce.
    """
    scores_by_summary: dict[tuple[str, str], list[PeerScore]] = {}
    for score in scores:
        scores_by_summary.setdefault((score.pyramid, strip_zeros(score.peer)), []).append(score)
    differences = []
    for pyramid, peer, (modified, *counts) in official:
        candidates = scores_by_summary.get((pyramid, strip_zeros(peer)), [])
        agreeing = [
            score
            for score in candidates
            if abs(score.modified - modified) <= _PUBLISHED_PRECISION * (1 + 1e-9)
            and [score.scus, score.repetitions] == counts
        ]
        if not agreeing:
            scus, repetitions = counts
            computed = [f"{score.modified:.4f} {score.scus} {score.repetitions}" for score in candidates]
            ours = "; ".join(computed) or "no annotation"
            published = f"{pyramid} peer {peer}: published {modified} {scus} {repetitions}"
            differences.append(f"{published}, ours {ours}")
    return differences
