"""Scores row by row, without text: what every metric can be recomputed from."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.metrics.rounding import DECIMALS
from harness.statistics import Scored
from harness.tasks import Task
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.limits import MAX_RATIO, MEBIBYTE, RATIO_FLOOR_BYTES
from pyramid_paraphrase.splits import TEST, VALIDATION

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

MAX_BYTES = 512 * MEBIBYTE
"""Size of an items file after decompression; it may not have grown by more than other archives may, either."""

_SCORE = "score"
_REMEDY = "evaluate the model again"


@dataclass(frozen=True, slots=True)
class Items:
    """Every scored row of one task; n rows.

    Attributes:
        ids: Row ids.
        is_test: Shape (n,), whether a row is of `test`; it is of `validation` otherwise.
        targets: Shape (n,), labels, or indices of right options.
        topics: Per row the topic numbers of both sides.
        scores: Shape (n,) for pairs, (n, options) for questions, rounded.
    """

    ids: list[str]
    is_test: npt.NDArray[np.bool_]
    targets: Indices
    topics: list[tuple[str, str]]
    scores: Floats

    @property
    def is_binary(self) -> bool:
        """Whether the rows are pairs."""
        return self.scores.ndim == 1

    def validation(self) -> tuple[Floats, Indices]:
        """Scores and targets of the validation split."""
        return self.scores[~self.is_test], self.targets[~self.is_test]

    def scored(self, threshold: float | None) -> Scored:
        """The test split, as statistics need it."""
        chosen = [pair for pair, test in zip(self.topics, self.is_test, strict=True) if test]
        number = {name: index for index, name in enumerate(sorted({name for pair in chosen for name in pair}))}
        topics = np.array([[number[one], number[other]] for one, other in chosen])
        return Scored(self.scores[self.is_test], self.targets[self.is_test], topics, len(number), threshold)


def make_items(task: Task, scores: Floats) -> Items:
    """Join the rows of a task with their scores."""
    names = task.topic_names
    topics = [(names[one], names[other]) for one, other in task.topics.tolist()]
    return Items(task.ids, task.is_test, task.targets, topics, scores)


def render_items(items: Items) -> bytes:
    """Write items as gzip-compressed CSV, the same bytes each time.

    Returns:
        Columns: id, split, target, topics (joined by a blank), score, or score0 to score3 for the options.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    table = items.scores.reshape(len(items.ids), -1)
    writer.writerow(["id", "split", "target", "topics", *_score_columns(items.is_binary, table.shape[1])])
    splits = [TEST if test else VALIDATION for test in items.is_test]
    formatted = [[f"{value:.{DECIMALS}f}" for value in row] for row in table.tolist()]
    for row_id, split, target, topics, values in zip(
        items.ids, splits, items.targets.tolist(), items.topics, formatted, strict=True
    ):
        writer.writerow([row_id, split, target, " ".join(sorted(set(topics))), *values])
    return gzip.compress(text.getvalue().encode("ascii"), mtime=0)


def _score_columns(is_binary: bool, count: int) -> list[str]:
    return [_SCORE] if is_binary else [f"{_SCORE}{index}" for index in range(count)]


def parse_items(data: bytes, name: str) -> Items:
    """Read what `render_items` wrote, or what a stranger says it did.

    Args:
        data: The file.
        name: Its name, for errors.

    Returns:
        The items.

    Raises:
        InputError: If it is anything else.
    """
    rows = _read_rows(data, name)
    header = next(rows, [])
    is_binary = header[4:] == [_SCORE]
    if header[:4] != ["id", "split", "target", "topics"] or header[4:] != _score_columns(is_binary, len(header) - 4):
        raise InputError(name, "has other columns than scores have", _REMEDY, line=1)
    ids, is_test, targets, topics, scores = [], [], [], [], []
    for line, row in _sound_rows(rows, len(header), name):
        try:
            values, target = [float(value) for value in row[4:]], int(row[2])
        except ValueError:
            raise InputError(name, "holds something that is no number", _REMEDY, line) from None
        if not np.isfinite(values).all() or not 0 <= target < (2 if is_binary else len(values)):
            raise InputError(name, "holds a number that cannot be", _REMEDY, line)
        ends = row[3].split(" ")
        ids.append(row[0])
        is_test.append(row[1] == TEST)
        targets.append(target)
        topics.append((ends[0], ends[-1]))
        scores.append(values[0] if is_binary else values)
    if not any(is_test) or len(set(ids)) < len(ids):
        raise InputError(name, "has no row of the test split, or a row twice", _REMEDY)
    return Items(ids, np.array(is_test), np.array(targets), topics, np.array(scores, dtype=np.float64))


def _read_rows(data: bytes, name: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(_decompress(data, name)))
    except csv.Error as error:
        raise InputError(name, f"is no CSV ({error})", _REMEDY) from None


def _sound_rows(rows: Iterator[list[str]], width: int, name: str) -> Iterator[tuple[int, list[str]]]:
    for line, row in enumerate(rows, start=2):
        if len(row) != width or row[1] not in (TEST, VALIDATION) or not 1 <= len(row[3].split(" ")) <= 2:
            raise InputError(name, "is no row of id, split, target, topics and scores", _REMEDY, line)
        yield line, row


def _decompress(data: bytes, name: str) -> str:
    limit = min(MAX_BYTES, max(RATIO_FLOOR_BYTES, MAX_RATIO * len(data)))
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            text = file.read(limit + 1)
        if len(text) > limit:
            raise InputError(name, f"is larger than {limit:,} bytes", _REMEDY)
        return text.decode("ascii")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        raise InputError(name, "is no gzip-compressed ASCII file, or is damaged", _REMEDY) from None
