"""Ranked lists from tables: rows of one's own in any form, and tables of paraphrases."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from helpers.messages import mentions
from helpers.ranked_paraphrases import LISTS, make_table

from harness.paraphrases.dimple.conversion import convert_table
from harness.paraphrases.dimple.lists import fingerprint_lists, read_lists, render_lists
from harness.paraphrases.dimple.scores import judge
from harness.paraphrases.tables.reading import read_table
from harness.paraphrases.tables.storage import write_table
from pyramid_paraphrase.errors import InputError

HEADER = "source\tmethod\tparaphrase\trank"

PPDB = "[VB] ||| {} ||| {} ||| PPDB2.0Score=4.2 -logp(e2|e1)={} Abstract=0 ||| 0-0 ||| Equivalence\n"


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_table_becomes_the_same_lists(tmp_path: Path) -> None:
    lists, notes = convert_table(write(tmp_path, "lists.tsv", make_table().replace("\n", "\r\n")), [])
    assert not notes
    assert {(ranked.source, ranked.method): ranked.texts for ranked in lists} == {
        key: [text for text, _, _ in rows] for key, rows in LISTS.items()
    }
    assert lists[0].paraphrases[1].votes == {"strict": (1, 1, 0), "lenient": (1, 1, 1)}
    lines = write(tmp_path, "lists.jsonl", render_lists(lists))
    assert fingerprint_lists(read_lists([lines])) == fingerprint_lists(lists[::-1])
    assert json.loads(lines.read_text().splitlines()[0]) == {
        "source": "found",
        "method": "pivot",
        "paraphrase": "discovered",
        "rank": 1,
        "votes": {"strict": [1, 1, 1], "lenient": [1, 1, 1]},
        "sentence": "divers found a wreck",
    }


def test_a_fraction_of_votes_may_have_any_number_of_annotators(tmp_path: Path) -> None:
    table = write(tmp_path, "lists.tsv", f"{HEADER}\tstrict\tlenient\nkilled\tpivot\tslew\t1\t11/12\t12/12\n")
    assert judge("strict").quality(convert_table(table, [])[0][0]) == [11 / 12]


SCORED = [("killed", "slew", 0.25), ("told", "informed", 0.5), ("killed", "shot", 1.5), ("killed", "felled", 0.25)]
BY_SCORE = {"killed": ["shot", "slew", "felled"], "told": ["informed"]}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine.tsv", "source\tparaphrase\tscore\n" + "".join(f"{s}\t{p}\t{v}\n" for s, p, v in SCORED)),
        ("mine.csv", "word,substitute,weight\n" + "".join(f"{s},{p},{v}\n" for s, p, v in SCORED)),
        ("mine.json", json.dumps([{"phrase": s, "target": p, "prob": v} for s, p, v in SCORED])),
        (
            "mine.csv",
            "score;source;paraphrase\n" + "".join(f"{str(v).replace('.', ',')};{s};{p}\n" for s, p, v in SCORED),
        ),
    ],
)
def test_scores_give_the_ranks(tmp_path: Path, name: str, text: str) -> None:
    """The paraphrase with the highest score is the first one. Two are equal, and stay in the order of the file."""
    lists, notes = convert_table(write(tmp_path, name, text), [])
    assert {ranked.source: ranked.texts for ranked in lists} == BY_SCORE
    assert {ranked.method for ranked in lists} == {"mine"}
    assert re.search(mentions("2 paraphrases ... score ... file's order"), notes[-1])


def test_without_ranks_and_scores_the_order_of_the_rows_counts(tmp_path: Path) -> None:
    path = write(tmp_path, "mine.tsv", "paraphrase\tsource\tcomment\nslew\tkilled\told\nshot\tkilled\t\n")
    lists, notes = convert_table(path, [], method="by hand")
    assert [(ranked.source, ranked.method, ranked.texts) for ranked in lists] == [
        ("killed", "by hand", ["slew", "shot"])
    ]
    assert re.search(mentions("ignored columns: comment"), notes[0])
    assert re.search(mentions("mine.tsv: ... rank or score ... order"), notes[1])


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = write(tmp_path, "mine.csv", "a,b,c\nkilled,slew,2\nkilled,shot,1\n")
    (ranked,), _ = convert_table(path, [], columns={"source": "a", "paraphrase": "b", "rank": "c"})
    assert ranked.texts == ["shot", "slew"]


@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_table_of_paraphrases_is_ranked_by_probability(tmp_path: Path, is_compiled: bool) -> None:
    """exp(-1) is more probable than exp(-2). The two with the same probability are in alphabetical order."""
    entries = [("kill", "wound", 2), ("kill", "slay", 1), ("tell", "inform", 3), ("kill", "murder", 1)]
    path = write(tmp_path, "ppdb.txt", "".join(PPDB.format(*entry) for entry in entries))
    if is_compiled:
        _, arrays, _ = read_table(path)
        path = tmp_path / "ppdb.table"
        write_table(path, arrays)
    lists, notes = convert_table(path, ["kill", "reach"], maximum=2)
    assert [(ranked.source, ranked.method, ranked.texts) for ranked in lists] == [("kill", "ppdb", ["murder", "slay"])]
    assert re.search(
        mentions("no list for reach ... 2 paraphrases ... probability ... alphabetical ... 1 paraphrase ... 2"),
        " ".join(notes),
    )


def test_a_list_of_pairs_without_a_header_is_a_table_of_paraphrases(tmp_path: Path) -> None:
    path = write(tmp_path, "pairs.tsv", "killed\tslew\t0.1\nkilled\tshot\t0.2\n")
    (ranked,), _ = convert_table(path, ["killed"])
    assert ranked.texts == ["shot", "slew"]
    with pytest.raises(InputError, match=mentions("pairs.tsv: ... no paraphrase of told ... --sources")):
        convert_table(path, ["told"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source\tmethod\tparaphrase\trnk\na\tb\tc\t1", "lists.tsv: ... rnk ... no rank. ... to rank"),
        ("source\tmethod\trank\na\tb\t1", "lists.tsv: ... paraphrase ... source (a) ... --columns paraphrase="),
        (f"{HEADER}\trank\na\tb\tc\t1\t1", "lists.tsv, line 1: ... two columns rank"),
        (
            f"{HEADER}\tstrict\na\tb\tc\t1\t1",
            "lists.tsv: ... only one ... strict and lenient. ... both columns or neither",
        ),
        (f"{HEADER}\na\tb\tc\td\te", "lists.tsv, line 2: ... 4 cells, found 5"),
        (f"{HEADER}\na\tb\tc", "lists.tsv, line 2: missing key rank"),
        (f"{HEADER}\na\tb\tc\tfirst", "lists.tsv, line 2: rank ... positive ... from 1"),
        (f"{HEADER}\na\tb\tc\t", "lists.tsv, line 2: missing key rank. ... docs/dimple.md"),
        ("source\tparaphrase\tscore\na\tb\thigh", "lists.tsv, line 2: 'high' is not a number"),
        ("source\tparaphrase\tscore\na\tb\t", "lists.tsv, line 2: has no score ... rank"),
        (
            f"{HEADER}\tstrict\tlenient\na\tb\tc\t1\t3/2\t2/2",
            "lists.tsv, line 2: '3/2' ... more votes than annotators ... 2/3",
        ),
        (f"{HEADER}\tstrict\tlenient\na\tb\tc\t1\t0.5\t1/2", "lists.tsv, line 2: '0.5' ... list of votes ... 2/3"),
        (
            f"{HEADER}\tstrict\tlenient\na\tb\tc\t1\t2/2\t1/2",
            "lists.tsv, line 2: inconsistent votes ... docs/dimple.md",
        ),
        (
            f"{HEADER}\tstrict\tlenient\na\tb\tc\t1\t1/4000\t1/4000",
            "lists.tsv, line 2: '1/4000' ... list of votes ... 2/3",
        ),
        (HEADER, "lists.tsv: ... no rows ... Add a row"),
        ('[{"source": "a", "paraphrase": "b", "rank": 2}]', "lists.tsv, record 1: ... no rank 1"),
    ],
)
def test_tables_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, "lists.tsv", text)
    with pytest.raises(InputError) as caught:
        convert_table(path, [])
    assert re.search(mentions(message), str(caught.value))
