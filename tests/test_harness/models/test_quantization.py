"""Vectors of a lower precision: they are those of `quantize_embeddings` of sentence-transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from helpers.messages import mentions
from helpers.stand_ins import PAIRS, require_same, save_stand_in

from harness.api.evaluating import evaluate
from harness.models.interfaces.model import Ability
from harness.models.loading import load_model
from harness.models.neural.quantization import BinaryEncoder, Int8Encoder
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import OptionError

pytestmark = pytest.mark.needs("sentence_transformers")

TEXTS = sorted({text for pair in PAIRS for text in pair})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_stand_in(tmp_path_factory.mktemp("m") / "m", "bert")


def encode(scorer: Any, texts: list[str]) -> npt.NDArray[Any]:  # noqa: ANN401
    """Encode texts in batches, and return the vectors in the order of the texts."""
    rows: dict[int, npt.NDArray[Any]] = {}
    for places, vectors in scorer.encode_batches(texts):
        rows.update(zip(places, vectors, strict=True))
    return np.stack([rows[place] for place in range(len(texts))])


def compare(vectors: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return the cosine of each pair, in double precision."""
    row_of = {text: row.astype(np.float64) for text, row in zip(TEXTS, vectors, strict=True)}
    first, second = (np.stack([row_of[pair[side]] for pair in PAIRS]) for side in (0, 1))
    return np.asarray((first * second).sum(1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1))


def test_int8_is_that_of_the_library(folder: Path) -> None:
    """The library takes the ranges from the texts that it gets, if nothing else is given."""
    from sentence_transformers import SentenceTransformer, quantize_embeddings

    model = load_model(f"{folder},output=int8")
    ours = model.scorer.encode(TEXTS)
    assert ours.dtype == np.int8
    assert set(ours.min(axis=0)) == {-128}
    assert set(ours.max(axis=0)) <= {126, 127}  # the highest value is at an edge
    vectors = encode(load_model(str(folder)).scorer, TEXTS)
    np.testing.assert_array_equal(ours, quantize_embeddings(vectors, precision="int8"))
    require_same(compare(ours), compare(np.asarray(quantize_embeddings(vectors, precision="int8"))))
    # The library pads batches. That changes the last digits of vectors, and so the step of few values next to an edge.
    library = SentenceTransformer(str(folder), device="cpu").encode(TEXTS, precision="int8")
    assert np.abs(ours.astype(int) - library).max() <= 1
    assert (ours == library).mean() > 0.99


@pytest.mark.parametrize("precision", ["binary", "ubinary"])
def test_binary_vectors_have_the_hamming_distance_of_the_library(folder: Path, precision: str) -> None:
    """The cosine of signs is 1 - 2h / n, if h of n bits differ. 32 dimensions give few different scores."""
    from sentence_transformers import SentenceTransformer

    model = load_model(f"{folder},output={precision}")
    ours = encode(model.scorer, TEXTS)
    assert set(ours.ravel()) == {-1.0, 1.0}
    library = SentenceTransformer(str(folder), device="cpu").encode(TEXTS, precision=precision)
    bits = np.unpackbits(library.view(np.uint8) ^ (128 if precision == "binary" else 0), axis=1)
    row_of = dict(zip(TEXTS, bits, strict=True))
    differing = np.array([np.count_nonzero(row_of[first] != row_of[second]) for first, second in PAIRS])
    np.testing.assert_allclose(compare(ours), 1 - 2 * differing / 32, atol=1e-12)


def test_dimensions_that_fill_no_byte(folder: Path) -> None:
    """The library fills the last byte with zeros, which are no dimensions."""
    assert encode(load_model(f"{folder},output=binary,truncate_dim=11").scorer, TEXTS[:3]).shape == (3, 11)


class Vectors:
    """An encoder whose vectors are given, in batches from the last text to the first."""

    def __init__(self, vectors: npt.NDArray[Any]) -> None:
        self.vectors = vectors

    def encode_batches(self, texts: list[str]) -> Any:  # noqa: ANN401
        for place in reversed(range(len(texts))):
            yield [place], self.vectors[[place]]


def test_values_worked_out_by_hand(caplog: pytest.LogCaptureFixture) -> None:
    """The range of the first dimension is [0, 2.55], with steps of 0.01. The second has a single value."""
    vectors = np.array([[0.0, 0.5], [2.55, 0.5], [1.005, 0.5], [0.0, 0.0]], dtype=np.float32)
    quantized = Int8Encoder(Vectors(vectors[:3]), "m").encode(["a", "b", "c"])
    assert quantized.tolist() == [[-128, -128], [127, -128], [-28, -128]]
    assert "3 texts" in caplog.text
    assert Int8Encoder(Vectors(vectors), "m").encode(list("abcd"))[3].tolist() == [0, 0]
    signs = np.array([[0.1, -0.1, 0.0], [-1.0, -1.0, -1.0], [0.0, 0.0, 0.0]], dtype=np.float32)
    for precision in ("binary", "ubinary"):
        rows = encode(BinaryEncoder(Vectors(signs), precision), ["a", "b", "c"])
        assert rows.tolist() == [[1, -1, -1], [-1, -1, -1], [0, 0, 0]]


def test_few_texts_are_mentioned_below_a_hundred(caplog: pytest.LogCaptureFixture) -> None:
    vectors = np.random.default_rng(0).normal(size=(100, 2)).astype(np.float32)
    texts = [f"t{number}" for number in range(100)]
    Int8Encoder(Vectors(vectors), "m").encode(texts)
    assert caplog.messages == []
    Int8Encoder(Vectors(vectors), "m").encode(texts[:99])
    assert len(caplog.messages) == 1


def test_what_is_recorded(folder: Path) -> None:
    plain, int8, binary = (load_model(f"{folder}{option}") for option in ("", ",output=int8", ",output=binary"))
    assert int8.effective == {**plain.effective, "calibration": "all texts of each test"}
    assert (int8.options["output"], int8.store_key, int8.is_transductive) == ("int8", None, True)
    assert (binary.options["output"], binary.is_transductive, binary.effective) == ("binary", False, plain.effective)
    assert plain.abilities == int8.abilities == binary.abilities == {Ability.ENCODE}
    assert len({plain.store_key, binary.store_key}) == 2
    assert len({model.fingerprint for model in (plain, int8, binary)}) == 3
    assert plain.fingerprint == load_model(f"{folder},output=float32").fingerprint


def test_scores_of_a_test_do_not_depend_on_other_tests(folder: Path) -> None:
    """The texts of each test give its ranges."""
    together = evaluate(f"{folder},output=int8", "sample", ["binary", "ranking"], cache=False, resamples=5)
    alone = evaluate(f"{folder},output=int8", "sample", "ranking", cache=False, resamples=5)
    np.testing.assert_array_equal(together.rows["ranking"].scores, alone.rows["ranking"].scores)


def test_what_cannot_be_quantized(folder: Path) -> None:
    with pytest.raises(ModelError, match=mentions("m (output=int8): ... single ... Omit the option output")):
        load_model(f"{folder},output=int8").scorer.encode(["a"])
    with pytest.raises(OptionError, match=mentions("output= ... sides=both ... Omit")):
        load_model(f"{folder},output=int8,sides=both")
    with pytest.raises(OptionError, match=mentions("option output ... 'int4' ... int8, binary, ubinary")):
        load_model(f"{folder},output=int4")
