"""Models made for retrieval, by sentence-transformers: sparse encoders, and late interaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from harness.models.files import hub
from harness.models.interfaces import kinds
from harness.models.interfaces.model import CONFIGURED_SIMILARITY, MAX_TOKENS, Cut, Model
from harness.models.kinds import neural
from harness.models.neural import checkpoints, configuration, prompts, scorers
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
    chosen = prompts.choose_arguments(model, spec)
    devices, settings = neural.list_devices(spec), dict[str, Any](chosen.arguments)
    scorer = SparseTextEncoder(model, batch_size=options["batch_size"], devices=devices, **settings)
    prompts.warn_if_unprompted(model, spec, scorer.prompt)
    recorded = checkpoints.list_decisive(spec) | chosen.recorded
    identity = checkpoints.identify(spec, hash_before)
    description = checkpoints.describe_checkpoint(spec, model, scorer, identity, recorded)
    described = add_sparse_configuration(replace(description, store_key=None), model, scorer.prompt, settings["task"])
    return replace(described, effective={**described.effective, **chosen.sources})


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
        replace(kinds.make_text("prompt"), default=prompts.AUTO),
        kinds.make_text("prompt_name"),
        kinds.make_text("task"),
        kinds.make_number(_ACTIVE_DIMENSIONS, Range(1, 1_000_000)),
        kinds.OWN_SIMILARITY,
    ),
    check=neural.SENTENCE_TRANSFORMERS.check,
    hub=hub.SPARSE_ENCODER,
    extra=neural.EXTRA,
)


QUERY, DOCUMENT = "query", "document"
_SIDES = {"both": (QUERY, DOCUMENT), QUERY: (QUERY, QUERY), DOCUMENT: (DOCUMENT, DOCUMENT)}
"""As what the two texts of a pair are encoded, by the value of the option `sides`. The first value is the default."""

_PAIRS_AT_ONCE = 512
"""Number of pairs whose vectors are in memory at once. Those of the previous pairs are kept, because texts recur."""

_INPUTS_PER_BATCH = 32
_LONGEST = 1_000_000_000
"""Tokenizers without a maximum length have a larger number instead."""


class LateInteractionScorer:
    """A scorer of pairs by `MultiVectorEncoder.similarity_pairwise`, which compares all tokens of two texts (MaxSim).

    The similarity of a query and a document depends on their order. The score is its mean over both orders.

    Args:
        model: A `MultiVectorEncoder`.
        sides: A key of `_SIDES`.
        batch_size: Texts per batch. None for the default size.
        devices: Several devices, each with its own process. Empty for the device of the model.
    """

    in_batches = True

    def __init__(
        self,
        model: Any,  # noqa: ANN401
        *,
        sides: str = "both",
        batch_size: int | None = None,
        devices: Sequence[str] = (),
    ) -> None:
        self._model, self._sides, self._devices = model, _SIDES[sides], list(devices)
        self._batch_size, self._halving = batch_size or _INPUTS_PER_BATCH, scorers.BatchHalving()

    def score_batches(self, pairs: list[tuple[str, str]]) -> Iterator[tuple[Sequence[int], Floats]]:
        """Score pairs, `_PAIRS_AT_ONCE` at a time, so that memory does not depend on the number of texts."""
        vectors: dict[str, dict[str, Any]] = {side: {} for side in self._sides}
        first, second = self._sides
        for start in range(0, len(pairs), _PAIRS_AT_ONCE):
            part = pairs[start : start + _PAIRS_AT_ONCE]
            texts = sorted({text for pair in part for text in pair})
            for side, earlier in list(vectors.items()):
                vectors[side] = self._encode(side, texts, earlier)
            scores = np.zeros(len(part))
            for ordered in (part, [(right, left) for left, right in part]):
                queries = [vectors[first][query] for query, _ in ordered]
                documents = [vectors[second][document] for _, document in ordered]
                similarities = self._model.similarity_pairwise(queries, documents)
                scores += np.asarray(similarities.double().cpu(), dtype=np.float64) / 2
            yield range(start, start + len(part)), scores

    def _encode(self, side: str, texts: list[str], earlier: dict[str, Any]) -> dict[str, Any]:
        """Return the vectors of texts on one side, a tensor of shape (tokens, dimension) for each."""
        encode = self._model.encode_query if side == QUERY else self._model.encode_document
        settings: dict[str, Any] = {"show_progress_bar": False}
        if self._devices:
            settings["device"] = self._devices
        vectors = {text: earlier[text] for text in texts if text in earlier}
        missing = [text for text in texts if text not in vectors]
        if missing:
            outputs = self._halving.run(lambda size: encode(missing, batch_size=size, **settings), self._batch_size)
            vectors.update(zip(missing, outputs, strict=True))
        return vectors


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
        model, sides=options["sides"], batch_size=options["batch_size"], devices=neural.list_devices(spec)
    )
    identity = checkpoints.identify(spec, hash_before)
    description = checkpoints.describe_checkpoint(spec, model, scorer, identity)
    return add_late_interaction(description, model, options["sides"])


def add_late_interaction(description: Model, model: Any, sides: str = "") -> Model:  # noqa: ANN401
    """Add how a `MultiVectorEncoder` compares two texts.

    Args:
        description: The description.
        model: The `MultiVectorEncoder`.
        sides: The sides that the scorer of the description encodes. "" for an object in memory, which needs a scorer.
    """
    if not sides:
        sides, description = "both", replace(description, scorer=LateInteractionScorer(model))
    effective: dict[str, str | int | bool] = {CONFIGURED_SIMILARITY: model.similarity_fn_name}
    limits = {}
    for side in sorted(set(_SIDES[sides])):
        if prompt := _find_prompt(model, side):
            effective[f"{side}_prompt"] = prompt
        if limit := _find_limit(model[0], side):
            limits[side] = effective[f"{side}_{MAX_TOKENS}"] = limit
    effective |= {"sides": sides, "orders": "mean of both"}

    def find_cut(pairs: Sequence[tuple[str, str]]) -> Cut:
        texts = sorted({text for pair in pairs for text in pair})
        excess = dict.fromkeys(texts, 0)
        for side, limit in limits.items():
            prompt = _find_prompt(model, side)
            for text in texts:
                length = len(model.tokenizer(prompt + text, truncation=False, verbose=False)["input_ids"])
                excess[text] = max(excess[text], length - limit)
        unknown_id = configuration.find_unknown_id(model.tokenizer)
        ids = {text: model.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"] for text in texts}
        losses = [excess[first] + excess[second] for first, second in pairs]
        ids_of_pairs = [ids[first] + ids[second] for first, second in pairs]
        unknown = [pair_ids.count(unknown_id) for pair_ids in ids_of_pairs]
        is_unknown = [0 < count == len(pair_ids) for count, pair_ids in zip(unknown, ids_of_pairs, strict=True)]
        return Cut(len(pairs), sum(loss > 0 for loss in losses), sum(losses), sum(is_unknown), sum(unknown))

    is_countable = callable(model.tokenizer) and limits
    return replace(description, effective=effective, find_cut=find_cut if is_countable else None)


def _find_prompt(model: Any, side: str) -> str:  # noqa: ANN401
    """Return the text that `encode_query` or `encode_document` puts before every text."""
    names = (QUERY,) if side == QUERY else (DOCUMENT, "passage", "corpus")
    name = next((name for name in names if name in model.prompts), model.default_prompt_name)
    return str(model.prompts.get(name) or "")


def _find_limit(transformer: Any, side: str) -> int | None:  # noqa: ANN401
    """Return the number of tokens to which the texts of a side are cut. None if it is unknown."""
    limit = getattr(transformer, f"{side}_length", None) or getattr(transformer, "max_seq_length", None)
    expansion = getattr(transformer, "query_expansion", None) if side == QUERY else None
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
    options=(*neural.CHECKPOINT_OPTIONS, kinds.make_choice("sides", tuple(_SIDES))),
    check=neural.SENTENCE_TRANSFORMERS.check,
    hub="",
    extra=neural.EXTRA,
)
