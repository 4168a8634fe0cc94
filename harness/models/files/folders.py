"""Model files and folders: checks before a library loads them, refusal of files that are not models, fingerprints."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatch
from itertools import chain, islice
from pathlib import Path
from typing import Any

from harness.files.hashing import hash_files, hash_values
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import InputError, shorten
from pyramid_paraphrase.files.inputs import describe_pipe, open_input, refuse_document_at
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

_NUMBERS_OF_LAYERS = ("num_hidden_layers", "num_layers", "n_layer", "n_layers")

_ADAPTER = "adapter_config.json"
_MODULE_SETTINGS = "sentence_*_config.json"
_TOKENIZER_KEYS = ("tokenizer_name_or_path", "processor_name")
"""Settings of a module of sentence-transformers that name a folder or a repository with another tokenizer."""


def read_settings(path: Path) -> dict[str, Any]:
    """Read a JSON object. Return an empty dictionary if the file contains anything else.

    The library that loads the model reports the error.

    Raises:
        ModelError: If the file is too large or nested too deeply to be read, so that nothing in it could be checked.
    """
    settings = _read_json(path)
    return settings if isinstance(settings, dict) else {}


def check_settings(folder: Path) -> None:
    """Refuse a folder whose settings declare an unreasonably large model, or files that its fingerprint excludes.

    Args:
        folder: The folder, including its subfolders. Nothing is checked if it does not exist.

    Raises:
        ModelError: If the model has more than `MAX_LAYERS` layers or `MAX_MODULES` modules, or fewer than no layers, or
            a module is in a hidden folder or outside of the folder.
    """
    modules = _read_json(folder / "modules.json")
    if isinstance(modules, list) and len(modules) > MAX_MODULES:
        raise _too_many(folder / "modules.json", MAX_MODULES, "modules")
    files = _list_files(folder)
    for path in files:
        if path.name in _MODULE_LISTS:
            _require_covered_paths(path)
        elif path.name == "config.json":
            _require_possible_layers(path)


def _require_possible_layers(config: Path) -> None:
    for key, value in _walk(_read_json(config)):
        if not isinstance(value, int):
            continue
        if "layer" in key and value > MAX_LAYERS:
            raise _too_many(config, MAX_LAYERS, "layers")
        if key in _NUMBERS_OF_LAYERS and value < 0:  # libraries make a model without layers of it
            raise ModelError(f"{config}: {key} is {value}, but must not be negative. Get the model again")


def _require_covered_paths(file: Path) -> None:
    """Refuse a list of modules with a file that `hash_folder` leaves out."""
    values = chain.from_iterable(_walk(_read_json(file)))
    for text in (value for value in values if isinstance(value, str)):
        parts = re.split(r"[/\\]", text)
        is_hidden = any(part.startswith(".") and part != "." for part in parts)  # ".." included
        if is_hidden or Path(text).is_absolute():
            reason = f"names '{text[:80]}', which is hidden or outside of the model's folder"
            remedy = "Move it into the folder, under a name that does not begin with a dot"
            raise ModelError(f"{file}: {reason}. {remedy}")


def _read_json(path: Path) -> object:
    try:
        with open_input(path) as file:
            data = file.read(MAX_CONFIG_BYTES + 1)
            value: object = json.loads(data) if len(data) <= MAX_CONFIG_BYTES else None
    except (OSError, ValueError):
        return None
    except RecursionError:
        raise ModelError(f"{path}: is nested too deeply. Get the model again") from None
    if len(data) > MAX_CONFIG_BYTES:
        raise ModelError(f"{path}: is larger than {MAX_CONFIG_BYTES:,} bytes. Get the model again")
    return value


def _walk(settings: object) -> Iterator[tuple[str, object]]:
    """Yield a JSON value and all values within it, each with its key. The key is "" for other values than entries."""
    waiting = [("", settings)]
    while waiting:
        key, value = waiting.pop()
        yield key, value
        if isinstance(value, dict):
            waiting += value.items()
        elif isinstance(value, list):
            waiting += [("", item) for item in value]


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


GIVE_VECTORS = "use word vectors in word2vec's, GloVe's or fastText's format"
_GIVE_FOLDER = "use the folder that contains it, with the settings and the tokenizer of the model"
_SERVE = (
    "start a server that loads it, such as `llama-server -m {file} --port 8080` (for vectors with --embeddings, for "
    "rerankers with --reranking), and use hosted-judge:{stem},url=http://localhost:8080/v1, "
    "endpoint:{stem},url=http://localhost:8080/v1 or hosted-reranker:{stem},url=http://localhost:8080/v1"
)
_CONVERT = (
    "if it contains gensim's vectors and you trust it, convert it: python -c \"from gensim.models import KeyedVectors; "
    "KeyedVectors.load('{file}').save_word2vec_format('vectors.txt')\""
)
_BEGINNING = 4096
"""Number of bytes by which a file is recognized."""

_SHOWN_NAME = 100
_GGUF = ".gguf"
_WEIGHTS = (".safetensors", ".bin")


_REFUSALS = (
    (re.compile(rb"GGUF.\0{3}", re.DOTALL), "a GGUF file, which this package does not load", _SERVE),
    (
        re.compile(re.escape(bytes.fromhex("80028a0a6cfc9c46f9206aa850192e"))),
        "a PyTorch file, the weights of a model",
        _GIVE_FOLDER,
    ),
    (
        re.compile(rb"\x80[\x02-\x05]"),
        "a pickle (such as gensim's own format), which could execute any code",
        _CONVERT,
    ),
    (re.compile(rb"\x93NUMPY"), "a NumPy array, which contains no words", GIVE_VECTORS),
    (
        re.compile(rb'.{5}\0{3}\{"', re.DOTALL),
        "a safetensors file, the weights of a model without words",
        _GIVE_FOLDER,
    ),
    (re.compile(rb"\x89HDF\r\n"), "an HDF5 file, not a file of word vectors", GIVE_VECTORS),
    (re.compile(rb".{257}ustar", re.DOTALL), "a tar archive", "unpack it, and use the file or folder in it"),
    (re.compile(rb'\s*\{\s*"[^"]+"\s*:'), "a JSON file, not a model", _GIVE_FOLDER),
)
"""Kinds of files that are recognized by their first bytes and refused, with the description and the remedy."""


def refuse_foreign(file: str, beginning: bytes) -> None:
    """Refuse a file that is not a model by itself.

    Args:
        file: Its path.
        beginning: Its first bytes, at least 300 if it has as many.

    Raises:
        InputError: If the beginning is that of such a file.
    """
    for pattern, reason, remedy in _REFUSALS:
        if pattern.match(beginning):
            raise InputError(file, f"is {reason}", _fill(remedy, Path(file)))


def refuse_foreign_at(path: Path) -> None:
    """Refuse a file as `refuse_foreign` does. Nothing happens if it cannot be read.

    Raises:
        InputError: If it is not a model by itself.
    """
    beginning = b""
    with suppress(OSError), open_input(path) as file:
        beginning = file.read(_BEGINNING)
    refuse_foreign(str(path), beginning)


def explain_folder(folder: Path) -> str:
    """Return why a folder with GGUF files or an adapter is not a complete model, with the remedy. Otherwise ""."""
    names: list[str] = []
    with suppress(OSError):
        names = sorted(path.name for path in folder.iterdir())
    gguf = next((name for name in names if name.lower().endswith(_GGUF)), None)
    if gguf and not any(name.endswith(_WEIGHTS) for name in names):
        remedy = _fill(_SERVE, folder / gguf)
        return f"contains a GGUF file, which this package does not load. {remedy[0].upper()}{remedy[1:]}"
    if "adapter_config.json" in names and not {"config.json", "modules.json"}.intersection(names):
        base = read_settings(folder / "adapter_config.json").get("base_model_name_or_path")
        reason = f"contains an adapter without its base model ({shorten(str(base), _SHOWN_NAME)})"
        return f"{reason}. Merge both (peft: `merge_and_unload`), save the model and its tokenizer, and use that folder"
    return ""


def _fill(remedy: str, path: Path) -> str:
    return remedy.replace("{stem}", path.stem).replace("{file}", str(path))


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
    files = _list_files(folder)
    adapters = (read_settings(path) for path in files if path.name == _ADAPTER)
    bases = [(str(adapter.get("base_model_name_or_path") or ""), adapter.get("revision")) for adapter in adapters]
    for settings in (read_settings(path) for path in files if fnmatch(path.name, _MODULE_SETTINGS)):
        bases += [(str(settings[key]), None) for key in _TOKENIZER_KEYS if settings.get(key)]
    return bases


def require_regular_files(folder: Path) -> None:
    """Refuse a model folder that contains a pipe, because a library would wait for it.

    Raises:
        InputError: If the folder contains a pipe, a socket or a device.
    """
    for path in _list_files(folder):
        if path.exists() and not path.is_file():
            raise describe_pipe(path)


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
