"""The agreement of annotators in one report, whatever they made, and what they disagree on."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from helpers.accessibility import find_violations
from helpers.annotations import Scus, pyramid_file
from helpers.commands import Capture, run, unwrap
from helpers.messages import mentions
from helpers.qapyramid import write_votes
from helpers.rose import write_rose
from helpers.sheets import fill_with_errors, read_lines

from harness.evaluation.people.agreement import sort_sources
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.workbooks import read_sheets, render_workbook

SUMMARIES = {"A": "The old mill burned down. Rain fell later.", "B": "A fire destroyed the mill.", "C": "Rain fell."}
ANNA: Scus = {
    ("1", "The mill burned"): [("A", ["The old mill burned down"]), ("B", ["A fire destroyed the mill"])],
    ("2", "Rain"): [("A", ["Rain fell later"]), ("C", ["Rain fell"])],
}
BEN: Scus = {
    ("1", "The mill burned"): [("A", ["The old mill burned down"]), ("B", ["A fire destroyed the mill"])],
    ("2", "Rain"): [("C", ["Rain fell"])],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    """Two people's pyramids, votes, and two filled sheets: anna errs in lines 0 and 1, ben in lines 1 to 3."""
    monkeypatch.chdir(tmp_path)
    for name, scus in (("anna", ANNA), ("ben", BEN)):
        (tmp_path / f"{name}.pyr").write_bytes(pyramid_file(SUMMARIES, scus))
    write_votes(tmp_path / "votes")
    assert run("annotate", "sample", "sample", "--task", "binary", "--rows", 20, "--output", "sheet.csv") == 0
    (tmp_path / "filled").mkdir()
    for name, wrong in (("anna", [0, 1]), ("ben", [1, 2, 3])):
        fill_with_errors(tmp_path / "sheet.csv", tmp_path / "filled" / f"{name}.csv", "binary", wrong)
    capsys.readouterr()
    return tmp_path


def test_sheets_are_compared_and_disagreements_have_their_texts(folder: Path, capsys: Capture) -> None:
    """People disagree on lines 0, 2 and 3. On line 1, both err, and agree."""
    sheets = ("filled/anna.csv", "filled/ben.csv")
    assert run("annotate", "agreement", *sheets, "--data", "sample", "--rows", 2, "--width", 100) == 0
    printed = unwrap(capsys.readouterr().out)
    assert "2 people judged 20 rows of binary. They disagree on 3. Krippendorff's alpha is 0.7" in printed
    assert "Disagreements: 2 of 3, 1 more" in printed
    assert run("annotate", "agreement", *sheets, "--data", "sample", "--format", "json") == 0
    (record,) = json.loads(capsys.readouterr().out)["reports"]
    assert (record["kind"], record["names"], record["units"]) == ("sheets", ["anna", "ben"], 20)
    lines = read_lines(folder / "sheet.csv")
    assert {row["id"] for row in record["disagreements"]} == {lines[number]["id"] for number in (0, 2, 3)}
    texts = {row["id"]: row["texts"] for row in record["disagreements"]}
    expected = [[name, lines[0][name]] for name in ("sentence1", "sentence2")]
    assert texts[lines[0]["id"]] == expected
    assert len({tuple(row["answers"].values()) for row in record["disagreements"]} & {("yes", "yes")}) == 0
    assert run("annotate", "score", *sheets, "--data", "sample", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["agreement"] == record["agreement"]  # the same coefficients


def test_votes_and_the_units_on_which_they_differ(folder: Path, capsys: Capture) -> None:
    """By hand: of seven units with several votes, the one with two votes and three of those with three differ."""
    assert run("annotate", "agreement", "votes", "--format", "json", "--resamples", 20) == 0
    (record,) = json.loads(capsys.readouterr().out)["reports"]
    assert (record["kind"], record["names"], record["units"]) == ("votes", ["Q1", "Q2", "Q3", "Q4"], 10)
    answers = [list(row["answers"].values()) for row in record["disagreements"]]
    assert len(answers) == 5
    assert answers[0].count("present") == answers[0].count("absent") == 1  # a tie comes first
    assert all({"present", "absent"} == set(given) for given in answers)
    assert record["disagreements"][0]["texts"][0][0] == "unit"


def test_pyramids_and_the_scus_that_differ(folder: Path, capsys: Capture) -> None:
    """Both have the SCU of the mill. Anna's SCU of the rain has 5 words, of which Ben's has 2: less than half."""
    assert run("annotate", "agreement", "anna.pyr", "ben.pyr", "--format", "json") == 0
    (record,) = json.loads(capsys.readouterr().out)["reports"]
    assert (record["kind"], record["names"], record["units"]) == ("pyramids", ["anna", "ben"], 4)
    assert {tuple(row["texts"][0]) for row in record["disagreements"]} == {
        ("only anna", "Rain fell later"),
        ("only ben", "Rain fell"),
    }
    (pair,) = record["agreement"]
    assert (pair["scus"], pair["intervals"]) == (0.5, {})  # a single topic has no interval
    assert run("annotate", "agreement", "anna.pyr", "ben.pyr") == 0
    printed = unwrap(capsys.readouterr().out)
    assert "2 people made pyramids of the same summaries of 1 topic." in printed
    assert "F of SCUs is 0.500, and kappa 0." in printed
    assert "anna 2 contributors, ben no such SCU" in printed


def test_several_topics_have_intervals(folder: Path, capsys: Capture) -> None:
    """In the second topic, both pyramids are the same, so resamples of two topics have F of 0.5, 0.75 or 1."""
    for name in ("anna", "ben"):
        (folder / name).mkdir()
        (folder / f"{name}.pyr").rename(folder / name / "first.pyr")
        (folder / name / "second.pyr").write_bytes(pyramid_file(SUMMARIES | {"C": "Snow fell."}, TWO, "D0902-A"))
    assert run("annotate", "agreement", "anna", "ben", "--format", "json", "--resamples", 200) == 0
    (record,) = json.loads(capsys.readouterr().out)["reports"]
    (pair,) = record["agreement"]
    assert (pair["topics"], pair["scus"], pair["intervals"]["scus"]) == (2, 0.75, [0.5, 1.0])
    assert run("annotate", "pyramids", "anna", "ben", "--resamples", 200) == 0
    assert "Intervals: 95 %, bootstrap over topics, 200 resamples, seed 0." in unwrap(capsys.readouterr().out)


TWO: Scus = {("1", "The mill burned"): ANNA["1", "The mill burned"]}


def test_one_report_of_everything_in_all_formats(folder: Path, capsys: Capture) -> None:
    given = ("filled", "votes", "anna.pyr", "ben.pyr", "--data", "sample", "--resamples", 20)
    for suffix in ("txt", "md", "tex", "csv", "tsv", "json", "html"):
        assert run("annotate", "agreement", *given, "--output", f"x.{suffix}") == 0
    texts = {path.suffix: path.read_text() for path in folder.glob("x.*")}
    assert len(texts) == 7
    assert [record["kind"] for record in json.loads(texts[".json"])["reports"]] == ["sheets", "votes", "pyramids"]
    rows = list(csv.DictReader(io.StringIO(texts[".csv"])))
    assert {row["kind"] for row in rows} == {"sheets", "votes", "pyramids"}
    assert [row["value"] for row in rows if row["measure"] == "SCUs"] == ["0.5"]
    assert "only anna: Rain fell later | only anna: Rain fell" in [row["texts"] for row in rows]
    assert sum(row["measure"] == "disagreement" for row in rows) == 10
    for suffix in (".txt", ".md", ".html"):
        assert "Rain fell later" in texts[suffix]
    assert "Rain fell later" not in texts[".tex"]
    assert "Check their licence" in texts[".html"]


@pytest.mark.needs("openpyxl")
def test_a_sheet_and_a_report_in_excel(folder: Path, capsys: Capture) -> None:
    (folder / "sheet.xlsx").write_bytes(render_workbook("sheet", ["judgement", "id", "test"], [["yes", "a", "b"]]))
    assert sort_sources(["sheet.xlsx"]) == ([Path("sheet.xlsx")], [], [])
    assert run("annotate", "agreement", "anna.pyr", "ben.pyr", "--output", "x.xlsx") == 0
    ((_, rows),) = read_sheets("x.xlsx", (folder / "x.xlsx").read_bytes(), 1000)[0]
    assert next(iter(rows))[1][:3] == ["kind", "measure", "of"]


def test_a_report_to_publish_has_no_texts(folder: Path, capsys: Capture) -> None:
    for suffix in ("txt", "json", "csv", "html"):
        given = ("filled", "anna.pyr", "ben.pyr", "--data", "sample", "--no-text", "--output", f"x.{suffix}")
        assert run("annotate", "agreement", *given) == 0
        text = (folder / f"x.{suffix}").read_text()
        assert "no such SCU" in text
        assert "Rain fell" not in text
        assert read_lines(folder / "sheet.csv")[0]["sentence1"] not in text


def test_hostile_texts_are_escaped(folder: Path, capsys: Capture) -> None:
    votes = {"bart": {"aa01": {"p": {"Who? <script>alert(1)</script>": [["<b>Q", 1], ["Q2", 0]]}}}}
    write_votes(folder / "hostile", votes)
    assert run("annotate", "agreement", "hostile", "--output", "x.html") == 0
    page = (folder / "x.html").read_text()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "<b>Q" not in page


@pytest.mark.needs("axe_playwright_python")
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_the_page_in_a_browser(browser: Any, folder: Path, width: int, scheme: str) -> None:  # noqa: ANN401
    given = ("filled", "votes", "anna.pyr", "ben.pyr", "--data", "sample", "--resamples", 20)
    assert run("annotate", "agreement", *given, "--output", "x.html") == 0
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto((folder / "x.html").as_uri())
    assert find_violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("h2").all_inner_texts() == ["Sheets", "Votes", "Pyramids"]
    page.close()


def test_what_files_are(folder: Path) -> None:
    """The content decides. Texts that belong to votes are read with them."""
    write_rose(folder / "rose")
    (folder / "utf16.csv").write_bytes((folder / "filled" / "anna.csv").read_text("utf-8-sig").encode("utf-16"))
    sources = ["filled", "utf16.csv", "votes", "rose", "anna.pyr"]
    sheets, votes, pyramids = sort_sources(sources)
    assert [path.name for path in sheets] == ["anna.csv", "ben.csv", "utf16.csv"]
    assert (votes, pyramids) == (["votes", "rose"], ["anna.pyr"])


def test_what_has_no_annotators(folder: Path, capsys: Capture) -> None:
    (folder / "scores.csv").write_text("topic,score\n1,2\n")
    with pytest.raises(InputError, match=mentions("scores.csv ... judgement, id and test")):
        sort_sources(["scores.csv"])
    (folder / "filled" / "memory.csv").symlink_to("/proc/self/mem")  # a file that cannot be read as a whole
    with pytest.raises(InputError, match=mentions("filled: ... cannot be read")):
        sort_sources(["filled"])
    (folder / "filled" / "memory.csv").unlink()
    for given, message in (
        (("anna.pyr", "ben.pyr", "--data", "sample"), "--data ... sheets"),
        (("sample",), "none of the 8 pyramids ... another annotator's pyramid"),
        (("sheet.csv", "--data", "sample"), "sheet.csv: ... no judgement"),
        (("nowhere.csv",), "nowhere.csv: no such file"),
        (("filled", "--data", "sample", "--output", "filled/anna.csv"), "also an input ... --output"),
    ):
        assert run("annotate", "agreement", *given) == 2
        assert re.search(mentions(message), capsys.readouterr().err)
