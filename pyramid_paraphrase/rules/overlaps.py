"""Find pairs of sets of words that share at least a minimum of words, without comparing all pairs of sets.

The algorithm is prefix filtering (Chaudhuri, Ganti and Kaushik 2006). Words are ranked by the number of sets that
contain them, the rarest first. In two sets, the rarest shared word precedes all other shared words. So for each word,
it suffices to compare the sets that contain this word and enough words of higher rank, and only by their words of
higher rank. Frequent words are in most sets but have few words of higher rank behind them, so they rarely cause a
comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Indices = npt.NDArray[np.int64]

_FOLLOWERS_AT_ONCE = 1 << 19
"""Words of higher rank that are compared at once. A word with more of them forms a separate batch."""

_PRODUCTS_AT_ONCE = 1 << 21
"""Multiplications in one product of matrices: bounds the memory of the result."""

_PAIRS_AT_ONCE = 1 << 16


class WordSets:
    """Sets of words, encoded as integers.

    Args:
        sets: The words of each set. A repeated word counts once.
    """

    def __init__(self, sets: Sequence[Sequence[str]]) -> None:
        vocabulary: dict[str, int] = {}
        distinct = chain.from_iterable(map(dict.fromkeys, sets))
        numbers = (vocabulary.setdefault(word, len(vocabulary)) for word in distinct)
        self._words = np.fromiter(numbers, dtype=np.int64)
        self._sizes = np.fromiter((len(set(words)) for words in sets), dtype=np.int64, count=len(sets))
        self._vocabulary_size = len(vocabulary)

    def count_shared(self, pairs: Indices) -> Indices:
        """Count the words that the two sets of each pair share.

        Args:
            pairs: Indices of sets, shape (n, 2).

        Returns:
            Shape (n,).
        """
        starts = np.concatenate([[0], np.cumsum(self._sizes)])
        shape = (len(self._sizes), max(1, self._vocabulary_size))
        matrix = sp.csr_matrix((np.ones(len(self._words), dtype=np.int64), self._words, starts), shape=shape)
        counts = np.zeros(len(pairs), dtype=np.int64)
        for start in range(0, len(pairs), _PAIRS_AT_ONCE):
            left, right = pairs[start : start + _PAIRS_AT_ONCE].T
            counts[start : start + len(left)] = np.asarray(matrix[left].multiply(matrix[right]).sum(axis=1)).ravel()
        return counts

    def find_overlapping(self, groups: Indices, minimum: int) -> Iterator[Indices]:
        """Find the pairs of sets of one group that share enough words.

        Args:
            groups: Shape (sets,), the group of each set.
            minimum: Minimum number of distinct words that the sets of a pair share. With 0, all pairs of a group
                qualify.

        Yields:
            Indices of sets, shape (n, 2), the lower first. The order of pairs is not defined, and the same pair may
            occur several times.
        """
        if minimum == 0:
            yield from _list_all_pairs(groups)
            return
        postings = _Postings(*self._rank(groups), minimum)
        for start, end in postings.batches():
            yield from postings.compare(start, end)

    def _rank(self, groups: Indices) -> tuple[Indices, Indices]:
        """Rank the words of each group, and keep the words that are in at least two of its sets.

        Returns:
            Two arrays of one entry per word of a set, by set and then by rank: the ranks, and the indices of the sets.
        """
        sets = np.repeat(np.arange(len(groups)), self._sizes)
        _, words, counts = np.unique(
            groups[sets] * self._vocabulary_size + self._words, return_inverse=True, return_counts=True
        )
        ranks = np.empty(len(counts), dtype=np.int64)
        ranks[np.argsort(counts, kind="stable")] = np.arange(len(counts))
        is_shared = counts[words] > 1
        words, sets = ranks[words[is_shared]], sets[is_shared]
        order = np.lexsort((words, sets))
        return words[order], sets[order]


def _list_all_pairs(groups: Indices) -> Iterator[Indices]:
    order = np.argsort(groups, kind="stable")
    ends = np.searchsorted(groups[order], groups[order], side="right")
    for position, end in enumerate(ends.tolist()):
        later_sets = order[position + 1 : end]
        if len(later_sets):
            yield np.stack([np.full(len(later_sets), order[position]), later_sets], axis=1)


class _Postings:
    """An inverted index: for each word, the sets that contain it and enough words of higher rank.

    Args:
        words: Shape (n,), ranks of words, by set and then by rank.
        sets: Shape (n,), the sets that contain them.
        minimum: Minimum number of words of this rank or higher in a listed set, at least 1.
    """

    def __init__(self, words: Indices, sets: Indices, minimum: int) -> None:
        self._words, self._sets = words, sets
        remaining = np.searchsorted(sets, sets, side="right") - np.arange(len(sets))
        entries = np.flatnonzero(remaining >= minimum)
        self._entries = entries[np.argsort(words[entries], kind="stable")]
        # All sets of a word share this word. It is compared only if no other shared word is needed.
        self._offset = min(1, minimum - 1)
        self._needed = minimum - self._offset
        self._lengths = remaining[self._entries] - self._offset

    def batches(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of postings. A range has all sets of its words and a limited number of words to compare."""
        if not len(self._entries):
            return
        words = self._words[self._entries]
        first = np.flatnonzero(np.diff(words, prepend=-1))
        followers = np.concatenate([[0], np.cumsum(self._lengths)])
        batch_of = followers[first] // _FOLLOWERS_AT_ONCE
        starts = first[np.flatnonzero(np.diff(batch_of, prepend=-1))].tolist()
        yield from zip(starts, [*starts[1:], len(words)], strict=True)

    def compare(self, start: int, end: int) -> Iterator[Indices]:
        """Yield the pairs of sets in a range of postings that share enough words."""
        lengths, entries = self._lengths[start:end], self._entries[start:end]
        starts = np.cumsum(lengths) - lengths
        places = np.repeat(entries + self._offset - starts, lengths) + np.arange(lengths.sum())
        words = np.repeat(self._words[entries], lengths)
        # Followers of different words are distinct, so only sets that share the word are compared.
        _, columns, counts = np.unique(
            words * (self._words.max() + 1) + self._words[places], return_inverse=True, return_counts=True
        )
        rows = np.repeat(np.arange(len(entries)), lengths)
        is_shared = counts[columns] > 1
        rows, columns = rows[is_shared], columns[is_shared]
        shape = (len(entries), len(counts))
        matrix = sp.csr_matrix((np.ones(len(rows), dtype=np.int32), (rows, columns)), shape=shape)
        transposed = matrix.T.tocsr()
        products = np.bincount(rows, counts[columns], minlength=len(entries))
        sets = self._sets[entries]
        for first, last in _cut(products):
            yield _select(matrix[first:last] @ transposed, self._needed, sets[first:last], sets)


def _cut(products: npt.NDArray[np.number]) -> Iterator[tuple[int, int]]:
    """Divide rows into ranges with about the same number of multiplications."""
    parts = np.cumsum(products) // _PRODUCTS_AT_ONCE
    starts = np.flatnonzero(np.diff(parts, prepend=-1)).tolist()
    yield from zip(starts, [*starts[1:], len(products)], strict=True)


def _select(shared: sp.csr_matrix, needed: int, row_sets: Indices, column_sets: Indices) -> Indices:
    """Return the pairs of sets with enough shared words, the lower first."""
    places = np.flatnonzero(shared.data >= needed)
    left = row_sets[np.searchsorted(shared.indptr, places, side="right") - 1]
    right = column_sets[shared.indices[places]]
    return np.stack([left, right], axis=1)[left < right]
