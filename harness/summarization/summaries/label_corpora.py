"""Summaries and references of a corpus of SCU labels, such as REALSumm, which has a file per system."""

from __future__ import annotations

from collections.abc import Sequence

from harness.summarization.summaries.locations import LocatedFile
from harness.summarization.summaries.records import Summary
from pyramid_paraphrase.aligned_corpora.recognition import REFERENCE_SCUS, SCU_LABELS, recognize
from pyramid_paraphrase.aligned_corpora.scu_labels import LabelFolder, group_files, read_peers, read_references
from pyramid_paraphrase.sentences import split_sentences
from pyramid_paraphrase.sources import SourceFile


def find_label_corpora(files: Sequence[LocatedFile]) -> list[LabelFolder]:
    """Return the corpora of SCU labels among some files: folders with `SCUs.txt`.

    Raises:
        InputError: If the name of a system cannot be used.
    """
    kinds = {file.name: recognize(file.name, b"") for file in files}
    if REFERENCE_SCUS not in kinds.values():
        return []
    sources = []
    for file in files:
        kind = kinds[file.name]
        if kind is not None and kind.corpus == SCU_LABELS:
            sources.append(SourceFile(file.name, file.data, kind))
    return [folder for folder in group_files(sources) if folder.scus is not None]


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
