"""Results, submissions and leaderboards of schema version 1: every command reads them, and shows what it showed."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

import pytest
from helpers.checkout import ROOT
from helpers.commands import Capture, run

SAMPLES = ROOT / "tests" / "data" / "results_v1"
ONE_HOT = "one-hot-d9fef9c134ed-40b172a9"

COMMANDS = {
    "report.txt": ("report", "pyramids"),
    "report.md": ("report", "pyramids", "--format", "markdown", "--paper"),
    "report.tex": ("report", "pyramids", "--format", "latex"),
    "report.csv": ("report", "pyramids", "--format", "csv"),
    "pairs.txt": ("report", "pairs"),
    "pairs.csv": ("report", "pairs", "--format", "csv"),
    "compare.txt": ("compare", "pyramids/one-hot", "pyramids/length", "--resamples", "50"),
    "card.txt": ("card", "pyramids/one-hot", "--print", "--dataset-repo", "my-org/my-benchmark"),
    "check.txt": ("leaderboard", "check", "board"),
    "check-submission.txt": ("leaderboard", "check", f"board/submissions/{ONE_HOT}"),
}
REPORT_SHA256 = "eb090105ab05b85aae65587433e817d4b8baa1aa0362d2d95aa8f8b1ae3582ee"


@pytest.fixture
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the samples, as the working directory."""
    folder = Path(shutil.copytree(SAMPLES, tmp_path / "samples"))
    monkeypatch.chdir(folder)
    return folder


def read_expected(name: str) -> str:
    return (SAMPLES / "expected" / name).read_text("utf-8")


def read_content(page: Path) -> str:
    """Read the content of a page without what other versions of libraries change: figures, and late decimals."""
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


def test_the_site_of_a_leaderboard_is_the_same(samples: Path) -> None:
    assert run("leaderboard", "render", "board", "--output", "site") == 0
    pages = sorted(path.relative_to(samples / "site") for path in (samples / "site").rglob("*.html"))
    assert [page.as_posix() for page in pages] == [
        "index.html",
        f"models/{ONE_HOT}.html",
        "models/tf-idf-4e23b1902820-d2660792.html",
    ]
    for page in pages:
        assert read_content(samples / "site" / page) == read_expected(f"site-{page.name}")
