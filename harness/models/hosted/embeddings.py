"""Vectors of texts from a server: concurrent requests in batches, and checks of the answers."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.models.hosted.answers import CHECK_ADDRESS, AnswerError, find_words
from harness.models.hosted.pacing import map_as_completed, order_longest_first
from harness.models.hosted.presets import BASE64, FLOAT, OPENAI, PRESETS, Preset, find_numbered
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
        batch_size: Texts per request. If the interface accepts fewer, this number is used.
        concurrency: Number of simultaneous requests.
        preset: The interface of the server.
        fields: Fields of requests besides the model, the texts and the dimension. None for numbers in place of base64.
        prompt: The text before every text.
    """

    in_batches = True

    def __init__(
        self,
        service: Service,
        *,
        dimensions: int | None,
        batch_size: int,
        concurrency: int,
        preset: Preset = PRESETS[OPENAI],
        fields: Mapping[str, Any] | None = None,
        prompt: str = "",
    ) -> None:
        self._service, self._dimensions, self._preset, self._prompt = service, dimensions, preset, prompt
        self._batch_size, self._concurrency = min(batch_size, preset.most_texts), concurrency
        self._lock, self._expected = Lock(), dimensions
        self._received: int | None = None
        self._fields = dict(preset.encodings[FLOAT] if fields is None else fields)
        if dimensions is not None:
            self._fields[preset.fields["dimensions"]] = dimensions

    def encode_batches(self, texts: list[str]) -> Iterator[tuple[list[int], Vectors]]:
        """Encode texts in batches, the longest texts first.

        A run that continues an earlier run divides the remaining texts into the same batches.

        Raises:
            ModelError: If the server fails, or its answer cannot be used.
        """
        order = order_longest_first(texts)
        batches = [order[start : start + self._batch_size] for start in range(0, len(order), self._batch_size)]

        def encode(batch: list[int]) -> tuple[list[int], Vectors]:
            return batch, self._request([self._prompt + texts[index] for index in batch])

        with self._service.connect():
            yield from map_as_completed(encode, batches, self._concurrency, self._service.stop)

    def _request(self, texts: list[str]) -> Vectors:
        """Request the vectors of a batch."""
        preset, model = self._preset, self._service.model

        def read(value: Mapping[str, Any]) -> Vectors:
            _require_order(value.get(preset.echo), texts)
            vectors = parse_answer(value, len(texts), preset.find, in_base64=BASE64 in self._fields.values())
            self._require_dimension(vectors.shape[1])
            return vectors

        most_values, bytes_per_value = limit_values(len(texts), self._received, preset.copies)
        return self._service.ask(
            preset.find_path(model),
            preset.make(model, texts, self._fields),
            texts,
            read,
            most_values=most_values,
            bytes_per_value=bytes_per_value,
            named=tuple(self._fields),
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


_PAIRS_AT_ONCE = 2048
"""Number of pairs whose texts are requested, and whose scores are stored, together."""


def _require_order(echoed: object, texts: Sequence[str]) -> None:
    """Refuse an answer that repeats the texts in another order. Servers may change texts, for instance their case."""
    if isinstance(echoed, list) and echoed != texts and sorted(map(str, echoed)) == sorted(texts):
        raise AnswerError("returns vectors in another order than the texts")


def limit_values(count: int, dimension: int | None, copies: int = 1) -> tuple[int, int]:
    """Return the largest number of values of an answer, and the mean number of bytes of a value.

    Args:
        count: Number of texts.
        dimension: Dimension of earlier vectors of the model. None if there are none.
        copies: How often an answer contains each vector.
    """
    if dimension is None:
        return max(_MOST_VALUES, count * _LARGE_DIMENSION), 16
    return count * (copies * dimension + _OTHER_VALUES) + _OTHER_VALUES, 64


def parse_answer(
    value: Mapping[str, Any],
    count: int,
    find: Callable[[Mapping[str, Any], int], list[object]] = find_numbered,
    *,
    in_base64: bool = False,
) -> Vectors:
    """Parse the answer to a request for vectors.

    Args:
        value: The answer.
        count: Number of texts.
        find: Function that finds the vectors in the answer, as `Preset.find` does.
        in_base64: Whether vectors may be written in base64.

    Returns:
        Shape (texts, dimension), in the order of the texts, all values finite.

    Raises:
        AnswerError: If a text has no vector of finite numbers, or the vectors differ in length.
    """
    if value.get("error"):
        raise AnswerError("returns an error in place of vectors", find_words(value["error"]), CHECK_ADDRESS)
    found = find(value, count)
    vectors = [_parse_vector(_decode(entry) if in_base64 and isinstance(entry, str) else entry) for entry in found]
    lengths = sorted({len(vector) for vector in vectors})
    if len(lengths) > 1:
        raise AnswerError(f"returns vectors of different lengths, {lengths[0]} and {lengths[-1]} values")
    return np.stack(vectors)


def _make_size_error(size: int) -> AnswerError:
    return AnswerError(f"returns a vector of {size} values, expected 1 to {MAX_DIMENSION:,}")


def _decode(text: str) -> list[float]:
    """Decode a vector in base64: numbers in single precision, the lowest byte first."""
    size = len(text) * 3 // 16  # four characters are three bytes, and four bytes are a number
    if size > MAX_DIMENSION:
        raise _make_size_error(size)
    try:
        data = base64.b64decode(text, validate=True)
        vector: list[float] = np.frombuffer(data, "<f4").tolist()
    except ValueError:
        raise AnswerError("returns a vector that is neither a list of numbers nor such numbers in base64") from None
    return vector


def _parse_vector(values: object) -> Vectors:
    if not isinstance(values, list) or not all(type(value) in (int, float, type(None)) for value in values):
        raise AnswerError("returns a vector that is not a list of numbers")
    if not 0 < len(values) <= MAX_DIMENSION:
        raise _make_size_error(len(values))
    try:
        vector = np.array(values, dtype=np.float64)  # JSON numbers may be beyond single precision
    except OverflowError:  # integers beyond double precision
        vector = np.full(len(values), np.inf)
    if not np.isfinite(vector).all():
        raise AnswerError("returns a vector with a value that is not finite (NaN, null or infinity)")
    return vector
