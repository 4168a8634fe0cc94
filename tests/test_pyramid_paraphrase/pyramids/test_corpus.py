"""Many files, one corpus: repetitions, versions, and accounts that add up."""

from __future__ import annotations

import random
import re
from dataclasses import asdict
from pathlib import Path

import pytest
from helpers.aligned_corpora import HARBOUR, make_cluster, make_harbour
from helpers.annotations import (
    PEER,
    PEER_NAME,
    PYRAMID,
    SCUS,
    SUMMARIES,
    Scus,
    parse_file,
    peer_file,
    pyramid_element,
    pyramid_file,
    tar,
)
from helpers.messages import mentions
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramid_paraphrase.errors import InputError, LimitError, NoAnnotationError, StrictError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.corpus import LEFT_OUT, REPAIRED, Accounts, Corpus, count_kinds, join_parts
from pyramid_paraphrase.pyramids.records import content_digest
from pyramid_paraphrase.reading import read_corpus

REVERSED: Scus = dict(reversed(SCUS.items()))
OTHER: Scus = {
    ("1", "Another label"): [("A", ["The old mill burned down"]), ("B", ["Fire destroyed the ancient mill"])]
}


def read_files(folder: Path, files: dict[str, bytes], *, strict: bool = False) -> Corpus:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return read_corpus(folder, strict=strict)


def peer_of(scus: Scus, text: str = "A mill burned.") -> bytes:
    return peer_file(pyramid_element(SUMMARIES, scus), text, {("1", "x"): [["A mill burned"]]})


def test_a_pyramid_met_in_many_files_is_used_once(tmp_path: Path) -> None:
    peers = {f"D0901-A.M.100.A.{peer}.pan": peer_of(SCUS, f"A mill burned. {peer}") for peer in range(3)}
    corpus = read_files(tmp_path, {"x.pyr": PYRAMID, **peers})
    assert [pyramid.id for pyramid in corpus.pyramids] == ["D0901-A"]
    assert corpus.files == {"D0901-A": f"{tmp_path.name}/x.pyr"}
    assert [annotation.peer for annotation in corpus.annotations] == ["0", "1", "2"]
    assert corpus.problems == ()
    assert asdict(corpus.accounts) == {
        "files_read": 4,
        "files_used": 4,
        "files_repeated": 0,
        "files_left_out": 0,
        "other_files": 0,
        "scus_read": 2,
        "scus_used": 2,
        "scus_left_out": 0,
        "contributors_read": 5,
        "contributors_used": 5,
        "contributors_left_out": 0,
        "relations_read": 0,
        "relations_used": 0,
        "relations_left_out": 0,
    }


def test_the_order_of_scus_is_no_difference(tmp_path: Path) -> None:
    corpus = read_files(tmp_path, {"x.pyr": PYRAMID, PEER_NAME: peer_of(REVERSED)})
    assert corpus.problems == ()
    pyramid, reordered = (parse_file(pyramid_file(SUMMARIES, scus), "x").reading.pyramid for scus in (SCUS, REVERSED))
    assert content_digest(pyramid) == content_digest(reordered)


def test_a_peer_with_another_pyramid_is_counted_and_keeps_it(tmp_path: Path) -> None:
    corpus = read_files(tmp_path, {"x.pyr": PYRAMID, PEER_NAME: peer_of(OTHER)})
    assert count_kinds(corpus.problems) == {"pyramid-differs": 1}
    assert [len(pyramid.scus) for pyramid in corpus.pyramids] == [2]
    assert len(corpus.annotations[0].pyramid.scus) == 1


def test_without_a_pyr_most_peers_decide(tmp_path: Path) -> None:
    files = {f"D0901-A.M.100.A.{peer}.pan": peer_of(SCUS, f"A mill burned {peer}") for peer in (1, 2)}
    corpus = read_files(tmp_path, files | {"D0901-A.M.100.A.0.pan": peer_of(OTHER)})
    assert [len(pyramid.scus) for pyramid in corpus.pyramids] == [2]
    assert [(p.kind, p.file) for p in corpus.problems] == [
        ("pyramid-differs", f"{tmp_path.name}/D0901-A.M.100.A.0.pan")
    ]


def test_a_pyramid_is_of_the_first_file_that_has_it_or_of_its_pyr(tmp_path: Path) -> None:
    """A pyramid is read once, whether peer annotations that repeat it come before or after the `.pyr`."""
    peers = {f"D0901-A.M.100.A.{peer}.pan": peer_of(SCUS, f"A mill burned {peer}") for peer in (1, 2)}
    (tmp_path / "peers").mkdir()
    assert read_files(tmp_path / "peers", peers).files == {"D0901-A": "peers/D0901-A.M.100.A.1.pan"}
    (tmp_path / "all").mkdir()
    corpus = read_files(tmp_path / "all", peers | {"D0901-A.M.100.A.1z.pyr": PYRAMID})
    assert corpus.files == {"D0901-A": "all/D0901-A.M.100.A.1z.pyr"}
    assert corpus.accounts.files_used == 3
    # A pyramid under another name is read after them, and is still the one.
    (tmp_path / "named").mkdir()
    assert read_files(tmp_path / "named", peers | {"z.xml": PYRAMID}).files == {"D0901-A": "named/z.xml"}


def test_equally_many_peers_are_decided_by_the_digest(tmp_path: Path) -> None:
    """The smaller digest of the content wins, whatever the order of files."""
    scus_by_digest = {
        content_digest(parse_file(pyramid_file(SUMMARIES, scus), "x").reading.pyramid): scus for scus in (SCUS, OTHER)
    }
    expected = len(scus_by_digest[min(scus_by_digest)])
    for number, order in enumerate(([SCUS, OTHER], [OTHER, SCUS])):
        folder = tmp_path / str(number)
        folder.mkdir()
        files = {
            f"D0901-A.M.100.A.{peer}.pan": peer_of(scus, f"A mill burned {peer}") for peer, scus in enumerate(order)
        }
        assert [len(pyramid.scus) for pyramid in read_files(folder, files).pyramids] == [expected]


def test_problems_of_whole_files_have_no_line(tmp_path: Path) -> None:
    sets = {letter: pyramid_file(SUMMARIES, SCUS, topic=f"D0901-{letter}") for letter in "AB"}
    combined = PYRAMID.replace(b"D0901-A.M.100.A.C", b"D0901-B.M.100.A.C")
    files = {"a.pyr": sets["A"], "b.pyr": sets["B"], "ab.pyr": combined, PEER_NAME: peer_of(OTHER)}
    second_annotation = peer_file(
        pyramid_element(SUMMARIES, OTHER), "A barn burned.", {("1", "x"): [["A barn burned"]]}
    )
    corpus = read_files(tmp_path, files | {PEER_NAME.replace(".pan", ".PAN"): second_annotation})
    lines = {problem.kind: problem.line for problem in corpus.problems if problem.kind != "scu-mismatch"}
    assert lines == {"combined-pyramid": 0, "pyramid-differs": 0, "peer-repeated": 0}


def test_annotations_are_found_behind_pyramids(tmp_path: Path) -> None:
    corpus = read_files(tmp_path, {"A.pyr": PYRAMID, PEER_NAME: PEER})
    assert [annotation.peer for annotation in corpus.annotations] == ["7"]


def test_a_combined_pyramid_is_kept_while_one_of_its_parts_is_missing(tmp_path: Path) -> None:
    combined = PYRAMID.replace(b"D0901-A.M.100.A.C", b"D0901-B.M.100.A.C")
    corpus = read_files(tmp_path, {"ab.pyr": combined, "a.pyr": PYRAMID})
    assert [pyramid.id for pyramid in corpus.pyramids] == ["D0901-A", "D0901-AB"]


def test_score_tables_count_as_other_files(tmp_path: Path) -> None:
    files = {"x.pyr": PYRAMID, "2007_modified_scores.txt": b"D0901-A 7 0.6 1 1\n", "notes.txt": b"x"}
    corpus = read_files(tmp_path, files)
    assert len(corpus.score_tables) == 1
    assert (corpus.accounts.other_files, corpus.accounts.files_read) == (2, 1)


def test_two_pyr_that_contradict_each_other_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_files(tmp_path, {"a.pyr": PYRAMID, "b.pyr": pyramid_file(SUMMARIES, OTHER)})
    expected = f"{tmp_path.name}/b.pyr: ... D0901-A ... {tmp_path.name}/a.pyr. Remove"
    assert re.search(mentions(expected), str(caught.value))


def test_the_same_file_twice_is_counted(tmp_path: Path) -> None:
    corpus = read_files(tmp_path, {"a.pyr": PYRAMID, "b.tgz": tar({"a.pyr": PYRAMID})})
    assert (corpus.accounts.files_read, corpus.accounts.files_repeated) == (2, 1)


def test_the_same_annotation_with_other_line_ends_is_a_repetition(tmp_path: Path) -> None:
    windows = PEER.replace(b"\n", b"\r\n")
    corpus = read_files(tmp_path, {PEER_NAME: PEER, "a.tgz": tar({PEER_NAME: windows}), "x.pyr": PYRAMID})
    assert (corpus.accounts.files_read, corpus.accounts.files_used, corpus.accounts.files_repeated) == (3, 2, 1)
    assert corpus.problems == ()


def test_two_peers_may_say_the_same(tmp_path: Path) -> None:
    """Only the file names distinguish them. One of them was once treated as a repetition of the other."""
    names = ["D0901-A.M.100.A.7.pan", "D0901-A.M.100.A.9.pan", "100.D0901-A.M.100.A.7.pan"]
    corpus = read_files(tmp_path, {**dict.fromkeys(names, PEER), "copy.tgz": tar({names[0]: PEER})})
    assert [(a.peer, a.annotator) for a in corpus.annotations] == [("7", ""), ("7", "100"), ("9", "")]
    assert (corpus.accounts.files_used, corpus.accounts.files_repeated) == (3, 1)


def test_all_files_are_accounted_for(tmp_path: Path) -> None:
    """A good one and its copy, a bad one, a damaged archive, a link that leads nowhere, and one of another kind."""
    (tmp_path / "gone.pyr").symlink_to(tmp_path / "nowhere")
    files = {"a.pyr": PYRAMID, "b.pyr": PYRAMID, "bad.pyr": b"<", "bad.tgz": b"x", "notes.txt": b"x"}
    accounts = read_files(tmp_path, files).accounts
    assert (accounts.files_read, accounts.files_used, accounts.files_repeated) == (5, 1, 1)
    assert (accounts.files_left_out, accounts.other_files) == (3, 1)


def test_a_bad_file_among_good_ones_is_reported(tmp_path: Path) -> None:
    corpus = read_files(tmp_path, {"good.pyr": PYRAMID, "bad.pyr": b"<html/>"})
    (problem,) = corpus.problems
    assert (problem.kind, problem.file, problem.line) == ("file-rejected", f"{tmp_path.name}/bad.pyr", 1)
    assert corpus.accounts.files_left_out == 1


def test_nothing_but_bad_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=mentions("bad.pyr, line 1: ... <html> ... <pyramid> ... <peerAnnotation> ... DUCView")
    ):
        read_files(tmp_path, {"bad.pyr": b"<html/>"})


def test_problems_are_accepted_unless_the_caller_is_strict(tmp_path: Path) -> None:
    (tmp_path / "good.pyr").write_bytes(PYRAMID)
    (tmp_path / "bad.pyr").write_bytes(b"<html/>")
    assert len(read_corpus(tmp_path).problems) == 1


def test_strict_accepts_no_problem(tmp_path: Path) -> None:
    assert read_files(tmp_path, {"x.pyr": PYRAMID}, strict=True).problems == ()
    with pytest.raises(StrictError) as caught:
        read_files(tmp_path, {"y.pyr": b"<html/>"}, strict=True)
    assert re.search(
        mentions("y.pyr, line 1: ... <html> ... <pyramid> ... <peerAnnotation> ... 1 ... (file-rejected 1)"),
        str(caught.value),
    )


def test_a_peer_annotated_twice_by_one_annotator_is_used_once(tmp_path: Path) -> None:
    second_annotation = PEER.replace(b"a fire at a mill", b"fire at a mill")
    corpus = read_files(
        tmp_path, {PEER_NAME: PEER, "copy.zip": b"", PEER_NAME.replace(".pan", ".PAN"): second_annotation}
    )
    assert len(corpus.annotations) == 1
    assert count_kinds(corpus.problems)["peer-repeated"] == 1


def test_two_annotators_of_one_peer_are_both_kept(tmp_path: Path) -> None:
    corpus = read_files(tmp_path, {f"114.{PEER_NAME}": PEER, f"115.{PEER_NAME}": PEER.replace(b"fine", b"good")})
    assert [annotation.annotator for annotation in corpus.annotations] == ["114", "115"]


def test_combined_pyramids_are_left_out_where_their_parts_are_here(tmp_path: Path) -> None:
    sets = {letter: pyramid_file(SUMMARIES, SCUS, topic=f"D0901-{letter}") for letter in "AB"}
    combined = PYRAMID.replace(b"D0901-A.M.100.A.C", b"D0901-B.M.100.A.C")
    alone = read_files(tmp_path, {"ab.pyr": combined})
    assert [pyramid.id for pyramid in alone.pyramids] == ["D0901-AB"]
    corpus = read_files(tmp_path, {f"{letter}.pyr": data for letter, data in sets.items()})
    assert [pyramid.id for pyramid in corpus.pyramids] == ["D0901-A", "D0901-B"]
    assert count_kinds(corpus.problems) == {"combined-pyramid": 1}
    assert (corpus.accounts.scus_read, corpus.accounts.scus_used, corpus.accounts.scus_left_out) == (6, 4, 2)


def test_a_corpus_may_have_problems_only(tmp_path: Path) -> None:
    """All entries are on a cluster whose text is missing."""
    make_harbour()._replace(clusters=[make_cluster("99", HARBOUR)]).write(tmp_path)
    corpus = read_corpus(tmp_path)
    assert corpus.all_pyramids == ()
    assert set(count_kinds(corpus.problems)) == {"relation-without-text", "without-text"}


def test_a_file_that_only_has_the_name_of_a_format_is_no_annotation(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("a shopping list\n")
    with pytest.raises(NoAnnotationError, match=mentions("no pyramid ... .pyr, .pan")):
        read_corpus(tmp_path)


def test_parts_with_a_pyramid_of_the_same_id_are_not_joined() -> None:
    """The message names the first of the ids."""
    parts = [
        Corpus((), {"D2": "b.pyr", "D1": "a.pyr"}, (), Accounts()),
        Corpus((), {"D1": "c.json", "D2": "d.json", "D3": "e.json"}, (), Accounts()),
    ]
    with pytest.raises(InputError, match=mentions("c.json: ... D1 ... a.pyr")):
        join_parts(parts)


@settings(max_examples=25)
@given(st.randoms(use_true_random=False), st.integers(0, 4))
def test_accounts_add_up_whatever_is_broken(
    tmp_path_factory: pytest.TempPathFactory, rng: random.Random, broken: int
) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    data = PYRAMID
    for _ in range(broken):
        labels = [piece for piece in data.split(b'"') if piece.startswith((b"The", b"Fire", b"All", b"Nobody"))]
        data = data.replace(b'part label="' + rng.choice(labels), b'part label="', 1)
    corpus = read_files(folder, {"x.pyr": data, PEER_NAME: PEER, "bad.pyr": b"<"})
    accounts = asdict(corpus.accounts)
    for record in ("scus", "contributors"):
        assert accounts[f"{record}_read"] == accounts[f"{record}_used"] + accounts[f"{record}_left_out"]
    left_out = count_kinds(corpus.problems).get("scu-empty", 0)
    assert accounts["scus_left_out"] == left_out
    assert set(count_kinds(corpus.problems)) <= {*LEFT_OUT, *REPAIRED}


def test_problems_of_all_files_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file could add 200,000 problems to one list."""
    monkeypatch.setattr(limits, "MAX_PROBLEMS", 5)
    bad = PYRAMID.replace(b"<scu ", b"<scu/><scu/><scu/><scu ", 1)  # three are empty, and two are renamed
    assert len(read_files(tmp_path, {"a.pyr": bad}).problems) == 5
    with pytest.raises(LimitError, match=mentions("b.pyr: ... 5 problems ... DUCView")):
        read_files(tmp_path, {"b.pyr": bad.replace(b"D0901-A", b"D0902-A")})


def test_problems_of_peer_annotations_count_for_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The part of the matched text is not where its offsets say."""
    bad = PEER.replace(b'start="0"', b'start="1"')
    problems = read_files(tmp_path, {PEER_NAME: bad}).problems
    assert problems
    monkeypatch.setattr(limits, "MAX_PROBLEMS", len(problems) - 1)
    with pytest.raises(LimitError, match=mentions("D0901-A.M.100.A.7.pan: ... 0 problems ... DUCView")):
        read_files(tmp_path, {PEER_NAME: bad})


def test_messages_have_a_bounded_length() -> None:
    """Names of archive members and contents of files were quoted in messages without a limit."""
    error = InputError("a.zip!" + "x" * 10**6 + "end.pyr", "says '" + "y" * 10**6 + "'", "do it")
    assert len(str(error)) < 2000
    assert str(error).startswith("a.zip!xxx")
    assert str(error).endswith(". Do it")
    assert "end.pyr: says 'yyy" in str(error)
    assert error.file.endswith("end.pyr")


def test_messages_are_one_line() -> None:
    """A line feed in the name of a member divided the message, and the second line could look like another message."""
    assert re.search(mentions("a.zip!x\\ny: is\\x1b[31m"), str(InputError("a.zip!x\ny", "is\x1b[31m wrong", "do it")))
