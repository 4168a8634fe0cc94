"""Models made for retrieval, by sentence-transformers: sparse encoders, and late interaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from harness.models.files import hub
from harness.models.interfaces import kinds
from harness.models.interfaces.model import CONFIGURED_SIMILARITY, MAX_TOKENS, SIDES, Cut, Model
from harness.models.kinds import neural
from harness.models.neural import checkpoints, configuration, prompts, scorers, sides
from harness.support.arrays import Floats
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
        settings: dict[str, Any] = {"show_progress_bar": False, "save_to_cpu": True, **self._prompts, **self._arguments}
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

    options = spec.settings
    model, hash_before = _load(spec, SparseEncoder, max_active_dims=options[_ACTIVE_DIMENSIONS])
    checkpoints.require_prompt(model, spec)
    if limit := options["max_seq_length"]:
        model.max_seq_length = limit
    identity = checkpoints.identify(spec, hash_before)

    def describe(side: str | None) -> Model:
        chosen = prompts.choose_arguments(model, spec, side)
        devices, settings = neural.list_devices(spec), dict[str, Any](chosen.arguments)
        scorer = SparseTextEncoder(model, batch_size=options["batch_size"], devices=devices, **settings)
        recorded = checkpoints.list_decisive(spec) | chosen.recorded
        description = checkpoints.describe_checkpoint(spec, model, scorer, identity, recorded)
        described = add_sparse_configuration(
            replace(description, store_key=None), model, scorer.prompt, settings["task"]
        )
        prompts.warn_if_unprompted(model, spec, scorer.prompt)
        return replace(described, effective={**described.effective, **chosen.sources})

    return sides.describe_encoder(spec, describe, model.similarity_fn_name)


def _load(spec: kinds.Spec, make: Any, **settings: Any) -> tuple[Any, str | None]:  # noqa: ANN401
    """Load a model whose weights were all saved. Return it, and the hash of its folder before loading."""
    model, missing, hash_before = neural.load_weights(spec, make, spec.settings["dtype"], **settings)
    _require_saved_modules(model, spec)
    checkpoints.require_tensors(spec.model, [tensor for tensor in missing if checkpoints.is_used(tensor, model)])
    return model, hash_before


def _require_saved_modules(model: Any, spec: kinds.Spec) -> None:  # noqa: ANN401
    """Refuse a model to which the library has added a module, because its weights would be random.

    Raises:
        ModelError: If a module after the transformer has weights, and the list of saved modules does not name it.
    """
    folder = Path(spec.model)
    if not folder.is_dir():
        snapshot = hub.find_snapshot(spec.model, spec.settings["revision"], spec.kind.hub)
        folder = folder if snapshot is None else snapshot[1]
    if (folder / "artifact.metadata").is_file():  # of Stanford's ColBERT, with the projection among its tensors
        return
    saved = (folder / "modules.json").read_text() if (folder / "modules.json").is_file() else ""
    for module in list(model)[1:]:
        name = type(module).__name__
        if name not in saved and any(True for _ in module.parameters()):
            reason = f"was not saved as a {type(model).__name__}: its {name} would have random weights"
            raise ModelError(f"{spec.public}: {reason}. Use sentence-transformers:... instead")


def add_sparse_configuration(
    description: Model,
    model: Any,  # noqa: ANN401
    prompt: str | None = None,
    task: str | None = None,
) -> Model:
    """Add what the configuration of a `SparseEncoder` does, and its own similarity. Arguments as in `neural`."""
    described = neural.add_configuration(description, model, prompt, task)
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
        prompts.PROMPT_OPTION,
        kinds.make_text("prompt_name"),
        kinds.make_text("task"),
        sides.SIDES_OPTION,
        kinds.make_number(_ACTIVE_DIMENSIONS, Range(1, 1_000_000)),
        kinds.OWN_SIMILARITY,
    ),
    check=neural.check_encoder,
    hub=hub.SPARSE_ENCODER,
    extra=neural.EXTRA,
    library=neural.LIBRARY,
    classes=("SparseEncoder",),
    add_configuration=add_sparse_configuration,
)


_INPUTS_PER_BATCH = 32
_LONGEST = 1_000_000_000
"""Tokenizers without a maximum length have a larger number instead."""


class LateInteractionScorer(sides.TwoSidedScorer):
    """A scorer of pairs by `MultiVectorEncoder.similarity_pairwise`, which compares all tokens of two texts (MaxSim).

    Args:
        model: A `MultiVectorEncoder`.
        of_pairs: A key of `sides.SIDES_OF_PAIRS`.
        batch_size: Texts per batch. None for the default size.
        devices: Several devices, each with its own process. Empty for the device of the model.
    """

    def __init__(
        self,
        model: Any,  # noqa: ANN401
        *,
        of_pairs: str = sides.BOTH,
        batch_size: int | None = None,
        devices: Sequence[str] = (),
    ) -> None:
        self._model, self._devices = model, list(devices)
        self._settings: dict[str, Any] = {"show_progress_bar": False}
        halving = scorers.BatchHalving()

        def make_encode(method: Callable[..., Any]) -> sides.Encode:
            def encode(texts: list[str]) -> Sequence[Any]:
                return halving.run(
                    lambda size: list(method(texts, batch_size=size, **self._settings)), batch_size or _INPUTS_PER_BATCH
                )

            return encode

        def compare(queries: list[Any], documents: list[Any]) -> Floats:
            return np.asarray(model.similarity_pairwise(queries, documents).double().cpu(), dtype=np.float64)

        encode = {prompts.QUERY: make_encode(model.encode_query), prompts.DOCUMENT: make_encode(model.encode_document)}
        super().__init__(encode, compare, sides.SIDES_OF_PAIRS[of_pairs])

    def score_batches(self, pairs: list[tuple[str, str]]) -> Iterator[tuple[Sequence[int], Floats]]:
        """Score pairs. The processes of several devices start once, not for each part of the pairs."""
        if not self._devices:
            yield from super().score_batches(pairs)
            return
        pool = self._model.start_multi_process_pool(self._devices)
        self._settings["pool"] = pool
        try:
            yield from super().score_batches(pairs)
        finally:
            del self._settings["pool"]
            self._model.stop_multi_process_pool(pool)


def load_late_interaction(spec: kinds.Spec) -> Model:
    """Load a model of late interaction.

    Raises:
        ModelError: If the model cannot be loaded.
    """
    from sentence_transformers import MultiVectorEncoder

    options = spec.settings
    model, hash_before = _load(spec, MultiVectorEncoder)
    if limit := options["max_seq_length"]:
        transformer = model[0]
        transformer.max_seq_length = transformer.document_length = limit
        if transformer.query_expansion is None:  # otherwise it sets the length of queries
            transformer.query_length = limit
    scorer = LateInteractionScorer(
        model, of_pairs=options[SIDES], batch_size=options["batch_size"], devices=neural.list_devices(spec)
    )
    identity = checkpoints.identify(spec, hash_before)
    description = checkpoints.describe_checkpoint(spec, model, scorer, identity)
    return add_late_interaction(description, model, options[SIDES])


def add_late_interaction(description: Model, model: Any, of_pairs: str = "") -> Model:  # noqa: ANN401
    """Add how a `MultiVectorEncoder` compares two texts.

    Args:
        description: The description.
        model: The `MultiVectorEncoder`.
        of_pairs: The sides that the scorer of the description encodes. "" for an object in memory, which needs a
            scorer.
    """
    if not of_pairs:
        of_pairs, description = sides.BOTH, replace(description, scorer=LateInteractionScorer(model))
    effective: dict[str, str | int | bool] = {CONFIGURED_SIMILARITY: model.similarity_fn_name}
    counters = []
    for side in sorted(set(sides.SIDES_OF_PAIRS[of_pairs])):
        prompt, limit = prompts.find_side_prompt(model, side), _find_limit(model[0], side)
        if prompt:
            effective[f"{side}_prompt"] = prompt
        if limit:
            effective[f"{side}_{MAX_TOKENS}"] = limit
        if limit and callable(model.tokenizer):
            counters.append(_make_text_counter(model.tokenizer, prompt, limit))
    effective |= {SIDES: of_pairs, "orders": "mean of both", **configuration.describe_code(model)}
    return replace(description, effective=effective, find_cut=sides.make_pair_counter(counters))


def _make_text_counter(tokenizer: Any, prompt: str, limit: int) -> Callable[[Sequence[str]], Cut]:  # noqa: ANN401
    """Make the function that counts what is cut of texts on one side, and the tokens that the vocabulary lacks."""
    unknown_id = configuration.find_unknown_id(tokenizer)

    def count(texts: Sequence[str]) -> Cut:
        counts = []
        for text in texts:
            length = len(tokenizer(prompt + text, truncation=False, verbose=False)["input_ids"])
            ids = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
            unknown = ids.count(unknown_id)
            counts.append((length, len(ids) - unknown, unknown))
        return configuration.make_cut(counts, limit)

    return count


def _find_limit(transformer: Any, side: str) -> int | None:  # noqa: ANN401
    """Return the number of tokens to which the texts of a side are cut. None if it is unknown."""
    limit = getattr(transformer, f"{side}_length", None) or getattr(transformer, "max_seq_length", None)
    expansion = getattr(transformer, "query_expansion", None) if side == prompts.QUERY else None
    if expansion and expansion["strategy"] == "fixed":
        return int(expansion["length"])
    if limit is None or limit > _LONGEST:
        return None
    return max(int(limit), expansion["length"] if expansion else 0)


LATE_INTERACTION = kinds.ModelKind(
    name="late-interaction",
    meaning="a MultiVectorEncoder, such as ColBERT: MaxSim of the vectors of tokens, averaged over both orders",
    example="late-interaction:lightonai/GTE-ModernColBERT-v1,sides=document",
    group="sentence encoders",
    load=load_late_interaction,
    options=(*neural.CHECKPOINT_OPTIONS, replace(sides.SIDES_OPTION, default=sides.BOTH)),
    check=neural.check_options,
    hub="",
    extra=neural.EXTRA,
    library=neural.LIBRARY,
    classes=("MultiVectorEncoder", "ColBERT"),
    add_configuration=add_late_interaction,
)
