"""Built tests as arrays: each distinct text once, and each row as indices into the texts."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pyarrow as pa

from harness.metrics.rows import Key
from harness.support.arrays import Indices
from pyramid_paraphrase.catalog import topic_of
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.rules.options import (
    GRADED_PAIRS,
    PAIR_CORPUS,
    PYRAMIDS,
    SUMMARIES,
    TEST,
    TRAIN,
    VALIDATION,
    Kind,
)

if TYPE_CHECKING:
    from pyramid_paraphrase.building.built_tests import BuiltTest

_Item = TypeVar("_Item")

NO_TEXT = -1
"""Placeholder for a text number, after the last text of a row."""


def list_scored_splits(kind: Kind, present: Collection[str]) -> tuple[str, ...]:
    """Return the splits that are scored, `test` last.

    A threshold is fitted on `validation`, or on `train` if a test has no validation split.

    Args:
        kind: The kind of the test.
        present: Names of the splits that the test has.
    """
    if not kind.fits_threshold:
        return (TEST,)
    # A file of scores with rows of `test` only is read as one without rows of `validation`.
    fit_split = TRAIN if TRAIN in present and VALIDATION not in present else VALIDATION
    return (fit_split, TEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRows(Key):
    """The rows of a test, ready to be scored.

    Attributes:
        test: The test.
        texts: Indices of texts: (n, 2) for pairs; (n, 1 + most options) for questions and matches, the question first;
            for presence, (n, 1 + most sentences), the SCU first. `NO_TEXT` follows the last text of a row.
    """

    test: BuiltTest
    texts: Indices

    @property
    def name(self) -> str:
        """Name of the configuration."""
        return self.test.configuration.name

    @property
    def can_fit(self) -> bool:
        """Whether there are rows to fit a threshold on, or none is needed."""
        return not self.kind.fits_threshold or not self.is_test.all()

    @property
    def text_numbers(self) -> Indices:
        """The numbers of all texts of the rows, ascending."""
        return np.flatnonzero(np.bincount(self.texts[self.texts != NO_TEXT]))  # several times as fast as `unique`

    @property
    def is_of_summaries(self) -> bool:
        """Whether each row asks if a summary expresses an SCU."""
        return self.test.configuration.origin == SUMMARIES

    def list_training_pairs(self, splits: Sequence[str] = (TRAIN,)) -> tuple[list[tuple[str, str]], Indices]:
        """Return the labelled pairs of some splits and their labels, without debatable pairs.

        Both are empty if one of the splits is missing, or if rows have options.
        """
        table = self._read_training(splits)
        if table is None:
            return [], np.zeros(0, dtype=np.int64)
        first, second = (table[name].to_pylist() for name in self.test.configuration.texts)
        return list(zip(first, second, strict=True)), table["label"].to_numpy()

    def list_training_grades(self, splits: Sequence[str]) -> Indices | None:
        """Return the grades of the pairs of `list_training_pairs`. None if the data have no grades."""
        table = self._read_training(splits)
        return table[GRADED_PAIRS.target].to_numpy() if table and GRADED_PAIRS.target in table.column_names else None

    def _read_training(self, splits: Sequence[str]) -> pa.Table | None:
        if self.kind.has_options or not all(self.test.splits.get(split) for split in splits):
            return None
        import pyarrow.compute as pc  # imported where tests are used, because results are read without it

        table = pa.concat_tables(chain.from_iterable(self.test.splits[split] for split in splits))
        return table.filter(pc.greater_equal(table["label"], 0))


def lay_out_tests(tests: Sequence[BuiltTest]) -> tuple[list[str], list[TextRows]]:
    """Number the distinct texts of several tests in the order of their first occurrence.

    Args:
        tests: The tests.

    Returns:
        The distinct texts, and the rows of each test.
    """
    number_of: defaultdict[str, int] = defaultdict()
    number_of.default_factory = number_of.__len__
    rows = []
    for test in tests:
        splits, sides = _choose_splits(test), []
        table = _join_splits(test, splits)
        for name in test.configuration.texts:
            numbers = array("q")
            # Not from the joined table, because all its stored texts would be in memory at the same time.
            for part in chain.from_iterable(test.splits[split] for split in splits):
                column = part[name].combine_chunks()
                texts = column.flatten() if pa.types.is_list(column.type) else column
                numbers.extend(map(number_of.__getitem__, texts.to_pylist()))
            sides.append(_arrange(np.array(numbers), table[name]))
        rows.append(_lay_out(test, table, np.hstack(sides)))
    pa.default_memory_pool().release_unused()
    return list(number_of), rows


def _choose_splits(test: BuiltTest) -> tuple[str, ...]:
    """Choose the splits of a test that are scored, `test` last.

    Raises:
        EmptyResultError: If the test has no rows of one of these splits.
    """
    names = list_scored_splits(test.configuration.kind, test.splits)
    if TEST in test.splits and test.configuration.origin == PAIR_CORPUS:  # models with a cutoff need no other split
        names = tuple(name for name in names if name in test.splits)
    if missing := [name for name in names if name not in test.splits]:
        raise refuse_missing(test, missing)
    return names


def _join_splits(test: BuiltTest, names: Sequence[str]) -> pa.Table:
    """Join the rows of some splits, with a column `is_test`."""
    splits = [pa.concat_tables(test.splits[name]) for name in names]
    is_test = np.repeat([name == TEST for name in names], [table.num_rows for table in splits])
    return pa.concat_tables(splits).append_column("is_test", pa.array(is_test))


def refuse_missing(test: BuiltTest, missing: Sequence[str], *, takes_cutoff: bool = False) -> EmptyResultError:
    """Return the error for a test without splits that fit and test a threshold, to be raised by the caller.

    Args:
        test: The test.
        missing: Names of the splits.
        takes_cutoff: Whether an option of the model can replace the threshold.
    """
    # The threshold is fitted on `train` if there is no validation split.
    splits_in_words = [f"{VALIDATION} or {TRAIN}" if name == VALIDATION else name for name in missing]
    remedy = "Add the files of such a split"
    if test.configuration.origin == PAIR_CORPUS:
        remedy += ", or use another corpus as --data and these pairs with --transfer-to"
    if takes_cutoff:
        remedy += ", or add ,cutoff=NUMBER to the model"
    return EmptyResultError(
        f"{', '.join(test.collections)}: no {' and no '.join(splits_in_words)} pairs, which "
        f"{test.configuration.name} needs to fit and test a threshold. {remedy}"
    )


def _concatenate(columns: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    return pa.chunked_array(list(chain.from_iterable(column.chunks for column in columns)))


def _arrange(numbers: Indices, column: pa.ChunkedArray) -> Indices:
    """Arrange the numbers of a column's texts by row. Shorter lists are padded with `NO_TEXT`.

    Args:
        numbers: Numbers of the texts, list after list.
        column: A column of texts or of lists of texts, n rows.

    Returns:
        Shape (n, most texts of a row).
    """
    if not pa.types.is_list(column.type):
        return numbers.reshape(-1, 1)
    import pyarrow.compute as pc

    lengths = pc.list_value_length(column).to_numpy()
    is_text = np.arange(lengths.max(initial=0)) < lengths[:, None]
    arranged = np.full(is_text.shape, NO_TEXT)
    arranged[is_text] = numbers
    return arranged


def _lay_out(test: BuiltTest, table: pa.Table, texts: Indices) -> TextRows:
    import pyarrow.compute as pc

    from pyramid_paraphrase.building.rows import PYRAMID_COLUMNS

    kind = test.configuration.kind
    *fit_splits, _ = list_scored_splits(kind, test.splits)
    if test.configuration.origin == PYRAMIDS:
        pyramids = [table[name].to_pylist() for name in PYRAMID_COLUMNS[kind]]
        topics_of_sides = [pa.chunked_array([list(map(topic_of, names))]) for names in pyramids]
    else:
        topics_of_sides = [table["topic"]]
    columns = [topics_of_sides[0], topics_of_sides[-1]]  # of the first and of the second side of each row
    names = pc.unique(_concatenate(columns))
    names = names.take(pc.sort_indices(names))  # by code points
    topics = [pc.index_in(column, value_set=names).to_numpy().astype(np.int64) for column in columns]
    return TextRows(
        kind=kind,
        test=test,
        ids=table["id"].to_pylist(),
        is_test=table["is_test"].to_numpy(),
        fit_split=fit_splits[0] if fit_splits else VALIDATION,
        texts=texts,
        targets=table[kind.target].to_numpy(),
        topics=np.stack(topics, axis=1),
        topic_names=tuple(names.to_pylist()),
    )


def list_windows(sentences: Sequence[_Item], size: int | None) -> list[Sequence[_Item]]:
    """List the windows of a summary: all runs of `size` neighbouring sentences.

    A summary with fewer sentences has one window, itself. The same holds if the size is None.
    """
    length = len(sentences) if size is None else min(size, len(sentences))
    return [sentences[start : start + length] for start in range(len(sentences) - length + 1)]


def join_windows(texts: list[str], rows: TextRows, size: int | None) -> tuple[list[str], TextRows]:
    """Replace the sentences of summaries by the texts of their windows.

    Args:
        texts: The distinct texts.
        rows: Rows of summaries, as indices into `texts`.
        size: As for `list_windows`.

    Returns:
        The distinct texts with those of windows, and the rows as indices into them.
    """
    number_of = {text: number for number, text in enumerate(texts)}
    joined: list[list[int]] = []
    for scu, *padded in rows.texts.tolist():
        sentences = [texts[number] for number in padded if number != NO_TEXT]
        windows = map(" ".join, list_windows(sentences, size))
        joined.append([scu, *(number_of.setdefault(window, len(number_of)) for window in windows)])
    numbers = np.full((len(joined), max(map(len, joined), default=1)), NO_TEXT)
    for row, members in enumerate(joined):
        numbers[row, : len(members)] = members
    return list(number_of), replace(rows, texts=numbers)
