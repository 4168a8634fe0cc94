"""Libraries that compute converted models on a CPU."""

from harness.models.neural.backends.onnx_runtime import ONNX
from harness.models.neural.backends.openvino_runtime import OPENVINO

BACKENDS = (OPENVINO, ONNX)
"""All backends in the order in which `auto` tries them. The fastest backend comes first."""
