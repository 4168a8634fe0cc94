"""Summaries: names of files, what is in them, and what they are compared with."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.annotations import tar
from helpers.checkout import REAL_SUMMARIES, needs_real_summaries
from helpers.summaries import PEERS, write_summaries
from hypothesis import given
from hypothesis import strategies as st

from harness.summarization.summaries.naming import SINGLE_REFERENCE, SummaryName, parse_summary_name
from harness.summarization.summaries.reading import read_summaries
from harness.summarization.summaries.records import Summary, SummarySet
from harness.summarization.summaries.references import Recall, combine_recalls, pair_summaries
from harness.summarization.summaries.score_files import SummaryScore, render_scores
from harness.summarization.summaries.system_means import SystemMean, average_by_system, render_means
from harness.text.words import STOP_WORDS, place_words, split_alphanumeric, stem_words
from pyramid_paraphrase.errors import EmptyResultError, InputError


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # DUC 2007, DUC 2003, TAC 2008 (two sets of a topic), DUC 2002 (a single document).
        ("D0701.M.250.A.15", ("D0701", "15")),
        ("ROUGE/peers/D30042.M.100.T.A", ("D30042", "A")),
        ("D0801-B.M.100.A.7", ("D0801-B", "7")),
        ("D061.P.100.J.15.AP880911-0016.txt", ("D061.AP880911-0016", "15")),
        ("system 3/storm.txt", ("storm", "system 3")),
        ("system/storm.v2", ("storm.v2", "system")),
        ("storm.system.txt", ("storm", "system")),
        ("storm.TXT", None),
        ("storm", None),
        (".txt", None),
    ],
)
def test_names_tell_topic_and_author(name: str, expected: tuple[str, str] | None) -> None:
    assert parse_summary_name(name) == expected


def test_a_reference_needs_no_author() -> None:
    assert parse_summary_name("storm.txt", SINGLE_REFERENCE) == SummaryName("storm", "reference")


@pytest.fixture
def room(tmp_path: Path) -> Path:
    write_summaries(tmp_path)
    return tmp_path


def test_summaries_are_read_by_topic_and_author(room: Path) -> None:
    found = read_summaries(room / "peers")
    assert [(one.topic, one.author) for one in found.summaries] == [
        ("D0101", "A"), ("D0101", "1"), ("D0101", "2"), ("D0102", "A"), ("D0102", "1"), ("D0102", "2"),
    ]  # fmt: skip
    assert found.summaries[0].sentences == ("The storm blew up the old bridge.", "Nobody was hurt.")
    assert found.notes == ("peers/D0101.M.100.A.2 is empty",)


def test_an_archive_holds_the_same(room: Path) -> None:
    archive = room / "eval.tar.gz"
    archive.write_bytes(tar({f"eval/peers/{name}": text.encode() for name, text in PEERS.items()}))
    one, other = read_summaries(f"{archive}/eval/peers"), read_summaries(room / "peers")
    assert [summary[:3] for summary in one.summaries] == [summary[:3] for summary in other.summaries]


def test_folders_of_authors(tmp_path: Path) -> None:
    for author in ("mine", "theirs"):
        (tmp_path / author).mkdir()
        (tmp_path / author / "storm.txt").write_text(f"It rained, says {author}.")
    found = read_summaries(tmp_path)
    assert [(one.topic, one.author) for one in found.summaries] == [("storm", "mine"), ("storm", "theirs")]


@pytest.mark.parametrize(
    "text",
    [
        # As the summary evaluation environment (SEE) and NIST's own releases of 2002 mark summaries up.
        (
            '<html><head><title>D1.M.9.A.1</title></head><body bgcolor="white">\n<a name="1">[1]</a> '
            '<a href="#1" id=1>Rain  fell.</a>\n<a name="2">[2]</a> <a href="#2" id=2>So &amp; so.</a></body></html>'
        ),
        '<SUM DOCSET="d1" SIZE="9">\nRain fell.\nSo &amp; so.\n</SUM>\n',
    ],
)
def test_markup_is_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "D1.M.9.A.1").write_text(text)
    assert read_summaries(tmp_path).summaries[0].sentences == ("Rain fell.", "So & so.")


def test_other_encodings_are_read_and_said(tmp_path: Path) -> None:
    for author, encoding in (("1", "utf-8-sig"), ("2", "cp1252"), ("3", "latin-1")):
        (tmp_path / author).mkdir()
        (tmp_path / author / "café.txt").write_bytes("Café".encode(encoding))
    found = read_summaries(tmp_path)
    assert {one.sentences for one in found.summaries} == {("Café",)}
    assert found.notes == ("2/café.txt, 3/café.txt are no UTF-8 and read as Windows-1252",)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"storm": b"Rain."}, "storm: its name tells no topic and author; call files as NIST does"),
        ({"D1.a\tb": b"Rain."}, "its name holds a character that cannot be printed; rename it"),
        ({"D1.\x1b[2J": b"Rain."}, "its name holds a character that cannot be printed; rename it"),
        ({"D1.\udcff": b"Rain."}, "its name holds a character that cannot be printed; rename it"),
        ({"D1.M.9.A.1": b"a\nb\0"}, "D1.M.9.A.1, line 2: is no text; give plain text, in UTF-8"),
        ({"D1.M.9.A.1": b"<p>a</p>"}, "D1.M.9.A.1, line 1: is markup of no kind that is known; give plain text"),
        ({"D1.M.9.A.1": b"<>"}, "D1.M.9.A.1, line 1: is markup of no kind that is known; give plain text"),
        ({"D1.M.9.A.1": b"a", "D1.M.10.B.1": b"b"}, "is of topic D1 and author 1, like "),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, files: dict[str, bytes], message: str) -> None:
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as error:
        read_summaries(tmp_path)
    assert message in str(error.value)


def make(*names: str) -> SummarySet:
    pairs = [name.split(".") for name in names]
    return SummarySet(tuple(Summary(topic, author, ("Rain.",), f"{topic}.{author}") for topic, author in pairs), ())


def test_nobody_is_compared_with_themselves() -> None:
    found = pair_summaries(make("x.1", "x.A"), make("x.A", "x.B"))
    assert [[one.author for one in pair.references] for pair in found.comparisons] == [["A", "B"], ["B"]]
    assert [pair.is_reference for pair in found.comparisons] == [False, True]


def test_peers_without_a_reference_are_counted() -> None:
    found = pair_summaries(make("w.1", "x.1", "x.A", "y.1"), make("x.A"))
    assert [pair.peer.path for pair in found.comparisons] == ["x.1"]
    assert found.notes == ("w.1, x.A, y.1 have no reference by others, and no score",)


def test_leaving_out_a_reference_needs_two_but_for_those_who_wrote_one() -> None:
    found = pair_summaries(make("x.1", "x.A", "y.1", "y.A"), make("x.A", "x.B", "y.A"), jackknife=True)
    assert [pair.peer.path for pair in found.comparisons] == ["x.1", "x.A"]
    assert found.notes == ("y.1, y.A have fewer than two references by others, and no score",)


def test_what_leaving_out_needs_is_said() -> None:
    with pytest.raises(EmptyResultError, match=r"no peer has two references by others .* or leave out --jackknife"):
        pair_summaries(make("x.1"), make("x.A"), jackknife=True)


def test_empty_references_are_none() -> None:
    empty = SummarySet((Summary("x", "A", (), "x.A"),), ("x.A is empty",))
    with pytest.raises(
        EmptyResultError,
        match=r"no peer has a reference by others of its topic \(x\.1 is of topic x by 1, x\.A of x by A\)",
    ):
        pair_summaries(make("x.1"), empty)


def test_recalls_are_pooled_and_left_out_in_turn() -> None:
    """3 of 10 and 1 of 2: together 4 of 12; each left out in turn, the mean of 1/2 and 3/10."""
    recalls = [Recall(3, 10), Recall(1, 2)]
    assert combine_recalls(recalls, leave_out=False) == pytest.approx(4 / 12)
    assert combine_recalls(recalls, leave_out=True) == pytest.approx((0.5 + 0.3) / 2)
    assert combine_recalls([Recall(0, 0)], leave_out=False) == 0


def test_words_are_those_of_rouge() -> None:
    assert split_alphanumeric("The U.S. can't re-use 1,200 of Café_Noir's") == [
        "the", "u", "s", "can", "t", "re", "use", "1", "200", "of", "café", "noir", "s",
    ]  # fmt: skip
    assert stem_words(["bombing", "was", "ties"]) == ["bomb", "was", "ti"]  # Porter (1980); three letters stay
    assert {"the", "n", "t"} < STOP_WORDS


@given(st.text())
def test_words_stand_where_they_are_said_to(text: str) -> None:
    import unicodedata

    normal = unicodedata.normalize("NFC", text)
    assert [normal[one.start : one.end].lower() for one in place_words(normal)] == split_alphanumeric(text)


def test_scores_are_written_in_natural_order() -> None:
    scores = [SummaryScore("D2", "10", {"a": 1 / 3}), SummaryScore("D2", "9", {"a": 0.5, "b": 1})]
    assert render_scores(scores, ["a", "b"]) == ("topic\tsystem\ta\tb\nD2\t9\t0.500000\t1.000000\nD2\t10\t0.333333\t\n")


def test_systems_are_averaged_best_first() -> None:
    scores = [SummaryScore("D1", "2", {"a": 0.5}), SummaryScore("D1", "1", {"a": 0}), SummaryScore("D2", "2", {"a": 1})]
    assert [(one.author, one.summaries, one.values["a"]) for one in average_by_system(scores, "a")] == [
        ("2", 2, 0.75), ("1", 1, 0),
    ]  # fmt: skip


def test_means_over_other_topics_are_said_to_be() -> None:
    equal = [SystemMean("1", 2, {"a": 0.5}), SystemMean("2", 2, {"a": 0.25})]
    assert render_means(equal) == "system  summaries       a\n1               2  0.5000\n2               2  0.2500"
    note = "Systems with other numbers of summaries are averaged over other topics, which may be easier or harder."
    assert render_means([*equal, SystemMean("3", 1, {"a": 0})]).endswith(f"\n\n{note}")


@needs_real_summaries
def test_nists_own_archive_is_read() -> None:
    """45 topics, of which each has summaries of 30 systems, 2 baselines and 4 people (README.mainEval)."""
    peers = read_summaries(f"{REAL_SUMMARIES}/mainEval/ROUGE/peers")
    references = read_summaries(f"{REAL_SUMMARIES}/mainEval/ROUGE/models")
    assert (len(peers.summaries), len(references.summaries)) == (45 * 36, 45 * 4)
    assert len({one.topic for one in peers.summaries}) == 45
    assert peers.notes == (
        "peers/D0713.M.250.C.D, peers/D0740.M.250.I.H are no UTF-8 and read as Windows-1252",
        "peers/D0706.M.250.B.6 is empty",
    )
    paired = pair_summaries(peers, references, jackknife=True)
    assert len(paired.comparisons) == 45 * 36
    assert {len(one.references) for one in paired.comparisons if one.is_reference} == {3}
