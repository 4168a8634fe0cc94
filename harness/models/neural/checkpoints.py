"""Loading and identification of checkpoints, and refusal of models whose scores would be meaningless."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.files.hashing import hash_values
from harness.files.json_files import Json
from harness.models.files.folders import check_settings, explain_folder, find_bases, hash_folder
from harness.models.files.hub import (
    find_snapshot,
    is_unknown,
    must_be_local,
    suggest_nearby,
)
from harness.models.interfaces.kinds import Spec
from harness.models.interfaces.model import Model, Scorer
from harness.models.neural.configuration import describe_code
from harness.support.errors import ModelError, describe_cause, describe_lack_of_memory, is_out_of_memory
from harness.support.hardware import require_devices
from pyramid_paraphrase.errors import shorten
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files.extras import find_versions

_LIBRARIES = ("sentence-transformers", "transformers", "tokenizers", "torch", "onnxruntime", "openvino")
_PRECISION = "dtype"
_OTHERWISE_IDENTIFIED = ("trust_remote_code", "direction", "similarity")
"""Options of results that are not simply part of the fingerprint."""
_logger = make_logger(__name__)


def hash_local(name: str) -> str | None:
    """Hash the content of a local model. Return None for a model on the Hub or a model with files in other places."""
    folder = Path(name)
    if not folder.is_dir() or find_bases(folder):
        return None
    return hash_folder(folder)


def identify(spec: Spec, hash_before: str | None) -> str | None:
    """Identify a local model by its content, and a model on the Hub by name and commit.

    Args:
        spec: The spec of the model.
        hash_before: Hash of the folder before the model was loaded, from `hash_local`.

    Returns:
        The identity. None if content or commit do not determine the model.

    Raises:
        ModelError: If the folder has changed since then.
    """
    name = spec.model
    if hash_before and hash_local(name) != hash_before:
        raise ModelError(f"{name}: changed while it was loaded. Evaluate it again")
    identity = hash_before
    if not Path(name).is_dir():
        snapshot = find_snapshot(name, spec.settings["revision"], spec.kind.hub)
        if snapshot is not None:
            commit, folder = snapshot
            identity = None if find_bases(folder) else commit
    if identity is None or spec.settings["trust_remote_code"]:  # its code may be outside of the folder or commit
        _logger.warning("%s: cannot be identified reliably, so its embeddings are not stored", name)
        return None
    return identity


def describe_checkpoint(
    spec: Spec,
    model: Any,  # noqa: ANN401
    scorer: Scorer,
    identity: str | None,
    settings: Mapping[str, Any] | None = None,
    *,
    after_scoring: Collection[str] = (),
) -> Model:
    """Describe a loaded checkpoint.

    Args:
        spec: The spec of the model.
        model: The `torch` module.
        scorer: The object that encodes or scores with the module.
        identity: The identity that `identify` returned.
        settings: The settings that determine the scores and that results record. None for those options of the spec.
        after_scoring: Names of settings that do not change stored scores, because they are applied to them later.

    Returns:
        The model.
    """
    describe_code(model, spec.public)
    settings = list_decisive(spec) if settings is None else dict(settings)
    store_key = None
    if identity is None:
        fingerprint = hash_module(model, settings)
    else:
        fingerprint = _hash_settings(spec.kind.name, identity, settings)
        stored_settings = {name: value for name, value in settings.items() if name not in after_scoring}
        stored_hash = _hash_settings(spec.kind.name, identity, stored_settings)
        store_key = hash_values([stored_hash, model.device.type, find_versions(_LIBRARIES)])
    return Model(
        name=spec.title,
        kind=spec.kind.name,
        spec=spec.public,
        fingerprint=fingerprint,
        scorer=scorer,
        options=settings,
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        device=str(spec.settings["device"] or model.device),
        store_key=store_key,
    )


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


def _hash_settings(kind: str, identity: str, settings: Mapping[str, Any]) -> str:
    return hash_values({"kind": kind, "model": identity, **settings, "revision": None})


def find_fingerprint(folder: Path, kind: str, options: Mapping[str, Any]) -> str | None:
    """Compute the fingerprint that a checkpoint in a folder has now, without loading it.

    Args:
        folder: The folder.
        kind: Name of the kind of model.
        options: The options that a result of the model records.

    Returns:
        The fingerprint. None if folder and options do not determine it. The results of entailment models have other
        options than the model, and a similarity changes the fingerprint later.

    Raises:
        ModelError: If a file cannot be read.
    """
    if _PRECISION not in options or not options.keys().isdisjoint(_OTHERWISE_IDENTIFIED):
        return None
    identity = hash_local(str(folder))
    return None if identity is None else _hash_settings(kind, identity, options)


def list_decisive(spec: Spec) -> dict[str, Any]:
    """Return the precision, and the other options that results record, in the order of the spec."""
    options = {option.name: option for option in spec.kind.options}
    decisive = {_PRECISION: spec.settings[_PRECISION]}
    for name, value in spec.options.items():
        option = options[name]
        if (option.changes_scores or option.runs_code) and value != option.default:
            decisive[name] = value
    return decisive


_LANGUAGE_MODELS = ("CausalLM", "LMHead", "ConditionalGeneration")
"""Parts of the names of generative model classes of `transformers`."""

_SHOWN_LABELS, _SHOWN_NAME = 200, 100
_OF_LAYER = re.compile(r"(?:^|\.)\d+\.")
_OTHER_SIZES = "ignore_mismatched_sizes"
"""Part of the message of `transformers` if a tensor has another shape than the model."""


def prepare_loading(spec: Spec) -> dict[str, Any]:
    """Check the folder, the devices and the Hub before a checkpoint is loaded.

    Returns:
        The settings for loading a checkpoint of any kind.

    Raises:
        ModelError: If the folder cannot be used, or the Hub cannot be reached and the model is not in the cache.
        OptionError: If a device is not available.
    """
    check_settings(Path(spec.model))
    options = spec.settings
    devices = options["device"]
    if devices:
        require_devices(devices)
    return {
        "device": devices.split("+")[0] if devices else None,
        "revision": options["revision"],
        "trust_remote_code": options["trust_remote_code"],
        "local_files_only": must_be_local(spec.model, options["revision"], spec.kind.hub),
    }


def load_checkpoint(
    make: Any,  # noqa: ANN401
    name: str,
    dtype: str,
    settings: Mapping[str, Any],
) -> tuple[Any, list[str]]:
    """Load a model.

    Args:
        make: Class of the library, or a function with the same arguments.
        name: A folder, or a name on the Hub.
        dtype: Name of the `torch` data type in which the model computes.
        settings: Arguments of the class.

    Returns:
        The model, and the names of the tensors that are missing in the checkpoint.

    Raises:
        ModelError: If the model cannot be loaded.
    """
    import torch
    from transformers.utils import logging as library_logging

    quiet: Any = library_logging  # it has no types
    quiet.disable_progress_bar()  # only the command shows progress bars
    verbosity = quiet.get_verbosity()
    quiet.set_verbosity_error()  # it would print a table with names of tensors, which are texts from the checkpoint
    try:
        with _listing_tensors() as (missing, unused):
            model = make(name, **settings)
        _warn_of_unused_layers(name, unused)
        return model.to(getattr(torch, dtype)), missing
    except Exception as error:
        if "trust_remote_code" in str(error) and not settings["trust_remote_code"]:
            raise ModelError(f"{name}: contains its own code. If you trust it, add ,trust_remote_code=true") from error
        if is_unknown(error):
            remedy = f"Check the name, or log in with `hf auth login`{suggest_nearby(name)}"
            raise ModelError(f"{name}: not found on the Hub, or not public. {remedy}") from error
        if is_out_of_memory(error):
            raise ModelError(f"{name}: {describe_lack_of_memory(error)}") from error
        if explanation := explain_folder(Path(name)):
            raise ModelError(f"{name}: {explanation}") from error
        if _OTHER_SIZES in str(error):
            reason = "its tensors have other sizes than its config.json says"
            raise ModelError(f"{name}: {reason}. Get the complete model again, or save it again") from error
        remedy = "Use a model folder or a name on the Hub"
        if settings["local_files_only"]:
            remedy = "Its files in the local cache may be incomplete: try again when the Hub can be reached"
        raise ModelError(f"{name}: cannot be loaded ({describe_cause(error)}). {remedy}") from error
    finally:
        quiet.set_verbosity(verbosity)


def _warn_of_unused_layers(name: str, unused: Sequence[str]) -> None:
    """Warn of tensors of layers that the configuration does not declare. Many checkpoints have other unused tensors."""
    tensors = [tensor for tensor in unused if _OF_LAYER.search(tensor)]
    if tensors:
        message = "%s: %d tensors of its checkpoint are not used (first: %s). Check the number of layers in config.json"
        _logger.warning(message, name, len(tensors), shorten(tensors[0], _SHOWN_NAME))


@contextmanager
def _listing_tensors() -> Iterator[tuple[list[str], list[str]]]:
    """List the tensors that are missing in a checkpoint, and those that are not used, while a model is loaded.

    `transformers` initializes missing tensors at random. It returns their names only on request, and
    sentence-transformers does not request them. Therefore `from_pretrained` is replaced within the block.
    """
    from transformers import PreTrainedModel

    library: Any = PreTrainedModel
    original = library.__dict__["from_pretrained"]
    missing: list[str] = []
    unused: list[str] = []

    def load(cls: type[Any], /, *arguments: object, **options: object) -> object:
        model, report = original.__func__(cls, *arguments, output_loading_info=True, **options)
        missing.extend(sorted(report["missing_keys"]))
        unused.extend(sorted(report["unexpected_keys"]))
        return model

    library.from_pretrained = classmethod(load)
    try:
        yield missing, unused
    finally:
        library.from_pretrained = original


def is_used(tensor: str, model: Any) -> bool:  # noqa: ANN401
    """Return whether vectors depend on a tensor. Many checkpoints have no pooler, and few models use its output."""
    outputs = (getattr(module, "modality_config", None) for module in model.modules())
    return "pooler" not in tensor.split(".") or "pooler_output" in str(list(outputs))


def require_tensors(name: str, missing: Sequence[str]) -> None:
    """Refuse a checkpoint without tensors that scores depend on. The library initializes them at random."""
    if missing:
        reason = f"its checkpoint has missing tensors ({len(missing)}, first: {missing[0]})"
        consequence = "so its scores would be random"
        raise ModelError(f"{name}: {reason}, {consequence}. Get the complete model again, or save it again")


def require_options(model: Any, spec: Spec) -> None:  # noqa: ANN401
    """Refuse to truncate vectors to more dimensions than they have or to none, and what `require_prompt` refuses."""
    limit = spec.settings["truncate_dim"]
    if model.truncate_dim is not None and model.truncate_dim < 1:  # a negative number would remove the last values
        reason = f"config_sentence_transformers.json sets truncate_dim to {model.truncate_dim}"
        raise ModelError(f"{spec.public}: {reason}. Choose at least 1, as with ,truncate_dim=128")
    dimension = model.get_embedding_dimension()
    if limit and dimension and dimension < limit:
        reason = f"truncate_dim exceeds the {dimension} dimensions of the model"
        raise ModelError(f"{spec.public}: {reason}. Lower or omit it")
    require_prompt(model, spec)


def require_prompt(model: Any, spec: Spec) -> None:  # noqa: ANN401
    """Refuse a prompt that a model does not have.

    An empty prompt is not an error, but a warning: libraries write empty prompts "query" and "document" into models
    that need no prompts, and users who evaluate many models name the same prompt for all of them.
    """
    name = spec.settings["prompt_name"]
    if name and name not in model.prompts:
        prompts = ", ".join(sorted(model.prompts))
        remedy = f"Choose from: {prompts}" if prompts else "Omit prompt_name"
        raise ModelError(f"{spec.public}: the model has no prompt '{name}'. {remedy}")
    if name and not model.prompts[name]:
        _logger.warning("%s: the prompt '%s' of this model is empty and has no effect", spec.public, name)


def require_encoder(model: Any, name: str, spec: str) -> None:  # noqa: ANN401
    """Refuse a classifier on the Hub as an encoder, because its vectors without the head represent meaning poorly."""
    config = getattr(model.transformers_model, "config", None)
    if not Path(name).is_dir() and "ForSequenceClassification" in str(getattr(config, "architectures", "")):
        remedy = f"If it compares two texts, use cross-encoder:{name} or entailment:{name}"
        raise ModelError(f"{spec}: is a classifier. {remedy}")


def require_head(model: Any, spec: str) -> None:  # noqa: ANN401
    """Refuse an encoder without a head, because the library would add a head with random weights."""
    architectures = getattr(model.config, "architectures", None) or []
    if architectures and not any("For" in str(name) for name in architectures):
        raise ModelError(f"{spec}: has no trained head for comparing texts. Use sentence-transformers:... instead")


def require_language_model(model: Any, spec: str) -> None:  # noqa: ANN401
    """Refuse a model that was not trained to continue a text, such as BERT. The library would load it without error."""
    architectures = getattr(model.config, "architectures", None) or []
    if architectures and not any(mark in str(name) for name in architectures for mark in _LANGUAGE_MODELS):
        raise ModelError(f"{spec}: is not a causal language model. Use a model that generates text")


def require_one_output(model: Any, spec: str) -> None:  # noqa: ANN401
    """Refuse a cross-encoder whose output is not a single score."""
    if model.num_labels != 1:
        labels = [str(model.config.id2label.get(number)) for number in range(model.num_labels)]
        reason = (
            f"has {model.num_labels} outputs ({shorten(', '.join(labels), _SHOWN_LABELS)}) instead of a single score"
        )
        remedy = "If an output means that two texts say the same, use entailment:... with its label, as ,label=NAME"
        raise ModelError(f"{spec}: {reason}. {remedy}")
