"""Score files: the scores of all rows, without text, to recompute every metric. Also the key of a test."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv as pa_csv

from harness.evaluation.layout import list_scored_splits
from harness.evaluation.record import ScoresFile, TestRecord
from harness.metrics.rows import Key, ScoredRows
from harness.stats import rounding
from harness.support.arrays import Floats, Indices, number_values
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.archives import allow_expansion, compress_pieces
from pyramid_paraphrase.files.inputs import read_bytes
from pyramid_paraphrase.files.limits import MEBIBYTE
from pyramid_paraphrase.formats.pairs.corpora import HIGHEST_GRADE
from pyramid_paraphrase.rules.options import (
    GRADED_PAIRS,
    KINDS,
    MATCHES,
    NO_MATCH,
    PAIRS,
    TEST,
    TRAIN,
    VALIDATION,
    Kind,
)

MAX_BYTES = 512 * MEBIBYTE
"""Maximum size of a score file after decompression, in bytes. The limit on the expansion of archives applies, too."""

MAX_SCORES_BYTES = 256 * MEBIBYTE

_ROWS_AT_ONCE = 1 << 14
_LEVEL = 1
"""Level of compression. Level 6 takes three times as long for files that are 6 % smaller."""

_GZIP = 16 + zlib.MAX_WBITS
_FLAGS = 3
"""Offset of the byte of a gzip header that announces optional fields (RFC 1952, 2.3.1)."""
_SCORE = "score"
_TARGETS = {GRADED_PAIRS: "grade", MATCHES: "match"}
"""Name of the target column, for kinds that have their own. The name identifies the kind of a score file."""

_NO_ROW = "expected the columns id, split, target, topics and scores"
_REMEDY = "evaluate the model again"
REMEDY = "use a file that `pyramid-paraphrase evaluate` wrote"
_REBUILD = "write it again with `pyramid-paraphrase build SOURCE --output`"


def render_scores(rows: ScoredRows) -> bytes:
    """Render scored rows as gzip-compressed CSV. The same rows give the same bytes.

    Returns:
        Columns: id, split, target (named grade or match for graded pairs and matches), topics (separated by a space),
        and score, or score0, score1 and so on for the options. The score is "nan" after the last option of a row.
    """
    return compress_pieces(_render_rows(rows), _LEVEL)


def _render_rows(rows: ScoredRows) -> Iterator[bytes]:
    """Yield rows as CSV, some thousand at a time, because the Python objects of a row take ten times its memory."""
    table = rows.scores.reshape(len(rows.ids), -1)
    columns = _list_columns(rows.kind, table.shape[1])
    yield ",".join(columns).encode("ascii") + b"\n"
    pattern = ",".join(["%s,%s", *[_choose_format(rows)] * table.shape[1]]) + "\n"
    middles = _Middles(rows)
    for start in range(0, len(rows.ids), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        places = zip(
            rows.is_test[part].tolist(), rows.targets[part].tolist(), *rows.topics[part].T.tolist(), strict=True
        )
        lines = [
            pattern % (row_id, middles[place], *scores)
            for row_id, place, scores in zip(rows.ids[part], places, table[part].tolist(), strict=True)
        ]
        yield "".join(lines).encode("ascii")


def _choose_format(rows: ScoredRows) -> str:
    """Choose how scores are written: with `DECIMALS`, or as in 1.20000e-07 if they are too few or too many."""
    decimals = rounding.find_decimals(rows.scores)
    if decimals >= 0 and np.array_equal(rounding.round_scores(rows.scores), rows.scores, equal_nan=True):
        return f"%.{rounding.DECIMALS}f"
    digits = rounding.SMALL_DIGITS if decimals > rounding.DECIMALS else rounding.LARGE_DIGITS
    return f"%.{digits - 1}e"


class _Middles(dict[tuple[bool, int, int, int], str]):
    """A cache of the columns split, target and topics as CSV, by their values. Many rows share them."""

    def __init__(self, rows: ScoredRows) -> None:
        super().__init__()
        self._rows = rows

    def __missing__(self, place: tuple[bool, int, int, int]) -> str:
        is_test, target, first, second = place
        names = self._rows.topic_names
        split = TEST if is_test else self._rows.fit_split
        text = io.StringIO()
        csv.writer(text, lineterminator="").writerow([split, target, " ".join(sorted({names[first], names[second]}))])
        return self.setdefault(place, text.getvalue())


def _list_columns(kind: Kind, score_count: int) -> list[str]:
    columns = ["id", "split", _TARGETS.get(kind, "target"), "topics"]
    if kind.has_options:
        return [*columns, *(f"{_SCORE}{index}" for index in range(score_count))]
    return [*columns, _SCORE]


def parse_scores(data: bytes, name: str, limit: int = MAX_BYTES) -> ScoredRows:
    """Parse a file of `render_scores`, as `ScoreParser.parse` does."""
    return ScoreParser().parse(data, name, limit)


class ScoreParser:
    """A parser of score files, whose rows share what files of the same test have in common: all but the scores.

    Hundreds of results fit into memory, and are read in half the time, because most of a file is the ids of its rows.
    """

    def __init__(self) -> None:
        # The columns of the last file of each shape, and their content.
        self._last: dict[tuple[int, int], tuple[pa.Table, Key]] = {}

    def parse(self, data: bytes, name: str, limit: int = MAX_BYTES) -> ScoredRows:
        """Parse a file of `render_scores`. The file is untrusted, because it may come with a submission.

        Args:
            data: The content of the file.
            name: Name of the file, for messages.
            limit: Largest size after decompression, in bytes.

        Returns:
            The rows.

        Raises:
            InputError: If the file cannot come from `render_scores`.
        """
        text = _decompress(data, name, limit, _REMEDY)
        header = text.split(b"\n", 1)[0].decode("ascii").split(",")
        kind = next((kind for kind in KINDS if header == _list_columns(kind, len(header) - 4)), None)
        if kind is None or not header[4:]:
            raise InputError(name, "does not have the columns of a score file", _REMEDY, line=1)
        table = _read_table(text, header, name, _REMEDY)
        scores = rounding.round_to_size(np.stack([_view(table[column]) for column in header[4:]], axis=1))
        columns = table.select(header[:4])
        last = self._last.get(table.shape)
        is_known = last is not None and columns.equals(last[0])
        key = last[1] if last is not None and is_known else _parse_columns(columns, kind, name)
        option_counts = _count_options(kind, scores)
        target_counts = {GRADED_PAIRS: HIGHEST_GRADE + 1, PAIRS: 2}.get(kind, option_counts)
        is_target = (key.targets >= (NO_MATCH if kind == MATCHES else 0)) & (key.targets < target_counts)
        _require((option_counts > 0) & is_target, name, "contains a number out of range")
        if not is_known:
            if not key.is_test.any() or len(set(key.ids)) < len(key.ids):
                raise InputError(name, "contains no rows of the test split, or a row twice", _REMEDY)
            self._last[table.shape] = columns, key
        if not kind.has_options:
            scores = rounding.RoundedScores(scores[:, 0])
        return ScoredRows(
            kind=kind,
            ids=key.ids,
            is_test=key.is_test,
            targets=key.targets,
            topics=key.topics,
            topic_names=key.topic_names,
            scores=scores,
            fit_split=key.fit_split,
        )

    def read(self, record: Path, scores: ScoresFile, limit: int | None = None) -> tuple[ScoredRows, bytes]:
        """Read the score file of a test, and parse it.

        Args:
            record: The JSON file of the result, which is in the same folder.
            scores: The name and the hash of the score file.
            limit: Maximum size in bytes, compressed or not. None for the general limits.

        Returns:
            The rows, and the content of the file.

        Raises:
            InputError: If the file is missing, damaged, too large, or does not match the hash.
        """
        data = _read_file(record, scores, limit or MAX_SCORES_BYTES)
        return self.parse(data, str(record.parent / scores.file), limit or MAX_BYTES), data


def _read_file(record: Path, scores: ScoresFile, limit: int) -> bytes:
    path = record.parent / scores.file
    data = read_bytes(path, limit, REMEDY)
    if hashlib.sha256(data).hexdigest() != scores.sha256:
        reason = f"does not match {record.name}: the file was changed, or belongs to another result"
        raise InputError(str(path), reason, _REMEDY)
    return data


class StoredScores(Mapping[str, bytes]):
    """The content of the score files of a result, by test. They are read when they are needed, to save memory.

    Args:
        record: The JSON file of the result.
        tests: The tests of the result.
    """

    def __init__(self, record: Path, tests: Mapping[str, TestRecord]) -> None:
        self._record = record
        self._tests = tests

    def __getitem__(self, test_name: str) -> bytes:
        """Read the score file of a test.

        Raises:
            InputError: If it is missing, or does not match the result.
        """
        return _read_file(self._record, self._tests[test_name].scores, MAX_SCORES_BYTES)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tests)

    def __len__(self) -> int:
        return len(self._tests)


def _parse_columns(columns: pa.Table, kind: Kind, name: str) -> Key:
    """Parse the columns that all score files of a test share.

    Raises:
        InputError: If a row has an unknown split or more than two topics. The message names its line.
    """
    targets, splits = _view(columns[2]), columns["split"].combine_chunks()
    fit_split = TRAIN if TRAIN in splits.dictionary.to_pylist() else VALIDATION
    is_test, is_fitted_on = _find_split(splits, TEST), _find_split(splits, fit_split)
    topics_column = columns["topics"].combine_chunks()
    topic_names, topics = _parse_topics(topics_column.dictionary.to_pylist(), _view(topics_column.indices))
    _require((is_test | is_fitted_on) & (topics >= 0).all(axis=1), name, _NO_ROW)
    return Key(
        kind=kind,
        ids=columns["id"].to_pylist(),
        is_test=is_test,
        targets=targets,
        topics=topics,
        topic_names=topic_names,
        fit_split=fit_split,
    )


def _find_split(column: pa.DictionaryArray, split: str) -> npt.NDArray[np.bool_]:
    """Return whether each row belongs to a split, shape (n,)."""
    names = column.dictionary.to_pylist()
    if split not in names:
        return np.zeros(len(column), dtype=np.bool_)
    return np.asarray(_view(column.indices) == names.index(split))


def _view(column: pa.Array | pa.ChunkedArray) -> npt.NDArray[Any]:
    """Return a column of numbers without copying them. The method `to_numpy` imports pandas, which takes long."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return np.from_dlpack(column)


def _count_options(kind: Kind, scores: Floats) -> Indices:
    """Count the scores of each row, shape (n,). The count is 0 if a number of the row cannot be a score."""
    is_score = np.abs(scores) <= rounding.LARGEST_SCORE
    if kind != MATCHES:
        return np.where(is_score.all(axis=1), scores.shape[1], 0)
    counts = is_score.sum(axis=1)
    is_option = np.arange(scores.shape[1]) < counts[:, None]
    return np.where((is_score == is_option).all(axis=1) & (is_score | np.isnan(scores)).all(axis=1), counts, 0)


def _read_table(text: bytes, columns: list[str], name: str, remedy: str) -> pa.Table:
    """Read the rows of CSV text.

    Raises:
        InputError: If a row has a wrong number of columns or a value of a wrong type. The message names the line.
    """
    words, number = pa.dictionary(pa.int32(), pa.string()), pa.float64()
    types = {"id": pa.string(), "split": words, "topics": words}
    types |= dict.fromkeys(("target", *_TARGETS.values()), pa.int64())
    try:
        return pa_csv.read_csv(
            pa.BufferReader(text),
            pa_csv.ReadOptions(use_threads=False, block_size=len(text) + 1, column_names=columns, skip_rows=1),
            pa_csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
            pa_csv.ConvertOptions(
                column_types={column: types.get(column, number) for column in columns}, null_values=[], check_utf8=False
            ),
        )
    except pa.ArrowInvalid as error:
        reason = _NO_ROW
        if "conversion error" in str(error):
            reason = "contains a value that is not a number"
        row = re.search(r"Row #(\d+)", str(error))
        raise InputError(name, reason, remedy, int(row[1]) if row else 0) from None


def _parse_topics(texts: list[str], numbers: Indices) -> tuple[tuple[str, ...], Indices]:
    """Find the topics of rows.

    Args:
        texts: The topics of a row, separated by a space.
        numbers: Shape (n,), the index of the text of each row.

    Returns:
        The names of the topics, and the indices of both topics of each row, or -1 for more than two topics.
    """
    values = [text.split(" ") for text in texts]
    names = tuple(sorted(set[str]().union(*values)))
    index = {name: number for number, name in enumerate(names)}
    pairs = [(-1, -1) if len(topics) > 2 else (index[topics[0]], index[topics[-1]]) for topics in values]
    return names, np.array(pairs, dtype=np.int64).reshape(-1, 2)[numbers]


def _require(is_valid: npt.NDArray[np.bool_], name: str, reason: str) -> None:
    """Check that all rows are valid.

    Raises:
        InputError: If a row is not valid. The message names its line, which is below the header.
    """
    if not is_valid.all():
        raise InputError(name, reason, _REMEDY, int(np.argmin(is_valid)) + 2)


def _decompress(data: bytes, name: str, limit: int, remedy: str) -> bytes:
    limit = min(limit, allow_expansion(len(data)))
    try:
        stream = zlib.decompressobj(wbits=_GZIP)
        text = stream.decompress(data, limit + 1)
    except zlib.error:
        text = b"\xff"  # not ASCII, so it is refused below
    if len(text) > limit:
        raise InputError(name, f"is larger than {limit:,} bytes after decompression", remedy)
    if not text.isascii() or not stream.eof or stream.unused_data:
        raise InputError(name, "is not a gzip-compressed ASCII file, or is damaged", remedy)
    if data[_FLAGS]:
        raise InputError(name, "contains a file name or a comment in its gzip header", remedy)
    return text


def parse_key(data: bytes, name: str) -> Key:
    """Parse the key of a configuration, as `build --output` writes it.

    Args:
        data: The content of the file: gzip-compressed CSV with the columns id, label or answer, split, topics.
        name: Name of the file, for messages.

    Returns:
        The rows of the splits that are scored.

    Raises:
        InputError: If the file cannot come from `build --output`.
    """
    text = _decompress(data, name, MAX_BYTES, _REBUILD)
    header = text.split(b"\n", 1)[0].decode("ascii").split(",")
    kind = next((kind for kind in KINDS if header == ["id", kind.target, "split", "topics"]), None)
    if kind is None:
        raise InputError(name, "does not have the columns of a key", _REBUILD, line=1)
    table = _read_table(text, ["id", "target", "split", "topics"], name, _REBUILD)
    # Without functions of pyarrow, most of which import pandas.
    splits, topics_column = table["split"].combine_chunks(), table["topics"].combine_chunks()
    # In the order of the rows of `TextRows`, so that `align` rarely has to reorder scores.
    scored_splits = list_scored_splits(kind, (VALIDATION,))
    order = np.concatenate([np.flatnonzero(_find_split(splits, split)) for split in scored_splits])
    is_test, ids = _find_split(splits, TEST)[order], table["id"].to_pylist()
    # Numbered again, because the dictionary also contains topics that occur only in other splits.
    used, numbers = number_values(_view(topics_column.indices)[order])
    topics_of_rows = topics_column.dictionary.to_pylist()
    topic_names, topics = _parse_topics([topics_of_rows[number] for number in used.tolist()], numbers)
    key = Key(
        kind=kind,
        ids=[ids[place] for place in order.tolist()],
        is_test=is_test,
        targets=_view(table["target"])[order],
        topics=topics,
        topic_names=topic_names,
    )
    if not is_test.any() or len(set(key.ids)) < len(key.ids):
        raise InputError(name, "contains no rows of the test split, or a row twice", _REBUILD)
    if (key.targets < 0).any() or (kind == PAIRS and (key.targets > 1).any()) or (topics < 0).any():
        raise InputError(name, "contains an invalid target or invalid topics", _REBUILD)
    return key
