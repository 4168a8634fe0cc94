"""Reading of phrase tables for pivoting. Each chunk becomes arrays in a file."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np

from harness.files.arrays import name_part, save_arrays, save_texts
from harness.files.lines import Line, decode_line, open_lines, parse_estimate
from harness.paraphrases.pivoting.numbering import SAMPLE_EVERY
from harness.paraphrases.pivoting.rules import PHRASE_FILTERS, PivotRules
from harness.paraphrases.tables.formats import BAR, PROBABILITIES
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.words import compose, split_at_blanks

CHUNK_BYTES = 1 << 21
"""Approximate number of bytes of lines in a chunk."""

ARRAYS = 6
"""Number of arrays of an encoded chunk."""

LONG, UNSURE = "with too many words", "with improbable translations"
"""Reasons why phrase pairs are left out, in addition to the filters."""

_REMEDY = "use a phrase table of Moses: source ||| target ||| scores"
_INCOMPLETE = "expected source, target and scores"
_NO_LOGARITHMS = "write scores as probabilities from 0 to 1, not as logarithms"
_LEAST_COLUMNS = 3
_HASH_BYTES = 16


class EntryChunk(NamedTuple):
    """The usable phrase pairs of a chunk, in files.

    Attributes:
        path: File of arrays: two columns of hashes of pivots, positions of phrases in `phrases`, the probabilities of
            the pivot given the phrase and of the phrase given the pivot, and numbers of lines.
        phrases: List of the distinct phrases that are not pivots, in files (see `save_texts`).
        sample: One in `SAMPLE_EVERY` of these phrases.
        entries: Number of phrase pairs.
        left_out: Number of left-out phrase pairs, by reason.
        repaired: Number of probabilities above 1, which are replaced by 1.
        consumed: Number of bytes of the chunk on disk.
    """

    path: Path
    phrases: Path
    sample: list[bytes]
    entries: int
    left_out: Counter[str]
    repaired: int
    consumed: int


def read_chunks(table: Path) -> Iterator[tuple[int, bytes, int]]:
    """Read the lines of a phrase table, plain or compressed.

    Yields:
        The number of the first line of a chunk, 1-based, the lines, and the number of bytes on disk that were read
        since the last chunk, for progress.

    Raises:
        InputError: If the table cannot be read.
        LimitError: If a line is too long.
    """
    with open_lines(table, _REMEDY) as lines:
        waiting, size, first, consumed = list[bytes](), 0, 1, 0
        for line in lines:
            waiting.append(line)
            size += len(line)
            if size >= CHUNK_BYTES:
                yield first, b"".join(waiting), lines.tell() - consumed
                first, size, consumed, waiting = first + len(waiting), 0, lines.tell(), []
        yield first, b"".join(waiting), lines.tell() - consumed


def _split_line(line: bytes, file: str, number: int) -> list[bytes]:
    """Split a line into the columns of source, target and scores.

    Raises:
        InputError: If it has too few columns.
    """
    columns = line.split(BAR, _LEAST_COLUMNS)[:_LEAST_COLUMNS]
    if len(columns) < _LEAST_COLUMNS:
        raise InputError(file, _INCOMPLETE, _REMEDY, number)
    return columns


def _parse_phrase(column: bytes, file: str, number: int) -> bytes:
    """Parse a phrase, and join its words by single spaces, in normal form C.

    Raises:
        InputError: If it has no words, or is not UTF-8.
    """
    words = split_at_blanks(column)
    if not words:
        raise InputError(file, _INCOMPLETE, _REMEDY, number)
    text = decode_line(b" ".join(words), file, number)
    return compose(text).encode()


def _parse_scores(column: bytes, file: str, number: int) -> tuple[float, float]:
    """Parse p(source|target) and p(target|source), each at least 0.

    Raises:
        InputError: If there are not 2, 4 or 5 scores, or a probability is not a number of at least 0.
    """
    scores = column.split()
    if not scores:
        raise InputError(file, _INCOMPLETE, _REMEDY, number)
    positions = PROBABILITIES.get(len(scores))
    if positions is None:
        reason = f"expected 2, 4 or 5 scores, found {len(scores)}"
        remedy = "write p(source|target) and p(target|source), either alone or each followed by a lexical weight"
        raise InputError(file, reason, remedy, number)
    return _parse_score(scores[positions[0]], file, number), _parse_score(scores[positions[1]], file, number)


def _parse_score(score: bytes, file: str, number: int) -> float:
    try:
        value = float(score)
    except ValueError:
        value = -1.0
    if 0 < value <= 1 and b"_" not in score:
        return value
    text = decode_line(score, file, number)
    return parse_estimate(text, Line(file, number, text), _NO_LOGARITHMS)


class _ChunkEncoder:
    """Collector of the usable phrase pairs of a chunk.

    Args:
        file: Name of the table.
        rules: The rules of pivoting.

    Attributes:
        entries: Number of phrase pairs.
        left_out: Number of left-out phrase pairs, by reason.
        repaired: Number of probabilities above 1.
        numbers: Number of each phrase, in the order of first occurrence.
        hashes: Hash of the pivot of each usable phrase pair.
        phrases: Number of the phrase of each usable phrase pair.
        pivot_given_phrase: Probability of the pivot given the phrase.
        phrase_given_pivot: Probability of the phrase given the pivot.
        lines: Number of the line of each usable phrase pair.
    """

    def __init__(self, file: str, rules: PivotRules) -> None:
        self._file, self._rules = file, rules
        self._hashes_of_columns = dict[bytes, bytes]()
        self._numbers_of_columns = dict[bytes, int | str]()
        self.entries, self.repaired, self.left_out = 0, 0, Counter[str]()
        self.numbers = dict[bytes, int]()
        self.hashes, self.phrases, self.lines = list[bytes](), array("q"), array("q")
        self.pivot_given_phrase, self.phrase_given_pivot = array("d"), array("d")

    def add(self, line: bytes, number: int) -> None:
        """Add a line, which must not be blank.

        Raises:
            InputError: If it is malformed.
        """
        # Parsed columns are cached, because phrases occur on many lines.
        pivot, phrase, scores = _split_line(line, self._file, number)
        pivot_given_phrase, phrase_given_pivot = _parse_scores(scores, self._file, number)
        if self._rules.side == "source":
            pivot, phrase = phrase, pivot
            pivot_given_phrase, phrase_given_pivot = phrase_given_pivot, pivot_given_phrase
        self.entries += 1
        if pivot_given_phrase > 1 or phrase_given_pivot > 1:
            self.repaired += (pivot_given_phrase > 1) + (phrase_given_pivot > 1)
            pivot_given_phrase, phrase_given_pivot = min(pivot_given_phrase, 1.0), min(phrase_given_pivot, 1.0)
        digest = self._hashes_of_columns.get(pivot)
        if digest is None:
            normalized = _parse_phrase(pivot, self._file, number)
            self._hashes_of_columns[pivot] = digest = blake2b(normalized, digest_size=_HASH_BYTES).digest()
        phrase_number = self._numbers_of_columns.get(phrase)
        if phrase_number is None:
            phrase_number = self._number_phrase(phrase, number)
        if isinstance(phrase_number, str):  # the reason why the phrase is left out
            self.left_out[phrase_number] += 1
        elif max(pivot_given_phrase, phrase_given_pivot) < self._rules.min_translation_probability:
            self.left_out[UNSURE] += 1
        else:
            self.hashes.append(digest)
            self.phrases.append(phrase_number)
            self.lines.append(number)
            self.pivot_given_phrase.append(pivot_given_phrase)
            self.phrase_given_pivot.append(phrase_given_pivot)

    def _number_phrase(self, column: bytes, number: int) -> int | str:
        """Return the number of a phrase, or the reason why it is left out."""
        phrase = _parse_phrase(column, self._file, number)
        phrase_number: int | str = _find_reason(phrase, self._rules)
        if not phrase_number:
            phrase_number = self.numbers.setdefault(phrase, len(self.numbers))
        self._numbers_of_columns[column] = phrase_number
        return phrase_number


def encode_chunk(chunk: tuple[int, bytes, int], table: Path, rules: PivotRules, folder: Path) -> EntryChunk:
    """Write the usable phrase pairs of a chunk of `read_chunks` to files.

    Raises:
        InputError: If a line is malformed.
        OutputError: If a file cannot be written.
    """
    first, lines, consumed = chunk
    encoder = _ChunkEncoder(str(table), rules)
    for number, line in enumerate(lines.split(b"\n"), first):
        if line and not line.isspace():
            encoder.add(line, number)
    phrases = sorted(encoder.numbers)
    ranks = np.empty(len(phrases), np.uint32)
    ranks[[encoder.numbers[phrase] for phrase in phrases]] = np.arange(len(phrases), dtype=np.uint32)
    hashes = np.frombuffer(b"".join(encoder.hashes), np.dtype(">u8")).astype(np.uint64).reshape(-1, 2)
    probabilities = encoder.pivot_given_phrase, encoder.phrase_given_pivot
    path = folder / f"chunk-{first}"
    save_arrays(path, [*hashes.T, ranks[np.array(encoder.phrases)], *map(np.array, (*probabilities, encoder.lines))])
    phrases_path = name_part(path, "phrases")
    save_texts(phrases_path, phrases)
    sample = phrases[::SAMPLE_EVERY]
    return EntryChunk(path, phrases_path, sample, encoder.entries, encoder.left_out, encoder.repaired, consumed)


def _find_reason(phrase: bytes, rules: PivotRules) -> str:
    """Return the reason why a phrase is left out, or ""."""
    words = phrase.decode().split(" ")
    if len(words) > rules.max_words:
        return LONG
    for phrase_filter in PHRASE_FILTERS:
        if phrase_filter.name not in rules.keep and phrase_filter.matches(words):
            return phrase_filter.text
    return ""


def read_line(table: Path, number: int) -> tuple[str, str]:
    """Read the source and the target on a line again, for a message."""
    with open_lines(table, _REMEDY) as lines:
        line = next(line for position, line in enumerate(lines, 1) if position == number)
    source, target, _ = _split_line(line, str(table), number)
    return _parse_phrase(source, str(table), number).decode(), _parse_phrase(target, str(table), number).decode()
