"""Pyramid scores of peer summaries (Nenkova and Passonneau 2004; Passonneau et al. 2006).

There are two rules: that of NIST's published tables, and that of the program DucView 1.5.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from math import isnan, nan
from statistics import fmean
from typing import Any, NamedTuple, TypeVar

from pyramid_paraphrase.catalog import Collection, find_collection
from pyramid_paraphrase.errors import EmptyResultError, InputError, place
from pyramid_paraphrase.escaping import escape_html, render_html_table
from pyramid_paraphrase.pyramids.corpus import REJECTED
from pyramid_paraphrase.pyramids.naming import natural_key, strip_zeros, unify_numbers
from pyramid_paraphrase.pyramids.official_tables import MODIFIED_PYRAMID, REPETITIONS, SCUS, parse_official_rows
from pyramid_paraphrase.pyramids.records import NON_MATCHING_UID, PeerAnnotation, Problem, Pyramid
from pyramid_paraphrase.pyramids.sources import SourceFile

_LINE_END = re.compile(r"\r\n?|\n")
_DECIMAL_POINTS = str.maketrans({",": ".", "\N{ARABIC DECIMAL SEPARATOR}": "."})
_NOT_DEFINED = "-"
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


class DucviewScore(NamedTuple):
    """Scores of one peer summary by the rule of DucView 1.5. A score that is not defined is None.

    Attributes:
        pyramid: Id of the pyramid.
        peer: Id of the summarizer.
        annotator: Id of the annotator, or "" if unknown.
        quality: Weight of the matched SCUs / highest weight of as many SCUs as the peer expresses, 0 to 1. It is too
            high if annotators did not mark text that matches no SCU (`find_inflated`).
        coverage: Weight of the matched SCUs / highest weight of as many SCUs as a model summary expresses on average,
            rounded down. At most 1.
        comprehensive: Harmonic mean of quality and coverage.
        scus: Number of distinct matched SCUs.
        repetitions: Number of contributors that match an SCU again after its first contributor.
    """

    pyramid: str
    peer: str
    annotator: str
    quality: float | None
    coverage: float | None
    comprehensive: float | None
    scus: int
    repetitions: int


_Score = TypeVar("_Score", PeerScore, DucviewScore)
_Row = TypeVar("_Row", bound=PeerScore | DucviewScore)


class PeerScores(list[_Row]):
    """Scores of peer summaries, a row each. A notebook shows the means of the systems, the best one first.

    ``pandas.DataFrame(scores)`` makes a table of all rows.

    Args:
        scores: The rows, by one rule.
        inflated: Names of the collections whose original scores are not shown, as `find_inflated` returns them.
    """

    def __init__(self, scores: Iterable[_Row], inflated: Iterable[str] = ()) -> None:
        super().__init__(scores)
        self._inflated = frozenset(inflated)

    def _repr_html_(self) -> str:
        """Return the means of systems as HTML for a notebook, and notes on what is not shown."""
        if not self:
            return escape_html(repr(self))
        names: tuple[str, ...] = SCORE_NAMES[type(self[0])]
        hidden = {score.peer for score in self if find_collection(score.pyramid).name in self._inflated}
        rows = []
        for peer, count, *means in average_by_system(self):
            cells = ["-" if mean is None else f"{mean:.4f}" for mean in means]
            if peer in hidden and names[0] == "original":
                cells[0] = "-"
            rows.append((peer, count, *cells))
        notes = [f"Means of {len(self):,} summaries."]
        if hidden:
            collections = ", ".join(sorted(self._inflated))
            notes.append(f"{names[0]} is too high for {collections}: annotators did not mark text that matches no SCU.")
        if missing := sum(None in score for score in self):
            notes.append(f"{missing:,} summaries lack a score (-), which DucView does not define.")
        return f"{render_html_table(('peer', 'summaries', *names), rows)}\n<p>{escape_html(' '.join(notes))}</p>"


def score_peers(annotations: Iterable[PeerAnnotation], problems: Iterable[Problem] = ()) -> PeerScores[PeerScore]:
    """Score peer summaries by the rule of NIST, each against the pyramid in its own file.

    Args:
        annotations: Peer annotations, as in `Corpus.annotations`.
        problems: The problems of reading them, for the error if there is no annotation.

    Returns:
        A list with a row per annotation, in the order of pyramid, peer and annotator. `unify_peers` names the peers.
        A notebook shows the means of the systems.

    Raises:
        EmptyResultError: If there is no annotation.
    """
    return _score_all(score_peer, annotations, problems)


def score_peers_by_ducview(
    annotations: Iterable[PeerAnnotation], problems: Iterable[Problem] = ()
) -> PeerScores[DucviewScore]:
    """Score peer summaries by the rule of DucView 1.5, in the way of `score_peers`."""
    return _score_all(score_peer_by_ducview, annotations, problems)


def _score_all(
    score: Callable[[PeerAnnotation], _Score], annotations: Iterable[PeerAnnotation], problems: Iterable[Problem]
) -> PeerScores[_Score]:
    listed = list(annotations)
    if not listed:
        remedy = "Add the peer annotations of the pyramids"
        for problem in problems:
            if problem.kind in REJECTED:
                remedy = f"A file was left out, {place(problem.file, problem.line)}: {problem.message}. Correct it"
                break
        raise EmptyResultError(f"no peer annotations (.pan) in the sources. {remedy}")
    unified = unify_peers(listed)
    rows = [score(annotation) for annotation in listed]
    rows = [row._replace(peer=unified.get(row.peer, row.peer)) for row in rows]
    rows.sort(key=lambda row: (natural_key(row.pyramid), natural_key(row.peer), row.annotator))
    return PeerScores(rows, find_inflated(listed))


def unify_peers(annotations: Iterable[PeerAnnotation]) -> dict[str, str]:
    """Map names of peers such as "01" to those of the same peers in other topics, as `unify_numbers` does."""
    return unify_numbers([[(annotation.pyramid.id, annotation.peer) for annotation in annotations]])


def score_peer(annotation: PeerAnnotation) -> PeerScore:
    """Score one peer summary by the rule of NIST.

    The weight of an SCU is the number of its contributors, as in the published scores. A matched SCU has the weight
    that the annotation states, because in some years the uids of annotation and pyramid differ. The number of SCUs that
    a peer expresses is the number of all contributors of its annotation: first matches, repetitions, and contributors
    that match no SCU.
    """
    weights = [len(scu.contributors) for scu in annotation.pyramid.scus]
    matched = {scu.uid: scu for scu in annotation.scus if scu.uid != NON_MATCHING_UID}
    reached = sum(scu.weight for scu in matched.values())
    expressed = sum(len(scu.contributors) for scu in annotation.scus)
    placed = {uid for uid, scu in matched.items() if scu.contributors}
    matching = sum(len(scu.contributors) for scu in annotation.scus if scu.uid != NON_MATCHING_UID)
    return PeerScore(
        pyramid=annotation.pyramid.id,
        peer=annotation.peer,
        annotator=annotation.annotator,
        original=_ratio(reached, _best_weight(weights, expressed)),
        modified=_ratio(reached, _best_weight(weights, average_scus(annotation.pyramid))),
        scus=len(matched),
        repetitions=matching - len(placed),
    )


def score_peer_by_ducview(annotation: PeerAnnotation) -> DucviewScore:
    """Score one peer summary by the rule of DucView 1.5."""
    numbers = count_by_ducview(annotation)
    matched = [scu for scu in annotation.scus if scu.uid != NON_MATCHING_UID]
    placed = {scu.uid for scu in matched if scu.contributors}
    return DucviewScore(
        pyramid=annotation.pyramid.id,
        peer=annotation.peer,
        annotator=annotation.annotator,
        quality=numbers["qualityScore"],
        coverage=numbers["coverageScore"],
        comprehensive=numbers["comprehensiveScore"],
        scus=len({scu.uid for scu in matched}),
        repetitions=sum(len(scu.contributors) for scu in matched) - len(placed),
    )


def count_by_ducview(annotation: PeerAnnotation) -> dict[str, float | None]:
    """Compute the numbers that DucView 1.5 writes into a peer annotation, by their names there.

    A matched SCU has the weight of the pyramid, or the weight that the annotation states if its uid is not in the
    pyramid. Scores of a peer without any contributor are not defined. Coverage is not defined if the text is not
    divided into model summaries, or if the peer matches nothing and a model summary has less than one SCU on average.
    """
    weights = {scu.uid: len(scu.contributors) for scu in annotation.pyramid.scus}
    contributors = {scu.uid: len(scu.contributors) for scu in annotation.scus}
    matched = {scu.uid: weights.get(scu.uid, scu.weight) for scu in annotation.scus if scu.uid != NON_MATCHING_UID}
    reached, expressed = sum(matched.values()), sum(len(scu.contributors) for scu in annotation.scus)
    models = len(annotation.pyramid.summaries)
    average = annotation.pyramid.contributor_count // models
    best, best_of_average = (_best_weight(weights.values(), count) for count in (expressed, average))
    quality = coverage = comprehensive = None
    if best:
        quality = reached / best
        if models > 1 and (reached or best_of_average):
            coverage = min(1.0, reached / best_of_average) if best_of_average else 1.0
            comprehensive = 2 / (1 / quality + 1 / coverage) if reached else 0.0
    return {
        "totalscu": expressed,
        "uniquescu": len(matched),
        "scusNotInPyr": contributors.get(NON_MATCHING_UID, 0),
        "totalWeight": reached,
        "maxScoreTotalscu": best,
        "qualityScore": quality,
        "averagescu": average,
        "maxScoreAveragescu": best_of_average,
        "coverageScore": coverage,
        "comprehensiveScore": comprehensive,
    }


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


SCORE_NAMES = {PeerScore: ("original", "modified"), DucviewScore: ("quality", "coverage", "comprehensive")}
"""Names of the scores of each rule. Systems are ordered by the last one."""


def average_by_system(scores: Sequence[PeerScore | DucviewScore]) -> list[tuple[Any, ...]]:
    """Compute the mean scores of the summaries of each peer.

    Returns:
        For each peer, best modified or comprehensive score first: its name, the number of summaries, and the mean of
        each score. Summaries whose scores are not defined are left out. If a peer has no others, its means are None.
    """
    by_peer: dict[str, list[PeerScore | DucviewScore]] = {}
    for score in scores:
        by_peer.setdefault(score.peer, []).append(score)
    systems = []
    for peer, rows in by_peer.items():
        means = []
        for name in SCORE_NAMES[type(rows[0])]:
            defined = [value for row in rows if (value := getattr(row, name)) is not None]
            means.append(fmean(defined) if defined else None)
        systems.append((peer, len(rows), *means))
    return sorted(systems, key=lambda row: (row[-1] is None, -(row[-1] or 0.0), natural_key(row[0])))


def parse_official(table: SourceFile) -> list[tuple[str, str, tuple[float, int, int]]]:
    """Read a table of published scores of peers, in any form of `official_tables`.

    Returns:
        The pyramid, the peer, and the published numbers of each row: modified score, SCUs and repetitions.

    Raises:
        InputError: If the table cannot be read, or is of the summaries that people wrote.
    """
    lines = enumerate(_LINE_END.split(table.data.decode("utf-8", "replace")), 1)
    rows = []
    for number, pyramid, peer, values in parse_official_rows(
        [(number, line) for number, line in lines if line.strip()], table.name
    ):
        if MODIFIED_PYRAMID not in values:
            reason = "contains scores of people, by pyramids without their own summaries"
            raise InputError(table.name, reason, "use the table of systems, such as manual.peer", number)
        counts = (int(values[SCUS]), int(values[REPETITIONS]))
        rows.append((pyramid, peer, (values[MODIFIED_PYRAMID], *counts)))
    return rows


def compare_with_official(
    scores: Sequence[PeerScore] | Sequence[DucviewScore], official: Iterable[tuple[str, str, tuple[float, int, int]]]
) -> list[str]:
    """Compare our modified scores, or coverage, with published modified scores, at the published precision.

    A score that is not defined counts as 0. If several annotators scored a peer, it is sufficient that one of the
    scores agrees. Peers "1" and "01" of a pyramid are the same peer.

    Returns:
        A line on each published row that our scores do not reproduce.
    """
    scores_by_summary: dict[tuple[str, str], list[tuple[float, int, int]]] = {}
    for score in scores:
        value = score.modified if isinstance(score, PeerScore) else score.coverage or 0.0
        numbers = value, score.scus, score.repetitions
        scores_by_summary.setdefault((score.pyramid, strip_zeros(score.peer)), []).append(numbers)
    differences = []
    for pyramid, peer, (modified, *counts) in official:
        candidates = scores_by_summary.get((pyramid, strip_zeros(peer)), [])
        agreeing = [own for own in candidates if _is_rounded(own[0], modified) and [*own[1:]] == counts]
        if not agreeing:
            scus, repetitions = counts
            computed = [f"{value:.4f} {own_scus} {own_repetitions}" for value, own_scus, own_repetitions in candidates]
            ours = "; ".join(computed) or "no annotation"
            published = f"{pyramid} peer {peer}: published {modified} {scus} {repetitions}"
            differences.append(f"{published}, ours {ours}")
    return differences


def _is_rounded(value: float, published: float) -> bool:
    """Return whether a published number can be the rounded value."""
    return abs(value - published) <= _PUBLISHED_PRECISION * (1 + 1e-9)


def compare_with_ducview(annotations: Iterable[PeerAnnotation]) -> tuple[int, list[str]]:
    """Compare the numbers that DucView wrote into peer annotations with ours, at their precision.

    Returns:
        The number of annotations with such numbers, and a line on each of them that our numbers do not reproduce.
    """
    count = 0
    differences = []
    for annotation in annotations:
        own = count_by_ducview(annotation)
        written = [(name, text) for name, text in annotation.written_score if name in own]
        count += bool(written)
        differing = []
        for name, text in written:
            value = own[name]
            if not _agrees(text, value):
                differing.append(f"{name} {text}, ours {_NOT_DEFINED if value is None else round(value, 4)}")
        if differing:
            differences.append(f"{annotation.pyramid.id} peer {annotation.peer}: written {'; '.join(differing)}")
    return count, differences


def _agrees(text: str, value: float | None) -> bool:
    """Return whether a number in a file is the rounded value.

    DucView writes numbers in the language of the system, and NaN or the replacement character if there is no value.
    """
    try:
        written = float(text.translate(_DECIMAL_POINTS))
    except ValueError:
        written = nan
    return isnan(written) if value is None else _is_rounded(value, written)
