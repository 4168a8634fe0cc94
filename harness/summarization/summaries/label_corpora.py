"""Summaries and references of a corpus of SCU labels with a file per system, such as REALSumm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.summarization.summaries.locations import LocatedFile, decompress
from harness.summarization.summaries.records import Summary
from harness.text.markup import read_text
from pyramid_paraphrase.formats.scu_labels import (
    REFERENCE_SCUS,
    SCU_LABEL_KINDS,
    LabelFolder,
    group_files,
    read_peers,
    read_references,
)
from pyramid_paraphrase.pyramids.sources import SourceFile, recognize


def has_label_corpus(files: Iterable[LocatedFile]) -> bool:
    """Return whether some files contain a corpus of SCU labels, by their names."""
    return any(recognize(file.name, b"", [REFERENCE_SCUS]) for file in files)


def find_label_corpora(files: Sequence[LocatedFile]) -> list[LabelFolder]:
    """Return the corpora of SCU labels among some files: folders with `SCUs.txt`.

    Raises:
        InputError: If the name of a system cannot be used, or a compressed file is damaged.
        LimitError: If the files are larger than `limits` allows after decompression.
    """
    if not has_label_corpus(files):
        return []
    kinds = {file.name: recognize(file.name, b"", SCU_LABEL_KINDS) for file in files}
    labelled = [file for file in files if kinds[file.name]]
    sources = [SourceFile(file.name, file.data, kinds[file.name]) for file in decompress(labelled)]
    return [folder for folder in group_files(sources) if folder.scus is not None]


def list_peers(corpora: Sequence[LabelFolder]) -> list[Summary]:
    """List the summaries of all systems. The topic of a summary is the name of its reference."""
    return [
        _make_summary(name, system, text, folder.summaries[system].name)
        for folder in corpora
        for name, system, text in read_peers(folder)
    ]


def list_references(corpora: Sequence[LabelFolder], author: str) -> list[Summary]:
    """List the references, all with the given author."""
    return [
        _make_summary(name, author, text, folder.references.name)
        for folder in corpora
        if folder.references is not None
        for name, text in read_references(folder)
    ]


def _make_summary(topic: str, author: str, text: str, path: str) -> Summary:
    sentences, markup = read_text(text)
    return Summary(topic, author, sentences, path, markup)
