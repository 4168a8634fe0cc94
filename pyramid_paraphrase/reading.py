"""Read sources into a corpus. To add a format of annotations, add a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from pyramid_paraphrase.catalog import SAMPLE_DIR, SAMPLE_WARNING
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.formats.ducview import read_ducview
from pyramid_paraphrase.formats.pairs.corpora import list_pair_tests, refuse_other_table
from pyramid_paraphrase.formats.propsegment import PROPSEGMENT_KINDS, read_propsegment
from pyramid_paraphrase.formats.superpal import SUPERPAL_KINDS, read_superpal
from pyramid_paraphrase.formats.units import litepyramids, qapyramid, realsumm, rose, summhay, texts
from pyramid_paraphrase.formats.units.common import add_texts
from pyramid_paraphrase.pyramids.corpus import (
    LEFT_OUT,
    REPAIRED,
    Accounts,
    Corpus,
    describe_problems,
    join_parts,
    require_none,
    unite,
)
from pyramid_paraphrase.pyramids.sources import (
    HEAD_BYTES,
    FileKind,
    Source,
    SourceFile,
    SourceFiles,
    explain_missing,
    read_sources,
    recognize,
    resolve_source,
)

_PROBLEMS = "problems in the input: %s. `pyramid-paraphrase inspect SOURCE --list` lists them"

_logger = make_logger(__name__)
_Read = Callable[[Sequence[SourceFile]], Corpus]


def _read_distinct(read: _Read, files: Sequence[SourceFile]) -> Corpus:
    """Read the distinct files of a corpus, and count the others as repeated."""
    distinct: dict[bytes, SourceFile] = {}
    for file in files:
        distinct.setdefault(file.data, file)
    part = read(list(distinct.values()))
    repeated = len(files) - len(distinct)
    return replace(part, accounts=part.accounts + Accounts(files_read=repeated, files_repeated=repeated))


UNIT_FORMATS: tuple[tuple[tuple[FileKind, ...], _Read], ...] = (
    (realsumm.KINDS, realsumm.read_realsumm),
    (rose.KINDS, partial(_read_distinct, rose.read_rose)),
    (litepyramids.KINDS, partial(_read_distinct, litepyramids.read_litepyramids)),
    (qapyramid.KINDS, partial(_read_distinct, qapyramid.read_qapyramid)),
    (summhay.KINDS, partial(_read_distinct, summhay.read_summhay)),
)
"""The formats of units of single references, as in `FORMATS`. Their files may have whole summaries and scores."""

UNIT_KINDS = tuple(kind for kinds, _ in UNIT_FORMATS for kind in kinds)
"""The kinds of files of `UNIT_FORMATS`."""

FORMATS: tuple[tuple[tuple[FileKind, ...], _Read], ...] = (
    *UNIT_FORMATS,
    (PROPSEGMENT_KINDS, partial(_read_distinct, read_propsegment)),
    (SUPERPAL_KINDS, partial(_read_distinct, read_superpal)),
    (texts.KINDS, partial(_read_distinct, texts.read_texts)),
)
"""Formats of aligned corpora: the kinds of their files, and the function that reads them, sorted by name."""


def read_corpus(*sources: Source, strict: bool = False) -> Corpus:
    """Read sources into a corpus.

    Args:
        sources: Files, folders and archives, or "sample".
        strict: Whether any problem is an error.

    Returns:
        The corpus. Except for file names, it does not depend on the order and packing of files.

    Raises:
        InputError: If nothing can be read, two `.pyr` files of one pyramid contradict each other, or one of several
            sources is a pair corpus.
        StrictError: If ``strict`` and there is a problem.
    """
    refuse_pair_corpora(sources)
    corpus = parse_corpus(sources, read_files(sources))
    if strict:
        require_none(corpus.problems)
    return corpus


def read_files(sources: Sequence[Source]) -> SourceFiles:
    """Read the files of all formats, as `read_sources` does. The error about a single table names its columns."""
    try:
        return read_sources(sources, [kind for kinds, _ in FORMATS for kind in kinds])
    except InputError:
        if len(sources) == 1:
            refuse_other_table(sources[0])
        raise


def parse_corpus(sources: Sequence[Source], files: SourceFiles) -> Corpus:
    """Make a corpus of files that were read before, as `read_corpus` does.

    Args:
        sources: Files, folders and archives, for messages.
        files: Their content, which includes at least one annotation or file of an aligned corpus.

    Raises:
        InputError: If nothing can be read, or two `.pyr` files of one pyramid contradict each other.
    """
    parts = add_texts(read_parts(files.aligned, FORMATS))
    if files.annotations:
        parts.append(read_ducview(files.annotations))
    corpus = unite(files, parts)
    if not corpus.all_pyramids and not corpus.accounts.files_used:
        raise explain_missing(sources, files)
    return corpus


def read_parts(files: Sequence[SourceFile], formats: Sequence[tuple[tuple[FileKind, ...], _Read]]) -> list[Corpus]:
    """Read files whose kinds are known, and return the content of each format that has any."""
    parts = []
    for kinds, read in formats:
        if form_files := [file for file in files if file.kind in kinds]:
            parts.append(read(form_files))
    return parts


def read_units(files: Iterable[SourceFile]) -> Corpus | None:
    """Read the files that have one of `UNIT_FORMATS` by their names and first bytes, and ignore all others.

    Args:
        files: Decompressed files.

    Returns:
        Their content, or None if there is no such file.

    Raises:
        InputError: If a file is not in its format. The error names the place in the file.
        LimitError: If a file is larger than its reader allows.
    """
    typed = [replace(file, kind=recognize(file.name, file.data[:HEAD_BYTES], UNIT_KINDS)) for file in files]
    parts = read_parts(typed, UNIT_FORMATS)
    return join_parts(parts) if parts else None


def has_votes(files: SourceFiles) -> bool:
    """Return whether some files have the votes of people on units, which are columns of `presence`."""
    return any(file.kind in qapyramid.KINDS for file in files.aligned)


def refuse_pair_corpora(sources: Sequence[Source]) -> None:
    """Refuse a pair corpus together with other sources, because its files would be ignored."""
    if len(sources) > 1:
        for source in sources:
            if list_pair_tests(source):
                reason = "contains labelled pairs, which cannot be combined with other sources"
                raise InputError(str(source), reason, "remove it from the sources, or use it as the only source")


def warn_if_sample(sources: Sequence[Source]) -> None:
    """Log a warning if a source is the sample, because scores on it are not comparable with other scores."""
    if any(resolve_source(source) == SAMPLE_DIR for source in sources):
        _logger.warning(SAMPLE_WARNING)


def warn_about_problems(corpus: Corpus) -> None:
    """Log a warning about everything that was left out, and an info message about repairs."""
    left_out = [problem for problem in corpus.problems if problem.kind in LEFT_OUT]
    repaired = [problem for problem in corpus.problems if problem.kind in REPAIRED]
    if left_out:
        _logger.warning(_PROBLEMS, describe_problems(left_out))
    if repaired:
        _logger.info(_PROBLEMS, describe_problems(repaired))
