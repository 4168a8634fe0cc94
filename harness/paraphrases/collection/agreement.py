"""How far annotators agree: with each other, and with an expert (Xu et al. 2015, section 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics.pairs import Counts, rate_decisions
from harness.metrics.similarity import pearson
from harness.paraphrases.collection.votes import Tally, Vote, label_of_tally
from pyramid_paraphrase.pair_corpora.pit import HIGHEST_GRADE, LABELS_OF_GRADES
from pyramid_paraphrase.pair_corpora.records import DEBATABLE

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


class Annotator(NamedTuple):
    """How far an annotator agrees with the others.

    Attributes:
        name: Whose votes they are.
        items: How many items the annotator voted on.
        yes: On how many of them that it is a paraphrase.
        others: With how many others there is a kappa.
        undefined: With how many others items are shared, but no kappa is defined.
        shared: Items shared with those others that there is a kappa with, summed over them.
        kappa: The mean kappa, or None if there is none.
    """

    name: str
    items: int
    yes: int
    others: int
    undefined: int
    shared: int
    kappa: float | None


def compute_kappa(shared: Indices, both: Indices, first: Indices, second: Indices) -> Floats:
    """Compute Cohen's kappa of pairs of annotators who say yes or no.

    kappa = (p - e) / (1 - e): p is the share of the shared items on which the two agree, e the share that they would
    agree on by chance, each keeping to how often they say yes. Where both give one and the same answer throughout, e
    is 1 and kappa is not defined.

    Args:
        shared: How many items both voted on, per pair.
        both: On how many of them both say yes.
        first: On how many of them the first one does.
        second: On how many of them the second one does.

    Returns:
        In [-1, 1], or NaN where it is not defined; the arguments' shape.
    """
    agreed = shared - first - second + 2 * both
    chance = first * second + (shared - first) * (shared - second)
    kappa = np.full(shared.shape, np.nan)
    np.divide(shared * agreed - chance, shared**2 - chance, out=kappa, where=shared**2 != chance)
    return kappa


def rate_annotators(votes: Sequence[Vote]) -> list[Annotator]:
    """Compare each annotator with each other one who voted on the same items, by Cohen's kappa.

    An annotator's kappa is the mean over the others, weighted by shared items. Others with whom none is defined are
    counted, and left out of the mean.

    Args:
        votes: At most one of an annotator per item.

    Returns:
        Annotators, the lowest kappa first, those without one last.
    """
    numbers = {name: number for number, name in enumerate(sorted({vote.annotator for vote in votes}))}
    own: list[list[Vote]] = [[] for _ in numbers]
    on_item: dict[str, list[Vote]] = {}
    for vote in votes:
        own[numbers[vote.annotator]].append(vote)
        on_item.setdefault(vote.item, []).append(vote)
    rated = [_rate(name, own[number], on_item, numbers) for name, number in numbers.items()]
    return sorted(rated, key=lambda one: (one.kappa is None, one.kappa or 0.0))


def drop_annotators(votes: Sequence[Vote], annotators: Sequence[Annotator], min_kappa: float) -> list[Vote]:
    """Leave out the votes of annotators whose kappa is lower; those without one stay."""
    dropped = {one.name for one in annotators if one.kappa is not None and one.kappa < min_kappa}
    return [vote for vote in votes if vote.annotator not in dropped]


def _rate(
    name: str, own: Sequence[Vote], on_item: Mapping[str, Sequence[Vote]], numbers: Mapping[str, int]
) -> Annotator:
    met = np.array([(numbers[other.annotator], vote.vote, other.vote) for vote in own for other in on_item[vote.item]])
    met = met[met[:, 0] != numbers[name]]
    others, other = np.unique(met[:, 0], return_inverse=True)
    shared, both, first, second = (
        np.bincount(other, weights=weights, minlength=len(others)).astype(np.int64)
        for weights in (None, met[:, 1] * met[:, 2], met[:, 1], met[:, 2])
    )
    kappa = compute_kappa(shared, both, first, second)
    defined = ~np.isnan(kappa)
    weights = shared[defined]
    return Annotator(
        name=name,
        items=len(own),
        yes=sum(vote.vote for vote in own),
        others=int(defined.sum()),
        undefined=int(((shared > 0) & ~defined).sum()),
        shared=int(weights.sum()),
        kappa=round(float(np.average(kappa[defined], weights=weights)), 6) if len(weights) else None,
    )


class ExpertAgreement(NamedTuple):
    """How far votes agree with an expert's grades.

    Attributes:
        items: How many items have votes and a grade.
        table: Per number of yes votes and of votes, how many items have each grade from 0 to the highest.
        pearson: Correlation of the share of yes votes with the grade.
        counts: Labels by votes against labels by grade, without the debatable items.
        debatable: How many items are debatable by votes, by grade, or by both.
        rates: F, precision and recall of the labels by votes; what would divide by zero is 0.
    """

    items: int
    table: Mapping[Tally, list[int]]
    pearson: float
    counts: Counts
    debatable: int
    rates: Mapping[str, float]


def compare_with_expert(tallies: Mapping[str, Tally], grades: Mapping[str, int]) -> ExpertAgreement:
    """Compare votes with an expert's grades.

    Votes and grades become labels: 3 of 5 votes or more, and grades 4 and 5, are paraphrases; 2 votes, and grade 3,
    are debatable, and such items are left out; the others are none.

    Args:
        tallies: Votes by item.
        grades: Grades by item, of some of these items.

    Returns:
        The agreement on the items that have grades.

    Raises:
        ValueError: If all grades, or all shares of yes votes, are the same, for then nothing can be correlated.
    """
    rows = [(tallies[item], grade) for item, grade in grades.items()]
    sizes = sorted({tally.votes for tally, _ in rows})
    table = {Tally(yes, votes): [0] * (HIGHEST_GRADE + 1) for votes in sizes for yes in range(votes + 1)}
    for tally, grade in rows:
        table[tally][grade] += 1
    labels = np.array([(label_of_tally(tally), LABELS_OF_GRADES[grade]) for tally, grade in rows])
    clear = labels[(labels != DEBATABLE).all(axis=1)]
    said, meant = clear[:, 0] == 1, clear[:, 1] == 1
    counts = Counts(*(int(cell.sum()) for cell in (said & meant, said & ~meant, ~said & meant, ~said & ~meant)))
    rates = rate_decisions(counts)
    return ExpertAgreement(
        items=len(rows),
        table=table,
        pearson=_correlate([tally.yes / tally.votes for tally, _ in rows], [grade for _, grade in rows]),
        counts=counts,
        debatable=len(labels) - len(clear),
        rates={name: float(rates[name]) for name in ("f1", "precision", "recall")},
    )


def _correlate(shares: Sequence[float], grades: Sequence[float]) -> float:
    for values, what in ((grades, "grade"), (shares, "share of yes votes")):
        if len(set(values)) == 1:
            raise ValueError(f"every {what} is {values[0]:g}")
    return pearson(shares, grades)
