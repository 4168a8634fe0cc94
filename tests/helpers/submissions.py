"""Helpers for tests of leaderboards: results, small leaderboards, and honest and forged submissions."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from msgspec.structs import replace

from harness.evaluation.record import (
    DataRecord,
    ModelRecord,
    Record,
    StatisticsRecord,
    TestRecord,
    result_stem,
    sign_record,
)
from harness.evaluation.results import Result, make_result, parse_record
from harness.evaluation.runner import Settings, Suite, evaluate_model, load_suite
from harness.files.json_files import render_json
from harness.leaderboards.board import Board, write_board
from harness.leaderboards.forms import FORM_NAME, Form
from harness.leaderboards.submissions import name_submission
from harness.metrics.measuring import make_measure, measure_rows
from harness.metrics.rows import ScoredRows
from harness.models.loading import load_model
from harness.stats.bootstrap import draw_weights, find_intervals
from pyramid_paraphrase.files.atomic import locked_folder

TESTS = ("binary", "ranking")
_PARTS = {"model": ModelRecord, "dataset": DataRecord, "statistics": StatisticsRecord}
SPECS = ("one-hot", "tf-idf", "random", "constant")
FORM = Form("someone@example.org", "https://example.org/model", "news of the sample's kind", "no", "2026-01-02")
FLAGS = ["--contact", "someone@example.org", "--model-link", "https://example.org/m", "--training-data", "none"]


@lru_cache(maxsize=1)
def load_sample() -> Suite:
    return load_suite("sample", TESTS)


@cache
def evaluate_sample(spec: str, resamples: int = 100) -> Result:
    return evaluate_model(load_model(spec), load_sample(), Settings(resamples=resamples))


def make_overlap_result() -> Result:
    """Return a result of word overlap with few resamples, which takes little time to check."""
    return evaluate_sample("overlap", 10)


def make_board(folder: Path) -> Board:
    """Make a leaderboard without shortcuts, which takes little time and accepts word overlap as a submission."""
    return write_board(folder, "Sample models", load_sample().tests)


def find_record(folder: Path) -> Path:
    """Find the result of a submission."""
    (path,) = (path for path in folder.glob("*.json") if path.name != FORM_NAME)
    return path


def rewrite(folder: Path, change: Callable[[dict[str, Any]], object], *, sign: bool = True) -> Path:
    """Change the JSON file of a submission like a forger: names and hashes match the new content."""
    path = find_record(folder)
    value, stem = json.loads(path.read_text()), path.stem
    change(value)
    if sign:
        record = sign_record(make_record(value))
        value |= {"signature": record.signature, "settings_hash": record.settings_hash}
        path.unlink()
        for test in value["tests"].values():
            test["scores"]["file"] = test["scores"]["file"].replace(stem, result_stem(record))
        for file in folder.glob(f"{stem}.*"):
            file.rename(file.with_name(file.name.replace(stem, result_stem(record))))
        path = path.with_name(f"{result_stem(record)}.json")
        folder = folder.rename(folder.with_name(name_submission(record)))
    (folder / path.name).write_bytes(render_json(value))
    return folder


def forge_scores(folder: Path, test_name: str, text: str) -> None:
    """Replace the scores of a test, and update their hash."""
    (path,) = folder.glob(f"*.{test_name}.csv.gz")
    data = gzip.compress(text.encode(), mtime=0)
    path.write_bytes(data)
    rewrite(folder, lambda record: record["tests"][test_name]["scores"].update(sha256=hashlib.sha256(data).hexdigest()))


def read_scores(folder: Path, test_name: str) -> list[str]:
    (path,) = folder.glob(f"*.{test_name}.csv.gz")
    return gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)


def change(result: Result, edit: Callable[[dict[str, Any]], object], *, sign: bool = True) -> Result:
    """Return the result with a changed JSON file, like a forger: with new signature unless ``sign`` is false."""
    value = json.loads(result.content)
    edit(value)
    record = parse_record(value, "a changed result")
    if sign:
        record = sign_record(record)
    return make_result(record, result.rows)


def make_record(value: dict[str, Any]) -> Record:
    """Return the record of a JSON value without checking the value, which may be invalid."""
    fields = {name: part for name, part in value.items() if name in Record.__struct_fields__}
    for name, record_type in _PARTS.items():
        fields[name] = record_type(**fields[name])
    return Record(**{**fields, "tests": {name: TestRecord(**test) for name, test in value["tests"].items()}})


def rename(result: Result, name: str, fingerprint: str | None = None) -> Result:
    """Return the result with another name of the model, and with another fingerprint if it is given."""
    model = {"name": name, "fingerprint": fingerprint or result.record.model.fingerprint}
    return change(result, lambda value: value["model"].update(model))


def edit_json(path: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    """Change a JSON file, and keep the layout of the program."""
    value = json.loads(path.read_text())
    edit(value)
    path.write_bytes(render_json(value))


def evaluate_forged(result: Result, rows: dict[str, ScoredRows]) -> Result:
    """Return the result with other scores, and with the metrics and intervals computed from them."""
    record = result.record
    tests = {test_name: _measure_forged(record, test_name, forged) for test_name, forged in rows.items()}
    return make_result(replace(record, tests={**record.tests, **tests}), rows)


def _measure_forged(record: Record, test_name: str, rows: ScoredRows) -> TestRecord:
    metrics = measure_rows(rows)
    threshold = metrics.pop("threshold", None)
    scored = rows.test_split(threshold)
    weights = draw_weights(scored.topic_count, record.statistics.resamples, record.statistics.seed)
    intervals = find_intervals(make_measure(scored)(weights))
    return replace(record.tests[test_name], metrics=metrics, threshold=threshold, intervals=intervals)


@contextmanager
def run_before_the_lock(module: ModuleType, run: Callable[[], object]) -> Iterator[None]:
    """Run something once, as another process that has the lock of a folder before a module gets it."""
    with pytest.MonkeyPatch.context() as patch:

        @contextmanager
        def wait(folder: Path) -> Iterator[None]:
            patch.undo()
            run()
            with locked_folder(folder):
                yield

        patch.setattr(module, "locked_folder", wait)
        yield
