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
        shared: Number of shared items, summed over the other annotators with whom kappa is defined.
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

    An annotator's kappa is the mean over the other annotators, weighted by the number of shared items. The mean leaves
    out annotators with whom kappa is not defined. They are counted.

    Args:
        votes: Votes, at most one per annotator and item.

    Returns:
        Annotators by ascending kappa. Annotators without kappa come last.
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
    """Drop the votes of annotators whose kappa is below `min_kappa`. Annotators without kappa are kept."""
    dropped = {
        annotator.name for annotator in annotators if annotator.kappa is not None and annotator.kappa < min_kappa
    }
    return [vote for vote in votes if vote.annotator not in dropped]


def _rate(
    name: str, votes: Sequence[Vote], by_item: Mapping[str, Sequence[Vote]], numbers: Mapping[str, int]
) -> Annotator:
    """Rate an annotator by the mean of Cohen's kappa with each other annotator."""
    # One row per shared item and voter: number of the voter, vote of the annotator, vote of the voter.
    rows = []
    for vote in votes:
        rows += [(numbers[peer.annotator], vote.vote, peer.vote) for peer in by_item[vote.item]]
    table = np.array(rows)
    peer_numbers, annotator_votes, peer_votes = table[table[:, 0] != numbers[name]].T
    peers, peer_of_row = np.unique(peer_numbers, return_inverse=True)
    shared, both_yes, annotator_yes, peer_yes = (
        np.bincount(peer_of_row, weights=weights, minlength=len(peers)).astype(np.int64)
        for weights in (None, annotator_votes * peer_votes, annotator_votes, peer_votes)
    )
    # Both vote yes, or both vote no (inclusion-exclusion).
    agreed = shared - annotator_yes - peer_yes + 2 * both_yes
    annotator_answers = np.stack([shared - annotator_yes, annotator_yes], axis=1)
    peer_answers = np.stack([shared - peer_yes, peer_yes], axis=1)
    kappa = compute_kappa(agreed, annotator_answers, peer_answers)
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
        undefined=int((~defined).sum()),
        shared=int(weights.sum()),
        kappa=mean_kappa,
    )


class ExpertAgreement(NamedTuple):
    """The agreement of votes with an expert's grades.

    Attributes:
        items: Number of items with votes and a grade.
        table: By tally, the number of items with each grade from 0 to `HIGHEST_GRADE`.
        pearson: Pearson's correlation of the share of yes votes with the grade, in [-1, 1].
        counts: Confusion matrix of the labels by votes against the labels by grade, without debatable items.
        debatable: Number of items that are debatable by votes, by grade, or by both.
        rates: F, precision and recall of the labels by votes, in [0, 1]. They are 0 where the denominator is 0.
    """

    items: int
    table: Mapping[Tally, list[int]]
    pearson: float
    counts: Counts
    debatable: int
    rates: Mapping[str, float]


def compare_with_expert(tallies: Mapping[str, Tally], grades: Mapping[str, int]) -> ExpertAgreement:
    """Compare the votes on items with an expert's grades.

    Votes and grades become labels. Items with at least 3 of 5 yes votes, or with grade 4 or 5, are paraphrases. Items
    with 2 of 5 yes votes, or with grade 3, are debatable and left out. The remaining items are not paraphrases.

    Args:
        tallies: Votes by item.
        grades: Grades by item, for a subset of the items with votes.

    Returns:
        The agreement on the items that have grades.

    Raises:
        ValueError: If all grades, or all shares of yes votes, are equal. The correlation is then not defined.
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
    """Compute Pearson's correlation of the shares of yes votes with the grades.

    Raises:
        ValueError: If all shares or all grades are equal.
    """
    for values, name in ((grades, "grade"), (shares, "share of yes votes")):
        if len(set(values)) == 1:
            raise ValueError(f"every {name} is {values[0]:g}")
    return pearson(shares, grades)
