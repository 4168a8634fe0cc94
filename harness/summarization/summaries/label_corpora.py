"""Summaries and references of a corpus of SCU labels, such as REALSumm, which has a file per system."""

from __future__ import annotations

import io
from collections.abc import Sequence

from harness.summarization.summaries.locations import LocatedFile
from harness.summarization.summaries.records import Summary
from pyramid_paraphrase import limits
from pyramid_paraphrase.aligned_corpora.recognition import GZIP_SUFFIX, REFERENCE_SCUS, SCU_LABELS, recognize
from pyramid_paraphrase.aligned_corpora.scu_labels import LabelFolder, group_files, read_peers, read_references
from pyramid_paraphrase.archives import open_gzip, read_bounded, refusing_damage
from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.sentences import split_sentences
from pyramid_paraphrase.sources import SourceFile


def find_label_corpora(files: Sequence[LocatedFile]) -> list[LabelFolder]:
    """Return the corpora of SCU labels among some files: folders with `SCUs.txt`.

    Raises:
        InputError: If the name of a system cannot be used, or a compressed file is damaged.
        LimitError: If the files are larger than `limits` allows after decompression.
    """
    kinds = {file.name: recognize(file.name, b"") for file in files}
    if REFERENCE_SCUS not in kinds.values():
        return []
    sources, size = [], 0
    for file in files:
        kind = kinds[file.name]
        if kind is not None and kind.corpus == SCU_LABELS:
            sources.append(SourceFile(file.name, _decompress(file), kind))
            size += len(sources[-1].data)
            if size > limits.MAX_KEPT_BYTES:
                reason = f"files of more than {limits.MAX_KEPT_BYTES // limits.MEBIBYTE} MiB up to this one"
                raise LimitError(file.name, reason, "give fewer systems at a time")
    return [folder for folder in group_files(sources) if folder.scus is not None]


def _decompress(file: LocatedFile) -> bytes:
    if not file.name.lower().endswith(GZIP_SUFFIX):
        return file.data
    with refusing_damage(file.name):
        stream = open_gzip(io.BytesIO(file.data), file.name)
        return read_bounded(stream, limits.MAX_FILE_BYTES, file.name)


def list_peers(corpora: Sequence[LabelFolder]) -> list[Summary]:
    """List the summaries of all systems. The topic of a summary is the name of its reference."""
    return [
        Summary(name, system, tuple(split_sentences(text)), folder.summaries[system].name)
        for folder in corpora
        for name, system, text in read_peers(folder)
    ]


def list_references(corpora: Sequence[LabelFolder], author: str) -> list[Summary]:
    """List the references, all by one author."""
    return [
        Summary(name, author, tuple(split_sentences(text)), folder.references.name)
        for folder in corpora
        if folder.references is not None
        for name, text in read_references(folder)
    ]
