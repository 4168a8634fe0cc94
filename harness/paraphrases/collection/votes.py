"""Votes of annotators on items, an expert's grades, and the labels that follow (Xu et al. 2015, section 4.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from harness.files.tab_separated import read_rows
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.pair_corpora.pit import HIGHEST_GRADE
from pyramid_paraphrase.pair_corpora.records import DEBATABLE

VOTE_COLUMNS = ("item", "annotator", "vote")
GRADE_COLUMNS = ("item", "grade")
TALLY_COLUMNS = ("item", "yes", "votes", "label")
MAX_VOTES = 200
"""Largest number of votes on an item, because agreement compares each vote with every other one."""


class Vote(NamedTuple):
    """The vote of an annotator on an item: 1 for a paraphrase, otherwise 0."""

    item: str
    annotator: str
    vote: int


class Tally(NamedTuple):
    """The number of yes votes, and of all votes, on an item."""

    yes: int
    votes: int


def read_votes(path: Path) -> list[Vote]:
    """Read votes.

    Raises:
        InputError: If the file is not a table of items, annotators and votes, or an annotator votes twice on an item.
        LimitError: If an item has more than `MAX_VOTES` votes.
    """
    votes: dict[tuple[str, str], Vote] = {}
    counts = Counter[str]()
    for row in read_rows(path, VOTE_COLUMNS):
        item, annotator, vote = row.cells
        if vote not in ("0", "1"):
            raise InputError(str(path), f"vote is '{vote[:40]}'", "give 1 for a paraphrase, 0 for none", row.line)
        if (item, annotator) in votes:
            reason = f"annotator {annotator} votes on item {item} again"
            raise InputError(str(path), reason, "keep one of the votes", row.line)
        counts[item] += 1
        if counts[item] > MAX_VOTES:
            reason = f"item {item} has more than {MAX_VOTES} votes"
            raise LimitError(str(path), reason, f"keep {MAX_VOTES} of its votes", row.line)
        votes[item, annotator] = Vote(item, annotator, int(vote))
    return list(votes.values())


def read_grades(path: Path, voted: Iterable[str]) -> dict[str, int]:
    """Read an expert's grades.

    Args:
        path: The file.
        voted: The items that have votes.

    Returns:
        Grades from 0 to `HIGHEST_GRADE`, by item.

    Raises:
        InputError: If the file is not a table of items and grades, or grades an item twice or without votes.
    """
    items_with_votes, grades = set(voted), dict[str, int]()
    for row in read_rows(path, GRADE_COLUMNS):
        item, grade = row.cells
        if grade not in map(str, range(HIGHEST_GRADE + 1)):
            remedy = f"give a whole number from 0 to {HIGHEST_GRADE}"
            raise InputError(str(path), f"grade is '{grade[:40]}'", remedy, row.line)
        if item in grades:
            raise InputError(str(path), f"item {item} is graded again", "keep one of the grades", row.line)
        if item not in items_with_votes:
            raise InputError(str(path), f"item {item} has no votes", "drop the line, or add its votes", row.line)
        grades[item] = int(grade)
    return grades


def tally_votes(votes: Iterable[Vote]) -> dict[str, Tally]:
    """Count the votes on each item, in the order of their first ones."""
    tallies: dict[str, Tally] = {}
    for vote in votes:
        yes, count = tallies.get(vote.item, (0, 0))
        tallies[vote.item] = Tally(yes + vote.vote, count + 1)
    return tallies


def label_of_tally(tally: Tally) -> int:
    """Label an item by its votes: from 3 of 5 yes votes on a paraphrase, with 2 debatable, with fewer not a paraphrase.

    The same shares hold for other numbers of votes: from 3/5 on a paraphrase, up to 1/5 not, and debatable in between.

    Returns:
        1, 0 or `DEBATABLE`.
    """
    if 5 * tally.yes >= 3 * tally.votes:
        return 1
    return 0 if 5 * tally.yes <= tally.votes else DEBATABLE


def list_tallies(tallies: Mapping[str, Tally]) -> list[tuple[str, int, int, int]]:
    """List the votes and the label of each item, as `TALLY_COLUMNS`."""
    return [(item, tally.yes, tally.votes, label_of_tally(tally)) for item, tally in tallies.items()]
