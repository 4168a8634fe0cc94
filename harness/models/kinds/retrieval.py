"""Models made for retrieval, by sentence-transformers: sparse encoders."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.models.files import hub
from harness.models.interfaces import kinds
from harness.models.interfaces.model import CONFIGURED_SIMILARITY, Model
from harness.models.kinds import neural
from harness.models.neural import checkpoints, configuration, scorers
from harness.support.errors import ModelError
from pyramid_paraphrase.rules.ranges import Range

_ACTIVE_DIMENSIONS = "max_active_dims"
"""Name of the option and of the setting that limit the values of a sparse vector that are not zero."""


class SparseTextEncoder(scorers.SentenceEncoder):
    """An encoder that uses `SparseEncoder.encode`, as `SentenceEncoder` uses that of a `SentenceTransformer`.

    One batch is encoded at a time, because the library computes a value per token and per word of the vocabulary.
    """

    def encode(self, texts: list[str]) -> Any:  # noqa: ANN401
        """Encode texts. Return a sparse tensor of shape (n, dimension)."""
        settings: dict[str, Any] = {"show_progress_bar": False, "save_to_cpu": True, **self._prompts}
        if self._devices:
            settings["device"] = self._devices

        def encode_in_batches(batch_size: int) -> Any:  # noqa: ANN401
            return self._model.encode(texts, batch_size=batch_size, **settings)

        return self._halving.run(encode_in_batches, self._batch_size or max(1, len(texts)))


def load_sparse(spec: kinds.Spec) -> Model:
    """Load a sparse encoder. Its vectors are not stored, because the store holds dense vectors.

    Raises:
        ModelError: If the model cannot be loaded.
    """
    from sentence_transformers import SparseEncoder

    name, options = spec.model, spec.settings
    settings = {_ACTIVE_DIMENSIONS: options[_ACTIVE_DIMENSIONS], **checkpoints.prepare_loading(spec)}
    hash_before = checkpoints.hash_local(name)
    with hub.requiring_answers(name):
        model, missing = checkpoints.load_checkpoint(SparseEncoder, name, options["dtype"], settings)
    _require_saved_modules(model, spec)
    checkpoints.require_tensors(name, [tensor for tensor in missing if checkpoints.is_used(tensor, model)])
    checkpoints.require_prompt(model, spec)
    if limit := options["max_seq_length"]:
        model.max_seq_length = limit
    devices = str(options["device"] or "").split("+")
    prompts = {name: options[name] for name in ("prompt", "prompt_name")}
    scorer = SparseTextEncoder(
        model, batch_size=options["batch_size"], devices=devices if len(devices) > 1 else (), **prompts
    )
    if not any(prompts.values()):
        configuration.warn_of_unused_prompts(model, spec.public, "Add prompt_name={} to use one")
    identity = checkpoints.identify(spec, hash_before)
    description = checkpoints.describe_checkpoint(spec, model, scorer, identity)
    return add_sparse_configuration(replace(description, store_key=None), model, scorer.prompt)


def _require_saved_modules(model: Any, spec: kinds.Spec) -> None:  # noqa: ANN401
    """Refuse a model to which the library has added a module, because its weights would be random.

    Raises:
        ModelError: If a module after the transformer has weights, and the list of saved modules does not name it.
    """
    folder = Path(spec.model)
    if not folder.is_dir():
        snapshot = hub.find_snapshot(spec.model, spec.settings["revision"], spec.kind.hub)
        folder = folder if snapshot is None else snapshot[1]
    saved = (folder / "modules.json").read_text() if (folder / "modules.json").is_file() else ""
    for module in list(model)[1:]:
        name = type(module).__name__
        if name not in saved and any(True for _ in module.parameters()):
            reason = f"was not saved as a {type(model).__name__}: its {name} would have random weights"
            raise ModelError(f"{spec.public}: {reason}. Use sentence-transformers:... instead")


def add_sparse_configuration(description: Model, model: Any, prompt: str | None = None) -> Model:  # noqa: ANN401
    """Add what the configuration of a `SparseEncoder` does, and its own similarity. Arguments as in `neural`."""
    described = neural.add_configuration(description, model, prompt)
    effective = dict(described.effective)
    if limit := model.max_active_dims:
        effective[_ACTIVE_DIMENSIONS] = limit
    return replace(described, effective=effective, similarity=str(effective[CONFIGURED_SIMILARITY]))


SPARSE = kinds.ModelKind(
    name="sparse",
    meaning="a SparseEncoder, such as SPLADE, compared by its own similarity",
    example="sparse:naver/splade-cocondenser-ensembledistil",
    group="sentence encoders",
    load=load_sparse,
    options=(
        *neural.CHECKPOINT_OPTIONS,
        kinds.make_text("prompt"),
        kinds.make_text("prompt_name"),
        kinds.make_number(_ACTIVE_DIMENSIONS, Range(1, 1_000_000)),
        kinds.OWN_SIMILARITY,
    ),
    check=neural.SENTENCE_TRANSFORMERS.check,
    hub=hub.SPARSE_ENCODER,
    extra=neural.EXTRA,
)
