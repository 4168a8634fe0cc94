"""Encoders that are computed by OpenVINO and ONNX Runtime."""

from __future__ import annotations

import logging
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.commands import Room, Run
from helpers.encoding import encode_all
from helpers.messages import mentions
from helpers.tiny_models import save_static_model
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from harness.api.evaluating import evaluate
from harness.models.files import conversions
from harness.models.interfaces.model import Model
from harness.models.loading import load_model
from harness.models.neural import compiled
from harness.models.neural.backends import BACKENDS, FLOAT32, ONNX, OPENVINO, quantize
from harness.models.neural.compiled import NotCompiledError, compile_encoder
from harness.support.errors import ModelError

pytestmark = [pytest.mark.needs("openvino"), pytest.mark.needs("onnxruntime")]

TEXTS = ["a", "b c", "the mill of tarn burned down", "b c d", "x" * 60, ""]
NAMES = [backend.name for backend in BACKENDS]


@pytest.fixture(scope="module")
def converted(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The conversion of the tiny model by backend. Each was the first conversion in its folder."""
    kept = {}
    for name in NAMES:
        folder = tmp_path_factory.mktemp(name)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(conversions, "default_folder", lambda folder=folder: folder)
            load_model(f"{tiny_model},backend={name}")
        (kept[name],) = folder.iterdir()
    return kept


@pytest.fixture(autouse=True)
def folder(converted: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with copies of the conversions, because a conversion takes long."""
    folder = tmp_path / "compiled"
    for kept in converted.values():
        shutil.copytree(kept, folder / kept.name)
    monkeypatch.setattr(conversions, "default_folder", lambda: folder)
    return folder


def encode(model: Model) -> np.ndarray:
    """Encode the texts in batches, in several threads."""
    vectors: dict[int, Any] = {}
    for batch, encoded in model.scorer.encode_batches(TEXTS):
        vectors |= dict(zip(batch, encoded, strict=True))
    return np.array([vectors[index] for index in range(len(TEXTS))])


@pytest.mark.parametrize("options", ["", ",prompt=about ", ",truncate_dim=3", ",max_seq_length=4", ",batch_size=1"])
@pytest.mark.parametrize("name", NAMES)
def test_vectors_are_those_of_torch(tiny_model: Path, name: str, options: str) -> None:
    expected = load_model(f"{tiny_model}{options}")
    model = load_model(f"{tiny_model},backend={name}{options}")
    assert model.options["backend"] == name
    assert model.fingerprint != expected.fingerprint
    assert model.store_key != expected.store_key
    assert encode(model) == pytest.approx(encode(expected), abs=compiled.TOLERANCES[FLOAT32])
    assert encode_all(model.scorer, TEXTS) == pytest.approx(encode_all(expected.scorer, TEXTS), abs=1e-5)


@pytest.mark.parametrize(("name", "precision"), [("openvino", "bfloat16"), ("openvino", "int8")])
def test_lower_precisions_come_near(tiny_model: Path, name: str, precision: str) -> None:
    exact = encode(load_model(str(tiny_model)))
    model = load_model(f"{tiny_model},backend={name},dtype={precision}")
    assert (model.options["backend"], model.options["dtype"]) == (name, precision)
    vectors = encode(model)
    cosines = (exact * vectors).sum(axis=1) / np.linalg.norm(exact, axis=1) / np.linalg.norm(vectors, axis=1)
    assert cosines.min() > 0.95


def test_int8_vectors_do_not_depend_on_the_batch(tiny_model: Path) -> None:
    """With ONNX Runtime's dynamic quantization they did, because it scales the activations of a batch together."""
    scorer: Any = load_model(f"{tiny_model},backend=openvino,dtype=int8").scorer
    alone = np.concatenate([encode_all(scorer, [text]) for text in TEXTS])
    assert encode_all(scorer, TEXTS) == pytest.approx(alone, abs=1e-6)


def test_weights_in_int8() -> None:
    """By hand: the scales are 254 / 127 and 1.27 / 127. The last row contains only zeros."""
    values, scales = quantize(np.array([[254, -100, 1], [0.5, 1.27, -0.004], [0, 0, 0]], np.float32), axis=1)
    assert values.tolist() == [[127, -50, 0], [50, 127, 0], [0, 0, 0]]
    assert scales == pytest.approx(np.array([[2], [0.01], [0]]))


@given(arrays(np.float32, (3, 5), elements=st.floats(-1e6, 1e6, width=32)), st.sampled_from([0, 1]))
def test_weights_in_int8_are_off_by_half_a_step_at_most(weights: np.ndarray, axis: int) -> None:
    values, scales = quantize(weights, axis)
    assert np.all(np.abs(values * scales.astype(np.float64) - weights) <= scales * 0.5001 + 1e-37)


def test_no_telemetry(run_python: Run, room: Room) -> None:
    """OpenVINO would store an id of the user in the home directory, and send it to Google with each import."""
    code = "from harness.models.neural.backends import import_openvino; import_openvino().Core()"
    process = run_python(code, HOME=str(room.folder), CI="false")
    assert process.returncode == 0, process.stderr
    assert not (room.folder / "intel").exists()


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_converted_models_are_kept(
    tiny_model: Path,
    converted: dict[str, Path],
    folder: Path,
    backend: Any,  # noqa: ANN401
) -> None:
    names = sorted(path.name for path in converted.values())
    file = folder / converted[backend.name].name / backend.file
    before = file.stat().st_mtime_ns
    load_model(f"{tiny_model},backend={backend.name}")
    assert sorted(path.name for path in folder.iterdir()) == names
    assert file.stat().st_mtime_ns == before


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.name)
def test_a_damaged_conversion_is_replaced(
    tiny_model: Path,
    converted: dict[str, Path],
    folder: Path,
    backend: Any,  # noqa: ANN401
    caplog: pytest.LogCaptureFixture,
) -> None:
    names = sorted(path.name for path in converted.values())
    kept = folder / converted[backend.name].name
    (kept / backend.file).write_bytes(b"damaged")
    with caplog.at_level(logging.WARNING):
        model = load_model(f"{tiny_model},backend={backend.name}")
    assert model.options["backend"] == backend.name
    assert re.search(mentions(f"{kept}: ... damaged"), caplog.text)
    assert sorted(path.name for path in folder.iterdir()) == names
    assert (kept / backend.file).read_bytes() != b"damaged"


def test_own_inputs_are_refused(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model whose first step adds a word to the texts. Its tokens differ from those of its tokenizer."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(tiny_model), device="cpu")
    preprocess = model.preprocess
    monkeypatch.setattr(model, "preprocess", lambda texts: preprocess([text + " x" for text in texts]))
    with pytest.raises(NotCompiledError, match=mentions("preprocesses texts")):
        compile_encoder(model, OPENVINO, FLOAT32, "tiny", None)


def test_no_texts(tiny_model: Path) -> None:
    assert list(load_model(f"{tiny_model},backend=onnx").scorer.encode_batches([])) == []


def test_auto_takes_the_first_that_fits(tiny_model: Path) -> None:
    assert load_model(f"{tiny_model},backend=auto").options["backend"] == NAMES[0] == "openvino"
    result = evaluate(f"{tiny_model},backend=auto", "sample", "ranking", cache=False, resamples=10)
    assert result.record.model.options["backend"] == "openvino"


def test_modules_that_cannot_be_converted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = save_static_model(tmp_path / "static")
    with caplog.at_level(logging.WARNING):
        model = load_model(f"{folder},backend=openvino")
    assert model.options["backend"] == "torch"
    assert re.search(mentions("static,backend=openvino: ... StaticEmbedding, ... torch"), caplog.text)


def test_other_vectors_are_refused(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(tiny_model), device="cpu")
    monkeypatch.setitem(compiled.TOLERANCES, FLOAT32, -1.0)
    with pytest.raises(NotCompiledError, match=mentions("vectors that differ by ... conversion")):
        compile_encoder(model, ONNX, FLOAT32, "tiny", None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "backend=onnx,dtype=bfloat16",
            "tiny,backend=onnx,dtype=bfloat16: ... bfloat16 ... float32 ... backend=openvino",
        ),
        ("backend=onnx,dtype=int8", "tiny,backend=onnx,dtype=int8: ... int8 ... float32 ... backend=openvino"),
        ("backend=openvino,dtype=float16", "tiny,backend=openvino,dtype=float16: ... float16 ... float32 ... bfloat16"),
        ("backend=auto,dtype=int8", "tiny,backend=auto,dtype=int8: ... int8 ... float32 ... backend=openvino"),
        ("dtype=int8", "tiny,dtype=int8: ... int8 ... float32 ... float16"),
        ("backend=onnx,device=cuda", "tiny,backend=onnx,device=cuda: ... CPU ... device"),
    ],
)
def test_unsupported_options_of_backends(tiny_model: Path, options: str, message: str) -> None:
    with pytest.raises(ModelError, match=mentions(message)):
        load_model(f"{tiny_model},{options}")


def test_cross_encoders_have_no_backend(tiny_model: Path) -> None:
    with pytest.raises(Exception, match="backend"):
        load_model(f"cross-encoder:{tiny_model},backend=onnx")
