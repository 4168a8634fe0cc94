"""Errors of models: rows that some models get right and others wrong, and error rates by properties of rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from harness.evaluation.comparing.standings import Standing
from harness.metrics.choices import find_best, rate_matches, rate_success
from harness.metrics.rows import ScoredRows
from harness.models.registry import MODEL
from harness.reports.analysis import compute_leads, name_topics
from harness.reports.model_tables import Table, align_scored_rows
from harness.reports.rows import RowFacts, Texts, describe_rows, load_texts
from harness.stats.rounding import RoundedScores
from harness.support.arrays import Flags, Floats
from harness.support.errors import ComparisonError
from harness.text.pair_types import TYPES
from pyramid_paraphrase.errors import unknown_name
from pyramid_paraphrase.pyramids.sources import Source
from pyramid_paraphrase.rules.options import GRADED_PAIRS, MATCHES, QUESTIONS

_LENGTHS = (10, 15, 20, 30)
_LENGTH_NAMES = ("1 to 10", "11 to 15", "16 to 20", "21 to 30", "31 or more")
"""Maximum numbers of words of the slices by length, except the last slice, and the names of all slices."""

_MANY_SHARED = 6
"""Rows whose texts share at least this many words form one slice."""

_MANY_PARTS = 3
"""Rows with a text of at least this many parts form one slice."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions of models on the n rows of the test split of a test.

    Attributes:
        test_name: Name of the configuration.
        fingerprint: Fingerprint of the test.
        ids: The row ids.
        topics: The topics of each row, joined by a space.
        credits: By the name of the model, shape (n,). 1 for a right row, 0 for a wrong row, and the share of the tie
            for a question whose right option shares the highest score.
        margins: By the name of the model, shape (n,). The confidence of the model, in standard deviations of its
            scores: the distance of a pair or of the best option of a match from the threshold, or of the right option
            of a question from the best wrong option.
        standing: The models by the main metric of the test.
    """

    test_name: str
    fingerprint: str
    ids: list[str]
    topics: list[str]
    credits: Mapping[str, Floats]
    margins: Mapping[str, Floats]
    standing: Standing

    @property
    def competing(self) -> list[str]:
        """Names of the models that compete, so without people, shortcuts and chance."""
        return [member.name for member in self.standing.members if member.role == MODEL]


def decide(table: Table, test_name: str) -> Decisions | None:
    """Determine the rows of a test that the models of a table get right.

    Args:
        table: The models.
        test_name: Name of the configuration.

    Returns:
        The decisions. None if the pairs of the test have grades, so that no decision is right or wrong.

    Raises:
        ComparisonError: If the scored rows of a model do not match the fingerprint.
    """
    scored = list(align_scored_rows(table, test_name))
    key = scored[0][1]
    if key.kind == GRADED_PAIRS:
        return None
    model_credits, margins = {}, {}
    for row, rows in scored:
        model_credits[row.name], distances = _decide_rows(rows, row.tests[test_name].threshold)
        margins[row.name] = _standardize(distances, rows.scores)
    numbers = np.flatnonzero(key.is_test).tolist()
    return Decisions(
        test_name=test_name,
        fingerprint=table.fingerprints[test_name],
        ids=[key.ids[number] for number in numbers],
        topics=[name_topics(key, number) for number in numbers],
        credits=model_credits,
        margins=margins,
        standing=table.find_standing(test_name),
    )


def _standardize(distances: Floats, scores: Floats) -> Floats:
    """Divide distances by the standard deviation of scores. Without any deviation, they do not change.

    Both are first divided by the same power of two, because squares of very small or large numbers are 0 or infinite.
    """
    exponent = int(np.frexp(np.nanmax(np.abs(scores)))[1])
    deviation = float(np.nanstd(np.ldexp(scores, -exponent)))
    if not deviation:
        return distances
    return np.asarray(np.ldexp(distances, -exponent) / deviation)


def _decide_rows(rows: ScoredRows, threshold: float | None) -> tuple[Floats, Floats]:
    """Decide the rows of a test split.

    Returns:
        The credits, and the distances of scores: of pairs and of the highest scores of matches from the threshold, of
        the right options of questions from the best wrong options.
    """
    scores, targets = RoundedScores(rows.scores[rows.is_test]), rows.targets[rows.is_test]
    if rows.kind == QUESTIONS:
        return rate_success(scores, targets), np.abs(compute_leads(rows)[rows.is_test])
    assert threshold is not None  # pairs with labels and matches have a threshold
    if rows.kind == MATCHES:
        rates = rate_matches(scores, targets, threshold)
        return rates.right + rates.left_out, np.abs(find_best(scores, targets) - threshold)
    is_right = (scores >= threshold) == (targets == 1)
    return is_right.astype(np.float64), np.abs(scores - threshold)


def select_rows(decisions: Decisions, right: Sequence[str], wrong: Sequence[str]) -> Flags:
    """Select the rows that some models get right and others wrong.

    A tie does not count as right, because its credit is below 1.

    Args:
        decisions: The decisions.
        right: Names of models that are right on the rows.
        wrong: Names of models that are wrong on the rows.

    Returns:
        Shape (n,). True for selected rows.
    """
    is_selected = np.ones(len(decisions.ids), dtype=bool)
    for name in right:
        is_selected &= decisions.credits[name] == 1
    for name in wrong:
        is_selected &= decisions.credits[name] < 1
    return is_selected


class Slice(NamedTuple):
    """Rows with a common property.

    Attributes:
        dimension: The property: a key of `DIMENSIONS`, or "rows" with the value "all".
        value: The value of the property.
        rows: Number of rows.
        selected: Number of these rows that are selected.
        error_rates: Share of the rows that each model gets wrong, in [0, 1], by the name of the model. Ties count in
            part.
    """

    dimension: str
    value: str
    rows: int
    selected: int
    error_rates: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ErrorAnalysis:
    """The errors of models on a test.

    Attributes:
        decisions: The decisions of the models.
        facts: Properties of the rows, in the same order.
        right: Names of the models that are right on the selected rows.
        wrong: Names of the models that are wrong on the selected rows.
        selected: The selected rows, as indices, in groups about the same SCUs. The most confident errors of the models
            in `wrong` come first.
        slices: All rows, then slices of rows by property. Properties that all rows share are left out.
    """

    decisions: Decisions
    facts: Sequence[RowFacts]
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    selected: tuple[tuple[int, ...], ...]
    slices: tuple[Slice, ...]

    @property
    def selected_count(self) -> int:
        """Number of selected rows."""
        return sum(map(len, self.selected))


def analyse_errors(
    decisions: Decisions, facts: Mapping[str, RowFacts], right: Sequence[str], wrong: Sequence[str]
) -> ErrorAnalysis:
    """Find the rows that some models get right and others wrong.

    Args:
        decisions: The decisions of the models.
        facts: Properties of each row, by id.
        right: Names of models that are right on the rows.
        wrong: Names of models that are wrong on the rows. If empty, all other models that compete.

    Returns:
        The selected rows, in groups about the same SCUs, and the error rates by property.

    Raises:
        OptionError: If a name is not the name of a model.
        ComparisonError: If the facts are about other rows, or no model competes and none is named.
    """
    for name in (*right, *wrong):
        if name not in decisions.credits:
            raise unknown_name(f"model of {decisions.test_name}", name, list(decisions.credits))
    wrong = wrong or [name for name in decisions.competing if name not in right]
    if not (right or wrong):
        raise ComparisonError(
            f"the results on {decisions.test_name} are of people, shortcuts and chance only. Name models with --wrong"
        )
    if not facts.keys() >= set(decisions.ids):
        raise ComparisonError(
            f"the models were evaluated on other {decisions.test_name} rows. Use the data that they were evaluated on"
        )
    is_selected = select_rows(decisions, right, wrong)
    ordered = [facts[row_id] for row_id in decisions.ids]
    return ErrorAnalysis(
        decisions=decisions,
        facts=ordered,
        right=tuple(right),
        wrong=tuple(wrong),
        selected=_group_rows(decisions, ordered, is_selected, wrong),
        slices=tuple(_slice_rows(decisions, ordered, is_selected, [*right, *wrong])),
    )


def _group_rows(
    decisions: Decisions, facts: Sequence[RowFacts], is_selected: Flags, wrong: Sequence[str]
) -> tuple[tuple[int, ...], ...]:
    """Group the selected rows by their SCUs. The most confident errors come first, ties in the order of ids."""
    confidence = np.zeros(len(decisions.ids))
    for name in wrong:
        confidence += np.round(decisions.margins[name], 6)
    groups: dict[str, list[int]] = {}
    for row in sorted(np.flatnonzero(is_selected).tolist(), key=lambda row: (-confidence[row], decisions.ids[row])):
        groups.setdefault(facts[row].group or decisions.ids[row], []).append(row)
    return tuple(map(tuple, groups.values()))


def _slice_rows(
    decisions: Decisions, facts: Sequence[RowFacts], is_selected: Flags, names: Sequence[str]
) -> Iterable[Slice]:
    def cut(dimension: str, value: str, is_member: Flags) -> Slice:
        return Slice(
            dimension,
            value,
            rows=int(is_member.sum()),
            selected=int((is_member & is_selected).sum()),
            error_rates={name: float(1 - decisions.credits[name][is_member].mean()) for name in names},
        )

    yield cut("rows", "all", np.ones(len(facts), dtype=bool))
    all_values = list(map(_list_values, facts))
    for dimension, sort_key in DIMENSIONS.items():
        values = [row_values[dimension] for row_values in all_values]
        distinct = sorted(set(chain.from_iterable(values)), key=sort_key)
        if len(distinct) > 1:
            for value in distinct:
                yield cut(dimension, value, np.array([value in row_values for row_values in values]))


def _list_values(row: RowFacts) -> dict[str, tuple[str, ...]]:
    """List the values of a row by property. A property is empty if it is not known."""
    values = {
        "kind": (row.kind,),
        "words": (_LENGTH_NAMES[bisect_left(_LENGTHS, row.words)],),
        "shared words": (_name_number(row.shared, _MANY_SHARED),),
        "SCU weight": () if row.weight is None else (str(row.weight),),
        "parts": () if row.parts is None else (_name_number(row.parts, _MANY_PARTS),),
        "collection": (row.collections.replace(" ", " and "),) if row.collections else (),
        "type": row.types,
    }
    if row.parts == 0:
        values["parts"] = ("0 (labels)",)
    return values


def _name_number(number: int, many: int) -> str:
    return f"{many} or more" if number >= many else str(number)


def _read_number(value: str) -> int:
    return int(value.split()[0])


DIMENSIONS: dict[str, Callable[[str], Any]] = {
    "kind": str,
    "words": _read_number,
    "shared words": _read_number,
    "SCU weight": _read_number,
    "parts": _read_number,
    "collection": str,
    "type": TYPES.index,
}
"""Properties of rows, and the sort keys of their values."""


def find_errors(
    tables: Iterable[Table],
    data: Sequence[Source] | None,
    right: Sequence[str] = (),
    wrong: Sequence[str] = (),
    test_names: Sequence[str] | None = None,
) -> tuple[list[ErrorAnalysis], Texts]:
    """Find the errors of models on each test.

    Args:
        tables: The tables of the models.
        data: The data that the models were evaluated on. If None, the last build. Results on other data are left out.
        right: As for `analyse_errors`.
        wrong: As for `analyse_errors`.
        test_names: Names of configurations. If None, all tests of the tables. Tests with grades have no errors.

    Returns:
        The errors on each test, and the texts of its rows.

    Raises:
        PyramidParaphraseError: If the data cannot be used, all results on a test are on other data, a model is
            unknown, or no test has errors.
    """
    decisions: list[Decisions] = []
    for table in tables:
        names = [name for name in table.test_names if test_names is None or name in test_names]
        decisions += filter(None, (decide(table, name) for name in names))
    if not decisions:
        raise ComparisonError(
            "no result belongs to a test with right and wrong decisions. Use results of pairs or questions"
        )
    names = list(dict.fromkeys(decided.test_name for decided in decisions))
    texts = load_texts(data, names, [decided.fingerprint for decided in decisions])
    texts.require((decided.test_name, decided.fingerprint) for decided in decisions)
    analyses = []
    for decided in decisions:
        if texts.has_test(decided.fingerprint):
            facts = describe_rows(texts.find_test(decided.fingerprint))
            analyses.append(analyse_errors(decided, facts, right, wrong))
    return analyses, texts
