"""Reading of LitePyramids: units without weights by crowd workers."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.commands import run
from helpers.litepyramids import HEADER, ROWS, make_units
from helpers.messages import mentions

from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.errors import EmptyResultError, InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.corpus import Accounts
from pyramid_paraphrase.pyramids.records import Summary
from pyramid_paraphrase.reading import read_corpus

NAME = "scus-2005.csv"


def write_units(folder: Path, content: str | None = None, name: str = NAME) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(make_units() if content is None else content)
    return path


def test_pyramids_of_topics(tmp_path: Path) -> None:
    corpus = read_corpus(write_units(tmp_path))
    fox, ferry = corpus.reference_pyramids
    assert (fox.id, ferry.id, ferry.topic) == ("D366", "D407", "D407")
    listed = [(scu.uid, scu.label, scu.weight, scu.writer, scu.contributors[0].summarizers) for scu in ferry.scus]
    assert listed == [
        ("10", "A ferry sank.", 1, "W2", ("A",)),
        ("0", "A ferry sank, near Orme.", 1, "W1", ("D",)),
        ("1", "All were saved.", 1, "W1", ("D",)),
    ]
    assert ferry.text == "A ferry sank.\nA ferry sank, near Orme.\nAll were saved."
    assert ferry.summaries == (Summary("D407.M.250.B.A", "A", 0, 13), Summary("D407.M.250.B.D", "D", 14, 54))
    for scu in (*fox.scus, *ferry.scus):
        (part,) = scu.contributors[0].parts
        pyramid = fox if scu in fox.scus else ferry
        assert pyramid.text[part.start : part.end] == part.text == scu.label
    assert {collection.name for collection in corpus.count_collections()} == {"duc2005"}
    assert corpus.accounts == Accounts(
        files_read=1, files_used=1, scus_read=5, scus_used=5, contributors_read=5, contributors_used=5
    )
    assert corpus.files == {"D366": NAME, "D407": NAME}


def test_repeated_and_unused_units_are_counted(tmp_path: Path) -> None:
    problems = read_corpus(write_units(tmp_path)).problems
    assert [(problem.line, problem.kind, problem.message, problem.times) for problem in problems] == [
        (0, "unit-repeated", "1 in D366", 1),
        (0, "unit-unused", "1 in D366", 1),
        (0, "unit-unused", "2 in D407", 2),
    ]


def test_units_that_their_summary_does_not_express(tmp_path: Path) -> None:
    """The real file has the answer Y everywhere."""
    corpus = read_corpus(write_units(tmp_path, make_units(["D407,11,It rained.,N,W2,D407.M.250.B.A,1", *ROWS])))
    assert [scu.uid for scu in corpus.reference_pyramids[1].scus] == ["10", "0", "1"]
    assert [problem.message for problem in corpus.problems if problem.kind == "unit-denied"] == ["1 in D407"]
    accounts = corpus.accounts
    assert (accounts.scus_read, accounts.scus_used, accounts.scus_left_out) == (6, 5, 1)
    assert (accounts.contributors_read, accounts.contributors_left_out) == (6, 1)


def test_other_files_of_the_form(tmp_path: Path) -> None:
    """Without the column forUse, with other columns, blank lines, blanks, and topics of another year."""
    header = HEADER.replace(",forUse", ",other")
    row = "D0601-A , 7,A  mill\u00a0burned.,Y,W1, D0601-A.M.100.B.E,x"
    corpus = read_corpus(write_units(tmp_path, f"{header}\n\n{row}\n", "scus-2006.csv"))
    (pyramid,) = corpus.reference_pyramids
    assert (pyramid.id, pyramid.scus[0].uid, pyramid.scus[0].label) == ("D0601-A", "7", "A mill burned.")
    assert not corpus.problems


def test_soft_pyramid_leaves_out_own_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_units(tmp_path)
    peers = {"D407.M.250.B.D": "A ferry sank.", "D407.M.250.B.7": "A ferry sank.", "D366.M.250.I.F": "A fox ran."}
    (tmp_path / "peers").mkdir()
    for name, text in peers.items():
        (tmp_path / "peers" / name).write_text(text)
    arguments = ["--pyramids", NAME, "--peers", "peers", "--model", "one-hot", "--output", "scores.tsv"]
    assert run("soft-pyramid", *arguments) == 0
    lines = [line.split("\t") for line in Path("scores.tsv").read_text().splitlines() if line.startswith("D")]
    scores = {(topic, author): float(score) for topic, author, score in lines}
    assert scores["D407", "D"] == 1.0  # only the unit of author A
    assert 0.3 < scores["D407", "7"] < 0.9
    assert ("D366", "F") not in scores


def test_there_are_no_labels(tmp_path: Path) -> None:
    with pytest.raises(EmptyResultError, match=mentions("annotated summaries ... there are none")):
        build_test(read_corpus(write_units(tmp_path)), "presence")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (make_units(header=HEADER.replace("answer,", "")), "line 1: ... one column answer ... scus-2005.csv"),
        (make_units(header=HEADER + ",answer"), "line 1: ... one column answer"),
        (make_units([*ROWS, "D407,12,A"]), "line 7: expected 7 ... found 3"),
        (make_units([]), "no units"),
        (make_units(["D407,1,A.,N,W1,D407.M.250.B.D,0"]), "no units"),
        (make_units(["D407,,A.,Y,W1,D407.M.250.B.D,0"]), "line 2: ... without a questionId"),
        (make_units(["D407,1, ,Y,W1,D407.M.250.B.D,0"]), "line 2: ... without a questionId or a text"),
        (make_units([*ROWS, ROWS[0]]), "line 7: ... second unit 0 of D407"),
        (make_units(["D407,1,A.,Y,W1,D408.M.250.B.D,0"]), "line 2: ... 'D407' ... 'D408.M.250.B.D' ... like D407"),
        (make_units(["D407,1,A.,Y,W1,D407,0"]), "line 2: ... 'D407' ... like D407"),
        (make_units([",1,A.,Y,W1,D407.M.250.B.D,0"]), "line 2: ... topic '' ... like D407"),
        (make_units(['D407,1,"A.,Y,W1,D407.M.250.B.D,0']), "line 2: ... CSV"),
    ],
)
def test_damaged_files(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=mentions(f"{NAME} ... {message}")):
        read_corpus(write_units(tmp_path, content))


def test_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_units(tmp_path)
    monkeypatch.setattr(limits, "MAX_CONTRIBUTORS", 3)
    assert len(read_corpus(path).reference_pyramids) == 2
    monkeypatch.setattr(limits, "MAX_CONTRIBUTORS", 2)
    with pytest.raises(LimitError, match=mentions(f"{NAME}, line 4: ... 2 units in D407")):
        read_corpus(path)


def test_two_files(tmp_path: Path) -> None:
    write_units(tmp_path)
    write_units(tmp_path, make_units(["D601,1,A.,Y,W1,D601.M.250.B.D,0"]), "b.csv")
    assert len(read_corpus(tmp_path).reference_pyramids) == 3
    write_units(tmp_path, make_units(ROWS[:1]), "b.csv")
    with pytest.raises(InputError, match=mentions("pyramid D407 ... separately")):
        read_corpus(tmp_path)


@pytest.mark.parametrize(
    ("row", "value"),
    [
        ("{},1,A.,Y,W1,D407.M.250.B.D,0", "D" * 40),
        ("D407,1,A.,Y,W1,{},0", "D" * 40),
        ("D407,{0},A.,Y,W1,D407.M.250.B.D,0\nD407,{0},B.,Y,W1,D407.M.250.B.D,0", "1" * 40),
    ],
)
def test_long_values_in_messages(tmp_path: Path, row: str, value: str) -> None:
    for text, is_shortened in ((value, False), (value + value[0], True)):
        with pytest.raises(InputError) as caught:
            read_corpus(write_units(tmp_path, make_units([row.format(text)])))
        assert ("[...]" in str(caught.value)) == is_shortened
