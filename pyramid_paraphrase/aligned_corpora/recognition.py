"""Recognize the files of aligned corpora by their names and by what they begin with."""

from __future__ import annotations

from typing import NamedTuple

GZIP_SUFFIX = ".gz"


class FileKind(NamedTuple):
    """A kind of file.

    Attributes:
        corpus: Name of the corpus that it belongs to.
        title: What it holds, for messages.
        suffix: The end of its name, in small letters and without that of a compression; without a full stop at its
            beginning, its whole name.
        marks: Bytes that its beginning holds.
        folder: Name of the folder that it lies in; "" for any folder.
    """

    corpus: str
    title: str
    suffix: str
    marks: tuple[bytes, ...] = ()
    folder: str = ""

    def fits(self, folder: str, base_name: str) -> bool:
        """Return whether a file of this kind can have this folder and name, as `_split_name` returns them."""
        if self.folder not in ("", folder):
            return False
        if self.suffix.startswith("."):
            return base_name.endswith(self.suffix) and not base_name.startswith(".")
        return base_name == self.suffix


PROPSEGMENT, SUPERPAL, SCU_LABELS = "propsegment", "superpal", "SCU labels"

CLUSTERS = FileKind(PROPSEGMENT, "document clusters", ".json", (b'"cluster_id"', b'"documents"'))
SEGMENTATIONS = FileKind(PROPSEGMENT, "propositions", ".json", (b'"sentence_id"', b'"segmentation_responses"'))
RELATIONSHIPS = FileKind(PROPSEGMENT, "relationships", ".json", (b'"premise_document_id"',))
ALIGNMENTS = FileKind(SUPERPAL, "alignments", ".csv", (b"docSpanOffsets", b"summarySpanOffsets"))
REFERENCE_SCUS = FileKind(SCU_LABELS, "SCUs of references", "scus.txt")
REFERENCE_IDS = FileKind(SCU_LABELS, "names of references", "ids.txt")
REFERENCES = FileKind(SCU_LABELS, "references", "references.txt")
LABELS = FileKind(SCU_LABELS, "labels", ".label", folder="labels")
SUMMARIES = FileKind(SCU_LABELS, "summaries", ".summary", folder="summaries")

FILE_KINDS = (
    CLUSTERS, SEGMENTATIONS, RELATIONSHIPS, ALIGNMENTS, REFERENCE_SCUS, REFERENCE_IDS, REFERENCES, LABELS, SUMMARIES
)  # fmt: skip

HEAD_BYTES = 2048
"""Size of the beginning that holds the marks."""


def can_belong(name: str) -> bool:
    """Return whether a file, compressed or not, can belong to an aligned corpus by its name."""
    place = _split_name(name)
    return any(kind.fits(*place) for kind in FILE_KINDS)


def recognize(name: str, head: bytes) -> FileKind | None:
    """Return the kind of a file; None if it belongs to no aligned corpus.

    Args:
        name: Its name.
        head: Its first `HEAD_BYTES` bytes, after decompression.
    """
    place = _split_name(name)
    fitting = (kind for kind in FILE_KINDS if kind.fits(*place) and all(mark in head for mark in kind.marks))
    return next(fitting, None)


def _split_name(name: str) -> tuple[str, str]:
    """Return the name of the folder of a file, and its own name, in small letters and without a compression's end."""
    path, _, base_name = name.replace("!", "/").lower().removesuffix(GZIP_SUFFIX).rpartition("/")
    return path.rpartition("/")[2], base_name
