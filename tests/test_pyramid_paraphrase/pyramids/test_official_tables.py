"""NIST's tables of pyramid scores of all years, which differ in their columns."""

from __future__ import annotations

import pytest
from helpers.messages import mentions
from helpers.nist_tables import PANS_2005, PEERS_2008, PEOPLE_2008, TABLE_2006, TABLE_UPDATE, make_manual

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pyramids.official_tables import looks_official, parse_official_rows
from pyramid_paraphrase.pyramids.pyramid_scores import PeerScore, compare_with_official, parse_official
from pyramid_paraphrase.pyramids.sources import SourceFile

Rows = dict[tuple[str, str], dict[str, float]]


def parse(text: str, name: str = "table.txt") -> Rows:
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line]
    return {(topic, system): values for _, topic, system, values in parse_official_rows(lines, name)}


def test_duc_2006() -> None:
    """13 columns. The fifth and sixth name people, and rows that nobody judged end after them."""
    rows = parse(TABLE_2006)
    judged = {f"linguistic_quality_{number}": float(value) for number, value in enumerate([2, 4, 3, 5, 3], 1)}
    expected = {"pyramid_modified": 0.3, "scus": 5.0, "repetitions": 0.0, **judged, "content_responsiveness": 4.0}
    assert rows["D0601", "3"] == expected
    assert rows["D0647", "03"] == {"pyramid_modified": 0.2, "scus": 2.0, "repetitions": 1.0}
    assert len(rows) == 9


def test_the_update_task() -> None:
    """8 columns, of which the last is content. A score may exceed 1."""
    rows = parse(TABLE_UPDATE)
    expected = {"pyramid_modified": 1.05, "scus": 9.0, "repetitions": 0.0, "content_responsiveness": 5.0}
    assert rows["D0703-B", "3"] == expected
    assert rows["D0703-C", "3"] == {"pyramid_modified": 0.5, "scus": 9.0, "repetitions": 0.0}


def test_the_main_task_of_2007_and_a_wider_table() -> None:
    """The last column is responsiveness in every table with more than 7 columns."""
    rows = parse("D0701 1 0.0851 2 0 4 5 5 4 3 2\nD0701 2 0.1 2 0\n")
    assert rows["D0701", "1"]["linguistic_quality_5"] == 3.0
    assert rows["D0701", "1"]["content_responsiveness"] == 2.0
    assert set(rows["D0701", "2"]) == {"pyramid_modified", "scus", "repetitions"}
    wide = parse("D0701 1 0.0851 2 0 4 5 5 4 3 1 2\n")["D0701", "1"]
    assert wide == {"pyramid_modified": 0.0851, "scus": 2.0, "repetitions": 0.0, "content_responsiveness": 2.0}


@pytest.mark.parametrize("width", [7, 8, 11, 12, 13])
def test_rows_that_nobody_judged(width: int) -> None:
    """Rows of 5 columns, or of 7 in wider tables, have scores only."""
    rows = [f"D1 {number} 0.5 2 1" + " 3" * (columns - 5) for number, columns in enumerate([width, width, 5, 7])]
    values = parse("\n".join(rows))
    scores = {"pyramid_modified": 0.5, "scus": 2.0, "repetitions": 1.0}
    assert [values["D1", number] for number in "23"] == [scores, scores]
    assert (set(values["D1", "0"]) == set(scores)) == (width == 7)


@pytest.mark.parametrize(("cell", "value"), [("0.25", 0.25), (".25", 0.25), ("1.", 1.0), ("1.0625", 1.0625)])
def test_numbers(cell: str, value: float) -> None:
    assert parse(f"D1 1 {cell} 2 1\n")["D1", "1"]["pyramid_modified"] == value


@pytest.mark.parametrize("cell", [".", "1x5", "x25", "1234567890.5", "-0.5", "1e-3", "0.5.5"])
def test_cells_that_are_no_numbers(cell: str) -> None:
    with pytest.raises(InputError, match=mentions(f"t, line 1: expected a number as pyramid_modified, found '{cell}'")):
        parse(f"D1 1 {cell} 2 1\n", "t")


def test_tac() -> None:
    """Judgements of peers are of overall responsiveness. People have only scores by pyramids of the three others."""
    assert parse(PEERS_2008)["D0801-A", "7"] == {
        "pyramid_modified": 0.5,
        "scus": 8.0,
        "repetitions": 0.0,
        "pyramid_modified_jackknife": 0.5125,
        "linguistic_quality": 4.0,
        "overall_responsiveness": 4.0,
    }
    people = {"scus": 12.0, "pyramid_modified_jackknife": 0.6123, "linguistic_quality": 5.0}
    assert parse(PEOPLE_2008)["D0801-A", "A"] == {**people, "overall_responsiveness": 5.0}
    peers, model = make_manual("A", "12345"), make_manual("A", "AB")
    assert (len(peers.split("\n")[0].split()), len(model.split("\n")[0].split())) == (10, 8)
    assert parse(peers, "manual.peer.A")["D0902-A", "4"] == {
        "pyramid_modified": 0.52,
        "scus": 5.0,
        "repetitions": 1.0,
        "pyramid_modified_jackknife": 0.52,
        "linguistic_quality": 5.0,
        "overall_responsiveness": 5.0,
    }
    assert parse(model, "x/manual.model.A")["D0901-A", "A"]["pyramid_modified_jackknife"] == 0.53


def test_duc_2005() -> None:
    """The first score is the original one. Topics have no letter."""
    rows = list(parse_official_rows([(1, PANS_2005.splitlines()[0])], "processed_pans.txt"))
    values = {"pyramid": 0.5, "pyramid_modified": 0.25, "scus": 4.0, "repetitions": 1.0}
    assert rows == [(1, "D301", "1", values)]
    assert list(parse("D301 1 0.5 0.25 4 1\n")) == [("D301", "1")]
    assert list(parse("301 1 0.5 4 1\n")) == [("301", "1")]


@pytest.mark.parametrize("name", ["a.txt", "a/manual.model", "b!manual.model.A", "MANUAL.MODEL"])
def test_numbers_of_scus_are_no_scores(name: str) -> None:
    """A row of TAC's people has the width of a row of DUC without a judgement."""
    rows = parse(PEOPLE_2008, name)
    assert [values.get("pyramid_modified") for values in rows.values()] == [None, None]
    assert [values["scus"] for values in rows.values()] == [12.0, 9.0]


def test_the_whole_file_decides_what_the_third_column_is() -> None:
    """A score such as 0.5 makes it a column of scores, in which 1 is one, too, but 12 is not."""
    rows = parse("D0647 1 1 9 0 3 2\nD0647 2 0.5 9 0 3 2\n")
    assert [values["pyramid_modified"] for values in rows.values()] == [1.0, 0.5]
    assert parse("D0801-A A 0 K 0.0 5 5\nD0801-A B 2 K 0.4 4 5\n")["D0801-A", "A"]["scus"] == 0.0
    assert parse("D1 1 1 9 0 3 2\n", "x_modified_scores.txt")["D1", "1"]["pyramid_modified"] == 1.0
    assert parse("D1 A 1 9 0.5 3 2\n", "manual.model")["D1", "A"]["scus"] == 1.0


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("D1 1 1 9 0 3 2\n", "t", "t: ... scores ... SCUs ... manual.model ... 2007_modified_scores.txt"),
        ("D1 1 0 9 0 3 2 1\n", "t", "t: ... scores ... SCUs ... manual.model"),
        ("D1 1 0.5 9 0 3 2\nD1 2 12 9 0 3 2\n", "t", "t, line 2: 12 is not a score ... manual.model"),
        ("D1 1 12 9 0 3 2\n", "2006_modified_scores.txt", "2006_modified_scores.txt, line 1: 12 is not a score"),
        ("D1 1 12 9 0 3 2 4\n", "manual.peer", "manual.peer, line 1: 12 is not a score"),
        ("D1 1 2 9 0 3 2 4 5\n", "t", "t, line 1: 2 is not a score"),
        ("D1 A 0.5 9 0.5 3 2\n", "manual.model", "manual.model, line 1: ... whole number as scus, found '0.5'"),
        ("D1 A 9 K 0.5 3 2\nD1 B 9 K L 0.5 3 2\n", "t", "t, line 1: expected 8 columns, found 7"),
        (
            "D1 1 0.5 9 0 3 .2 4 5\nD1 2 0.5 9 0 3 2\nD1 3 0.5 9 0 3 .2 4 5",
            "t",
            "t, line 2: expected 9 columns, found 7",
        ),
        ("D1 1 0.5 9 0 3 2 4\nD1 2 0.5 9 0 3\nD1 3 0.5 9 0 3 2 4", "t", "t, line 2: expected 5 or 7 or 8 ... 6"),
        ("D1 1 0.5 9 0 3 2 x\n", "t", "t, line 1: expected a number as content_responsiveness, found 'x'"),
        ("D1 1 nan 9 0\n", "t", "t, line 1: expected a number as pyramid_modified, found 'nan'"),
        ("D1 1 0.5 9.0 0\n", "t", "t, line 1: expected a whole number as scus, found '9.0'"),
        ("D1 1 0.5\n", "t", "t, line 1: ... columns pyramid, peer ... 2007_modified_scores.txt"),
        ("1 0.5 4 1 0.5 3 3\n", "a/manual.peer.avg", "a/manual.peer.avg: ... means ... table manual.peer"),
        ("", "t", "t: contains no scores"),
    ],
)
def test_tables_that_are_refused(text: str, name: str, message: str) -> None:
    with pytest.raises(InputError, match=mentions(message)):
        parse(text, name)


@pytest.mark.parametrize("table", [TABLE_2006, TABLE_UPDATE, PEERS_2008, PANS_2005.replace("301 A", "301 2")])
def test_all_forms_are_compared_with_our_scores(table: str) -> None:
    """The command `score` read the sixth column of DUC 2005 as the number of repetitions of another table."""
    official = parse_official(SourceFile("table.txt", table.encode()))
    assert len(official) == len(table.splitlines())
    ours = [PeerScore(topic, peer, "", 0.0, *numbers) for topic, peer, numbers in official]
    assert compare_with_official(ours, official) == []
    changed = [score._replace(modified=score.modified + 0.001) for score in ours]
    assert len(compare_with_official(changed, official)) == len(official)


def test_people_are_not_compared_with_our_scores() -> None:
    """Our pyramids contain the summary of the person."""
    with pytest.raises(InputError, match=mentions("manual.model, line 1: ... people ... manual.peer")):
        parse_official(SourceFile("manual.model", PEOPLE_2008.encode()))


def test_lines_that_look_like_rows() -> None:
    rows = [
        line for table in (TABLE_2006, TABLE_UPDATE, PEERS_2008, PEOPLE_2008, PANS_2005) for line in table.split("\n")
    ]
    assert len(rows) == 9 + 9 + 3 + 3 + 5
    assert [line for line in rows if line and not looks_official(line)] == []
    for line in ("", "D1 1 0.5 2", "topic 1 0.5 2 1", "D1 1 x 2 1", "D1 1 0.5 2 1" + " 1" * 9, "D1 1 0.5.5 2 1"):
        assert not looks_official(line), line
    assert looks_official("D1 1 .5 2 1")
