"""Build the configuration `presence` from peer annotations: does this summary express this SCU?

The functions before it are also those of `peers`: selection of annotations, texts of SCUs, and splits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

import pyarrow as pa

from pyramid_paraphrase.building.built_tests import BuiltTest, fingerprint_rows, make_tables
from pyramid_paraphrase.building.splits import VALIDATION_PERCENT, choose_topics
from pyramid_paraphrase.catalog import find_collection, topic_of
from pyramid_paraphrase.errors import EmptyResultError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import NON_MATCHING_UID, PeerAnnotation, Scu
from pyramid_paraphrase.rules.options import PRESENCE, TEST, VALIDATION, find_configuration
from pyramid_paraphrase.rules.propositions import sha256_of


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


_TEXT = pa.string()

SCHEMA = pa.schema(
    [
        ("id", _TEXT),
        ("scu_text", _TEXT),
        ("sentences", pa.list_(_TEXT)),
        ("label", pa.int64()),
        ("topic", _TEXT),
        ("collection", _TEXT),
        ("pyramid", _TEXT),
        ("scu", _TEXT),
        ("peer", _TEXT),
        ("annotator", _TEXT),
        ("weight", pa.int32()),
    ]
)
"""Columns of the rows. ``sentences`` are the sentences of the summary of ``peer``, at least one. ``label`` is 1 if
people found the SCU in the summary. ``weight`` is the weight of the SCU. Builds of earlier releases have no weights."""

LABEL_NAMES = ("absent", "present")

SUMMARIES_LEFT_OUT = "summaries_left_out"
"""Key of the number of annotated summaries without rows."""


class _Row(NamedTuple):
    """A row of the test, with the names of `SCHEMA`."""

    id: str
    scu_text: str
    sentences: Sequence[str]
    label: int
    topic: str
    collection: str
    pyramid: str
    scu: str
    peer: str
    annotator: str
    weight: int


def build_presence_test(corpus: Corpus) -> BuiltTest:
    """Build the configuration `presence`: a row for every annotated summary and every SCU of its pyramid.

    Annotations that `peer_rows.is_usable` rejects are left out. The threshold is fitted on 10 % of the topics.

    Args:
        corpus: The corpus.

    Returns:
        Its rows, counts and fingerprint.

    Raises:
        EmptyResultError: If there are no annotations, there is only one topic, or a split has no present SCU.
        LimitError: If there are more rows or longer summaries than `limits` allows.
    """
    used = [annotation for annotation in corpus.annotations if is_usable(annotation)]
    if not used:
        remedy = "Add peer annotations (.pan), or a corpus of SCU labels such as REALSumm"
        reason = "there are none"
        if count := len(corpus.annotations):
            reason = f"none of {count:,} can be used: their summaries have no text, or SCUs that are not in the pyramid"
        raise EmptyResultError(f"{PRESENCE} requires annotated summaries, but {reason}. {remedy}")
    _require_bounded(used, corpus.files)
    rows = [row for annotation in used for row in _list_rows(annotation)]
    counts = {"summaries": len(used), SUMMARIES_LEFT_OUT: len(corpus.annotations) - len(used)}
    test = PeerTest(
        PRESENCE, rows, SCHEMA, _choose_validation, is_positive=lambda row: row.label == 1, positive="present SCU"
    )
    return build_peer_test(test, counts)


def _choose_validation(rows: Sequence[_Row]) -> list[bool]:
    topics = choose_topics((row.topic for row in rows), VALIDATION_PERCENT)
    return [row.topic in topics for row in rows]


def _require_bounded(annotations: Iterable[PeerAnnotation], files: Mapping[str, str]) -> None:
    """Check that the rows fit in memory.

    Args:
        annotations: The annotations that rows are made of.
        files: The file of each pyramid, by the pyramid's id.

    Raises:
        LimitError: If they do not fit. The error names the first annotation that exceeds a limit.
    """
    rows = size = sentences = 0
    for annotation in annotations:
        scus = annotation.pyramid.scus
        rows += len(scus)
        size += len(scus) * len(annotation.text.encode()) + sum(len(describe_scu(scu).encode()) for scu in scus)
        sentences = max(sentences, annotation.text.count("\n") + 1)
        bounds = (
            Bound(sentences, limits.MAX_SUMMARY_SENTENCES, "sentences in the summary"),
            Bound(rows, limits.MAX_LABELS, "rows up to the summary"),
            Bound(size, limits.MAX_PRESENCE_BYTES, "bytes in the rows up to the summary"),
            Bound(
                rows * sentences,
                limits.MAX_PRESENCE_SENTENCES,
                "sentences (rows times sentences of the longest summary) up to the summary",
            ),
        )
        require_bounded(PRESENCE, annotation, files, bounds)


def _list_rows(annotation: PeerAnnotation) -> Iterator[_Row]:
    pyramid = annotation.pyramid
    sentences = [sentence for line in annotation.text.split("\n") if (sentence := " ".join(line.split()))]
    matched = {scu.uid for scu in annotation.scus}
    for scu in pyramid.scus:
        text = describe_scu(scu)
        yield _Row(
            id=sha256_of(PRESENCE, pyramid.id, scu.uid, annotation.peer, annotation.annotator, text, *sentences),
            scu_text=text,
            sentences=sentences,
            label=int(scu.uid in matched),
            topic=topic_of(pyramid.id),
            collection=find_collection(pyramid.id).name,
            pyramid=pyramid.id,
            scu=scu.uid,
            peer=annotation.peer,
            annotator=annotation.annotator,
            weight=scu.weight,
        )
