"""Models that encode queries and documents in different ways: their scores are those of the library."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from helpers.messages import mentions
from helpers.stand_ins import PAIRS, require_same, save_router, save_stand_in, score_pairs
from helpers.tiny_models import save_late_interaction, save_sparse_encoder

from harness.api.evaluating import evaluate
from harness.models.interfaces.model import Cut
from harness.models.loading import load_model
from harness.reports.table_notes import note_texts
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import OptionError

pytestmark = pytest.mark.needs("sentence_transformers")

PROMPTS = {"query": "ask: ", "document": "say: "}


@pytest.fixture(scope="module")
def routed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_router(tmp_path_factory.mktemp("routed"), prompts=PROMPTS)


def load_library(folder: Path, name: str = "SentenceTransformer") -> Any:  # noqa: ANN401
    import sentence_transformers

    return getattr(sentence_transformers, name)(str(folder), device="cpu")


def compare_sides(library: Any, first: str, second: str) -> npt.NDArray[np.float64]:  # noqa: ANN401
    """Return the mean similarity of both orders by the methods of the library, such as `encode_query`."""
    left, right = ([pair[side] for pair in PAIRS] for side in (0, 1))
    encode_first, encode_second = getattr(library, f"encode_{first}"), getattr(library, f"encode_{second}")
    forward = library.similarity_pairwise(encode_first(left), encode_second(right))
    backward = library.similarity_pairwise(encode_first(right), encode_second(left))
    return np.asarray((forward.double() + backward.double()) / 2)


def compare_vectors(model: Any) -> npt.NDArray[np.float64]:  # noqa: ANN401
    first, second = (np.asarray(model.scorer.encode([pair[side] for pair in PAIRS]), np.float64) for side in (0, 1))
    return np.asarray((first * second).sum(1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1))


def test_sides_of_a_router_are_those_of_the_library(routed: Path) -> None:
    """Without the option, the default route and no prompt, as `encode` does."""
    library = load_library(routed)
    expected = {
        "query": compare_sides(library, "query", "query"),
        "document": compare_sides(library, "document", "document"),
        "both": compare_sides(library, "query", "document"),
    }
    models = {value: load_model(f"{routed},sides={value}") for value in expected}
    require_same(compare_vectors(models["query"]), expected["query"])
    require_same(compare_vectors(models["document"]), expected["document"])
    require_same(score_pairs(models["both"]), expected["both"])
    plain = load_model(str(routed))
    left, right = (library.encode([pair[side] for pair in PAIRS]) for side in (0, 1))
    require_same(compare_vectors(plain), library.similarity_pairwise(left, right).double().numpy())
    assert len({model.fingerprint for model in (plain, *models.values())}) == 4
    assert len({model.store_key for model in (plain, *models.values())}) == 4


def test_scores_of_both_sides_are_symmetric(routed: Path) -> None:
    model = load_model(f"{routed},sides=both")
    ((_, scores),) = model.scorer.score_batches([PAIRS[0], PAIRS[0][::-1], (PAIRS[0][0], PAIRS[0][0])])
    assert scores[0] == pytest.approx(scores[1], abs=1e-15)
    assert scores[2] != pytest.approx(1.0, abs=1e-3)  # the sides differ


def test_what_is_recorded_of_sides(routed: Path) -> None:
    both, query = (load_model(f"{routed},sides={value}") for value in ("both", "query"))
    assert both.options == {"dtype": "float32", "sides": "both"}
    assert both.effective == {
        "query_prompt": "ask: ",
        "document_prompt": "say: ",
        "query_route": "query",
        "document_route": "document",
        "pooling": "mean",
        "max_tokens": 256,
        "normalized": True,
        "configured_similarity": "cosine",
        "sides": "both",
        "orders": "mean of both",
    }
    assert both.name == "routed0/routed (sides=both)"
    assert {name: query.effective[name] for name in ("prompt", "route", "sides")} == {
        "prompt": "ask: ",
        "route": "query",
        "sides": "query",
    }
    assert "orders" not in query.effective


def test_the_note_of_a_table(routed: Path) -> None:
    records = {
        value: evaluate(f"{routed},sides={value}", "sample", "ranking", cache=False, resamples=5).record
        for value in ("both", "document")
    }
    assert "query: 'ask: ', document: 'say: '" in next(iter(note_texts("m", records["both"])))
    (note, *_) = note_texts("m", records["document"])
    assert re.search(r"document .*prompts: document: 'say: '", note)
    assert not [line for record in records.values() for line in note_texts("m", record) if "default route" in line]


@pytest.mark.parametrize("similarity", ["dot", "euclidean", "model"])
def test_the_similarity_of_both_sides(tmp_path: Path, similarity: str) -> None:
    """Scores of pairs are stored, and depend on the similarity. Vectors are stored without it."""
    folder = save_stand_in(tmp_path / "m", "bert", prompts=PROMPTS)
    library = load_library(folder)
    library.similarity_fn_name = "cosine" if similarity == "model" else similarity
    models = [load_model(f"{folder},sides=both{option}") for option in (f",similarity={similarity}", "")]
    require_same(score_pairs(models[0]), compare_sides(library, "query", "document"))
    is_same = similarity == "model"  # the configuration names the cosine
    assert (models[0].store_key == models[1].store_key) == is_same
    assert (models[0].fingerprint == models[1].fingerprint) == is_same


def test_sides_of_a_sparse_encoder(tmp_path: Path) -> None:
    folder = save_sparse_encoder(tmp_path / "m")
    library = load_library(folder, "SparseEncoder")
    library.prompts = PROMPTS
    library.save_pretrained(str(tmp_path / "p"))
    library = load_library(tmp_path / "p", "SparseEncoder")
    both, query = (load_model(f"{tmp_path / 'p'},sides={value}") for value in ("both", "query"))
    expected = compare_sides(library, "query", "document")
    ours = score_pairs(both)
    np.testing.assert_allclose(ours, expected, rtol=1e-6)
    assert len(set(ours.round(6))) >= 50
    assert (both.similarity, both.options["similarity"], both.effective["document_prompt"]) == ("dot", "dot", "say: ")
    vectors = query.scorer.encode(["storm"])
    np.testing.assert_allclose(
        vectors.to_dense().numpy(), library.encode_query(["storm"]).to_dense().numpy(), rtol=1e-6
    )


@pytest.mark.full
def test_several_devices_of_late_interaction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each device has a process of its own, which starts once for all parts of the pairs."""
    monkeypatch.setattr("harness.models.neural.sides._PAIRS_AT_ONCE", 20)
    folder = save_late_interaction(tmp_path / "l")
    several, single = (load_model(f"{folder}{option}") for option in (",device=cpu+cpu,batch_size=8", ""))
    assert several.device == "cpu+cpu"
    started = []
    model = several.scorer._model
    start = type(model).start_multi_process_pool
    monkeypatch.setattr(
        type(model), "start_multi_process_pool", lambda self, devices: started.append(devices) or start(self, devices)
    )
    assert score_pairs(several) == pytest.approx(score_pairs(single), rel=1e-6)
    assert started == [["cpu", "cpu"]]


def test_encoders_use_one_device_for_both_sides() -> None:
    for kind in ("sentence-transformers", "sparse"):
        with pytest.raises(ModelError, match=mentions("sides=both ... Use one device")):
            load_model(f"{kind}:m,sides=both,device=cpu+cpu")


def test_cut_pairs_of_both_sides(tmp_path: Path) -> None:
    """A prompt of documents with two tokens leaves less room. BERT adds two tokens to a text."""
    folder = save_stand_in(tmp_path / "m", "bert", prompts={"query": "", "document": "a b "})
    model = load_model(f"{folder},sides=both,max_seq_length=8")
    assert model.find_cut is not None
    # The vocabulary has no Cyrillic letter.
    pairs = [("a b c d", "a"), ("a b c d e", "a b c d e f"), ("ж", "ж"), ("ж", "a")]
    assert model.find_cut(pairs) == Cut(inputs=4, cut=1, tokens=3, unknown=1, unknown_tokens=3)


def test_models_without_sides(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = save_stand_in(tmp_path / "m", "bert")
    model = load_model(f"{folder},sides=both")
    assert [record for record in caplog.messages if "alike" in record] == caplog.messages[:1]
    plain = load_model(str(folder))
    assert score_pairs(model) == pytest.approx(compare_vectors(plain), abs=1e-6)
    caplog.clear()
    load_model(f"{save_stand_in(tmp_path / 'p', 'bert', prompts=PROMPTS)},sides=document")
    assert caplog.messages == []


def test_a_router_without_the_side_is_refused(tmp_path: Path, routed: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Router

    modules = next(iter(load_library(routed).children())).sub_modules
    router = Router({"ask": list(modules["query"]), "tell": list(modules["document"])}, default_route="tell")
    SentenceTransformer(modules=[router], device="cpu").save(str(tmp_path / "r"))
    with pytest.raises(ModelError, match=mentions("r,sides=both: refuses the task ... Omit the option sides")):
        load_model(f"{tmp_path / 'r'},sides=both")


@pytest.mark.parametrize("option", ["prompt=none", "prompt_name=query", "task=query"])
def test_what_a_side_decides_cannot_be_set(option: str) -> None:
    for kind in ("sentence-transformers", "sparse"):
        with pytest.raises(OptionError, match=mentions(f"{option.split('=')[0]} and sides ... Omit")):
            load_model(f"{kind}:m,sides=query,{option}")
    with pytest.raises(OptionError, match=mentions("option sides ... 'x' ... query ... document ... both")):
        load_model("sparse:m,sides=x")
