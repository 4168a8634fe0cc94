"""Make small models of every kind with their libraries."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from helpers.model_server import make_choice

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def save_vocabulary(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    path = folder / "vocab.txt"
    path.write_text("\n".join(tokens))
    return path


def save_tiny_encoder(folder: Path, *, labels: int | None = None) -> Path:
    """Make a plain `transformers` model: an encoder or a classifier."""
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
    """Make a sentence encoder: transformer, mean pooling, a dense layer, normalization, and two prompts."""
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


def save_sparse_encoder(folder: Path) -> Path:
    """Make a `SparseEncoder` as SPLADE is: a masked language model, and the maximum over the tokens."""
    import torch
    import transformers
    from sentence_transformers import SparseEncoder

    library: Any = transformers  # it has no types
    plain = folder.with_name(folder.name + "-plain")
    tokenizer = library.BertTokenizerFast(str(save_vocabulary(plain)))
    torch.manual_seed(0)
    config = library.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        initializer_range=0.5,
    )
    library.BertForMaskedLM(config).save_pretrained(plain)
    tokenizer.save_pretrained(plain)
    SparseEncoder(str(plain), device="cpu").save_pretrained(str(folder))
    return folder


def save_late_interaction(folder: Path, *, expansion: int | None = None) -> Path:
    """Make a `MultiVectorEncoder` as ColBERT is: a projection of each token, and the marks [Q] and [D].

    Args:
        folder: The folder.
        expansion: Number of tokens to which queries are expanded. None to expand no query.
    """
    import torch
    from sentence_transformers import MultiVectorEncoder
    from sentence_transformers.base.modules import Dense, Normalize, Transformer
    from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask

    plain = save_tiny_encoder(folder.with_name(folder.name + "-plain"))
    lengths: dict[str, Any] = {"document_length": 40}
    if expansion:
        lengths["query_expansion"] = {"strategy": "fixed", "attend": False, "length": expansion}
    torch.manual_seed(1)
    names: dict[str, Any] = {"module_input_name": "token_embeddings", "module_output_name": "token_embeddings"}
    modules = [
        Transformer(str(plain), **lengths),
        Dense(16, 8, bias=False, activation_function=torch.nn.Identity(), **names),
        MultiVectorMask(),
        Normalize(module_input_name="token_embeddings"),
    ]
    prompts = {"query": "q ", "document": "d "}
    MultiVectorEncoder(modules=modules, prompts=prompts, device="cpu").save_pretrained(str(folder))
    return folder


def save_static_model(folder: Path) -> Path:
    """Make a `StaticEmbedding` in a sentence-transformers folder."""
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
    # The metadata of published models.
    config = {"model_type": "model2vec", "architectures": ["StaticModel"]}
    StaticModel(vectors, make_letter_tokenizer(), config=config).save_pretrained(str(folder))
    return folder


def make_letter_tokenizer() -> Any:  # noqa: ANN401
    """Make a tokenizer with one token per letter."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    vocabulary = {"[UNK]": 0, **{letter: number for number, letter in enumerate(LETTERS, start=1)}}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    return tokenizer


ONNX_VOCABULARY = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "storm", "town")


def make_onnx_model(**changes: object) -> Any:  # noqa: ANN401
    """Make an ONNX model of three nodes: BERT's tokenizer, the vectors of the tokens, and their sum.

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


def save_entailment_model(folder: Path, labels: tuple[str, ...] = ("contradiction", "entailment", "neutral")) -> Path:
    """Make a classifier of pairs with named labels."""
    save_tiny_encoder(folder, labels=len(labels))
    path = folder / "config.json"
    settings = json.loads(path.read_text())
    names = dict(enumerate(labels))
    settings |= {"id2label": names, "label2id": {label: number for number, label in names.items()}}
    path.write_text(json.dumps(settings))
    return folder


WORDS = ("[UNK]", "yes", "no", "Yes", "No", "maybe", "sorry", "cannot", "i", *"1234", "<end>")
"""The vocabulary of `save_judge`."""


def save_judge(
    folder: Path,
    logits: dict[str, float] | None,
    *,
    chat_template: str | None = None,
    vocabulary: Sequence[str] = WORDS,
) -> Path:
    """Make a causal language model with constant logits of the next token.

    Args:
        folder: The folder.
        logits: Logits of words of `WORDS`. All other words have logit 0. With None, weights are random, and logits
            depend on the length of the prompt.
        chat_template: The chat template of the tokenizer, or None.
        vocabulary: The words, "[UNK]" first and "<end>" last.
    """
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    library: Any = transformers
    words = {word: number for number, word in enumerate(vocabulary)}
    plain = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    plain.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = library.PreTrainedTokenizerFast(tokenizer_object=plain, unk_token="[UNK]", eos_token="<end>")
    tokenizer.chat_template = chat_template
    end = words["<end>"]
    config = library.GPT2Config(
        vocab_size=len(vocabulary), n_positions=128, n_embd=8, n_layer=1, n_head=1, bos_token_id=end, eos_token_id=end
    )
    torch.manual_seed(0)
    model = library.GPT2LMHeadModel(config)
    if logits is not None:
        with torch.no_grad():
            # The last layer gives the same vector for any input, and its product with an embedding is the logit.
            model.transformer.ln_f.weight.zero_()
            model.transformer.ln_f.bias.zero_()
            model.transformer.ln_f.bias[0] = 1.0
            model.transformer.wte.weight[:, 0] = torch.tensor([logits.get(word, 0.0) for word in vocabulary])
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def serve_judge(folder: Path) -> Callable[[str], dict[str, Any]]:
    """Return a function that answers prompts by the language model of a folder, as defined by OpenAI's interface."""
    import torch
    import transformers

    library: Any = transformers
    model = library.AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = library.AutoTokenizer.from_pretrained(folder)

    def answer(prompt: str) -> dict[str, Any]:
        with torch.inference_mode():
            logits = model(**tokenizer(prompt, return_tensors="pt")).logits[0, -1].double()
        top = logits.log_softmax(0).topk(len(WORDS))
        words = [tokenizer.decode([number]) for number in top.indices.tolist()]
        return make_choice(words[0], dict(zip(words, top.values.tolist(), strict=True)))

    return answer
