"""Pyramids of the same summaries by several annotators: who agrees with whom, on contributors and on SCUs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from helpers.annotations import Scus, pyramid_file
from helpers.commands import Capture, run
from helpers.local_copies import read_local_copies
from helpers.messages import mentions

from harness.evaluation.people.pyramids import MAX_WORDS, read_markings
from harness.evaluation.people.report import report_agreement
from pyramid_paraphrase.errors import LimitError, PyramidParaphraseError

SUMMARIES = {
    "A": "The old mill burned down. Nobody was hurt. Rain fell later.",
    "B": "A fire destroyed the mill. No one was injured.",
    "C": "The mill was lost to flames. Rain fell.",
}
ANNA: Scus = {
    ("1", "The mill burned"): [
        ("A", ["The old mill burned down"]),
        ("B", ["A fire destroyed the mill"]),
        ("C", ["The mill was lost to flames"]),
    ],
    ("2", "Nobody was hurt"): [("A", ["Nobody was hurt"]), ("B", ["No one was injured"])],
}
BEN: Scus = {
    ("1", "The mill burned"): [("A", ["mill burned down"]), ("B", ["A fire destroyed the mill"])],
    ("2", "Flames"): [("C", ["The mill was lost"])],
    ("3", "Rain"): [("A", ["Rain fell later"]), ("C", ["Rain fell"])],
}
UNITS = (
    "SCU\t0\t3\tThe old mill burned down .\n"
    "SCU\t0\t3\tA fire destroyed the mill\n"
    "SCU\t0\t3\tThe mill was lost to flames .\n\n"
    "SCU\t4\t1\tIt snowed in Spain\n\n"
    "SCU\t7\t2\tRain fell\n"
    "SCU\t7\t2\tRain fell\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two people's pyramids of the same summaries, as NIST names them, and one that PyrEval made."""
    (tmp_path / "anna.pyr").write_bytes(pyramid_file(SUMMARIES, ANNA))
    (tmp_path / "ben.pyr").write_bytes(pyramid_file(SUMMARIES, BEN))
    (tmp_path / "pyreval.pyr").write_text(UNITS)
    return tmp_path


def test_two_people_by_hand(capsys: Capture, folder: Path) -> None:
    """Three of Anna's five contributors and of Ben's five are the same: 3/5 and more of their words.

    Of SCUs, Anna's first has 16 words, of which Ben's first has 8: it is the same. Their others share nothing. F is 2
    / (2 + 3). The three contributors are one SCU for Anna and two for Ben. B-cubed precision is 1 in one direction, and
    (2/3 + 2/3 + 1/3) / 3 in the other, so F is 10/14. V is 0, because Anna's SCU tells nothing about Ben's.

    Pairs of words of different summaries, of 11, 9 and 8 words: 99 + 88 + 72 = 259. For Anna, an SCU has 5 x 5 + 5 x 6
    + 5 x 6 = 85, and 3 x 4 = 12; for Ben 3 x 5 = 15 and 3 x 2 = 6. They share 15. With 177 + 15 of 259 that agree,
    kappa is (192/259 - e) / (1 - e), e = (97 x 21 + 162 x 238) / 259^2.
    """
    assert run("annotate", "pyramids", folder / "anna.pyr", folder / "ben.pyr", "--format", "json") == 0
    (row,) = json.loads(capsys.readouterr().out)["agreement"]
    assert (row["first"], row["second"], row["topics"]) == ("anna", "ben", 1)
    assert row["contributors"] == 0.6
    assert row["scus"] == 0.4
    assert row["b_cubed"] == 0.714286
    assert row["v_measure"] == 0.0
    chance = (97 * 21 + 162 * 238) / 259**2
    agreed = (259 - 82 - 6) / 259
    assert row["kappa"] == round((agreed - chance) / (1 - chance), 6)


def test_the_same_pyramid_agrees_with_itself(capsys: Capture, folder: Path) -> None:
    (folder / "copy.pyr").write_bytes((folder / "anna.pyr").read_bytes())
    assert run("annotate", "pyramids", folder / "anna.pyr", folder / "copy.pyr", "--format", "csv") == 0
    assert capsys.readouterr().out.splitlines()[1] == "anna,copy,1,1.0,1.0,1.0,1.0,1.0"


def test_segments_of_pyreval_are_located(capsys: Capture, folder: Path) -> None:
    """Those that are in no summary are counted. Each of two equal segments of an SCU is in a summary of its own."""
    assert run("annotate", "pyramids", *sorted(folder.glob("*.pyr"))) == 0
    out = capsys.readouterr().out
    assert "1 of 6 segments are not in the summaries, and left out" in " ".join(out.split())
    (group,), _ = read_markings([str(path) for path in sorted(folder.glob("*.pyr"))])
    marking = group.markings["pyreval"]
    assert marking.scus == (0, 0, 0, 2, 2)
    assert [sorted(words) for words in marking.contributors[3:]] == [[8, 9], [26, 27]]
    lines = [line.split() for line in out.splitlines() if line.startswith("pyreval")]
    assert lines == [["pyreval", "1", "2", "5"]]


def test_several_topics_are_averaged(capsys: Capture, folder: Path) -> None:
    """In the second topic, both pyramids are the same."""
    for name in ("anna", "ben"):
        (folder / name).mkdir()
        (folder / f"{name}.pyr").rename(folder / name / "first.pyr")
        (folder / name / "second.pyr").write_bytes(
            pyramid_file(SUMMARIES | {"C": "Snow fell."}, ANNA_OF_TWO, "D0902-A")
        )
    assert run("annotate", "pyramids", folder / "anna", folder / "ben", "--format", "csv") == 0
    anna, ben, topics, contributors, scus, *_ = capsys.readouterr().out.splitlines()[1].split(",")
    assert (anna, ben, topics, contributors, scus) == ("anna", "ben", "2", "0.8", "0.7")


ANNA_OF_TWO: Scus = {uid: contributors[:2] for uid, contributors in ANNA.items()}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["pyreval.pyr"], "contain no pyramids ... .pyr"),
        (["anna.pyr", "foreign.pyr"], "foreign.pyr ... Add a pyramid of its texts"),
        (["anna.pyr", "short.pyr"], "short.pyr, line 2 ... Use a file that PyrEval wrote"),
        (["anna.pyr", "memory.pyr"], "memory.pyr: ... cannot be read"),
        (["anna.pyr", "more/anna.pyr"], "more/anna.pyr ... D0901-A ... anna. Rename the file"),
    ],
)
def test_sources_that_cannot_be_compared(folder: Path, names: list[str], message: str) -> None:
    (folder / "foreign.pyr").write_text("SCU\t1\t2\tIt snowed in Spain\n")
    (folder / "short.pyr").write_text("SCU\t1\t2\tRain fell\nSCU\t1\tRain fell\n")
    (folder / "memory.pyr").symlink_to("/proc/self/mem")  # whose first bytes cannot be read
    (folder / "more").mkdir()
    (folder / "more" / "anna.pyr").write_bytes((folder / "anna.pyr").read_bytes())
    with pytest.raises(PyramidParaphraseError, match=mentions(message)):
        read_markings([str(folder / name) for name in names])


def test_one_annotator_agrees_with_nobody(capsys: Capture, folder: Path) -> None:
    assert run("annotate", "pyramids", folder / "anna.pyr") == 2
    assert re.search(mentions("1 pyramids ... Add another annotator's pyramid"), capsys.readouterr().err)


def test_long_summaries_are_refused(tmp_path: Path) -> None:
    (tmp_path / "long.pyr").write_bytes(pyramid_file({"A": "rain " * (MAX_WORDS + 1), "B": "Rain fell."}, {}))
    with pytest.raises(LimitError, match=mentions("D0901-A ... 10,000 words ... Use shorter summaries")):
        read_markings([str(tmp_path / "long.pyr")])


def test_three_people_and_pyreval(tmp_path: Path) -> None:
    """Kappa of words is that of `benchmarks/annotators.py`, which counts 12,138 of 665,407 pairs as the same."""
    sources = []
    for collection in ("ducview", "pyreval"):
        for name, data in sorted(read_local_copies(collection).items()):
            (tmp_path / name).write_bytes(data)
            sources.append(str(tmp_path / name))
    (group,), notes = read_markings(sources)
    assert [len(set(marking.scus)) for marking in group.markings.values()] == [60, 46, 34, 43, 51]
    assert [re.findall(r"(\d+) of (\d+) segments", note) for note in notes] == [[("4", "105")], [("6", "116")]]
    rows = report_agreement([group], notes).record["agreement"]
    assert [round(row["kappa"], 3) for row in rows if "pyramid" not in row["second"]] == [0.723, 0.662, 0.655]
