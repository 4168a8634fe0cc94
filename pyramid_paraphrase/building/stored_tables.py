"""Arrow tables in a temporary file, for tests that are too large for memory."""

from __future__ import annotations

import mmap
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import IO, NamedTuple, overload

import pyarrow as pa

from pyramid_paraphrase.errors import OutputError

_TABLES_PER_SEGMENT = 32
"""Tables that are mapped into memory together. Larger segments need more memory, smaller segments more mappings."""


class _Segment(NamedTuple):
    """A range of the file: index of its first table, offset and length of the range."""

    first: int
    offset: int
    length: int


class StoredTables(Sequence[pa.Table]):
    """Tables in an unnamed file, which is deleted together with this object and all tables taken from it.

    A table is mapped into memory only while it is used, so that an iteration over all tables needs little memory.

    Args:
        tables: Tables of one schema, one record batch each, consumed one at a time.

    Raises:
        OutputError: If the temporary directory is not writable.
    """

    def __init__(self, tables: Iterable[pa.Table]) -> None:
        self._segments: list[_Segment] = []
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
            raise OutputError(f"{tempfile.gettempdir()}: {reason}. {remedy}") from None

    def _append(self, tables: Sequence[pa.Table]) -> None:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, tables[0].schema) as writer:
            for table in tables:
                writer.write_batch(table.combine_chunks().to_batches()[0])
        data = sink.getvalue()
        self._segments.append(_Segment(self._count, self._file.tell(), data.size))
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
        segment = self._segments[number // _TABLES_PER_SEGMENT]
        return pa.Table.from_batches([self._map(segment).get_batch(number - segment.first)])

    def __iter__(self) -> Iterator[pa.Table]:
        for segment in self._segments:
            batches = self._map(segment)
            for number in range(batches.num_record_batches):
                yield pa.Table.from_batches([batches.get_batch(number)])

    def _map(self, segment: _Segment) -> pa.ipc.RecordBatchFileReader:
        mapping = mmap.mmap(self._file.fileno(), segment.length, access=mmap.ACCESS_READ, offset=segment.offset)
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
