"""Models made for retrieval: their scores are those of the library, on small models that the tests make."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from helpers.messages import mentions
from helpers.tiny_models import save_late_interaction, save_sparse_encoder, save_tiny_encoder

from harness.api.evaluating import evaluate
from harness.evaluation.direct_scoring import pair_texts
from harness.evaluation.runner import load_suite
from harness.evaluation.scoring import score_tests
from harness.models.interfaces.model import Cut
from harness.models.kinds.retrieval import LateInteractionScorer
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
    vectors, expected = model.scorer.encode(["storm"]), load_sparse(sparse_model).encode(["ask: storm"])
    np.testing.assert_allclose(vectors.to_dense().numpy(), expected.to_dense().numpy(), rtol=1e-6)
    assert caplog.records == []
    load_model(str(tmp_path / "p"))
    assert "prompt=query" in caplog.text
    named, plain, text = (load_model(f"{tmp_path / 'p'},prompt={value}") for value in ("query", "none", "say: "))
    assert [single.options["prompt"] for single in (named, plain, text)] == ["ask: ", "none", "say: "]
    assert [single.scorer.prompt for single in (named, plain, text)] == ["ask: ", "", "say: "]
    with pytest.raises(ModelError, match=mentions("m,prompt_name=x: ... 'x' ... document, query")):
        load_model(f"{sparse_model},prompt_name=x")


def test_the_route_of_a_sparse_encoder(sparse_model: Path, tmp_path: Path) -> None:
    """Sparse encoders without inference for queries have a route of their own for them."""
    from sentence_transformers import SparseEncoder
    from sentence_transformers.base.modules import Router

    document, query = (list(load_sparse(sparse_model).children()) for _ in range(2))
    document[0].max_seq_length, query[0].max_seq_length = 8, 4
    router = Router.for_query_document(query_modules=query, document_modules=document, default_route="document")
    library = SparseEncoder(modules=[router], device="cpu")
    library.save_pretrained(str(tmp_path / "r"))
    for option, route in (("", "document"), (",task=query", "query")):
        model = load_model(f"{tmp_path / 'r'}{option}")
        assert model.effective["route"] == route
        ((_, vectors),) = model.scorer.encode_batches(["a b c d e f"])
        expected = library.encode(["a b c d e f"], task=route)
        np.testing.assert_allclose(vectors.to_dense().numpy(), expected.to_dense().numpy(), rtol=1e-6)


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


@pytest.fixture(scope="module", params=[None, 32], ids=["plain", "expanded queries"])
def late_model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_late_interaction(tmp_path_factory.mktemp("late") / "m", expansion=request.param)


def load_late(folder: Path, **settings: Any) -> Any:  # noqa: ANN401
    from sentence_transformers import MultiVectorEncoder

    return MultiVectorEncoder(str(folder), device="cpu", **settings)


@pytest.mark.parametrize(
    ("sides", "names"),
    [
        ("", ("encode_query", "encode_document")),
        ("query", ("encode_query", "encode_query")),
        ("document", ("encode_document", "encode_document")),
    ],
)
def test_late_interaction_is_that_of_the_library(late_model: Path, sides: str, names: tuple[str, str]) -> None:
    """The mean of MaxSim over both orders, since a pair of our tests has no query and no document."""
    model = load_late(late_model)
    pairs, scores = score_sample(f"{late_model},sides={sides}" if sides else str(late_model))
    left, right = zip(*pairs, strict=True)
    encode_query, encode_document = (getattr(model, name) for name in names)
    forward = model.similarity_pairwise(encode_query(list(left)), encode_document(list(right)))
    backward = model.similarity_pairwise(encode_query(list(right)), encode_document(list(left)))
    require_agreement(scores, ((forward.double() + backward.double()) / 2).numpy())
    matrix = model.similarity(encode_query(list(left[:5])), encode_document(list(right[:5])))
    np.testing.assert_allclose(np.diag(matrix.numpy()), forward[:5].numpy(), rtol=1e-6)


def test_what_is_recorded_of_late_interaction(late_model: Path, caplog: pytest.LogCaptureFixture) -> None:
    is_expanded = load_late(late_model)[0].query_expansion is not None
    model = load_model(str(late_model))
    assert (model.kind, model.options, model.similarity) == ("late-interaction", {"dtype": "float32"}, "cosine")
    assert model.effective == {
        "configured_similarity": "maxsim",
        "document_prompt": "d ",
        "document_max_tokens": 40,
        "query_prompt": "q ",
        "query_max_tokens": 32 if is_expanded else 64,
        "sides": "both",
        "orders": "mean of both",
    }
    documents = load_model(f"{late_model},sides=document,max_seq_length=9")
    assert documents.options == {"dtype": "float32", "sides": "document", "max_seq_length": 9}
    assert [name for name in documents.effective if name.startswith("query")] == []
    assert documents.effective["document_max_tokens"] == 9
    assert documents.fingerprint != model.fingerprint
    # BERT adds 2 tokens, and the prompt is 1: 9 tokens hold 6 letters.
    assert documents.find_cut is not None
    pairs = [("a b c d e f", "a"), ("a b c d e f g", "a b c d e f g h"), ("м", "м"), ("a", "м")]
    assert documents.find_cut(pairs) == Cut(inputs=4, cut=1, tokens=3, unknown=1, unknown_tokens=3)
    assert caplog.records == []


def test_the_length_of_queries_without_expansion(late_model: Path, tmp_path: Path) -> None:
    """An expansion sets the length of queries itself."""
    library = load_late(late_model)
    is_expanded = library[0].query_expansion is not None
    library[0].query_length = 48
    library.save_pretrained(str(tmp_path / "m"))
    lengths = [load_model(f"{tmp_path / 'm'}{option}").effective for option in ("", ",max_seq_length=9")]
    assert [single["query_max_tokens"] for single in lengths] == ([32, 32] if is_expanded else [48, 9])
    assert [single["document_max_tokens"] for single in lengths] == [40, 9]


def test_missing_tensors(late_model: Path, tmp_path: Path) -> None:
    """The library initializes them at random. No vector depends on the pooler."""
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(late_model, tmp_path / "m")
    tensors = load_file(folder / "model.safetensors")
    used = {name: tensor for name, tensor in tensors.items() if "pooler" not in name}
    assert 0 < len(used) < len(tensors)
    save_file(used, folder / "model.safetensors", metadata={"format": "pt"})
    assert load_model(str(folder)).kind == "late-interaction"
    used.pop(next(name for name in used if "query" in name))
    save_file(used, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=mentions("missing tensors (1, ... query")):
        load_model(str(folder))


def test_an_object_of_late_interaction(late_model: Path) -> None:
    loaded = evaluate(str(late_model), "sample", "ranking", cache=False, resamples=5)
    in_memory = evaluate(load_late(late_model), "sample", "ranking", cache=False, resamples=5)
    np.testing.assert_allclose(loaded.rows["ranking"].scores, in_memory.rows["ranking"].scores, rtol=1e-6)
    assert in_memory.record.model.effective == loaded.record.model.effective
    with pytest.raises(ModelError, match=mentions("similarity ... encoders")):
        evaluate(str(late_model), "sample", "ranking", similarity="dot")


def test_a_folder_of_pylate(tmp_path: Path) -> None:
    """PyLate names its own classes, and marks queries and documents by tokens. The library reads them as its own."""
    folder = save_late_interaction(tmp_path / "m")
    path = folder / "config_sentence_transformers.json"
    settings = json.loads(path.read_text())
    settings |= {"model_type": "ColBERT", "query_prefix": "[Q] ", "document_prefix": "[D] ", "query_length": 20}
    path.write_text(json.dumps({**settings, "prompts": {}}))
    modules = json.loads((folder / "modules.json").read_text())
    modules = [module for module in modules if module["type"].endswith(("Transformer", "Dense"))]
    assert len(modules) == 2
    modules[1]["type"] = "pylate.models.Dense.Dense"
    (folder / "modules.json").write_text(json.dumps(modules))
    model = load_model(str(folder))
    assert (model.kind, model.effective["query_prompt"]) == ("late-interaction", "[Q] ")
    ((_, scores),) = model.scorer.score_batches([("storm", "town")])
    assert np.isfinite(scores).all()


def test_a_folder_of_stanford(tmp_path: Path) -> None:
    """The projection is among the tensors of the transformer, and no list of modules exists."""
    import torch
    from safetensors.torch import load_file, save_file

    folder = save_tiny_encoder(tmp_path / "m")
    tensors = load_file(folder / "model.safetensors")
    projection = torch.randn(8, 16, generator=torch.Generator().manual_seed(0))
    tensors = {**{f"bert.{name}": tensor for name, tensor in tensors.items()}, "linear.weight": projection}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "architectures": ["HF_ColBERT"]}))
    settings = {"dim": 8, "query_maxlen": 32, "doc_maxlen": 40, "mask_punctuation": True}
    (folder / "artifact.metadata").write_text(json.dumps(settings))
    model = load_model(str(folder))
    assert (model.kind, model.effective["document_max_tokens"]) == ("late-interaction", 40)
    pairs = [("storm", "town"), ("a b c", "a b d")]
    ((_, scores),) = model.scorer.score_batches(pairs)
    library = load_late(folder)
    torch.testing.assert_close(library[1].linear.weight.detach(), projection)
    left, right = (list(texts) for texts in zip(*pairs, strict=True))
    expected = sum(
        library.similarity_pairwise(library.encode_query(queries), library.encode_document(documents)).double() / 2
        for queries, documents in ((left, right), (right, left))
    )
    np.testing.assert_allclose(scores, expected.numpy(), rtol=1e-6)


def test_a_plain_encoder_is_no_model_of_late_interaction(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=mentions("late-interaction: ... Dense ... random ... transformers:")):
        load_model(f"late-interaction:{save_tiny_encoder(tmp_path / 'e')}")


class Vectors:
    """The vectors of a text, which counts how many texts have vectors in memory."""

    alive = most = made = 0

    def __init__(self) -> None:
        Vectors.alive += 1
        Vectors.made += 1
        Vectors.most = max(Vectors.most, Vectors.alive)

    def __del__(self) -> None:
        Vectors.alive -= 1


class CountedModel:
    def encode_query(self, texts: list[str], **_settings: Any) -> list[Vectors]:  # noqa: ANN401
        return [Vectors() for _ in texts]

    encode_document = encode_query

    def similarity_pairwise(self, queries: list[Vectors], _documents: list[Vectors]) -> Any:  # noqa: ANN401
        import torch

        return torch.zeros(len(queries))


def test_memory_does_not_depend_on_the_number_of_texts() -> None:
    """Each of two sides has the vectors of two parts of 512 pairs at most, of 1,024 texts each."""
    pairs = [(f"a{number}", f"b{number}") for number in range(5_000)]
    batches = list(LateInteractionScorer(CountedModel()).score_batches(pairs))
    assert [place for places, _ in batches for place in places] == list(range(5_000))
    assert Vectors.made == 20_000
    assert 1_000 < Vectors.most <= 2 * 2 * 1_024
    # Texts of the previous part are not encoded again.
    Vectors.made = 0
    list(LateInteractionScorer(CountedModel()).score_batches([("a", f"b{number}") for number in range(1_000)]))
    assert Vectors.made == 2 * 1_001
