"""Make small models of random weights with the architecture and the configuration of models that people use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from helpers.tiny_models import save_vocabulary

SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 16,
    "intermediate_size": 64,
    "max_position_embeddings": 512,
}
"""Sizes of a stand-in. The `initializer_range` of published configurations would make all vectors nearly equal."""

ADJECTIVES = ("old", "young", "tired", "happy", "rich", "small")
PAIRS = [
    (f"the {first} sailor repaired a boat {number}", f"a {second} fisher mended his ship {number * 7}")
    for number, (first, second) in enumerate(
        (a, b) for a in ADJECTIVES for b in (*ADJECTIVES, "tall", "poor", "sad", "brave")
    )
    if first != second
]
"""Pairs of invented texts."""


def require_same(ours: npt.NDArray[Any], library: npt.NDArray[Any]) -> None:
    """Require equal scores to 1e-6 and the same order of rounded scores, of which at least 50 differ."""
    assert ours == pytest.approx(library, abs=1e-6)
    assert len(set(ours.round(6))) >= 50
    assert np.argsort(ours.round(6), kind="stable").tolist() == np.argsort(library.round(6), kind="stable").tolist()


def score_pairs(model: Any) -> npt.NDArray[np.float64]:  # noqa: ANN401
    """Score `PAIRS` by a loaded model that scores pairs in batches."""
    scores = np.full(len(PAIRS), np.nan)
    for places, batch in model.scorer.score_batches(PAIRS):
        scores[list(places)] = batch
    return scores


def save_router(folder: Path, **settings: Any) -> Path:  # noqa: ANN401
    """Save an encoder with two networks: BERT for queries, ModernBERT for documents, which is the default."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Router

    query, document = (
        list[Any](SentenceTransformer(str(save_stand_in(folder / model_type, model_type)), device="cpu").children())
        for model_type in ("bert", "modernbert")
    )
    router = Router.for_query_document(query_modules=query, document_modules=document, default_route="document")
    SentenceTransformer(modules=[router], device="cpu", **settings).save(str(folder / "routed"))
    return folder / "routed"


def save_stand_in(
    folder: Path,
    model_type: str,
    *,
    pooling: str = "mean",
    prompts: dict[str, str] | None = None,
    name: str | None = None,
    default: str | None = None,
    labels: int | None = None,
) -> Path:
    """Save an encoder or a classifier of random weights.

    Args:
        folder: The folder.
        model_type: The `model_type` of config.json.
        pooling: The mode of the pooling.
        prompts: The prompts of the configuration.
        name: The `_name_or_path` of config.json. None for none.
        default: The name of the default prompt.
        labels: The number of outputs of a classifier. None for an encoder.
    """
    import torch
    import transformers
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    library: Any = transformers  # it has no types
    parts = folder if labels else folder.with_name(f"{folder.name}-parts")
    tokenizer = library.BertTokenizerFast(str(save_vocabulary(parts)))
    config = library.AutoConfig.for_model(
        model_type, vocab_size=len(tokenizer), pad_token_id=0, bos_token_id=2, eos_token_id=3, initializer_range=0.5
    )
    for size, value in SIZES.items():
        if hasattr(config, size):
            setattr(config, size, value)
    config = type(config)(**{key: value for key, value in config.to_dict().items() if key != "layer_types"})
    make = library.AutoModel
    if labels:
        config.num_labels, make = labels, library.AutoModelForSequenceClassification
    torch.manual_seed(0)
    make.from_config(config).save_pretrained(parts)
    tokenizer.save_pretrained(parts)
    if labels:
        return parts
    transformer = Transformer(str(parts), max_seq_length=256)
    modules = [transformer, Pooling(SIZES["hidden_size"], pooling), Normalize()]
    model = SentenceTransformer(modules=modules, prompts=prompts or {}, default_prompt_name=default, device="cpu")
    model.save(str(folder))
    if name:
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"_name_or_path": name}))
    return folder


RERANKER_TEMPLATE = (
    "{% for message in messages %}[{{ message.role }}] {{ message.content }} {% endfor %}"
    "{% if add_generation_prompt %}answer {% endif %}"
)
"""A chat template in the manner of rerankers: the instruction is the message of the system."""


def save_reranker(folder: Path) -> Path:
    """Save a causal language model of random weights, which scores a pair by the logits of "yes" and "no"."""
    import torch
    import transformers

    library: Any = transformers  # it has no types
    path = save_vocabulary(folder)
    path.write_text(f"{path.read_text()}\nyes\nno")
    tokenizer = library.BertTokenizerFast(str(path))
    tokenizer.chat_template = RERANKER_TEMPLATE
    sizes = {**SIZES, "vocab_size": len(tokenizer), "initializer_range": 0.5}
    torch.manual_seed(0)
    config = library.Qwen3Config(
        **sizes, pad_token_id=0, bos_token_id=2, eos_token_id=3, architectures=["Qwen3ForCausalLM"]
    )
    library.Qwen3ForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
