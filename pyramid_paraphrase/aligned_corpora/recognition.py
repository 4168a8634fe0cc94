"""Recognize the files of aligned corpora by their names and their first bytes."""

from __future__ import annotations

from typing import NamedTuple

GZIP_SUFFIX = ".gz"


class FileKind(NamedTuple):
    """A kind of file.

    Attributes:
        corpus: Name of the corpus that it belongs to.
        title: Its content, for messages.
        suffix: The suffix of its name in lower case, without the suffix of a compression. If it does not begin with a
            full stop, it is the whole name.
        marks: Byte strings that its head contains.
        folder: Name of its folder, or "" for any folder.
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
"""Size of the head of a file, which contains the marks."""


def can_belong(name: str) -> bool:
    """Return whether the name of a file, compressed or not, is one that files of an aligned corpus can have."""
    place = _split_name(name)
    return any(kind.fits(*place) for kind in FILE_KINDS)


def recognize(name: str, head: bytes) -> FileKind | None:
    """Return the kind of a file, or None if it does not belong to an aligned corpus.

    Args:
        name: Name of the file.
        head: Its first `HEAD_BYTES` bytes, after decompression.
    """
    place = _split_name(name)
    fitting = (kind for kind in FILE_KINDS if kind.fits(*place) and all(mark in head for mark in kind.marks))
    return next(fitting, None)


def _split_name(name: str) -> tuple[str, str]:
    """Return the folder name and the base name of a file, in lower case and without the suffix of a compression."""
    path, _, base_name = name.replace("!", "/").lower().removesuffix(GZIP_SUFFIX).rpartition("/")
    return path.rpartition("/")[2], base_name
