"""Recognize the files of aligned corpora by their suffixes and by what they begin with."""

from __future__ import annotations

from typing import NamedTuple

GZIP_SUFFIX = ".gz"


class FileKind(NamedTuple):
    """A kind of file.

    Attributes:
        corpus: Name of the corpus that it belongs to.
        title: What it holds, for messages.
        suffix: The end of its name, without that of a compression.
        marks: Bytes that its beginning holds.
    """

    corpus: str
    title: str
    suffix: str
    marks: tuple[bytes, ...]


PROPSEGMENT, SUPERPAL = "propsegment", "superpal"

CLUSTERS = FileKind(PROPSEGMENT, "document clusters", ".json", (b'"cluster_id"', b'"documents"'))
SEGMENTATIONS = FileKind(PROPSEGMENT, "propositions", ".json", (b'"sentence_id"', b'"segmentation_responses"'))
RELATIONSHIPS = FileKind(PROPSEGMENT, "relationships", ".json", (b'"premise_document_id"',))
ALIGNMENTS = FileKind(SUPERPAL, "alignments", ".csv", (b"docSpanOffsets", b"summarySpanOffsets"))

FILE_KINDS = (CLUSTERS, SEGMENTATIONS, RELATIONSHIPS, ALIGNMENTS)

HEAD_BYTES = 2048
"""Size of the beginning that holds the marks."""


def has_suffix(name: str) -> bool:
    """Return whether the name of a file, compressed or not, can be that of an aligned corpus."""
    plain_name = name.lower().removesuffix(GZIP_SUFFIX)
    return any(plain_name.endswith(kind.suffix) for kind in FILE_KINDS)


def recognize(name: str, head: bytes) -> FileKind | None:
    """Return the kind of a file; None if it belongs to no aligned corpus.

    Args:
        name: Its name.
        head: Its first `HEAD_BYTES` bytes, after decompression.
    """
    plain_name = name.lower().removesuffix(GZIP_SUFFIX)
    for kind in FILE_KINDS:
        if plain_name.endswith(kind.suffix) and all(mark in head for mark in kind.marks):
            return kind
    return None
