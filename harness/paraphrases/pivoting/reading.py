"""Reading of phrase tables for pivoting: chunks become arrays in files, and all phrases are numbered.

The numbers of phrases are in the order of their bytes. The phrases of all chunks are divided into ranges that fit into
memory. Each range is sorted separately. The number of a phrase is its position in its range plus the number of phrases
in all ranges before.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import chain, pairwise
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import TextList, map_array, name_part, save_arrays, save_texts
from harness.files.lines import Line, decode_line, divide_lines, open_lines, parse_estimate
from harness.paraphrases.pivoting.rules import PAIR_FILTERS, PHRASE_FILTERS, PairFilter, PivotRules
from harness.paraphrases.tables.formats import BAR, PROBABILITIES
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.words import compose, split_at_blanks

CHUNK_BYTES = 1 << 21
"""Approximate number of bytes of lines in a chunk."""

ARRAYS = 6
"""Number of arrays of an encoded chunk."""

ENTRIES, REPAIRED = "phrase pairs", "repaired"
"""Keys of counts: phrase pairs in the table, and probabilities above 1, which are replaced by 1."""

LONG, UNSURE = "with too many words", "with improbable translations"
"""Reasons why phrase pairs are left out, in addition to the filters."""

_REMEDY = "use a phrase table of Moses: source ||| target ||| scores"
_INCOMPLETE = "expected source, target and scores"
_NO_LOGARITHMS = "write scores as probabilities from 0 to 1, not as logarithms"
_LEAST_COLUMNS = 3
_HASH_BYTES = 16


def read_chunks(table: Path) -> Iterator[tuple[int, bytes, int]]:
    """Read the lines of a phrase table, plain or compressed.

    Yields:
        What `divide_lines` yields, with the lines joined.

    Raises:
        InputError: If the table cannot be read.
        LimitError: If a line is too long.
    """
    with open_lines(table, _REMEDY) as lines:
        for first, chunk, consumed in divide_lines(lines, len, CHUNK_BYTES, lines.tell):
            yield first, b"".join(chunk), consumed


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
        counts: Number of phrase pairs, of left-out phrase pairs by reason, and of repaired probabilities.
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
        self.counts = Counter[str]()
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
        self.counts[ENTRIES] += 1
        if pivot_given_phrase > 1 or phrase_given_pivot > 1:
            self.counts[REPAIRED] += (pivot_given_phrase > 1) + (phrase_given_pivot > 1)
            pivot_given_phrase, phrase_given_pivot = min(pivot_given_phrase, 1.0), min(phrase_given_pivot, 1.0)
        digest = self._hashes_of_columns.get(pivot)
        if digest is None:
            normalized = _parse_phrase(pivot, self._file, number)
            self._hashes_of_columns[pivot] = digest = blake2b(normalized, digest_size=_HASH_BYTES).digest()
        phrase_number = self._numbers_of_columns.get(phrase)
        if phrase_number is None:
            phrase_number = self._number_phrase(phrase, number)
        if isinstance(phrase_number, str):  # the reason why the phrase is left out
            self.counts[phrase_number] += 1
        elif max(pivot_given_phrase, phrase_given_pivot) < self._rules.min_translation_probability:
            self.counts[UNSURE] += 1
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


def encode_chunk(
    chunk: tuple[int, bytes, int], table: Path, rules: PivotRules, folder: Path
) -> tuple[Path, list[bytes], Counter[str], int]:
    """Write the usable phrase pairs of a chunk of `read_chunks` to files.

    Returns:
        A file of arrays: two columns of hashes of pivots, positions of phrases in the list of phrases, the
        probabilities of the pivot given the phrase and of the phrase given the pivot, and numbers of lines. The list of
        the distinct phrases that are not pivots is in files beside it (`name_phrases`). One in `SAMPLE_EVERY` of these
        phrases. The counts of `_ChunkEncoder`. And the number of bytes of the chunk on disk.

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
    save_texts(name_phrases(path), phrases)
    return path, phrases[::SAMPLE_EVERY], encoder.counts, consumed


def name_phrases(chunk: Path) -> Path:
    """Return the path of the list of the phrases of a chunk, given the file of its arrays."""
    return name_part(chunk, "phrases")


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


SAMPLE_EVERY = 64
"""One in this number of phrases is sampled to divide them evenly."""

MAX_PHRASES = 1 << 16
"""Approximate number of phrases that are sorted at once."""

Numbers = NDArray[np.int64]


def divide_phrases(samples: Iterable[list[bytes]]) -> Iterator[tuple[int, bytes | None, bytes | None]]:
    """Divide the phrases of all chunks into ranges that fit into memory.

    Args:
        samples: One in `SAMPLE_EVERY` phrases of each chunk.

    Yields:
        The number of a range, the lower bound of its phrases (inclusive), and the upper bound (exclusive). The lowest
        and the highest bound are None.
    """
    sample = sorted(chain.from_iterable(samples))
    step = max(1, MAX_PHRASES // SAMPLE_EVERY)
    borders = [None, *sorted(set(sample[step::step])), None]
    for number, (low, high) in enumerate(pairwise(borders)):
        yield number, low, high


def list_filters(rules: PivotRules) -> list[PairFilter]:
    """List the filters of pairs that the rules use."""
    return [pair_filter for pair_filter in PAIR_FILTERS if pair_filter.name not in rules.keep]


def number_range(
    phrases: tuple[int, bytes | None, bytes | None], lists: Sequence[Path], rules: PivotRules
) -> tuple[Path, int, NDArray[np.int64]]:
    """Sort the phrases of a range, and write the phrases, their ranks per chunk, and their keys for the filters.

    The key of a phrase for a filter is a hash of its words that both phrases of a left-out pair share. Only pairs with
    equal keys need a comparison of words.

    Args:
        phrases: A range of `divide_phrases`.
        lists: The phrases of each chunk.
        rules: The rules of pivoting.

    Returns:
        The common beginning of the paths of the files of phrases, of ranks (`-ranks`) and of keys (`-keys`). The number
        of distinct phrases. And the position of the first phrase of each chunk in the ranks, and finally the number of
        ranks.
    """
    number, low, high = phrases
    parts = []
    for path in lists:
        texts = TextList.open(path)
        end = len(texts) if high is None else texts.find(high)
        parts.append(list(texts.read(np.arange(texts.find(low or b""), end))))
    distinct = sorted(set().union(*parts))
    ranks = {phrase: rank for rank, phrase in enumerate(distinct)}
    path = lists[0].with_name(f"phrases-{number}")
    save_texts(path, distinct)
    ranks_of_parts = [ranks[phrase] for phrase in chain.from_iterable(parts)]
    save_arrays(name_part(path, "ranks"), [np.array(ranks_of_parts, np.uint32)])
    filters = list_filters(rules)
    words = [phrase.decode().split(" ") for phrase in distinct]
    keys = [[crc32(" ".join(pair_filter.shared(phrase)).encode()) for phrase in words] for pair_filter in filters]
    save_arrays(name_part(path, "keys"), [np.array(keys, np.uint32).reshape(len(filters), len(distinct))])
    return path, len(distinct), np.cumsum([0, *map(len, parts)], dtype=np.int64)


class Numbering:
    """The numbers of all phrases.

    Args:
        ranges: The results of `number_range`, in the order of the ranges.
    """

    def __init__(self, ranges: Sequence[tuple[Path, int, NDArray[np.int64]]]) -> None:
        self._ranges = [(path, starts) for path, _, starts in ranges]
        self._bases = np.cumsum([0, *(size for _, size, _ in ranges)], dtype=np.int64)

    def number_chunk(self, chunk: int) -> Numbers:
        """Return the numbers of the phrases of a chunk, in their order."""
        parts = []
        for (path, starts), base in zip(self._ranges, self._bases.tolist(), strict=False):
            first, end = starts[chunk : chunk + 2].tolist()
            parts.append(map_array(name_part(path, "ranks"))[first:end] + np.int64(base))
        return np.concatenate(parts)

    def read_phrases(self, numbers: Numbers) -> list[bytes]:
        """Read the phrases with some numbers, which must be sorted."""
        phrases = list[bytes]()
        for path, positions in self._divide(numbers):
            phrases += TextList.open(path).read(positions)
        return phrases

    def read_keys(self, numbers: Numbers) -> NDArray[np.uint32]:
        """Read the keys of the phrases with some numbers, which must be sorted. Shape (filters, numbers)."""
        parts = self._divide(numbers)
        keys = [map_array(name_part(path, "keys"))[:, positions] for path, positions in parts]
        return np.concatenate(keys, axis=1)

    def _divide(self, numbers: Numbers) -> Iterator[tuple[Path, Numbers]]:
        """Yield the ranges that contain some sorted numbers, with the positions of the phrases in each range."""
        borders = np.searchsorted(numbers, self._bases).tolist()
        for position, (path, _) in enumerate(self._ranges):
            if borders[position] < borders[position + 1] or len(self._ranges) == 1:
                yield path, numbers[borders[position] : borders[position + 1]] - self._bases[position]
