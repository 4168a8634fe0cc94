"""The prompts for comparing two texts of one kind, on stand-ins of random weights with published configurations."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from helpers.messages import mentions
from helpers.stand_ins import PAIRS, require_same, save_reranker, save_stand_in

from harness.models.loading import load_model
from harness.models.neural.prompts import choose_task
from harness.support.errors import ModelError

pytestmark = pytest.mark.needs("sentence_transformers")

SIMILAR = "Instruct: Retrieve semantically similar text.\nQuery:"
WEB = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
GEMMA = {"query": "task: search result | query: ", "document": "title: none | text: "}
NOMIC = {"query": "search_query: ", "passage": "search_document: "}
HARRIER = {"web_search_query": f"{WEB} ", "sts_query": "Instruct: Retrieve semantically similar text\nQuery: "}
ARCTIC = {"query": "Represent this sentence for searching relevant passages: "}

FAMILIES: dict[str, tuple[dict[str, Any], str, str | None]] = {
    # Model: its configuration, the prompt that `auto` chooses, and where the prompt comes from. Prompts as the
    # config_sentence_transformers.json of the models, or the sources in the table of families, have them.
    "E5": ({"model_type": "bert", "name": "intfloat/e5-base-v2"}, "query: ", "E5"),
    "mE5": ({"model_type": "xlm-roberta", "name": "intfloat/multilingual-e5-small"}, "query: ", "E5"),
    "mE5 instruct": (
        {"model_type": "xlm-roberta", "name": "intfloat/multilingual-e5-large-instruct"},
        f"{SIMILAR} ",
        "multilingual E5 instruct",
    ),
    "Linq": (
        {"model_type": "mistral", "pooling": "lasttoken", "name": "Linq-AI-Research/Linq-Embed-Mistral"},
        f"{SIMILAR} ",
        "Linq-Embed",
    ),
    "SFR": (
        {"model_type": "mistral", "pooling": "lasttoken", "name": "Salesforce/SFR-Embedding-2_R"},
        f"{SIMILAR} ",
        "SFR-Embedding",
    ),
    "e5-mistral": (
        {"model_type": "mistral", "pooling": "lasttoken", "prompts": {"sts_query": f"{SIMILAR} "}},
        f"{SIMILAR} ",
        "prompt sts_query of its configuration",
    ),
    "harrier": (
        {"model_type": "gemma3_text", "pooling": "lasttoken", "prompts": HARRIER},
        "Instruct: Retrieve semantically similar text\nQuery: ",
        "prompt sts_query of its configuration",
    ),
    "EmbeddingGemma": (
        {"model_type": "gemma3_text", "prompts": GEMMA | {"STS": "task: sentence similarity | query: "}},
        "task: sentence similarity | query: ",
        "prompt STS of its configuration",
    ),
    "Qwen3-Embedding": (
        {"model_type": "qwen3", "pooling": "lasttoken", "prompts": {"query": WEB, "document": ""}},
        SIMILAR,
        "Qwen3-Embedding",
    ),
    "stella": (
        {"model_type": "qwen2", "prompts": {"s2p_query": WEB, "s2s_query": f"{SIMILAR} "}},
        f"{SIMILAR} ",
        "prompt s2s_query of its configuration",
    ),
    "nomic v1.5": ({"model_type": "nomic_bert"}, "classification: ", "nomic-embed"),
    "nomic v2": (
        {"model_type": "nomic_bert", "prompts": NOMIC | {"STS": "classification: "}},
        "classification: ",
        "prompt STS of its configuration",
    ),
    "arctic m long": ({"model_type": "nomic_bert", "prompts": ARCTIC}, "", None),
    "mxbai": ({"model_type": "bert", "pooling": "cls", "prompts": ARCTIC}, "", None),
    "Qwen3 of others": ({"model_type": "qwen3", "pooling": "lasttoken", "prompts": {"query": "ask: "}}, "", None),
    "default": ({"model_type": "bert", "prompts": {"STS": "a ", "own": "b "}, "default": "own"}, "b ", None),
    "MiniLM, GTE": ({"model_type": "bert"}, "", None),
    "BGE": ({"model_type": "bert", "pooling": "cls"}, "", None),
    "BGE-M3": ({"model_type": "xlm-roberta", "pooling": "cls"}, "", None),
    "mpnet": ({"model_type": "mpnet"}, "", None),
    "granite": ({"model_type": "modernbert", "pooling": "cls"}, "", None),
}


def compare(encode: Any) -> npt.NDArray[np.float64]:  # noqa: ANN401
    """Return the cosine of each pair."""
    first, second = (np.asarray(encode([pair[side] for pair in PAIRS]), np.float64) for side in (0, 1))
    return np.asarray((first * second).sum(1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_prompt_of_a_family_gives_the_scores_of_the_library(family: str, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    settings, prompt, source = FAMILIES[family]
    folder = save_stand_in(tmp_path / "m", **settings)
    model = load_model(str(folder))
    assert model.effective.get("prompt", "") == prompt
    assert (model.options.get("prompt"), "prompt_source" in model.effective) == (
        prompt if source else None,
        bool(source),
    )
    assert str(model.effective.get("prompt_source", "")).startswith(source or "")
    library = SentenceTransformer(str(folder), device="cpu")
    by_library = compare(lambda texts: library.encode(texts, prompt=prompt))
    require_same(compare(model.scorer.encode), by_library)
    bare = compare(load_model(f"{folder},prompt=none").scorer.encode)
    require_same(bare, compare(lambda texts: library.encode(texts, prompt="")))
    assert (bare == pytest.approx(by_library, abs=1e-6)) == (not prompt)


def test_values_of_the_option(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A name takes precedence over a text, and whatever gives the same text gives the same fingerprint."""
    prompts = {"query": "ask: ", "document": "", "STS": "same: "}
    folder = save_stand_in(tmp_path / "m", "bert", prompts=prompts, default="query")
    values = ("auto", "none", "STS", "same: ", "query", "query ", "document")
    models = {value: load_model(f"{folder},prompt={value}") for value in values}
    texts = {value: model.effective.get("prompt") for value, model in models.items()}
    assert texts == {
        "auto": "ask: ",
        "none": None,
        "STS": "same: ",
        "same: ": "same: ",
        "query": "ask: ",
        "query ": "query ",
        "document": None,
    }
    assert models["auto"].fingerprint == load_model(str(folder)).fingerprint
    assert "prompt" not in models["auto"].options
    assert models["STS"].fingerprint == models["same: "].fingerprint
    assert models["none"].fingerprint == models["document"].fingerprint
    assert models["none"].options["prompt"] == "none"
    assert len({model.fingerprint for model in models.values()}) == 5
    assert "harness" not in caplog.text
    load_model(f"{folder},prompt=sts")
    assert "has no prompt named 'sts'" in caplog.text
    assert "STS, document, query" in caplog.text


def test_the_name_of_a_folder_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    save_stand_in(tmp_path / "intfloat" / "e5-base-v2", "bert")
    monkeypatch.chdir(tmp_path)
    assert Path("intfloat/e5-base-v2").is_dir()
    assert "prompt" not in load_model("intfloat/e5-base-v2").effective
    assert caplog.text == ""


def test_a_task_chooses_the_route_as_in_the_library(tiny_model: Path, tmp_path: Path) -> None:
    """The route of the task is recorded, and its maximum length is the one that cuts."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Router

    document, query = (list(SentenceTransformer(str(tiny_model), device="cpu").children()) for _ in range(2))
    document[0].max_seq_length, query[0].max_seq_length = 8, 12
    router = Router.for_query_document(query_modules=query, document_modules=document, default_route="document")
    library = SentenceTransformer(modules=[router], device="cpu")
    library.save(str(tmp_path / "routed"))
    folder = tmp_path / "routed"
    default, routed = load_model(str(folder)), load_model(f"{folder},task=query")
    assert (default.effective["route"], routed.effective["route"]) == ("document", "query")
    assert (default.effective["max_tokens"], routed.effective["max_tokens"]) == (8, 12)
    assert routed.options["task"] == "query"
    assert routed.fingerprint != default.fingerprint
    texts = [text for pair in PAIRS for text in pair]
    vectors = library.encode(texts, task="query")
    assert routed.scorer.encode(texts) == pytest.approx(vectors, abs=1e-6)
    assert default.scorer.encode(texts) != pytest.approx(vectors, abs=1e-3)
    assert routed.find_cut is not None
    counted = routed.find_cut(["a b c d e f g h i j k l"])
    assert counted is not None
    assert counted.tokens == 2  # 14 tokens with the marks of the beginning and the end
    with pytest.raises(ModelError, match=mentions("refuses the task ... answer ... Choose")):
        load_model(f"{folder},task=answer")
    with pytest.raises(ModelError, match=mentions("takes no task. Omit the option task")):
        load_model(f"{tiny_model},task=query")


def test_the_task_that_a_configuration_lists() -> None:
    """The `lora_adaptations` of the config.json of jina-embeddings-v3. Other models take a task only by the option."""
    tasks = ["retrieval.query", "retrieval.passage", "separation", "classification", "text-matching"]
    config = SimpleNamespace(lora_adaptations=tasks)
    jina = SimpleNamespace(get_model_kwargs=lambda: ["task"], transformers_model=SimpleNamespace(config=config))
    assert choose_task(jina, None, "m") == ("text-matching", "lora_adaptations of its configuration")
    config.lora_adaptations = tasks[:-1]
    assert choose_task(jina, None, "m") == (None, None)


def test_real_encoders_give_the_scores_of_their_library(minilm: Path) -> None:
    from sentence_transformers import SentenceTransformer

    library = SentenceTransformer(str(minilm), device="cpu")
    require_same(compare(load_model(str(minilm)).scorer.encode), compare(library.encode))


@pytest.mark.parametrize("model_type", ["bert", "roberta", "xlm-roberta", "modernbert", "mpnet", "qwen3"])
def test_cross_encoders_give_the_scores_of_their_library(model_type: str, tmp_path: Path) -> None:
    from sentence_transformers import CrossEncoder
    from torch.nn import Identity

    folder = save_stand_in(tmp_path / "m", model_type, labels=1)
    library = CrossEncoder(str(folder), device="cpu")
    ours = np.asarray(load_model(f"cross-encoder:{folder}").scorer.score(PAIRS), np.float64)
    require_same(ours, np.asarray(library.predict(PAIRS, activation_fn=Identity()), np.float64))
    assert ours.argsort(kind="stable").tolist() == library.predict(PAIRS).argsort(kind="stable").tolist()


def test_the_instruction_of_a_reranker_is_the_prompt_of_the_library(tmp_path: Path) -> None:
    """Models without a template have no place for an instruction."""
    from sentence_transformers import CrossEncoder
    from torch.nn import Identity

    folder = save_reranker(tmp_path / "m")
    library = CrossEncoder(str(folder), device="cpu")
    models = {text: load_model(f"cross-encoder:{folder},instruction={text}") for text in ("same meaning", "same topic")}
    scores = [np.asarray(load_model(f"cross-encoder:{folder}").scorer.score(PAIRS), np.float64)]
    require_same(scores[0], np.asarray(library.predict(PAIRS, activation_fn=Identity()), np.float64))
    for text, model in models.items():
        expected = np.asarray(library.predict(PAIRS, activation_fn=Identity(), prompt=text), np.float64)
        scores.append(np.asarray(model.scorer.score(PAIRS), np.float64))
        require_same(scores[-1], expected)
        assert (model.options["instruction"], model.effective["prompt"]) == (text, text)
    assert all(
        np.abs(first - second).max() > 1e-3 for first, second in zip(scores, scores[1:] + scores[:1], strict=True)
    )
    with pytest.raises(ModelError, match=mentions("no template ... Omit the option instruction")):
        load_model(f"cross-encoder:{save_stand_in(tmp_path / 'bert', 'bert', labels=1)},instruction=x")
