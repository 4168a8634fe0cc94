"""Rows that some models get right and others wrong, and error rates of models by properties of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from harness.evaluation.comparing.standings import Standing
from harness.reports.error_analysis import Decisions, select_rows
from harness.reports.row_facts import TYPES, RowFacts
from harness.support.errors import ComparisonError
from pyramid_paraphrase.errors import unknown_name

Flags = npt.NDArray[np.bool_]
Values = tuple[str, ...]

_LENGTHS = (10, 15, 20, 30)
"""Maximum numbers of words of the slices by length, except the last slice."""

_MANY_SHARED = 6
"""Rows whose texts share at least this many words form one slice."""

_MANY_PARTS = 3
"""Rows with a text of at least this many parts form one slice."""


class ErrorRow(NamedTuple):
    """A selected row, and the number of similar rows.

    Attributes:
        row_id: Id of the row.
        topics: Names of its topics, joined by a space.
        facts: Properties of the row.
        alike: Number of further selected rows about the same SCUs.
        credits: The share of the row that each model gets right, in [0, 1], by the name of the model.
    """

    row_id: str
    topics: str
    facts: RowFacts
    alike: int
    credits: Mapping[str, float]


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
        test_name: Name of the configuration.
        fingerprint: Fingerprint of the test.
        right: Names of the models that are right on the selected rows.
        wrong: Names of the models that are wrong on the selected rows.
        standing: The models by the main metric of the test.
        row_count: Number of rows of the test split.
        selected: The selected rows, in groups about the same SCUs. The most confident errors of the models in `wrong`
            come first. `alike` is the number of further rows of the group.
        slices: All rows, then slices of rows by property. Properties that all rows share are left out.
    """

    test_name: str
    fingerprint: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    standing: Standing
    row_count: int
    selected: tuple[tuple[ErrorRow, ...], ...]
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
        test_name=decisions.test_name,
        fingerprint=decisions.fingerprint,
        right=tuple(right),
        wrong=tuple(wrong),
        standing=decisions.standing,
        row_count=len(decisions.ids),
        selected=tuple(_group_rows(decisions, facts, is_selected, wrong)),
        slices=tuple(_slice_rows(decisions, ordered, is_selected, [*right, *wrong])),
    )


def _group_rows(
    decisions: Decisions, facts: Mapping[str, RowFacts], is_selected: Flags, wrong: Sequence[str]
) -> list[tuple[ErrorRow, ...]]:
    """Group the selected rows by their SCUs. The most confident errors come first, ties in the order of ids."""
    confidence = np.zeros(len(decisions.ids))
    for name in wrong:
        confidence += np.round(decisions.margins[name], 6)
    numbers = sorted(
        np.flatnonzero(is_selected).tolist(), key=lambda number: (-confidence[number], decisions.ids[number])
    )
    groups: dict[str, list[int]] = {}
    for number in numbers:
        row_id = decisions.ids[number]
        groups.setdefault(facts[row_id].group or row_id, []).append(number)
    return [
        tuple(_describe(decisions, facts, number, len(members) - 1) for number in members)
        for members in groups.values()
    ]


def _describe(decisions: Decisions, facts: Mapping[str, RowFacts], number: int, alike: int) -> ErrorRow:
    row_id = decisions.ids[number]
    row_credits = {name: float(model_credits[number]) for name, model_credits in decisions.credits.items()}
    return ErrorRow(row_id, decisions.topics[number], facts[row_id], alike, row_credits)


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
    for dimension, (list_values, sort_key) in DIMENSIONS.items():
        values = [list_values(row) for row in facts]
        distinct = sorted(set(chain.from_iterable(values)), key=sort_key)
        if len(distinct) > 1:
            for value in distinct:
                yield cut(dimension, value, np.array([value in row_values for row_values in values]))


def _list_kinds(row: RowFacts) -> Values:
    return (row.kind,)


def _list_lengths(row: RowFacts) -> Values:
    lowest = 1
    for highest in _LENGTHS:
        if row.words <= highest:
            return (f"{lowest} to {highest}",)
        lowest = highest + 1
    return (f"{lowest} or more",)


def _list_shared(row: RowFacts) -> Values:
    return (_name_number(row.shared, _MANY_SHARED),)


def _list_weights(row: RowFacts) -> Values:
    return () if row.weight is None else (str(row.weight),)


def _list_parts(row: RowFacts) -> Values:
    if row.parts is None:
        return ()
    return (_name_number(row.parts, _MANY_PARTS),) if row.parts else ("0 (labels)",)


def _list_collections(row: RowFacts) -> Values:
    return (row.collections.replace(" ", " and "),) if row.collections else ()


def _list_types(row: RowFacts) -> Values:
    return row.types


def _name_number(number: int, many: int) -> str:
    return f"{many} or more" if number >= many else str(number)


def _read_number(value: str) -> int:
    return int(value.split()[0])


DIMENSIONS: dict[str, tuple[Callable[[RowFacts], Values], Callable[[str], Any]]] = {
    "kind": (_list_kinds, str),
    "words": (_list_lengths, _read_number),
    "shared words": (_list_shared, _read_number),
    "SCU weight": (_list_weights, _read_number),
    "parts": (_list_parts, _read_number),
    "collection": (_list_collections, str),
    "type": (_list_types, TYPES.index),
}
"""Properties of rows: a function that lists the values of a row (none if unknown), and the sort key of the values."""
