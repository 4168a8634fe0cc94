"""The option `similarity` of encoders: in specs, names, fingerprints, requests and scores, and where it is refused."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from helpers.messages import mentions

from harness.api.evaluating import evaluate
from harness.evaluation.session import hash_request
from harness.models.interfaces.kinds import SIMILARITY
from harness.models.loading import describe_object, load_model, with_similarity
from harness.models.registry import KINDS
from harness.models.specs import parse_spec
from harness.paraphrases.dimple.quality import embed_words
from harness.summarization.soft_pyramid import require_scorer
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import OptionError


class Numbers:
    """An encoder whose vectors have one value: the number of characters times a factor."""

    def __init__(self, factor: float = 1.0) -> None:
        self.factor = factor

    def encode(self, texts: list[str]) -> sp.csr_matrix:
        return sp.csr_matrix(np.array([[len(text) * self.factor] for text in texts]))


class Pairs:
    def score(self, pairs: list[tuple[str, str]]) -> list[float]:
        return [float(len(first)) for first, _ in pairs]


def test_every_encoder_has_the_option() -> None:
    """A person's pyramid is compared by the cosine, because its threshold is one of cosines."""
    assert {kind.name for kind in KINDS if SIMILARITY in kind.options} == {
        *("one-hot", "tf-idf", "char-ngrams", "random", "wtmf", "ormf", "vectors", "model2vec", "wordllama"),
        *("sentence-transformers", "endpoint", "onnx"),
    }


def test_the_default_changes_nothing() -> None:
    plain, explicit = parse_spec("one-hot"), parse_spec("one-hot,similarity=cosine")
    assert (plain.settings, plain.title) == (explicit.settings, explicit.title) == ({"tokenizer": "own"}, "one-hot")
    models = load_model("one-hot"), load_model("one-hot,similarity=cosine")
    assert len({model.fingerprint for model in models}) == 1
    assert [model.options for model in models] == [{"tokenizer": "own"}] * 2
    assert len({hash_request(spec, [], [], (1, 0)) for spec in (plain, explicit)}) == 1


def test_another_similarity_is_another_model() -> None:
    spec = parse_spec("one-hot,similarity=dot")
    assert (spec.similarity, spec.title, spec.settings) == ("dot", "one-hot (similarity=dot)", {"tokenizer": "own"})
    model, plain = load_model("one-hot,similarity=dot"), load_model("one-hot")
    assert model.options == {"tokenizer": "own", "similarity": "dot"}
    assert model.fingerprint != plain.fingerprint
    named = parse_spec("one-hot,name=m"), parse_spec("one-hot,name=m,similarity=dot")
    assert len({hash_request(spec, [], [], (1, 0)) for spec in named}) == 2


def test_unit_vectors_of_bags_of_words_have_no_dot_products() -> None:
    """With one-hot vectors, the dot product is the number of shared occurrences of words, a whole number."""
    result = evaluate("one-hot,similarity=dot", "sample", "ranking", resamples=1, cache=False)
    scores = result.rows["ranking"].scores
    assert np.array_equal(scores, np.round(scores))
    assert scores.max() > 3
    assert "similarity:dot" in result.signature
    assert "similarity" not in evaluate("one-hot", "sample", "ranking", resamples=1, cache=False).signature


def test_a_similarity_of_the_configuration_needs_a_configuration() -> None:
    with pytest.raises(ModelError, match=mentions("one-hot (similarity=model): ... cosine, dot, euclidean, manhattan")):
        load_model("one-hot,similarity=model")


def test_a_configured_similarity(caplog: pytest.LogCaptureFixture) -> None:
    model = replace(describe_object(Numbers()), effective={"configured_similarity": "euclidean"}, fingerprint="f")
    assert with_similarity(model, "cosine", "Pass similarity=") is model
    assert re.search(mentions("Numbers: ... euclidean, ... cosine ... Pass similarity=model"), caplog.text)
    used = with_similarity(model, "model", "")
    assert (used.similarity, used.options) == ("euclidean", {"similarity": "euclidean"})
    assert used.fingerprint == with_similarity(model, "euclidean", "").fingerprint != "f"
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    "effective",
    [{}, {"configured_similarity": "cosine"}, {"configured_similarity": "dot", "normalized": True}],
    ids=["none", "cosine", "unit vectors"],
)
def test_the_cosine_is_not_mentioned_where_nothing_else_is_meant(
    effective: dict[str, str | bool], caplog: pytest.LogCaptureFixture
) -> None:
    model = replace(describe_object(Numbers()), effective=effective)
    assert with_similarity(model, "cosine", "") is model
    assert caplog.records == []


def test_a_configuration_that_names_the_cosine() -> None:
    model = replace(describe_object(Numbers()), effective={"configured_similarity": "cosine"}, fingerprint="f")
    assert with_similarity(model, "model", "") is model


def test_objects() -> None:
    result = evaluate(Numbers(), "sample", "ranking", similarity="manhattan", resamples=1)
    assert result.rows["ranking"].scores.max() <= 0
    assert result.record.model.options == {"similarity": "manhattan"}
    assert evaluate("one-hot", "sample", "ranking", similarity="dot", resamples=1).model == "one-hot (similarity=dot)"
    with pytest.raises(ModelError, match=mentions("Pairs: similarity ... encoders ... Omit")):
        evaluate(Pairs(), "sample", "ranking", similarity="dot")
    with pytest.raises(OptionError, match=mentions("similarity 'cosin'. ... 'cosine' ... cosine, dot")):
        evaluate(Numbers(), "sample", "ranking", similarity="cosin")


def test_models_that_learn() -> None:
    class Learner:
        def __init__(self, learned: object) -> None:
            self.learned = learned

        def learn(self, _texts: list[str]) -> object:
            return self.learned

    result = evaluate(Learner(Numbers()), "sample", "ranking", similarity="manhattan", resamples=1)
    assert result.rows["ranking"].scores.max() <= 0
    with pytest.raises(ModelError, match=mentions("Learner: similarity=dot ... pair scorer. Omit")):
        evaluate(Learner(Pairs()), "sample", "ranking", similarity="dot")


def test_vectors_that_are_too_long() -> None:
    with pytest.raises(ModelError, match=mentions("m: ... similarity=dot. Use similarity=cosine")):
        evaluate(Numbers(1e200), "sample", "ranking", similarity="dot", name="m")


def test_programs_that_know_the_cosine_only() -> None:
    """They would ignore the option silently."""
    model = load_model("one-hot,similarity=dot")
    for use in (require_scorer, lambda model: embed_words(model, ["a"])):
        with pytest.raises(ModelError, match=mentions("one-hot (similarity=dot): ... cosine ... Omit similarity=dot")):
            use(model)
