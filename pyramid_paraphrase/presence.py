"""Build the configuration `presence` from peer annotations: does this summary express this SCU?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from pyramid_paraphrase import limits
from pyramid_paraphrase.built_tests import BuiltTest, make_tables
from pyramid_paraphrase.catalog import find_collection
from pyramid_paraphrase.corpus import Corpus
from pyramid_paraphrase.errors import EmptyResultError, LimitError
from pyramid_paraphrase.options import PRESENCE, find_configuration
from pyramid_paraphrase.propositions import sha256_of
from pyramid_paraphrase.records import NON_MATCHING_UID, PeerAnnotation, Scu
from pyramid_paraphrase.rows import fingerprint_rows, topic_of
from pyramid_paraphrase.splits import TEST, VALIDATION, VALIDATION_PERCENT, choose_topics

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
    ]
)
"""Columns of the rows. ``sentences`` are those of the summary of ``peer``, at least one. ``label`` is 1 if people found
the SCU in the summary."""

LABEL_NAMES = ("absent", "present")

SUMMARIES_LEFT_OUT = "summaries_left_out"
"""Name of the number of annotated summaries that no rows are made of."""


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


class _Rows:
    """All rows of a corpus, in the order of their ids."""

    def __init__(self, annotations: Sequence[PeerAnnotation]) -> None:
        self._rows = sorted(row for annotation in annotations for row in _list_rows(annotation))

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[_Row]:
        return iter(self._rows)

    def table(self, numbers: Sequence[int]) -> pa.Table:
        """Make a table of some rows."""
        columns = zip(*(self._rows[number] for number in numbers), strict=True)
        return pa.table(dict(zip(SCHEMA.names, map(list, columns), strict=True)), schema=SCHEMA)


def build_presence_test(corpus: Corpus) -> BuiltTest:
    """Build the configuration `presence`: a row for every annotated summary and every SCU of its pyramid.

    An SCU is given by its label, or by its first contributor if it has no label. Annotations of a summary without text
    are left out, and so are those with an SCU that is not in their pyramid: the uids of both differ in some years, so
    that nothing says which SCUs are absent. The threshold is fitted on whole topics, 10 % of them.

    Args:
        corpus: The corpus.

    Returns:
        Its rows, counts and fingerprint.

    Raises:
        EmptyResultError: If there is no annotation, only one topic, or no present SCU in a split.
        LimitError: If there are more rows or longer summaries than `limits` allows.
    """
    used = [annotation for annotation in corpus.annotations if _is_usable(annotation)]
    if not used:
        remedy = "give peer annotations (.pan), or a corpus of SCU labels such as REALSumm"
        raise EmptyResultError(f"the sources hold no annotated summary for {PRESENCE}; {remedy}")
    _require_bounded(used, corpus.files)
    rows = _Rows(used)
    validation = choose_topics((row.topic for row in rows), VALIDATION_PERCENT)
    members: dict[str, list[int]] = {TEST: [], VALIDATION: []}
    present: Counter[str] = Counter()
    for number, row in enumerate(rows):
        split = VALIDATION if row.topic in validation else TEST
        members[split].append(number)
        present[split] += row.label
    for split in members:
        if not present[split]:
            raise EmptyResultError(f"the {split} split of {PRESENCE} would have no present SCU; give more topics")
    splits = {split: make_tables(rows.table, numbers) for split, numbers in members.items()}
    counts = {
        "summaries": len(used),
        SUMMARIES_LEFT_OUT: len(corpus.annotations) - len(used),
        "positives": present.total(),
        "negatives": len(rows) - present.total(),
        **{f"{split}_rows": len(numbers) for split, numbers in members.items()},
    }
    return BuiltTest(
        configuration=find_configuration(PRESENCE),
        options=None,
        splits=splits,
        collections=tuple(sorted({row.collection for row in rows})),
        counts=counts,
        fingerprint=fingerprint_rows(splits),
    )


def _is_usable(annotation: PeerAnnotation) -> bool:
    uids = {scu.uid for scu in annotation.pyramid.scus}
    matched = {scu.uid for scu in annotation.scus} - {NON_MATCHING_UID}
    return bool(annotation.text.strip()) and matched <= uids


def _require_bounded(annotations: Iterable[PeerAnnotation], files: Mapping[str, str]) -> None:
    """Check that the rows fit in memory.

    Args:
        annotations: The annotations that rows are made of.
        files: The file of each pyramid, by the pyramid's id.

    Raises:
        LimitError: If they do not. The error names the annotation that is too much.
    """
    rows = size = sentences = 0
    for annotation in annotations:
        scus = annotation.pyramid.scus
        rows += len(scus)
        size += len(scus) * len(annotation.text.encode()) + sum(len(_describe_scu(scu).encode()) for scu in scus)
        sentences = max(sentences, annotation.text.count("\n") + 1)
        for value, limit, unit in (
            (sentences, limits.MAX_SUMMARY_SENTENCES, "sentences in the summary"),
            (rows, limits.MAX_LABELS, "rows up to the summary"),
            (size, limits.MAX_PRESENCE_BYTES, "bytes in the rows up to the summary"),
            (rows * sentences, limits.MAX_PRESENCE_SENTENCES, "sentences, rows times those of the longest, up to that"),
        ):
            if value > limit:
                file = files.get(annotation.pyramid.id, annotation.pyramid.id)
                reason = f"{PRESENCE} has more than {limit:,} {unit} by {annotation.peer}"
                raise LimitError(file, reason, "give fewer annotations, or shorter summaries")


def _list_rows(annotation: PeerAnnotation) -> Iterator[_Row]:
    pyramid = annotation.pyramid
    sentences = [sentence for line in annotation.text.split("\n") if (sentence := " ".join(line.split()))]
    matched = {scu.uid for scu in annotation.scus}
    for scu in pyramid.scus:
        text = _describe_scu(scu)
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
        )


def _describe_scu(scu: Scu) -> str:
    return " ".join((scu.label or scu.contributors[0].text).split())
