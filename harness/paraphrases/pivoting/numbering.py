"""Sorted lists of phrases in files, and the numbering of all phrases of a table in the order of their bytes.

The phrases of all chunks are divided into ranges that fit into memory. Each range is sorted separately. The number of a
phrase is its position in its range plus the number of phrases in all ranges before.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import map_array, save_arrays
from harness.paraphrases.pivoting.rules import PAIR_FILTERS, PairFilter, PivotRules

SAMPLE_EVERY = 64
"""One in this number of phrases is sampled to divide them evenly."""


class PhraseList(NamedTuple):
    """Distinct phrases in files, sorted by their bytes.

    Attributes:
        path: Common beginning of the paths of the files.
        sample: One in `SAMPLE_EVERY` phrases.
    """

    path: Path
    sample: list[bytes]


def write_phrases(path: Path, phrases: Sequence[bytes]) -> PhraseList:
    """Write a list of phrases, which must be sorted."""
    save_arrays(_ends_path(path), [np.cumsum([0, *map(len, phrases)], dtype=np.int64)])
    save_arrays(_text_path(path), [np.frombuffer(b"".join(phrases), np.uint8)])
    return PhraseList(path, list(phrases[::SAMPLE_EVERY]))


def remove_phrases(path: Path) -> None:
    """Remove the files of a list."""
    _ends_path(path).unlink()
    _text_path(path).unlink()


def _ends_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-ends")


def _text_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-text")


class PhraseReader(Sequence[bytes]):
    """A memory-mapped list of phrases."""

    def __init__(self, path: Path) -> None:
        self._ends = map_array(_ends_path(path))
        self._text = map_array(
            _text_path(path)
        ).data  # slices of a memoryview are several times faster than slices of an array

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, position: int) -> bytes:  # type: ignore[override]
        return self._text[self._ends[position] : self._ends[position + 1]].tobytes()

    def read(self, positions: NDArray[np.int64]) -> Iterator[bytes]:
        """Yield the phrases at some positions."""
        text = self._text
        for start, stop in zip(self._ends[positions].tolist(), self._ends[positions + 1].tolist(), strict=True):
            yield text[start:stop].tobytes()

    def find(self, low: bytes | None, high: bytes | None) -> tuple[int, int]:
        """Find the first position and the end (exclusive) of the phrases from `low` to `high`, without `high`.

        The value None means no bound.
        """
        first = 0 if low is None else bisect_left(self, low)
        return first, len(self) if high is None else bisect_left(self, high)


MAX_PHRASES = 1 << 16
"""Approximate number of phrases that are sorted at once."""

Numbers = NDArray[np.int64]


class PhraseRange(NamedTuple):
    """A range of the phrases.

    Attributes:
        name: Its number, in the order of the ranges.
        low: Lower bound of the phrases (inclusive), or None.
        high: Upper bound of the phrases (exclusive), or None.
    """

    name: int
    low: bytes | None
    high: bytes | None


class NumberedRange(NamedTuple):
    """The distinct phrases of a range, in files.

    Attributes:
        path: Common beginning of the paths of the files: the phrases, the ranks (`-ranks`) and the keys (`-keys`).
        size: Number of distinct phrases.
        starts: Position of the first phrase of each chunk in the ranks, and finally the number of ranks.
    """

    path: Path
    size: int
    starts: NDArray[np.int64]


def divide_phrases(lists: Sequence[PhraseList]) -> Iterator[PhraseRange]:
    """Divide the phrases of all chunks into ranges that fit into memory."""
    sample = sorted(phrase for listed in lists for phrase in listed.sample)
    step = max(1, MAX_PHRASES // SAMPLE_EVERY)
    borders = [None, *sorted(set(sample[step::step])), None]
    for name, (low, high) in enumerate(pairwise(borders)):
        yield PhraseRange(name, low, high)


def list_filters(rules: PivotRules) -> list[PairFilter]:
    """List the filters of pairs that the rules use."""
    return [pair_filter for pair_filter in PAIR_FILTERS if pair_filter.name not in rules.keep]


def number_range(phrases: PhraseRange, lists: Sequence[Path], rules: PivotRules) -> NumberedRange:
    """Sort the phrases of a range, and write the phrases, their ranks per chunk, and their keys for the filters.

    The key of a phrase for a filter is a hash of its words that both phrases of a left-out pair share. Only pairs with
    equal keys need a comparison of words.
    """
    parts = [_read_part(path, phrases) for path in lists]
    distinct = sorted(set().union(*parts))
    ranks = {phrase: rank for rank, phrase in enumerate(distinct)}
    path = lists[0].with_name(f"phrases-{phrases.name}")
    write_phrases(path, distinct)
    save_arrays(_ranks_path(path), [np.array([ranks[phrase] for part in parts for phrase in part], np.uint32)])
    filters = list_filters(rules)
    words = [phrase.decode().split(" ") for phrase in distinct]
    keys = [[_hash(pair_filter.shared(phrase)) for phrase in words] for pair_filter in filters]
    save_arrays(_keys_path(path), [np.array(keys, np.uint32).reshape(len(filters), len(distinct))])
    return NumberedRange(path, len(distinct), np.cumsum([0, *map(len, parts)], dtype=np.int64))


def _read_part(path: Path, phrases: PhraseRange) -> list[bytes]:
    reader = PhraseReader(path)
    return list(reader.read(np.arange(*reader.find(phrases.low, phrases.high))))


def _hash(words: Sequence[str]) -> int:
    return crc32(" ".join(words).encode())


def _ranks_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-ranks")


def _keys_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-keys")


class Numbering:
    """The numbers of all phrases.

    Args:
        ranges: The ranges, in their order.
    """

    def __init__(self, ranges: Sequence[NumberedRange]) -> None:
        self._ranges = ranges
        self._bases = np.cumsum([0, *(numbered.size for numbered in ranges)], dtype=np.int64)

    def number_chunk(self, chunk: int) -> Numbers:
        """Return the numbers of the phrases of a chunk, in their order."""
        parts = []
        for numbered, base in zip(self._ranges, self._bases.tolist(), strict=False):
            first, end = numbered.starts[chunk : chunk + 2].tolist()
            parts.append(map_array(_ranks_path(numbered.path))[first:end] + np.int64(base))
        return np.concatenate(parts)

    def read_phrases(self, numbers: Numbers) -> list[bytes]:
        """Read the phrases with some numbers, which must be sorted."""
        phrases = list[bytes]()
        for numbered, positions in self._divide(numbers):
            phrases += PhraseReader(numbered.path).read(positions)
        return phrases

    def read_keys(self, numbers: Numbers) -> NDArray[np.uint32]:
        """Read the keys of the phrases with some numbers, which must be sorted. Shape (filters, numbers)."""
        keys = [map_array(_keys_path(numbered.path))[:, positions] for numbered, positions in self._divide(numbers)]
        return np.concatenate(keys, axis=1)

    def _divide(self, numbers: Numbers) -> Iterator[tuple[NumberedRange, Numbers]]:
        """Yield the ranges that contain some sorted numbers, with the positions of the phrases in each range."""
        borders = np.searchsorted(numbers, self._bases).tolist()
        for position, numbered in enumerate(self._ranges):
            if borders[position] < borders[position + 1] or len(self._ranges) == 1:
                yield numbered, numbers[borders[position] : borders[position + 1]] - self._bases[position]
