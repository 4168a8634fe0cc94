"""Read a pair corpus from a folder or an archive, in any of its formats."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pyramid_paraphrase.catalog import OTHER_PIT, PAIR_COLLECTIONS, find_pair_collection
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pair_corpora import msr_paraphrase, pit, token_files
from pyramid_paraphrase.pair_corpora.files import CorpusFile, list_names, read_files
from pyramid_paraphrase.pair_corpora.records import AnnotatedPair, PairCorpus
from pyramid_paraphrase.pyramids.sources import Source
from pyramid_paraphrase.rules.options import CONFIGURATIONS, PAIR_CORPUS, PIT, TEST


class Format(NamedTuple):
    """A format in which pairs are distributed.

    Attributes:
        name: The origin of the configurations that are made from it: `PIT` or `PAIR_CORPUS`.
        collection: Name of the only corpus in this format, or "" if there are several.
        file_names: Names of its files.
        parse: Parses the files into pairs by split.
    """

    name: str
    collection: str
    file_names: frozenset[str]
    parse: Callable[[Sequence[CorpusFile]], dict[str, list[AnnotatedPair]]]


FORMATS = (
    Format(PIT, "pit2015", pit.NAMES, pit.parse),
    Format(PAIR_CORPUS, "", token_files.NAMES, token_files.parse),
    Format(PAIR_CORPUS, "msrp", msr_paraphrase.NAMES, msr_paraphrase.parse),
)
_PAIRS_AT_ONCE = 1 << 14
_GET_CORPUS = (
    f"use the folder of one of {', '.join(row.name for row in PAIR_COLLECTIONS)}. `pyramid-paraphrase download NAME` "
    "says how to get it"
)
_WANTED = frozenset().union(*(form.file_names for form in FORMATS))


def read_pair_corpus(source: Source) -> PairCorpus:
    """Read a corpus of labelled pairs.

    Args:
        source: A folder or an archive with the files of one corpus, each of which may be compressed by gzip. The files
            are `train.data`, `dev.data`, `test.data` and, optionally, `test.label` for PIT-2015. They are
            `msr_paraphrase_train.txt` and `msr_paraphrase_test.txt` for MSRP in Microsoft's format. For other corpora,
            a folder per split contains `a.toks`, `b.toks` and `sim.txt`.

    Returns:
        The corpus.

    Raises:
        InputError: If the source contains no corpus or several corpora, or a line does not fit the format.
        LimitError: If a file is larger than `limits` allows, or there are more files.
    """
    files = read_files(source, _WANTED.__contains__)
    names = {file.name for file in files}
    formats = [form for form in FORMATS if not names.isdisjoint(form.file_names)]
    if not formats:
        raise InputError(str(source), "does not contain a pair corpus", _GET_CORPUS)
    form = formats[0]
    folders = {file.folder for file in files}
    if len(formats) > 1 or (form.collection and len(folders) > 1):
        raise InputError(str(source), "contains the files of several corpora", "use the folder of one corpus")
    first_name = files[0].full_name
    splits = {split: pairs for split, pairs in form.parse(files).items() if pairs}
    del files  # frees memory: the pairs contain the texts now
    if not splits:
        raise InputError(first_name, "does not contain any pairs", "get the corpus again")
    digest = _digest(splits)
    return PairCorpus(_identify(form, splits, digest), form.name, splits, digest)


def list_pair_tests(source: Source) -> tuple[str, ...]:
    """List the configurations that are made from a pair corpus, by the names of its files.

    Args:
        source: A file, a folder or an archive.

    Returns:
        Names of configurations. Empty if the source is not a pair corpus, or contains the files of several corpora.

    Raises:
        InputError: If the source does not exist, or an archive is damaged.
    """
    names = list_names(source, _WANTED.__contains__)
    origins = {form.name for form in FORMATS if not names.isdisjoint(form.file_names)}
    if len(origins) != 1:
        return ()
    return tuple(row.name for row in CONFIGURATIONS if row.origin in origins)


def _identify(form: Format, splits: Mapping[str, Sequence[AnnotatedPair]], digest: str) -> str:
    """Return the name of the corpus in the catalog. Its file names are not sufficient: other corpora have the same."""
    if form.name == PIT and Counter(pair.label for pair in splits.get(TEST, ())) != pit.TEST_LABELS:
        return OTHER_PIT.name
    return form.collection or find_pair_collection(digest)


def read_one_pair_corpus(sources: Sequence[Source]) -> PairCorpus:
    """Read a corpus that must be the only source.

    Raises:
        InputError: If there are several sources, or `read_pair_corpus` raises it.
    """
    if len(sources) != 1:
        names = ", ".join(map(str, sources))
        reason = "are several sources, but a pair corpus is a single source"
        raise InputError(names, reason, "use its folder or its archive")
    return read_pair_corpus(sources[0])


def _digest(splits: Mapping[str, Sequence[AnnotatedPair]]) -> str:
    """Compute the SHA-256 of all pairs. It does not depend on the folder's name or the packing of its files."""
    digest = hashlib.sha256()
    for split, pairs in sorted(splits.items()):
        digest.update(f"{split} {len(pairs)}\n".encode())
        for column in range(len(AnnotatedPair._fields)):
            for start in range(0, len(pairs), _PAIRS_AT_ONCE):
                values = [str(pair[column]) for pair in pairs[start : start + _PAIRS_AT_ONCE]]
                digest.update("\n".join([*values, ""]).encode())  # unambiguous, because no field contains a line feed
    return digest.hexdigest()
