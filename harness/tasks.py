"""Built tests as arrays: every text once, every row as indices into the texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pyramid_paraphrase.build import BuiltTest
from pyramid_paraphrase.options import BINARY, RANKING
from pyramid_paraphrase.rows import TARGETS, topic_of
from pyramid_paraphrase.splits import TEST, VALIDATION

Indices = npt.NDArray[np.int64]

SCORED_SPLITS = {BINARY: (VALIDATION, TEST), RANKING: (TEST,)}
"""Pairs have a threshold, which is fitted on `validation`; questions have nothing to fit. `train` is not looked at."""

_TEXT_COLUMNS = {True: ("sentence1", "sentence2"), False: ("question", "options")}
_PYRAMID_COLUMNS = {True: ("pyramid1", "pyramid2"), False: ("pyramid", "pyramid")}


@dataclass(frozen=True, slots=True)
class Task:
    """One test, ready to be scored; n rows of the splits that are scored.

    Attributes:
        name: Name of the configuration, such as "binary_matched".
        is_binary: Whether its rows are pairs; they are questions otherwise.
        built: The test it was made from.
        ids: Row ids.
        is_test: Shape (n,), whether a row is of `test`; it is of `validation` otherwise.
        texts: Indices of texts: (n, 2) for pairs; (n, 1 + options) for questions, the question first.
        targets: Shape (n,): 1 for paraphrases and 0 for others, or the index of the right option.
        topics: Shape (n, 2): indices into `topic_names` of the topics of both sides; the same twice for questions.
        topic_names: Topic numbers, such as "D0743".
    """

    name: str
    is_binary: bool
    built: BuiltTest
    ids: list[str]
    is_test: npt.NDArray[np.bool_]
    texts: Indices
    targets: Indices
    topics: Indices
    topic_names: tuple[str, ...]


def lay_out_tasks(tests: Sequence[BuiltTest]) -> tuple[list[str], list[Task]]:
    """Number the texts of several tests in the order in which they are first seen.

    Args:
        tests: The tests.

    Returns:
        The distinct texts, and a task per test.
    """
    tables = [_scored_rows(test) for test in tests]
    columns = [_flat(table[name]) for test, table in zip(tests, tables, strict=True) for name in _text_columns(test)]
    encoded = pa.chunked_array(columns).combine_chunks().dictionary_encode()
    numbers = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    pieces = iter(np.split(numbers, np.cumsum([len(column) for column in columns])[:-1]))
    tasks = []
    for test, table in zip(tests, tables, strict=True):
        sides = [next(pieces).reshape(table.num_rows, -1) for _ in _text_columns(test)]
        tasks.append(_lay_out(test, table, np.hstack(sides)))
    return encoded.dictionary.to_pylist(), tasks


def _scored_rows(test: BuiltTest) -> pa.Table:
    """The rows of the scored splits, validation first, with a column that tells them apart."""
    names = SCORED_SPLITS[test.configuration.task]
    splits = [pa.concat_tables(test.splits[name]) for name in names]
    is_test = np.repeat([name == TEST for name in names], [table.num_rows for table in splits])
    return pa.concat_tables(splits).append_column("is_test", pa.array(is_test))


def _text_columns(test: BuiltTest) -> tuple[str, str]:
    return _TEXT_COLUMNS[test.configuration.task == BINARY]


def _flat(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    return whole.flatten() if pa.types.is_list(whole.type) else whole


def _lay_out(test: BuiltTest, table: pa.Table, texts: Indices) -> Task:
    is_binary = test.configuration.task == BINARY
    pyramids = [table[name].combine_chunks().dictionary_encode() for name in _PYRAMID_COLUMNS[is_binary]]
    names = tuple(sorted({topic_of(pyramid) for column in pyramids for pyramid in column.dictionary.to_pylist()}))
    topics = [
        np.array([names.index(topic_of(pyramid)) for pyramid in column.dictionary.to_pylist()])[column.indices]
        for column in pyramids
    ]
    return Task(
        name=test.configuration.name,
        is_binary=is_binary,
        built=test,
        ids=table["id"].to_pylist(),
        is_test=table["is_test"].to_numpy(),
        texts=texts,
        targets=table[TARGETS[test.configuration.task]].to_numpy(),
        topics=np.stack(topics, axis=1),
        topic_names=names,
    )
