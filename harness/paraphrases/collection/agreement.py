"""Agreement of annotators with each other, and with an expert (Xu et al. 2015, section 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from harness.metrics.graded_pairs import pearson
from harness.metrics.pairs import Counts, rate_decisions
from harness.paraphrases.collection.votes import Tally, Vote, label_of_tally
from harness.stats.agreement import compute_kappa
from harness.stats.rounding import DECIMALS
from pyramid_paraphrase.pair_corpora.pit import HIGHEST_GRADE, LABELS_OF_GRADES
from pyramid_paraphrase.pair_corpora.records import DEBATABLE


class Annotator(NamedTuple):
    """The agreement of an annotator with the other annotators.

    Attributes:
        name: Name of the annotator.
        items: Number of items that the annotator voted on.
        yes: Number of these items that the annotator calls a paraphrase.
        others: Number of other annotators with whom kappa is defined.
        undefined: Number of other annotators who share items, but with whom kappa is not defined.
        shared: Sum of the items that are shared with each annotator with whom kappa is defined.
        kappa: The mean kappa, or None if it is not defined with any other annotator.
    """

    name: str
    items: int
    yes: int
    others: int
    undefined: int
    shared: int
    kappa: float | None


def rate_annotators(votes: Sequence[Vote]) -> list[Annotator]:
    """Compare each annotator with every other annotator who voted on the same items, by Cohen's kappa.

    An annotator's kappa is the mean over the other annotators, weighted by shared items. Annotators with whom kappa is
    not defined are counted, and left out of the mean.

    Args:
        votes: Votes, at most one of an annotator per item.

    Returns:
        Annotators, the lowest kappa first, annotators without kappa last.
    """
    names = sorted({vote.annotator for vote in votes})
    numbers = {name: number for number, name in enumerate(names)}
    by_annotator: dict[str, list[Vote]] = {name: [] for name in names}
    by_item: dict[str, list[Vote]] = {}
    for vote in votes:
        by_annotator[vote.annotator].append(vote)
        by_item.setdefault(vote.item, []).append(vote)
    annotators = [_rate(name, votes_of_name, by_item, numbers) for name, votes_of_name in by_annotator.items()]
    return sorted(annotators, key=lambda annotator: (annotator.kappa is None, annotator.kappa or 0.0))


def drop_annotators(votes: Sequence[Vote], annotators: Sequence[Annotator], min_kappa: float) -> list[Vote]:
    """Leave out the votes of annotators whose kappa is lower; annotators without kappa stay."""
    dropped = {
        annotator.name for annotator in annotators if annotator.kappa is not None and annotator.kappa < min_kappa
    }
    return [vote for vote in votes if vote.annotator not in dropped]


def _rate(
    name: str, votes: Sequence[Vote], by_item: Mapping[str, Sequence[Vote]], numbers: Mapping[str, int]
) -> Annotator:
    # Rows of another annotator's number, the annotator's vote and the other vote, per shared item.
    rows = []
    for vote in votes:
        rows += [(numbers[peer.annotator], vote.vote, peer.vote) for peer in by_item[vote.item]]
    table = np.array(rows)
    peer_numbers, annotator_votes, peer_votes = table[table[:, 0] != numbers[name]].T
    peers, peer_of_row = np.unique(peer_numbers, return_inverse=True)
    shared, both, first, second = (
        np.bincount(peer_of_row, weights=weights, minlength=len(peers)).astype(np.int64)
        for weights in (None, annotator_votes * peer_votes, annotator_votes, peer_votes)
    )
    agreed = shared - first - second + 2 * both
    answers_of_both = (np.stack([shared - yes, yes], axis=-1) for yes in (first, second))
    kappa = compute_kappa(agreed, *answers_of_both)
    defined = ~np.isnan(kappa)
    weights = shared[defined]
    mean_kappa = None
    if len(weights):
        mean_kappa = round(float(np.average(kappa[defined], weights=weights)), DECIMALS)
    return Annotator(
        name=name,
        items=len(votes),
        yes=sum(vote.vote for vote in votes),
        others=int(defined.sum()),
        undefined=int(((shared > 0) & ~defined).sum()),
        shared=int(weights.sum()),
        kappa=mean_kappa,
    )


class ExpertAgreement(NamedTuple):
    """The agreement of votes with an expert's grades.

    Attributes:
        items: Number of items with votes and a grade.
        table: Per number of yes votes and of votes, the number of items with each grade from 0 to the highest.
        pearson: Correlation of the share of yes votes with the grade.
        counts: Labels by votes against labels by grade, without the debatable items.
        debatable: Number of items that are debatable by votes, by grade, or by both.
        rates: F, precision and recall of the labels by votes; 0 where they would divide by zero.
    """

    items: int
    table: Mapping[Tally, list[int]]
    pearson: float
    counts: Counts
    debatable: int
    rates: Mapping[str, float]


def compare_with_expert(tallies: Mapping[str, Tally], grades: Mapping[str, int]) -> ExpertAgreement:
    """Compare votes with an expert's grades.

    Votes and grades become labels. Items with 3 of 5 votes or more, or with grades 4 and 5, are paraphrases. Items with
    2 votes, or with grade 3, are debatable, and are left out. The remaining items are not paraphrases.

    Args:
        tallies: Votes by item.
        grades: Grades by item, of some of these items.

    Returns:
        The agreement on the items that have grades.

    Raises:
        ValueError: If all grades, or all shares of yes votes, are the same, so that nothing can be correlated.
    """
    rows = [(tallies[item], grade) for item, grade in grades.items()]
    sizes = sorted({tally.votes for tally, _ in rows})
    table: dict[Tally, list[int]] = {}
    for votes in sizes:
        table |= {Tally(yes, votes): [0] * (HIGHEST_GRADE + 1) for yes in range(votes + 1)}
    for tally, grade in rows:
        table[tally][grade] += 1
    labels = np.array([(label_of_tally(tally), LABELS_OF_GRADES[grade]) for tally, grade in rows])
    clear = labels[(labels != DEBATABLE).all(axis=1)]
    voted, graded = clear[:, 0] == 1, clear[:, 1] == 1
    cells = (voted & graded, voted & ~graded, ~voted & graded, ~voted & ~graded)
    counts = Counts(*(int(cell.sum()) for cell in cells))
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
    for values, name in ((grades, "grade"), (shares, "share of yes votes")):
        if len(set(values)) == 1:
            raise ValueError(f"every {name} is {values[0]:g}")
    return pearson(shares, grades)
