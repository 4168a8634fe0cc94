"""Libraries that compute converted models on a CPU: OpenVINO and ONNX Runtime.

Dynamic quantization to int8 is not offered for ONNX Runtime, because it scales the activations of a batch together. The
vector of a text would depend on the other texts of its batch. In int8, OpenVINO quantizes the weights once, and the
activations of each token separately.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pyramid_paraphrase.files.extras import require

FLOAT32, FLOAT16, BFLOAT16, INT8 = "float32", "float16", "bfloat16", "int8"

Inputs = Mapping[str, npt.NDArray[np.int64]]
"""Inputs of a model for n texts of equal token length: arrays of shape (n, tokens) by the name of the input."""

Compute = Callable[[Inputs], npt.NDArray[np.float32]]
"""A function that computes the vectors of n texts, shape (n, dimension). Several threads may call it simultaneously."""


class Backend(NamedTuple):
    """A library that computes converted models.

    Attributes:
        name: Name of the backend in a spec.
        packages: Import names of the required packages, which are also their names in the package registry.
        require: Function that imports the packages, or raises MissingExtraError.
        precisions: The supported precisions, float32 first.
        file: Name of the main file of a converted model.
        convert: Function that converts a module of `torch`. Its arguments are the module, example inputs, and a folder
            for the file.
        load: Function that loads a converted model. Its arguments are the file, the precision, and the number of
            threads.
    """

    name: str
    packages: tuple[str, ...]
    require: Callable[[], object]
    precisions: tuple[str, ...]
    file: str
    convert: Callable[[Any, dict[str, Any], Path], None]
    load: Callable[[Path, str, int], Compute]


_OPSET = 17
_ERRORS_ONLY = 3


def _require_onnx() -> Any:  # noqa: ANN401
    require("onnx", "onnx")
    return require("onnxruntime", "onnx")


def _convert_to_onnx(module: Any, inputs: dict[str, Any], folder: Path) -> None:  # noqa: ANN401
    import torch

    torch.onnx.export(
        module,
        tuple(inputs.values()),
        str(folder / ONNX.file),
        dynamo=False,  # the newer exporter is slower, and so are its models
        input_names=list(inputs),
        output_names=["vectors"],
        dynamic_axes={**{name: {0: "texts", 1: "tokens"} for name in inputs}, "vectors": {0: "texts"}},
        opset_version=_OPSET,
    )


def _load_onnx(file: Path, precision: str, threads: int) -> Compute:
    del precision, threads  # float32 is the only precision, and each thread of the caller computes a separate batch
    onnxruntime = _require_onnx()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])

    def compute(inputs: Inputs) -> npt.NDArray[np.float32]:
        (vectors,) = session.run(None, dict(inputs))
        return np.asarray(vectors)

    return compute


ONNX = Backend(
    name="onnx",
    packages=("onnx", "onnxruntime"),
    require=_require_onnx,
    precisions=(FLOAT32,),
    file="model.onnx",
    convert=_convert_to_onnx,
    load=_load_onnx,
)


_ACTIVATIONS_PER_SCALE = 128
_SETTINGS: dict[str, dict[str, str | int]] = {
    FLOAT32: {"INFERENCE_PRECISION_HINT": "f32"},
    BFLOAT16: {"INFERENCE_PRECISION_HINT": "bf16"},
    INT8: {"DYNAMIC_QUANTIZATION_GROUP_SIZE": _ACTIVATIONS_PER_SCALE},
}
_HIGHEST_INT8 = 127


def import_openvino() -> Any:  # noqa: ANN401
    """Import OpenVINO without its telemetry, which would report each import and each conversion to Google Analytics.

    Raises:
        MissingExtraError: If it is not installed.
    """
    if "openvino" not in sys.modules:
        # An import of this name then fails, and OpenVINO continues without telemetry.
        sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
    return require("openvino", "openvino")


def _convert_to_openvino(module: Any, inputs: dict[str, Any], folder: Path) -> None:  # noqa: ANN401
    openvino = import_openvino()
    converted = openvino.convert_model(module, example_input=tuple(inputs.values()))
    for port, name in zip(converted.inputs, inputs, strict=True):
        port.get_tensor().set_names({name})
    openvino.save_model(converted, folder / OPENVINO.file, compress_to_fp16=False)


def _load_openvino(file: Path, precision: str, threads: int) -> Compute:
    core = import_openvino().Core()
    model = core.read_model(str(file))
    if precision == INT8:
        _quantize_weights(model)
    compiled = core.compile_model(
        model, "CPU", {"NUM_STREAMS": threads, "INFERENCE_NUM_THREADS": threads, **_SETTINGS[precision]}
    )
    requests = threading.local()

    def compute(inputs: Inputs) -> npt.NDArray[np.float32]:
        if not hasattr(requests, "own"):
            requests.own = compiled.create_infer_request()
        return np.array(requests.own.infer(dict(inputs), share_inputs=True)[0])

    return compute


def _quantize_weights(model: Any) -> None:  # noqa: ANN401
    """Replace the weights of each matrix product by int8 values with one scale per output."""
    from openvino import opset13

    for product in model.get_ops():
        if product.get_type_name() != "MatMul":
            continue
        constant = product.input_value(1).get_node()
        if constant.get_type_name() != "Constant":
            continue
        weights = np.array(constant.get_data(), np.float32)
        input_axis = 1 if product.get_attributes()["transpose_b"] else 0
        values, scales = quantize(weights, input_axis)
        restored = opset13.multiply(
            opset13.convert(opset13.constant(values), np.float32), opset13.constant(scales.astype(np.float32))
        )
        product.input(1).replace_source_output(restored.output(0))


def quantize(weights: npt.NDArray[np.float32], axis: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Round weights to int8, symmetrically around 0.

    Args:
        weights: A matrix.
        axis: The axis whose weights share a scale.

    Returns:
        The values, from -127 to 127, with the shape of the weights, and the scales, with length 1 on the axis. The
        weights are approximately values times scales.
    """
    scales = np.abs(weights).max(axis=axis, keepdims=True) / _HIGHEST_INT8
    values = np.rint(weights / np.maximum(scales, np.finfo(np.float32).tiny))
    return values.astype(np.int8), scales.astype(np.float32)


OPENVINO = Backend(
    name="openvino",
    packages=("openvino",),
    require=import_openvino,
    precisions=(FLOAT32, BFLOAT16, INT8),
    file="model.xml",
    convert=_convert_to_openvino,
    load=_load_openvino,
)

BACKENDS = (OPENVINO, ONNX)
"""All backends in the order in which `auto` tries them. The fastest backend comes first."""
