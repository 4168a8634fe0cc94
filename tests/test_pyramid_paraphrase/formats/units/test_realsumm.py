"""Corpora of SCU labels, such as REALSumm."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from helpers.messages import mentions
from helpers.scu_labels import HUMAN_SCORES, LABELS, NAMES, SCUS, SUMMARIES, write_scu_labels

from pyramid_paraphrase.errors import InputError, LimitError, StrictError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.pyramid_scores import average_by_system, score_peers
from pyramid_paraphrase.pyramids.records import Summary
from pyramid_paraphrase.reading import read_corpus


def test_references_are_pyramids_and_summaries_annotations(tmp_path: Path) -> None:
    corpus = read_corpus(write_scu_labels(tmp_path))
    assert corpus.pyramids == ()
    assert [pyramid.id for pyramid in corpus.reference_pyramids] == ["ferry", "fox_1", "mill"]
    ferry = corpus.reference_pyramids[0]
    assert [(scu.uid, scu.label, scu.weight) for scu in ferry.scus] == [
        ("1", "The ferry to Orme sank.", 1),
        ("2", "Nobody drowned.", 1),
    ]
    assert ferry.summaries == (Summary("reference", "reference", 0, 38 + 1),)
    part = ferry.scus[1].contributors[0].parts[0]
    assert ferry.text[part.start : part.end] == "Nobody drowned."
    annotations = [(note.pyramid.id, note.peer, [scu.uid for scu in note.scus]) for note in corpus.annotations]
    assert annotations == [
        ("ferry", "copy", ["1", "2"]),
        ("ferry", "terse", ["1"]),
        ("fox_1", "copy", ["1", "3"]),
        ("fox_1", "terse", []),
        ("mill", "copy", ["1"]),
        ("mill", "terse", ["1", "2"]),
    ]
    assert corpus.annotations[-1].text == "In Tarn, the mill burned down at night.\nDr. Lee saw it."
    (whole,) = corpus.annotations[-1].scus[0].contributors[0].parts
    assert (whole.text, whole.start, whole.end) == (corpus.annotations[-1].text, 0, 55)
    assert corpus.problems == ()
    assert (corpus.accounts.files_read, corpus.accounts.files_used, corpus.accounts.scus_used) == (7, 7, 7)


def test_scores_are_the_means_of_the_labels(tmp_path: Path) -> None:
    corpus = read_corpus(write_scu_labels(tmp_path))
    scores = {peer: modified for peer, _, _, modified in average_by_system(score_peers(corpus.annotations))}
    assert scores == pytest.approx(HUMAN_SCORES, abs=1e-15)


def test_packing_and_line_ends_do_not_matter(tmp_path: Path) -> None:
    plain = read_corpus(write_scu_labels(tmp_path / "plain"))
    folder = write_scu_labels(tmp_path / "other", {"SCUs.txt": "\r\n".join(SCUS) + "\t\r\n"})
    labels = folder / "labels" / "copy.label"
    labels.with_name("copy.label.gz").write_bytes(gzip.compress(labels.read_bytes() + b"\n"))
    labels.unlink()
    shutil.make_archive(str(tmp_path / "packed"), "zip", folder)
    packed = read_corpus(tmp_path / "packed.zip")
    assert packed.annotations == plain.annotations
    assert packed.reference_pyramids == plain.reference_pyramids


def test_references_without_names_are_numbered(tmp_path: Path) -> None:
    corpus = read_corpus(write_scu_labels(tmp_path, {"ids.txt": None, "references.txt": None}))
    assert [pyramid.id for pyramid in corpus.reference_pyramids] == ["line00001", "line00002", "line00003"]


def test_names(tmp_path: Path) -> None:
    """Names of systems are kept or refused, names of references are cut and changed."""
    longest, name = "x" * 100, "AMZamz059_.+-"
    files: dict[str, str | None] = {"ids.txt": f"AMZamz059_.+@\n{'x' * 41}\nD0701-A"}
    for system in (longest, name):
        files |= {f"labels/{system}.label": "1\t1\n1\t0\t1\n1\t0", f"summaries/{system}.summary": "A.\nB.\nC."}
    corpus = read_corpus(write_scu_labels(tmp_path, files))
    assert {note.peer for note in corpus.annotations} == {"copy", "terse", longest, name}
    assert [pyramid.id for pyramid in corpus.reference_pyramids] == ["AMZamz059_.__", "D0701_A", "x" * 40]
    with pytest.raises(InputError, match=mentions(".label: ... system name. ... 100 letters ... _.+-")):
        read_corpus(write_scu_labels(tmp_path / "long", {f"labels/{'x' * 101}.label": ""}))
    with pytest.raises(InputError, match=mentions("other/labels/a@b.label: ... system name. ... 100 letters ... _.+-")):
        read_corpus(write_scu_labels(tmp_path / "other", {"labels/a@b.label": ""}))


def test_the_same_corpus_twice_is_read_once(tmp_path: Path) -> None:
    once = read_corpus(write_scu_labels(tmp_path / "one"))
    twice = read_corpus(tmp_path / "one", write_scu_labels(tmp_path / "two"))
    assert twice.annotations == once.annotations
    assert (twice.accounts.files_read, twice.accounts.files_used, twice.accounts.files_repeated) == (14, 7, 7)


def test_a_compressed_copy_is_read_once(tmp_path: Path) -> None:
    """Compressed files have other names, so that the copy was once taken for another corpus."""
    once = read_corpus(write_scu_labels(tmp_path / "one"))
    copy = write_scu_labels(tmp_path / "two")
    for path in [path for path in copy.rglob("*") if path.is_file()]:
        path.with_name(f"{path.name}.GZ").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    twice = read_corpus(tmp_path)
    assert twice.annotations == once.annotations
    assert (twice.accounts.files_used, twice.accounts.files_repeated) == (7, 7)


def test_files_that_are_there_twice(tmp_path: Path) -> None:
    """The second file once took the place of the first, and nothing counted it."""
    once = read_corpus(write_scu_labels(tmp_path / "one" / "corpus"))
    twice = read_corpus(tmp_path / "one" / "corpus", write_scu_labels(tmp_path / "two" / "corpus"))
    assert twice.annotations == once.annotations
    assert (twice.accounts.files_read, twice.accounts.files_used, twice.accounts.files_repeated) == (14, 7, 7)
    labels = tmp_path / "one" / "corpus" / "labels" / "copy.label"
    labels.with_name("copy.label.gz").write_bytes(gzip.compress(labels.read_bytes()))
    corpus = read_corpus(tmp_path / "one")
    assert corpus.annotations == once.annotations
    assert (corpus.accounts.files_read, corpus.accounts.files_used, corpus.accounts.files_repeated) == (8, 7, 1)
    labels.write_text("0\t0\n0\t0\t0\n0\t0")
    error = "one/corpus/labels/copy.label.gz: ... one/corpus/labels/copy.label ... rename"
    with pytest.raises(InputError, match=mentions(error)):
        read_corpus(tmp_path / "one")


def test_other_labels_of_the_same_references_are_refused(tmp_path: Path) -> None:
    write_scu_labels(tmp_path / "one")
    write_scu_labels(tmp_path / "two", {"labels/copy.label": "0\t0\n0\t0\t0\n0\t0"})
    with pytest.raises(InputError, match=mentions("two/SCUs.txt: ... one/SCUs.txt ... separately")):
        read_corpus(tmp_path)


@pytest.mark.parametrize(
    ("changes", "place", "left_out"),
    [
        ({"labels/copy.label": None}, "summaries/copy.summary", 1),
        ({"summaries/terse.summary": None}, "labels/terse.label", 1),
        ({"SCUs.txt": None}, "ids.txt", 6),
        ({"SCUs.txt": None, "summaries/copy.summary": None, "summaries/terse.summary": None}, "labels/copy.label", 4),
    ],
)
def test_incomplete_files_are_left_out(
    tmp_path: Path, changes: Mapping[str, str | None], place: str, left_out: int
) -> None:
    corpus = read_corpus(write_scu_labels(tmp_path / "corpus", changes), "sample")
    assert {problem.kind for problem in corpus.problems} == {"labels-incomplete"}
    assert corpus.accounts.files_left_out == left_out
    alone, files = read_corpus("sample").accounts, 7 - len(changes)
    assert corpus.accounts.files_read == alone.files_read + files
    assert corpus.accounts.files_used == alone.files_used + files - left_out
    assert {problem.line for problem in corpus.problems} == {0}
    assert f"corpus/{place}" in {problem.file for problem in corpus.problems}
    with pytest.raises(StrictError, match="labels-incomplete"):
        read_corpus(tmp_path / "corpus", "sample", strict=True)


def test_files_that_are_only_called_alike_are_other_files(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("D0701\n")
    corpus = read_corpus(tmp_path, "sample")
    assert corpus.problems == ()
    assert corpus.accounts.files_left_out == 0
    alone = read_corpus("sample")
    assert corpus.accounts.other_files == alone.accounts.other_files + 1


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("SCUs.txt", "One.\n\nThree.", "SCUs.txt, line 2: ... SCU ... pyramid-paraphrase download realsumm"),
        ("SCUs.txt", "One.\t\tTwo.\nOne.\nOne.", "SCUs.txt, line 1: ... SCU ... pyramid-paraphrase download realsumm"),
        ("SCUs.txt", "", "SCUs.txt: ... empty ... pyramid-paraphrase download realsumm"),
        ("ids.txt", "a\nb\na", "ids.txt, line 3: ... name a of line 1. ... unique name"),
        ("ids.txt", "a\n \nc", "ids.txt, line 2: ... empty name. ... unique name"),
        ("ids.txt", "a\nb", "ids.txt, line 2: ... 2 lines ... SCUs.txt ... 3 ... pyramid-paraphrase download realsumm"),
        (
            "labels/copy.label",
            "1\t1\n1\t0\n1\t0",
            "labels/copy.label, line 2: ... 3 labels ... 2 ... pyramid-paraphrase download realsumm",
        ),
        ("labels/copy.label", "1\t1\n1\t0\t2\n1\t0", "labels/copy.label, line 2: ... '2' ... 1 ... 0"),
        ("labels/copy.label", f"1\t{'a' * 41}\n\n1", f"copy.label, line 1: ... '{'a' * 40}' ... 1"),
        (
            "labels/copy.label",
            "1\t1\n1\t0\t1",
            "labels/copy.label, line 2: ... 2 lines ... SCUs.txt ... 3 ... pyramid-paraphrase download realsumm",
        ),
        (
            "summaries/terse.summary",
            "a\nb\nc\nd\n",
            "summaries/terse.summary, line 3: ... 4 lines ... SCUs.txt ... 3 ... pyramid-paraphrase download realsumm",
        ),
        ("labels/a b.label", "", "labels/a b.label: ... system name. ... 100 letters ... _.+-"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, name: str, content: str, error: str) -> None:
    with pytest.raises(InputError, match=mentions(error)):
        read_corpus(write_scu_labels(tmp_path, {name: content}))


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    write_scu_labels(tmp_path)
    (tmp_path / "SCUs.txt").write_bytes(b"One.\nCaf\xe9.\nThree.")
    with pytest.raises(
        InputError, match=mentions("SCUs.txt, line 2: ... UTF-8 ... pyramid-paraphrase download realsumm")
    ):
        read_corpus(tmp_path)


def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_scu_labels(tmp_path)
    monkeypatch.setattr(limits, "MAX_LABELS", 13)
    with pytest.raises(LimitError, match=mentions("SCUs.txt: ... 13 labels ... systems")):
        read_corpus(tmp_path)
    monkeypatch.setattr(limits, "MAX_LABELS", 14)
    assert len(read_corpus(tmp_path).annotations) == 6


@pytest.mark.parametrize(
    ("limit", "value", "error"),
    [
        ("MAX_CONTRIBUTORS", 3, "SCUs.txt, line 2: ... 2 SCUs ... reference"),
        ("MAX_SCUS", 7, "SCUs.txt, line 3: ... 6 SCUs ... references"),
        ("MAX_LINES", 3, "ids.txt: ... 2 lines ... references"),
        ("MAX_TEXT_CHARACTERS", 68, "SCUs.txt, line 2: ... 67 characters ... reference"),
    ],
)
def test_limits_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, error: str) -> None:
    ids = "\n".join(NAMES) + "\n"
    write_scu_labels(tmp_path, {"ids.txt": ids})
    monkeypatch.setattr(limits, limit, value)
    assert len(read_corpus(tmp_path).annotations) == 6
    monkeypatch.setattr(limits, limit, value - 1)
    with pytest.raises(LimitError, match=mentions(error)):
        read_corpus(tmp_path)


def test_empty_last_summaries(tmp_path: Path) -> None:
    """A line break at the end of a file can end the last line or begin an empty one."""
    for ending in ("", "\n"):
        content = "\n".join((*SUMMARIES["copy"][:2], "")) + ending
        corpus = read_corpus(write_scu_labels(tmp_path / f"with{len(ending)}", {"summaries/copy.summary": content}))
        assert [note.text for note in corpus.annotations if note.peer == "copy"][-1] == ""


def test_the_helper_has_a_label_per_scu() -> None:
    counts = [len(line.split("\t")) for line in SCUS]
    assert all([len(line.split("\t")) for line in lines] == counts for lines in LABELS.values())
    assert len(NAMES) == len(SCUS)
