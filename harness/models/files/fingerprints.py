"""Fingerprints of models: hashes over the contents of files, parameters, and settings."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.files.hashing import hash_files, hash_values
from harness.files.json_files import Json
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.inputs import read_input, refuse_irregular

_ADAPTER = "adapter_config.json"
_MODULE_SETTINGS = "sentence_*_config.json"
_TOKENIZER_KEYS = ("tokenizer_name_or_path", "processor_name")
"""Settings of a module of sentence-transformers that name a folder or a repository with another tokenizer."""


def hash_folder(folder: Path) -> str:
    """Compute the SHA-256 over the names and contents of the files of a model.

    The path of the folder is not included. Hidden files and Markdown files are left out, because a new model card does
    not change the model.

    Raises:
        ModelError: If a file cannot be read.
    """
    try:
        return hash_values(hash_files(folder, _list_files(folder)))
    except OSError as error:
        raise ModelError(f"{error.filename}: cannot be read ({error.strerror}). Check its permissions") from None


def find_bases(folder: Path) -> list[tuple[str, str | None]]:
    """Find the models in other places that a folder needs: base models of its adapters, and models with its tokenizer.

    Returns:
        The path or the name on the Hub of each model, and its revision or None for the main branch. The name of an
        unknown base model is empty.
    """
    adapters = map(_read_object, sorted(folder.rglob(_ADAPTER)))
    bases = [(str(adapter.get("base_model_name_or_path") or ""), adapter.get("revision")) for adapter in adapters]
    for settings in map(_read_object, sorted(folder.rglob(_MODULE_SETTINGS))):
        bases += [(str(settings[key]), None) for key in _TOKENIZER_KEYS if settings.get(key)]
    return bases


def _read_object(path: Path) -> dict[str, Any]:
    """Read a JSON object. Return an empty one if the file contains anything else."""
    try:
        value = json.loads(read_input(path))
    except (OSError, InputError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def require_regular_files(folder: Path) -> None:
    """Refuse a model folder that contains a pipe, because a library would wait for it.

    Raises:
        InputError: If the folder contains a pipe, a socket or a device.
    """
    for path in _list_files(folder):
        if path.exists() and not path.is_file():
            raise refuse_irregular(path)


def _list_files(folder: Path) -> list[Path]:
    """List the files of a model. Links to folders are followed, but each folder is visited only once."""
    files: list[Path] = []
    visited: set[Path] = set()
    for parent, folders, names in os.walk(folder, followlinks=True):
        real_parent = Path(parent).resolve()
        # `os.walk` enters only the folders that remain in this list.
        folders[:] = [name for name in folders if not name.startswith(".") and real_parent not in visited]
        visited.add(real_parent)
        files += [Path(parent, name) for name in names if not name.startswith(".") and not name.endswith(".md")]
    return sorted(files)


def hash_module(module: Any, settings: Mapping[str, Any]) -> str:  # noqa: ANN401
    """Compute the SHA-256 over the structure, the parameters, the tokenizer and the settings of a `torch` module."""
    import torch

    tokenizer = _describe_tokenizer(getattr(module, "tokenizer", None))
    digest = hashlib.sha256(f"{module}\n{hash_values([dict(settings), tokenizer])}\n".encode())
    for name, tensor in sorted(module.state_dict().items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        flat = tensor.detach().cpu().contiguous().flatten()
        digest.update(flat.view(dtype=torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def _describe_tokenizer(tokenizer: Any) -> Json:  # noqa: ANN401
    """Describe a tokenizer by its vocabulary, its rules and its maximum length. None if it has no vocabulary."""
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if hasattr(backend, "to_str"):
        description = json.loads(backend.to_str())
        for name in ("truncation", "padding"):  # each call changes them
            description.pop(name, None)
    elif hasattr(tokenizer, "get_vocab"):
        description = tokenizer.get_vocab()
    else:
        return None
    return [description, getattr(tokenizer, "model_max_length", None)]
