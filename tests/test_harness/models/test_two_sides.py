"""Scores of pairs by two sides, without the library: encoders here look vectors up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp
from helpers.messages import mentions

from harness.models.interfaces.model import Ability, Cut, Model
from harness.models.neural import sides
from harness.models.neural.sides import TwoSidedScorer, describe_encoder, make_pair_counter
from harness.models.specs import parse_spec
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import OptionError


class Encoder:
    """An encoder with a vector per text, which yields batches of one text from the last to the first."""

    def __init__(self, vectors: dict[str, list[float]], *, is_sparse: bool = False) -> None:
        self.vectors, self.is_sparse = vectors, is_sparse
        self.texts: list[str] = []

    def encode_batches(self, texts: list[str]) -> Iterator[tuple[list[int], Any]]:
        self.texts += texts
        for place in reversed(range(len(texts))):
            rows = np.array([self.vectors[texts[place]]])
            yield [place], sp.csr_matrix(rows) if self.is_sparse else rows


QUERIES = {"a": [1.0, 0.0], "b": [0.6, 0.8], "c": [0.0, 2.0]}
DOCUMENTS = {"a": [3.0, 4.0], "b": [0.0, 1.0], "c": [1.0, 0.0]}


def make_model(side: str | None, *, is_sparse: bool = False, **fields: Any) -> Model:  # noqa: ANN401
    """Make an encoder of a side. A document has another prompt, and a task that a query does not have."""
    vectors = DOCUMENTS if side == "document" else QUERIES
    effective: dict[str, str | int | bool] = {"prompt": f"{side}: ", "max_tokens": 8, "normalized": False}
    if side == "document":
        effective["route"] = "d"
    return Model(
        f"{side}", "k", "s", "f", Encoder(vectors, is_sparse=is_sparse), effective=effective, store_key="k", **fields
    )


def score(model: Model, pairs: list[tuple[str, str]]) -> list[float]:
    scores = np.full(len(pairs), np.nan)
    for places, batch in model.scorer.score_batches(pairs):
        scores[list(places)] = batch
    return scores.tolist()


PAIRS = [("a", "b"), ("b", "a"), ("a", "a"), ("b", "c")]


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize(
    ("option", "expected"),
    [
        # Cosines of a query and a document: a-b 0, b-a 0.6 * 0.6 + 0.8 * 0.8 = 1, a-a 0.6, b-c 0.6, c-b 1.
        ("", [0.5, 0.5, 0.6, 0.8]),
        # Dot products: a-b 0, b-a 1.8 + 3.2 = 5, a-a 3, b-c 0.6, c-b 2.
        (",similarity=dot", [2.5, 2.5, 3.0, 1.3]),
        # Minus the sum of the differences: a-b 1 + 1, b-a 2.4 + 3.2, a-a 2 + 4, b-c 0.4 + 0.8, c-b 0 + 1.
        (",similarity=manhattan", [-3.8, -3.8, -6.0, -1.1]),
        # The configuration names the dot product.
        (",similarity=model", [2.5, 2.5, 3.0, 1.3]),
    ],
)
def test_scores_worked_out_by_hand(option: str, expected: list[float], is_sparse: bool) -> None:
    spec = parse_spec(f"sentence-transformers:m,sides=both{option}")
    model = describe_encoder(spec, lambda side: make_model(side, is_sparse=is_sparse), "dot")
    assert model.abilities == {Ability.SCORE_PAIRS}
    assert score(model, PAIRS) == pytest.approx(expected, abs=1e-7)


def test_what_a_model_of_both_sides_records() -> None:
    specs = [parse_spec(f"sentence-transformers:m,sides=both{option}") for option in ("", ",similarity=dot")]
    models = [describe_encoder(spec, make_model, "cosine") for spec in specs]
    assert models[0].effective == {
        "query_prompt": "query: ",
        "document_prompt": "document: ",
        "max_tokens": 8,
        "normalized": False,
        "document_route": "d",
        "sides": "both",
        "orders": "mean of both",
    }
    keys = [model.store_key for model in models]
    assert all(isinstance(key, str) and len(key) == 64 for key in keys)
    assert len(set(keys)) == 2
    unstored = describe_encoder(specs[0], lambda side: replace(make_model(side), store_key=None), "cosine")
    assert unstored.store_key is None


def test_one_side_is_an_encoder() -> None:
    for side, vectors in (("query", QUERIES), ("document", DOCUMENTS)):
        spec = parse_spec(f"sentence-transformers:m,sides={side}")
        model = describe_encoder(spec, make_model, "dot")
        assert (model.scorer.vectors, model.effective) == (vectors, {**make_model(side).effective, "sides": side})
        assert model.store_key == "k"
    plain = describe_encoder(parse_spec("sentence-transformers:m"), make_model, "dot")
    assert (plain.name, plain.effective) == ("None", make_model(None).effective)


class Texts:
    """A side on which a text stands for itself, which lists the texts that it encodes."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(self, texts: list[str]) -> Sequence[str]:
        self.calls.append(texts)
        return texts


def compare_lengths(queries: list[Any], documents: list[Any]) -> npt.NDArray[np.float64]:
    return np.array(
        [len(query) + 10 * len(document) for query, document in zip(queries, documents, strict=True)], float
    )


def test_parts_keep_the_vectors_of_the_previous_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs "a"-"bb" score (1 + 20 + 2 + 10) / 2."""
    monkeypatch.setattr(sides, "_PAIRS_AT_ONCE", 2)
    query, document = Texts(), Texts()
    scorer = TwoSidedScorer({"query": query, "document": document}, compare_lengths)
    pairs = [("a", "bb"), ("ccc", "a"), ("a", "ccc"), ("bb", "bb"), ("dddd", "ccc")]
    batches = [(list(places), scores.tolist()) for places, scores in scorer.score_batches(pairs)]
    assert batches == [([0, 1], [16.5, 22.0]), ([2, 3], [22.0, 22.0]), ([4], [38.5])]
    assert query.calls == document.calls == [["a", "bb", "ccc"], ["dddd"]]
    assert scorer.in_batches


def test_the_size_of_a_part() -> None:
    scorer = TwoSidedScorer({"query": Texts(), "document": Texts()}, compare_lengths)
    assert [len(places) for places, _ in scorer.score_batches([("a", "b")] * 513)] == [512, 1]


def test_sides_of_both_texts() -> None:
    query, document = Texts(), Texts()
    scorer = TwoSidedScorer({"query": query, "document": document}, compare_lengths, ("query", "query"))
    list(scorer.score_batches([("a", "b")]))
    assert (query.calls, document.calls) == ([["a", "b"]], [])


def count_by(limit: int) -> Any:  # noqa: ANN401
    """Make a counter of tokens that are letters, and of which "?" is unknown."""

    def count(texts: Sequence[str]) -> Cut:
        excess = [max(0, len(text) - limit) for text in texts]
        unknown = sum(set(text) == {"?"} for text in texts)
        return Cut(len(texts), sum(map(bool, excess)), sum(excess), unknown, "".join(texts).count("?"))

    return count


def test_cut_pairs() -> None:
    """The side that cuts more counts. A pair is unknown if both of its texts are."""
    counter = make_pair_counter([count_by(3), None, count_by(2)])
    assert counter is not None
    pairs = [("abcd", "a"), ("abc", "abcd"), ("??", "?"), ("?", "a"), ("ab", "ab")]
    # Tokens beyond 2: 2, 1 + 2, and none. Unknown tokens: 3 and 1.
    assert counter(pairs) == Cut(inputs=5, cut=2, tokens=5, unknown=1, unknown_tokens=4)
    single = make_pair_counter([None, count_by(2)])
    assert single is not None
    assert single([("abc", "a")]) == Cut(inputs=1, cut=1, tokens=1)
    assert make_pair_counter([None, None]) is None
    for counters in ([count_by(2), lambda _: None], [lambda _: None, count_by(2)]):
        failing = make_pair_counter(counters)
        assert failing is not None
        assert failing([("a", "b")]) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("sides=query,prompt=none", "options prompt and sides ... Omit"),
        ("sides=both,task=a", "options task and sides ... Omit"),
        ("sides=both,prompt_name=a", "options prompt_name and sides ... Omit"),
        ("sides=both,output=int8", "output= ... sides=both ... Omit"),
        ("sides=both,device=cpu+cpu", "m,sides=both,device=cpu+cpu: ... Use one device"),
    ],
)
def test_options_that_exclude_sides(options: str, message: str) -> None:
    with pytest.raises((OptionError, ModelError), match=mentions(message)):
        parse_spec(f"sentence-transformers:m,{options}")


@pytest.mark.parametrize(
    "options",
    [
        "sides=query,output=int8",
        "sides=document,device=cpu+cpu",
        "sides=both,output=float32,device=cpu",
        "prompt=none,task=a,output=int8,device=cpu+cpu",
    ],
)
def test_options_beside_sides(options: str) -> None:
    assert parse_spec(f"sentence-transformers:m,{options}").kind.name == "sentence-transformers"


def test_values_of_the_option() -> None:
    values = [parse_spec(f"sparse:m,sides={value}").settings["sides"] for value in ("query", "document", "both")]
    assert values == ["query", "document", "both"]
    assert parse_spec("sparse:m").settings["sides"] is None
    with pytest.raises(OptionError, match=mentions("option sides is 'x'. Use query ... document ... both")):
        parse_spec("sparse:m,sides=x")
