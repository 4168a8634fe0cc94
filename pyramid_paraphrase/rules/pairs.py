"""Pairs of propositions for the binary test (Baumel et al. 2016, section 3).

Pairs of sets of words that share at least a minimum of words are found without comparing all pairs of sets. The
algorithm is prefix filtering (Chaudhuri, Ganti and Kaushik 2006). Words are ranked by the number of sets that contain
them, the rarest first. In two sets, the rarest shared word precedes all other shared words. So for each word, it
suffices to compare the sets that contain this word and enough words of higher rank, and only by their words of higher
rank. Frequent words are in most sets but have few words of higher rank behind them, so they rarely cause a comparison.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations
from operator import attrgetter

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pyramid_paraphrase.rules.options import Options
from pyramid_paraphrase.rules.propositions import Proposition, link_propositions, number_values

Indices = npt.NDArray[np.int64]
ShortIndices = npt.NDArray[np.int32]

BUFFER_FACTOR = 2
"""Repeated and surplus pairs are dropped each time the buffer has grown by this factor."""

BUFFER_MINIMUM = 1 << 16


def build_pairs(propositions: Sequence[Proposition], options: Options) -> tuple[ShortIndices, npt.NDArray[np.int8]]:
    """Make all pairs that the rules allow.

    A positive is two propositions of one SCU whose content words differ. A negative is two propositions of different
    SCUs that share enough distinct words and whose content words differ. Their texts must not occur together in any SCU
    or in two related SCUs. Propositions of two pyramids with the same topic number are never paired.

    Args:
        propositions: Propositions in their canonical order. If several pairs have the same texts, the first is kept.
        options: The rules.

    Returns:
        Indices of the propositions of shape (n, 2), the lower first, and n labels, 1 for a paraphrase: positives, then
        negatives, both in the order of their indices. No pair of texts occurs twice.
    """
    index = _Index(propositions, options.scope)
    words = WordSets([propositions[first].words for first in index.firsts])
    # The propositions of one SCU are consecutive.
    groups = np.split(np.arange(index.size), np.flatnonzero(np.diff(index.scus)) + 1)
    within = chain.from_iterable(combinations(group.tolist(), 2) for group in groups)
    together = np.fromiter(chain.from_iterable(within), dtype=np.int64).reshape(-1, 2)
    del groups  # an array for each SCU
    related = np.array(link_propositions(propositions, attrgetter("related")), dtype=np.int64).reshape(-1, 2)
    positives = together[index.contents[together[:, 0]] != index.contents[together[:, 1]]]
    if options.match_positives:
        positives = positives[words.count_shared(index.forms[positives]) >= options.min_shared_words]
    positives = index.drop_repeated_texts(positives)
    forbidden = _sort_distinct(index.text_keys(np.concatenate([together, related])))
    del together, related
    sample_size = options.negatives_per_positive * len(positives)
    hashes = None
    if sample_size:
        hashes = _hash_texts((proposition.folded for proposition in propositions), options.seed)
    negatives = _Negatives(index, sample_size, hashes)
    for candidates in words.find_overlapping(index.scopes, options.min_shared_words):
        for pairs in index.list_negatives(candidates, forbidden):
            negatives.add(pairs)
    chosen = negatives.finish()
    labels = np.repeat(np.array([1, 0], dtype=np.int8), [len(positives), len(chosen)])
    return np.concatenate([positives, chosen], dtype=np.int32), labels


class _Index:
    """Propositions as integer arrays, so that pairs can be compared without comparing texts.

    Propositions with the same text, words and content words, in the same pyramid if pairs are within pyramids, have the
    same *form*. Their pairs with another form have the same texts, so only the first allowed pair can be kept. Forms
    are compared instead of propositions, so that a copy of a pyramid costs much less than the pyramid.

    Args:
        propositions: The propositions.
        scope: "pyramid" or "corpus", as in `Options`.

    Attributes:
        forms: The form of each proposition, numbered in the order of first occurrences.
        firsts: The first proposition of each form, ascending.
        scopes: The number of the pyramid of each form if pairs are within pyramids, otherwise 0.
    """

    def __init__(self, propositions: Sequence[Proposition], scope: str) -> None:
        self.size = len(propositions)
        self.texts = number_values(proposition.folded for proposition in propositions)
        self.is_repeated = np.bincount(self.texts)[self.texts] > 1
        self.contents = number_values(proposition.content for proposition in propositions)
        self.scus = number_values((proposition.pyramid, proposition.scu) for proposition in propositions)
        self.pyramids = number_values(proposition.pyramid for proposition in propositions)
        self.topics = number_values(proposition.topic for proposition in propositions)
        words = number_values(proposition.words for proposition in propositions)
        scopes = self.pyramids if scope == "pyramid" else np.zeros(self.size, dtype=np.int64)
        self.forms = scopes
        for column in (self.texts, self.contents, words):
            _, firsts, numbers = np.unique(self.forms * self.size + column, return_index=True, return_inverse=True)
            self.forms = np.argsort(np.argsort(firsts))[numbers]
        _, self.firsts, counts = np.unique(self.forms, return_index=True, return_counts=True)
        self.scopes = scopes[self.firsts]
        self._members, self._counts = np.argsort(self.forms, kind="stable"), counts
        self._starts = np.cumsum(counts) - counts

    def text_keys(self, pairs: Indices) -> Indices:
        """Return a number per pair that identifies its two texts."""
        texts = np.sort(self.texts[pairs], axis=1)
        return texts[:, 0] * self.size + texts[:, 1]

    def drop_repeated_texts(self, pairs: Indices) -> Indices:
        """Keep the first of several pairs with the same two texts. The pairs are in the order of their indices."""
        _, first = np.unique(self.text_keys(pairs), return_index=True)
        return pairs[np.sort(first)]

    def list_negatives(self, forms: Indices | ShortIndices, forbidden: Indices) -> Iterator[Indices]:
        """List the pairs whose texts, topics, SCUs and content words make them negatives.

        Args:
            forms: Pairs of forms, shape (n, 2), the lower first.
            forbidden: Sorted keys of the pairs of texts that must not be negatives.

        Yields:
            Pairs of propositions. The first allowed pair of each pair of forms is among them.
        """
        pairs = self.firsts[forms]
        is_possible = self.contents[pairs[:, 0]] != self.contents[pairs[:, 1]]
        is_possible[is_possible] = ~_contains(forbidden, self.text_keys(pairs[is_possible]))
        is_allowed = self._allow(pairs)
        yield pairs[is_possible & is_allowed]
        left, right = forms[is_possible & ~is_allowed].T
        sizes = self._counts[left] * self._counts[right]
        for start, end in _cut(sizes, _PAIRS_AT_ONCE):
            part = slice(start, end)
            block = np.repeat(np.arange(start, end), sizes[part])
            places = np.arange(len(block)) - np.repeat(np.cumsum(sizes[part]) - sizes[part], sizes[part])
            firsts, seconds = np.divmod(places, self._counts[right[block]])
            members = self._starts[left[block]] + firsts, self._starts[right[block]] + seconds
            pairs = np.sort(self._members[np.stack(members, axis=1)], axis=1)
            yield pairs[self._allow(pairs)]

    def _allow(self, pairs: Indices) -> npt.NDArray[np.bool_]:
        """Return whether the topics and the SCUs of each pair allow a negative."""
        left, right = pairs[:, 0], pairs[:, 1]
        is_allowed = (self.topics[left] != self.topics[right]) | (self.pyramids[left] == self.pyramids[right])
        return np.asarray(is_allowed & (self.scus[left] != self.scus[right]))


class _Negatives:
    """Collects negatives, and samples them if their number is limited.

    The sample is deterministic: the pairs with the smallest hashes of their texts (bottom-k sampling). A pair is stored
    as a single number, left index * number of propositions + right index.

    Args:
        index: The propositions.
        sample_size: Number of negatives to keep.
        hashes: A hash per proposition, or None to keep all negatives.
    """

    def __init__(self, index: _Index, sample_size: int, hashes: npt.NDArray[np.uint64] | None) -> None:
        self._index = index
        self._sample_size = sample_size
        self._hashes = hashes
        self._chunks: list[Indices] = []
        self._held = self._left = 0

    def add(self, pairs: Indices) -> None:
        self._chunks.append(pairs[:, 0] * self._index.size + pairs[:, 1])
        self._held += len(pairs)
        if self._held > max(BUFFER_FACTOR * self._left, BUFFER_MINIMUM):
            self._compact()

    def finish(self) -> Indices:
        self._compact()
        return self._decode(self._chunks[0])

    def _decode(self, numbers: Indices) -> Indices:
        return np.stack(np.divmod(numbers, self._index.size), axis=1)

    def _compact(self) -> None:
        """Drop repeated pairs and, if the number is limited, all pairs except those with the smallest hashes."""
        numbers = np.concatenate([np.empty(0, dtype=np.int64), *self._chunks])
        self._chunks = []
        numbers = _sort_distinct(numbers)
        # Only pairs with a text of several propositions can repeat, so all other pairs are not compared.
        left, right = np.divmod(numbers, self._index.size)
        can_repeat = self._index.is_repeated[left] | self._index.is_repeated[right]
        kept = self._index.drop_repeated_texts(self._decode(numbers[can_repeat]))
        del left, right
        numbers = np.concatenate([numbers[~can_repeat], kept[:, 0] * self._index.size + kept[:, 1]])
        numbers.sort()
        if self._hashes is not None and len(numbers) > self._sample_size:
            left, right = np.divmod(numbers, self._index.size)
            best = np.argsort(_mix(self._hashes[left] + self._hashes[right]), kind="stable")
            numbers = numbers[np.sort(best[: self._sample_size])]
        self._chunks, self._held, self._left = [numbers], len(numbers), len(numbers)


def _sort_distinct(numbers: Indices) -> Indices:
    """Sort numbers in place, and return each number once. Some versions of NumPy take ten times as long by `unique`."""
    numbers.sort()
    return numbers[np.diff(numbers, prepend=-1) > 0]  # no number is negative


def _contains(values: Indices, queries: Indices) -> npt.NDArray[np.bool_]:
    """Return whether each query is among sorted values (binary search)."""
    if not len(values):
        return np.zeros(len(queries), dtype=np.bool_)
    places = np.searchsorted(values, queries)
    return np.asarray(values[np.minimum(places, len(values) - 1)] == queries)


def _hash_texts(texts: Iterable[str], seed: int) -> npt.NDArray[np.uint64]:
    digests = b"".join(hashlib.sha256(f"{seed}:{text}".encode()).digest()[:8] for text in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def _mix(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Mix the bits of sums of hashes by the finalizer of SplitMix64 (Steele, Lea and Flood 2014), modulo 2**64."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


_FOLLOWERS_AT_ONCE = 1 << 19
"""Words of higher rank that are compared at once. A word with more of them forms a separate batch."""

_PRODUCTS_AT_ONCE = 1 << 21
"""Multiplications in one product of matrices: bounds the memory of the result."""

_COUNTED_AT_ONCE = 1 << 16

_PAIRS_AT_ONCE = 1 << 20
"""Pairs of propositions that are listed at once for pairs of forms whose first propositions are not a negative."""


class WordSets:
    """Sets of words, encoded as integers.

    Args:
        sets: The words of each set. A repeated word counts once.
    """

    def __init__(self, sets: Sequence[Sequence[str]]) -> None:
        # Numbers of 32 bits: arrays with an entry for each word of each set take most of the memory.
        self._words = number_values(chain.from_iterable(map(dict.fromkeys, sets))).astype(np.int32)
        self._sizes = np.fromiter(map(len, map(set, sets)), dtype=np.int64, count=len(sets))
        self._vocabulary_size = int(self._words.max(initial=-1)) + 1

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
        for start in range(0, len(pairs), _COUNTED_AT_ONCE):
            left, right = pairs[start : start + _COUNTED_AT_ONCE].T
            counts[start : start + len(left)] = np.asarray(matrix[left].multiply(matrix[right]).sum(axis=1)).ravel()
        return counts

    def find_overlapping(self, groups: Indices, minimum: int) -> Iterator[Indices | ShortIndices]:
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

    def _rank(self, groups: Indices) -> tuple[ShortIndices, ShortIndices]:
        """Rank the words of each group, and keep the words that are in at least two of its sets.

        Returns:
            Two arrays of one entry per word of a set, by set and then by rank: the ranks, and the indices of the sets.
        """
        sets = np.repeat(np.arange(len(groups), dtype=np.int32), self._sizes)
        words, counts = self._words, np.bincount(self._words)
        if groups.any():  # several groups
            _, words, counts = np.unique(
                groups[sets] * self._vocabulary_size + self._words, return_inverse=True, return_counts=True
            )
        ranks = np.empty(len(counts), dtype=np.int32)
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

    def __init__(self, words: ShortIndices, sets: ShortIndices, minimum: int) -> None:
        self._words, self._sets = words, sets
        remaining = (np.searchsorted(sets, sets, side="right") - np.arange(len(sets))).astype(np.int32)
        entries = np.flatnonzero(remaining >= minimum).astype(np.int32)
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

    def compare(self, start: int, end: int) -> Iterator[ShortIndices]:
        """Yield the pairs of sets in a range of postings that share enough words."""
        lengths, entries = self._lengths[start:end], self._entries[start:end]
        starts = np.cumsum(lengths) - lengths
        places = np.repeat(entries + self._offset - starts, lengths) + np.arange(lengths.sum())
        words = np.repeat(self._words[entries].astype(np.int64), lengths)
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
        products = np.bincount(rows, counts[columns], minlength=len(entries)).astype(np.int64)
        sets = self._sets[entries]
        for first, last in _cut(products, _PRODUCTS_AT_ONCE):
            yield _select(matrix[first:last] @ transposed, self._needed, sets[first:last], sets)


def _cut(sizes: Indices, most: int) -> Iterator[tuple[int, int]]:
    """Divide rows into ranges whose sizes have about the same sum."""
    parts = np.cumsum(sizes) // most
    starts = np.flatnonzero(np.diff(parts, prepend=-1)).tolist()
    yield from zip(starts, [*starts[1:], len(sizes)][: len(starts)], strict=True)


def _select(shared: sp.csr_matrix, needed: int, row_sets: ShortIndices, column_sets: ShortIndices) -> ShortIndices:
    """Return the pairs of sets with enough shared words, the lower first."""
    places = np.flatnonzero(shared.data >= needed)
    left = row_sets[np.searchsorted(shared.indptr, places, side="right") - 1]
    right = column_sets[shared.indices[places]]
    return np.stack([left, right], axis=1)[left < right]
