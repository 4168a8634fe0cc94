"""The result of an evaluation: one JSON file, and beside it the scores row by row."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.evaluation.score_files import MAX_BYTES, parse_scores, render_scores
from harness.files.hashing import hash_values
from harness.files.json_files import check_schema, parse_json, read_bytes, render_json
from harness.files.writing import expand_home, make_folder, write_files
from harness.metrics.rows import ScoredRows
from harness.support.names import slug
from pyramid_paraphrase.errors import InputError, cannot_write
from pyramid_paraphrase.inputs import is_folder
from pyramid_paraphrase.options import find_configuration

SCHEMA_VERSION = 1
PACKAGE = "pyramid-paraphrase"
MAX_JSON_BYTES = 1 << 20
MAX_ITEMS_BYTES = 256 << 20
_REMEDY = "give a file that `pyramid-paraphrase evaluate` wrote"


@dataclass(frozen=True, repr=False)
class Result:
    """One model on one dataset.

    Attributes:
        record: The content of the JSON file, valid under `result.schema.json`.
        items: Scores row by row, per task.
        files: The content of the items files, per task.
        path: The JSON file that the result was read from; empty if it was not read.
    """

    record: Mapping[str, Any]
    items: Mapping[str, ScoredRows]
    files: Mapping[str, bytes]
    path: str = ""

    @property
    def model(self) -> str:
        """The model's name."""
        return str(self.record["model"]["name"])

    def __repr__(self) -> str:
        """Name the place and the tasks, without the many scores."""
        return f"Result({self.place}: {', '.join(self.tasks)})"

    @property
    def place(self) -> str:
        """The model's name, and the file where it was read from, for messages."""
        return f"{self.model} ({self.path})" if self.path else self.model

    @property
    def tasks(self) -> Mapping[str, Any]:
        """Metrics by task, such as ``result.tasks["ranking"]["success_rate"]``."""
        tasks: Mapping[str, Any] = self.record["tasks"]
        return tasks

    @property
    def signature(self) -> str:
        """One line that names everything that decides the numbers."""
        return str(self.record["signature"])

    def write(self, folder: str | os.PathLike[str]) -> Path:
        """Write the result; the JSON file is written last, so that a result with a JSON file is complete.

        Args:
            folder: The folder for the folders of models.

        Returns:
            The JSON file, ``<folder>/<model>/<dataset fingerprint[:12]>-<settings hash[:8]>.json``.

        Raises:
            OutputError: If it cannot be written.
        """
        stem = result_stem(self.record)
        target = make_folder(Path(folder) / slug(self.model))
        try:
            path = target / f"{stem}.json"
            contents = {target / self.record["items"][task]["file"]: data for task, data in self.files.items()}
            write_files({**contents, path: render_json(self.record)})
        except OSError as error:
            raise cannot_write(folder, error) from None
        return path


def result_stem(record: Mapping[str, Any]) -> str:
    """Return the name of the files of a result, without a suffix."""
    return f"{record['dataset']['fingerprint'][:12]}-{record['settings_hash'][:8]}"


def make_result(record: Mapping[str, Any], items: Mapping[str, ScoredRows]) -> Result:
    """Add the names and hashes of the items files to a record, and check it.

    Raises:
        InputError: If it is not valid, which is an error of this program.
    """
    stem = result_stem(record)
    rendered = {task: render_scores(task_items) for task, task_items in items.items()}
    entries = {
        task: {"file": f"{stem}.{task}.csv.gz", "sha256": hashlib.sha256(data).hexdigest()}
        for task, data in rendered.items()
    }
    complete = {**record, "items": entries}
    validate_record(complete, stem)
    return Result(complete, dict(items), rendered)


def make_signature(record: Mapping[str, Any]) -> str:
    """Make the line that names everything that decides the numbers of a record, the version last."""
    model, tasks, statistics = record["model"], record["tasks"], record["statistics"]
    options = [f"{key}:{_shorten(str(value))}" for key, value in sorted(model["options"].items())]
    tests = [f"{name}:{task['fingerprint'][:12]}" for name, task in tasks.items()]
    bootstrap = f"bootstrap:{statistics['resamples']}/{statistics['seed']}"
    parts = [f"data:{record['dataset']['data_version']}", *tests, f"model:{model['kind']}:{model['fingerprint'][:12]}"]
    return "|".join([*parts, *options, bootstrap, f"version:{record['versions'].get(PACKAGE)}"])


def _shorten(value: str) -> str:
    """Return a value itself if it is short and plain, and the beginning of its SHA-256 otherwise."""
    if re.fullmatch(r"[\w.-]{1,40}", value):
        return value
    return hash_values(value)[:12]


def hash_settings(record: Mapping[str, Any]) -> str:
    """Compute the SHA-256 over everything but the data that decides the numbers of a record."""
    decisive = {
        "model": record["model"]["fingerprint"],
        "tasks": sorted(record["tasks"]),
        "statistics": record["statistics"],
        "schema": record["schema_version"],
    }
    return hash_values(decisive)


def validate_record(record: Any, name: str) -> None:  # noqa: ANN401
    """Check a record against the schema.

    Raises:
        InputError: If it is not valid; the message names the place.
    """
    check_schema(record, "evaluation/result.schema.json", name, "result", _REMEDY)


def read_results(paths: Sequence[str | os.PathLike[str]]) -> list[Result]:
    """Read several results.

    Args:
        paths: JSON files, or folders that hold them at any depth.

    Returns:
        The results; within a folder, in the order of their paths.

    Raises:
        InputError: If a file is not a result, or a folder holds none.
    """
    results = []
    for path in paths:
        results += [read_result(file) for file in _list_files(expand_home(path))]
    return results


def _list_files(path: Path) -> list[Path]:
    if not is_folder(path):
        return [path]
    files = sorted(path.rglob("*.json"))
    if not files:
        raise InputError(str(path), "holds no result", _REMEDY)
    return files


def read_result(path: str | os.PathLike[str]) -> Result:
    """Read a result and its items, and check that they belong together.

    Args:
        path: The JSON file.

    Returns:
        The result.

    Raises:
        InputError: If a file is missing, damaged, too large, or does not belong to the result.
    """
    file = expand_home(path)
    return read_items(file, read_record(file))


def read_record(file: Path) -> dict[str, Any]:
    """Read the JSON file of a result.

    Raises:
        InputError: If it is missing, too large, or not a result.
    """
    record = parse_json(read_bytes(file, MAX_JSON_BYTES, _REMEDY), str(file), _REMEDY)
    validate_record(record, str(file))
    return record


def read_items(file: Path, record: Mapping[str, Any], limits: Mapping[str, int] | None = None) -> Result:
    """Read the items files that a record names, which lie beside its JSON file.

    Args:
        file: The JSON file that the record is from.
        record: Its content.
        limits: Largest size of the items of each task in bytes, compressed or not; None for the general limits.

    Returns:
        The result.

    Raises:
        InputError: If a file is missing, damaged, too large, or does not match the record.
    """
    items: dict[str, ScoredRows] = {}
    rendered: dict[str, bytes] = {}
    for task, reference in record["items"].items():
        path = file.parent / reference["file"]
        compressed_limit, limit = MAX_ITEMS_BYTES, MAX_BYTES
        if limits:
            compressed_limit = limit = limits[task]
        data = read_bytes(path, compressed_limit, _REMEDY)
        if hashlib.sha256(data).hexdigest() != reference["sha256"]:
            raise InputError(str(path), f"is not the one that {file.name} was written with", "evaluate the model again")
        items[task], rendered[task] = parse_scores(data, str(path), limit), data
    measured_kinds = {task: find_configuration(task).kind for task in record["tasks"]}
    if {task: task_items.kind for task, task_items in items.items()} != measured_kinds:
        raise InputError(str(file), "has not the scores of each of its tasks", _REMEDY)
    return Result(record, items, rendered, str(file))
