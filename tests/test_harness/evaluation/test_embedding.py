"""Encoding of texts with small models of two dimensions: stored and computed vectors, batches, and odd vectors."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from helpers.messages import mentions

from harness.evaluation.embedding import embed_texts, require_cosine, warn_of_texts
from harness.models.files.store import ModelStore, VectorFile
from harness.models.interfaces.model import Cut, Model, Usage
from harness.models.loading import describe_object
from harness.support.errors import ModelError
from harness.support.progress import Event, StepAdvanced, StepStarted
from pyramid_paraphrase.errors import OutputError

VECTORS = {"a": [1.0, 2.0], "b": [3.0, 4.0], "c": [5.0, 6.0], "zero": [0.0, 0.0]}


def look_up(texts: Sequence[str]) -> np.ndarray[Any, Any]:
    return np.array([VECTORS[text] for text in texts])


def describe(encode: Callable[[list[str]], Any] = look_up, **attributes: Any) -> Model:  # noqa: ANN401
    model = dataclasses.replace(describe_object(SimpleNamespace(encode=encode)), name="m")
    return dataclasses.replace(model, **attributes)


def embed(
    model: Model,
    texts: str,
    folder: Path | None = None,
    *,
    resume: bool = True,
    events: list[Event] | None = None,
) -> tuple[Any, np.ndarray[Any, Any], int, float]:
    """Encode texts that are divided by blanks."""
    return embed_texts(
        model,
        texts.split(),
        store=None if folder is None else ModelStore(folder),
        resume=resume,
        describe=lambda index: f"text {index}",
        listen=([] if events is None else events).append,
    )


def embed_only(model: Model, texts: str, folder: Path | None = None) -> Any:  # noqa: ANN401
    vectors, *_ = embed(model, texts, folder)
    return vectors


def count_encoded(model: Model, texts: str, folder: Path, *, resume: bool = True) -> int:
    _, _, encoded, _ = embed(model, texts, folder, resume=resume)
    return encoded


def refuse(model: Model, texts: str, message: str) -> None:
    with pytest.raises(ModelError) as error:
        embed(model, texts)
    assert re.search(mentions(message), str(error.value))


def fail(texts: list[str]) -> None:
    raise AssertionError(texts)


def test_vectors_are_in_the_order_of_the_texts() -> None:
    vectors, zeros, encoded, seconds = embed(describe(), "b zero a")
    assert vectors.tolist() == [[3.0, 4.0], [0.0, 0.0], [1.0, 2.0]]
    assert vectors.dtype == np.float32
    assert (encoded, zeros.tolist()) == (3, [1])
    assert 0 <= seconds < 60


def test_stored_vectors_are_not_computed_again(tmp_path: Path) -> None:
    model = describe(store_key="aa")
    embed(model, "b zero", tmp_path)
    events: list[Event] = []
    vectors, _, encoded, _ = embed(model, "a zero b", tmp_path, events=events)
    assert vectors.tolist() == [[1.0, 2.0], [0.0, 0.0], [3.0, 4.0]]
    assert encoded == 2  # vectors of zeros are not stored
    assert events == [StepStarted("encoding", 3, done=1), StepAdvanced(2)]
    assert embed_only(describe(fail, store_key="aa"), "b a", tmp_path).tolist() == [[3.0, 4.0], [1.0, 2.0]]
    assert count_encoded(model, "a b", tmp_path, resume=False) == 2
    assert count_encoded(describe(), "a b", tmp_path) == 2  # without a key, nothing is stored


def test_stored_vectors_of_another_dimension_are_named(tmp_path: Path) -> None:
    embed(describe(store_key="aa"), "a", tmp_path)
    wide = describe(lambda texts: np.ones((len(texts), 3)), store_key="aa")
    with pytest.raises(ModelError, match=mentions("m: ... 3 dimensions ... 2 ... --no-resume")):
        embed(wide, "a b", tmp_path)


@pytest.mark.parametrize(("usage", "commits"), [(None, 1), (lambda: Usage(1, None, None), 3)])
def test_vectors_of_a_server_are_committed_at_once(
    usage: Callable[[], Usage] | None, commits: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One commit is that of closing the store."""
    counted: list[object] = []
    commit = VectorFile.commit
    monkeypatch.setattr(VectorFile, "commit", lambda store: (counted.append(store), commit(store)))
    embed(describe_batches([[0], [1]], store_key="aa", find_usage=usage), "a b", tmp_path)
    assert len(counted) == commits


def describe_batches(
    batches: list[list[int]],
    convert: Callable[[np.ndarray[Any, Any]], Any] = np.asarray,
    **attributes: Any,  # noqa: ANN401
) -> Model:
    """Describe a model that encodes texts in batches. `convert` is applied to the vectors of the first batch."""

    def encode_batches(texts: list[str]) -> Iterator[tuple[list[int], Any]]:
        for number, places in enumerate(batches):
            vectors = look_up([texts[place] for place in places])
            yield places, vectors if number else convert(vectors)

    scorer = SimpleNamespace(encode=fail, encode_batches=encode_batches, in_batches=True)
    return dataclasses.replace(describe_object(scorer), name="m", **attributes)


@pytest.mark.parametrize("batches", [[[0, 1, 2]], [[2, 0, 1]], [[0], [1, 2]], [[2], [0, 1]], [[1], [2], [0]]])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_matrix])
def test_batches_are_joined(batches: list[list[int]], convert: Callable[[np.ndarray[Any, Any]], Any]) -> None:
    events: list[Event] = []
    vectors, *_ = embed(describe_batches(batches, convert), "c a b", events=events)
    assert sp.csr_matrix(vectors).toarray().tolist() == [[5.0, 6.0], [1.0, 2.0], [3.0, 4.0]]
    assert events == [StepStarted("encoding", 3), *(StepAdvanced(len(batch)) for batch in batches)]


@pytest.mark.parametrize("batches", [[[0], [1]], [[0, 1], [1, 2]], [[0, 1, 1]], []])
def test_batches_give_a_vector_per_text(batches: list[list[int]]) -> None:
    refuse(describe_batches(batches), "a b c", "m: encode_batches() ... one vector per text")


def test_batches_have_one_dimension() -> None:
    refuse(describe_batches([[0], [1]], lambda vectors: vectors[:, :1]), "a b", "m: ... [1, 2]")


def test_readers_of_files_report_their_bytes() -> None:
    class Reader:
        def start_reading(self, progress: Callable[[int], None]) -> int:
            self.progress = progress
            return 9

        def encode(self, texts: list[str]) -> Any:  # noqa: ANN401
            self.progress(7)
            return look_up(texts)

    events: list[Event] = []
    reader = Reader()
    embed(dataclasses.replace(describe_object(reader), start_reading=reader.start_reading), "a b", events=events)
    encoding = StepStarted("encoding", 2)
    assert events == [encoding, StepStarted("reading", 9, unit="B"), StepAdvanced(7), encoding, StepAdvanced(2)]


@pytest.mark.parametrize("shape", [(2,), (1, 2), (2, 1, 1), (2, 0), (3, 2)])
def test_vectors_of_a_wrong_shape(shape: tuple[int, ...]) -> None:
    message = f"m: encode() ... {shape} ... (2, dimension)"
    refuse(describe(lambda _: np.ones(shape)), "a b", message)


def test_a_square_matrix_is_no_matter() -> None:
    assert embed_only(describe(), "a b c").shape == (3, 2)
    assert embed_only(describe(), "a").shape == (1, 2)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize(("value", "row"), [(np.nan, 0), (np.inf, 2), (-np.inf, 1)])
def test_infinite_vectors_are_named_by_their_text(value: float, row: int, convert: Callable[..., Any]) -> None:
    vectors = np.array([[1.0, 2.0], [0.0, 3.0], [4.0, 5.0]])
    vectors[row, 1] = value
    refuse(describe(lambda _: convert(vectors)), "a b c", f"m: ... text {row} ... finite")


def test_vectors_that_are_all_zero_mean_nothing() -> None:
    refuse(describe(), "zero", "m: ... all 1 texts are zero ... server")
    _, zeros, _, _ = embed(describe(), "a zero")
    assert zeros.tolist() == [1]


@pytest.mark.parametrize("value", [1e39, 1e-40])
def test_lengths_beyond_single_precision_matter_to_other_similarities(value: float) -> None:
    """Only cosines are the same after these vectors have been multiplied by a power of two."""
    refuse(describe(lambda _: [[value, 0.0]], similarity="dot"), "a", "m: ... similarity=dot ... similarity=cosine")
    assert embed_only(describe(lambda _: [[value, 0.0]]), "a")[0, 0] == pytest.approx(0.5, rel=1)
    assert embed_only(describe(lambda _: sp.csr_matrix([[value, 0.0]]), similarity="dot"), "a")[0, 0] == value
    assert embed_only(describe(similarity="dot"), "a").tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (ValueError("odd"), ModelError, "m: ... (ValueError: odd) ... --verbose"),
        (MemoryError(), ModelError, "m: ... memory"),
        (OutputError("full"), OutputError, "full"),
    ],
)
def test_failures_name_the_model(error: Exception, kind: type[Exception], message: str) -> None:
    def raise_error(texts: list[str]) -> None:
        raise error

    with pytest.raises(kind, match=mentions(message)) as caught:
        embed(describe(raise_error), "a")
    assert "--verbose" not in str(caught.value) or isinstance(error, ValueError)


def test_other_similarities_are_refused_where_only_the_cosine_is_computed() -> None:
    require_cosine(describe())
    with pytest.raises(ModelError, match=mentions("m: ... cosine ... similarity=dot")):
        require_cosine(describe(similarity="dot"))


@pytest.mark.parametrize(
    ("find_cut", "zeros", "expected"),
    [
        (None, 0, []),
        (lambda _: None, 1, ["m: ... 1 of 2 texts"]),
        (lambda inputs: Cut(len(inputs), 0, 0), 0, []),
        (lambda inputs: Cut(len(inputs), 0, 0, 1, 5), 0, ["m: ... 5 tokens ... 1 of 2 inputs"]),
        (lambda inputs: Cut(len(inputs), 1, 7), 0, ["m: 1 of 2 inputs ... 7 tokens"]),
        (lambda inputs: Cut(len(inputs), 1, 1), 2, ["m: 1 of 2 inputs ... 1 token", "m: ... 2 of 2 texts"]),
    ],
)
def test_what_is_not_read_is_logged(
    find_cut: Callable[[Sequence[str]], Cut | None] | None,
    zeros: int,
    expected: list[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    warn_of_texts(describe(find_cut=find_cut), ["a", "b"], zeros)
    assert len(caplog.messages) == len(expected)
    for message, pattern in zip(caplog.messages, expected, strict=True):
        assert re.search(mentions(pattern), message)


def test_zeros_are_not_logged_where_there_are_none(caplog: pytest.LogCaptureFixture) -> None:
    warn_of_texts(describe(), ["a"])
    assert caplog.messages == []
