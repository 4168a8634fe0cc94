"""fastText's own binary files (Bojanowski et al. 2017): vectors of words, and of character n-grams for other words.

A file consists of settings, a dictionary, and a matrix with a row per word and, below, a row per bucket of n-grams. The
n-grams of a word hash to buckets. Only the rows that the wanted words need are read. Another matrix, which serves
training, follows.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import IO, NamedTuple

import numpy as np
import numpy.typing as npt

from harness.models.files.binary_rows import FLOAT, is_plausible
from pyramid_paraphrase.errors import InputError, LimitError

MAGIC = struct.pack("<i", 793_712_314)
"""The first bytes of a file."""

_VERSIONS = (11, 12)
_SETTINGS = struct.Struct("<i12id")
"""Version, 12 numbers of training, and a rate: `_DIMENSION` and others are places of the numbers."""
_DIMENSION, _MODEL, _BUCKETS, _SHORTEST, _LONGEST = 1, 8, 9, 10, 11
_SUPERVISED = 3
_DICTIONARY = struct.Struct("<iiiqq")
"""Numbers of entries, words and labels, of tokens in the training texts, and of n-grams that a pruned file keeps."""
_MATRIX = struct.Struct("<?qq")
"""Whether the matrix is quantized, and its numbers of rows and columns."""

MAX_DIMENSION = 4_096
"""Maximum number of values of a vector. Every encoded text has as many values, so a long row could use all memory."""

_MAX_ENTRIES = 100_000_000
_MAX_LENGTH = 100
"""Longest n-grams that are computed, in characters."""
_BLOCK_BYTES = 1 << 20
"""Bytes per read, and the largest length of an entry of the dictionary."""

_ENTRIES = re.compile(rb"([^\0]*)(\0(?s:.{8})[\0\1])|(?s:.+)")
"""A word or label, its frequency, and its type: 1 for labels. The last match is a part of an entry, without both."""

_MAX_BYTES = 1 << 50
"""Largest matrix, which no disk contains."""

_REST_OF_ENTRY = 10
"""Bytes of an entry after its word."""

_BEGIN, _END = b"<", b">"
_END_OF_LINE = b"</s>"
"""A word of every dictionary that has no n-grams."""

_AGAIN = "get the file again and compare its size"
_OTHER = "use the .bin or .vec file of the same model"


class _Settings(NamedTuple):
    """The settings of a file that its vectors depend on."""

    dimension: int
    buckets: int
    shortest: int
    longest: int


class SubwordVectors(NamedTuple):
    """The vectors of wanted words.

    Attributes:
        words: The words in the order of the vectors.
        matrix: Their vectors, float32 of shape (words, dimension).
        composed: The words that are not in the dictionary, whose vectors come from their n-grams alone.
    """

    words: list[str]
    matrix: npt.NDArray[np.float32]
    composed: frozenset[str]


def hash_ngrams(word: bytes, shortest: int, longest: int, buckets: int) -> Iterator[int]:
    """Yield the buckets of the character n-grams of a word, in the order of fastText.

    A word gets a mark before and after it, and neither mark alone is an n-gram. The hash is FNV-1a with 32 bits, in
    which fastText extends the sign of each byte.

    Args:
        word: The word in UTF-8, without marks.
        shortest: Characters of the shortest n-grams.
        longest: Characters of the longest n-grams.
        buckets: Number of buckets.
    """
    marked = _BEGIN + word + _END
    starts = [place for place, byte in enumerate(marked) if byte & 0xC0 != 0x80]
    ends = [*starts[1:], len(marked)]
    for first, start in enumerate(starts):
        value, place = 2_166_136_261, start
        for last in range(first, min(first + longest, len(starts))):
            for byte in marked[place : ends[last]]:
                value = ((value ^ (byte | 0xFFFFFF00 if byte & 0x80 else byte)) * 16_777_619) & 0xFFFFFFFF
            place = ends[last]
            length = last - first + 1
            is_mark = length == 1 and (first == 0 or last == len(starts) - 1)
            if length >= shortest and not is_mark:
                yield value % buckets


class _Reader:
    """Reads a stream forward. Parts of a plain file are skipped without reading them.

    Args:
        stream: The content of the file from its beginning.
        file: Name of the file, for errors.
        can_skip: Whether seeking costs nothing, as in a plain file.
        advance: As in `read_subword_vectors`.
    """

    def __init__(self, stream: IO[bytes], file: str, *, can_skip: bool, advance: Callable[[int], None]) -> None:
        self.file = file
        self._stream, self._can_skip, self._advance = stream, can_skip, advance
        self._rest = b""

    def read(self, size: int) -> bytes:
        """Read as many bytes.

        Raises:
            InputError: If the file ends before.
        """
        data = self._rest[:size]
        self._rest = self._rest[size:]
        if len(data) < size:
            data += self._stream.read(size - len(data))
        if len(data) < size:
            raise InputError(self.file, "is incomplete", _AGAIN)
        return data

    def read_block(self) -> bytes:
        """Read a block, which is empty at the end of the file."""
        data = self._rest or self._stream.read(_BLOCK_BYTES)
        self._rest = b""
        self._advance(self._stream.tell())
        return data

    def give_back(self, data: bytes) -> None:
        """Let the next call read these bytes, which were the end of a block, again."""
        self._rest = data

    def skip(self, size: int) -> None:
        """Skip as many bytes. In a compressed file, they are read."""
        kept = min(size, len(self._rest))
        self._rest = self._rest[kept:]
        size -= kept
        if size > _MAX_BYTES:
            raise InputError(self.file, "is incomplete", _AGAIN)
        if size and self._can_skip:
            self._stream.seek(size, os.SEEK_CUR)
            size = 0
        while size:
            size -= len(self.read(min(size, _BLOCK_BYTES)))
            self._advance(self._stream.tell())
        self._advance(self._stream.tell())


def read_subword_vectors(
    stream: IO[bytes], file: str, wanted: Collection[str], *, can_skip: bool, advance: Callable[[int], None]
) -> SubwordVectors:
    """Read the vectors of wanted words, as fastText computes them.

    The vector of a word of the dictionary is the mean of its row and of the rows of its n-grams. The vector of another
    word is the mean of the rows of its n-grams; a word without n-grams has no vector.

    Args:
        stream: The content of the file from its beginning.
        file: Name of the file, for errors.
        wanted: The words.
        can_skip: Whether seeking in the stream costs nothing, as in a plain file.
        advance: Function that is called with the position in the stream after each part that was read or skipped. It
            may raise an error.

    Raises:
        InputError: If the file is damaged, incomplete, quantized, or of an unknown version.
        LimitError: If a word, the dictionary or the dimension is larger than the limits.
    """
    reader = _Reader(stream, file, can_skip=can_skip, advance=advance)
    settings = _read_settings(reader)
    forms = {word.encode("utf-8", "surrogatepass"): word for word in wanted if word}
    found, word_count, is_pruned = _read_dictionary(reader, forms)
    quantized, row_count, columns = _MATRIX.unpack(reader.read(_MATRIX.size))
    if quantized or is_pruned:
        raise InputError(file, "is compressed by fastText (quantized)", _OTHER)
    if columns != settings.dimension or row_count != word_count + settings.buckets:
        reason = f"has a matrix of {row_count:,} x {columns:,} numbers, but its settings say "
        reason += f"{word_count + settings.buckets:,} x {settings.dimension:,}"
        raise InputError(file, reason, _AGAIN)
    rows_of: dict[str, list[int]] = {}
    for form, word in forms.items():
        rows = [found[form]] if form in found else []
        if settings.longest and settings.buckets and form != _END_OF_LINE:
            ngrams = hash_ngrams(form, settings.shortest, settings.longest, settings.buckets)
            rows += [word_count + bucket for bucket in ngrams]
        if rows:
            rows_of[word] = rows
    numbers = sorted({row for rows in rows_of.values() for row in rows})
    table = _read_rows(reader, numbers, row_count, columns)
    _require_end(reader)
    place_of = {number: place for place, number in enumerate(numbers)}
    matrix = np.zeros((len(rows_of), columns), np.float32)
    for index, (word, rows) in enumerate(rows_of.items()):
        chosen = table[[place_of[row] for row in rows]]
        # fastText adds the rows in this order in single precision, and multiplies by the rounded reciprocal.
        matrix[index] = chosen.sum(axis=0, dtype=np.float32) * np.float32(1 / len(rows))
        if not is_plausible(matrix[index]):
            quoted = ascii(word[:40])
            raise InputError(file, f"the vector of {quoted} has values that are not finite, or too large", _AGAIN)
    composed = frozenset(word for form, word in forms.items() if form not in found and word in rows_of)
    return SubwordVectors(list(rows_of), matrix, composed)


def _read_settings(reader: _Reader) -> _Settings:
    file = reader.file
    if reader.read(len(MAGIC)) != MAGIC:
        raise InputError(file, "is not in fastText's own binary format", "omit the option format")
    version, *numbers = _SETTINGS.unpack(reader.read(_SETTINGS.size))
    if version not in _VERSIONS:
        raise InputError(file, f"is of version {version:,} of fastText's format, which is not known", _OTHER)
    dimension, buckets, shortest, longest = (
        numbers[place - 1] for place in (_DIMENSION, _BUCKETS, _SHORTEST, _LONGEST)
    )
    if not 0 < dimension <= MAX_DIMENSION:
        raise LimitError(file, f"has vectors of {dimension:,} values, not of 1 to {MAX_DIMENSION:,}", _OTHER)
    if buckets < 0 or longest > _MAX_LENGTH:
        raise InputError(file, f"has n-grams of up to {longest:,} characters in {buckets:,} buckets", _AGAIN)
    if version == min(_VERSIONS) and numbers[_MODEL - 1] == _SUPERVISED:
        longest = 0  # such files have settings for n-grams that they do not use
    return _Settings(dimension, buckets, shortest, longest)


def _read_dictionary(reader: _Reader, wanted: Collection[bytes]) -> tuple[dict[bytes, int], int, bool]:
    """Read the dictionary up to its end.

    Returns:
        The number of each wanted word, the number of words, and whether the file leaves out n-grams.
    """
    size, word_count, label_count, _, kept = _DICTIONARY.unpack(reader.read(_DICTIONARY.size))
    if not 0 <= word_count <= size <= _MAX_ENTRIES or word_count + label_count != size:
        reason = f"has a dictionary of {size:,} entries, {word_count:,} words and {label_count:,} labels"
        raise InputError(reader.file, reason, _AGAIN)
    numbers: dict[bytes, int] = {}
    distinct, done, block = frozenset(wanted), 0, b""
    while done < size:
        block += reader.read_block()
        entries = _ENTRIES.findall(block)[: size - done]
        if entries and not entries[-1][1]:
            del entries[-1]  # the beginning of an entry
        words = [word for word, _ in entries]
        if not distinct.isdisjoint(words):
            for number, word in enumerate(words, done):
                if word in distinct and number < word_count:
                    numbers.setdefault(word, number)
        read = sum(map(len, words)) + _REST_OF_ENTRY * len(words)
        block, done = block[read:], done + len(words)
        if not words:
            raise InputError(reader.file, f"is damaged or incomplete after entry {done:,} of its dictionary", _AGAIN)
    reader.give_back(block)
    return numbers, word_count, kept >= 0


def _read_rows(reader: _Reader, numbers: Sequence[int], row_count: int, columns: int) -> npt.NDArray[np.float32]:
    """Read some rows of a matrix, whose numbers increase, and skip the others."""
    size, done = columns * FLOAT.itemsize, 0
    table = np.zeros((len(numbers), columns), np.float32)
    for place, number in enumerate(numbers):
        reader.skip((number - done) * size)
        table[place] = np.frombuffer(reader.read(size), FLOAT)
        done = number + 1
    reader.skip((row_count - done) * size)
    return table


def _require_end(reader: _Reader) -> None:
    """Check that the second matrix, and nothing else, follows the matrix of vectors."""
    _, rows, columns = _MATRIX.unpack(reader.read(_MATRIX.size))
    if rows < 0 or columns < 0:
        raise InputError(reader.file, f"has a second matrix of {rows:,} x {columns:,} numbers", _AGAIN)
    if size := rows * columns * FLOAT.itemsize:
        reader.skip(size - 1)
        reader.read(1)
    if reader.read_block():
        raise InputError(reader.file, "does not end after its second matrix", _AGAIN)
