"""Functions that the tests of peers' summaries share: selection of annotations, texts of SCUs, and splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

import pyarrow as pa

from pyramid_paraphrase.building.built_tests import BuiltTest, make_tables
from pyramid_paraphrase.building.rows import fingerprint_rows
from pyramid_paraphrase.errors import EmptyResultError, LimitError
from pyramid_paraphrase.pyramids.records import NON_MATCHING_UID, PeerAnnotation, Scu
from pyramid_paraphrase.rules.options import TEST, VALIDATION, find_configuration


class PeerRow(Protocol):
    """A row of a test of peers' summaries, a named tuple whose fields are the columns of its schema."""

    @property
    def id(self) -> str:
        """SHA-256 in hexadecimal digits, unique in the test."""

    @property
    def topic(self) -> str:
        """The topic of its pyramid."""

    @property
    def collection(self) -> str:
        """The collection of its pyramid."""


Row = TypeVar("Row", bound=PeerRow)


@dataclass(frozen=True, slots=True)
class PeerTest(Generic[Row]):
    """The rows of a test of peers' summaries, and the requirements on their splits.

    Attributes:
        name: Name of the configuration.
        rows: The rows, in any order.
        schema: The columns of the rows.
        choose_validation: Returns whether each row is in the validation split, where thresholds are fitted.
        is_positive: Returns whether a row is positive: its summary or fragment expresses an SCU. Each split must have a
            positive row.
        positive: The term for a positive row, for errors.
    """

    name: str
    rows: Sequence[Row]
    schema: pa.Schema
    choose_validation: Callable[[Sequence[Row]], Sequence[bool]]
    is_positive: Callable[[Row], bool]
    positive: str


def is_usable(annotation: PeerAnnotation) -> bool:
    """Return whether rows can be made of an annotation.

    Its summary must have a text, and all its SCUs must be in its pyramid. In some years, the uids of annotation and
    pyramid differ, so that the absent SCUs are not known.
    """
    uids = {scu.uid for scu in annotation.pyramid.scus}
    matched = {scu.uid for scu in annotation.scus} - {NON_MATCHING_UID}
    return bool(annotation.text.strip()) and matched <= uids


def describe_scu(scu: Scu) -> str:
    """Return the label of an SCU, or its first contributor if it has no label."""
    return " ".join((scu.label or scu.contributors[0].text).split())


def build_peer_test(test: PeerTest[Row], counts: Mapping[str, int]) -> BuiltTest:
    """Divide the rows of a test into splits.

    Args:
        test: The rows.
        counts: Numbers of the records that the rows were made from.

    Returns:
        The rows in the order of their ids, counts and fingerprint.

    Raises:
        EmptyResultError: If a split has no positive row.
    """
    rows = sorted(test.rows, key=lambda row: row.id)
    members: dict[str, list[int]] = {TEST: [], VALIDATION: []}
    positives: Counter[str] = Counter()
    for number, (row, is_validation) in enumerate(zip(rows, test.choose_validation(rows), strict=True)):
        split = VALIDATION if is_validation else TEST
        members[split].append(number)
        positives[split] += test.is_positive(row)
    for split in members:
        if not positives[split]:
            reason = f"the {split} split of {test.name} would have no {test.positive}"
            raise EmptyResultError(f"{reason}. Add topics")

    def make_table(numbers: Sequence[int]) -> pa.Table:
        columns = zip(*(rows[number] for number in numbers), strict=True)
        return pa.table(dict(zip(test.schema.names, map(list, columns), strict=True)), schema=test.schema)

    splits = {split: make_tables(make_table, numbers) for split, numbers in members.items()}
    return BuiltTest(
        configuration=find_configuration(test.name),
        options=None,
        splits=splits,
        collections=tuple(sorted({row.collection for row in rows})),
        counts={
            **counts,
            "positives": positives.total(),
            "negatives": len(rows) - positives.total(),
            **{f"{split}_rows": len(numbers) for split, numbers in members.items()},
        },
        fingerprint=fingerprint_rows(splits),
    )


class Bound(NamedTuple):
    """A size that must not be exceeded.

    Attributes:
        size: The size so far.
        limit: Its upper bound, from `limits`.
        unit: The unit of the size, for errors.
    """

    size: int
    limit: int
    unit: str


def require_bounded(name: str, annotation: PeerAnnotation, files: Mapping[str, str], bounds: Iterable[Bound]) -> None:
    """Check that the rows of the annotations so far fit in memory.

    Args:
        name: Name of the configuration.
        annotation: The last annotation.
        files: The file of each pyramid, by the pyramid's id.
        bounds: The sizes of the rows.

    Raises:
        LimitError: If a size exceeds its limit. The error names the annotation.
    """
    for size, limit, unit in bounds:
        if size > limit:
            file = files.get(annotation.pyramid.id, annotation.pyramid.id)
            reason = f"{name} has more than {limit:,} {unit} by peer {annotation.peer}"
            raise LimitError(file, reason, "use fewer annotations, or shorter summaries")
