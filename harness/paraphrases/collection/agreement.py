"""Votes of annotators, and their agreement with each other and with an expert (Xu et al. 2015, section 4.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from harness.files.columns import Field, is_missing, parse_yes_no, read_table, read_values
from harness.files.tables import Table
from harness.metrics.graded_pairs import pearson
from harness.metrics.pairs import rate_decisions
from harness.rendering.tables import join_some
from harness.stats.agreement import MAX_ITERATIONS, compute_alpha, compute_kappa, fit_dawid_skene
from harness.stats.rounding import DECIMALS
from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.formats.pairs.corpora import HIGHEST_GRADE, LABELS_OF_GRADES
from pyramid_paraphrase.formats.pairs.files import DEBATABLE

_logger = make_logger(__name__)

_ITEM = Field("item", ("itemid", "pair", "pairid", "question", "questionid", "task", "taskid", "id"))
VOTE_FIELDS = (
    _ITEM,
    Field("annotator", ("annotatorid", "worker", "workerid", "judge", "rater", "assessor"), is_required=False),
    Field("vote", ("label", "answer", "judgement", "judgment"), is_required=False),
)
GRADE_FIELDS = (_ITEM, Field("grade", ("score", "rating")))
_GIVE_VOTES = "use a table with the columns item, annotator and vote, or item and a column per annotator"
SHEET_TEXTS = ("reference_phrase", "system_phrase", "reference_sentence", "system_sentence")
"""Columns of sheets of matched paraphrases, to which annotators add a column each."""

TALLY_COLUMNS = ("item", "yes", "votes", "label")
MAX_VOTES = 200
"""Maximum number of votes on an item. It bounds the run time, because agreement compares all pairs of votes."""


def read_votes(path: Path, columns: Mapping[str, str]) -> dict[tuple[str, str], int]:
    """Read a table of votes, in any form: a row per vote, or a row per item and a column per annotator.

    Args:
        path: The file.
        columns: Names of columns by field of `VOTE_FIELDS`.

    Returns:
        1 for a paraphrase and 0 otherwise, by item and annotator.

    Raises:
        InputError: If the file does not have the columns, a vote is no word for yes or no, or an annotator votes twice
            on an item.
        LimitError: If an item has more than `MAX_VOTES` votes.
    """
    table, places = read_table(path, VOTE_FIELDS, columns, _GIVE_VOTES)
    rows = list(_list_votes(table, places))
    if not rows:
        raise table.refuse("has no vote", "add a column per annotator, and fill it in")
    votes, counts = dict[tuple[str, str], int](), Counter[str]()
    for number, item, annotator, vote in rows:
        answer = parse_yes_no(vote)
        if answer is None:
            reason = f"expected the vote 0 or 1, found '{vote[:40]}'"
            raise table.refuse(reason, "write 1 for a paraphrase, otherwise 0", number)
        if (item, annotator) in votes:
            reason = f"has a second vote of annotator {annotator} on item {item}"
            raise table.refuse(reason, "keep only one of the two votes", number)
        counts[item] += 1
        if counts[item] > MAX_VOTES:
            reason, (file, line) = f"item {item} has more than {MAX_VOTES} votes", table.locate(number)
            raise LimitError(file, reason, f"keep {MAX_VOTES} of its votes", line)
        votes[item, annotator] = int(answer)
    return votes


def _list_votes(table: Table, places: Mapping[str, int]) -> Iterator[tuple[int, str, str, str]]:
    """Yield the number of the row, the item, the annotator and the text of each vote.

    Raises:
        InputError: If a cell is empty, or a table without columns of annotators and votes has other columns than votes.
    """
    is_wide = not {"annotator", "vote"} & places.keys()
    if not is_wide and len(places) < len(VOTE_FIELDS):
        missing = next(field.name for field in VOTE_FIELDS if field.name not in places)
        raise table.refuse(f"has no column for {missing}. Its columns are {table.describe()}", _GIVE_VOTES)
    others = {table.names[places["item"]], *SHEET_TEXTS}
    annotators = [name for name in table.names if name not in others]
    if is_wide and annotators:
        columns = join_some(annotators)
        _logger.warning("%s: the columns %s are read as the votes of an annotator each", table.file, columns)
    for number, cells in table.rows:
        values = [(cell or "").strip() for cell in cells]
        item = values[places["item"]]
        if is_wide:
            named_values = zip(table.names, values, strict=True)
            votes = [(name, value) for name, value in named_values if name in annotators and not is_missing(value)]
        else:
            votes = [(values[places["annotator"]], values[places["vote"]])]
        for annotator, vote in votes:
            for field, value in (("item", item), ("annotator", annotator), ("vote", vote)):
                if not value:
                    raise table.refuse(f"{field} is empty", "fill it in, or remove the line", number)
            yield number, item, annotator, vote


def read_grades(path: Path, voted: Iterable[str], columns: Mapping[str, str]) -> dict[str, int]:
    """Read a table of an expert's grades.

    Args:
        path: The file.
        voted: The items that have votes.
        columns: Names of columns by field of `GRADE_FIELDS`.

    Returns:
        Grades from 0 to `HIGHEST_GRADE`, by item.

    Raises:
        InputError: If the file does not have the columns `GRADE_FIELDS`, a grade is not from 0 to `HIGHEST_GRADE`, or
            an item has two grades or no votes.
    """
    items_with_votes, grades = set(voted), dict[str, int]()
    table, rows = read_values(path, GRADE_FIELDS, columns, "use a table with the columns item and grade")
    for number, (item, grade) in rows:
        if grade.removesuffix(".0") not in map(str, range(HIGHEST_GRADE + 1)):
            remedy = f"use a whole number from 0 to {HIGHEST_GRADE}"
            raise table.refuse(f"has the invalid grade '{grade[:40]}'", remedy, number)
        if item in grades:
            raise table.refuse(f"has a second grade of item {item}", "keep only one of the two grades", number)
        if item not in items_with_votes:
            raise table.refuse(f"item {item} has no votes", "remove the line, or add votes on the item", number)
        grades[item] = int(grade.removesuffix(".0"))
    return grades


def tally_votes(votes: Mapping[tuple[str, str], int]) -> dict[str, tuple[int, int]]:
    """Count the yes votes, and all votes, on each item. Items are in the order of their first votes."""
    tallies: dict[str, tuple[int, int]] = {}
    for (item, _), vote in votes.items():
        yes, count = tallies.get(item, (0, 0))
        tallies[item] = (yes + vote, count + 1)
    return tallies


def label_by_votes(yes: int, votes: int) -> int:
    """Label an item by the number of yes votes, and of all votes.

    With 5 votes, at least 3 yes votes make a paraphrase, 2 yes votes are debatable, and fewer make a non-paraphrase.
    For other numbers of votes, a share of at least 3/5 makes a paraphrase, and a share of at most 1/5 a non-paraphrase.

    Returns:
        1 for a paraphrase, 0 for a non-paraphrase, or `DEBATABLE`.
    """
    if 5 * yes >= 3 * votes:
        return 1
    if 5 * yes <= votes:
        return 0
    return DEBATABLE


def list_tallies(
    tallies: Mapping[str, tuple[int, int]], estimates: Estimates | None = None
) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """List the votes and the label of each item, with the columns `TALLY_COLUMNS`.

    Args:
        tallies: Numbers of yes votes and of all votes, by item.
        estimates: Estimates for the labels, which add a column with the probability. None for labels by votes.

    Returns:
        The names of the columns, and the rows.
    """
    if estimates is None:
        rows = [(item, yes, votes, label_by_votes(yes, votes)) for item, (yes, votes) in tallies.items()]
        return TALLY_COLUMNS, [*rows]
    estimated: list[tuple[object, ...]] = []
    for item, (yes, votes) in tallies.items():
        estimated.append((item, yes, votes, estimates.label(item), estimates.probabilities[item]))
    return (*TALLY_COLUMNS, "probability"), estimated


def count_paraphrases(items: Iterable[str], tallies: Mapping[str, tuple[int, int]]) -> int | None:
    """Count the items that are paraphrases by their votes. Return None if none of them has votes."""
    voted = [tallies[item] for item in items if item in tallies]
    return sum(label_by_votes(*tally) == 1 for tally in voted) if voted else None


def measure_alpha(tallies: Mapping[str, tuple[int, int]]) -> tuple[float, int]:
    """Compute Krippendorff's alpha of the votes, and the number of items with at least two votes, which it uses.

    Alpha is NaN if it is not defined, because all these votes are equal, or there are none.
    """
    yes, votes = np.array([tally for tally in tallies.values() if tally[1] > 1], dtype=np.int64).reshape(-1, 2).T
    no = votes - yes
    coincidences = ((yes * (yes - 1) + no * (no - 1)) / (votes - 1)).sum()
    answers = np.array([no.sum(), yes.sum()])
    return float(compute_alpha(np.array([coincidences]), answers[None])[0]), len(votes)


class Estimates(NamedTuple):
    """Estimates by the model of Dawid and Skene (1979), which weighs votes by the errors of annotators.

    Attributes:
        probabilities: The probability that an item is a paraphrase, by item.
        annotators: Sensitivity and specificity by annotator: the shares of right votes on paraphrases and on other
            items.
        share: The estimated share of paraphrases.
        is_settled: Whether the estimates no longer changed.
    """

    probabilities: Mapping[str, float]
    annotators: Mapping[str, tuple[float, float]]
    share: float
    is_settled: bool

    def label(self, item: str) -> int:
        """Return 1 for a paraphrase, whose probability is at least 0.5, and 0 for another item."""
        return int(self.probabilities[item] >= _LEAST_OF_PARAPHRASE)


_LEAST_OF_PARAPHRASE = 0.5


def estimate_labels(votes: Mapping[tuple[str, str], int]) -> Estimates:
    """Estimate the labels of items and the errors of annotators together, from votes by item and annotator."""
    items = {item: number for number, item in enumerate(dict.fromkeys(item for item, _ in votes))}
    names = {name: number for number, name in enumerate(sorted({annotator for _, annotator in votes}))}
    rows = np.array([(items[item], names[annotator], vote) for (item, annotator), vote in votes.items()])
    model = fit_dawid_skene(*rows.T)
    rates = zip(model.sensitivity.round(DECIMALS).tolist(), model.specificity.round(DECIMALS).tolist(), strict=True)
    return Estimates(
        probabilities=dict(zip(items, model.probabilities.round(DECIMALS).tolist(), strict=True)),
        annotators=dict(zip(names, rates, strict=True)),
        share=round(model.share, DECIMALS),
        is_settled=model.iterations < MAX_ITERATIONS,
    )


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


def rate_annotators(votes: Mapping[tuple[str, str], int]) -> list[Annotator]:
    """Compare each annotator with every other annotator who voted on the same items, by Cohen's kappa.

    An annotator's kappa is the mean over the other annotators, weighted by the number of shared items. The mean leaves
    out annotators with whom kappa is not defined. They are counted.

    Args:
        votes: Votes by item and annotator.

    Returns:
        Annotators by ascending kappa. Annotators without kappa come last.
    """
    names = sorted({annotator for _, annotator in votes})
    numbers = {name: number for number, name in enumerate(names)}
    by_annotator: dict[str, list[tuple[str, int]]] = {name: [] for name in names}
    by_item: dict[str, list[tuple[int, int]]] = {}
    for (item, annotator), vote in votes.items():
        by_annotator[annotator].append((item, vote))
        by_item.setdefault(item, []).append((numbers[annotator], vote))
    annotators = [_rate(name, numbers[name], votes_of_name, by_item) for name, votes_of_name in by_annotator.items()]
    return sorted(annotators, key=lambda annotator: (annotator.kappa is None, annotator.kappa or 0.0))


def drop_annotators(
    votes: Mapping[tuple[str, str], int], annotators: Sequence[Annotator], min_kappa: float
) -> dict[tuple[str, str], int]:
    """Drop the votes of annotators whose kappa is below `min_kappa`. Annotators without kappa are kept."""
    dropped = {rated.name for rated in annotators if rated.kappa is not None and rated.kappa < min_kappa}
    return {(item, annotator): vote for (item, annotator), vote in votes.items() if annotator not in dropped}


def _rate(
    name: str, number: int, votes: Sequence[tuple[str, int]], by_item: Mapping[str, Sequence[tuple[int, int]]]
) -> Annotator:
    """Rate an annotator by the mean of Cohen's kappa with each other annotator.

    Args:
        name: Name of the annotator.
        number: Number of the annotator.
        votes: Items that the annotator voted on, and the votes.
        by_item: Numbers of the annotators who voted on each item, and their votes.
    """
    # One row per shared item and voter: number of the voter, vote of the annotator, vote of the voter.
    rows = []
    for item, vote in votes:
        rows += [(peer, vote, peer_vote) for peer, peer_vote in by_item[item]]
    table = np.array(rows)
    peer_numbers, annotator_votes, peer_votes = table[table[:, 0] != number].T
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
        yes=sum(vote for _, vote in votes),
        others=int(defined.sum()),
        undefined=int((~defined).sum()),
        shared=int(weights.sum()),
        kappa=mean_kappa,
    )


class ExpertAgreement(NamedTuple):
    """The agreement of votes with an expert's grades.

    Attributes:
        items: Number of items with votes and a grade.
        table: By the number of yes votes and of all votes, the number of items with each grade from 0 to
            `HIGHEST_GRADE`.
        pearson: Pearson's correlation of the share of yes votes with the grade, in [-1, 1].
        counts: Confusion matrix of the labels by votes against the labels by grade, without debatable items: true
            positives, false positives, false negatives and true negatives.
        debatable: Number of items that are debatable by votes, by grade, or by both.
        rates: F, precision and recall of the labels by votes, in [0, 1]. They are 0 where the denominator is 0.
    """

    items: int
    table: Mapping[tuple[int, int], list[int]]
    pearson: float
    counts: tuple[int, int, int, int]
    debatable: int
    rates: Mapping[str, float]


def compare_with_expert(tallies: Mapping[str, tuple[int, int]], grades: Mapping[str, int]) -> ExpertAgreement:
    """Compare the votes on items with an expert's grades.

    Votes and grades become labels. Items with at least 3 of 5 yes votes, or with grade 4 or 5, are paraphrases. Items
    with 2 of 5 yes votes, or with grade 3, are debatable and left out. The remaining items are not paraphrases.

    Args:
        tallies: Numbers of yes votes and of all votes, by item.
        grades: Grades by item, for a subset of the items with votes.

    Returns:
        The agreement on the items that have grades.

    Raises:
        ValueError: If all grades, or all shares of yes votes, are equal. The correlation is then not defined.
    """
    rows = [(tallies[item], grade) for item, grade in grades.items()]
    shares, all_grades = [yes / votes for (yes, votes), _ in rows], list(grades.values())
    for values, name in ((all_grades, "grade"), (shares, "share of yes votes")):
        if len(set(values)) == 1:
            raise ValueError(f"every {name} is {values[0]:g}")
    table: dict[tuple[int, int], list[int]] = {}
    for votes in sorted({votes for (_, votes), _ in rows}):
        table |= {(yes, votes): [0] * (HIGHEST_GRADE + 1) for yes in range(votes + 1)}
    for tally, grade in rows:
        table[tally][grade] += 1
    labels = np.array([(label_by_votes(*tally), LABELS_OF_GRADES[grade]) for tally, grade in rows])
    clear = labels[(labels != DEBATABLE).all(axis=1)]
    voted, graded = clear[:, 0] == 1, clear[:, 1] == 1
    cells = (voted & graded, voted & ~graded, ~voted & graded, ~voted & ~graded)
    hits, false_alarms, misses, rejections = (int(cell.sum()) for cell in cells)
    rates = rate_decisions(hits, false_alarms, misses, rejections)
    return ExpertAgreement(
        items=len(rows),
        table=table,
        pearson=pearson(shares, all_grades),
        counts=(hits, false_alarms, misses, rejections),
        debatable=len(labels) - len(clear),
        rates={name: float(rates[name]) for name in ("f1", "precision", "recall")},
    )
