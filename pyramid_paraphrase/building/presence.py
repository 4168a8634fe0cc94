"""Build the configuration `presence` from peer annotations: does this summary express this SCU?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.building.peer_rows import (
    Bound,
    PeerTest,
    build_peer_test,
    describe_scu,
    is_usable,
    require_bounded,
)
from pyramid_paraphrase.building.rows import topic_of
from pyramid_paraphrase.building.splits import VALIDATION_PERCENT, choose_topics
from pyramid_paraphrase.catalog import find_collection
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import PeerAnnotation
from pyramid_paraphrase.rules.options import PRESENCE
from pyramid_paraphrase.rules.propositions import sha256_of

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
