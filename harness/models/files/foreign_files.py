"""Recognize files that are not models, such as parts of a model, and refuse them with the way to a model."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from harness.models.files.folders import read_settings
from pyramid_paraphrase.errors import InputError, shorten
from pyramid_paraphrase.files.inputs import open_input

GIVE_VECTORS = "use word vectors in word2vec's, GloVe's or fastText's .vec format"
_GIVE_FOLDER = "use the folder that contains it, with the settings and the tokenizer of the model"
_SERVE = (
    "start a server that loads it, such as `llama-server -m {file} --port 8080` (for vectors with --embeddings), and "
    "use hosted-judge:{stem},url=http://localhost:8080/v1 or endpoint:{stem},url=http://localhost:8080/v1"
)
_BEGINNING = 4096
"""Number of bytes by which a file is recognized."""

_SHOWN_NAME = 100
_GGUF = ".gguf"
_WEIGHTS = (".safetensors", ".bin")


class _Refusal(NamedTuple):
    """A kind of file that is recognized by its first bytes and refused."""

    beginning: re.Pattern[bytes]
    reason: str
    remedy: str


_REFUSALS = (
    _Refusal(re.compile(rb"GGUF.\0{3}", re.DOTALL), "a GGUF file, which this package does not load", _SERVE),
    _Refusal(
        re.compile(re.escape(bytes.fromhex("80028a0a6cfc9c46f9206aa850192e"))),
        "a PyTorch file, the weights of a model",
        _GIVE_FOLDER,
    ),
    _Refusal(
        re.compile(rb"\x80[\x02-\x05]"),
        "a pickle (such as gensim's own format), which could execute any code",
        "if it contains gensim's vectors and you trust it, convert it: python -c \"from gensim.models import "
        "KeyedVectors; KeyedVectors.load('{file}').save_word2vec_format('vectors.txt')\"",
    ),
    _Refusal(
        re.compile(re.escape((793712314).to_bytes(4, "little"))),
        "fastText's own binary format",
        "use the .vec file that comes with it",
    ),
    _Refusal(re.compile(rb"\x93NUMPY"), "a NumPy array, which contains no words", GIVE_VECTORS),
    _Refusal(
        re.compile(rb'.{5}\0{3}\{"', re.DOTALL),
        "a safetensors file, the weights of a model without words",
        _GIVE_FOLDER,
    ),
    _Refusal(re.compile(rb"\x89HDF\r\n"), "an HDF5 file, not a file of word vectors", GIVE_VECTORS),
    _Refusal(re.compile(rb".{257}ustar", re.DOTALL), "a tar archive", "unpack it, and use the file or folder in it"),
    _Refusal(re.compile(rb'\s*\{\s*"[^"]+"\s*:'), "a JSON file, not a model", _GIVE_FOLDER),
)


def refuse_foreign(file: str, beginning: bytes) -> None:
    """Refuse a file that is not a model by itself.

    Args:
        file: Its path.
        beginning: Its first bytes, at least 300 if it has as many.

    Raises:
        InputError: If the beginning is that of such a file.
    """
    for refusal in _REFUSALS:
        if refusal.beginning.match(beginning):
            raise InputError(file, f"is {refusal.reason}", _fill(refusal.remedy, Path(file)))


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
