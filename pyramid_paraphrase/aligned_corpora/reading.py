"""Read the aligned corpora among the files of the sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from pyramid_paraphrase.aligned_corpora.propsegment import read_propsegment
from pyramid_paraphrase.aligned_corpora.recognition import PROPSEGMENT, SCU_LABELS, SUPERPAL
from pyramid_paraphrase.aligned_corpora.scu_labels import read_scu_labels
from pyramid_paraphrase.aligned_corpora.superpal import read_superpal
from pyramid_paraphrase.corpus_parts import Accounts, CorpusPart
from pyramid_paraphrase.sources import SourceFile


def read_aligned_corpora(files: Iterable[SourceFile]) -> list[CorpusPart]:
    """Read each aligned corpus once.

    Args:
        files: Files of aligned corpora, sorted by name. If several files have the same bytes, only the first is read.

    Raises:
        InputError: If a file cannot be read, or files contradict each other.
        LimitError: If a pyramid is larger than `limits` allows.
    """
    files_by_corpus: dict[str, list[SourceFile]] = {}
    for file in files:
        if file.kind is not None:
            files_by_corpus.setdefault(file.kind.corpus, []).append(file)
    return [_READERS[name](files_by_corpus[name]) for name in sorted(files_by_corpus)]


def _read_distinct(read: Callable[[Sequence[SourceFile]], CorpusPart], files: Sequence[SourceFile]) -> CorpusPart:
    """Read the distinct files of a corpus, and count the others as repeated."""
    distinct: dict[bytes, SourceFile] = {}
    for file in files:
        distinct.setdefault(file.data, file)
    part = read(list(distinct.values()))
    repeated = len(files) - len(distinct)
    return replace(part, accounts=part.accounts + Accounts(files_read=repeated, files_repeated=repeated))


_READERS: dict[str, Callable[[Sequence[SourceFile]], CorpusPart]] = {
    PROPSEGMENT: partial(_read_distinct, read_propsegment),
    SUPERPAL: partial(_read_distinct, read_superpal),
    SCU_LABELS: read_scu_labels,
}
