"""Built tests as arrays: every text once, every row as indices into the texts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pyramid_paraphrase.build import BuiltTest
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.options import BINARY, PYRAMIDS, RANKING
from pyramid_paraphrase.rows import TARGETS, topic_of
from pyramid_paraphrase.splits import TEST, TRAIN, VALIDATION

Indices = npt.NDArray[np.int64]

_PAIR_COLUMNS, _QUESTION_COLUMNS = ("sentence1", "sentence2"), ("question", "options")


def list_scored_splits(task: str, present: Collection[str]) -> tuple[str, ...]:
    """Return the splits that are scored, `test` last.

    Labels need a threshold. It is fitted on `validation`, or on `train` if a corpus has no validation split.
    Questions and grades need none.

    Args:
        task: "binary", "ranking" or "similarity".
        present: The splits that the test has.
    """
    if task != BINARY:
        return (TEST,)
    fit_split = VALIDATION if VALIDATION in present else TRAIN
    return (fit_split, TEST)


@dataclass(frozen=True, slots=True)
class Task:
    """One test, ready to be scored; n rows of the splits that are scored.

    Attributes:
        name: Name of the configuration, such as "binary_matched".
        kind: What is asked of a row: "binary", "ranking" or "similarity".
        built: The test it was made from.
        ids: Row ids.
        is_test: Shape (n,), whether a row is of `test`; it is of `fit_split` otherwise.
        fit_split: The split that a threshold is fitted on.
        texts: Indices of texts: (n, 2) for pairs; (n, 1 + options) for questions, the question first.
        targets: Shape (n,): 1 for paraphrases and 0 for others, the index of the right option, or a grade.
        topics: Shape (n, 2): indices into `topic_names` of the topics of both sides; the same twice for questions.
        topic_names: Topic numbers, such as "D0743".
    """

    name: str
    kind: str
    built: BuiltTest
    ids: list[str]
    is_test: npt.NDArray[np.bool_]
    fit_split: str
    texts: Indices
    targets: Indices
    topics: Indices
    topic_names: tuple[str, ...]

    @property
    def has_pairs(self) -> bool:
        """Whether its rows are pairs; they are questions otherwise."""
        return self.kind != RANKING

    def list_training_pairs(self) -> tuple[list[tuple[str, str]], Indices]:
        """Return the pairs of `train` that have a label, and their labels; none if there is no such split."""
        tables = self.built.splits.get(TRAIN, ())
        if not tables or not self.has_pairs:
            return [], np.zeros(0, dtype=np.int64)
        table = pa.concat_tables(tables)
        table = table.filter(pc.greater_equal(table["label"], 0))
        first, second = (table[name].to_pylist() for name in _PAIR_COLUMNS)
        return list(zip(first, second, strict=True)), table["label"].to_numpy()


def lay_out_tasks(tests: Sequence[BuiltTest]) -> tuple[list[str], list[Task]]:
    """Number the texts of several tests in the order in which they are first seen.

    Args:
        tests: The tests.

    Returns:
        The distinct texts, and a task per test.
    """
    tables = [_scored_rows(test) for test in tests]
    columns = []
    for test, table in zip(tests, tables, strict=True):
        columns += [_flat(table[name]) for name in _text_columns(test)]
    lengths = [len(column) for column in columns]
    encoded = _concatenate(columns).dictionary_encode()
    del columns
    chunks = encoded.chunks  # all chunks have the same dictionary
    numbers = np.concatenate([chunk.indices.to_numpy(zero_copy_only=False) for chunk in chunks]).astype(np.int64)
    pieces = iter(np.split(numbers, np.cumsum(lengths)[:-1]))
    tasks = []
    for test, table in zip(tests, tables, strict=True):
        sides = [next(pieces).reshape(table.num_rows, -1) for _ in _text_columns(test)]
        tasks.append(_lay_out(test, table, np.hstack(sides)))
    texts = chunks[0].dictionary.to_pylist()
    del encoded, chunks
    pa.default_memory_pool().release_unused()  # 200 MiB for a million pairs
    return texts, tasks


def _scored_rows(test: BuiltTest) -> pa.Table:
    """Return the rows of the scored splits, test last, with a column `is_test`."""
    names = list_scored_splits(test.configuration.task, test.splits)
    if missing := [name for name in names if name not in test.splits]:
        raise EmptyResultError(
            f"{', '.join(test.collections)} has no pair of {' or '.join(missing)} for {test.configuration.name} to fit "
            "a threshold on; add the files of that split"
        )
    splits = [pa.concat_tables(test.splits[name]) for name in names]
    is_test = np.repeat([name == TEST for name in names], [table.num_rows for table in splits])
    return pa.concat_tables(splits).append_column("is_test", pa.array(is_test))


def _text_columns(test: BuiltTest) -> tuple[str, str]:
    return _QUESTION_COLUMNS if test.configuration.task == RANKING else _PAIR_COLUMNS


def _concatenate(columns: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    return pa.chunked_array(list(chain.from_iterable(column.chunks for column in columns)))


def _flat(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not pa.types.is_list(column.type):
        return column
    return pa.chunked_array([chunk.flatten() for chunk in column.chunks])


def _lay_out(test: BuiltTest, table: pa.Table, texts: Indices) -> Task:
    configuration = test.configuration
    columns = _list_topics(test, table)
    names = _sort_names(columns)
    topics = [pc.index_in(column, value_set=names).to_numpy().astype(np.int64) for column in columns]
    return Task(
        name=configuration.name,
        kind=configuration.task,
        built=test,
        ids=table["id"].to_pylist(),
        is_test=table["is_test"].to_numpy(),
        fit_split=list_scored_splits(configuration.task, test.splits)[0],
        texts=texts,
        targets=table[TARGETS[configuration.task]].to_numpy(),
        topics=np.stack(topics, axis=1),
        topic_names=tuple(names.to_pylist()),
    )


def _sort_names(columns: Sequence[pa.ChunkedArray]) -> pa.Array:
    """Return the distinct values of some columns, sorted by code points."""
    names = pc.unique(_concatenate(columns))
    return names.take(pc.sort_indices(names))


def _list_topics(test: BuiltTest, table: pa.Table) -> list[pa.ChunkedArray]:
    """Return the topics of both sides of each row."""
    if test.configuration.origin != PYRAMIDS:
        return [table["topic"]] * 2
    if test.configuration.task == BINARY:
        return [_find_topics(table["pyramid1"]), _find_topics(table["pyramid2"])]
    return [_find_topics(table["pyramid"])] * 2


def _find_topics(pyramids: pa.ChunkedArray) -> pa.ChunkedArray:
    return pa.chunked_array([[topic_of(pyramid) for pyramid in pyramids.to_pylist()]])
