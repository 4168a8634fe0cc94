"""What an evaluation leaves behind: one JSON file, and the scores row by row beside it."""

from __future__ import annotations

import functools
import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema

from harness.files import cannot_write, make_folder, write_files
from harness.items import Items, parse_items, render_items
from harness.models.naming import slug
from pyramid_paraphrase.errors import InputError

SCHEMA_VERSION = 1
MAX_JSON_BYTES = 1 << 20
MAX_ITEMS_BYTES = 256 << 20
_REMEDY = "give a file that `pyramid-paraphrase evaluate` wrote"


@dataclass(frozen=True)
class Result:
    """One model on one dataset.

    Attributes:
        record: What the JSON file holds, valid under `result.schema.json`.
        items: Scores row by row, per task.
        files: The items as they are written, per task.
        path: The JSON file it was read from; empty if it was not.
    """

    record: Mapping[str, Any]
    items: Mapping[str, Items]
    files: Mapping[str, bytes]
    path: str = ""

    @property
    def model(self) -> str:
        """The model's name."""
        return str(self.record["model"]["name"])

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
        """Write the result; the JSON file comes last, so that where it is all of it is.

        Args:
            folder: Where the folders of models are.

        Returns:
            The JSON file, ``<folder>/<model>/<dataset fingerprint[:12]>-<settings hash[:8]>.json``.

        Raises:
            OutputError: If it cannot be written.
        """
        stem = result_stem(self.record)
        target = make_folder(Path(folder) / slug(self.model))
        try:
            for task, data in self.files.items():
                write_files({target / self.record["items"][task]["file"]: data})
            path = target / f"{stem}.json"
            write_files({path: (json.dumps(self.record, indent=1, allow_nan=False) + "\n").encode()})
        except OSError as error:
            raise cannot_write(folder, error) from None
        return path


def result_stem(record: Mapping[str, Any]) -> str:
    """Name of the files of a result, without an ending."""
    return f"{record['dataset']['fingerprint'][:12]}-{record['settings_hash'][:8]}"


def make_result(record: Mapping[str, Any], items: Mapping[str, Items]) -> Result:
    """Complete a record by where its items are, and check it.

    Raises:
        InputError: If it is not valid, which is an error of this program.
    """
    stem = result_stem(record)
    rendered = {task: render_items(one) for task, one in items.items()}
    entries = {
        task: {"file": f"{stem}.{task}.csv.gz", "sha256": hashlib.sha256(data).hexdigest()}
        for task, data in rendered.items()
    }
    complete = {**record, "items": entries}
    validate_record(complete, stem)
    return Result(complete, dict(items), rendered)


@functools.cache
def _validator() -> Any:  # noqa: ANN401
    schema = json.loads(files("harness").joinpath("result.schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def validate_record(record: Any, name: str) -> None:  # noqa: ANN401
    """Check a record against the schema.

    Raises:
        InputError: If it is not valid; the message says where.
    """
    error = next(iter(_validator().iter_errors(record)), None)
    if error is not None:
        where = ".".join(map(str, error.absolute_path)) or "its top level"
        raise InputError(name, f"is no result: {where}: {error.message[:200]}", _REMEDY)


def read_results(paths: Sequence[str | os.PathLike[str]]) -> list[Result]:
    """Read several results.

    Args:
        paths: JSON files, or folders that hold them at any depth.

    Returns:
        The results, those of a folder in the order of their paths.

    Raises:
        InputError: If a file is no result, or a folder holds none.
    """
    return [read_result(file) for path in paths for file in _list_files(_expand(path))]


def _list_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(path.rglob("*.json"))
    if not files:
        raise InputError(str(path), "holds no result", _REMEDY)
    return files


def _expand(path: str | os.PathLike[str]) -> Path:
    return Path(os.path.expanduser(path))  # noqa: PTH111 - which leaves alone what it cannot expand


def read_result(path: str | os.PathLike[str]) -> Result:
    """Read a result and its items, and check that they belong together.

    Args:
        path: The JSON file.

    Returns:
        The result.

    Raises:
        InputError: If a file is missing, damaged, too large, or not what it says.
    """
    file = _expand(path)
    try:
        record = json.loads(_read(file, MAX_JSON_BYTES), parse_constant=_parse_finite, parse_float=_parse_finite)
        json.dumps(record, ensure_ascii=False).encode()  # halves of characters, which no report could hold
    except (ValueError, RecursionError):
        raise InputError(str(file), "is no JSON", _REMEDY) from None
    validate_record(record, str(file))
    items, rendered = {}, {}
    for task, entry in record["items"].items():
        beside = file.parent / entry["file"]
        data = _read(beside, MAX_ITEMS_BYTES)
        if hashlib.sha256(data).hexdigest() != entry["sha256"]:
            raise InputError(
                str(beside), f"is not the one that {file.name} was written with", "evaluate the model again"
            )
        items[task], rendered[task] = parse_items(data, str(beside)), data
    if {task: one.is_binary for task, one in items.items()} != {
        task: "f1" in metrics for task, metrics in record["tasks"].items()
    }:
        raise InputError(str(file), "has not the scores of each of its tasks", _REMEDY)
    return Result(record, items, rendered, str(file))


def _parse_finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _read(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror})", _REMEDY) from None
    if len(data) > limit:
        raise InputError(str(path), f"is larger than {limit:,} bytes", _REMEDY)
    return data
