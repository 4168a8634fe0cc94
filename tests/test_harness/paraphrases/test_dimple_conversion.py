"""Ranked lists from tables: rows of one's own in any form, and tables of paraphrases."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from helpers.commands import Capture, run
from helpers.messages import mentions
from helpers.ranked_paraphrases import LISTS, make_table

from harness.paraphrases.dimple.conversion import convert_table, list_sheet_rows, read_sheets
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
        (
            f"{HEADER}\tstrict\tlenient\na\tb\tc\t1\t1/2\t2/3",
            "lists.tsv, line 2: ... strict votes of 2 annotators ... lenient votes of 3. ... each annotator",
        ),
        ("verb,lenient\na,1/2", "lists.tsv: ... verb (a), lenient (1/2). ... --columns source=verb"),
        ("source,strict,lenient\na,1/2,2/2", "lists.tsv: ... no column for paraphrase. ... --columns paraphrase=NAME"),
        (HEADER, "lists.tsv: ... no rows ... Add a row"),
        ('[{"source": "a", "paraphrase": "b", "rank": 2}]', "lists.tsv, record 1: ... no rank 1"),
    ],
)
def test_tables_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, "lists.tsv", text)
    with pytest.raises(InputError) as caught:
        convert_table(path, [])
    assert re.search(mentions(message), str(caught.value))


def write_lists(folder: Path) -> Path:
    """Write lists of two methods, which share a paraphrase, without votes."""
    lines = [
        {"source": "killed", "method": method, "paraphrase": text, "rank": rank, "sentence": "a storm killed two goats"}
        for method, texts in (("a", ("slew", "shot")), ("b", ("slew", "=felled")))
        for rank, text in enumerate(texts, 1)
    ]
    return write(folder, "lists.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines))


def fill(sheet: Path, name: str, answers: dict[str, tuple[str, str]]) -> Path:
    """Fill a sheet by paraphrase."""
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    lines = ["id;strict;lenient", *(";".join((row["id"], *answers[row["paraphrase"]])) for row in rows)]
    return write(sheet.parent, name, "\n".join(lines) + "\n")


def test_a_sheet_has_distinct_paraphrases_in_their_sentences(tmp_path: Path, capsys: Capture) -> None:
    """Methods are not named. The order depends on the seed only, and a formula is escaped for spreadsheets."""
    lists, sheet = write_lists(tmp_path), tmp_path / "sheet.csv"
    assert run("dimple", "sheet", lists, "--output", sheet) == 0
    assert capsys.readouterr().out == f"{sheet}: 3 paraphrases\n"
    assert sheet.read_bytes().startswith("\ufeffid,source,paraphrase,original,replaced,strict,lenient".encode())
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = {row["paraphrase"]: row for row in csv.DictReader(file)}
    assert set(rows) == {"slew", "shot", "'=felled"}
    assert rows["slew"]["original"] == "a storm killed two goats"
    assert rows["slew"]["replaced"] == "a storm slew two goats"
    assert {(row["strict"], row["lenient"]) for row in rows.values()} == {("", "")}
    assert all(re.fullmatch("p[0-9a-f]{11}", row["id"]) for row in rows.values())
    orders = {tuple(row[0] for row in list_sheet_rows(read_lists([lists]), seed)) for seed in range(9)}
    assert len(orders) > 1
    assert len({frozenset(order) for order in orders}) == 1


def test_a_sheet_needs_sentences(tmp_path: Path) -> None:
    lists, _ = convert_table(write(tmp_path, "a.tsv", f"{HEADER}\nkilled\tm\tslew\t1\n"), [])
    with pytest.raises(InputError, match=mentions("a.tsv, line 2: ... no sentence ... sentence ... source")):
        list_sheet_rows(lists, 0)


def test_votes_of_sheets_are_added_to_all_methods(tmp_path: Path, capsys: Capture) -> None:
    """Anna and Ben agree on one of two strict answers. Chance is 1/2, since Ben says yes always: kappa is 0.

    Three of the four strict votes are yes, and one pair of votes is equal: alpha is (3 * 2 - 6) / (4 * 3 - 6) = 0.
    The lenient answers are all yes, so neither is defined.
    """
    lists, sheet, output = write_lists(tmp_path), tmp_path / "sheet.csv", tmp_path / "voted.jsonl"
    assert run("dimple", "sheet", lists, "--output", sheet) == 0
    empty = ("", "")
    anna = fill(sheet, "anna.csv", {"slew": ("yes", "1"), "shot": ("no", "Ja"), "'=felled": empty})
    ben = fill(sheet, "ben.csv", {"slew": ("x", "x"), "shot": ("Y", "TRUE"), "'=felled": empty})
    assert run("dimple", "votes", lists, "--sheets", anna, ben, "--output", output) == 2
    assert re.search(mentions("ben.csv, line ... strict is 'x' ... yes or no"), capsys.readouterr().err)
    ben.write_text(ben.read_text().replace("x;x", "ja;oui"))
    assert run("dimple", "votes", lists, "--sheets", anna, ben, "--output", output) == 0
    result = capsys.readouterr()
    assert "note: 1 paraphrase without votes" in result.err
    rows = [line.split() for line in result.out.splitlines()[1:5]]
    assert rows == [
        ["strict", "anna", "2", "1", "2", "0.000"],
        ["strict", "ben", "2", "2", "2", "0.000"],
        ["lenient", "anna", "2", "2", "0", "-"],
        ["lenient", "ben", "2", "2", "0", "-"],
    ]
    alphas = result.out.splitlines()[5:7]
    assert alphas == [
        "strict: Krippendorff's alpha of 2 paraphrases with at least two votes: 0.000",
        "lenient: Krippendorff's alpha of 2 paraphrases with at least two votes: not defined",
    ]
    judged = {ranked.method: ranked.paraphrases for ranked in read_lists([output])}
    assert judged["a"][0].votes == judged["b"][0].votes == {"strict": (1, 1), "lenient": (1, 1)}
    assert judged["a"][1].votes == {"strict": (0, 1), "lenient": (1, 1)}
    assert judged["b"][1].votes == {}
    assert run("dimple", "votes", lists, "--sheets", anna, anna, "--output", output) == 2
    assert re.search(mentions("anna.csv: ... same name ... annotator"), capsys.readouterr().err)
    assert run("dimple", "votes", output, "--sheets", anna, "--output", lists) == 0
    assert "note: the votes that 3 paraphrases had before were removed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("no;yes", "no;"), "line ... lenient is '' ... yes or no"),
        (("no;yes", "yes;no"), "line ... strict is yes, but lenient is no"),
        (("\np", "\nq"), "line 2: ... not in the lists ... sheet"),
        (("strict;", "grammatical;"), "no column for strict"),
    ],
)
def test_sheets_that_are_refused(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    lists, sheet = write_lists(tmp_path), tmp_path / "sheet.csv"
    assert run("dimple", "sheet", lists, "--output", sheet) == 0
    filled = fill(sheet, "anna.csv", dict.fromkeys(("slew", "shot", "'=felled"), ("no", "yes")))
    read_sheets([filled], read_lists([lists]))
    filled.write_text(filled.read_text().replace(*change, 1))
    with pytest.raises(InputError, match=mentions(f"anna.csv ... {message}")):
        read_sheets([filled], read_lists([lists]))


def test_a_row_occurs_once_in_a_sheet(tmp_path: Path) -> None:
    lists = read_lists([write_lists(tmp_path)])
    key = list_sheet_rows(lists, 0)[0][0]
    sheet = write(tmp_path, "anna.csv", f"id,strict,lenient\n{key},no,no\n{key},no,no\n")
    with pytest.raises(InputError, match=mentions("anna.csv, line 3: ... occurs twice")):
        read_sheets([sheet], lists)
