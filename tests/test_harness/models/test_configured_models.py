"""Models of the libraries with all kinds of configurations: prompts, routes, maximum lengths, similarities."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.tiny_models import (
    make_letter_tokenizer,
    save_entailment_model,
    save_model2vec,
    save_sparse_encoder,
    save_static_model,
    save_tiny_encoder,
)

from harness.api.evaluating import evaluate
from harness.evaluation.layout import NO_TEXT
from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.models.files.store import ModelStore
from harness.models.interfaces.model import Cut
from harness.models.loading import describe_object, load_model
from harness.reports.table_notes import note_texts
from harness.support.errors import ModelError

pytestmark = [pytest.mark.full, pytest.mark.needs("sentence_transformers")]

SHORT, LONG = "a b", " ".join("abcdefghij")
"""Texts of 2 and 10 tokens. BERT adds 2 tokens to a text, and 3 to a pair."""


def load_tiny(folder: Path, **changes: Any) -> Any:  # noqa: ANN401
    """Load the tiny model with the library, and change attributes."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")
    for name, value in changes.items():
        setattr(model, name, value)
    return model


def save(model: Any, folder: Path) -> Path:  # noqa: ANN401
    model.save(str(folder))
    return folder


def find_cut(model: Any, *inputs: Any) -> Cut | None:  # noqa: ANN401
    assert model.find_cut is not None
    cut: Cut | None = model.find_cut(list(inputs))
    return cut


def test_cut_texts_of_an_encoder(tiny_model: Path) -> None:
    """With 8 tokens, 6 tokens of a text remain."""
    model = load_model(f"{tiny_model},max_seq_length=8")
    assert model.effective["max_tokens"] == 8
    assert find_cut(model, SHORT, LONG) == Cut(inputs=2, cut=1, tokens=4)
    assert find_cut(load_model(str(tiny_model)), SHORT, LONG) == Cut(inputs=2, cut=0, tokens=0)


def test_the_cut_is_where_the_library_cuts(tiny_model: Path) -> None:
    """Words after the cut do not change a vector, and the last word before it does."""
    encode = load_model(f"{tiny_model},max_seq_length=8").scorer.encode
    whole, cut, shorter = encode([LONG, LONG[: 6 * 2 - 1], LONG[: 5 * 2 - 1]])
    assert whole.tolist() == cut.tolist()
    assert whole.tolist() != shorter.tolist()


def test_a_prompt_leaves_less_of_a_text(tiny_model: Path) -> None:
    """The prompt "ask: " is three letters and an unknown mark. "##s" and "##k" continue a word."""
    model = load_model(f"{tiny_model},max_seq_length=8,prompt_name=query")
    assert model.effective["prompt"] == "ask: "
    assert find_cut(model, SHORT, LONG) == Cut(inputs=2, cut=1, tokens=8)
    assert find_cut(model, "a b c") == Cut(inputs=1, cut=1, tokens=1)


def test_objects_of_the_library(tiny_model: Path) -> None:
    model = describe_object(load_tiny(tiny_model, max_seq_length=8, default_prompt_name="query"))
    assert model.effective == {
        "prompt": "ask: ",
        "pooling": "mean",
        "max_tokens": 8,
        "normalized": True,
        "configured_similarity": "cosine",
    }
    assert find_cut(model, SHORT, LONG) == Cut(inputs=2, cut=1, tokens=8)


def test_objects_with_other_tokenizers_are_other_models(tiny_model: Path, tmp_path: Path) -> None:
    """Their parameters are the same. Calls of a model change its tokenizer, but not the model."""
    model = load_tiny(tiny_model)
    fingerprint = describe_object(model).fingerprint
    model.encode([SHORT, LONG])
    assert describe_object(model).fingerprint == describe_object(load_tiny(tiny_model)).fingerprint == fingerprint
    shorter = describe_object(load_tiny(tiny_model, max_seq_length=8))
    copy = shutil.copytree(tiny_model, tmp_path / "copy")
    tokenizer = copy / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text().replace('"a"', '"A"'))
    other = describe_object(load_tiny(copy))
    assert len({fingerprint, shorter.fingerprint, other.fingerprint}) == 3


@pytest.mark.parametrize("change", ["none", "token"])
def test_static_objects_are_identified_by_their_tokenizers(tmp_path: Path, change: str) -> None:
    folder = save_static_model(tmp_path / "static")
    first = describe_object(load_tiny(folder)).fingerprint
    if change == "token":
        (tokenizer,) = folder.rglob("tokenizer.json")
        tokenizer.write_text(tokenizer.read_text().replace('"a"', '"A"'))
    assert (describe_object(load_tiny(folder)).fingerprint == first) == (change == "none")


def test_vectors_that_are_truncated_are_not_normalized(tiny_model: Path) -> None:
    assert load_model(str(tiny_model)).effective["normalized"] is True
    assert load_model(f"{tiny_model},truncate_dim=4").effective["normalized"] is False


@pytest.mark.parametrize("kind", ["cross-encoder", "entailment"])
def test_cut_pairs(tmp_path: Path, kind: str) -> None:
    folder = save_entailment_model(tmp_path / "m")
    if kind == "cross-encoder":
        folder = save_tiny_encoder(tmp_path / "c", labels=1)
    model = load_model(f"{kind}:{folder},max_seq_length=10")
    assert model.effective == {"max_tokens": 10}
    assert find_cut(model, (SHORT, SHORT), (SHORT, LONG), (LONG, LONG)) == Cut(inputs=3, cut=2, tokens=5 + 13)


def test_a_whole_summary_and_an_scu_are_a_pair(tmp_path: Path) -> None:
    """Each pair of a summary and an SCU has more than 20 tokens."""
    folder = save_tiny_encoder(tmp_path / "c", labels=1)
    suite = load_suite("sample", "presence")
    counts = {}
    for summaries in ("whole", "sentences"):
        model = load_model(f"cross-encoder:{folder},max_seq_length=20,summaries={summaries}")
        counts[summaries] = evaluate_model(model, suite, Settings(resamples=1)).record.model.text_counts
    rows = suite.rows[0].texts.tolist()
    assert counts["whole"]["cut_pairs"] == counts["whole"]["pairs"] == len(set(map(tuple, rows)))
    sentences = {(sentence, scu) for scu, *summary in rows for sentence in summary if sentence != NO_TEXT}
    assert counts["sentences"]["pairs"] == len(sentences)


def test_static_embeddings_whose_tokenizer_cuts(tmp_path: Path) -> None:
    """The library says that these models have no maximum length, but the file of the tokenizer may contain one."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    model = load_model(str(save_static_model(tmp_path / "whole")))
    assert find_cut(model, "abc", "a!", "!?") == Cut(3, 0, 0, unknown=1, unknown_tokens=3)
    tokenizer = make_letter_tokenizer()
    tokenizer.enable_truncation(6)
    module = StaticEmbedding(tokenizer, embedding_weights=np.eye(37, dtype=np.float32))
    model = load_model(str(save(SentenceTransformer(modules=[module], device="cpu"), tmp_path / "cut")))
    assert model.effective["max_tokens"] == 6
    assert find_cut(model, "abcdef", "abcdefgh") == Cut(inputs=2, cut=1, tokens=2)
    assert model.scorer.encode(["abcdefgh"]).tolist() == model.scorer.encode(["abcdef"]).tolist()


@pytest.mark.needs("model2vec")
def test_model2vec_cuts(tmp_path: Path) -> None:
    """Tokens are letters, so that the median length is 1: a text is cut to 512 characters."""
    model = load_model(str(save_model2vec(tmp_path / "m")))
    assert model.effective == {"normalized": False, "max_tokens": 512}
    assert find_cut(model, "a" * 512, "a" * 515) == Cut(inputs=2, cut=1, tokens=3)
    model.scorer.max_length = None
    assert find_cut(model, "a" * 515, "a!", "?!") == Cut(3, 0, 0, unknown_tokens=3)


@pytest.mark.needs("model2vec")
def test_model2vec_cuts_characters_first() -> None:
    """Two tokens of median length 4 have 8 characters. "storm town" becomes "storm to", which is also two tokens."""
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1, "b": 2, "storm": 3, "town": 4}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    model = StaticModel(np.eye(5, dtype=np.float32), tokenizer, max_length=2)
    assert model.median_token_length == 4
    assert model.encode(["storm town a"]).tolist() == model.encode(["storm to"]).tolist()
    assert find_cut(describe_object(model), "storm", "a b", "a b a", "storm town") == Cut(inputs=4, cut=2, tokens=1)
    assert describe_object(model).effective == {"normalized": False, "max_tokens": 2}


def test_a_router_takes_a_route(tiny_model: Path, tmp_path: Path) -> None:
    """Texts take the default route. The maximum length of the other route does not matter."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Router

    document, query = (list(load_tiny(tiny_model).children()) for _ in range(2))
    document[0].max_seq_length, query[0].max_seq_length = 8, 40
    router = Router.for_query_document(query_modules=query, document_modules=document, default_route="document")
    model = load_model(str(save(SentenceTransformer(modules=[router], device="cpu"), tmp_path / "routed")))
    assert {name: model.effective[name] for name in ("route", "pooling", "max_tokens", "normalized")} == {
        "route": "document",
        "pooling": "mean",
        "max_tokens": 8,
        "normalized": True,
    }
    assert find_cut(model, SHORT, LONG) == Cut(inputs=2, cut=1, tokens=4)
    record = evaluate_model(model, load_suite("sample", "ranking"), Settings(resamples=2)).record
    assert [line for line in note_texts("m", record) if "route 'document'" in line]


def test_several_ways_of_pooling(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    encoder = save_tiny_encoder(tmp_path / "e")
    modules = [Transformer(str(encoder)), Pooling(16, pooling_mode=("cls", "mean"))]
    model = describe_object(SentenceTransformer(modules=modules, device="cpu"))
    assert (model.effective["pooling"], model.effective["normalized"]) == ("cls, mean", False)


def evaluate_tiny(spec: object, **settings: Any) -> Result:  # noqa: ANN401
    return evaluate_model(load_model(str(spec)), load_suite("sample", "ranking"), Settings(resamples=1, **settings))


def test_counts_do_not_depend_on_the_store(tiny_model: Path, tmp_path: Path) -> None:
    spec, store = f"{tiny_model},max_seq_length=8", ModelStore(tmp_path / "store")
    first, again = (evaluate_tiny(spec, store=store) for _ in range(2))
    assert (first.record.time.encoded, again.record.time.encoded) == (388, 0)
    assert first.record.model.text_counts == again.record.model.text_counts
    assert first.record.model.text_counts.keys() == {"cut_texts", "cut_tokens", "unknown_tokens"}
    assert first.record.model.text_counts["cut_texts"] > 300


def test_prompts_that_no_option_uses(tiny_model: Path, caplog: pytest.LogCaptureFixture) -> None:
    load_model(str(tiny_model))
    assert "query, document, and none is used. Add prompt=query" in caplog.text
    caplog.clear()
    for options in (",prompt_name=document", ",prompt=document", ",prompt=x ", ",prompt=none"):
        load_model(f"{tiny_model}{options}")
    describe_object(load_tiny(tiny_model, default_prompt_name="query"))
    describe_object(load_tiny(tiny_model, prompts={"query": "", "document": ""}))
    describe_object(load_tiny(tiny_model), hashed=False)  # an evaluator in training, which describes it many times
    assert caplog.text == ""
    describe_object(load_tiny(tiny_model))
    assert "Set its default_prompt_name to 'query'" in caplog.text


def save_with_similarity(tiny_model: Path, folder: Path, similarity: str) -> Path:
    """Save the tiny model without its normalization, and with a similarity in its configuration."""
    library = load_tiny(tiny_model, similarity_fn_name=similarity)
    del library[3]
    return save(library, folder)


def test_the_similarity_of_a_configuration(tiny_model: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = save_with_similarity(tiny_model, tmp_path / "m", "manhattan")
    default = load_model(f"{folder},prompt_name=query")
    assert default.effective["configured_similarity"] == "manhattan"
    assert (default.similarity, "similarity" in default.options) == ("cosine", False)
    assert "manhattan, but the cosine is used. Add ,similarity=model" in caplog.text
    caplog.clear()
    configured, named = (load_model(f"{folder},prompt_name=query,similarity={name}") for name in ("model", "manhattan"))
    assert configured.similarity == configured.options["similarity"] == "manhattan"
    assert configured.fingerprint == named.fingerprint != default.fingerprint
    assert configured.store_key == named.store_key == default.store_key
    assert configured.name.endswith("/m (prompt_name=query, similarity=model)")
    assert caplog.text == ""


def test_dot_products_of_normalized_vectors_are_cosines(
    tiny_model: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = save(load_tiny(tiny_model, similarity_fn_name="dot", prompts={}), tmp_path / "m")
    load_model(str(folder))
    assert caplog.text == ""


def test_scores_by_every_similarity(tiny_model: Path, tmp_path: Path) -> None:
    """The scores of pairs are those of the library."""
    folder = save_with_similarity(tiny_model, tmp_path / "m", "cosine")
    suite = load_suite("sample", "binary")
    pairs = suite.rows[0].texts[:30]
    for similarity in ("cosine", "dot", "euclidean", "manhattan"):
        result = evaluate_model(load_model(f"{folder},similarity={similarity}"), suite, Settings(resamples=1))
        library = load_tiny(folder, similarity_fn_name=similarity)
        vectors = [library.encode([suite.texts[index] for index in column]) for column in pairs.T]
        expected = library.similarity_pairwise(*vectors).numpy()
        assert result.rows["binary"].scores[:30] == pytest.approx(expected, abs=2e-6)
        recorded = {} if similarity == "cosine" else {"similarity": similarity}
        assert result.record.model.options == {"dtype": "float32", **recorded}


def test_the_similarity_of_objects(tiny_model: Path, caplog: pytest.LogCaptureFixture) -> None:
    library = load_tiny(tiny_model, similarity_fn_name="euclidean", default_prompt_name="query")
    by_cosine = evaluate(library, "sample", "ranking", resamples=1)
    assert "euclidean, but the cosine is used. Pass similarity=model" in caplog.text
    configured, named = (
        evaluate(library, "sample", "ranking", resamples=1, similarity=name) for name in ("model", "euclidean")
    )
    assert configured.record.model == named.record.model
    assert configured.record.model.options["similarity"] == "euclidean"
    assert configured.rows["ranking"].scores.tolist() == named.rows["ranking"].scores.tolist()
    assert configured.rows["ranking"].scores.max() <= 0
    assert configured.record.model.fingerprint != by_cosine.record.model.fingerprint


def test_pair_scorers_have_no_similarity(tmp_path: Path) -> None:
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(str(save_tiny_encoder(tmp_path / "c", labels=1)), device="cpu")
    with pytest.raises(ModelError, match=mentions("CrossEncoder: similarity ... encoders ... Omit")):
        evaluate(model, "sample", "ranking", similarity="dot")


@pytest.mark.parametrize("prompt", ["", ",prompt=ask! "])
def test_tokens_that_the_vocabulary_does_not_contain(tiny_model: Path, prompt: str) -> None:
    """A model for other letters had a success rate of .429, far above chance, by the number of unknown tokens alone."""
    model = load_model(f"{tiny_model}{prompt}")
    assert find_cut(model, "abc", "мост я", "a мост !", "") == Cut(4, 0, 0, unknown=1, unknown_tokens=4)


def test_pairs_whose_tokens_are_unknown(tmp_path: Path) -> None:
    model = load_model(f"cross-encoder:{save_tiny_encoder(tmp_path / 'c', labels=1)}")
    assert find_cut(model, ("abc", "мост"), ("мост", "река"), ("a", "b")) == Cut(3, 0, 0, unknown=1, unknown_tokens=3)
    suite = load_suite("sample", "ranking")
    record = evaluate_model(dataclasses.replace(model, find_cut=lambda _: Cut(9, 0, 0, 2, 7)), suite, Settings()).record
    assert record.model.text_counts == {"unknown_pairs": 2, "pairs": 9, "unknown_tokens": 7}
    lines = list(note_texts("m", record))
    assert ["2 of 9 pairs" in lines[0], "7 tokens" in lines[1], len(lines)] == [True, True, 2]


def test_a_sparse_encoder_in_memory(tmp_path: Path) -> None:
    """Its sparse tensors were refused as no array, and a loaded folder as a model without vectors."""
    from sentence_transformers import SparseEncoder

    encoder = SparseEncoder(str(save_sparse_encoder(tmp_path / "m")), device="cpu")
    encoder.max_seq_length = 8
    model = describe_object(encoder)
    assert (model.effective["max_tokens"], model.effective["configured_similarity"]) == (8, "dot")
    assert find_cut(model, SHORT, LONG) == Cut(inputs=2, cut=1, tokens=4)
    dense = SimpleNamespace(encode=lambda texts: encoder.encode(texts).to_dense())
    values = [
        evaluate(single, "sample", "ranking", cache=False, resamples=5, similarity="cosine").tasks
        for single in (encoder, dense)
    ]
    assert values[0]["ranking"]["success_rate"] == values[1]["ranking"]["success_rate"] > 0.25
