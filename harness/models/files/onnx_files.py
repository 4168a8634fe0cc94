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
    _check_operators(model, str(path))
    return OnnxFile(content, hashlib.sha256(content).hexdigest(), _count_parameters(model, str(path)))


def _check_operators(model: Any, file: str) -> None:  # noqa: ANN401
    local_domains = {function.domain for function in model.functions} - CUSTOM_DOMAINS
    refused = {f"{node.domain}.{node.op_type}" for node in _list_nodes(model) if not _is_accepted(node, local_domains)}
    if refused:
        names = ", ".join(sorted(refused)[:_SHOWN_NAMES])
        accepted = ", ".join(sorted(CUSTOM_OPERATORS))
        raise InputError(file, f"has operators that are not accepted: {names}", f"export it with others ({accepted})")


def _is_accepted(node: Any, local_domains: set[str]) -> bool:  # noqa: ANN401
    if node.domain in CUSTOM_DOMAINS:
        return node.op_type in CUSTOM_OPERATORS
    return node.domain in STANDARD_DOMAINS or node.domain in local_domains


def _list_nodes(model: Any) -> Iterator[Any]:  # noqa: ANN401
    """Yield the nodes of the main graph, of all graphs in attributes, and of functions."""
    waiting = [*model.graph.node]
    for function in model.functions:
        waiting += function.node
        waiting += _list_nodes_within(function.attribute_proto)
    while waiting:
        node = waiting.pop()
        yield node
        waiting += _list_nodes_within(node.attribute)


def _list_nodes_within(attributes: Iterable[Any]) -> Iterator[Any]:
    """Yield the nodes of the graphs that are values of attributes. Graphs in attributes of these nodes are left out."""
    for attribute in attributes:
        for graph in (attribute.g, *attribute.graphs):
            yield from graph.node


def _list_attributes(model: Any) -> Iterator[Any]:  # noqa: ANN401
    """Yield the attributes of all nodes and the default attributes of functions."""
    for function in model.functions:
        yield from function.attribute_proto
    for node in _list_nodes(model):
        yield from node.attribute


def _list_tensors(model: Any) -> Iterator[Any]:  # noqa: ANN401
    """Yield the tensors of the main graph, of all graphs in attributes, and of attributes."""
    graphs, sparse_tensors = [model.graph], []
    for attribute in _list_attributes(model):
        graphs += [attribute.g, *attribute.graphs]
        sparse_tensors += [attribute.sparse_tensor, *attribute.sparse_tensors]
        yield from (attribute.t, *attribute.tensors)
    for graph in graphs:
        sparse_tensors += graph.sparse_initializer
        yield from graph.initializer
    for tensor in sparse_tensors:
        yield from (tensor.values, tensor.indices)


def _count_parameters(model: Any, file: str) -> int:  # noqa: ANN401
    """Count the values of all tensors. Refuse tensors whose values are in another file."""
    count = 0
    for tensor in _list_tensors(model):
        if tensor.data_location or tensor.external_data:
            raise InputError(file, f"keeps the tensor '{tensor.name[:40]}' in another file", _WHOLE_FILE)
        if tensor.dims:
            count += int(np.prod(tensor.dims, dtype=object))
    return count
