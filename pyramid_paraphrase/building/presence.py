"""Build the configurations `presence` and `presence_grades` from peer annotations: does this summary express this SCU?

The first functions are also those of `peers`: selection of annotations, texts of SCUs, and splits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import pyarrow as pa

from pyramid_paraphrase.building.built_tests import BuiltTest, fingerprint_rows, make_tables
from pyramid_paraphrase.building.rows import VOTES
from pyramid_paraphrase.building.splits import VALIDATION_PERCENT, choose_topics
from pyramid_paraphrase.catalog import documents_of, find_collection, topic_of
from pyramid_paraphrase.errors import EmptyResultError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.formats.pairs.files import DEBATABLE
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import NON_MATCHING_UID, PeerAnnotation, Scu
from pyramid_paraphrase.rules.options import PRESENCE, PRESENCE_GRADES, TEST, VALIDATION, find_configuration
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

GRADED_SCHEMA = SCHEMA.insert(SCHEMA.get_field_index("label") + 1, pa.field("grade", pa.int64()))
"""Columns of the rows of `presence_grades`. ``label`` is -1 if the summary expresses the SCU only in part."""

GRADES = {0: 0, DEBATABLE: 3, 1: 5}
"""Grade by label, on the scale of `LABELS_OF_GRADES`, where 3 is debatable."""

LABEL_NAMES = ("absent", "present")

SUMMARIES_LEFT_OUT = "summaries_left_out"
"""Key of the number of annotated summaries without rows."""

UNITS_LEFT_OUT = "units_left_out"
"""Key of the number of units of summaries without rows, because nobody judged them."""
PARTLY_PRESENT, PARTLY_PRESENT_LEFT_OUT = "partly_present", "partly_present_left_out"
"""Keys of the numbers of SCUs that summaries express only in part: rows of `presence_grades`, and SCUs without rows.
Counts have them only if an annotation distinguishes these SCUs."""


def is_usable(annotation: PeerAnnotation) -> bool:
    """Return whether rows can be made of an annotation.

    Its summary must have a text, and all its SCUs must be in its pyramid. In some years, the uids of annotation and
    pyramid differ, so that the absent SCUs are not known.
    """
    uids = {scu.uid for scu in annotation.pyramid.scus}
    matched = {scu.uid for scu in (*annotation.scus, *annotation.partial)} - {NON_MATCHING_UID}
    return bool(annotation.text.strip()) and matched <= uids


def describe_scu(scu: Scu) -> str:
    """Return the label of an SCU, or its first contributor if it has no label."""
    return " ".join((scu.label or scu.contributors[0].text).split())


def list_sentences(annotation: PeerAnnotation) -> list[str]:
    """Return the lines of a summary that are not empty, which are its sentences."""
    return [sentence for line in annotation.text.split("\n") if (sentence := " ".join(line.split()))]


def build_peer_test(
    name: str,
    schema: pa.Schema,
    rows: Sequence[Mapping[str, Any]],
    counts: Mapping[str, int],
    *,
    is_validation: Iterable[bool],
    is_positive: Iterable[bool],
    positive: str,
) -> BuiltTest:
    """Divide the rows of a test into splits.

    Args:
        name: Name of the configuration.
        schema: The columns of the rows.
        rows: The rows in the order of their ids, by column.
        counts: Numbers of the records that the rows were made from.
        is_validation: Whether each row is in the validation split, where thresholds are fitted.
        is_positive: Whether each row is positive: its summary or fragment expresses an SCU.
        positive: The term for a positive row, for errors.

    Returns:
        The rows, counts and fingerprint.

    Raises:
        EmptyResultError: If a split has no positive row.
    """
    members: dict[str, list[Mapping[str, Any]]] = {TEST: [], VALIDATION: []}
    positives: Counter[str] = Counter()
    for row, is_fitted_on, is_expressed in zip(rows, is_validation, is_positive, strict=True):
        split = VALIDATION if is_fitted_on else TEST
        members[split].append(row)
        positives[split] += is_expressed
    for split in members:
        if not positives[split]:
            raise EmptyResultError(f"the {split} split of {name} would have no {positive}. Add topics")
    make_table = partial(pa.Table.from_pylist, schema=schema)
    splits = {split: make_tables(make_table, split_rows) for split, split_rows in members.items()}
    return BuiltTest(
        configuration=find_configuration(name),
        options=None,
        splits=splits,
        collections=tuple(sorted({row["collection"] for row in rows})),
        counts={
            **counts,
            "positives": positives.total(),
            "negatives": len(rows) - positives.total() - counts.get(PARTLY_PRESENT, 0),
            **{f"{split}_rows": len(split_rows) for split, split_rows in members.items()},
        },
        fingerprint=fingerprint_rows(splits),
    )


def require_bounded(
    name: str, annotation: PeerAnnotation, files: Mapping[str, str], bounds: Iterable[tuple[int, int, str]]
) -> None:
    """Check that the rows of the annotations so far fit in memory.

    Args:
        name: Name of the configuration.
        annotation: The last annotation.
        files: The file of each pyramid, by the pyramid's id.
        bounds: Sizes of the rows so far, with their upper bounds from `limits`, and their units for errors.

    Raises:
        LimitError: If a size exceeds its bound. The error names the annotation.
    """
    for size, limit, unit in bounds:
        if size > limit:
            file = files.get(annotation.pyramid.id, annotation.pyramid.id)
            reason = f"{name} has more than {limit:,} {unit} by peer {annotation.peer}"
            raise LimitError(file, reason, "use fewer annotations, or shorter summaries")


def build_presence_test(corpus: Corpus, name: str = PRESENCE) -> BuiltTest:
    """Build `presence` or `presence_grades`: a row for every annotated summary and every SCU of its pyramid.

    Annotations that `is_usable` rejects are left out. The threshold is fitted on 10 % of the topics. Topics with the
    same documents are in one split. `presence` leaves out SCUs that a summary expresses only in part.

    Args:
        corpus: The corpus.
        name: Name of the configuration.

    Returns:
        Its rows, counts and fingerprint.

    Raises:
        EmptyResultError: If there are no annotations, there is only one topic, or a split has no present SCU. For
            `presence_grades`, also if no annotation distinguishes SCUs that a summary expresses only in part.
        LimitError: If there are more rows or longer summaries than `limits` allows.
    """
    used = [annotation for annotation in corpus.annotations if is_usable(annotation)]
    if not used:
        remedy = "Add peer annotations (.pan), or a corpus of SCU labels such as REALSumm"
        reason = "there are none"
        if count := len(corpus.annotations):
            reason = f"none of {count:,} can be used: their summaries have no text, or SCUs that are not in the pyramid"
        raise EmptyResultError(f"{name} requires annotated summaries, but {reason}. {remedy}")
    counts = {"summaries": len(used), SUMMARIES_LEFT_OUT: len(corpus.annotations) - len(used)}
    partly_present = sum(len(annotation.partial) for annotation in used)
    if name == PRESENCE_GRADES and not partly_present:
        reason = "but no annotation says that a summary expresses an SCU in part"
        raise EmptyResultError(f"{name} requires three grades, {reason}. Use the configuration {PRESENCE}")
    _require_bounded(used, corpus.files)
    used_topics = {annotation.pyramid.topic for annotation in used}
    documents = {text.document: text.topic for text in corpus.summaries if text.document and text.topic in used_topics}
    rows = [row for annotation in used for row in _list_rows(annotation, name, documents)]
    rows.sort(key=itemgetter("id"))
    schema = SCHEMA if name == PRESENCE else GRADED_SCHEMA
    if any(annotation.votes for annotation in corpus.annotations):
        schema = pa.schema([*schema, *VOTES])
        counts[UNITS_LEFT_OUT] = sum(annotation.votes.count(()) for annotation in used)
    if partly_present:
        counts[PARTLY_PRESENT_LEFT_OUT if name == PRESENCE else PARTLY_PRESENT] = partly_present
    chosen = choose_topics((documents_of(row["topic"]) for row in rows), VALIDATION_PERCENT)
    return build_peer_test(
        name,
        schema,
        rows,
        counts,
        is_validation=[documents_of(row["topic"]) in chosen for row in rows],
        is_positive=[row["label"] == 1 for row in rows],
        positive="present SCU",
    )


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
            (sentences, limits.MAX_SUMMARY_SENTENCES, "sentences in the summary"),
            (rows, limits.MAX_LABELS, "rows up to the summary"),
            (size, limits.MAX_PRESENCE_BYTES, "bytes in the rows up to the summary"),
            (
                rows * sentences,
                limits.MAX_PRESENCE_SENTENCES,
                "sentences (rows times sentences of the longest summary) up to the summary",
            ),
        )
        require_bounded(PRESENCE, annotation, files, bounds)


def _list_rows(annotation: PeerAnnotation, name: str, documents: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a summary.

    Args:
        annotation: Its annotation. Units without votes, where other units have votes, have no rows. In `presence`,
            units that the summary expresses only in part have none.
        name: Name of the configuration.
        documents: The topics of annotated summaries by another id of their document. Two corpora may have summaries of
            one document, which has one topic, so that it is in one split and in one cluster of the bootstrap.
    """
    pyramid = annotation.pyramid
    topic = topic_of(pyramid.id)
    sentences = list_sentences(annotation)
    labels = {scu.uid: 1 for scu in annotation.scus} | {scu.uid: DEBATABLE for scu in annotation.partial}
    all_votes = annotation.votes or ((),) * len(pyramid.scus)
    for scu, votes in zip(pyramid.scus, all_votes, strict=True):
        text, label = describe_scu(scu), labels.get(scu.uid, 0)
        if (annotation.votes and not votes) or (name == PRESENCE and label == DEBATABLE):
            continue
        yield {
            "id": sha256_of(name, pyramid.id, scu.uid, annotation.peer, annotation.annotator, text, *sentences),
            "scu_text": text,
            "sentences": sentences,
            "label": label,
            "grade": GRADES[label],
            "topic": documents.get(topic.partition(":")[2], topic),
            "collection": find_collection(pyramid.id).name,
            "pyramid": pyramid.id,
            "scu": scu.uid,
            "peer": annotation.peer,
            "annotator": annotation.annotator,
            "weight": scu.weight,
            "people": [person for person, _ in votes],
            "votes": [int(vote) for _, vote in votes],
        }
