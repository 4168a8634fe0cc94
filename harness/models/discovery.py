"""Detection of the kind of a model from the file or folder at a path, or from its name on the Hub."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from harness.files.writing import expand_home
from harness.models.files import folders
from harness.models.files.hub import ORGANIZATIONS, suggest_nearby
from harness.models.interfaces.kinds import ModelKind, Spec
from harness.models.kinds.neural import CROSS_ENCODER, ENTAILMENT, SENTENCE_TRANSFORMERS, has_entailment_label
from harness.models.kinds.onnx_files import ONNX
from harness.models.kinds.people import ANNOTATOR
from harness.models.kinds.static import MODEL2VEC, WORD_VECTORS
from harness.models.registry import KIND_BY_NAME, KINDS
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import CLOSE, find_similar, shorten
from pyramid_paraphrase.files.inputs import describe_pipe

_ENTAILMENT_MODELS = f"{CROSS_ENCODER.hub}/nli-"
"""Prefix of the names of this organization's models for natural language inference."""

_KIND_BY_CLASS = {name: kind for kind in KINDS for name in kind.classes}
"""Kinds by the class name that sentence-transformers, or PyLate, writes into the settings of a saved model."""

_NO_SETTINGS = "contains neither config.json nor modules.json. Use the folder of a saved model"
_SHOWN_TYPE = 40
_KIND_BY_SUFFIX = {".pyr": ANNOTATOR, ".onnx": ONNX}
"""Kinds of files that are recognized by their suffix. All other files contain word vectors."""

_SUFFIXES_OF_MODELS = (".txt", ".vec", ".bin", ".gz", ".bz2", ".zip", ".kv", ".model", ".npy", ".safetensors", ".gguf")
_SUFFIXES_OF_FILES = (*_SUFFIXES_OF_MODELS, *_KIND_BY_SUFFIX)


def guess_kind(name: str) -> ModelKind:
    """Return the kind of a model, given a file, a folder or a name on the Hub.

    Raises:
        InputError: If the path is a pipe, a socket or a device, or a file that is not a model by itself.
        ModelError: If the kind cannot be determined.
    """
    content = _inspect_path(name)
    if content == "file":
        kind = _KIND_BY_SUFFIX.get(Path(name).suffix.lower(), WORD_VECTORS)
        if kind is WORD_VECTORS:
            folders.refuse_foreign_at(expand_home(name))
        return kind
    if content == "folder":
        return _guess_kind_of_folder(expand_home(name))
    return _guess_kind_on_hub(name)


def _guess_kind_on_hub(name: str) -> ModelKind:
    """Return the kind of a model by its name on the Hub. Refuse a text that seems to be a misspelled path or kind."""
    prefix, colon, _ = name.partition(":")
    similar_kind = find_similar(prefix, KIND_BY_NAME, CLOSE)
    is_file_name = name.lower().endswith(_SUFFIXES_OF_FILES)
    if similar_kind and "/" not in prefix and (colon or not is_file_name):
        raise ModelError(f"{name}: not a file, folder or kind of model. Did you mean '{similar_kind}'?")
    if is_file_name:
        remedy = f"Check the path, or use {SENTENCE_TRANSFORMERS.name}:{name} if it is a name on the Hub"
        raise ModelError(f"{name}: no such file. {remedy}{suggest_nearby(name)}")
    if name.endswith("/") or name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise ModelError(f"{name}: no such file or folder. Check the path{suggest_nearby(name)}")
    if not _is_hub_name(name):
        remedy = f"Check the path, or use one of the kinds that `models` describes: {', '.join(KIND_BY_NAME)}"
        raise ModelError(f"{name}: not a file, folder or name on the Hub. {remedy}")
    if name.startswith(_ENTAILMENT_MODELS):
        return ENTAILMENT
    organization = name.split("/")[0]
    if organization not in ORGANIZATIONS:
        return SENTENCE_TRANSFORMERS
    return next(kind for kind in KINDS if kind.hub == organization)


def _guess_kind_of_folder(folder: Path) -> ModelKind:
    """Return the kind of a saved model by the files that libraries write. The first conclusive file decides."""
    config = folders.read_settings(folder / "config.json")
    library = folders.read_settings(folder / "config_sentence_transformers.json")
    if config.get("model_type") == "model2vec":
        return MODEL2VEC  # before modules.json, which model2vec also writes, for other libraries
    is_stanford = "HF_ColBERT" in str(config.get("architectures"))
    if model_type := library.get("model_type") or ("ColBERT" if is_stanford else None):
        class_name = shorten(str(model_type), _SHOWN_TYPE)
        if class_name not in _KIND_BY_CLASS:
            remedy = "If it returns one vector per text, load it in Python, and pass it to harness.evaluate"
            raise ModelError(f"{folder}: contains a {class_name}, which cannot be loaded by its name. {remedy}")
        kind = _KIND_BY_CLASS[class_name]
        return ENTAILMENT if kind is CROSS_ENCODER and has_entailment_label(config) else kind
    if (folder / "modules.json").is_file():
        return SENTENCE_TRANSFORMERS
    if not config:
        explanation = "its config.json contains no valid settings. Save the model again"
        if not (folder / "config.json").exists():
            explanation = folders.explain_folder(folder) or _NO_SETTINGS
        raise ModelError(f"{folder}: {explanation}")
    if "ForSequenceClassification" in str(config.get("architectures")):
        return ENTAILMENT if has_entailment_label(config) else CROSS_ENCODER
    return SENTENCE_TRANSFORMERS


def require_place(parsed: Spec) -> None:
    """Refuse a path that does not exist, unless it may be a name on the Hub. Nothing is requested from the Hub.

    Raises:
        InputError: If it is a file that is not a model by itself.
        ModelError: If there is no such file or folder, and it cannot be a name on the Hub either.
    """
    if not parsed.kind.has_path:
        return
    content = _inspect_path(parsed.model)
    if content == "folder":
        folders.require_regular_files(expand_home(parsed.model))
    if parsed.kind.contents:
        if content != "file":
            reason = "is a folder" if content == "folder" else "no such file"
            suggestion = suggest_nearby(parsed.model) if content == "nothing" else ""
            raise ModelError(f"{parsed.model}: {reason}. Use a file with {parsed.kind.contents}{suggestion}")
    elif content == "file":
        folders.refuse_foreign_at(expand_home(parsed.model))
        remedy = f"Use the folder of a saved model, or {WORD_VECTORS.name}:{parsed.model}"
        raise ModelError(f"{parsed.model}: is a file. {remedy}")
    elif content != "folder" and not _is_hub_name(parsed.model):
        remedy = f"Check the path, or use a name on the Hub{suggest_nearby(parsed.model)}"
        raise ModelError(f"{parsed.model}: no such folder. {remedy}")


def _inspect_path(name: str) -> Literal["file", "folder", "nothing"]:
    """Return whether a path is a file, a folder or nothing.

    Raises:
        InputError: If the path is a pipe, a socket or a device.
        ModelError: If the path is invalid.
    """
    try:
        path = expand_home(name)
        if path.is_file():
            return "file"
        if path.is_dir():
            folders.refuse_pointers(path)
            return "folder"
        if path.exists():
            raise describe_pipe(name)
        if path.is_symlink():
            raise ModelError(f"{name}: is a link to a file that does not exist. Check the link")
        return "nothing"
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        raise ModelError(f"{name[:80]}: invalid path ({cause}). Check the path") from None


def _is_hub_name(name: str) -> bool:
    return re.fullmatch(r"[\w.-]+(/[\w.-]+)?", name) is not None and not name.startswith(".")
