"""What tests of leaderboards share: submissions as an author makes them, and as a forger does."""

from __future__ import annotations

import copy
import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.leaderboards.submissions import FORM_NAME, Form, name_submission
from harness.measuring import measure_items
from harness.results import Result, hash_settings, make_result, make_signature, render_json, result_stem
from harness.statistics import draw_weights, find_intervals, resample_metrics

FORM = Form("someone@example.org", "https://example.org/model", "news of the sample's kind", "no", "2026-01-02")
FLAGS = ["--contact", "someone", "--model-link", "https://example.org/m", "--training-data", "none"]


def find_record(folder: Path) -> Path:
    (path,) = (path for path in folder.glob("*.json") if path.name != FORM_NAME)
    return path


def rewrite(folder: Path, change: Callable[[dict[str, Any]], object], *, sign: bool = True) -> Path:
    """Change the record of a submission, as a forger would: all that names or hashes the rest fits again."""
    path = find_record(folder)
    record, stem = json.loads(path.read_text()), path.stem
    change(record)
    if sign:
        record["signature"], record["settings_hash"] = make_signature(record), hash_settings(record)
        path.unlink()
        for entry in record["items"].values():
            entry["file"] = entry["file"].replace(stem, result_stem(record))
        for file in folder.glob(f"{stem}.*"):
            file.rename(file.with_name(file.name.replace(stem, result_stem(record))))
        path = path.with_name(f"{result_stem(record)}.json")
        folder = folder.rename(folder.with_name(name_submission(record)))
    (folder / path.name).write_bytes(render_json(record))
    return folder


def forge_scores(folder: Path, task: str, text: str) -> None:
    """Replace the scores of a task, with a hash that fits."""
    (path,) = folder.glob(f"*.{task}.csv.gz")
    data = gzip.compress(text.encode(), mtime=0)
    path.write_bytes(data)
    rewrite(folder, lambda record: record["items"][task].update(sha256=hashlib.sha256(data).hexdigest()))


def read_scores(folder: Path, task: str) -> list[str]:
    (path,) = folder.glob(f"*.{task}.csv.gz")
    return gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)


def rename(result: Result, name: str, fingerprint: str | None = None) -> Result:
    record = copy.deepcopy({key: value for key, value in result.record.items() if key != "items"})
    record["model"] |= {"name": name, "fingerprint": fingerprint or record["model"]["fingerprint"]}
    record |= {"signature": make_signature(record), "settings_hash": hash_settings(record)}
    return make_result(record, result.items)


def evaluate_forged(result: Result, items: dict[str, Any]) -> Result:
    record = copy.deepcopy({key: value for key, value in result.record.items() if key != "items"})
    for task, one in items.items():
        values = measure_items(one)
        scored = one.scored(values.get("threshold"))
        weights = draw_weights(scored.topic_count, record["statistics"]["resamples"], record["statistics"]["seed"])
        record["tasks"][task] |= {**values, "intervals": find_intervals(resample_metrics(scored, weights))}
    return make_result(record, items)
