"""Pyramids and peer annotations, alone, in folders and in archives, and published score tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from helpers.annotations import (
    MODEL_TEXT,
    PEER,
    PEER_NAME,
    PEER_TEXT,
    PYRAMID,
    SCUS,
    SUMMARIES,
    pair_element,
    parse_file,
    pyramid_element,
    sea_file,
    sep_file,
)
from helpers.nist_tables import PANS_2005, PEERS_2008, TABLE_2006, TABLE_UPDATE

from fuzzing.cases import Case
from fuzzing.mutations.lines import mutate_table
from fuzzing.mutations.markup import mutate_markup
from fuzzing.mutations.packing import compress, mutate_archive, pack_tar, pack_zip
from fuzzing.target import Arguments, Target, require
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.building.peers import OUTCOMES
from pyramid_paraphrase.catalog import SAMPLE_DIR
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.formats.ducview_parser import ParsedFile
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.pyramid_scores import (
    compare_with_ducview,
    compare_with_official,
    parse_official,
    score_peer,
    score_peers,
)
from pyramid_paraphrase.pyramids.sources import read_score_table
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import PEERS, PRESENCE, PYRAMID_TESTS

_ANNOTATIONS = (("*.pyr", mutate_markup), ("*.pan", mutate_markup), ("*.txt", mutate_table(" ")), ("*", mutate_markup))
_ARCHIVES = (("*.tar", mutate_archive(mutate_markup)), ("*.tgz", mutate_archive(mutate_markup)))
_SCORES = b"D0901-A 7 0.4286 3 1 1 2 3 4 5 2\nD0901-A 8 0.1 2 0 1 2 3 4 5 1\n"
_TABLE = "2007_modified_scores.txt"


_SEAVIEW = {
    "D0901.sea": sea_file(
        pyramid_element(SUMMARIES, SCUS), [pair_element("Fire ruined it", ["burned down"], "1", MODEL_TEXT)]
    ),
    "D0901-A.M.100.A.7.sep": sep_file(
        PEER, [pair_element("Fire ruined a mill", ["fire at a mill"], "1", PEER_TEXT, is_peer=True)]
    ),
}


def _sample(*names: str) -> dict[str, bytes]:
    return {name: (SAMPLE_DIR / name).read_bytes() for name in names}


def _make_files() -> Sequence[Case]:
    sample = _sample("S0101.pyr", "S0102.M.100.S.1.pan")
    files = {"D0901.pyr": PYRAMID, PEER_NAME: PEER, "twice.pyr": PYRAMID + PEER + PYRAMID, **_SEAVIEW} | sample
    return [Case({name: data}) for name, data in files.items()]


def parse_annotation(folder: Path, arguments: Arguments) -> ParsedFile:
    """Parse one file, and score it if it is a peer annotation. Its accounts must add up."""
    del arguments
    path = next(iter(sorted(folder.iterdir())), folder)
    parsed = parse_file(path.read_bytes(), path.name)
    if parsed.annotation:
        score_peer(parsed.annotation)
        compare_with_ducview([parsed.annotation])
    reading = parsed.reading
    kinds = [problem.kind for problem in reading.problems]
    scus = reading.pyramid.scus
    require(reading.scus_read == len(scus) + kinds.count("scu-empty"), "SCUs read are those kept and left out")
    kept = sum(len(scu.contributors) for scu in scus)
    lost = kinds.count("contributor-empty")
    require(reading.contributors_read == kept + lost, "contributors read are those kept and left out")
    return parsed


def _make_folders() -> Sequence[Case]:
    small = {"D0901.pyr": PYRAMID, f"pans/{PEER_NAME}": PEER, f"scoring/{_TABLE}": _SCORES}
    sample = _sample("S0101.pyr", "S0101.M.100.S.1.pan", "S0102.pyr", "S0102.M.100.S.1.pan")
    cases = [Case(files, (test,)) for files in (small, sample) for test in (*PYRAMID_TESTS, PRESENCE, PEERS)]
    return [*cases, Case(_SEAVIEW | {"D0901.pyr": PYRAMID}, ("binary",))]


def read_annotations(folder: Path, arguments: Arguments) -> object:
    """Read a folder, compute scores, and build one of the tests. The accounts must add up."""
    corpus = read_corpus(folder)
    require_accounts(corpus)
    scores = score_peers(corpus.annotations) if corpus.annotations else []
    try:
        test = build_test(corpus, "".join(arguments))
    except EmptyResultError as error:
        return corpus, scores, str(error)
    if test.configuration.name == PEERS:
        require(test.counts["contributors"] == sum(test.counts[name] for name in OUTCOMES), "contributors add up")
    return corpus, scores, test.fingerprint


def require_accounts(corpus: Corpus) -> None:
    """Check that all read files and elements were used, left out or repeated."""
    accounts = corpus.accounts
    files = accounts.files_used + accounts.files_repeated + accounts.files_left_out
    require(accounts.files_read == files, "files read are those used, repeated and left out")
    require(accounts.scus_read == accounts.scus_used + accounts.scus_left_out, "SCUs add up")
    contributors = accounts.contributors_used + accounts.contributors_left_out
    require(accounts.contributors_read == contributors, "contributors add up")
    require(accounts.relations_read == accounts.relations_used + accounts.relations_left_out, "relations add up")


def _make_archives() -> Sequence[Case]:
    members = {"x/D0901.pyr": PYRAMID, f"x/pans/{PEER_NAME}": PEER, f"x/scoring/{_TABLE}": _SCORES, "x/notes": b"notes"}
    inner = pack_tar(members)
    archives = {
        "a.tar": inner,
        "b.tgz": compress(inner),
        "c.zip": pack_zip(members),
        "d.tar.gz": compress(pack_tar({"y/inner.zip": pack_zip(members), "y/D0902.pyr": PYRAMID})),
    }
    return [Case({name: data}) for name, data in archives.items()]


def read_archive(folder: Path, arguments: Arguments) -> object:
    """Read an archive given as a source. Its accounts must add up."""
    del arguments
    corpus = read_corpus(*sorted(folder.iterdir()))
    require_accounts(corpus)
    return corpus


def _make_score_tables() -> Sequence[Case]:
    tables = [table.encode() for table in (TABLE_2006, TABLE_UPDATE, PEERS_2008, PANS_2005)]
    return [Case({_TABLE: _SCORES}), *(Case({"table.txt": table}) for table in tables)]


def read_published_scores(folder: Path, arguments: Arguments) -> object:
    """Read a published score table, and compare our scores with it."""
    del arguments
    rows = parse_official(read_score_table(next(iter(sorted(folder.iterdir())), folder)))
    annotation = parse_file(PEER, PEER_NAME).annotation
    return rows, compare_with_official(score_peers([annotation] if annotation else []), rows)


TARGETS = (
    Target("annotation", parse_annotation, _make_files, _ANNOTATIONS, has_tree=False),
    Target("annotations", read_annotations, _make_folders, _ANNOTATIONS),
    Target("archive", read_archive, _make_archives, (*_ARCHIVES, ("*", mutate_archive(mutate_markup)))),
    Target("published-scores", read_published_scores, _make_score_tables, (("*", mutate_table(" ")),)),
)
