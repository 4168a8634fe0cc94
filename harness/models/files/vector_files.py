"""Files of static word vectors. One pass over a file keeps only the rows of wanted words.

The values of a row are parsed only if its word is wanted. Files are untrusted: the format is detected from the content
and not from the name, nothing in a file is executed or unpacked to disk, and memory contains only the kept rows and a
few blocks.
"""

from __future__ import annotations

import io
import re
import statistics
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.lines import open_compressed
from harness.models.files.binary_rows import FLOAT, find_odd_words, find_rest, is_plausible, name_other_numbers
from harness.models.files.fasttext_files import MAGIC, MAX_DIMENSION, read_subword_vectors
from harness.models.files.folders import GIVE_VECTORS, refuse_foreign
from pyramid_paraphrase.errors import InputError, LimitError, unknown_name
from pyramid_paraphrase.files.archives import allow_expansion, describe_expansion

GIVE_FILE = "use the file with the vectors"

FASTTEXT = "fasttext-binary"
FORMATS = ("word2vec-text", "word2vec-binary", "glove", FASTTEXT)
"""fastText's `.vec` is word2vec-text. Levy and Goldberg's files are word2vec-text or, if they have no header, glove."""

BLOCK_BYTES = 1 << 16
"""Bytes per read. Blocks of 128 KiB and more take twice as long, because malloc gets each block from the system."""

SAMPLE_LINES = 10
"""Number of lines at the beginning of a file that determine its format and dimension."""

MAX_WORD_BYTES = 65_536
"""Largest length of a word in a binary file."""

MAX_LINE_BYTES = 1 << 22
"""Largest length of a line in a text file, accurate to one block."""

_Vector = NDArray[np.float32]

_BOM = b"\xef\xbb\xbf"
_HEADER = re.compile(rb"[ \t]*(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*")
_NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1f]")
_CORRECT = "get the file again, or correct this row"
_NOT_FINITE = "a value that is not finite"
_BEYOND_SINGLE = "values that are too small or too large for single precision"
_RESCALE = "multiply all values of the file by the same number"


@dataclass(frozen=True, eq=False)
class WordVectors:
    """The vectors of the wanted words that a file contains.

    Attributes:
        matrix: The vectors, float32 of shape (words, dimension), in the order of the file.
        rows: Row in `matrix` by word.
        dimension: Values per vector.
        format: The format of the file, one of `FORMATS`.
        composed: Words that are not in the file, and whose vectors come from their character n-grams.
    """

    matrix: NDArray[np.float32]
    rows: dict[str, int]
    dimension: int
    format: str
    composed: frozenset[str] = frozenset()


def read_word_vectors(
    path: Path,
    wanted: Collection[str],
    *,
    format: str = "auto",  # noqa: A002
    progress: Callable[[int], None] | None = None,
) -> WordVectors:
    """Read the vectors of wanted words from a plain file or a file compressed by gzip, bzip2 or zip.

    Words are compared as UTF-8 bytes, without any normalization. If a word has several rows, the first row is used.
    Words of text files may contain blanks: `at name@example.org 0.1 ...` is not a row of "at". `at 7 0.1 ...` is
    treated as a row of "at" with too many values and refused, unless "at 7" is wanted.

    Args:
        path: The file.
        wanted: The words to keep. All other words are skipped.
        format: One of `FORMATS`, or "auto" to detect the format from the content.
        progress: Function that is called repeatedly with the number of bytes of the file on disk that were read since
            the last call. The sum is the size of the file.

    Returns:
        The vectors. The matrix is empty if the file contains none of the words.

    Raises:
        OptionError: If the format is unknown.
        InputError: If the file is missing, damaged, incomplete or not a file of word vectors, if it contradicts its
            header, or if the row of a wanted word is malformed.
    """
    if format != "auto" and format not in FORMATS:
        raise unknown_name("format of word vectors", format, ("auto", *FORMATS))
    file = str(path)
    with open_compressed(path, GIVE_FILE) as (raw, stream):
        beginning = stream.read(len(MAGIC))
        stream.seek(0)
        if format == FASTTEXT or (format == "auto" and beginning == MAGIC):
            return _read_fasttext(raw, stream, file, wanted, progress)
        sample = _read_sample(stream, file)
        layout = _find_layout(sample, format, file)
        collector = _RowCollector(file, wanted, layout)
        chunks = _read_chunks((io.BytesIO(sample[layout.start :]), stream), raw, file, progress)
        if layout.format == "word2vec-binary":
            _BinaryScanner(collector, layout).scan(chunks)
        else:
            _scan_text(chunks, collector, layout)
    matrix = np.frombuffer(collector.values, FLOAT).astype(np.float32, copy=False).reshape(-1, layout.dimension)
    return WordVectors(matrix, collector.rows, layout.dimension, layout.format)


def _read_fasttext(
    raw: IO[bytes], stream: IO[bytes], file: str, wanted: Collection[str], progress: Callable[[int], None] | None
) -> WordVectors:
    reported = 0

    def advance(position: int) -> None:
        nonlocal reported
        place = raw.tell()
        if stream is not raw and position > allow_expansion(place):
            raise describe_expansion(file)
        if progress and place > reported:
            progress(place - reported)
            reported = place

    read = read_subword_vectors(stream, file, wanted, can_skip=stream is raw, advance=advance)
    rows = {word: row for row, word in enumerate(read.words)}
    return WordVectors(read.matrix, rows, read.matrix.shape[1], FASTTEXT, read.composed)


def _read_chunks(
    streams: Iterable[IO[bytes]], raw: IO[bytes], file: str, progress: Callable[[int], None] | None
) -> Iterator[bytes]:
    """Read streams block by block, and report how many bytes of the underlying file were read."""
    reported = size = 0
    for stream in streams:
        while chunk := stream.read(BLOCK_BYTES):
            position = raw.tell()
            size += len(chunk)
            if size > allow_expansion(position):
                raise describe_expansion(file)
            if progress and position > reported:
                progress(position - reported)
                reported = position
            yield chunk
    if progress:
        progress(raw.seek(0, io.SEEK_END) - reported)


class _Layout(NamedTuple):
    """The layout of a file.

    Attributes:
        format: One of `FORMATS`.
        dimension: Values per vector.
        rows: Number of rows by the header. None without a header.
        start: Offset of the first row in bytes.
    """

    format: str
    dimension: int
    rows: int | None
    start: int


def _read_sample(stream: IO[bytes], file: str) -> bytes:
    """Read enough of a file to detect its format. Refuse kinds of files that contain no word vectors."""
    sample = b""
    while sample.count(b"\n") < SAMPLE_LINES and len(sample) < MAX_LINE_BYTES:
        if not (chunk := stream.read(1 << 16)):
            break
        sample += chunk
    if not sample.removeprefix(_BOM).strip():
        raise InputError(file, "is empty", "get the file again")
    refuse_foreign(file, sample)
    if len(sample) >= MAX_LINE_BYTES and b"\n" not in sample:
        raise _too_long(file, 1)
    return sample


def _find_layout(sample: bytes, name: str, file: str) -> _Layout:
    """Determine the layout of a file from its beginning and from the format that the caller names."""
    start = len(_BOM) if sample.startswith(_BOM) else 0
    first, *following = sample[start:].split(b"\n", SAMPLE_LINES)[:SAMPLE_LINES]
    header = _HEADER.fullmatch(first)
    if name == "auto":
        name = _guess_format(header, following)
    if name == "glove":
        lines = [line for line in (first, *following) if line.strip()] or [b""]
        return _Layout(name, _check_dimension(statistics.mode(map(_count_values, lines)), file), None, start)
    if not header:
        reason = "expected a header with the number of words and the dimension"
        raise InputError(file, reason, f"choose another format than '{name}'", 1)
    return _Layout(name, _check_dimension(int(header[2]), file), int(header[1]), start + len(first) + 1)


def _guess_format(header: re.Match[bytes] | None, lines: list[bytes]) -> str:
    """Detect the format from the first line, if it may be a header, and from the lines below it.

    Text rows contain no control characters and end in as many numbers as the header says. A malformed text row ends in
    at least one number. In a file of one-dimensional vectors, a first row such as `5 7` looks like a header. The rows
    below it, which end in one number, show that it is a row.
    """
    if not header:
        return "glove"
    counts = [_count_values(line) for line in lines if line.strip()]
    dimension = int(header[2])
    if all(count >= dimension for count in counts):
        return "word2vec-text"
    if _CONTROL.search(b"\n".join(lines)) or not any(counts):
        return "word2vec-binary"
    if statistics.mode(counts) == 1:
        return "glove"
    return "word2vec-text"


def _count_values(line: bytes) -> int:
    """Count the numbers at the end of a line, up to `MAX_DIMENSION` + 1. The first field is not counted."""
    fields = line.rsplit(None, MAX_DIMENSION + 1)[:0:-1]
    return next((count for count, field in enumerate(fields) if not _NUMBER.fullmatch(field)), len(fields))


def _check_dimension(dimension: int, file: str) -> int:
    if dimension > MAX_DIMENSION:
        raise LimitError(file, f"has vectors of more than {MAX_DIMENSION:,} values", GIVE_VECTORS)
    if not dimension:
        raise InputError(file, "has no rows of a word and its numbers, separated by spaces or tabs", GIVE_VECTORS)
    return dimension


class _RowCollector:
    """A collector of the rows of wanted words. It keeps their values as bytes in a single buffer."""

    def __init__(self, file: str, wanted: Collection[str], layout: _Layout) -> None:
        # A lone surrogate cannot occur in a UTF-8 file, so a word that contains one has no vector.
        self.words = {word.encode("utf-8", "surrogatepass"): word for word in wanted if word}
        self.file = file
        self.dimension = layout.dimension
        self.has_header = layout.rows is not None
        self.rows: dict[str, int] = {}
        self.values = bytearray()

    def keep(self, word: str, values: bytes) -> None:
        """Append the values of a wanted word, `dimension` numbers of 4 bytes each."""
        self.rows[word] = len(self.rows)
        self.values += values

    def keep_line(self, row: bytes, line: int) -> None:
        """Keep a row of text if the part before its values is a wanted word."""
        if row[:1].isspace():
            return  # the row of an empty word, which some tokenizers produce
        name, *values = row.rsplit(None, self.dimension)
        count = len(values)
        if name not in self.words:
            count = _count_values(row)
            name = row.rsplit(None, count)[0]
        word = self.words.get(name)
        if word is None or word in self.rows:
            return
        if count != self.dimension:
            remedy = f"{_CORRECT} or the dimension in the first line" if self.has_header else _CORRECT
            raise self.refuse(word, f"{count:,} instead of {self.dimension:,} values", line, remedy=remedy)
        vector = self._parse(word, values, line)
        if not (np.isfinite(vector).all() and vector.any()):
            exact = np.array(values, np.float64)
            if np.isfinite(exact).all() and exact.any():
                raise self.refuse(word, _BEYOND_SINGLE, line, remedy=_RESCALE)
        if not np.isfinite(vector).all():
            raise self.refuse(word, _NOT_FINITE, line)
        self.keep(word, vector.tobytes())

    def _parse(self, word: str, values: list[bytes], line: int) -> _Vector:
        try:
            if b"_" in b"".join(values):
                raise ValueError  # NumPy would accept 1_000, as Python does
            with np.errstate(over="ignore"):
                return np.array(values, FLOAT)
        except ValueError:
            invalid_value = next(value for value in values if not _NUMBER.fullmatch(value))
            raise self.refuse(word, f"the value {_show(invalid_value)}, which is not a number", line) from None

    def refuse(self, word: str, fault: str, line: int = 0, place: str = "", remedy: str = _CORRECT) -> InputError:
        quoted = _show(word.encode("utf-8", "surrogatepass"))
        return InputError(self.file, f"{quoted}{place} has {fault}", remedy, line)


def _show(field: bytes) -> str:
    """Quote a part of a file in one short line."""
    return ascii(field[:40].decode("utf-8", "replace"))


def _scan_text(chunks: Iterable[bytes], collector: _RowCollector, layout: _Layout) -> None:
    """Keep the rows of wanted words. Lines that do not begin with the first part of a wanted word are skipped."""
    heads = {word.replace(b"\t", b" ").split(b" ")[0] for word in collector.words} | {b""}
    heads |= {head + b"\r" for head in heads}  # for lines without a space
    header = line = 0 if layout.rows is None else 1
    block, blank_lines = b"", 0
    for chunk in chunks:
        block += chunk.replace(b"\t", b" ")
        start = 0
        while (end := block.find(b"\n", start)) >= 0:
            line += 1
            blank = block.find(b" ", start, end)
            if block[start : blank if blank >= 0 else end] in heads:
                row = block[start:end]
                if row.strip():
                    collector.keep_line(row, line)
                else:
                    blank_lines += 1
            start = end + 1
        block = block[start:]
        if len(block) > MAX_LINE_BYTES:
            raise _too_long(collector.file, line + 1)
    rows = line - header - blank_lines + _finish_text(block, collector, line + 1)
    if layout.rows is not None and rows != layout.rows:
        raise _wrong_count(collector.file, f"has {rows:,} rows", layout.rows)


def _finish_text(row: bytes, collector: _RowCollector, line: int) -> int:
    """Keep the last row if no line break follows it. Return 1 if there is such a row, otherwise 0."""
    if not row.strip():
        return 0
    if len(row.rsplit(None, collector.dimension)) <= collector.dimension:
        raise InputError(collector.file, "the file ends within this row", "get it again and compare its size", line)
    collector.keep_line(row, line)
    return 1


class _BinaryScanner:
    """A scanner of binary rows. It keeps the rows of wanted words.

    Some programs write a line break between rows, before the next word. On Windows, it may have two characters.
    """

    def __init__(self, collector: _RowCollector, layout: _Layout) -> None:
        self.collector = collector
        self.size = collector.dimension * FLOAT.itemsize
        self.count = layout.rows or 0
        # The head of a row is its word and the blank.
        self.heads = {prefix + word + b" " for word in collector.words for prefix in (b"", b"\n", b"\r\n")}
        # The last match is a part of a row. It has no head.
        self.find_heads = re.compile(rb"([^ ]{0,%d} )(?s:.{%d})|(?s:.+)" % (MAX_WORD_BYTES - 1, self.size)).findall

    def scan(self, chunks: Iterable[bytes]) -> None:
        """Keep the rows of wanted words.

        Raises:
            InputError: If a row cannot be a vector, a wanted word is lost, or the header counts other rows.
            LimitError: If a word is too long.
        """
        block, last_row, earlier_rows = b"", 0, 0
        for chunk in chunks:
            block += chunk
            heads = self.find_heads(block)
            if not heads[-1]:
                del heads[-1]
            if not self.heads.isdisjoint(heads):
                self._keep_rows(block, heads, earlier_rows)
            self._refuse_lost_words(block, heads, earlier_rows)
            end = sum(map(len, heads)) + self.size * len(heads)
            if len(block) - end >= MAX_WORD_BYTES and b" " not in block[end : end + MAX_WORD_BYTES]:
                reason = f"row {earlier_rows + len(heads) + 1:,} has a word longer than {MAX_WORD_BYTES:,} bytes"
                remedy = "choose another format than 'word2vec-binary', or get it again"
                raise LimitError(self.collector.file, reason, remedy)
            if heads:
                # The last row stays in the block, because only the row after it may show that it was misread.
                last_row = len(heads[-1]) + self.size
                block = block[end - last_row :]
                earlier_rows += len(heads) - 1
        _check_binary_end(block[last_row:], self.collector.file, earlier_rows + bool(last_row), self.count)

    def _keep_rows(self, block: bytes, heads: Sequence[bytes], earlier_rows: int) -> None:
        end = 0
        for row, head in enumerate(heads, earlier_rows + 1):
            start = end + len(head)
            end = start + self.size
            if head in self.heads and (word := self.collector.words[_get_word(head)]) not in self.collector.rows:
                self._keep(word, block[start:end], row)

    def _keep(self, word: str, data: bytes, row: int) -> None:
        """Keep the vector of a word if its bytes can be a vector.

        Raises:
            InputError: If they cannot. The message says why, if the bytes show it.
        """
        rest = find_rest(data)
        if rest is not None:
            raise self._refuse_blank(word.encode("utf-8", "surrogatepass") + b" " + rest, row)
        vector = np.frombuffer(data, FLOAT)
        if is_plausible(vector):
            self.collector.keep(word, data)
            return
        fault, remedy = _NOT_FINITE, _CORRECT
        if numbers := name_other_numbers(data):
            fault, remedy = numbers, "convert the file to little-endian numbers of 32 bits"
        elif np.isfinite(vector).all():
            fault = f"the largest value {vector[np.abs(vector).argmax()]:.3g}, which no word vector has"
            remedy = "check the dimension in the first line, or get the file again"
        raise self.collector.refuse(word, fault, place=f" in row {row:,} of {self.count:,}", remedy=remedy)

    def _refuse_lost_words(self, block: bytes, heads: Sequence[bytes], earlier_rows: int) -> None:
        """Check that no wanted word has a blank or is lost because the word of the row before it has a blank."""
        for index in find_odd_words(heads):
            end = sum(map(len, heads[:index])) + self.size * index
            rest = find_rest(block[end - self.size : end]) if index else None
            if rest is None:
                continue
            phrase = _get_word(heads[index - 1]) + b" " + rest
            lost_word = _get_word(heads[index][len(rest) + 1 :])
            if not self.collector.words.keys().isdisjoint((phrase, lost_word)):
                raise self._refuse_blank(phrase, earlier_rows + index)

    def _refuse_blank(self, phrase: bytes, row: int) -> InputError:
        place = f"row {row:,} of {self.count:,}"
        reason = f"{place} is {_show(phrase)}, a word with a blank, which binary files cannot express"
        remedy = "save the vectors as text, or write another character for the blank"
        return InputError(self.collector.file, reason, remedy)


def _get_word(head: bytes) -> bytes:
    return head.removeprefix(b"\r").removeprefix(b"\n")[:-1]


def _check_binary_end(tail: bytes, file: str, rows: int, count: int) -> None:
    if rows < count:
        reason = f"ends in row {rows + 1:,} of {count:,}"
        raise InputError(file, reason, "get it again and compare its size")
    if rows > count or tail.strip():
        raise _wrong_count(file, "has more rows", count)


def _wrong_count(file: str, reason: str, count: int) -> InputError:
    remedy = "get it again and compare its size, or correct its first line"
    return InputError(file, f"{reason}, but its first line says {count:,}", remedy)


def _too_long(file: str, line: int) -> LimitError:
    return LimitError(file, f"is longer than {MAX_LINE_BYTES >> 20} MiB", GIVE_VECTORS, line)
