"""Loading of checkpoints, and refusal of models whose scores would be meaningless."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.models.files.folders import check_settings
from harness.models.files.foreign_files import explain_folder
from harness.models.files.hub import is_unknown, must_be_local
from harness.models.files.nearby_names import suggest_nearby
from harness.models.interfaces.kinds import Spec
from harness.support.errors import ModelError, describe_cause, describe_lack_of_memory, is_out_of_memory
from harness.support.hardware import require_devices
from pyramid_paraphrase.errors import shorten

_LANGUAGE_MODELS = ("CausalLM", "LMHead", "ConditionalGeneration")
"""Parts of the names of generative model classes of `transformers`."""

_SHOWN_LABELS = 200
_logger = logging.getLogger(__name__)


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
    try:
        with _listing_missing_tensors() as missing:
            model = make(name, **settings)
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
        remedy = "Use a model folder or a name on the Hub"
        if settings["local_files_only"]:
            remedy = "Its files in the local cache may be incomplete: try again when the Hub can be reached"
        raise ModelError(f"{name}: cannot be loaded ({describe_cause(error)}). {remedy}") from error


@contextmanager
def _listing_missing_tensors() -> Iterator[list[str]]:
    """List the tensors that are missing in a checkpoint while a model is loaded.

    `transformers` initializes missing tensors at random. It returns their names only on request, and
    sentence-transformers does not request them. Therefore `from_pretrained` is replaced within the block.
    """
    from transformers import PreTrainedModel

    library: Any = PreTrainedModel
    original = library.__dict__["from_pretrained"]
    missing: list[str] = []

    def load(cls: type[Any], /, *arguments: object, **options: object) -> object:
        model, report = original.__func__(cls, *arguments, output_loading_info=True, **options)
        missing.extend(sorted(report["missing_keys"]))
        return model

    library.from_pretrained = classmethod(load)
    try:
        yield missing
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


def require_dimension(model: Any, limit: int | None, spec: str) -> None:  # noqa: ANN401
    """Refuse to truncate vectors to more dimensions than they have."""
    dimension = model.get_embedding_dimension()
    if limit and dimension and dimension < limit:
        raise ModelError(f"{spec}: truncate_dim exceeds the {dimension} dimensions of the model. Lower or omit it")


def require_prompt(model: Any, name: str | None, spec: str) -> None:  # noqa: ANN401
    """Refuse a prompt that the model does not have, and warn of an empty prompt.

    An empty prompt is not an error: libraries write empty prompts "query" and "document" into models that need no
    prompts, and users who evaluate many models name the same prompt for all of them.
    """
    if name and name not in model.prompts:
        prompts = ", ".join(sorted(model.prompts))
        remedy = f"Choose from: {prompts}" if prompts else "Omit prompt_name"
        raise ModelError(f"{spec}: the model has no prompt '{name}'. {remedy}")
    if name and not model.prompts[name]:
        _logger.warning("%s: the prompt '%s' of this model is empty and has no effect", spec, name)


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
