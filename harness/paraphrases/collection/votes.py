"""Votes of annotators on items, grades of an expert, and labels from votes (Xu et al. 2015, section 4.3)."""

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
