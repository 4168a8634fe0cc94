"""Read and check the JSON files of a model folder before a library loads the model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

from harness.support.errors import ModelError
from pyramid_paraphrase.files.inputs import open_input, refuse_document_at
from pyramid_paraphrase.files.limits import MEBIBYTE

MAX_CONFIG_BYTES = 4 * MEBIBYTE
"""Maximum size of a JSON file with the settings of a model."""

MAX_LAYERS = 500
"""Maximum number of layers of a transformer. Libraries create every layer before they look for its weights."""

MAX_MODULES = 50
"""Maximum number of modules of a sentence-transformers model. The library loads every module, even if several modules
have the same files."""

_SUFFIXES_OF_FILES = (".bin", ".json", ".model", ".onnx", ".safetensors", ".txt")
_LARGEST_POINTER, _MOST_FILES = 1024, 10_000
"""Largest size of a pointer of Git LFS in bytes, and number of files of a folder that are looked at."""

_MODULE_LISTS = ("modules.json", "router_config.json")
"""Files in which sentence-transformers names the folders of modules."""


def read_settings(path: Path) -> dict[str, Any]:
    """Read a JSON object. Return an empty dictionary if the file contains anything else.

    The library that loads the model reports the error.
    """
    settings = _read_json(path)
    return settings if isinstance(settings, dict) else {}


def check_settings(folder: Path) -> None:
    """Refuse a folder whose settings declare an unreasonably large model, or files that its fingerprint excludes.

    Args:
        folder: The folder, including its subfolders. Nothing is checked if it does not exist.

    Raises:
        ModelError: If the model has more than `MAX_LAYERS` layers or `MAX_MODULES` modules, or a module is in a hidden
            folder or outside of the folder.
    """
    modules = _read_json(folder / "modules.json")
    if isinstance(modules, list) and len(modules) > MAX_MODULES:
        raise _too_many(folder / "modules.json", MAX_MODULES, "modules")
    for name in _MODULE_LISTS:
        for path in sorted(folder.rglob(name)):
            _require_covered_paths(path)
    for config in sorted(folder.rglob("config.json")):
        layers = max(_list_layer_counts(_read_json(config)), default=0)
        if layers > MAX_LAYERS:
            raise _too_many(config, MAX_LAYERS, "layers")


def _require_covered_paths(file: Path) -> None:
    """Refuse a list of modules with a file that `fingerprints.hash_folder` leaves out."""
    for text in _list_texts(_read_json(file)):
        parts = re.split(r"[/\\]", text)
        is_hidden = any(part.startswith(".") and part != "." for part in parts)  # ".." included
        if is_hidden or Path(text).is_absolute():
            reason = f"names '{text[:80]}', which is hidden or outside of the model's folder"
            remedy = "Move it into the folder, under a name that does not begin with a dot"
            raise ModelError(f"{file}: {reason}. {remedy}")


def _read_json(path: Path) -> object:
    try:
        with open_input(path) as file:
            value: object = json.loads(file.read(MAX_CONFIG_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return value


def _list_layer_counts(settings: object) -> Iterator[int]:
    """Yield every whole number whose key contains "layer", as in `num_hidden_layers` and `n_layer`."""
    for value in _walk(settings):
        if isinstance(value, dict):
            yield from (number for key, number in value.items() if "layer" in key and isinstance(number, int))


def _list_texts(settings: object) -> Iterator[str]:
    """Yield every text, including keys."""
    for value in _walk(settings):
        if isinstance(value, dict):
            yield from value
        elif isinstance(value, str):
            yield value


def _walk(settings: object) -> Iterator[object]:
    """Yield a JSON value and all values within it."""
    waiting = [settings]
    while waiting:
        value = waiting.pop()
        yield value
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _too_many(file: Path, limit: int, name: str) -> ModelError:
    return ModelError(f"{file}: declares more than {limit} {name}. Get the model again")


def refuse_pointers(folder: Path) -> None:
    """Refuse the folder of a model in which Git LFS left pointers in place of files, such as the weights.

    Raises:
        InputError: If a file in the folder, or in a folder of a module in it, is a pointer.
    """
    with suppress(OSError):
        for path in islice(chain(folder.glob("*"), folder.glob("*/*")), _MOST_FILES):
            if path.suffix in _SUFFIXES_OF_FILES and path.is_file() and path.stat().st_size <= _LARGEST_POINTER:
                refuse_document_at(path)
