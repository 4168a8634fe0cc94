"""ONNX files with texts as input: models that contain their own tokenizers. They are checked before they are loaded.

An ONNX file is a program of operators. The operators of ONNX itself compute on tensors and open neither files nor
connections. The package onnxruntime-extensions adds operators on texts, and some of them send requests to servers or
call Python functions. Therefore only its tokenizers and a few operators on strings are accepted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.files.hashing import hash_values
from harness.models.interfaces.kinds import SIMILARITY, ModelKind, Spec, describe_model
from harness.models.interfaces.model import Model
from harness.support.errors import ModelError, describe_cause
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files.extras import find_versions, require
from pyramid_paraphrase.files.inputs import open_input

EXTRA_NAME = "onnx-files"
"""The extra of this project that installs the required packages."""

MAX_FILE_BYTES = 1 << 30
"""Maximum size of an ONNX file. Two copies of it are in memory while it is loaded."""

MAX_MESSAGES = 1_000_000
"""Maximum number of parts of a graph: nodes, their attributes, tensors, and so on. Every part is checked, and large
models have some hundred thousand."""

VALUES_PER_BYTE = 4
"""Largest number of values that a byte of a tensor can hold, those of 2 bits."""

STANDARD_DOMAINS = frozenset({"", "ai.onnx", "ai.onnx.ml", "com.microsoft"})
"""Domains of the operators of ONNX Runtime itself."""

CUSTOM_DOMAINS = frozenset({"ai.onnx.contrib", "com.microsoft.extensions"})
"""Domains of the operators of onnxruntime-extensions."""

FILE_OPERATORS = frozenset({"EPContext"})
"""Operators of ONNX Runtime itself that are refused, because they load a compiled graph, also from other files."""

CUSTOM_OPERATORS = frozenset(
    """
    BasicTokenizer BertTokenizer CLIPTokenizer GPT2Tokenizer HfBertTokenizer RobertaTokenizer SentencepieceTokenizer
    WordpieceTokenizer RaggedTensorToDense RaggedTensorToSparse StringConcat StringJoin StringLength StringLower
    StringRegexReplace StringSplit StringStrip StringToVector StringUpper
    """.split()
)
"""Operators of `CUSTOM_DOMAINS` that are accepted. Their vocabularies are in the file, and RE2 executes their regular
expressions."""

_SHOWN_NAMES = 5
_WHOLE_FILE = "export the model with all its data in one file"
_GET_AGAIN = "get it again, or export the model again"


def read_onnx(path: Path) -> tuple[bytes, int]:
    """Read an ONNX file. Refuse a file that refers to other files or contains operators that are not accepted.

    Returns:
        The bytes of the file, and the number of values in its tensors.

    Raises:
        InputError: If the file is not an ONNX file, keeps tensors in other files, contains an operator that is not
            accepted, or declares tensors that it cannot contain.
        LimitError: If the file is larger than `MAX_FILE_BYTES`, or has more parts than `MAX_MESSAGES`.
        MissingExtraError: If the package onnx is not installed.
        OSError: If the file cannot be read.
    """
    onnx = require("onnx", EXTRA_NAME)
    with open_input(path) as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise LimitError(str(path), f"is larger than {MAX_FILE_BYTES >> 30} GiB", "use a smaller model")
    try:
        model = onnx.load_model_from_string(content)
    except Exception as error:  # errors of protobuf, or of Python if a text is not UTF-8
        raise InputError(str(path), f"is not an ONNX file ({describe_cause(error)})", "use an .onnx file") from None
    _check_operators(model, str(path))
    count = _count_parameters(model, str(path))
    if count > VALUES_PER_BYTE * len(content):
        reason = f"declares larger tensors than its {len(content):,} bytes can contain"
        raise InputError(str(path), reason, _GET_AGAIN)
    return content, count


def _find_messages(model: Any, kind: str, file: str) -> Iterator[Any]:  # noqa: ANN401
    """Yield all messages of a kind in a model, wherever the format allows them: in graphs, branches, functions, ...

    The content of tensors is left out.
    """
    waiting, number = [model], 0
    while waiting:
        message = waiting.pop()
        number += 1
        if number + len(waiting) > MAX_MESSAGES:
            raise LimitError(file, f"has a graph of more than {MAX_MESSAGES:,} parts", "use a smaller model")
        if message.DESCRIPTOR.name == kind:
            yield message
        if message.DESCRIPTOR.name == "TensorProto":
            continue
        for field, value in message.ListFields():
            if field.message_type is not None:
                waiting += [value] if hasattr(value, "ListFields") else value


def _check_operators(model: Any, file: str) -> None:  # noqa: ANN401
    functions = {(function.domain, function.name) for function in model.functions}
    refused = set()
    for node in _find_messages(model, "NodeProto", file):
        if node.domain in CUSTOM_DOMAINS:
            is_accepted = node.op_type in CUSTOM_OPERATORS
        elif node.domain in STANDARD_DOMAINS:
            is_accepted = node.op_type not in FILE_OPERATORS
        else:
            is_accepted = (node.domain, node.op_type) in functions
        if not is_accepted:
            refused.add(f"{node.domain}.{node.op_type}")
    if refused:
        names = ", ".join(sorted(refused)[:_SHOWN_NAMES])
        accepted = ", ".join(sorted(CUSTOM_OPERATORS))
        raise InputError(file, f"has operators that are not accepted: {names}", f"export it with others ({accepted})")


def _count_parameters(model: Any, file: str) -> int:  # noqa: ANN401
    """Count the values of tensors. Refuse tensors of a negative size, and those whose values are in another file."""
    count = 0
    for tensor in _find_messages(model, "TensorProto", file):
        if tensor.data_location or tensor.external_data:
            raise InputError(file, f"keeps the tensor '{tensor.name[:40]}' in another file", _WHOLE_FILE)
        if min(tensor.dims, default=0) < 0:
            raise InputError(file, f"declares the tensor '{tensor.name[:40]}' with a negative size", _GET_AGAIN)
        if tensor.dims:
            count += int(np.prod(tensor.dims, dtype=object))
    return count


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

    def encode_batches(self, texts: list[str]) -> Iterator[tuple[list[int], npt.NDArray[np.float32]]]:
        """Encode texts and yield vectors in batches, so that progress can be shown.

        Raises:
            ModelError: If the model does not return one vector for a text.
        """
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            indices = range(start, min(start + _TEXTS_AT_ONCE, len(texts)))
            yield list(indices), np.concatenate([self._encode_text(texts[index]) for index in indices])

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
        content, parameters = read_onnx(Path(spec.model))
    except OSError as error:
        raise ModelError(f"{spec.model}: cannot be read ({error.strerror}). Check its permissions") from None
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _NO_MESSAGES
    options.add_session_config_entry(*_CHECKED_FORMAT)
    options.register_custom_ops_library(extensions.get_library_path())
    session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    encoder = OnnxEncoder(session, _find_input(session, spec.model))
    model = describe_model(spec, encoder, {"model": hashlib.sha256(content).hexdigest()}, parameters=parameters)
    return replace(model, store_key=hash_values([model.fingerprint, list(find_versions(_PACKAGES).values())]))


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
    contents="an ONNX model",
    extra=EXTRA_NAME,
    is_reproducible=False,
)
