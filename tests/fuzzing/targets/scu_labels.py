"""Corpora of SCU labels: their files alone, compressed and in archives, as annotations and as summaries."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from helpers.scu_labels import write_scu_labels

from fuzzing.cases import Case, read_case
from fuzzing.mutations.lines import mutate_table
from fuzzing.mutations.packing import compress, mutate_archive, mutate_compressed, pack_tar, pack_zip
from fuzzing.target import Arguments, Target, require
from fuzzing.targets.pyramids import require_accounts
from harness.summarization.reading import SummarySource, read_peers_and_references, read_summaries
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.errors import EmptyResultError, PyramidParaphraseError
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import PRESENCE

_CELLS, _WORDS = mutate_table("\t"), mutate_table(" ")
_FORMATS = (
    ("*.zip", mutate_archive(_CELLS)),
    ("*.tgz", mutate_archive(_CELLS)),
    ("*.gz", mutate_compressed(_CELLS)),
    ("*.summary", _WORDS),
    ("*references.txt", _WORDS),
    ("*", _CELLS),
)


def _make_seeds() -> Sequence[Case]:
    with tempfile.TemporaryDirectory() as name:
        plain = read_case(write_scu_labels(Path(name))).plain_files()
    numbered = {path: data for path, data in plain.items() if path not in ("ids.txt", "references.txt")}
    compressed = {f"{path}.gz": gzip.compress(data, mtime=0) for path, data in plain.items()}
    twice = {f"{folder}/{path}": data for folder in ("one", "two") for path, data in plain.items()}
    forms = (
        plain,
        numbered,
        compressed,
        twice,
        {"corpus.zip": pack_zip(plain)},
        {"corpus.tgz": compress(pack_tar({f"data/{path}": data for path, data in plain.items()}))},
    )
    return [Case(dict(form)) for form in forms]


def read_labels(folder: Path, arguments: Arguments) -> object:
    """Read a folder as annotations, as summaries and as references. Every label must be in the test."""
    del arguments
    summaries = [_read_or_explain(read, folder) for read in (read_summaries, _read_references)]
    corpus = read_corpus(folder)
    require_accounts(corpus)
    _require_labels(corpus)
    try:
        test = build_test(corpus, PRESENCE)
    except EmptyResultError as error:
        return corpus, summaries, str(error)
    labels = sum(len(annotation.scus) for annotation in corpus.annotations if annotation.text.strip())
    require(test.counts["positives"] == labels, "every label 1 of a summary with text is a positive")
    for tables in test.splits.values():
        for table in tables:
            require(all(table["sentences"].to_pylist()), "every row has a sentence")
    return corpus, summaries, test.fingerprint


def _read_references(folder: Path) -> object:
    _, references, notes = read_peers_and_references(SummarySource(folder), SummarySource(folder))
    return references, notes


def _read_or_explain(read: Callable[[Path], object], folder: Path) -> object:
    try:
        return read(folder)
    except PyramidParaphraseError as error:
        return str(error)


def _require_labels(corpus: Corpus) -> None:
    """Check that annotations are of pyramids of the corpus, and every part is the text at its offsets."""
    pyramids = {pyramid.id: pyramid for pyramid in corpus.reference_pyramids}
    require(len(pyramids) == len(corpus.reference_pyramids), "references have different names")
    for pyramid in pyramids.values():
        for scu in pyramid.scus:
            (part,) = scu.contributors[0].parts
            require(
                pyramid.text[part.start : part.end] == part.text == scu.label, "parts are the text at their offsets"
            )
    keys = {(annotation.pyramid.id, annotation.peer) for annotation in corpus.annotations}
    require(len(keys) == len(corpus.annotations), "a summary is annotated once")
    for annotation in corpus.annotations:
        require(pyramids[annotation.pyramid.id] is annotation.pyramid, "annotations have pyramids of the corpus")
        uids = [scu.uid for scu in annotation.scus]
        require(set(uids) <= {scu.uid for scu in annotation.pyramid.scus}, "labels are of SCUs of the pyramid")
        require(len(uids) == len(set(uids)), "an SCU has one label")


TARGETS = (Target("scu-labels", read_labels, _make_seeds, _FORMATS),)
