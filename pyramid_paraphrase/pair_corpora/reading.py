"""From a folder or an archive to a pair corpus."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pyramid_paraphrase.catalog import OTHER_PIT, find_pair_collection, how_to_obtain_pairs
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.options import PAIRS, PIT
from pyramid_paraphrase.pair_corpora import msr_paraphrase, pit, token_files
from pyramid_paraphrase.pair_corpora.files import CorpusFile, read_files
from pyramid_paraphrase.pair_corpora.records import AnnotatedPair, PairCorpus
from pyramid_paraphrase.sources import Source
from pyramid_paraphrase.splits import TEST


class Format(NamedTuple):
    """A way in which pairs are distributed.

    Attributes:
        name: What configurations are made from it: `PIT` or `PAIRS`.
        collection: The corpus that comes so; empty if several do.
        files: Names of its files.
        parse: Reads them.
    """

    name: str
    collection: str
    files: frozenset[str]
    parse: Callable[[Sequence[CorpusFile]], dict[str, list[AnnotatedPair]]]


FORMATS = (
    Format(PIT, "pit2015", pit.NAMES, pit.parse),
    Format(PAIRS, "", token_files.NAMES, token_files.parse),
    Format(PAIRS, "msrp", msr_paraphrase.NAMES, msr_paraphrase.parse),
)
_PAIRS_AT_ONCE = 1 << 14
_WANTED = frozenset(name for form in FORMATS for name in form.files)


def read_pair_corpus(source: Source) -> PairCorpus:
    """Read a corpus of labelled pairs.

    Args:
        source: A folder or an archive with the files of one corpus: `train.data`, `dev.data`, `test.data` (and
            `test.label`) of PIT-2015; or `a.toks`, `b.toks` and `sim.txt` in a folder per split; or
            `msr_paraphrase_train.txt` and `msr_paraphrase_test.txt`. Each may be compressed by gzip.

    Returns:
        The corpus.

    Raises:
        InputError: If there are no such files, those of several corpora, or a line is none of the format.
        LimitError: If a file is larger, or there are more, than `limits` allows.
    """
    files = read_files(source, _WANTED.__contains__)
    present = [form for form in FORMATS if any(file.name in form.files for file in files)]
    if not present:
        raise InputError(str(source), "holds no pair corpus", f"get {how_to_obtain_pairs()}")
    form, own = present[0], [file for file in files if file.name in present[0].files]
    if len(present) > 1 or (form.collection and len({file.folder for file in own}) > 1):
        raise InputError(str(source), "holds the files of several corpora", "give the folder of one")
    shown = own[0].shown
    splits = {split: pairs for split, pairs in form.parse(own).items() if pairs}
    del files, own  # the pairs hold the texts now
    if not splits:
        raise InputError(shown, "holds no pair", "get the corpus again")
    digest = _digest(splits)
    return PairCorpus(_name(form, splits, digest), form.name, splits, digest)


def _name(form: Format, splits: Mapping[str, Sequence[AnnotatedPair]], digest: str) -> str:
    """Which corpus it is: others may come in the files of the task, too."""
    if form.name == PIT and Counter(pair.label for pair in splits.get(TEST, ())) != pit.TEST_LABELS:
        return OTHER_PIT.name
    return form.collection or find_pair_collection(digest)


def read_one_pair_corpus(sources: Sequence[Source]) -> PairCorpus:
    """Read the corpus that is the only source.

    Raises:
        InputError: If there are several, or as `read_pair_corpus` does.
    """
    if len(sources) != 1:
        names = ", ".join(map(str, sources))
        raise InputError(names, "are several sources, and a pair corpus is one", "give its folder or its archive")
    return read_pair_corpus(sources[0])


def _digest(splits: Mapping[str, Sequence[AnnotatedPair]]) -> str:
    """SHA-256 over all that was read, whatever the folder is called and however its files are packed."""
    digest = hashlib.sha256()
    for split, pairs in sorted(splits.items()):
        digest.update(f"{split} {len(pairs)}\n".encode())
        for column in range(len(AnnotatedPair._fields)):
            for start in range(0, len(pairs), _PAIRS_AT_ONCE):
                values = [str(pair[column]) for pair in pairs[start : start + _PAIRS_AT_ONCE]]
                digest.update("\n".join([*values, ""]).encode())  # no field holds a line feed
    return digest.hexdigest()
