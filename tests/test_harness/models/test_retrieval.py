"""Models made for retrieval: their scores are those of the library, on small models that the tests make."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from helpers.messages import mentions
from helpers.tiny_models import save_sparse_encoder, save_tiny_encoder

from harness.api.evaluating import evaluate
from harness.evaluation.direct_scoring import pair_texts
from harness.evaluation.runner import load_suite
from harness.evaluation.scoring import score_tests
from harness.models.loading import load_model
from harness.models.specs import parse_spec
from harness.support.errors import ModelError

pytestmark = [pytest.mark.full, pytest.mark.needs("sentence_transformers")]


@pytest.fixture(scope="module")
def sparse_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_sparse_encoder(tmp_path_factory.mktemp("sparse") / "m")


def load_sparse(folder: Path, **settings: Any) -> Any:  # noqa: ANN401
    from sentence_transformers import SparseEncoder

    return SparseEncoder(str(folder), device="cpu", **settings)


def score_sample(spec: str) -> tuple[list[tuple[str, str]], npt.NDArray[np.float64]]:
    """Score the pairs of `binary` of the sample. Return the texts of the pairs, and their scores."""
    suite = load_suite("sample", "binary")
    (rows,) = suite.rows
    scores = score_tests(load_model(spec), suite.texts, [rows], store=None, resume=False).by_test["binary"].values
    pairs = [(suite.texts[first], suite.texts[second]) for first, second in pair_texts(rows.texts).tolist()]
    return pairs, np.asarray(scores, dtype=np.float64)


def require_agreement(scores: npt.NDArray[np.float64], expected: npt.NDArray[np.float64]) -> None:
    """Require equal scores and an equal order of different scores, of at least 50 values."""
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-6)
    assert len(np.unique(scores)) >= 50
    order = np.argsort(scores, kind="stable")
    assert (np.diff(expected[order]) > -2e-6 * np.abs(expected).max()).all()


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")  # of torch, in the function of the library
@pytest.mark.parametrize("similarity", ["", "cosine"])
def test_sparse_scores_are_those_of_the_library(sparse_model: Path, similarity: str) -> None:
    """By default, the dot product, which the library names if a configuration names no similarity."""
    model = load_sparse(sparse_model, similarity_fn_name=similarity or None)
    pairs, scores = score_sample(f"{sparse_model},similarity={similarity}" if similarity else str(sparse_model))
    left, right = (model.encode(list(texts)) for texts in zip(*pairs, strict=True))
    expected = model.similarity_pairwise(left, right).double().numpy()
    require_agreement(scores, expected)
    # `similarity` compares all pairs, and these are its diagonal.
    np.testing.assert_allclose(expected[:9], np.diag(model.similarity(left, right).numpy())[:9], rtol=1e-5)


def test_what_is_recorded_of_a_sparse_encoder(sparse_model: Path) -> None:
    model = load_model(f"{sparse_model},max_active_dims=7,max_seq_length=9")
    assert (model.kind, model.similarity, model.store_key) == ("sparse", "dot", None)
    assert model.options == {"dtype": "float32", "max_active_dims": 7, "max_seq_length": 9, "similarity": "dot"}
    assert model.effective == {
        "max_tokens": 9,
        "normalized": False,
        "configured_similarity": "dot",
        "max_active_dims": 7,
    }
    assert model.name.endswith("/m (max_seq_length=9, max_active_dims=7)")
    ((_, vectors),) = model.scorer.encode_batches(["a b c d e f g"])
    assert vectors.is_sparse
    assert (vectors.to_dense() > 0).sum().item() == 7
    plain, cosine = (load_model(f"{sparse_model}{option}") for option in ("", ",similarity=cosine"))
    assert len({model.fingerprint, plain.fingerprint, cosine.fingerprint}) == 3


def test_an_object_is_compared_as_its_folder_is(sparse_model: Path) -> None:
    """An object was compared by the cosine, with a warning."""
    loaded = evaluate(str(sparse_model), "sample", "ranking", cache=False, resamples=5)
    in_memory = evaluate(load_sparse(sparse_model), "sample", "ranking", cache=False, resamples=5)
    np.testing.assert_allclose(loaded.rows["ranking"].scores, in_memory.rows["ranking"].scores, rtol=1e-6)
    assert in_memory.record.model.options == {"similarity": "dot"}
    assert in_memory.record.model.effective == loaded.record.model.effective


def test_prompts_of_a_sparse_encoder(sparse_model: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    load_sparse(sparse_model, prompts={"query": "ask: "}).save_pretrained(str(tmp_path / "p"))
    model = load_model(f"{tmp_path / 'p'},prompt_name=query")
    assert (model.effective["prompt"], model.options["prompt_name"]) == ("ask: ", "query")
    vectors = [model.scorer.encode(["storm"]), load_sparse(sparse_model).encode(["ask: storm"])]
    np.testing.assert_allclose(*(single.to_dense().numpy() for single in vectors), rtol=1e-6)
    assert caplog.records == []
    load_model(str(tmp_path / "p"))
    assert "prompt_name=query" in caplog.text
    with pytest.raises(ModelError, match=mentions("m,prompt_name=x: ... 'x' ... document, query")):
        load_model(f"{sparse_model},prompt_name=x")


def test_several_devices_of_a_sparse_encoder(sparse_model: Path) -> None:
    """Each device has a process of its own."""
    texts = [f"storm {number}" for number in range(20)]
    scorer = load_model(f"{sparse_model},device=cpu+cpu,batch_size=4").scorer
    ((places, vectors),) = scorer.encode_batches(texts)
    expected = load_sparse(sparse_model).encode([texts[place] for place in places])
    np.testing.assert_allclose(vectors.to_dense().numpy(), expected.to_dense().numpy(), rtol=1e-5, atol=1e-6)


def test_a_folder_without_its_head_is_refused(sparse_model: Path, tmp_path: Path) -> None:
    """The library would add a head with random weights."""
    with pytest.raises(ModelError, match=mentions("sparse: ... SparseAutoEncoder ... random ... transformers:")):
        load_model(f"sparse:{save_tiny_encoder(tmp_path / 'e')}")
    broken = shutil.copytree(sparse_model, tmp_path / "b")
    (broken / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=mentions("b: cannot be loaded")):
        load_model(str(broken))


def test_names_on_the_hub() -> None:
    assert parse_spec("sparse-encoder/example").kind.name == "sparse"
    assert parse_spec("sparse:naver/x").similarity == "model"
