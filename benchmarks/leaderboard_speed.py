"""Time and memory of a leaderboard with many submissions, and the time to check one submission.

usage: leaderboard_speed.py SOURCE

Submissions have `binary` and `ranking` of the source: the scores of one-hot with increasing noise, and the metrics
computed from them. Rendering reads and checks all submissions, in a separate process.
"""

from __future__ import annotations

import hashlib
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from msgspec import structs
from timing import time_in_turns

from harness.evaluation.record import TestRecord, sign_record
from harness.evaluation.results import Result, make_result
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.leaderboards.board import Board, read_board
from harness.leaderboards.checks import check_folder
from harness.leaderboards.forms import Form
from harness.leaderboards.reproduction import set_up
from harness.leaderboards.site.pages import render_site, write_site
from harness.leaderboards.submissions import write_submission
from harness.leaderboards.verdicts import check_board
from harness.metrics.measuring import measure_rows
from harness.metrics.rows import ScoredRows
from harness.models.loading import load_model
from harness.stats.rounding import round_scores

SUBMISSIONS = 500
TESTS = ("binary", "ranking")
FORM = Form("nobody", "https://example.org/model", "nothing", "no", "2026-01-01")


def render(source: str) -> str:
    """Render a line on rendering, and one on checking."""
    with tempfile.TemporaryDirectory() as folder:
        board = set_up(Path(folder) / "board", "Many", source, TESTS)
        real = evaluate_model(load_model("one-hot"), load_suite(source, TESTS), Settings())
        first = write_submission(board, real, FORM)
        seconds = time_in_turns({"check": lambda: check_folder(board, first)}, 3)["check"]
        noise = np.random.RandomState(0)
        for number in range(1, SUBMISSIONS):
            write_submission(board, _disturb(real, number, noise), FORM)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        process = subprocess.run(
            [sys.executable, __file__, "--render", folder], capture_output=True, text=True, check=True
        )
        wall, peak, pages = process.stdout.split()
    return (
        f"A leaderboard of {SUBMISSIONS} submissions ({size / 2**20:,.0f} MiB, `binary` and `ranking`) is checked, "
        f"ranked and rendered ({pages} pages) in {wall} s with a peak of {peak} MiB. Checking one submission, "
        f"intervals included, takes {seconds:.2f} s."
    )


def _disturb(real: Result, number: int, noise: np.random.RandomState) -> Result:
    """Make another model: the scores of a real model with noise, and the metrics computed from them."""
    rows = {test_name: _add_noise(scored_rows, number, noise) for test_name, scored_rows in real.rows.items()}
    fingerprint = hashlib.sha256(str(number).encode()).hexdigest()
    model = structs.replace(real.record.model, name=f"noise {number}", fingerprint=fingerprint)
    tests = {test_name: _measure_again(real.tests[test_name], noisy) for test_name, noisy in rows.items()}
    return make_result(sign_record(structs.replace(real.record, model=model, tests=tests)), rows)


def _measure_again(test: TestRecord, rows: ScoredRows) -> TestRecord:
    metrics = measure_rows(rows)
    threshold = metrics.pop("threshold", None)
    return structs.replace(test, metrics=metrics, threshold=threshold)


def _add_noise(rows: ScoredRows, number: int, noise: np.random.RandomState) -> ScoredRows:
    scale = 0.5 * number / SUBMISSIONS
    return replace(rows, scores=round_scores(rows.scores + scale * noise.normal(size=rows.scores.shape)))


def _render_here(folder: Path) -> None:
    """Render the site, and print seconds, MiB and pages."""
    started = time.perf_counter()
    board: Board = read_board(folder / "board")
    pages = render_site(board, *check_board(board, only=()))
    write_site(pages, folder / "site")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{time.perf_counter() - started:.1f} {peak:.0f} {len(pages)}")


if __name__ == "__main__":
    if sys.argv[1] == "--render":
        _render_here(Path(sys.argv[2]))
    else:
        print(render(sys.argv[1]))
