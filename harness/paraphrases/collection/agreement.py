"""Votes of annotators, and their agreement with each other and with an expert (Xu et al. 2015, section 4.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from harness.files.tab_separated import read_rows
from harness.metrics.graded_pairs import pearson
from harness.metrics.pairs import Counts, rate_decisions
from harness.stats.agreement import compute_kappa
from harness.stats.rounding import DECIMALS
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.formats.pair_corpora import HIGHEST_GRADE, LABELS_OF_GRADES
from pyramid_paraphrase.formats.pair_files import DEBATABLE

VOTE_COLUMNS = ("item", "annotator", "vote")
GRADE_COLUMNS = ("item", "grade")
TALLY_COLUMNS = ("item", "yes", "votes", "label")
MAX_VOTES = 200
"""Maximum number of votes on an item. It bounds the run time, because agreement compares all pairs of votes."""


class Vote(NamedTuple):
    """The vote of an annotator on an item: 1 for a paraphrase, 0 otherwise."""

    item: str
    annotator: str
    vote: int


class Tally(NamedTuple):
    """The number of yes votes, and of all votes, on an item."""

    yes: int
    votes: int


def read_votes(path: Path) -> list[Vote]:
    """Read a table of votes.

    Raises:
        InputError: If the file does not have the columns `VOTE_COLUMNS`, a vote is not 0 or 1, or an annotator votes
            twice on an item.
        LimitError: If an item has more than `MAX_VOTES` votes.
    """
    votes: dict[tuple[str, str], Vote] = {}
    counts = Counter[str]()
    for row in read_rows(path, VOTE_COLUMNS):
        item, annotator, vote = row.cells
        if vote not in ("0", "1"):
            reason = f"expected the vote 0 or 1, found '{vote[:40]}'"
            raise InputError(str(path), reason, "write 1 for a paraphrase, otherwise 0", row.line)
        if (item, annotator) in votes:
            reason = f"has a second vote of annotator {annotator} on item {item}"
            raise InputError(str(path), reason, "keep only one of the two votes", row.line)
        counts[item] += 1
        if counts[item] > MAX_VOTES:
            reason = f"item {item} has more than {MAX_VOTES} votes"
            raise LimitError(str(path), reason, f"keep {MAX_VOTES} of its votes", row.line)
        votes[item, annotator] = Vote(item, annotator, int(vote))
    return list(votes.values())


def read_grades(path: Path, voted: Iterable[str]) -> dict[str, int]:
    """Read a table of an expert's grades.

    Args:
        path: The file.
        voted: The items that have votes.

    Returns:
        Grades from 0 to `HIGHEST_GRADE`, by item.

    Raises:
        InputError: If the file does not have the columns `GRADE_COLUMNS`, a grade is not from 0 to `HIGHEST_GRADE`, or
            an item has two grades or no votes.
    """
    items_with_votes, grades = set(voted), dict[str, int]()
    for row in read_rows(path, GRADE_COLUMNS):
        item, grade = row.cells
        if grade not in map(str, range(HIGHEST_GRADE + 1)):
            remedy = f"use a whole number from 0 to {HIGHEST_GRADE}"
            raise InputError(str(path), f"has the invalid grade '{grade[:40]}'", remedy, row.line)
        if item in grades:
            raise InputError(
                str(path), f"has a second grade of item {item}", "keep only one of the two grades", row.line
            )
        if item not in items_with_votes:
            raise InputError(
                str(path), f"item {item} has no votes", "remove the line, or add votes on the item", row.line
            )
        grades[item] = int(grade)
    return grades


def tally_votes(votes: Iterable[Vote]) -> dict[str, Tally]:
    """Count the votes on each item. Items are in the order of their first votes."""
    tallies: dict[str, Tally] = {}
    for vote in votes:
        yes, count = tallies.get(vote.item, (0, 0))
        tallies[vote.item] = Tally(yes + vote.vote, count + 1)
    return tallies


def label_of_tally(tally: Tally) -> int:
    """Label an item by its votes.

    With 5 votes, at least 3 yes votes make a paraphrase, 2 yes votes are debatable, and fewer make a non-paraphrase.
    For other numbers of votes, a share of at least 3/5 makes a paraphrase, and a share of at most 1/5 a non-paraphrase.

    Returns:
        1 for a paraphrase, 0 for a non-paraphrase, or `DEBATABLE`.
    """
    if 5 * tally.yes >= 3 * tally.votes:
        return 1
    if 5 * tally.yes <= tally.votes:
        return 0
    return DEBATABLE


def list_tallies(tallies: Mapping[str, Tally]) -> list[tuple[str, int, int, int]]:
    """List the votes and the label of each item, with the columns `TALLY_COLUMNS`."""
    return [(item, tally.yes, tally.votes, label_of_tally(tally)) for item, tally in tallies.items()]


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
