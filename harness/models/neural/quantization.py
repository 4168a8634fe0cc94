"""Vectors of a lower precision, as `quantize_embeddings` of sentence-transformers makes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.models.interfaces.kinds import Option, make_choice
from harness.models.interfaces.model import Model
from harness.models.neural.backends import FLOAT32, INT8
from harness.support.errors import ModelError
from pyramid_paraphrase.escaping import make_logger

BINARY, UBINARY = "binary", "ubinary"
OUTPUT: Option = make_choice("output", (FLOAT32, INT8, BINARY, UBINARY))
"""The precision of the values of vectors. `binary` and `ubinary` have the same bits, in bytes with and without sign."""

CALIBRATION = "all texts of each test"
"""The texts whose vectors give the range of each dimension for int8."""

_FEW_TEXTS = 100
"""The library warns of ranges that are computed from fewer vectors."""

_logger = make_logger(__name__)


class BinaryEncoder:
    """An encoder whose values are 1 where those of another encoder are positive, and -1 elsewhere.

    Every similarity of two vectors then has the order of their Hamming distance: with n dimensions of which h differ,
    the cosine is 1 - 2h / n. The vector of a text whose vector is zero stays zero.

    Args:
        encoder: An encoder with `encode_batches`.
        precision: `BINARY` or `UBINARY`.
    """

    in_batches = True

    def __init__(self, encoder: Any, precision: str) -> None:  # noqa: ANN401
        self._encoder, self._precision = encoder, precision

    def encode_batches(self, texts: list[str]) -> Iterator[tuple[list[int], npt.NDArray[np.float32]]]:
        """Encode texts batch by batch."""
        from sentence_transformers import quantize_embeddings

        precision: Any = self._precision
        for places, output in self._encoder.encode_batches(texts):
            vectors = np.asarray(output, dtype=np.float32)
            packed: Any = quantize_embeddings(vectors, precision=precision)
            if self._precision == BINARY:
                packed = packed.astype(np.int16) + 128
            bits = np.unpackbits(packed.astype(np.uint8), axis=1, count=vectors.shape[1])
            signs = bits.astype(np.float32) * 2 - 1
            yield places, signs * vectors.any(axis=1, keepdims=True)


class Int8Encoder:
    """An encoder that rounds the values of another encoder to 256 steps per dimension.

    The steps of a dimension divide the range from its lowest to its highest value in the vectors of all texts. The
    vector of a text whose vector is zero stays zero.

    Args:
        encoder: An encoder with `encode_batches`.
        name: Its name, for messages.
    """

    def __init__(self, encoder: Any, name: str) -> None:  # noqa: ANN401
        self._encoder, self._name = encoder, name

    def encode(self, texts: list[str]) -> npt.NDArray[np.int8]:
        """Encode texts, at least two, shape (n, dimension).

        Raises:
            ModelError: If a single text is to give the ranges.
        """
        from sentence_transformers import quantize_embeddings

        if len(texts) == 1:
            reason = "output=int8 takes the range of each dimension from all texts, and there is a single one"
            raise ModelError(f"{self._name}: {reason}. Omit the option output")
        if len(texts) < _FEW_TEXTS:
            _logger.warning("%s: the ranges of int8 come from only %d texts", self._name, len(texts))
        order: list[int] = []
        parts = []
        for places, output in self._encoder.encode_batches(texts):
            order += places
            parts.append(np.asarray(output, dtype=np.float32))
        vectors = np.concatenate(parts)[np.argsort(order)]
        ranges = np.stack([vectors.min(axis=0), vectors.max(axis=0)])
        quantized: Any = quantize_embeddings(vectors, precision="int8", ranges=ranges)
        return np.where(vectors.any(axis=1, keepdims=True), quantized, 0).astype(np.int8)


def quantize(model: Model, precision: str) -> Model:
    """Return an encoder whose vectors have a precision.

    Args:
        model: The encoder, whose options contain the precision unless it is `FLOAT32`.
        precision: A value of the option `output`.
    """
    if precision == FLOAT32:
        return model
    if precision != INT8:
        return replace(model, scorer=BinaryEncoder(model.scorer, precision))
    effective = {**model.effective, "calibration": CALIBRATION}
    scorer = Int8Encoder(model.scorer, model.name)
    return replace(model, scorer=scorer, effective=effective, is_transductive=True, store_key=None)
