"""Loading checkpoints, and refusing models whose scores would mean nothing."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.models.files.folders import check_settings
from harness.models.files.hub import is_unknown, must_be_local
from harness.models.files.nearby_names import suggest_nearby
from harness.models.interfaces.kinds import Spec
from harness.support.errors import ModelError, describe_cause, describe_lack_of_memory, is_out_of_memory
from harness.support.hardware import require_devices

_LANGUAGE_MODELS = ("CausalLM", "LMHead", "ConditionalGeneration")
"""Parts of the names of classes of `transformers` that continue a text."""

_logger = logging.getLogger(__name__)


def prepare_loading(spec: Spec) -> dict[str, Any]:
    """Check the folder, the devices and the Hub before a checkpoint is loaded.

    Returns:
        The settings to load it with, whatever its kind is.

    Raises:
        ModelError: If the folder or a device cannot be used, or the model is neither here nor on the Hub.
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
        dtype: Name of the precision of `torch` in which the model computes.
        settings: Arguments of the class.

    Returns:
        The model, and the names of its tensors that its checkpoint lacks.

    Raises:
        ModelError: If it cannot be loaded.
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
        if "trust_remote_code" in str(error):
            raise ModelError(f"{name}: brings code of its own; if you trust it, add ,trust_remote_code=true") from error
        if is_unknown(error):
            remedy = "check the name, or log in by `hf auth login`"
            raise ModelError(
                f"{name}: is no model on the Hub, or one that is not public; {remedy}{suggest_nearby(name)}"
            ) from error
        if is_out_of_memory(error):
            raise ModelError(f"{name}: {describe_lack_of_memory(error)}") from error
        remedy = "give a model folder or a name on the Hub"
        if settings["local_files_only"]:
            remedy = "the local cache may lack a part of it, and the Hub cannot be asked: try again with network"
        raise ModelError(f"{name}: cannot be loaded ({describe_cause(error)}); {remedy}") from error


@contextmanager
def _listing_missing_tensors() -> Iterator[list[str]]:
    """List the tensors that a checkpoint lacks, while a model is loaded. `transformers` draws them at random.

    `transformers` returns their names on request only, and sentence-transformers does not request them.
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
    """Whether a tensor decides vectors; many checkpoints lack the pooler, from which few models take their vectors."""
    outputs = (getattr(module, "modality_config", None) for module in model.modules())
    return "pooler" not in tensor.split(".") or "pooler_output" in str(list(outputs))


def require_tensors(name: str, missing: Sequence[str]) -> None:
    """Refuse a checkpoint that lacks tensors that decide scores. The library has drawn random numbers for them."""
    if missing:
        reason = (
            f"its checkpoint lacks tensors ({len(missing)}, the first is {missing[0]}), so its scores would be random"
        )
        raise ModelError(f"{name}: {reason}; get the whole model again, or save it again")


def require_dimension(model: Any, limit: int | None, spec: str) -> None:  # noqa: ANN401
    """Refuse to cut vectors that are shorter already."""
    dimension = model.get_embedding_dimension()
    if limit and dimension and dimension < limit:
        raise ModelError(f"{spec}: the model has {dimension} dimensions; give a truncate_dim of at most {dimension}")


def require_prompt(model: Any, name: str | None, spec: str) -> None:  # noqa: ANN401
    """Refuse a prompt that the model does not have, and warn of an empty prompt.

    An empty prompt is not an error: libraries write empty prompts "query" and "document" into models that need none,
    and users who evaluate many models name the same prompt for all of them.
    """
    if name and name not in model.prompts:
        prompts = ", ".join(sorted(model.prompts)) or "none"
        raise ModelError(f"{spec}: the model has no prompt '{name}'; it has: {prompts}")
    if name and not model.prompts[name]:
        _logger.warning("%s: the prompt '%s' of this model is empty, and changes nothing", spec, name)


def require_encoder(model: Any, name: str, spec: str) -> None:  # noqa: ANN401
    """Refuse a classifier on the Hub: without its head, its vectors say little about meaning."""
    config = getattr(model.transformers_model, "config", None)
    if not Path(name).is_dir() and "ForSequenceClassification" in str(getattr(config, "architectures", "")):
        remedy = f"if it compares two texts, give it as cross-encoder:{name} or entailment:{name}"
        raise ModelError(f"{spec}: is a classifier; {remedy}")


def require_head(model: Any, spec: str) -> None:  # noqa: ANN401
    """Refuse a bare encoder: the library would give it a head of random weights."""
    architectures = getattr(model.config, "architectures", None) or []
    if architectures and not any("For" in str(name) for name in architectures):
        raise ModelError(f"{spec}: has no trained head to compare texts with; give it as sentence-transformers:...")


def require_language_model(model: Any, spec: str) -> None:  # noqa: ANN401
    """Refuse a model that was not trained to continue a text, such as BERT, of which the library makes one that is."""
    architectures = getattr(model.config, "architectures", None) or []
    if architectures and not any(mark in str(name) for name in architectures for mark in _LANGUAGE_MODELS):
        raise ModelError(f"{spec}: is not a causal language model; name a model that continues a text")


def require_one_output(model: Any, spec: str) -> None:  # noqa: ANN401
    """Refuse a cross-encoder whose output is not a single score."""
    if model.num_labels != 1:
        remedy = "give a cross-encoder that has one, a similarity, or entailment:... if an output means entailment"
        raise ModelError(f"{spec}: has {model.num_labels} outputs; {remedy}")
