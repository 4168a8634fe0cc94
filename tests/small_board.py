"""A small leaderboard and a result on it, made in a fraction of a second, for tests that change them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.leaderboards.board import Board, write_board
from harness.leaderboards.submissions import FORM_NAME, Form
from harness.models.kinds import load_model
from harness.results import Result, hash_settings, make_result, make_signature, render_json
from harness.runner import Settings, Suite, evaluate_model, load_suite

FORM = Form("someone", "https://example.org/m", "none", "no", "2026-01-02")


@lru_cache(maxsize=1)
def _load() -> Suite:
    return load_suite("sample", ("binary", "ranking"))


@lru_cache(maxsize=1)
def make_overlap_result() -> Result:
    """Word overlap on the sample, with few resamples."""
    return evaluate_model(load_model("overlap"), _load(), Settings(resamples=10))


def make_board(folder: Path) -> Board:
    """A leaderboard of the same tests without shortcuts, so that word overlap may be submitted."""
    return write_board(folder, "Sample models", [task.built for task in _load().tasks])


def change(result: Result, edit: Callable[[dict[str, Any]], object], *, sign: bool = True) -> Result:
    """The result with another record, as a forger would write it: signed anew, unless ``sign`` is false."""
    record = copy.deepcopy({key: value for key, value in result.record.items() if key != "items"})
    edit(record)
    if sign:
        record |= {"signature": make_signature(record), "settings_hash": hash_settings(record)}
    return make_result(record, result.items)


def find_record(folder: Path) -> Path:
    """The result of a submission."""
    (path,) = (path for path in folder.glob("*.json") if path.name != FORM_NAME)
    return path


def edit_json(path: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    """Change a JSON file, and leave its layout as the program writes it."""
    value = json.loads(path.read_text())
    edit(value)
    path.write_bytes(render_json(value))
