"""ONNX files with texts as input: models that contain their own tokenizers."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.files.hashing import hash_values
from harness.models.files.onnx_files import EXTRA_NAME, read_onnx
from harness.models.interfaces.kinds import ModelKind, NameForm, Spec
from harness.models.interfaces.options import SIMILARITY
from harness.models.interfaces.protocols import Model
from harness.support.errors import ModelError
from harness.support.extras import Extra, require

_PACKAGES = ("onnxruntime", "onnxruntime_extensions")
_TEXTS_AT_ONCE = 64
_NO_MESSAGES = 4
"""Log severity of ONNX Runtime, fatal errors only. It would print other errors with texts of the file. They are in its
exceptions, too."""

_CHECKED_FORMAT = ("session.load_model_format", "ONNX")
"""Makes ONNX Runtime read the file as ONNX. By default it also accepts its own format, and a file may be valid in both
formats. `read_onnx` checks the operators of the ONNX format only."""

_REMEDY = "Export it with one input (the texts) and one output (their vectors)"


class OnnxEncoder:
    """An encoder that runs an ONNX file on one text at a time.

    Quantized models scale the activations of a batch together, so that the vector of a text would depend on the other
    texts of its batch. A single thread computes, because the order of sums depends on the number of threads.

    Args:
        session: An `InferenceSession` of ONNX Runtime.
        input_name: Name of the input for texts.
    """

    in_batches = True

    def __init__(self, session: Any, input_name: str) -> None:  # noqa: ANN401
        self._session, self._input_name = session, input_name

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """Encode each text, shape (n, dimension).

        Raises:
            ModelError: If the model does not return one vector for a text.
        """
        return np.concatenate([self._encode_text(text) for text in texts])

    def encode_batches(self, texts: list[str]) -> Iterator[tuple[list[int], npt.NDArray[np.float32]]]:
        """Encode texts and yield vectors in batches, so that progress can be shown."""
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            indices = range(start, min(start + _TEXTS_AT_ONCE, len(texts)))
            yield list(indices), self.encode([texts[index] for index in indices])

    def _encode_text(self, text: str) -> npt.NDArray[np.float32]:
        (vectors,) = self._session.run(None, {self._input_name: np.array([text], dtype=object)})
        if vectors.ndim != 2 or len(vectors) != 1:
            raise ModelError(f"the model returns an array of shape {vectors.shape} for one text. {_REMEDY}")
        return np.asarray(vectors, dtype=np.float32)


def load_onnx(spec: Spec) -> Model:
    """Load an ONNX file.

    Raises:
        InputError: If the file is not an ONNX file, or is not accepted.
        ModelError: If the file cannot be read, or its model does not take texts and return vectors.
        MissingExtraError: If a package is not installed.
    """
    runtime, extensions = (require(package, EXTRA_NAME) for package in _PACKAGES)
    try:
        file = read_onnx(Path(spec.model))
    except OSError as error:
        raise ModelError(f"{spec.model}: cannot be read ({error.strerror}). Check its permissions") from None
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _NO_MESSAGES
    options.add_session_config_entry(*_CHECKED_FORMAT)
    options.register_custom_ops_library(extensions.get_library_path())
    session = runtime.InferenceSession(file.content, options, providers=["CPUExecutionProvider"])
    fingerprint = hash_values({"kind": spec.kind.name, "model": file.digest})
    return Model(
        name=spec.title,
        kind=spec.kind.name,
        spec=spec.public,
        fingerprint=fingerprint,
        scorer=OnnxEncoder(session, _find_input(session, spec.model)),
        parameters=file.parameters,
        store_key=hash_values([fingerprint, [version(package) for package in _PACKAGES]]),
    )


def _find_input(session: Any, file: str) -> str:  # noqa: ANN401
    """Return the name of the text input of a model.

    Raises:
        ModelError: If the model does not have one input for texts and one output with vectors.
    """
    inputs, outputs = session.get_inputs(), session.get_outputs()
    if [node.type for node in inputs] != ["tensor(string)"]:
        raise ModelError(f"{file}: its input is not texts but {_describe(inputs)}. {_REMEDY}")
    if len(outputs) != 1 or not outputs[0].type.startswith("tensor(float"):
        raise ModelError(f"{file}: its output is not vectors but {_describe(outputs)}. {_REMEDY}")
    return str(inputs[0].name)


def _describe(nodes: list[Any]) -> str:
    return ", ".join(f"{node.name} of type {node.type}" for node in nodes) or "nothing"


ONNX = ModelKind(
    name="onnx",
    meaning="an ONNX file that contains its tokenizer",
    example="onnx:embedding_model_quantized.onnx",
    group="sentence encoders",
    load=load_onnx,
    options=(SIMILARITY,),
    name_form=NameForm.FILE,
    contents="an ONNX model",
    extra=Extra(EXTRA_NAME, "onnxruntime_extensions"),
    is_reproducible=False,
)
