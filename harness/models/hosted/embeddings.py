"""Vectors of texts from a server: concurrent requests in batches, and checks of the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.models.hosted.answers import CHECK_ADDRESS, AnswerError, find_words
from harness.models.hosted.pacing import map_as_completed, order_longest_first
from harness.models.hosted.service import Service

Vectors = npt.NDArray[np.float64]

MAX_DIMENSION = 65_536

_MOST_VALUES = 1 << 20
_LARGE_DIMENSION = 4096
"""Before the first vectors of a model have arrived, an answer may have so many values, or vectors of this dimension."""

_OTHER_VALUES = 256
"""Number of values of an answer in addition to the values of vectors, for each text and once. Marks in texts count."""


class HostedEncoder:
    """An encoder that requests vectors from a server.

    Args:
        service: The model on the server.
        dimensions: Dimension to request. None for the default of the model.
        batch_size: Texts per request.
        concurrency: Number of simultaneous requests.
    """

    in_batches = True

    def __init__(self, service: Service, *, dimensions: int | None, batch_size: int, concurrency: int) -> None:
        self._service, self._dimensions = service, dimensions
        self._batch_size, self._concurrency = batch_size, concurrency
        self._lock, self._expected = Lock(), dimensions
        self._received: int | None = None

    def encode_batches(self, texts: list[str]) -> Iterator[tuple[list[int], Vectors]]:
        """Encode texts in batches, the longest texts first.

        A run that continues an earlier run divides the remaining texts into the same batches.

        Raises:
            ModelError: If the server fails, or its answer cannot be used.
        """
        order = order_longest_first(texts)
        batches = [order[start : start + self._batch_size] for start in range(0, len(order), self._batch_size)]

        def encode(batch: list[int]) -> tuple[list[int], Vectors]:
            return batch, self._request([texts[index] for index in batch])

        with self._service.connect():
            yield from map_as_completed(encode, batches, self._concurrency, self._service.stop)

    def _request(self, texts: list[str]) -> Vectors:
        """Request the vectors of a batch."""
        dimensions = {} if self._dimensions is None else {"dimensions": self._dimensions}
        options = {"input": texts, "encoding_format": "float", **dimensions}

        def read(value: Mapping[str, Any]) -> Vectors:
            vectors = parse_answer(value, len(texts))
            self._require_dimension(vectors.shape[1])
            return vectors

        most_values, bytes_per_value = limit_values(len(texts), self._received)
        return self._service.ask(
            "embeddings",
            options,
            texts,
            read,
            most_values=most_values,
            bytes_per_value=bytes_per_value,
            named=("encoding_format", *dimensions),
        )

    def _require_dimension(self, dimension: int) -> None:
        """Refuse vectors that differ in length from the requested dimension or from earlier vectors."""
        with self._lock:
            expected = self._expected = self._expected or dimension
        if dimension == expected:
            self._received = dimension
            return
        if self._dimensions is not None:
            raise AnswerError(f"returns vectors of {dimension} values instead of dimensions={expected}")
        lengths = " and ".join(map(str, sorted((dimension, expected))))
        raise AnswerError(f"returns vectors of different lengths, {lengths} values")


def limit_values(count: int, dimension: int | None) -> tuple[int, int]:
    """Return the largest number of values of an answer, and the mean number of bytes of a value.

    Args:
        count: Number of texts.
        dimension: Dimension of earlier vectors of the model. None if there are none.
    """
    if dimension is None:
        return max(_MOST_VALUES, count * _LARGE_DIMENSION), 16
    return count * (dimension + _OTHER_VALUES) + _OTHER_VALUES, 64


def parse_answer(value: Mapping[str, Any], count: int) -> Vectors:
    """Parse the answer to a request for vectors.

    Args:
        value: The answer.
        count: Number of texts.

    Returns:
        Shape (texts, dimension), in the order of the texts, all values finite.

    Raises:
        AnswerError: If a text has no vector of finite numbers, or the vectors differ in length.
    """
    if value.get("error"):
        raise AnswerError("returns an error in place of vectors", find_words(value["error"]), CHECK_ADDRESS)
    entries = value.get("data")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise AnswerError("returns JSON without a list of vectors", find_words(value), CHECK_ADDRESS)
    if len(entries) != count:
        raise AnswerError(f"returns {len(entries)} vectors for {count} texts")
    vectors = [_parse_vector(entry.get("embedding")) for entry in _sort(entries)]
    lengths = sorted({len(vector) for vector in vectors})
    if len(lengths) > 1:
        raise AnswerError(f"returns vectors of different lengths, {lengths[0]} and {lengths[-1]} values")
    return np.stack(vectors)


def _sort(entries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Sort entries by the number of their text, the value of `index`."""
    by_number = {entry.get("index"): entry for entry in entries if type(entry.get("index")) is int}
    if by_number.keys() != set(range(len(entries))):
        raise AnswerError(f"does not number its vectors from 0 to {len(entries) - 1}")
    return [by_number[number] for number in range(len(entries))]


def _parse_vector(values: object) -> Vectors:
    if not isinstance(values, list) or not all(type(value) in (int, float, type(None)) for value in values):
        raise AnswerError("returns a vector that is not a list of numbers")
    if not 0 < len(values) <= MAX_DIMENSION:
        raise AnswerError(f"returns a vector of {len(values)} values, expected 1 to {MAX_DIMENSION:,}")
    try:
        vector = np.array(values, dtype=np.float64)  # JSON numbers may be beyond single precision
    except OverflowError:  # integers beyond double precision
        vector = np.full(len(values), np.inf)
    if not np.isfinite(vector).all():
        raise AnswerError("returns a vector with a value that is not finite (NaN, null or infinity)")
    return vector
