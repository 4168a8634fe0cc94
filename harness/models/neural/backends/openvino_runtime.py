"""Compute converted models by OpenVINO.

In int8, the weights are quantized once, and the activations of each token separately.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.models.neural.backends.interface import BFLOAT16, FLOAT32, INT8, Backend, Compute, Inputs
from harness.support.extras import require

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


def _convert(module: Any, inputs: dict[str, Any], folder: Path) -> None:  # noqa: ANN401
    openvino = import_openvino()
    converted = openvino.convert_model(module, example_input=tuple(inputs.values()))
    for port, name in zip(converted.inputs, inputs, strict=True):
        port.get_tensor().set_names({name})
    openvino.save_model(converted, folder / OPENVINO.file, compress_to_fp16=False)


def _load(file: Path, precision: str, threads: int) -> Compute:
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
    convert=_convert,
    load=_load,
)
