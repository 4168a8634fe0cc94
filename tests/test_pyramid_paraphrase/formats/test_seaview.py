"""Files of SEAView: discourse units of essays, aligned with the SCUs of a pyramid.

The forms are those that SEAView (psunlpgroup/SEAView at 9349dad, Java 17) wrote when it ran.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.annotations import (
    MODEL_TEXT,
    PEER,
    PEER_NAME,
    PEER_TEXT,
    PYRAMID,
    SCUS,
    SUMMARIES,
    Part,
    pair_element,
    parse_file,
    peer_file,
    pyramid_element,
    sea_file,
    sep_file,
)
from helpers.commands import Capture, run
from helpers.messages import mentions

from harness.reports.rows import describe_rows
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.errors import InputError, LimitError, OptionError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.publishing.export import make_manifest
from pyramid_paraphrase.pyramids.corpus import Corpus, count_kinds
from pyramid_paraphrase.pyramids.records import ENTAILS, DiscourseUnit, Relation, merge_entailed
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import Options
from pyramid_paraphrase.rules.propositions import Proposition, list_propositions

FIRE = pair_element("Fire  took\nthe old mill", ["burned down on Monday"], "1", MODEL_TEXT)
SAFE = pair_element("All workers stayed safe", ["workers", "unharmed"], "2", MODEL_TEXT)
ALONE = pair_element("It was a Monday morning", ["Monday morning"], None, MODEL_TEXT)
SEA = sea_file(pyramid_element(SUMMARIES, SCUS), [FIRE, ALONE, SAFE])
PEER_FIRE = pair_element("A mill burned in a fire", ["fire at a mill"], "1", PEER_TEXT, is_peer=True)
PEER_WEATHER = pair_element("The weather was fine", ["weather was fine"], "0", PEER_TEXT, is_peer=True)
SEP = sep_file(PEER, [PEER_WEATHER, PEER_FIRE])
SEP_NAME = PEER_NAME.replace(".pan", ".sep")


def aligned(data: bytes, name: str = "x.sea") -> list[tuple[str, str, str, int]]:
    """Return SCU, text, summarizer and number of parts of all alignments that can be used."""
    return [(uid, unit.text, unit.summarizer, len(unit.parts)) for uid, unit in parse_file(data, name).alignments]


def problems(data: bytes, name: str = "x.sea") -> list[tuple[str, str]]:
    return [(problem.kind, problem.uid) for problem in parse_file(data, name).peer_problems]


def read(folder: Path, **files: bytes) -> Corpus:
    for name, data in files.items():
        (folder / name.replace("__", ".")).write_bytes(data)
    return read_corpus(folder)


def test_essays() -> None:
    """A unit without an SCU is not aligned. A unit has its annotator's sentence, and the author of its parts."""
    file = parse_file(SEA, "x.sea")
    assert file.annotation is None
    assert file.reading.pyramid == parse_file(PYRAMID, "x.pyr").reading.pyramid
    assert aligned(SEA) == [("1", "Fire took the old mill", "A", 1), ("2", "All workers stayed safe", "B", 2)]
    assert file.peer_problems == ()


def test_a_peer() -> None:
    """The parts are in the text of the peer. An SCU of uid 0 holds what matches none, so its unit is not aligned."""
    file = parse_file(SEP, SEP_NAME)
    assert file.annotation == parse_file(PEER, PEER_NAME).annotation
    assert aligned(SEP, SEP_NAME) == [("1", "A mill burned in a fire", "7", 1)]
    (part,) = file.alignments[0][1].parts
    assert PEER_TEXT[part.start : part.end] == "fire at a mill"
    assert file.peer_problems == ()


def test_a_unit_without_a_sentence_has_the_text_of_its_parts() -> None:
    pair = pair_element(" ", ["unharmed", "workers"], "2", MODEL_TEXT)
    assert aligned(sea_file(pyramid_element(SUMMARIES, SCUS), [pair])) == [("2", "workers unharmed", "B", 2)]


@pytest.mark.parametrize(
    ("pair", "kind", "uid"),
    [
        (pair_element(None, [], None, MODEL_TEXT), "alignment-empty", ""),
        (pair_element(None, [], "1", MODEL_TEXT), "alignment-empty", "1"),
        (pair_element("Fire took it", [], "1", MODEL_TEXT), "alignment-empty", "1"),
        (pair_element("Fire took it", ["old mill"], "77", MODEL_TEXT), "alignment-unknown", "77"),
        (pair_element("Fire took it", ["old mill"], "0", MODEL_TEXT), "alignment-unknown", "0"),
        (pair_element("Fire took it", ["old mill"], "", MODEL_TEXT), "alignment-unknown", ""),
        (FIRE, "alignment-repeated", "1"),
    ],
    ids=["nothing", "no unit", "no text", "no SCU", "0", "no uid", "repeated"],
)
def test_pairs_that_cannot_be_used(pair: str, kind: str, uid: str) -> None:
    """They are counted, and the others stay."""
    data = sea_file(pyramid_element(SUMMARIES, SCUS), [FIRE, pair, SAFE])
    assert [row[0] for row in aligned(data)] == ["1", "2"]
    assert problems(data) == [(kind, uid)]


def test_a_unit_may_be_aligned_with_several_scus_and_an_scu_with_several_units() -> None:
    other = FIRE.replace('scu uid="1"', 'scu uid="2"')
    data = sea_file(pyramid_element(SUMMARIES, SCUS), [FIRE, other, SAFE])
    assert [row[0] for row in aligned(data)] == ["1", "2", "2"]


def test_offsets_and_labels_of_units_are_repaired() -> None:
    pair = pair_element("The &quot;old&quot; mill", [Part("old mill", 2, 5)], "1", MODEL_TEXT)
    data = sea_file(pyramid_element(SUMMARIES, SCUS), [pair])
    assert aligned(data) == [("1", 'The "old" mill', "A", 1)]
    assert problems(data) == [("part-moved", "1"), ("double-escaped", "1")]


def test_files_without_tables() -> None:
    """The rest of the file counts."""
    inner = pyramid_element(SUMMARIES, SCUS)
    assert aligned(f"<SEA>{inner}</SEA>".encode()) == []
    assert aligned(f"<SEA>{inner}<seaAnnotation/></SEA>".encode()) == []
    with pytest.raises(InputError, match=mentions("x.sea, line 1: <SEA> ... <pyramid>")):
        parse_file(b"<SEA><seaAnnotation/></SEA>", "x.sea")
    with pytest.raises(InputError, match=mentions("x.sep, line 1: <SEP> ... <annotation>")):
        parse_file(f"<SEP>{inner}</SEP>".encode(), "x.sep")


def test_a_folder_of_all_steps(tmp_path: Path) -> None:
    """The annotators' steps give a pyramid, its alignment, and for each peer an annotation and its alignment.

    A copy of a peer annotation is one peer, under any name.
    """
    corpus = read(tmp_path, a__pyr=PYRAMID, a__sea=SEA, kim__pan=PEER, kim__sep=SEP)
    assert [annotation.peer for annotation in corpus.annotations] == ["kim.pan"]
    units = {scu.uid: [unit.text for unit in scu.units] for scu in corpus.pyramids[0].scus}
    assert units == {"1": ["A mill burned in a fire", "Fire took the old mill"], "2": ["All workers stayed safe"]}
    accounts = corpus.accounts
    assert (accounts.files_read, accounts.files_used, accounts.files_repeated) == (4, 4, 0)
    assert corpus.count_alignments() == (3, 0)
    assert (accounts.contributors_read, accounts.contributors_used) == (5, 5)
    assert count_kinds(corpus.problems) == {"peer-name": 2}


def test_a_name_in_nist_form_identifies_the_peer(tmp_path: Path) -> None:
    (tmp_path / SEP_NAME).write_bytes(SEP)
    assert [annotation.peer for annotation in read_corpus(tmp_path).annotations] == ["7"]


def test_an_alignment_counts_once(tmp_path: Path) -> None:
    """Two files that are not equal contain the same alignments."""
    corpus = read(tmp_path, a__sea=SEA, b__sea=SEA.replace(ALONE.encode(), b""))
    assert corpus.count_alignments() == (2, 2)
    assert count_kinds(corpus.problems) == {"alignment-repeated": 2}
    twice = sea_file(pyramid_element(SUMMARIES, SCUS), [FIRE, FIRE.replace("took", "hit")])
    (tmp_path / "a.sea").write_bytes(twice)
    corpus = read(tmp_path, b__sea=twice + b"\n")
    (repeated,) = corpus.problems  # both alignments of the second file, with the same SCU
    assert (repeated.kind, repeated.uid, repeated.times) == ("alignment-repeated", "1", 2)
    assert (corpus.accounts.files_used, corpus.accounts.files_repeated) == (1, 1)


def test_an_alignment_with_another_version_of_the_pyramid(tmp_path: Path) -> None:
    """The same uid can be another SCU there. The label decides."""
    scus = dict(SCUS)
    scus["2", "Everybody died"] = scus.pop(("2", "No one suffered an injury"))
    scus["3", "It was Monday"] = [("A", ["Monday"])]
    other = peer_file(pyramid_element(SUMMARIES, scus), PEER_TEXT, {("1", "(3) Mill"): [["A mill burned"]]})
    safe, monday = (pair_element("Nobody is hurt", ["weather"], uid, PEER_TEXT, is_peer=True) for uid in "23")
    corpus = read(tmp_path, a__pyr=PYRAMID, kim__sep=sep_file(other, [PEER_FIRE, safe, monday]))
    assert [len(scu.units) for scu in corpus.pyramids[0].scus] == [1, 0]
    unknown = [problem for problem in corpus.problems if problem.kind == "alignment-unknown"]
    places = [(Path(problem.file).name, problem.line, problem.uid, problem.times) for problem in unknown]
    assert places == [("kim.sep", 0, "2", 1), ("kim.sep", 0, "3", 1)]
    assert corpus.count_alignments() == (1, 2)


def test_saved_twice(tmp_path: Path) -> None:
    """SEAView appends, too."""
    corpus = read(tmp_path, a__sea=sea_file(pyramid_element(SUMMARIES, SCUS), [FIRE]) + SEA, b__sep=SEP + SEP)
    assert corpus.count_alignments() == (3, 0)
    assert count_kinds(corpus.problems) == {"document-superseded": 2, "peer-name": 1}


def test_files_are_known_by_their_content(tmp_path: Path) -> None:
    """Damaged files are named. Other programs use these suffixes, too."""
    (tmp_path / "essays").write_bytes(SEA)
    (tmp_path / "D0901-A.M.100.A.9").write_bytes(SEP)
    (tmp_path / "other.sea").write_bytes(b"\0\1\2")
    (tmp_path / "other.txt").write_bytes(b"<SEARCH>")
    corpus = read_corpus(tmp_path)
    assert (corpus.accounts.files_used, corpus.accounts.files_left_out, corpus.accounts.other_files) == (2, 1, 1)
    assert [annotation.peer for annotation in corpus.annotations] == ["9"]
    assert [Path(problem.file).name for problem in corpus.problems] == ["other.sea"]


def test_inspect_counts_alignments(tmp_path: Path, capsys: Capture) -> None:
    read(tmp_path, a__pyr=PYRAMID)
    assert run("inspect", tmp_path) == 0
    assert "alignments" not in capsys.readouterr().out
    read(tmp_path, a__sea=sea_file(pyramid_element(SUMMARIES, SCUS), [FIRE, FIRE]))
    assert run("inspect", tmp_path) == 0
    assert ["alignments", "2", "1", "1"] in [line.split() for line in capsys.readouterr().out.splitlines()]


def list_rows(test: BuiltTest) -> list[dict[str, object]]:
    return [row for tables in test.splits.values() for table in tables for row in table.to_pylist()]


def test_units_are_off_by_default(tmp_path: Path) -> None:
    """Alignments change no row and no record of a build."""
    (tmp_path / "with").mkdir()
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "a.pyr").write_bytes(PYRAMID)
    (tmp_path / "with" / "a.sea").write_bytes(SEA)
    tests, records = {}, {}
    for name in ("with", "without"):
        corpus = read_corpus("sample", tmp_path / name)
        tests[name] = build_test(corpus, "binary")
        manifest = make_manifest(corpus, [tests[name]])
        records[name] = {key: manifest[key] for key in ("configurations", "accounts", "problems")}
    assert records["with"] == records["without"]
    assert tests["with"].fingerprint == tests["without"].fingerprint
    assert tests["with"].counts == tests["without"].counts
    assert "units" not in tests["with"].counts
    assert "units" not in tests["with"].recorded_options


def test_units_are_a_kind_of_their_own(tmp_path: Path) -> None:
    """A unit is a paraphrase of the label and of the contributors of its SCU, and of no other SCU."""
    (tmp_path / "a.sea").write_bytes(SEA)
    (tmp_path / SEP_NAME).write_bytes(SEP)
    corpus = read_corpus("sample", tmp_path)
    test, plain = build_test(corpus, "binary", {"units": True}), build_test(corpus, "binary")
    assert test.recorded_options == {**plain.recorded_options, "units": True}
    assert test.counts["units"] == 3
    rows = [row for row in list_rows(test) if "unit" in (row["kind1"], row["kind2"])]
    positives = [row for row in rows if row["label"]]
    pairs = {frozenset((str(row["sentence1"]), str(row["sentence2"]))) for row in positives}
    assert len(pairs) == len(positives)
    fire = {"Fire took the old mill", "A mill burned in a fire"}
    for unit in fire:
        for text in ("The mill was destroyed by fire", "Fire destroyed the ancient mill"):
            assert frozenset((unit, text)) in pairs
    assert frozenset(fire) in pairs
    assert frozenset(("All workers stayed safe", "All workers escaped unharmed")) in pairs
    assert len(pairs) == 2 * 4 + 1 + 3
    sides = [(row[f"kind{side}"], row[f"summarizer{side}"], row[f"parts{side}"]) for row in rows for side in "12"]
    assert {side for side in sides if side[0] == "unit"} == {("unit", "A", 0), ("unit", "B", 0), ("unit", "7", 0)}
    others = [row for row in list_rows(test) if row not in rows]
    assert {row["id"] for row in others} == {row["id"] for row in list_rows(plain)}
    assert describe_rows(test)[str(rows[0]["id"])].kind.endswith("with a discourse unit")


def test_units_need_alignments(sample: Corpus) -> None:
    with pytest.raises(OptionError, match=mentions("option units ... no effect ... .sea, .sep ... omit")):
        build_test(sample, "binary", {"units": True})
    with pytest.raises(OptionError, match=mentions("option units ... no effect ... ranking")):
        build_test(sample, "ranking", {"units": True})


def test_units_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit makes pairs with all texts of its SCU: 1 * (1 + 3) and 1 * (1 + 2)."""
    corpus = read(tmp_path, a__sea=SEA)
    monkeypatch.setattr(limits, "MAX_UNIT_PAIRS", 6)
    with pytest.raises(LimitError, match=mentions("D0901-A: ... 6 pairs ... Omit")):
        build_test(corpus, "binary", {"units": True})
    monkeypatch.setattr(limits, "MAX_UNIT_PAIRS", 7)
    assert build_test(corpus, "binary", {"units": True, "min_shared_words": 1, "seed": 3}).counts["units"] == 2


def test_a_text_that_is_a_contributor_too_stays_a_contributor(tmp_path: Path) -> None:
    pair = pair_element("fire destroyed the ancient mill", ["ancient mill"], "1", MODEL_TEXT)
    corpus = read(tmp_path, a__sea=sea_file(pyramid_element(SUMMARIES, SCUS), [pair]))
    assert corpus.count_alignments() == (1, 0)

    def kinds(propositions: list[Proposition]) -> list[str]:
        return [row.kind for row in propositions if row.folded == "fire destroyed the ancient mill"]

    assert kinds(list_propositions(corpus.pyramids, Options(units=True), labels=True)) == ["contributor"]


def test_merged_scus_keep_their_units() -> None:
    """Aligned corpora can be read together with files of SEAView."""
    pyramid = parse_file(PYRAMID, "x.pyr").reading.pyramid
    first, second = (DiscourseUnit(text, "A", ()) for text in ("Fire took it", "All were safe"))
    scus = tuple(replace(scu, units=(unit,)) for scu, unit in zip(pyramid.scus, (first, second), strict=True))
    related = replace(pyramid, scus=scus, relations=(Relation(ENTAILS, "1", "2", agreed=True),))
    (merged,) = merge_entailed(related).scus
    assert merged.units == (first, second)


@pytest.mark.parametrize("flags", [["--units"], []])
def test_built_folders_describe_units(tmp_path: Path, flags: list[str]) -> None:
    """Only builds with units name them, so that all other folders have the same bytes as before."""
    read(tmp_path, a__sea=SEA)
    built = tmp_path / "built"
    assert run("build", "sample", tmp_path / "a.sea", "--config", "binary", *flags, "--output", built) == 0
    described = (built / "croissant.json").read_text("utf-8").count("discourse unit")
    assert described == (4 if flags else 0)  # kind1 and kind2 of two splits
