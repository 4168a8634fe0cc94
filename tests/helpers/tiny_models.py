"""Makes small models of every kind, by the libraries themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def save_vocabulary(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    path = folder / "vocab.txt"
    path.write_text("\n".join(tokens))
    return path


def save_tiny_encoder(folder: Path, *, labels: int | None = None) -> Path:
    """A plain `transformers` model: an encoder, or one that classifies."""
    import torch
    import transformers

    library: Any = transformers  # it has no types
    torch.manual_seed(0)
    tokenizer = library.BertTokenizerFast(str(save_vocabulary(folder)))
    config = library.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        num_labels=labels or 2,
    )
    model = library.BertForSequenceClassification(config) if labels else library.BertModel(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def save_tiny_model(folder: Path) -> Path:
    """Transformer, mean pooling, a dense layer, normalization, and two prompts."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer

    encoder = save_tiny_encoder(folder.with_name(folder.name + "-encoder"))
    transformer = Transformer(str(encoder), max_seq_length=48)
    torch.manual_seed(1)
    modules = [transformer, Pooling(16), Dense(16, 8), Normalize()]
    prompts = {"query": "ask: ", "document": "say: "}
    SentenceTransformer(modules=modules, prompts=prompts, device="cpu").save(str(folder))
    return folder


def save_static_model(folder: Path) -> Path:
    """A `StaticEmbedding` within a sentence-transformers folder."""
    import numpy as np
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    vectors = np.random.default_rng(0).normal(size=(len(LETTERS) + 1, 8)).astype("float32")
    tokenizer = make_letter_tokenizer()
    module = StaticEmbedding(tokenizer, embedding_weights=vectors)
    SentenceTransformer(modules=[module], device="cpu").save(str(folder))
    return folder


def save_model2vec(folder: Path) -> Path:
    import numpy as np
    from model2vec import StaticModel

    vectors = np.random.default_rng(0).normal(size=(len(LETTERS) + 1, 8)).astype("float32")
    # What published models say of themselves.
    config = {"model_type": "model2vec", "architectures": ["StaticModel"]}
    StaticModel(vectors, make_letter_tokenizer(), config=config).save_pretrained(str(folder))
    return folder


def make_letter_tokenizer() -> Any:  # noqa: ANN401
    """One token per letter."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    vocabulary = {"[UNK]": 0, **{letter: number for number, letter in enumerate(LETTERS, start=1)}}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    return tokenizer


ONNX_VOCABULARY = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "storm", "town")


def make_onnx_model(**changes: object) -> Any:  # noqa: ANN401
    """A model of three nodes: BERT's tokenizer, the vectors of the tokens, and their sum.

    Unknown words and marks have vectors of zeros, "storm" has (1, 0) and "town" has (0, 2).

    Args:
        changes: Attributes of the node of the tokenizer, such as `op_type`.
    """
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    tokenizer: dict[str, Any] = {
        "op_type": "BertTokenizer",
        "inputs": ["texts"],
        "outputs": ["ids", "types", "mask"],
        "domain": "ai.onnx.contrib",
        "vocab_file": "\n".join(ONNX_VOCABULARY),
        "do_lower_case": 1,
    }
    vectors = np.array([[0, 0]] * 5 + [[1, 0], [0, 2]], dtype=np.float32)
    nodes = [
        helper.make_node(**{**tokenizer, **changes}),
        helper.make_node("Gather", ["matrix", "ids"], ["tokens"]),
        helper.make_node("ReduceSum", ["tokens", "axes"], ["vectors"], keepdims=1),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("texts", TensorProto.STRING, ["n"])],
        [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, [1, 2])],
        [numpy_helper.from_array(vectors, "matrix"), numpy_helper.from_array(np.array([0]), "axes")],
    )
    versions = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.contrib", 1)]
    return helper.make_model(graph, opset_imports=versions, ir_version=8)
