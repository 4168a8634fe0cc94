"""Libraries that compute converted models on processors: OpenVINO and ONNX Runtime."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from harness.support.extras import Extra

FLOAT32, BFLOAT16, INT8 = "float32", "bfloat16", "int8"
_ONNX_OPSET = 17

Inputs = Mapping[str, npt.NDArray[np.int64]]
"""What the tokenizer makes of n texts of equal length: arrays of shape (n, tokens) by name."""

Compute = Callable[[Inputs], npt.NDArray[np.float32]]
"""Computes the vectors of n texts, shape (n, dimension). Several threads may call it at a time."""


class Backend(NamedTuple):
    """A library that computes converted models.

    Attributes:
        name: Its name in a spec.
        extras: The packages that it needs.
        precisions: The precisions that it can compute in, float32 first.
        file: Name of the main file of a converted model.
        convert: Converts a module of `torch`. Arguments are the module, its inputs for some texts, the precision, and a
            folder for the file.
        load: Loads a converted model. Arguments are the file, the precision, and the number of threads.
    """

    name: str
    extras: tuple[Extra, ...]
    precisions: tuple[str, ...]
    file: str
    convert: Callable[[Any, dict[str, Any], str, Path], None]
    load: Callable[[Path, str, int], Compute]


def _convert_to_openvino(module: Any, inputs: dict[str, Any], precision: str, folder: Path) -> None:  # noqa: ANN401
    import openvino

    del precision  # of weights; the library computes in another precision if it is told so
    converted = openvino.convert_model(module, example_input=tuple(inputs.values()))
    for port, name in zip(converted.inputs, inputs, strict=True):
        port.get_tensor().set_names({name})
    openvino.save_model(converted, folder / OPENVINO.file, compress_to_fp16=False)


def _load_openvino(file: Path, precision: str, threads: int) -> Compute:
    import openvino

    hint = {FLOAT32: "f32", BFLOAT16: "bf16"}[precision]
    settings = {"INFERENCE_PRECISION_HINT": hint, "NUM_STREAMS": threads, "INFERENCE_NUM_THREADS": threads}
    compiled = openvino.Core().compile_model(str(file), "CPU", settings)
    requests = threading.local()

    def compute(inputs: Inputs) -> npt.NDArray[np.float32]:
        if not hasattr(requests, "own"):
            requests.own = compiled.create_infer_request()
        return np.array(requests.own.infer(dict(inputs), share_inputs=True)[0])

    return compute


def _convert_to_onnx(module: Any, inputs: dict[str, Any], precision: str, folder: Path) -> None:  # noqa: ANN401
    import torch

    exact = folder / ("exact.onnx" if precision == INT8 else ONNX.file)
    torch.onnx.export(
        module,
        tuple(inputs.values()),
        str(exact),
        dynamo=False,  # the other exporter and its models are slower
        input_names=list(inputs),
        output_names=["vectors"],
        dynamic_axes={**{name: {0: "texts", 1: "tokens"} for name in inputs}, "vectors": {0: "texts"}},
        opset_version=_ONNX_OPSET,
    )
    if precision == INT8:
        from onnxruntime.quantization import QuantType, quantize_dynamic

        quantize_dynamic(exact, folder / ONNX.file, weight_type=QuantType.QInt8, per_channel=True)
        exact.unlink()


def _load_onnx(file: Path, precision: str, threads: int) -> Compute:
    import onnxruntime

    del precision, threads  # the file has the precision; each thread of ours computes a batch by itself
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])

    def compute(inputs: Inputs) -> npt.NDArray[np.float32]:
        (vectors,) = session.run(None, dict(inputs))
        return np.asarray(vectors)

    return compute


OPENVINO = Backend(
    name="openvino",
    extras=(Extra("openvino", "openvino"),),
    precisions=(FLOAT32, BFLOAT16),
    file="model.xml",
    convert=_convert_to_openvino,
    load=_load_openvino,
)
ONNX = Backend(
    name="onnx",
    extras=(Extra("onnx", "onnx"), Extra("onnx", "onnxruntime")),
    precisions=(FLOAT32, INT8),
    file="model.onnx",
    convert=_convert_to_onnx,
    load=_load_onnx,
)
BACKENDS = (OPENVINO, ONNX)
"""In the order in which `auto` tries them: the fastest first."""
