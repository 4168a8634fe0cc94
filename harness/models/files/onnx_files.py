"""Checks of an ONNX file before ONNX Runtime loads it.

An ONNX file is a program of operators. The operators of ONNX itself compute on tensors and open neither files nor
connections. The package onnxruntime-extensions adds operators on texts, and some of them send requests to servers or
call Python functions. Therefore only its tokenizers and a few operators on strings are accepted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from harness.support.errors import describe_cause
from harness.support.extras import require
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files.inputs import open_input

EXTRA_NAME = "onnx-files"
"""The extra of this project that installs the required packages."""

MAX_FILE_BYTES = 1 << 30
"""Maximum size of an ONNX file. Two copies of it are in memory while it is loaded."""

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


class OnnxFile(NamedTuple):
    """A checked ONNX file.

    Attributes:
        content: The bytes of the file.
        digest: SHA-256 of the content, in hexadecimal.
        parameters: Number of values in the tensors.
    """

    content: bytes
    digest: str
    parameters: int


def read_onnx(path: Path) -> OnnxFile:
    """Read an ONNX file. Refuse a file that refers to other files or contains operators that are not accepted.

    Raises:
        InputError: If the file is not an ONNX file, keeps tensors in other files, or contains an operator that is not
            accepted.
        LimitError: If the file is larger than `MAX_FILE_BYTES`.
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
    messages = list(_walk(model))
    _check_operators([message for message in messages if isinstance(message, onnx.NodeProto)], model, str(path))
    tensors = [message for message in messages if isinstance(message, onnx.TensorProto)]
    return OnnxFile(content, hashlib.sha256(content).hexdigest(), _count_parameters(tensors, str(path)))


def _walk(model: Any) -> Iterator[Any]:  # noqa: ANN401
    """Yield a message and all messages within it, wherever the format allows them: in graphs, branches, functions, ...

    The content of tensors is left out.
    """
    from google.protobuf.message import Message

    waiting = [model]
    while waiting:
        message = waiting.pop()
        yield message
        if message.DESCRIPTOR.name == "TensorProto":
            continue
        for field, value in message.ListFields():
            if field.message_type is not None:
                waiting += [value] if isinstance(value, Message) else value


def _check_operators(nodes: Iterable[Any], model: Any, file: str) -> None:  # noqa: ANN401
    functions = {(function.domain, function.name) for function in model.functions}
    refused = {f"{node.domain}.{node.op_type}" for node in nodes if not _is_accepted(node, functions)}
    if refused:
        names = ", ".join(sorted(refused)[:_SHOWN_NAMES])
        accepted = ", ".join(sorted(CUSTOM_OPERATORS))
        raise InputError(file, f"has operators that are not accepted: {names}", f"export it with others ({accepted})")


def _is_accepted(node: Any, functions: set[tuple[str, str]]) -> bool:  # noqa: ANN401
    if node.domain in CUSTOM_DOMAINS:
        return node.op_type in CUSTOM_OPERATORS
    if node.domain in STANDARD_DOMAINS:
        return node.op_type not in FILE_OPERATORS
    return (node.domain, node.op_type) in functions


def _count_parameters(tensors: Iterable[Any], file: str) -> int:
    """Count the values of tensors. Refuse tensors whose values are in another file."""
    count = 0
    for tensor in tensors:
        if tensor.data_location or tensor.external_data:
            raise InputError(file, f"keeps the tensor '{tensor.name[:40]}' in another file", _WHOLE_FILE)
        if tensor.dims:
            count += int(np.prod(tensor.dims, dtype=object))
    return count
