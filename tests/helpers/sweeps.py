"""Sweeps in separate processes: code to run before a model is loaded, and the resulting files."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

from helpers.commands import make_environment


def make_loader(folder: Path, code: str) -> dict[str, str]:
    """Return an environment in which processes run code before they load a model. ``spec`` is its spec in the code."""
    package = folder / "loader"
    package.mkdir()
    (package / "sitecustomize.py").write_text(
        "import os, resource, signal\n"
        "from harness.evaluation.sweeps import units as computing\n"
        "load_model = computing.load_model\n"
        "def load(spec, *arguments, **options):\n"
        f"{textwrap.indent(code, '    ')}\n"
        "    return load_model(spec, *arguments, **options)\n"
        "computing.load_model = load\n"
    )
    return make_environment(folder) | {"PYTHONPATH": str(package)}


def read_results(folder: Path) -> dict[str, Any]:
    """Return the contents of a folder of results by path. Times in records are left out.

    Requests are also left out, because `evaluate` writes them and a sweep does not.
    """
    contents: dict[str, Any] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".request"):
        data: Any = path.read_bytes()
        if path.suffix == ".json":
            data = json.loads(data)
            del data["time"]
        contents[str(path.relative_to(folder))] = data
    return contents


def count_outcomes(folder: Path) -> int:
    """Count the models with an outcome in the folder of a sweep."""
    return len(list(folder.glob("units/*.json")))
