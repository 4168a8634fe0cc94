"""Stand-ins of families that need another module than mean pooling: scores are those of the library."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from helpers.stand_ins import PAIRS, SIZES, require_same, save_stand_in, score_pairs
from helpers.tiny_models import (
    save_model2vec,
    save_sparse_encoder,
    save_static_model,
    save_vocabulary,
)

from harness.models.interfaces.model_output import read_vectors
from harness.models.loading import load_model

pytestmark = [pytest.mark.full, pytest.mark.needs("sentence_transformers")]

Scores = npt.NDArray[np.float64]
LEFT, RIGHT = ([pair[side] for pair in PAIRS] for side in (0, 1))


def load_library(folder: Path, name: str = "SentenceTransformer") -> Any:  # noqa: ANN401
    import sentence_transformers

    return getattr(sentence_transformers, name)(str(folder), device="cpu")


def encode_all(model: Any, texts: list[str]) -> Any:  # noqa: ANN401
    """Encode texts by a loaded model, in the order of the texts. Return an array or a sparse matrix."""
    scorer = model.scorer
    return read_vectors(scorer.encode(texts), "encode() returned", "")


def compare_by_library(library: Any) -> Scores:  # noqa: ANN401
    return np.asarray(library.similarity_pairwise(library.encode(LEFT), library.encode(RIGHT)).double())


def compare_by_cosine(model: Any) -> Scores:  # noqa: ANN401
    left, right = (encode_all(model, texts).astype(np.float64) for texts in (LEFT, RIGHT))
    return np.asarray((left * right).sum(1) / np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1))


def save_labse(folder: Path) -> Path:
    """LaBSE: the vector of the first token, a dense layer with the hyperbolic tangent, length 1."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense, Normalize

    transformer, pooling, _ = load_library(save_stand_in(folder.with_name("plain"), "bert", pooling="cls")).children()
    torch.manual_seed(1)
    size = SIZES["hidden_size"]
    modules = [transformer, pooling, Dense(size, size, activation_function=torch.nn.Tanh()), Normalize()]
    SentenceTransformer(modules=modules, device="cpu").save(str(folder))
    return folder


def save_kalm(folder: Path) -> Path:
    """KaLM-embedding-mini: Qwen2 with mean pooling, without prompts."""
    return save_stand_in(folder, "qwen2")


def save_clip(folder: Path) -> Path:
    """Save CLIP as `clip-ViT-B-32` was saved. Texts take its text model and the projection."""
    import torch
    import transformers
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Transformer

    library: Any = transformers
    plain = folder.with_name(f"{folder.name}-plain")
    tokenizer = library.BertTokenizerFast(str(save_vocabulary(plain)))
    sizes = {name: SIZES[name] for name in ("hidden_size", "num_hidden_layers", "num_attention_heads")}
    sizes |= {"intermediate_size": 64, "initializer_range": 0.5, "initializer_factor": 5.0}
    config = library.CLIPConfig(
        text_config={
            **sizes,
            "vocab_size": len(tokenizer),
            "max_position_embeddings": 77,
            "eos_token_id": 3,
            "bos_token_id": 2,
            "pad_token_id": 0,
        },
        vision_config={**sizes, "image_size": 8, "patch_size": 4},
        projection_dim=16,
    )
    torch.manual_seed(0)
    library.CLIPModel(config).save_pretrained(plain)
    images = library.CLIPImageProcessor(size={"shortest_edge": 8}, crop_size={"height": 8, "width": 8})
    library.CLIPProcessor(images, tokenizer).save_pretrained(plain)
    SentenceTransformer(modules=[Transformer(str(plain))], device="cpu").save(str(folder))
    return folder


@pytest.mark.parametrize("save", [save_labse, save_kalm, save_static_model])
def test_vectors(save: Callable[[Path], Path], tmp_path: Path) -> None:
    folder = save(tmp_path / "m")
    model = load_model(str(folder))
    assert (model.kind, "prompt" in model.effective) == ("sentence-transformers", False)
    require_same(compare_by_cosine(model), compare_by_library(load_library(folder)))


@pytest.mark.needs("model2vec")
def test_potion(tmp_path: Path) -> None:
    from model2vec import StaticModel

    folder = save_model2vec(tmp_path / "m")
    library = StaticModel.from_pretrained(str(folder))
    left, right = (library.encode(texts).astype(np.float64) for texts in (LEFT, RIGHT))
    expected = (left * right).sum(1) / np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1)
    require_same(compare_by_cosine(load_model(str(folder))), expected)


def save_modern_sparse(folder: Path) -> Path:
    """Save a sparse encoder of ModernBERT, as later sparse encoders are."""
    import torch
    import transformers
    from sentence_transformers import SparseEncoder

    library: Any = transformers
    plain = folder.with_name(f"{folder.name}-plain")
    tokenizer = library.BertTokenizerFast(str(save_vocabulary(plain)))
    torch.manual_seed(0)
    config = library.ModernBertConfig(
        vocab_size=len(tokenizer),
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=3,
        cls_token_id=2,
        sep_token_id=3,
        initializer_range=0.5,
        **{name: SIZES[name] for name in ("hidden_size", "num_hidden_layers", "num_attention_heads")},
        intermediate_size=64,
    )
    library.ModernBertForMaskedLM(config).save_pretrained(plain)
    tokenizer.save_pretrained(plain)
    SparseEncoder(str(plain), device="cpu").save_pretrained(str(folder))
    return folder


@pytest.mark.parametrize("save", [save_sparse_encoder, save_modern_sparse])
def test_sparse_encoders(save: Callable[[Path], Path], tmp_path: Path) -> None:
    folder = save(tmp_path / "m")
    model = load_model(f"sparse:{folder}")
    left, right = (encode_all(model, texts) for texts in (LEFT, RIGHT))
    ours = np.asarray(left.multiply(right).sum(axis=1)).ravel()
    expected = compare_by_library(load_library(folder, "SparseEncoder"))
    np.testing.assert_allclose(ours, expected, rtol=1e-6)
    assert len(set(ours.round(6))) >= 50


def save_modern_colbert(folder: Path) -> Path:
    """Save ModernBERT with a projection of each token and prefixes, as PyLate saves GTE-ModernColBERT."""
    import torch
    from sentence_transformers import MultiVectorEncoder
    from sentence_transformers.base.modules import Dense, Normalize
    from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask

    transformer = next(iter(load_library(save_stand_in(folder.with_name("plain"), "modernbert")).children()))
    transformer.document_length = 256
    torch.manual_seed(1)
    names: dict[str, Any] = {"module_input_name": "token_embeddings", "module_output_name": "token_embeddings"}
    dense = Dense(SIZES["hidden_size"], 16, bias=False, activation_function=torch.nn.Identity(), **names)
    modules = [transformer, dense, MultiVectorMask(), Normalize(module_input_name="token_embeddings")]
    MultiVectorEncoder(modules=modules, device="cpu").save_pretrained(str(folder))
    path = folder / "config_sentence_transformers.json"
    settings = json.loads(path.read_text())
    settings |= {"model_type": "ColBERT", "query_prefix": "[Q] ", "document_prefix": "[D] ", "query_length": 32}
    settings |= {"document_length": 256, "attend_to_expansion_tokens": False, "do_query_expansion": True}
    path.write_text(json.dumps({**settings, "prompts": {}}))
    listed = json.loads((folder / "modules.json").read_text())
    listed = [module for module in listed if module["type"].endswith(("Transformer", "Dense"))]
    listed[1]["type"] = "pylate.models.Dense.Dense"
    (folder / "modules.json").write_text(json.dumps(listed))
    return folder


def test_modern_colbert(tmp_path: Path) -> None:
    folder = save_modern_colbert(tmp_path / "m")
    model, library = load_model(str(folder)), load_library(folder, "MultiVectorEncoder")
    assert (model.kind, model.effective["query_prompt"]) == ("late-interaction", "[Q] ")
    forward = library.similarity_pairwise(library.encode_query(LEFT), library.encode_document(RIGHT))
    backward = library.similarity_pairwise(library.encode_query(RIGHT), library.encode_document(LEFT))
    ours = score_pairs(model)
    np.testing.assert_allclose(ours, np.asarray((forward.double() + backward.double()) / 2), rtol=1e-6)
    assert len(set(ours.round(5))) >= 50


def test_clip(tmp_path: Path) -> None:
    folder = save_clip(tmp_path / "m")
    require_same(compare_by_cosine(load_model(str(folder))), compare_by_library(load_library(folder)))


@pytest.mark.parametrize("labels", [("different", "same"), ("contradiction", "entailment", "neutral")])
def test_classifiers_of_pairs(labels: tuple[str, ...], tmp_path: Path) -> None:
    """MRPC and QQP have two labels, natural language inference has three."""
    folder = save_stand_in(tmp_path / "m", "roberta", labels=len(labels))
    path = folder / "config.json"
    names = dict(enumerate(labels))
    settings = json.loads(path.read_text()) | {"id2label": names, "label2id": {name: k for k, name in names.items()}}
    path.write_text(json.dumps(settings))
    library = load_library(folder, "CrossEncoder")
    expected = library.predict(PAIRS, apply_softmax=True)[:, 1].astype(np.float64)
    require_same(np.asarray(load_model(f"entailment:{folder},label={labels[1]}").scorer.score(PAIRS)), expected)
