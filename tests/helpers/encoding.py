"""Vectors of texts from an encoder that yields batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def encode_all(scorer: Any, texts: list[str]) -> npt.NDArray[Any]:  # noqa: ANN401
    """Encode batch by batch, and restore the order, as the harness does."""
    pieces = list(scorer.encode_batches(texts))
    vectors = np.concatenate([vectors for _, vectors in pieces])
    return vectors[np.argsort([index for batch, _ in pieces for index in batch])]
