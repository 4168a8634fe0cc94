"""Files of training corpora as blocks of normalized words: text, JSON lines, JSON and Parquet, also compressed.

Files are untrusted and of any size. Only a few MiB of a file are in memory. Whatever is not read as it should be is
counted, and does not end the search.
"""

from __future__ import annotations

import json
import lzma
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from harness.files.lines import find_marked_encoding, open_compressed
from harness.leaderboards.contamination.grams import (
    BLOCK_BYTES,
    divide_blocks,
    find_context,
    join_texts,
    normalize,
    normalize_bytes,
)
from pyramid_paraphrase.errors import InputError, cannot_read
from pyramid_paraphrase.files.archives import allow_expansion, describe_expansion, is_archive, refusing_damage
from pyramid_paraphrase.files.inputs import open_input, refuse_document, walk_folder
from pyramid_paraphrase.files.limits import MEBIBYTE

TEXT, LINES, JSON, PARQUET = "text", "JSON lines", "JSON", "Parquet"
"""Kinds of files, as their content shows."""

NOT_JSON = "lines are not JSON, and were searched as text"
TOO_LONG = "pieces are of lines longer than 16 MiB, and were searched as text"
WITHOUT_FIELD = "records have none of the fields"
NOT_UTF8 = "places are not UTF-8, and were read as blanks"
HIDDEN = "hidden files and folders were not read"
REASONS = (NOT_JSON, TOO_LONG, WITHOUT_FIELD, NOT_UTF8, HIDDEN)
"""What is counted while a corpus is read."""

_PART_BYTES = 64 * MEBIBYTE
_CHUNK_BYTES = MEBIBYTE
MAX_RECORD_BYTES = 16 * MEBIBYTE
"""Longest line of JSON lines, and largest file of JSON, whose texts are told apart."""

MAX_XZ_MEMORY = 128 * MEBIBYTE
"""Memory to decompress xz."""

_LONGEST_STRETCH = MEBIBYTE
"""Longest line of a text that is not divided."""

_HEAD_BYTES = 1 << 16
_BEFORE_PART = 1 << 13
"""Number of bytes before a part of a text in which its context is found."""

_ROWS_AT_ONCE = 64
"""Rows of Parquet in memory. A dictionary can make each of them large."""

_XZ, _ZSTD, _PARQUET = b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"PAR1"
_UNPACK = "search its files"
_CHECK = "check the file, or get it again"
_BLANKS = b" \t\r\n"


class Part(NamedTuple):
    """A part of a file that one process reads.

    Attributes:
        path: The file.
        kind: Its kind.
        start: Offset of the first byte, or of the first group of rows.
        end: Offset of the end. The part consists of the lines that begin before it.
        size: Its number of bytes on disk, for progress.
    """

    path: Path
    kind: str
    start: int
    end: int
    size: int


def list_files(paths: Iterable[Path], counts: Counter[str]) -> Iterator[Path]:
    """Yield the files of a corpus: files as they are named, and those in folders in the order of their names.

    Args:
        paths: Files and folders.
        counts: Numbers by reason, to which hidden files are added.

    Raises:
        InputError: If a path is missing, or a folder cannot be read.
    """
    for path in paths:
        if not path.exists():
            raise InputError(str(path), "no such file or folder", "check the path")
        if not path.is_dir():
            yield path
            continue
        files = sorted(walk_folder(path, str(path)), key=lambda file: file.name)
        for file in files:
            if any(part.startswith(".") for part in Path(file.name).parts):
                counts[HIDDEN] += 1
            elif file.path is not None:
                yield file.path


def list_parts(path: Path) -> list[Part]:
    """Recognize the kind of a file by its content, and divide it into parts, which do not depend on the machine.

    Raises:
        InputError: If it cannot be read, or is no text, JSON or Parquet.
    """
    try:
        with open_input(path) as raw:
            beginning, size = raw.read(8), os.fstat(raw.fileno()).st_size
    except OSError as error:
        raise cannot_read(path, error, _CHECK) from None
    if beginning.startswith(_PARQUET):
        with _open_parquet(path) as file:
            groups = file.num_row_groups
        return [Part(path, PARQUET, group, group + 1, size // groups) for group in range(groups)]
    with _open_chunks(path) as (chunks, is_compressed):
        head = next(chunks, b"")
    refuse_document(str(path), head)
    if find_marked_encoding(head):
        raise InputError(str(path), "is UTF-16 or UTF-32", "convert the file to UTF-8")
    if is_archive(path.name) and not path.name.lower().endswith(".zip"):
        raise InputError(str(path), "is an archive of files", f"unpack it, and {_UNPACK}")
    if b"\0" in head:
        raise InputError(str(path), "contains zero bytes, so it is no text", "omit it")
    kind = _find_kind(head, size, is_compressed=is_compressed)
    if is_compressed or kind == JSON:
        return [Part(path, kind, 0, 1 << 62, size)]
    ends = [*range(_PART_BYTES, size, _PART_BYTES), size]
    return [Part(path, kind, start, end, end - start) for start, end in zip([0, *ends], ends, strict=False)]


def _find_kind(head: bytes, size: int, *, is_compressed: bool) -> str:
    """Return the kind of a file that is not Parquet."""
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip(_BLANKS)
    if not head.startswith((b"{", b"[")):
        return TEXT
    line, separator, _ = head.partition(b"\n")
    if _is_json(line) or (not separator and line.startswith(b"{")):
        return LINES
    if size <= MAX_RECORD_BYTES and not is_compressed:
        return JSON
    return LINES if line.startswith(b"{") and len(line) > 2 else TEXT


def _is_json(line: bytes) -> bool:
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


@contextmanager
def _open_chunks(path: Path, start: int = 0) -> Iterator[tuple[Iterator[bytes], bool]]:
    """Open a file. Yield its decompressed content in chunks, and whether it is compressed.

    Args:
        path: The file.
        start: Offset of the first byte, which counts only if the file is not compressed.

    Raises:
        InputError: If the file cannot be read, or is damaged.
    """
    try:
        with open_input(path) as file:
            beginning = file.read(len(_XZ))
            file.seek(0)
            if beginning.startswith((_XZ, _ZSTD)):
                with refusing_damage(str(path)):
                    chunks = _read_xz(file) if beginning.startswith(_XZ) else _read_zstd(file)
                    yield _limit_expansion(path, chunks, file), True
                return
    except OSError as error:
        raise cannot_read(path, error, _CHECK) from None
    with open_compressed(path, _UNPACK) as (raw, stream):
        if is_compressed := stream is not raw:
            yield _limit_expansion(path, iter(partial(stream.read, _CHUNK_BYTES), b""), raw), is_compressed
        else:
            raw.seek(start)
            yield iter(partial(raw.read, _CHUNK_BYTES), b""), is_compressed


def _limit_expansion(path: Path, chunks: Iterable[bytes], raw: Any) -> Iterator[bytes]:  # noqa: ANN401
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > allow_expansion(raw.tell()):
            raise describe_expansion(str(path))
        yield chunk


def _read_xz(file: Any) -> Iterator[bytes]:  # noqa: ANN401
    """Decompress a file of one or more streams of xz. The library has no limit on its memory for whole files."""
    decompressor, data = lzma.LZMADecompressor(memlimit=MAX_XZ_MEMORY), b""
    while True:
        if decompressor.eof:
            data = (decompressor.unused_data or file.read(_CHUNK_BYTES)).lstrip(b"\0")  # padding between streams
            if not data:
                return
            decompressor = lzma.LZMADecompressor(memlimit=MAX_XZ_MEMORY)
        elif decompressor.needs_input:
            data = file.read(_CHUNK_BYTES)
            if not data:
                raise EOFError("it ends before the end of its stream")
        if chunk := decompressor.decompress(data, _CHUNK_BYTES):
            yield chunk
        data = b""


def _read_zstd(file: Any) -> Iterator[bytes]:  # noqa: ANN401
    with pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd") as stream:
        yield from iter(partial(stream.read, _CHUNK_BYTES), b"")


def read_blocks(part: Part, fields: Sequence[str], counts: Counter[str]) -> Iterator[tuple[bytes, int]]:
    """Read a part of a file as blocks of normalized words.

    Args:
        part: The part.
        fields: Names of the fields of JSON, or of the columns of Parquet, that are read. All of them if empty.
        counts: Numbers by reason, which are increased.

    Yields:
        Blocks, each with the number of words that it shares with the block before.

    Raises:
        InputError: If the file turns out to be damaged. Earlier blocks have been read then.
    """
    if part.kind == TEXT:
        yield from _read_text(part, counts)
        return
    texts, size = list[bytes](), 0
    records = {LINES: _read_lines, JSON: _read_document, PARQUET: _read_rows}[part.kind](part, fields, counts)
    for text in records:
        texts.append(text)
        size += len(text)
        if size >= BLOCK_BYTES:
            yield from divide_blocks(join_texts(texts))
            texts, size = [], 0
    yield from divide_blocks(join_texts(texts))


def _read_raw(data: bytes, counts: Counter[str]) -> bytes:
    words, wrong = normalize_bytes(data)
    counts[NOT_UTF8] += wrong
    return words


def _read_text(part: Part, counts: Counter[str]) -> Iterator[tuple[bytes, int]]:
    start, context = _find_start(part), b""
    if start:
        with open_input(part.path) as raw:
            raw.seek(max(0, start - _BEFORE_PART))
            before = raw.read(start - raw.tell())
        context = find_context(normalize_bytes(before if start <= _BEFORE_PART else before.partition(b" ")[2])[0])
    for stretch in _read_stretches(part, start, _LONGEST_STRETCH):
        words = _read_raw(stretch, counts)
        yield from divide_blocks(words, context)
        context = find_context(context + b" " + words)


def _find_start(part: Part) -> int:
    """Return the offset of the first line that begins in a part, or the end of the part."""
    if not part.start:
        return 0
    offset = part.start - 1
    with _open_chunks(part.path, offset) as (chunks, _):
        for chunk in chunks:
            line_end = chunk.find(b"\n") + 1
            offset += line_end or len(chunk)
            if line_end or offset >= part.end:
                break
    return min(offset, part.end)


def _read_stretches(part: Part, start: int, longest: int) -> Iterator[bytes]:
    """Read whole lines, several at a time. A line that is longer than a limit comes in pieces, divided at blanks."""
    if start >= part.end:
        return
    with _open_chunks(part.path, start) as (chunks, _):
        pending, offset = b"", start
        for chunk in chunks:
            pending += chunk
            last = part.end - offset
            if last <= len(pending) and (stop := pending.find(b"\n", max(last - 1, 0)) + 1):
                yield pending[:stop]
                return
            cut = pending.rfind(b"\n") + 1
            if not cut and len(pending) > longest:
                cut = pending.rfind(b" ") + 1 or len(pending)
            if cut:
                yield pending[:cut]
                pending, offset = pending[cut:], offset + cut
        if pending:
            yield pending


def _read_lines(part: Part, fields: Sequence[str], counts: Counter[str]) -> Iterator[bytes]:
    is_inside = False  # a line that is too long
    for stretch in _read_stretches(part, _find_start(part), MAX_RECORD_BYTES):
        if is_inside or (len(stretch) > MAX_RECORD_BYTES and b"\n" not in stretch):
            piece, line_end, stretch = stretch.partition(b"\n")
            is_inside = not line_end
            counts[TOO_LONG] += 1
            yield _read_raw(piece, counts)
        for line in stretch.split(b"\n"):
            if not line.strip():
                continue
            try:
                value = msgspec.json.decode(line.removeprefix(b"\xef\xbb\xbf"))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                counts[NOT_JSON] += 1
                yield _read_raw(line, counts)
            else:
                yield from _list_texts(value, fields, counts)


def _read_document(part: Part, fields: Sequence[str], counts: Counter[str]) -> Iterator[bytes]:
    with _open_chunks(part.path) as (chunks, _):
        data = b"".join(chunks)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        counts[NOT_JSON] += data.count(b"\n") + 1
        yield _read_raw(data, counts)
        return
    for record in value if isinstance(value, list) else [value]:
        yield from _list_texts(record, fields, counts)


def _list_texts(value: object, fields: Sequence[str], counts: Counter[str]) -> Iterator[bytes]:
    """Yield the normalized texts in a value of JSON, at any depth, or those in some fields of a record."""
    if fields:
        values = [value[field] for field in fields if field in value] if isinstance(value, dict) else []
        counts[WITHOUT_FIELD] += not values
    else:
        values = [value]
    yield from map(normalize, _flatten(values))


def _flatten(values: list[Any]) -> Iterator[str]:
    """Yield the texts in values of JSON or Parquet, at any depth."""
    values = values[::-1]
    while values:
        value = values.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            values += reversed(value.values())
        elif isinstance(value, list | tuple):
            values += reversed(value)


@contextmanager
def _open_parquet(path: Path) -> Iterator[Any]:
    import pyarrow.parquet as pq

    try:
        with open_input(path) as raw, pq.ParquetFile(raw, buffer_size=_CHUNK_BYTES, pre_buffer=False) as file:
            yield file
    except (pa.ArrowException, OSError, MemoryError) as error:
        reason = f"is a damaged Parquet file ({' '.join(str(error).split())[:100]})"
        raise InputError(str(path), reason, _CHECK) from None


def _read_rows(part: Part, fields: Sequence[str], counts: Counter[str]) -> Iterator[bytes]:
    with _open_parquet(part.path) as file:
        group = file.metadata.row_group(part.start)
        compressed = sum(group.column(index).total_compressed_size for index in range(group.num_columns))
        if group.total_byte_size > allow_expansion(compressed):
            raise describe_expansion(str(part.path))
        names = [column.name for column in file.schema_arrow if _has_texts(column.type)]
        chosen = [name for name in names if not fields or name in fields]
        if not chosen:
            counts[WITHOUT_FIELD] += group.num_rows
            return
        for batch in file.iter_batches(_ROWS_AT_ONCE, row_groups=[part.start], columns=chosen):
            for column in batch.columns:
                yield from map(normalize, _flatten(column.to_pylist()))


def _has_texts(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _has_texts(kind.value_type)
    if pa.types.is_nested(kind):
        return any(_has_texts(kind.field(index).type) for index in range(kind.num_fields))
    return str(kind) in ("string", "large_string", "string_view")  # old versions of pyarrow lack the last one
