"""Aligned corpora: the files of PropSegmEnt and SuperPAL, alone, compressed and in archives."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Sequence
from pathlib import Path

from helpers.aligned_corpora import ALIGNMENTS, align_town, make_harbour, make_superpal, make_town

from fuzzing.cases import Case, read_case
from fuzzing.mutations.lines import mutate_table
from fuzzing.mutations.packing import compress, mutate_archive, mutate_compressed, pack_tar
from fuzzing.mutations.values import mutate_json
from fuzzing.target import Arguments, Target, require
from fuzzing.targets.pyramids import require_accounts
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.pyramids.corpus import Corpus, count_kinds
from pyramid_paraphrase.pyramids.records import Pyramid
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import PYRAMID_TESTS

_CELLS = mutate_table(",", 500)
"""The time of making a test is quadratic in the number of topics, so that thousands of rows take too long."""

_FORMATS = (
    ("*.tgz", mutate_archive(mutate_json)),
    ("*.json", mutate_json),
    ("*.json.gz", mutate_compressed(mutate_json)),
    ("*.csv.gz", mutate_compressed(_CELLS)),
    ("*", _CELLS),
)
_LEFT_OUT = ("not-compared", "not-reference", "without-text")
"""Kinds of problems with propositions."""


def _make_propsegment() -> Sequence[Case]:
    with tempfile.TemporaryDirectory() as name:
        harbour = read_case(make_harbour().write(Path(name, "harbour"))).plain_files()
        town = read_case(make_town().write(Path(name, "town"))).plain_files()
    forms = (
        harbour,
        {f"{path}.gz": gzip.compress(data, mtime=0) for path, data in harbour.items()},
        {"v1.tgz": compress(pack_tar(harbour))},
        town,
    )
    return [Case(files, (test,)) for files in forms for test in PYRAMID_TESTS]


def _make_superpal() -> Sequence[Case]:
    files = {"Tarn.csv": make_superpal(ALIGNMENTS), "Zarn.csv": make_superpal(ALIGNMENTS[1:], "Zarn", "\r\n")}
    town = make_superpal(align_town())
    forms: tuple[dict[str, bytes], ...] = (files, {"town.csv": town}, {"town.csv.gz": gzip.compress(town, mtime=0)})
    return [Case(dict(form), (test,)) for form in forms for test in PYRAMID_TESTS]


def read_aligned(folder: Path, arguments: Arguments) -> object:
    """Read a folder, and build one of the tests. Every proposition and relation must be accounted for."""
    corpus = read_corpus(folder)
    require_accounts(corpus)
    _require_reasons(corpus)
    for pyramid in corpus.pyramids:
        _require_texts(pyramid)
        _require_relations(pyramid)
    try:
        return corpus, build_test(corpus, "".join(arguments)).fingerprint
    except EmptyResultError as error:
        return corpus, str(error)


def _require_reasons(corpus: Corpus) -> None:
    """Check that each omitted proposition and relation has a problem."""
    accounts, times = corpus.accounts, count_kinds(corpus.problems)
    propositions = sum(times.get(kind, 0) for kind in _LEFT_OUT)
    require(accounts.contributors_left_out == propositions, "propositions that are left out have a reason")
    relations = times.get("relation-without-text", 0)
    require(accounts.relations_left_out == relations, "relations that are left out have a reason")
    kept = sum(pyramid.contributor_count for pyramid in corpus.pyramids)
    require(accounts.contributors_used == kept, "propositions that are used are contributors")


def _require_texts(pyramid: Pyramid) -> None:
    """Check that every part is the text at its offsets in its summary."""
    places = {summary.summarizer: (summary.start, summary.end) for summary in pyramid.summaries}
    for scu in pyramid.scus:
        for contributor in scu.contributors:
            for part in contributor.parts:
                start, end = places[part.summarizer]
                require(start <= part.start < part.end <= end, "parts are in their summaries")
                text = " ".join(pyramid.text[part.start : part.end].split())
                require(bool(text) and text == part.text, "parts are the text at their offsets")


def _require_relations(pyramid: Pyramid) -> None:
    """Check that relations are between different SCUs of the pyramid."""
    uids = {scu.uid for scu in pyramid.scus}
    require(len(uids) == len(pyramid.scus), "uids differ")
    for relation in pyramid.relations:
        require({relation.premise, relation.hypothesis} <= uids, "relations are between SCUs")
        require(relation.premise != relation.hypothesis, "no relation is within an SCU")


TARGETS = (
    Target("propsegment", read_aligned, _make_propsegment, _FORMATS),
    Target("superpal", read_aligned, _make_superpal, _FORMATS),
)
