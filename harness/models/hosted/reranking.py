"""Scores of pairs from a server that reranks: a request per first text with its second texts, and checks of answers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from harness.models.hosted.answers import CHECK_ADDRESS, AnswerError, count_values, find_words
from harness.models.hosted.pacing import map_as_completed, order_longest_first
from harness.models.hosted.presets import RERANKERS, STANDARD, Reranker, sort_by_number
from harness.models.hosted.service import Service
from harness.support.arrays import Floats

_VALUES_PER_SCORE = 32
_FEW_VALUES = 256
_BYTES_PER_VALUE = 16
"""Bounds on an answer: values of each score, such as its number and its document, other values, and bytes of a value.
Documents that an answer repeats are counted in addition."""


class HostedReranker:
    """A scorer of pairs that requests the relevance of documents, the second texts, to a query, the first text.

    Args:
        service: The model on the server.
        preset: The interface of the server.
        batch_size: Documents per request.
        concurrency: Number of simultaneous requests.
        fields: More fields of requests.
    """

    in_batches = True

    def __init__(
        self,
        service: Service,
        *,
        preset: Reranker,
        batch_size: int,
        concurrency: int,
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        self._service, self._preset, self._fields = service, preset, {**preset.constants, **(fields or {})}
        self._batch_size, self._concurrency = batch_size, concurrency

    def score_batches(self, pairs: list[tuple[str, str]]) -> Iterator[tuple[list[int], Floats]]:
        """Score pairs, those with the longest texts first. Pairs with the same first text share requests.

        Raises:
            ModelError: If the server fails, or its answer cannot be used.
        """
        by_query: dict[str, list[int]] = {}
        for index in order_longest_first([query + document for query, document in pairs]):
            by_query.setdefault(pairs[index][0], []).append(index)
        size = self._batch_size
        batches = [
            indices[start : start + size] for indices in by_query.values() for start in range(0, len(indices), size)
        ]

        def score(batch: list[int]) -> tuple[list[int], Floats]:
            return batch, self._request(pairs[batch[0]][0], [pairs[index][1] for index in batch])

        with self._service.connect():
            yield from map_as_completed(score, batches, self._concurrency, self._service.stop)

    def _request(self, query: str, documents: list[str]) -> Floats:
        """Request the scores of documents."""
        content = {
            "model": self._service.model,
            "query": query,
            self._preset.documents: documents,
            **self._fields,
        }

        def read(value: Mapping[str, Any]) -> Floats:
            return parse_scores(value, len(documents), self._preset)

        most_values, bytes_per_value = limit_values(documents)
        return self._service.ask(
            "rerank",
            content,
            [query, *documents],
            read,
            most_values=most_values,
            bytes_per_value=bytes_per_value,
            named=tuple(self._fields),
        )


def limit_values(documents: list[str]) -> tuple[int, int]:
    """Return the largest number of values of an answer, and the mean number of bytes of a value.

    Args:
        documents: The documents, which the answer may repeat.
    """
    repeated = json.dumps(documents).encode()
    most_values = count_values(repeated) + len(documents) * _VALUES_PER_SCORE + _FEW_VALUES
    return most_values, _BYTES_PER_VALUE + len(repeated) // most_values


def parse_scores(value: Mapping[str, Any], count: int, preset: Reranker = RERANKERS[STANDARD]) -> Floats:
    """Parse the answer to a request for scores.

    Args:
        value: The answer.
        count: Number of documents.
        preset: The interface of the server.

    Returns:
        Shape (documents,), in the order of the documents, all values finite.

    Raises:
        AnswerError: If a document has no score, or one that is not a finite number.
    """
    if value.get("error"):
        raise AnswerError("returns an error in place of scores", find_words(value["error"]), CHECK_ADDRESS)
    results = value.get(preset.results)
    if not isinstance(results, list) or not all(isinstance(result, dict) for result in results):
        raise AnswerError("returns JSON without a list of scores", find_words(value), CHECK_ADDRESS)
    if len(results) != count:
        raise AnswerError(f"returns {len(results)} scores for {count} texts")
    return np.array([_parse_score(result.get(preset.score)) for result in sort_by_number(results, "scores")])


def _parse_score(score: object) -> float:
    if type(score) not in (int, float) or not math.isfinite(number := float(str(score))):
        raise AnswerError("returns a score that is not a finite number")
    return number
