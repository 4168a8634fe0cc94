"""Built tests: the rows of a configuration, in memory or in a temporary file, with options, counts and fingerprint."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import mmap
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import IO, Any, TypeVar, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pyramid_paraphrase.building.rows import OPTIONAL_COLUMNS
from pyramid_paraphrase.errors import OutputError
from pyramid_paraphrase.rules.options import (
    BY_COLLECTION,
    COLUMN_OPTIONS,
    SPLIT_COLLECTIONS,
    UNRECORDED_DEFAULTS,
    Configuration,
    Options,
)

_TABLES_PER_SEGMENT = 32
"""Tables that are mapped into memory together. Larger segments need more memory, smaller segments more mappings."""


class StoredTables(Sequence[pa.Table]):
    """Tables in an unnamed file, which is deleted together with this object and all tables taken from it.

    A table is mapped into memory only while it is used, so that an iteration over all tables needs little memory.

    Args:
        tables: Tables of one schema, one record batch each, consumed one at a time.

    Raises:
        OutputError: If the temporary directory is not writable.
    """

    def __init__(self, tables: Iterable[pa.Table]) -> None:
        self._segments: list[tuple[int, int]] = []  # offset and length in the file
        self._count = 0
        remaining = iter(tables)
        try:
            self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as its tables are needed
            weakref.finalize(self, self._file.close)
            while segment := list(islice(remaining, _TABLES_PER_SEGMENT)):
                self._append(segment)
            self._file.flush()
        except OSError as error:
            reason = f"temporary files cannot be written ({error.strerror or error})"
            remedy = "Free space there, or set the environment variable TMPDIR to another folder"
            raise OutputError(f"{tempfile.tempdir or 'the temporary directory'}: {reason}. {remedy}") from None

    def _append(self, tables: Sequence[pa.Table]) -> None:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, tables[0].schema) as writer:
            for table in tables:
                writer.write_batch(table.combine_chunks().to_batches()[0])
        data = sink.getvalue()
        self._segments.append((self._file.tell(), data.size))
        self._count += len(tables)
        self._file.write(data)
        self._file.write(bytes(-data.size % mmap.ALLOCATIONGRANULARITY))

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> pa.Table: ...
    @overload
    def __getitem__(self, index: slice) -> list[pa.Table]: ...
    def __getitem__(self, index: int | slice) -> pa.Table | list[pa.Table]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(self._count))]
        number = range(self._count)[index]  # resolves negative indices, and raises IndexError
        segment, place = divmod(number, _TABLES_PER_SEGMENT)
        return pa.Table.from_batches([self._map(*self._segments[segment]).get_batch(place)])

    def __iter__(self) -> Iterator[pa.Table]:
        for offset, length in self._segments:
            batches = self._map(offset, length)
            for number in range(batches.num_record_batches):
                yield pa.Table.from_batches([batches.get_batch(number)])

    def _map(self, offset: int, length: int) -> pa.ipc.RecordBatchFileReader:
        mapping = mmap.mmap(self._file.fileno(), length, access=mmap.ACCESS_READ, offset=offset)
        return pa.ipc.open_file(pa.py_buffer(mapping))

    def __reduce__(self) -> tuple[type[list[pa.Table]], tuple[list[pa.Table]]]:
        """Pickle the tables themselves, because another process cannot open the file."""
        return list, (list(self),)


class TableHandle:
    """One of several tables, loaded on demand. It is pickled as the table itself."""

    def __init__(self, tables: Sequence[pa.Table], index: int) -> None:
        self._tables, self._index = tables, index

    def load(self) -> pa.Table:
        """Take the table from its sequence. A stored table is mapped into memory only now."""
        return self._tables[self._index]

    def __reduce__(self) -> tuple[type[TableHandle], tuple[list[pa.Table], int]]:
        return TableHandle, ([self.load()], 0)


def list_handles(tables: Sequence[pa.Table]) -> list[TableHandle]:
    """Return handles, each of which another process gets as a copy of its own table."""
    return [TableHandle(tables, index) for index in range(len(tables))]


Indices = npt.NDArray[np.int64]
_Members = TypeVar("_Members", Indices, Sequence[Any])

ROWS_PER_TABLE = 1000
"""Maximum number of rows of a table. `datasets` distributes tables among processes."""

_DAMAGE_DIGITS = 16
"""Digits of a digest that detects damage. It is not an identifier, so 64 bits are sufficient."""

_ESCAPED = r"[^ !#-\[\]-~]"
"""Characters that are escaped in a JSON text of ASCII characters."""

_encode_json = json.JSONEncoder(separators=(",", ":")).encode

MAX_ROWS_IN_MEMORY = 1 << 17
"""Highest number of rows of a split that stay in memory, about 50 MiB."""

RELATIONS = "relations"
"""Key of the number of relations in the counts of a test that is made from pyramids with relations."""

ACROSS_SPLITS = "dropped_across_splits"
"""Key of the number of rows that are left out because their texts belong to different splits."""

SHARED_TOPICS = "dropped_shared_topics"
"""Key of the number of rows that a split by collection leaves out because their topic is also in another split."""


@dataclass(frozen=True, slots=True)
class BuiltTest:
    """A built configuration.

    Attributes:
        configuration: The configuration.
        options: The rules of the build, or None for a pair corpus, which has no options.
        splits: The rows of each split in the order of ids, as tables of at most `ROWS_PER_TABLE` rows. The tables of a
            large split are in a temporary file. Iterate over them, so that each is in memory only while it is used.
        collections: Names of the collections of its pyramids.
        counts: Numbers of rows, and of the records that they were made from.
        fingerprint: SHA-256 of the columns that define the test. Scores on different fingerprints are not comparable.
        repository: Name and commit of the repository on the Hub that it was read from, or "".
        optional_digest: Digest of the optional columns, which detects damage, or "" if the rows have none.
    """

    configuration: Configuration
    options: Options | None
    splits: Mapping[str, Sequence[pa.Table]]
    collections: tuple[str, ...]
    counts: dict[str, int]
    fingerprint: str
    repository: str = ""
    optional_digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "optional_digest", digest_optional_columns(self.splits))

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, which are the same in all splits."""
        tables = next(iter(self.splits.values()))
        return list(next(iter(tables)).column_names)

    @property
    def rules(self) -> dict[str, Any]:
        """The options that determine the rows, by name, as results record them. Empty for a pair corpus."""
        return {name: value for name, value in self.recorded_options.items() if name not in COLUMN_OPTIONS}

    @property
    def recorded_options(self) -> dict[str, Any]:
        """The options that the manifest of a folder records, by name. Empty for a pair corpus.

        The option `entailment` is recorded only for pyramids with relations, and the collections of splits only for a
        split by collection. The options of `UNRECORDED_DEFAULTS` are recorded only if they differ from their defaults.
        """
        rules = dataclasses.asdict(self.options) if self.options else {}
        if RELATIONS not in self.counts:
            rules.pop("entailment", None)
        if rules.get("split_by") != BY_COLLECTION:
            for name in SPLIT_COLLECTIONS:
                rules.pop(name, None)
        for name in UNRECORDED_DEFAULTS:
            if name in rules and rules[name] == getattr(Options, name):
                del rules[name]
        return rules

    @property
    def description(self) -> str:
        """Its title, collections and digests in a line, and the commit if it was read from the Hub."""
        collections = ", ".join(self.collections)
        origin = f" Read from: {self.repository}." if self.repository else ""
        digest = f" Optional columns: {self.optional_digest}." if self.optional_digest else ""
        return f"{self.configuration.title}. Made from: {collections}.{origin}{digest} Fingerprint: {self.fingerprint}"


def make_tables(make_table: Callable[[_Members], pa.Table], members: _Members) -> Sequence[pa.Table]:
    """Make the tables of a split. If there are many rows, store them in a temporary file.

    Args:
        make_table: Returns a table of some of the members.
        members: The rows of the split, in any form.
    """
    starts = range(0, len(members), ROWS_PER_TABLE)
    tables = (make_table(members[start : start + ROWS_PER_TABLE]) for start in starts)
    if len(members) > MAX_ROWS_IN_MEMORY:
        return StoredTables(tables)
    return list(tables)


def fingerprint_rows(splits: Mapping[str, Iterable[pa.Table]]) -> str:
    """Compute the SHA-256 of the canonical rows of a configuration. It is the same on every machine.

    The fingerprint identifies the rows on which a score was measured. Optional columns are ignored, because no score
    depends on them, and builds with and without them are the same test. `digest_optional_columns` hashes them.

    Args:
        splits: Tables of each split, in any order and division.

    Returns:
        64 hexadecimal digits.
    """
    return _hash_columns(splits, lambda name: name not in OPTIONAL_COLUMNS)


def digest_optional_columns(splits: Mapping[str, Sequence[pa.Table]]) -> str:
    """Compute the SHA-256 of the optional columns of a configuration, in the order of ids, to detect damage.

    Args:
        splits: Tables of each split, in any order and division.

    Returns:
        16 hexadecimal digits, or "" if the rows have no optional columns.
    """
    names = {name for tables in splits.values() for table in tables[:1] for name in table.column_names}
    if OPTIONAL_COLUMNS.isdisjoint(names):
        return ""
    return _hash_columns(splits, OPTIONAL_COLUMNS.__contains__)[:_DAMAGE_DIGITS]


def _hash_columns(splits: Mapping[str, Iterable[pa.Table]], is_hashed: Callable[[str], bool]) -> str:
    """Compute the SHA-256 of the columns that `is_hashed` selects, row by row in the order of splits and ids."""
    digest = hashlib.sha256()
    for split in sorted(splits):
        beginning = f"[{_encode_json(split)}"
        pieces = _in_id_order(splits[split])
        while part := list(islice(pieces, _TABLES_PER_SEGMENT)):
            ordered = pa.concat_tables(part)
            columns = [_encode_column(ordered[name]) for name in ordered.column_names if is_hashed(name)]
            rows = pc.binary_join_element_wise(beginning, *columns, ",")
            # Each row is followed by a comma, so that the division into chunks does not matter.
            everything = pa.ListArray.from_arrays(pa.array([0, len(rows)], pa.int32()), rows)
            digest.update(pc.binary_join(everything, "],")[0].as_buffer())
            digest.update(b"],")
    return digest.hexdigest()


def _encode_column(column: pa.ChunkedArray | pa.Array) -> pa.StringArray:
    """Encode the values of a column as JSON."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_integer(array.type):
        return array.cast(pa.string()).fill_null("null")
    if pa.types.is_list(array.type):
        lengths = pc.list_value_length(array).fill_null(0)
        ends = pc.cumulative_sum(lengths)
        starts = pa.concat_arrays([pa.array([0], ends.type), ends])
        members = pa.ListArray.from_arrays(starts, _encode_column(array.flatten()))
        lists = pc.binary_join_element_wise("[", pc.binary_join(members, ","), "]", "")
        return pc.if_else(array.is_null(), "null", lists)
    if not pa.types.is_string(array.type):
        return pa.array(map(_encode_json, array.to_pylist()), pa.string())
    encoded = pc.binary_join_element_wise('"', array, '"', "")
    is_escaped = pc.match_substring_regex(array, _ESCAPED).fill_null(False)
    escaped = pa.array(map(_encode_json, array.filter(is_escaped).to_pylist()), pa.string())
    return pc.replace_with_mask(encoded, is_escaped, escaped).fill_null("null")


def _in_id_order(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield pieces of tables in the order of ids. The tables of a build are already in this order."""
    repeatable = tables if isinstance(tables, Sequence) else list(tables)
    if not _is_in_id_order(repeatable):
        whole = pa.concat_tables(repeatable)
        repeatable = [whole.take(pc.sort_indices(whole["id"]))]
    for table in repeatable:
        for start in range(0, table.num_rows, ROWS_PER_TABLE):
            yield table.slice(start, ROWS_PER_TABLE)


def _is_in_id_order(tables: Sequence[pa.Table]) -> bool:
    last = ""
    for table in tables:
        ids = table["id"].combine_chunks()
        if not len(ids):
            continue
        if ids[0].as_py() < last or pc.any(pc.less(ids[1:], ids[:-1])).as_py():
            return False
        last = ids[-1].as_py()
    return True


def count_rows(tables: Iterable[pa.Table]) -> int:
    """Count the rows of some tables."""
    return sum(table.num_rows for table in tables)


def list_collections(splits: Mapping[str, Iterable[pa.Table]]) -> tuple[str, ...]:
    """Return the names of the collections that the rows come from."""
    names: set[str] = set()
    for table in chain.from_iterable(splits.values()):
        for column in ("collection", "collection1", "collection2"):
            if column in table.column_names:
                names.update(table[column].unique().to_pylist())
    return tuple(sorted(names))
