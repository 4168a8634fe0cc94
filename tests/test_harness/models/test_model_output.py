"""Vectors and scores of odd types and sizes, and models that change the lists that they get."""

from __future__ import annotations

import dataclasses
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from helpers.messages import mentions

import harness
from harness.evaluation.direct_scoring import DirectScoring
from harness.evaluation.layout import lay_out_tests
from harness.evaluation.scoring import score_tests
from harness.models.interfaces.model import Ability
from harness.models.interfaces.model_output import call_scorer, read_numbers, read_vectors
from harness.models.loading import describe_object
from harness.support.errors import ModelError
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.pyramids.corpus import Corpus

Pairs = list[tuple[str, str]]

SUCCESS = 0.541009
"""Success rate of `count_words` on the sample, counted once with plain NumPy. A positive factor does not change it."""

DIMENSION = 64


def count_words(texts: list[str]) -> np.ndarray[Any, Any]:
    """Count words by their checksum, shape (texts, `DIMENSION`)."""
    counts = np.zeros((len(texts), DIMENSION))
    for row, text in enumerate(texts):
        for word in text.lower().split():
            counts[row, zlib.crc32(word.encode()) % DIMENSION] += 1
    return counts


def rate(encode: Callable[[list[str]], Any]) -> float:
    model = SimpleNamespace(encode=encode)
    result = harness.evaluate(model, "sample", ["ranking"], name="m", cache=False, resamples=5)
    return result.tests["ranking"].metrics["success_rate"]


def make_column(values: list[Any]) -> np.ndarray[Any, Any]:
    """Make an array of Python objects, as a column of a table is."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


@pytest.fixture(scope="module")
def success() -> float:
    return rate(count_words)


@pytest.mark.parametrize(
    "convert",
    [
        lambda v: v * 1e100,
        lambda v: v * 1e-50,
        lambda v: v * -1e-300,
        lambda v: v * np.logspace(-300, 300, len(v))[:, None],
        lambda v: (v * 1e30).astype(np.float32),
        lambda v: v.astype(np.float16),
        lambda v: v.astype(np.longdouble) * np.longdouble("1e1000"),
        lambda v: v.astype(np.uint8),
        lambda v: v.tolist(),
        lambda v: list(v),
        lambda v: [[int(value) * 10**30 for value in row] for row in v],
        lambda v: np.ma.masked_array(v),
        lambda v: (row for row in v),
        lambda v: map(list, v),
        lambda v: np.array([[np.float32(value) for value in row] for row in v], dtype=object),
        lambda v: make_column(list(v)),
        lambda v: pd.DataFrame(v),
        lambda v: pd.Series(list(v)),
        lambda v: [sp.csr_matrix(row) for row in v],
        lambda v: [sp.coo_array(row) for row in v],
        lambda v: sp.csr_matrix(v * 1e200),
        lambda v: sp.csr_matrix(v * 1e-200),
        lambda v: sp.csc_array(v * np.logspace(-300, 300, len(v))[:, None]),
        lambda v: sp.coo_matrix(v.astype(np.int8)),
    ],
)
def test_vectors_of_any_size_and_type(convert: Callable[[Any], Any], success: float) -> None:
    """Without the exponents of single precision, or squares that are 0 or infinite, success was that of chance."""
    assert rate(lambda texts: convert(count_words(texts))) == success > 0.5


@pytest.mark.full
@pytest.mark.needs("torch")
@pytest.mark.parametrize(
    "form", ["bfloat16", "gradient", "list", "float64", "negated view", "float8", "sparse", "sparse rows"]
)
def test_tensors_are_converted(form: str, success: float) -> None:
    """NumPy has no bfloat16, and refuses tensors that require a gradient."""
    import torch

    def encode(texts: list[str]) -> Any:  # noqa: ANN401
        tensor = torch.tensor(count_words(texts), dtype=torch.float32)
        if form == "gradient":
            return tensor.requires_grad_()
        if form == "list":
            return list(tensor.bfloat16().requires_grad_())
        if form == "negated view":
            return torch.complex(tensor, tensor).conj().imag  # NumPy refuses this view, too
        if form == "sparse":  # as a SparseEncoder of sentence-transformers
            return tensor.bfloat16().to_sparse().requires_grad_()
        if form == "sparse rows":
            return [row.to_sparse() for row in tensor]
        dtypes = {"bfloat16": torch.bfloat16, "float64": torch.float64, "float8": torch.float8_e4m3fn}
        return tensor.to(dtypes[form])

    assert rate(encode) == success


class StandIn:
    """What `read_numbers` uses of a tensor of torch. NumPy has no bfloat16."""

    is_quantized = False
    layout = "strided"

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype

    def detach(self) -> StandIn:
        return self

    cpu = resolve_conj = resolve_neg = detach

    def is_floating_point(self) -> bool:
        return "float" in self.dtype

    def float(self) -> StandIn:
        return StandIn("float32")

    def numpy(self) -> np.ndarray[Any, Any]:
        return np.array([1.5, 2.0]).astype(self.dtype)  # a TypeError for bfloat16


class Indices(StandIn):
    """The places of a sparse tensor's values: row and column."""

    def numpy(self) -> np.ndarray[Any, Any]:
        return np.array([[0, 0], [1, 3]])


class Sparse(StandIn):
    """What `read_vectors` uses of a sparse tensor: the vector 0, 1.5, 0, 2 or a matrix with this row."""

    layout = "sparse"

    def __init__(self, *shape: int) -> None:
        super().__init__("float32")
        self.shape, self.ndim = shape, len(shape)

    to_sparse_coo = coalesce = StandIn.detach

    def unsqueeze(self, place: int) -> Sparse:
        return Sparse(*self.shape[:place], 1, *self.shape[place:])

    def values(self) -> StandIn:
        return StandIn("float32")

    def indices(self) -> StandIn:
        return Indices("int64")


def test_sparse_vectors_become_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("float16", "float32", "float64", "strided")
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(Tensor=StandIn, **{name: name for name in names}))
    read = partial(read_vectors, returned="m: encode() returned", expected="Return one row per text")
    row = [0.0, 1.5, 0.0, 2.0]
    assert read(Sparse(1, 4)).toarray().tolist() == read([Sparse(4)]).toarray().tolist() == [row]
    assert read([sp.csr_matrix([row]), Sparse(4), sp.coo_array(row)]).toarray().tolist() == [row] * 3
    assert read(StandIn("float64")).tolist() == [1.5, 2.0]
    assert read(np.array([row])).tolist() == [row]
    with pytest.raises(ModelError, match=mentions("m: encode() ... rows of different shapes")):
        read([sp.csr_matrix([[1.0]]), np.ones(1)])


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("bfloat16", "float32"), ("float16", "float16"), ("float32", "float32"), ("float64", "float64"), ("int8", "int8")],
)
def test_tensors_keep_their_precision_where_numpy_has_it(
    dtype: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("float16", "float32", "float64")
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(Tensor=StandIn, **{name: name for name in names}))
    numbers = read_numbers(StandIn(dtype), "m: score() returned", "")
    assert numbers.dtype == expected
    assert numbers.tolist() == np.array([1.5, 2.0]).astype(expected).tolist()
    assert read_numbers([1.5, 2.0], "m: score() returned", "").tolist() == [1.5, 2.0]


def test_no_vectors_are_an_empty_array() -> None:
    assert read_vectors([], "m: encode() returned", "Return one row per text").shape == (0,)


@pytest.mark.needs("torch")
def test_tensors_that_are_not_real_numbers() -> None:
    import torch

    for tensor, message in (
        (torch.ones(2, 3, dtype=torch.complex64), "m: encode() ... complex ... Return real"),
        (torch.ones(2, 3, dtype=torch.bool), "m: encode() ... booleans ... Return numbers"),
        (torch.ones(2, 3, dtype=torch.bool).to_sparse(), "m: encode() ... booleans ... Return numbers"),
        ([torch.ones(2, 3), torch.ones(1, 3)], "m: encode() ... rows of different shapes. ... Return one row per text"),
    ):
        with pytest.raises(ModelError, match=mentions(message)):
            read_vectors(tensor, "m: encode() returned", "Return one row per text")


ODD_VALUES = {
    "masked": (np.ma.masked_array([1.0, 2.0], [False, True]), "m: score() ... masked ... .filled(0)"),
    "list of masked": ([np.ma.masked_array([1.0], [True]), np.ones(1)], "m: score() ... masked ... .filled(0)"),
    "complex": (np.array([1j, 2.0]), "m: score() ... complex ... Return real numbers"),
    "booleans": (np.array([True, False]), "m: score() ... booleans ... Return numbers"),
    "None": ([1.0, None], "m: score() ... objects ... Return an array of numbers"),
    "objects": (np.array([1.0, "x"], dtype=object), "m: score() ... objects ... Return an array of numbers"),
    "a bool among objects": (np.array([1.0, True], dtype=object), "m: score() ... objects"),
    "numbers as texts": (["1.0", "2.0"], "m: score() ... array of numbers. ... Return shape (2,)"),
    "dates": (np.array(["2026-01-01", "2026-01-02"], "datetime64[D]"), "m: score() ... array of numbers"),
    "records": (np.zeros(2, dtype=[("a", "f8")]), "m: score() ... array of numbers"),
    "sparse": (sp.csr_matrix((1, 2)), "m: score() ... type csr_matrix ... shape (2,)"),
    "ragged": ([[1.0], [1.0, 2.0]], "m: score() ... rows of different shapes ... shape (2,)"),
    "rows of arrays": ([np.ones(1), np.ones(2)], "m: score() ... rows of different shapes ... shape (2,)"),
    "a list among numbers": (np.array([1.0, [2.0]], dtype=object), "m: score() ... objects of type list"),
    "a list in a row": ([[1.0, 2.0], [1.0, [2.0]]], "m: score() ... array of numbers. ... Return shape (2,)"),
    "a bool among numbers": ([1.0, True], "m: score() ... booleans ... Return numbers"),
    "labels": ([{"label": "yes", "score": 1.0}] * 2, "m: score() ... objects of type dict"),
    "by pair": ({("a", "b"): 1.0, ("c", "d"): 2.0}, "m: score() ... type dict ... shape (2,)"),
    "rows in another order": (pd.Series([1.0, 2.0], index=[1, 0]), "m: score() ... Series ... index ... order"),
    "rows named by text": (pd.DataFrame([1.0, 2.0], index=["b", "a"]), "m: score() ... DataFrame ... index ... order"),
    "large integers": ([2**60, 2**60 + 1], "m: score() ... integers ... Subtract"),
    "integers of 64 bits": (np.array([2**63, 2**63 + 1], np.uint64), "m: score() ... integers ... Subtract"),
    "integers beyond 64 bits": ([2**70, 2**70 + 1], "m: score() ... integers ... Subtract"),
    "too large": ([10**400, 1], "m: score() ... array of numbers"),
    "nothing": (None, "m: score() ... type NoneType ... shape (2,)"),
}


@pytest.mark.parametrize("name", ODD_VALUES)
def test_values_that_are_not_numbers_are_named(name: str) -> None:
    """NumPy drops masks and imaginary parts, reads numbers from texts, and makes NaN of None."""
    output, message = ODD_VALUES[name]
    scorer = SimpleNamespace(score=lambda _: output, score_options=lambda _: output, score_summaries=lambda *_: output)
    model = dataclasses.replace(describe_object(scorer), name="m")
    with pytest.raises(ModelError) as caught:
        DirectScoring(model).score(Ability.SCORE_PAIRS, [("a", "b"), ("c", "d")], "x")
    assert re.search(mentions(message), str(caught.value))
    with pytest.raises(ModelError, match=mentions("m: score_summaries()")):
        DirectScoring(model).score(Ability.SCORE_SUMMARIES, [("a", "c"), ("b", "d")], "x")
    with pytest.raises(ModelError, match=mentions("m: score_options()")):
        DirectScoring(model).score(Ability.SCORE_OPTIONS, [("x", "a", "b"), ("y", "c", "d")], "x")


def test_numbers_of_any_type_are_scores() -> None:
    """Generators and numbers of Python were refused as objects "that are not all numbers"."""
    for output in ([Fraction(1, 2), 2], (value for value in (0.5, 2)), [np.float32(0.5), 2], [2**70, 2**72]):
        scorer = SimpleNamespace(score=lambda _, output=output: output)
        model = dataclasses.replace(describe_object(scorer), name="m")
        scores = DirectScoring(model).score(Ability.SCORE_PAIRS, [("a", "b"), ("c", "d")], "x")
        assert scores.values[1] == 4 * scores.values[0] > 0


def test_a_generator_may_not_change_its_list() -> None:
    """It reads the list when its elements are requested."""

    def encode(texts: list[str]) -> Iterator[Any]:
        while texts:
            yield count_words([texts.pop()])[0]

    with pytest.raises(ModelError, match=mentions("m: encode() changed ... copies")):
        rate(encode)


def test_sparse_vectors_of_complex_numbers_are_named() -> None:
    for dtype, message in ((np.complex128, "complex"), (np.bool_, "booleans")):
        with pytest.raises(ModelError, match=mentions(f"m: encode() ... {message}")):
            read_vectors(sp.csr_matrix(np.ones((2, 2), dtype=dtype)), "m: encode() returned", "Return one row per text")


def test_sparse_vectors_are_copied() -> None:
    vectors = sp.csr_matrix(np.eye(2))
    read_vectors(vectors, "m: encode() returned", "").data[:] = 0
    assert vectors.toarray().tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.needs("ml_dtypes")
def test_further_floats_are_numbers() -> None:
    """ml_dtypes, which JAX uses, defines bfloat16 as a type whose kind NumPy does not know."""
    import ml_dtypes

    array = np.array([[1.5, 2.0]]).astype(ml_dtypes.bfloat16)
    assert read_vectors(array, "m: encode() returned", "").tolist() == [[1.5, 2.0]]
    assert read_numbers(array, "m: score() returned", "").astype(np.float64).tolist() == [[1.5, 2.0]]


class Reusing:
    """Encodes and scores in batches of two, into the same buffers."""

    in_batches = True

    def __init__(self) -> None:
        self._vectors, self._scores, self._places = np.zeros((2, DIMENSION)), np.zeros(2), [0, 0]

    def encode(self, texts: list[str]) -> Any:  # noqa: ANN401
        return count_words(texts)

    def encode_batches(self, texts: list[str]) -> Iterator[tuple[list[int], Any]]:
        for start in range(0, len(texts) - 1, 2):
            self._places[:] = [start + 1, start]
            self._vectors[:] = count_words([texts[place] for place in self._places])
            yield self._places, self._vectors
        if len(texts) % 2:
            yield [len(texts) - 1], count_words(texts[-1:])


def test_buffers_can_be_used_again(success: float) -> None:
    """The vectors of all batches were those of the last one, where single precision did not make a copy."""
    model = Reusing()
    assert (
        harness.evaluate(model, "sample", ["ranking"], cache=False, resamples=5)
        .tests["ranking"]
        .metrics["success_rate"]
        == success
    )
    model._vectors = model._vectors.astype(np.float32)
    assert (
        harness.evaluate(model, "sample", ["ranking"], cache=False, resamples=5)
        .tests["ranking"]
        .metrics["success_rate"]
        == success
    )


def test_batches_of_sparse_vectors(success: float) -> None:
    class Sparse(Reusing):
        def encode_batches(self, texts: list[str]) -> Iterator[tuple[list[int], Any]]:
            for number, (places, vectors) in enumerate(super().encode_batches(texts)):
                yield list(places), vectors.copy() if number == 3 else sp.csr_matrix(vectors)

    result = harness.evaluate(Sparse(), "sample", ["ranking"], cache=False, resamples=5)
    assert result.tests["ranking"].metrics["success_rate"] == success


def clear_and_fail(texts: list[str]) -> None:
    texts.clear()
    texts[0].split()


CHANGES: dict[str, Callable[[list[Any]], object]] = {
    "sorts": lambda items: items.sort(reverse=True),
    "appends": lambda items: items.append(items[0]),
    "clears, and fails for that reason": clear_and_fail,
    "replaces": lambda items: items.__setitem__(0, items[-1]),
}


@pytest.mark.parametrize("name", CHANGES)
def test_an_encoder_may_not_change_its_texts(name: str) -> None:
    """An encoder that sorted its list had a success rate of .267, and nothing said so."""

    def encode(texts: list[str]) -> Any:  # noqa: ANN401
        vectors = count_words(texts)
        CHANGES[name](texts)
        return vectors

    with pytest.raises(ModelError, match=mentions("m: encode() changed ... copies")):
        rate(encode)


@pytest.mark.parametrize("name", CHANGES)
def test_a_scorer_may_not_change_what_it_gets(name: str) -> None:
    """Pairs, lists of options, the lists within them, summaries, and batches."""
    change = CHANGES[name]

    class Scorer:
        def score(self, pairs: Pairs) -> list[float]:
            change(pairs)
            return [1.0] * len(pairs)

        def score_options(self, options: list[list[str]]) -> list[list[float]]:
            change(options[0])
            return [[1.0, 2.0]] * len(options)

        def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> list[float]:
            change(summaries[-1])
            return [1.0] * len(scus)

        def score_question_batches(
            self, questions: list[str], options: list[list[str]]
        ) -> Iterator[tuple[list[int], list[list[float]]]]:
            yield list(range(len(options))), [[1.0, 2.0]] * len(options)
            change(questions)

    scoring = DirectScoring(dataclasses.replace(describe_object(Scorer()), name="m"))
    with pytest.raises(ModelError, match=mentions("m: score() changed ... copies")):
        scoring.score(Ability.SCORE_PAIRS, [("a", "b"), ("c", "d")], "x")
    items = [("a", "c", "d"), ("b", "e", "f")]
    for ability in (Ability.SCORE_OPTIONS, Ability.SCORE_SUMMARIES, Ability.SCORE_QUESTIONS):
        with pytest.raises(ModelError, match=mentions(f"m: {ability.method}() changed ... copies")):
            scoring.score(ability, items, "x")


@pytest.mark.parametrize("index", [-1, 388])
def test_batches_are_about_texts_of_the_list(index: int) -> None:
    """Index -1 silently meant the last pair, and an index beyond the list was a bare IndexError."""

    class Wrong(Reusing):
        def encode_batches(self, texts: list[str]) -> Iterator[tuple[list[int], Any]]:
            yield [0, index], count_words(texts[:2])

        def score_batches(self, pairs: Pairs) -> Iterator[tuple[list[int], list[float]]]:
            yield [0, index], [1.0] * len(pairs[:2])

    model = describe_object(Wrong())
    with pytest.raises(ModelError, match=mentions(f"Wrong: encode_batches() ... index {index} ... 388 ... 0 to 387")):
        harness.evaluate(Wrong(), "sample", ["ranking"], cache=False)
    pairs = [(str(number), "b") for number in range(388)]
    with pytest.raises(ModelError, match=mentions(f"Wrong: score_batches() ... index {index} ... 388 ... 0 to 387")):
        DirectScoring(model).score(Ability.SCORE_PAIRS, pairs, "x")


def test_a_list_that_grows_between_batches_is_named() -> None:
    class Growing(Reusing):
        def encode_batches(self, texts: list[str]) -> Iterator[tuple[list[int], Any]]:
            for number in range(len(texts)):
                texts.append("x")
                yield [number + 388], count_words(["x"])

    with pytest.raises(ModelError, match=mentions("Growing: encode_batches() changed ... copies")):
        harness.evaluate(Growing(), "sample", ["ranking"], cache=False)


def test_nothing_that_is_lent_is_the_original() -> None:
    texts, options, labels = ["b", "a"], [["d", "c"]], np.array([1, 0])

    def call(train: Callable[..., object]) -> None:
        list(call_scorer(describe_object(SimpleNamespace(train=train)), Ability.TRAIN, texts, options, labels))

    lent: list[Any] = []
    call(lambda *arguments: lent.extend(arguments))
    assert [list(lent[0]), list(lent[1]), lent[2].tolist()] == [texts, options, labels.tolist()]
    changes: tuple[Callable[..., object], ...] = (
        lambda *arguments: arguments[0].sort(),
        lambda *arguments: arguments[1][0].sort(),
        lambda *arguments: arguments[2].sort(),
    )
    for change in changes:
        with pytest.raises(ModelError, match=mentions("train() changed")):
            call(change)
    assert (texts, options, labels.tolist()) == (["b", "a"], [["d", "c"]], [1, 0])


def test_an_error_of_this_project_is_not_wrapped() -> None:
    """It is complete: it names the model and the remedy."""
    error = ModelError("m: reads at most 5 tokens. Shorten the text")

    def encode(texts: list[str]) -> object:
        raise error

    with pytest.raises(ModelError) as caught:
        list(call_scorer(describe_object(SimpleNamespace(encode=encode)), Ability.ENCODE, ["a"]))
    assert caught.value is error


def test_learners_may_not_change_their_material(sample: Corpus) -> None:
    class Learner:
        def learn(self, texts: list[str]) -> object:
            texts.reverse()
            return SimpleNamespace(encode=count_words)

    texts, rows = lay_out_tests([build_test(sample, "ranking")])
    with pytest.raises(ModelError, match=mentions("Learner: learn() changed ... copies")):
        score_tests(describe_object(Learner()), texts, rows, store=None, resume=True)


def test_a_learner_that_learns_again_is_not_used_for_earlier_material(sample: Corpus) -> None:
    """The object itself is the model. For a test with the material of the first one, it knew that of the second."""

    class Learner:
        def learn(self, texts: list[str]) -> None:
            self._known = len(texts)

        def score(self, pairs: Pairs) -> list[float]:
            return [float(self._known)] * len(pairs)

    texts, (questions, pairs) = lay_out_tests([build_test(sample, name) for name in ("ranking", "binary")])
    score = partial(score_tests, describe_object(Learner()), texts, store=None, resume=True)
    alone, again = score([questions]).by_test, score([questions, pairs, questions]).by_test
    assert again["ranking"].values.tolist() == alone["ranking"].values.tolist()
    assert again["ranking"].values[0, 0] != again["binary"].values[0]
