"""Libraries that compute converted models on a processor."""

from harness.models.neural.backends.onnx_runtime import ONNX
from harness.models.neural.backends.openvino_runtime import OPENVINO

BACKENDS = (OPENVINO, ONNX)
"""In the order in which `auto` tries them: the fastest first."""
