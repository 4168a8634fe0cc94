"""Compute converted models by ONNX Runtime, in float32.

Dynamic quantization to int8 is not offered, because it scales the activations of a batch together. The vector of a text
would depend on the other texts of its batch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.models.neural.backends.interface import FLOAT32, Backend, Compute, Inputs
from harness.support.extras import require

_OPSET = 17
_ERRORS_ONLY = 3


def _require() -> Any:  # noqa: ANN401
    require("onnx", "onnx")
    return require("onnxruntime", "onnx")


def _convert(module: Any, inputs: dict[str, Any], folder: Path) -> None:  # noqa: ANN401
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


def _load(file: Path, precision: str, threads: int) -> Compute:
    del precision, threads  # float32 is the only precision, and each thread of the caller computes a separate batch
    onnxruntime = _require()
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
    require=_require,
    precisions=(FLOAT32,),
    file="model.onnx",
    convert=_convert,
    load=_load,
)
