"""Converted models on disk. A model is converted once per backend."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from harness.files.json_files import render_json
from harness.files.writing import find_cache
from pyramid_paraphrase.files.folders import put_folder
from pyramid_paraphrase.files.temporary import remove_abandoned, temporary_folder

_ABOUT = "about.json"


def default_folder() -> Path:
    """Return the folder of converted models in the user's cache."""
    return find_cache() / "compiled"


class Conversion(NamedTuple):
    """A model and the library that it was converted for.

    Attributes:
        model: Name of the model.
        backend: Name of the library that computes the model.
    """

    model: str
    backend: str


class KeptConversion(NamedTuple):
    """A converted model on disk.

    Attributes:
        conversion: The model and the library.
        key: SHA-256 of everything that determines the files.
        bytes: Size of the files.
        used: Time of the last use, in Unix time.
    """

    conversion: Conversion
    key: str
    bytes: int
    used: float


def keep(key: str, conversion: Conversion, convert: Callable[[Path], None]) -> Path:
    """Convert a model into a folder that is kept under a key, and return the folder."""
    root = prepare_folder()
    kept = root / key
    with temporary_folder(root) as folder:
        convert(folder)
        (folder / _ABOUT).write_bytes(render_json(conversion._asdict()))
        put_folder(folder, kept)
    return kept


def find(key: str) -> Path | None:
    """Return the folder that is kept under a key, or None. Its time of last use is set to now."""
    folder = prepare_folder() / key
    try:
        os.utime(folder)
    except OSError:
        return None
    return folder


def prepare_folder() -> Path:
    """Make the folder of converted models, remove temporary directories of killed runs, and return the folder."""
    root = default_folder()
    root.mkdir(parents=True, exist_ok=True)
    remove_abandoned(root)
    return root


def list_conversions(model: str | None = None) -> list[KeptConversion]:
    """List the converted models, the most recently used model first.

    Args:
        model: Name of a model, or the beginning of a key. None for all models.
    """
    root = default_folder()
    folders = [path for path in root.iterdir() if path.is_dir()] if root.is_dir() else []
    conversions = [kept for folder in folders if (kept := _describe(folder))]
    conversions.sort(key=lambda kept: (-kept.used, kept.key))
    if model is None:
        return conversions
    return [kept for kept in conversions if kept.conversion.model == model or kept.key.startswith(model)]


def _describe(folder: Path) -> KeptConversion | None:
    """Describe a kept folder. Return None if it is incomplete or has just been removed."""
    try:
        conversion = Conversion(**json.loads((folder / _ABOUT).read_bytes()))
        size = sum(path.stat().st_size for path in folder.iterdir())
        return KeptConversion(conversion, folder.name, size, folder.stat().st_mtime)
    except (OSError, ValueError, TypeError):
        return None


def remove_conversions(conversions: Iterable[KeptConversion]) -> None:
    """Remove converted models."""
    for kept in conversions:
        shutil.rmtree(default_folder() / kept.key, ignore_errors=True)
