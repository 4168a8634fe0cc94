"""Read and check the JSON files of a model folder before a library loads the model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.support.errors import ModelError
from pyramid_paraphrase.inputs import open_input
from pyramid_paraphrase.limits import MEBIBYTE

MAX_CONFIG_BYTES = 4 * MEBIBYTE
"""Size of a JSON file with the settings of a model."""

MAX_LAYERS = 500
"""Layers of a transformer. Libraries create each one before they look for its weights."""

MAX_MODULES = 50
"""Modules of a sentence-transformers model. The library loads each one, even if several name the same files."""


def read_settings(path: Path) -> dict[str, Any]:
    """Read a JSON object; return an empty one if the file holds anything else.

    The library that loads the model reports the error.
    """
    settings = _read_json(path)
    return settings if isinstance(settings, dict) else {}


def check_size(folder: Path) -> None:
    """Refuse a folder whose settings ask for a model of unreasonable size.

    Args:
        folder: The folder, read with its subfolders; nothing is checked if it does not exist.

    Raises:
        ModelError: If the model has more than `MAX_LAYERS` layers or `MAX_MODULES` modules.
    """
    modules = _read_json(folder / "modules.json")
    if isinstance(modules, list) and len(modules) > MAX_MODULES:
        raise _too_many(folder / "modules.json", MAX_MODULES, "modules")
    for config in sorted(folder.rglob("config.json")):
        layers = max(_list_layer_counts(_read_json(config)), default=0)
        if layers > MAX_LAYERS:
            raise _too_many(config, MAX_LAYERS, "layers")


def _read_json(path: Path) -> object:
    try:
        with open_input(path) as file:
            value: object = json.loads(file.read(MAX_CONFIG_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return value


def _list_layer_counts(settings: object) -> Iterator[int]:
    """Yield every whole number whose key contains "layer", as in `num_hidden_layers` and `n_layer`."""
    waiting = [settings]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield from (number for key, number in value.items() if "layer" in key and isinstance(number, int))
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _too_many(file: Path, limit: int, name: str) -> ModelError:
    return ModelError(f"{file}: asks for more than {limit} {name}; get the model again")
