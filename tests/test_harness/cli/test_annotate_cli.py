"""The command annotate: sheets are made, filled and scored, with every flag and every error."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from helpers.commands import Capture, run, unwrap
from helpers.messages import mentions
from helpers.pair_corpora import write_pit, write_tokens
from helpers.scu_labels import write_scu_labels
from helpers.sheets import fill, fill_with_errors, read_lines, render

from harness.files import writing
from harness.support.terminal import WIDTH
from pyramid_paraphrase import load
from pyramid_paraphrase.files.atomic import temporary_file


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sample(*arguments: object, task: str = "binary", source: object = "sample", output: str = "sheet.csv") -> int:
    return run("annotate", "sample", source, "--task", task, "--output", output, *arguments)


def narrow(text: str) -> str:
    """Replace the blanks between the cells of a table by one."""
    return re.sub(" +", " ", text)


@pytest.fixture
def sheet(folder: Path, capsys: Capture) -> Path:
    assert sample("--rows", 40) == 0
    capsys.readouterr()
    return folder / "sheet.csv"


def test_a_sheet_opens_in_spreadsheets_and_tells_no_label(folder: Path, capsys: Capture) -> None:
    assert sample("--rows", 20, "--seed", 3) == 0
    captured = capsys.readouterr()
    assert (
        (folder / "sheet.csv")
        .read_bytes()
        .startswith(b"\xef\xbb\xbfrow,sentence1,sentence2,judgement,comment,id,test\n")
    )
    lines = read_lines(folder / "sheet.csv")
    assert [line["row"] for line in lines] == [str(number) for number in range(1, 21)]
    assert {line["judgement"] + line["comment"] for line in lines} == {""}
    assert {line["test"] for line in lines} == {"binary b80dc816ce66"}
    rows = {row["id"]: row for row in load("binary", "sample", split="test")}
    assert [rows[line["id"]]["sentence1"] for line in lines] == [line["sentence1"] for line in lines]
    assert sum(rows[line["id"]]["label"] for line in lines) == 10
    assert captured.out.startswith("Instructions for judging sheet.csv\n")
    assert 'Write yes or no in the column "judgement"' in captured.out
    assert all(len(line) <= WIDTH for line in captured.out.splitlines())
    assert re.search(mentions("sheet.csv: 20 rows ... binary ... 8 topics"), captured.err)


def test_questions_have_their_options_in_the_order_of_the_data(folder: Path, capsys: Capture) -> None:
    assert sample("--rows", 5, task="ranking") == 0
    lines = read_lines(folder / "sheet.csv")
    rows = {row["id"]: row for row in load("ranking", "sample", split="test")}
    assert len(lines) == 5
    for line in lines:
        assert line["question"] == rows[line["id"]]["question"]
        assert [line[letter] for letter in "abcd"] == rows[line["id"]]["options"]
    assert "Write a, b, c or d" in capsys.readouterr().out


def test_presence_shows_a_summary_as_one_text(folder: Path, capsys: Capture) -> None:
    write_scu_labels(folder / "labels")
    assert sample("--rows", 4, task="presence", source="labels") == 0
    lines = read_lines(folder / "sheet.csv")
    rows = {row["id"]: row for row in load("presence", folder / "labels", split="test")}
    assert len(lines) == 4
    for line in lines:
        assert line["statement"] == rows[line["id"]]["scu_text"]
        assert line["summary"] == " ".join(rows[line["id"]]["sentences"])
    assert "Does the summary say what the statement says" in capsys.readouterr().out


def test_texts_that_a_spreadsheet_would_run_are_disarmed(folder: Path, capsys: Capture) -> None:
    """The sheet can still be scored, because the changed texts are not read."""
    corpus = folder / "msr"
    corpus.mkdir()
    header = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
    rows = [f"{number % 2}\t{number}\t{number + 50}\t=1+{number}\t@home, -{number}\n" for number in range(20)]
    for part in ("train", "test"):
        (corpus / f"msr_paraphrase_{part}.txt").write_text(header + "".join(rows))
    assert sample("--rows", 6, task="pairs", source="msr") == 0
    lines = read_lines(folder / "sheet.csv")
    assert len(lines) == 6
    assert all(line["sentence1"].startswith("'=1+") and line["sentence2"].startswith("'@home") for line in lines)
    fill(folder / "sheet.csv", folder / "eve.csv", lambda _: "'yes")
    assert run("annotate", "score", "eve.csv", "--data", "msr") == 0
    assert "\neve 6 0.500 [" in narrow(capsys.readouterr().out)


def test_licensed_text_is_reported(folder: Path, capsys: Capture, caplog: pytest.LogCaptureFixture) -> None:
    write_tokens(folder / "tweets")
    assert sample("--rows", 4, task="pairs", source="tweets") == 0
    assert re.search(mentions("sheet.csv ... licensed text of Other pairs."), caplog.text)
    caplog.clear()
    assert sample("--rows", 4, output="other.csv") == 0
    assert "licen" not in caplog.text


def test_a_smaller_sheet_is_reported(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert sample("--rows", 9000, task="ranking") == 0
    assert re.search(mentions("634 rows ... 9,000: ... no more"), caplog.text)
    assert sample("--rows", 2000, output="pairs.csv") == 0
    assert re.search(mentions("1,228 rows ... 2,000: ... as many positives as negatives"), caplog.text)


def test_a_filled_sheet_is_never_replaced(folder: Path, sheet: Path, capsys: Capture) -> None:
    """Filling a sheet takes hours. Only the same empty sheet may be written again."""
    assert sample("--rows", 40) == 0
    fill(sheet, sheet, lambda _: "yes")
    filled = sheet.read_bytes()
    assert sample("--rows", 40) == 2
    assert re.search(mentions("sheet.csv: already exists, ... --output"), capsys.readouterr().err)
    assert sheet.read_bytes() == filled
    assert sample("--rows", 40, output=".") == 2
    assert run("annotate", "score", sheet, "--data", "sample", "--output", sheet) == 2
    assert re.search(mentions("sheet.csv: ... also an input ... --output"), capsys.readouterr().err)
    assert sheet.read_bytes() == filled


def test_of_two_sheets_at_the_same_time_one_is_an_error(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both commands said that the sheet was written, and the second sheet replaced the first."""

    @contextmanager
    def write_meanwhile(parent: Path) -> Iterator[tuple[Path, IO[bytes]]]:
        (folder / "sheet.csv").write_text("of another process")
        with temporary_file(parent) as opened:
            yield opened

    monkeypatch.setattr(writing, "temporary_file", write_meanwhile)
    assert sample("--rows", 40) == 2
    captured = capsys.readouterr()
    assert re.search(mentions("sheet.csv: already exists, ... --output"), captured.err)
    assert "Written" not in captured.err
    assert [path.name for path in folder.iterdir()] == ["sheet.csv"]
    assert (folder / "sheet.csv").read_text() == "of another process"


def test_tests_that_cannot_be_judged(folder: Path, capsys: Capture) -> None:
    write_pit(folder / "pit")
    with pytest.raises(SystemExit, match="2"):
        sample(task="pit_similarity", source="pit")
    assert re.search(mentions("--task ... 'pit_similarity'"), capsys.readouterr().err)
    assert sample(task="pit_identification", source="pit") == 0
    assert sample(task="binary", source="nowhere") == 2
    assert "nowhere" in capsys.readouterr().err
    assert not (folder / "nowhere").exists()


@pytest.mark.parametrize("flags", [["--rows", "1"], ["--rows", "10001"], ["--rows", "many"], ["--seed", "-1"]])
def test_wrong_numbers(folder: Path, capsys: Capture, flags: list[str]) -> None:
    with pytest.raises(SystemExit):
        sample(*flags)
    assert "use a whole number from" in capsys.readouterr().err


# Scores


def test_two_people_judge_the_sample(folder: Path, sheet: Path, capsys: Capture) -> None:
    """All steps: anna errs in lines 0 and 1, ben in lines 1 to 3, so both contradict the label of line 1."""
    anna = fill_with_errors(sheet, folder / "anna.csv", "binary", [0, 1])
    ben = fill_with_errors(sheet, folder / "ben.csv", "binary", [1, 2, 3])
    capsys.readouterr()
    assert run("annotate", "score", anna, ben, "--data", "sample") == 0
    printed = capsys.readouterr().out
    assert all(len(line) <= WIDTH for line in printed.splitlines())
    assert "\nanna 40 0.950 [" in narrow(printed)
    assert "\nben 40 0.925 [" in narrow(printed)
    assert "\nby majority 37 0.973 [" in narrow(printed)
    assert run("annotate", "score", anna, ben, "--data", "sample", "--output", "report.json") == 0
    assert capsys.readouterr().out == "report.json\n"
    text = (folder / "report.json").read_text()
    record = json.loads(text)
    lines = read_lines(sheet)
    assert [row["id"] for row in record["contradicted"]] == [lines[1]["id"]]
    assert lines[1]["id"][:12] in printed
    assert (record["judged_rows"], record["undecided_rows"], record["people"]) == (40, 3, ["anna", "ben"])
    assert {name: share["count"] for name, share in record["accuracy"]["people"].items()} == {"anna": 38, "ben": 37}
    assert (record["accuracy"]["majority"]["count"], record["accuracy"]["chance"]) == (36, 0.5)
    wrong = record["wrong_labels"]
    assert sum(stratum["majority"]["total"] for stratum in wrong["strata"]) == 37
    assert sum(stratum["everybody"]["count"] for stratum in wrong["strata"]) == 1
    assert [stratum["rows_of_test"] for stratum in wrong["strata"]] == [614, 623]
    assert wrong["majority"]["interval"][0] < 1 / 37 < wrong["majority"]["interval"][1]
    assert [row["coefficient"] for row in record["agreement"]] == [
        "Krippendorff's alpha", "Fleiss' kappa", "Cohen's kappa",
    ]  # fmt: skip
    assert len(lines) == 40
    assert not any(line["sentence1"] in text or line["sentence2"] in text for line in lines)


def test_questions_are_compared_with_chance(folder: Path, capsys: Capture) -> None:
    assert sample("--rows", 30, task="ranking") == 0
    paths = [fill_with_errors(folder / "sheet.csv", folder / f"{name}.csv", "ranking", [5]) for name in ("anna", "ben")]
    capsys.readouterr()
    assert run("annotate", "score", *paths, "--data", "sample") == 0
    printed = capsys.readouterr().out
    assert "success rate" in printed
    assert "\nchance 0.250" in narrow(printed)
    assert "\nquestions 634 0.033 [0.006, 0.167] 0.033 [0.006, 0.167]" in narrow(printed)
    assert "\nCohen's kappa, anna and ben 30 1.000 [1.000, 1.000]" in narrow(printed)


def test_a_single_person_and_undefined_agreement_are_explained(folder: Path, sheet: Path, capsys: Capture) -> None:
    anna = fill_with_errors(sheet, folder / "anna.csv", "binary", [])
    assert run("annotate", "score", anna, "--data", "sample") == 0
    printed = unwrap(capsys.readouterr().out)
    assert "The majority is a single person." in printed
    assert "undefined" in printed
    assert "kappa" not in printed
    for name in ("ben", "eve"):
        fill(sheet, folder / f"{name}.csv", lambda _: "yes")
    assert run("annotate", "score", "ben.csv", "eve.csv", "--data", "sample") == 0
    printed = unwrap(capsys.readouterr().out)
    assert "Krippendorff's alpha 40 undefined" in narrow(printed)
    assert "Undefined agreement: all people give the same answer to every row, or they judged" in printed


def test_rows_of_one_topic_have_no_interval(folder: Path, capsys: Capture) -> None:
    from pyramid_paraphrase import SAMPLE_DIR

    source = SAMPLE_DIR / "S0101.pyr"
    assert sample("--rows", 20, source=source) == 0
    for name, wrong in (("anna", [1]), ("ben", [2])):
        fill_with_errors(folder / "sheet.csv", folder / f"{name}.csv", "binary", wrong, str(source))
    capsys.readouterr()
    assert run("annotate", "score", "anna.csv", "ben.csv", "--data", source) == 0
    printed = unwrap(capsys.readouterr().out)
    assert (
        "Agreement without an interval: all rows are of one topic, or the value is undefined in more than 5 % of"
        in printed
    )


@pytest.mark.parametrize("form", ["terminal", "markdown", "latex", "csv", "json"])
def test_every_format(folder: Path, sheet: Path, capsys: Capture, form: str) -> None:
    for name, wrong in (("anna", [0]), ("ben", [0, 1])):
        fill_with_errors(sheet, folder / f"{name}.csv", "binary", wrong)
    capsys.readouterr()
    flags = ["--format", form, "--resamples", 50, "--seed", 7]
    assert run("annotate", "score", "anna.csv", "ben.csv", "--data", "sample", *flags) == 0
    printed = capsys.readouterr().out
    assert "anna" in printed
    if form == "csv":
        rows = {(row["measure"], row["of"]): row for row in csv.DictReader(io.StringIO(printed))}
        assert rows["accuracy", "anna"]["count"] == "39"
        assert rows["wrong labels, majority", "whole test"]["value"]
        assert rows["Cohen's kappa, anna and ben", "all"]["total"] == "40"
        assert sum("contradicted" in measure for measure, _ in rows) == 1
    if form == "json":
        record = json.loads(printed)
        assert (record["resamples"], record["seed"]) == (50, 7)


def test_the_same_sheets_give_the_same_bytes_in_another_order(folder: Path, sheet: Path, capsys: Capture) -> None:
    """The order of rows in a sheet has no influence."""
    for name, wrong in (("anna", [0]), ("ben", [0, 1])):
        fill_with_errors(sheet, folder / f"{name}.csv", "binary", wrong)
    printed = []
    for _ in range(2):
        capsys.readouterr()
        assert run("annotate", "score", "anna.csv", "ben.csv", "--data", "sample", "--format", "json") == 0
        printed.append(capsys.readouterr().out)
        for name in ("anna", "ben"):
            text = (folder / f"{name}.csv").read_text("utf-8")
            lines = list(csv.DictReader(io.StringIO(text, newline="")))
            (folder / f"{name}.csv").write_text(render(lines[::-1], delimiter=";"), "utf-8")
    assert printed[0] == printed[1]


def test_sheets_of_other_data_and_wrong_answers(folder: Path, sheet: Path, capsys: Capture) -> None:
    assert run("annotate", "score", sheet, "--data", "sample") == 2
    assert re.search(mentions("sheet.csv: ... no judgement. Fill the column judgement"), capsys.readouterr().err)
    fill(sheet, folder / "anna.csv", lambda line: "perhaps" if line["row"] == "3" else "n")
    assert run("annotate", "score", "anna.csv", "--data", "sample") == 2
    assert re.search(mentions("anna.csv, line 4: judgement 'perhaps' ... Write yes or no"), capsys.readouterr().err)
    fill(sheet, folder / "ben.csv", lambda _: "y")
    assert run("build", "sample", "--config", "binary", "--seed", "1", "--output", "built") == 0
    capsys.readouterr()
    assert run("annotate", "score", "ben.csv", "--data", "built") == 2
    assert re.search(
        mentions("ben.csv, line 2: ... binary b80dc816ce66 ... binary ... --data"), capsys.readouterr().err
    )


def test_without_data_the_last_build_is_used(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", str(folder / "cache"))
    assert sample("--rows", 4) == 0
    fill(folder / "sheet.csv", folder / "anna.csv", lambda _: 1)
    capsys.readouterr()
    assert run("annotate", "score", "anna.csv") == 2
    assert "Add --data SOURCE" in capsys.readouterr().err
    assert run("build", "sample", "--config", "binary") == 0
    capsys.readouterr()
    assert run("annotate", "score", "anna.csv") == 0
    assert "\nanna 4 0.500 [" in narrow(capsys.readouterr().out)
