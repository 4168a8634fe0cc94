"""Numbering of all phrases of a table in the order of their bytes.

The phrases of all chunks are divided into ranges that fit into memory. Each range is sorted separately. The number of a
phrase is its position in its range plus the number of phrases in all ranges before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import TextList, map_array, name_part, save_arrays, save_texts
from harness.paraphrases.pivoting.rules import PAIR_FILTERS, PairFilter, PivotRules

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
