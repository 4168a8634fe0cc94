"""Results, submissions and leaderboards of schema version 1: every command reads them, and its output is stable."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from helpers.checkout import ROOT
from helpers.commands import Capture, run
from helpers.results import edit_result
from helpers.submissions import FLAGS, FORM, edit_json, find_record
from lxml import html

from harness.api.evaluating import evaluate
from harness.evaluation.comparing.comparison import compare
from harness.evaluation.records import record as records
from harness.evaluation.results import Result, read_result, read_results
from harness.leaderboards.files.board import read_board
from harness.leaderboards.files.submissions import write_submission
from harness.leaderboards.judging.acceptance import read_accepted
from harness.leaderboards.judging.checks import check_folder
from harness.leaderboards.judging.verdicts import check_board
from harness.reports.model_tables import make_tables
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.errors import PyramidParaphraseError

SAMPLES = ROOT / "tests" / "data" / "results_v1"
ONE_HOT = "one-hot-d9fef9c134ed-40b172a9"

COMMANDS = {
    "report.txt": ("report", "pyramids"),
    "report.md": ("report", "pyramids", "--format", "markdown", "--paper"),
    "report.tex": ("report", "pyramids", "--format", "latex"),
    "report.csv": ("report", "pyramids", "--format", "csv"),
    "pairs.txt": ("report", "pairs"),
    "pairs.csv": ("report", "pairs", "--format", "csv"),
    "compare.txt": ("compare", "pyramids/one-hot", "pyramids/length", "--against", "one-hot", "--resamples", "50"),
    "compare.csv": (
        *("compare", "pyramids/one-hot", "pyramids/length", "--against", "one-hot", "--resamples", "50"),
        *("--format", "csv"),
    ),
    "card.txt": ("card", "pyramids/one-hot", "--print", "--dataset-repo", "my-org/my-benchmark"),
    "check.txt": ("leaderboard", "check", "board"),
    "check-submission.txt": ("leaderboard", "check", f"board/submissions/{ONE_HOT}"),
}
REPORT_SHA256 = "0b1612857f7378983e61a9148fe7e425cd9391272f943d837654933884cfb316"


@pytest.fixture
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the samples as the working directory."""
    folder = Path(shutil.copytree(SAMPLES, tmp_path / "samples"))
    monkeypatch.chdir(folder)
    return folder


def read_expected(name: str) -> str:
    return (SAMPLES / "expected" / name).read_text("utf-8")


def read_content(page: Path) -> str:
    """Read the content of a page without figures and late decimals, which depend on versions of libraries."""
    text = page.read_text("utf-8")
    content = re.search(r"<main.*</main>", text, re.DOTALL)
    assert content is not None
    without_figures = re.sub(r"<svg.*?</svg>", "", content[0], flags=re.DOTALL)
    return re.sub(r"\d\.\d{7,}", lambda number: f"{float(number[0]):.6f}", without_figures) + "\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_show_the_same(samples: Path, capsys: Capture, name: str) -> None:
    del samples
    assert run(*COMMANDS[name]) == 0
    assert capsys.readouterr().out == read_expected(name)


@pytest.mark.needs("matplotlib")
def test_pages_of_reports_are_the_same(samples: Path) -> None:
    assert run("report", "pairs", "--output", samples / "pairs.html") == 0
    assert run("report", "pyramids", "--output", samples / "report.html") == 0
    assert read_content(samples / "pairs.html") == read_expected("pairs.html")
    content = read_content(samples / "report.html")
    assert hashlib.sha256(content.encode()).hexdigest() == REPORT_SHA256  # a hash, because the page is large


def read_numbers(text: str) -> dict[tuple[str, str], list[str]]:
    """Read the numbers of a leaderboard's pages, by the heading of a section and the name of a row."""
    numbers = {}
    for section in html.fromstring(text).iter("section"):
        for row in section.iterfind(".//tbody/tr[th]"):
            header = row.find("th")
            name = header.get("data-value") or header.text_content()
            cells = " ".join(cell.text_content() for cell in row.iterfind("td"))
            numbers[section.find("h2").text_content(), name] = re.findall(r"-?\d\.\d{3}", cells)
    return numbers


def test_the_site_of_a_leaderboard_shows_the_same_numbers(samples: Path) -> None:
    assert run("leaderboard", "render", "board", "--output", "site") == 0
    pages = sorted(path.relative_to(samples / "site") for path in (samples / "site").rglob("*.html"))
    assert [page.as_posix() for page in pages] == [
        "index.html",
        f"models/{ONE_HOT}.html",
        "models/tf-idf-4e23b1902820-d2660792.html",
    ]
    for page, rows in zip(pages, (16, 22, 11), strict=True):
        expected = read_numbers(read_expected(f"site-{page.name}"))
        assert len(expected) == rows
        assert read_numbers((samples / "site" / page).read_text()).items() >= expected.items()


def test_plain_numbers_are_where_they_were() -> None:
    """`Result.tasks` is public, and equals the value "tasks" in the first version of the schema."""
    results = read_results([SAMPLES / "pyramids", SAMPLES / "pairs"])
    assert len(results) == 4
    for result in results:
        value = json.loads(Path(result.path).read_text())
        assert json.dumps(result.tasks) == json.dumps(value["tasks"])


def test_results_are_written_as_they_were_read(tmp_path: Path) -> None:
    """The records of reproductions and of accepted submissions contain the hash of the file."""
    results = read_results([SAMPLES / "pyramids", SAMPLES / "pairs"])
    assert len(results) == 4
    for result in results:
        written = result.write(tmp_path)
        assert written.read_bytes() == Path(result.path).read_bytes()
        assert read_result(written).record == result.record


@cache
def evaluate_again(model: str) -> Result:
    """Return the result of a model on the data of the samples, in the current version."""
    tasks = ["binary", "ranking", "binary_matched", "ranking_matched"]
    sources = [SAMPLE_DIR / name for name in ("S0101.pyr", "S0102.pyr")]
    return evaluate(model, sources, tasks, resamples=100, cache=False)


def list_numbers(result: Result) -> dict[str, records.TestRecord]:
    """Return a result's tests without the hashes of scores, which depend on the compression library."""
    return {name: dataclasses.replace(test, scores=records.ScoresFile("", "")) for name, test in result.tests.items()}


def test_a_new_evaluation_replaces_the_old_one(samples: Path) -> None:
    """Numbers, signature, scores and file names are the same. Only the form of the JSON file differs."""
    [old] = read_results([samples / "pyramids" / "one-hot"])
    new = evaluate_again("one-hot")
    files = sorted(path.name for path in (samples / "pyramids" / "one-hot").iterdir())
    assert new.write(samples / "pyramids") == Path("pyramids", "one-hot", "d9fef9c134ed-40b172a9.json").absolute()
    assert sorted(path.name for path in (samples / "pyramids" / "one-hot").iterdir()) == files
    assert list_numbers(new) == list_numbers(old)
    assert (new.signature, new.record.settings_hash) == (old.signature, old.record.settings_hash)
    assert json.loads(new.content)["schema_version"] == 2


def test_both_versions_share_a_table(samples: Path) -> None:
    [old] = read_results([samples / "pyramids" / "length"])
    new = evaluate_again("one-hot")
    tables = make_tables([old, new])
    assert [[row.name for row in table.rows] for table in tables] == [["one-hot", "length"]]
    olds = read_results([samples / "pyramids" / "one-hot", samples / "pyramids" / "length"])
    assert compare([new, old], resamples=20) == compare(olds, resamples=20)


def submit_new(samples: Path, edit: Callable[[dict[str, Any]], object]) -> Path:
    """Enter a result of the current version into the old leaderboard without any check."""
    board = read_board(samples / "board")
    return write_submission(board, edit_result(evaluate_again("char-ngrams"), edit), FORM)


def test_a_leaderboard_of_both_versions(samples: Path, capsys: Capture) -> None:
    path = evaluate_again("char-ngrams").write(samples / "new")
    accepted = read_accepted(read_board(samples / "board"))
    assert run("submit", path, "--to", "board", *FLAGS, "--saw-test-data", "no") == 0
    assert run("leaderboard", "check", "board") == 0
    assert "3 of 3 submissions accepted" in capsys.readouterr().out
    assert accepted.items() < read_accepted(read_board(samples / "board")).items()
    verdicts = check_board(read_board(samples / "board"), with_intervals=False)
    is_reproduced = {verdict.name: bool(verdict.candidate and verdict.candidate.reproduction) for verdict in verdicts}
    assert is_reproduced == {
        "char-ngrams-d9fef9c134ed-fbe16262": False,
        ONE_HOT: True,
        "tf-idf-4e23b1902820-d2660792": False,
    }


def test_an_old_result_is_submitted_as_it_is(samples: Path) -> None:
    submission = samples / "board" / "submissions" / ONE_HOT
    content = find_record(submission).read_bytes()
    shutil.rmtree(submission)
    assert run("submit", "pyramids/one-hot", "--to", "board", *FLAGS, "--saw-test-data", "no") == 0
    assert find_record(submission).read_bytes() == content


def test_metrics_of_a_later_release_are_neither_checked_nor_shown(samples: Path) -> None:
    def edit(value: dict[str, Any]) -> None:
        value["tests"]["ranking"]["metrics"]["map_at_10"] = 0.123456
        value["tests"]["ranking"]["intervals"]["map_at_10"] = [0.1, 0.9]

    folder = submit_new(samples, edit)
    assert run("leaderboard", "check", folder) == 0
    assert run("leaderboard", "render", "board", "--output", "site") == 0
    pages = list((samples / "site").rglob("*.html"))
    assert len(pages) == 4
    for page in pages:
        assert "map" not in read_content(page)
        assert "0.123" not in read_content(page)


def test_metrics_that_an_earlier_release_did_not_know_may_be_missing(samples: Path) -> None:
    def edit(value: dict[str, Any]) -> None:
        for section in ("metrics", "intervals"):
            del value["tests"]["ranking"][section]["mrr"]

    folder = submit_new(samples, edit)
    assert run("leaderboard", "check", folder) == 0
    assert run("leaderboard", "render", "board", "--output", "site") == 0


FORGED: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "the metric of the ranks is missing": (
        lambda t: t["binary"]["metrics"].pop("f1"),
        "has no f1 of binary. Submit the file that `pyramid-paraphrase evaluate` wrote",
    ),
    "a missing interval": (
        lambda t: t["ranking"]["intervals"].pop("mrr"),
        "metrics with an interval of ranking is ['success_rate'], but must be ['mrr', 'success_rate']",
    ),
    "a metric that is computed here": (
        lambda t: t["binary"]["metrics"].update(mcc=0.5),
        "mcc of binary is 0.5, but its scores give 0",
    ),
    "an interval that is computed here": (
        lambda t: t["binary"]["intervals"].update(mcc=[0.25, 0.5]),
        "lower end of mcc of binary is 0.25, but its scores give",
    ),
    "an interval that is never computed": (
        lambda t: t["binary"]["intervals"].update(positive_share=[0, 1]),
        "metrics with an interval of binary is ['accuracy', 'average_precision', 'f1', 'mcc', 'positive_share',",
    ),
    "an interval of nothing": (
        lambda t: t["ranking"]["intervals"].update(the_president_said=[0, 1]),
        "intervals of ranking without a metric is ['the_president_said'], but must be []",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_new_submissions_that_are_refused(samples: Path, name: str) -> None:
    edit, message = FORGED[name]
    folder = submit_new(samples, lambda value: edit(value["tests"]))
    with pytest.raises(PyramidParaphraseError) as caught:
        check_folder(read_board(samples / "board"), folder)
    assert message in str(caught.value)


def test_metrics_that_are_not_published_may_be_missing(samples: Path) -> None:
    def edit(value: dict[str, Any]) -> None:
        for name in ("mcc", "roc_auc"):
            del value["tests"]["binary"]["metrics"][name], value["tests"]["binary"]["intervals"][name]

    assert "mcc" in check_folder(read_board(samples / "board"), submit_new(samples, edit)).tests["binary"].metrics


FORGED_OLD: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a metric": (lambda r: r["tasks"]["ranking"].update(mrr=0.99), "mrr of ranking is 0.99"),
    "a threshold": (lambda r: r["tasks"]["binary"].update(threshold=0.99), "threshold of binary is 0.99"),
    "an interval of nothing": (
        lambda r: r["tasks"]["ranking"]["intervals"].update(the_president_said=[0, 1]),
        "intervals of ranking without a metric is ['the_president_said'], but must be []",
    ),
    "a text for a key": (
        lambda r: r["tasks"]["ranking"]["intervals"].update({"The.President": [0, 1]}),
        "'The.President' at tasks.ranking.intervals (a key)",
    ),
    "the name of a file": (
        lambda r: r["items"]["ranking"].update(file="some-words.csv.gz"),
        "d9fef9c134ed-40b172a9.TEST.csv.gz",
    ),
    "the form of the next version": (lambda r: r.update(schema_version=2), "is not a valid result: "),
    "a version that is no integer": (lambda r: r.update(schema_version=1.0), "schema_version: 1.0 is not of type"),
}


@pytest.mark.parametrize("name", FORGED_OLD)
def test_old_submissions_that_are_refused(samples: Path, name: str) -> None:
    edit, message = FORGED_OLD[name]
    folder = samples / "board" / "submissions" / ONE_HOT
    edit_json(find_record(folder), edit)
    with pytest.raises(PyramidParaphraseError) as caught:
        check_folder(read_board(samples / "board"), folder)
    assert message in str(caught.value)


def test_the_form_of_an_old_file_is_checked_too(samples: Path) -> None:
    folder = samples / "board" / "submissions" / ONE_HOT
    path = find_record(folder)
    path.write_text(json.dumps(json.loads(path.read_text())))
    with pytest.raises(PyramidParaphraseError, match="differ from the format of this program"):
        check_folder(read_board(samples / "board"), folder)


def test_an_old_submission_that_changes_loses_its_reproduction(samples: Path) -> None:
    folder = samples / "board" / "submissions" / ONE_HOT
    edit_json(find_record(folder), lambda record: record["hardware"].update(cores=99))
    [verdict, _] = check_board(read_board(samples / "board"), with_intervals=False)
    assert verdict.candidate is not None
    assert verdict.candidate.reproduction is None
