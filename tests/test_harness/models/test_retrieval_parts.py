"""Parts of models made for retrieval that need no library: their models here have only what is asked of them."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from helpers.messages import mentions

from harness.models.interfaces.model import Cut, Model
from harness.models.kinds import retrieval
from harness.models.kinds.retrieval import (
    LateInteractionScorer,
    SparseTextEncoder,
    add_late_interaction,
    add_sparse_configuration,
)
from harness.models.specs import parse_spec
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import OptionError


class Tokenizer:
    """A tokenizer with a token per letter, and two more tokens for each text. Its vocabulary has no "?"."""

    unk_token_id = 0

    def __init__(self) -> None:
        self.settings: list[dict[str, Any]] = []

    def __call__(self, text: str, **settings: Any) -> dict[str, list[int]]:  # noqa: ANN401
        self.settings.append(settings)
        ids = [0 if letter == "?" else ord(letter) for letter in text]
        return {"input_ids": [1, *ids, 2] if settings.get("add_special_tokens", True) else ids}


class Scores:
    """A tensor, of which only the values in double precision are asked for."""

    def __init__(self, values: list[float]) -> None:
        self.values = values

    def double(self) -> Scores:
        return self

    def cpu(self) -> npt.NDArray[np.float64]:
        return np.array(self.values)


class Late:
    """A `MultiVectorEncoder` whose vectors are texts with their side. The similarity of "q:a" and "d:b" is 1."""

    similarity_fn_name = "maxsim"
    default_prompt_name = None

    def __init__(self, **transformer: Any) -> None:  # noqa: ANN401
        self.prompts = {"query": "ask", "document": ""}
        self.tokenizer: Any = Tokenizer()
        self.modules = [SimpleNamespace(**transformer), SimpleNamespace()]
        self.calls: list[tuple[Any, ...]] = []

    def __getitem__(self, place: int) -> Any:  # noqa: ANN401
        return self.modules[place]

    def encode_query(self, texts: list[str], **settings: Any) -> list[str]:  # noqa: ANN401
        self.calls.append(("query", texts, settings))
        return [f"q:{text}" for text in texts]

    def encode_document(self, texts: list[str], **settings: Any) -> list[str]:  # noqa: ANN401
        self.calls.append(("document", texts, settings))
        return [f"d:{text}" for text in texts]

    def similarity_pairwise(self, queries: list[str], documents: list[str]) -> Scores:
        scores = []
        for query, document in zip(queries, documents, strict=True):
            is_of_one_side = query[0] == document[0]
            scores.append(float((query, document) == ("q:a", "d:b")) + 10 * is_of_one_side)
        return Scores(scores)

    def start_multi_process_pool(self, devices: list[str]) -> str:
        self.calls.append(("start", devices))
        return "pool"

    def stop_multi_process_pool(self, pool: str) -> None:
        self.calls.append(("stop", pool))


def score(scorer: Any, pairs: list[tuple[str, str]]) -> list[float]:  # noqa: ANN401
    return [value for _, batch in scorer.score_batches(pairs) for value in batch.tolist()]


def test_scores_of_late_interaction() -> None:
    """One of both orders of the first pair has a similarity of 1, and texts of one side have 10."""
    model = Late()
    assert score(LateInteractionScorer(model), [("a", "b"), ("b", "c")]) == [0.5, 0.0]
    settings = {"batch_size": 32, "show_progress_bar": False}
    assert model.calls == [("query", ["a", "b", "c"], settings), ("document", ["a", "b", "c"], settings)]
    model = Late()
    assert score(LateInteractionScorer(model, of_pairs="query", batch_size=4), [("a", "b")]) == [10.0]
    assert model.calls == [("query", ["a", "b"], {"batch_size": 4, "show_progress_bar": False})]


def test_processes_end_with_the_scores() -> None:
    model = Late()
    scorer = LateInteractionScorer(model, devices=["cpu", "cpu"])
    assert score(scorer, [("a", "b")]) == [0.5]
    settings = {"batch_size": 32, "show_progress_bar": False, "pool": "pool"}
    assert model.calls == [
        ("start", ["cpu", "cpu"]),
        ("query", ["a", "b"], settings),
        ("document", ["a", "b"], settings),
        ("stop", "pool"),
    ]
    batches = scorer.score_batches([("a", "b")] * 1_000)
    next(batches)
    batches.close()  # as after an error
    assert model.calls[-1] == ("stop", "pool")
    assert [call[0] for call in model.calls].count("stop") == 2


@pytest.mark.parametrize(
    ("transformer", "query", "document"),
    [
        ({"query_length": 32, "document_length": 40, "max_seq_length": 64}, 32, 40),
        ({"query_length": None, "document_length": None, "max_seq_length": 64}, 64, 64),
        ({"max_seq_length": 64}, 64, 64),
        ({"max_seq_length": None}, None, None),
        ({}, None, None),
        # Tokenizers without a maximum length.
        ({"max_seq_length": 1_000_000_000}, 1_000_000_000, 1_000_000_000),
        ({"max_seq_length": 1_000_000_001}, None, None),
        # Queries are expanded to a fixed length, or at least to a length.
        ({"max_seq_length": 64, "query_expansion": {"strategy": "fixed", "length": 24}}, 24, 64),
        ({"max_seq_length": 64, "query_expansion": {"strategy": "minimum", "length": 24}}, 64, 64),
        ({"max_seq_length": 64, "query_expansion": {"strategy": "minimum", "length": 99}}, 99, 64),
        ({"max_seq_length": 0, "query_expansion": None, "query_length": 1}, 1, None),
        ({"max_seq_length": 2_000_000_000, "query_expansion": {"strategy": "minimum", "length": 9}}, None, None),
    ],
)
def test_lengths(transformer: dict[str, Any], query: int | None, document: int | None) -> None:
    model = add_late_interaction(Model("m", "k", "s", None, None), Late(**transformer))
    lengths = [model.effective.get(f"{side}_max_tokens") for side in ("query", "document")]
    assert lengths == [query, document]
    assert (model.find_cut is None) == (query is None and document is None)


def test_what_is_recorded_of_late_interaction() -> None:
    description = Model("m", "k", "s", None, None)
    model = add_late_interaction(description, Late(max_seq_length=8))
    assert isinstance(model.scorer, LateInteractionScorer)
    assert model.effective == {
        "configured_similarity": "maxsim",
        "query_prompt": "ask",
        "query_max_tokens": 8,
        "document_max_tokens": 8,
        "sides": "both",
        "orders": "mean of both",
    }
    documents = add_late_interaction(description, Late(max_seq_length=8), "document")
    assert documents.scorer is None  # that of the description stays
    assert documents.effective == {
        "configured_similarity": "maxsim",
        "document_max_tokens": 8,
        "sides": "document",
        "orders": "mean of both",
    }
    untold = Late(max_seq_length=8)
    untold.tokenizer = None
    assert add_late_interaction(description, untold).find_cut is None


def test_cut_pairs_of_late_interaction() -> None:
    """With the prompt "ask" and two marks, 8 tokens hold 3 letters of a query, and 6 of a document."""
    late = Late(max_seq_length=8)
    model = add_late_interaction(Model("m", "k", "s", None, None), late)
    assert model.find_cut is not None
    assert model.find_cut([("abc", "abcd"), ("a?", "??")]) == Cut(inputs=2, cut=1, tokens=1, unknown_tokens=3)
    assert model.find_cut([("?", "??")]) == Cut(inputs=1, cut=0, tokens=0, unknown=1, unknown_tokens=3)
    assert {setting["verbose"] for setting in late.tokenizer.settings} == {False}
    assert {setting.get("truncation", False) for setting in late.tokenizer.settings} == {False}
    documents = add_late_interaction(Model("m", "k", "s", None, None), late, "document")
    assert documents.find_cut is not None
    assert documents.find_cut([("abcdef", "abcdefgh")]) == Cut(inputs=1, cut=1, tokens=2)


class Sparse:
    """A `SparseEncoder` that lists the calls of `encode`."""

    default_prompt_name = None
    max_active_dims: int | None = None
    similarity_fn_name = "dot"

    def __init__(self) -> None:
        self.prompts: dict[str, str] = {}
        self.calls: list[tuple[list[str], dict[str, Any]]] = []

    def __iter__(self) -> Any:  # noqa: ANN401
        return iter([SimpleNamespace(max_seq_length=9, tokenizer=None)])

    def encode(self, texts: list[str], **settings: Any) -> list[str]:  # noqa: ANN401
        self.calls.append((texts, settings))
        return texts


def test_calls_of_a_sparse_encoder() -> None:
    model = Sparse()
    shown = {"show_progress_bar": False, "save_to_cpu": True, "prompt": "a ", "prompt_name": None}
    encoder = SparseTextEncoder(model, prompt="a ")
    encoder.encode(["a", "b", "c"])
    encoder.encode([])
    SparseTextEncoder(model, prompt="a ", batch_size=2, devices=["cpu", "cpu"], task="query").encode(["a", "b", "c"])
    assert model.calls == [
        (["a", "b", "c"], {**shown, "batch_size": 3}),
        ([], {**shown, "batch_size": 1}),
        (["a", "b", "c"], {**shown, "batch_size": 2, "device": ["cpu", "cpu"], "task": "query"}),
    ]


def test_what_is_recorded_of_a_sparse_encoder() -> None:
    model = Sparse()
    description = add_sparse_configuration(Model("m", "k", "s", None, None), model)
    assert description.similarity == "dot"
    assert "max_active_dims" not in description.effective
    model.max_active_dims = 7
    assert add_sparse_configuration(description, model).effective["max_active_dims"] == 7


class Dense:
    def __init__(self, *parameters: int) -> None:
        self.values = parameters

    def parameters(self) -> tuple[int, ...]:
        return self.values


class Normalize(Dense):
    pass


def test_modules_that_were_not_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first module is the transformer. A module without parameters has no random weights."""
    spec = parse_spec(f"late-interaction:{tmp_path}")
    message = mentions("was not saved as a list: its Dense ... random ... sentence-transformers:")

    def require(*modules: Any) -> None:  # noqa: ANN401
        retrieval._require_saved_modules(list(modules), spec)

    require(Dense(1), Normalize())
    require(Dense(1))
    for values in ((1,), (0,), (0, 1)):
        with pytest.raises(ModelError, match=message):
            require(Dense(1), Dense(*values), Normalize())
    (tmp_path / "modules.json").write_text(json.dumps([{"type": "x.Dense"}]))
    require(Dense(1), Dense(1), Normalize())
    with pytest.raises(ModelError, match=mentions("its Normalize")):
        require(Dense(1), Dense(1), Normalize(1))
    (tmp_path / "modules.json").unlink()
    (tmp_path / "artifact.metadata").write_text("{}")  # of Stanford's ColBERT
    require(Dense(1), Dense(1))
    (tmp_path / "artifact.metadata").unlink()
    # A name on the Hub, whose files are in the cache or not.
    spec = parse_spec("late-interaction:org/m")
    monkeypatch.setattr("harness.models.files.hub.find_snapshot", lambda *_: ("org/m@0", tmp_path))
    with pytest.raises(ModelError, match=message):
        require(Dense(1), Dense(1))
    (tmp_path / "modules.json").write_text(json.dumps([{"type": "x.Dense"}]))
    require(Dense(1), Dense(1))
    monkeypatch.setattr("harness.models.files.hub.find_snapshot", lambda *_: None)
    with pytest.raises(ModelError, match=message):
        require(Dense(1), Dense(1))


def test_numbers_of_dimensions() -> None:
    allowed = [parse_spec(f"sparse:m,max_active_dims={value}").settings["max_active_dims"] for value in (1, 1_000_000)]
    assert allowed == [1, 1_000_000]
    for value in (0, 1_000_001):
        with pytest.raises(OptionError, match=mentions("max_active_dims")):
            parse_spec(f"sparse:m,max_active_dims={value}")
