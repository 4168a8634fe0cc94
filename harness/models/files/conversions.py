"""Converted models on disk: a model is converted for a library once, into a folder of the user's cache."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from harness.files.json_files import JsonRecord, read_record, render_json
from harness.files.writing import find_cache
from harness.models.files.store import StoredModel
from pyramid_paraphrase.errors import InputError, cannot_remove
from pyramid_paraphrase.files.atomic import put_folder, remove_abandoned, temporary_folder

_ABOUT = "about.json"
_MAX_ABOUT_BYTES = 1 << 16
_DAMAGED = "(damaged)"


class _Description(JsonRecord, frozen=True):
    """The description of a converted model: the names of the model and of the library."""

    model: str
    backend: str


def default_folder() -> Path:
    """Return the folder of converted models in the user's cache."""
    return find_cache() / "compiled"


def prepare_folder() -> Path:
    """Make the folder of converted models, remove temporary directories of killed runs, and return the folder."""
    root = default_folder()
    root.mkdir(parents=True, exist_ok=True)
    remove_abandoned(root)
    return root


def keep(key: str, model: str, backend: str, convert: Callable[[Path], None]) -> Path:
    """Convert a model for a library into a folder that is kept under a key, and return the folder."""
    root = prepare_folder()
    kept = root / key
    with temporary_folder(root) as folder:
        convert(folder)
        (folder / _ABOUT).write_bytes(render_json(msgspec.to_builtins(_Description(model, backend))))
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


def list_conversions(model: str | None = None) -> list[StoredModel]:
    """List the converted models, the most recently used model first.

    Args:
        model: Name of a model, or the beginning of a key. None for all models.
    """
    root = default_folder()
    conversions = []
    for folder in root.iterdir() if root.is_dir() else ():
        try:
            sizes = [path.stat().st_size for path in folder.iterdir()]
            used = folder.stat().st_mtime
        except OSError:  # it has just been removed, or is a file of the user
            continue
        if not folder.name.startswith("."):
            about = _describe(folder)
            conversions.append(StoredModel(about.model, folder, len(sizes), sum(sizes), used, about.backend))
    conversions.sort(key=lambda kept: (-kept.used, kept.key))
    return [kept for kept in conversions if model in (None, kept.name) or kept.key.startswith(str(model))]


def _describe(folder: Path) -> _Description:
    """Read the description of a converted model. A damaged one is no error, so that the folder can be removed."""
    try:
        return read_record(folder / _ABOUT, _Description, kind="description", limit=_MAX_ABOUT_BYTES, remedy="")
    except InputError:
        return _Description(_DAMAGED, _DAMAGED)


def remove_conversions(conversions: Iterable[StoredModel]) -> None:
    """Remove converted models.

    Raises:
        OutputError: If a folder cannot be removed. The folders before it are removed.
    """
    for kept in conversions:
        try:
            shutil.rmtree(kept.path)
        except FileNotFoundError:  # another process removes it
            continue
        except OSError as error:
            raise cannot_remove(kept.path, error) from None
