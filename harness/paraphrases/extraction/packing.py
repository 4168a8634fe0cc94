"""Phrases and their alignments as rows of 64-bit numbers, so that NumPy can sort and compare them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from harness.paraphrases.extraction.encoding import Links, Positions, Words

Columns = NDArray[np.uint64]
"""Rows of 64-bit numbers, of shape (rows, columns)."""

MAX_PHRASE_WORDS = 64
"""Maximum number of words of a phrase, because the links of a word in a phrase are the bits of a 64-bit number."""

_BITS = 64


class Layout:
    """Layout of phrase pairs in rows: target phrase, source phrase, alignment, and numbers.

    Args:
        max_words: Maximum number of words of a phrase.
        word_bits: Number of bits of a word's number. The number 0 marks the end of a phrase.

    Attributes:
        phrase_columns: Number of columns of a phrase.
        alignment_columns: Number of columns of an alignment.
        target: Columns of the target phrase.
        source: Columns of the source phrase.
        pair: Columns of both phrases.
        alignment: Columns of the alignment.
        numbers: First column of the numbers.
        occurrence_width: Number of columns of an extracted phrase pair. Its numbers are its count, and its lexical
            weights (`pack_weights`).
        pair_width: Number of columns of a distinct phrase pair. Its numbers are its count, the number of occurrences
            and of distinct sources of its target, and its lexical weights.
    """

    def __init__(self, max_words: int, word_bits: int) -> None:
        self.max_words, self.word_bits = max_words, word_bits
        self.phrase_columns = phrase = -(-max_words * word_bits // _BITS)
        self.alignment_columns = -(-max_words // _count_words_per_column(max_words))
        self.target, self.source, self.pair = slice(0, phrase), slice(phrase, 2 * phrase), slice(0, 2 * phrase)
        self.numbers = 2 * phrase + self.alignment_columns
        self.alignment = slice(2 * phrase, self.numbers)
        self.occurrence_width, self.pair_width = self.numbers + 2, self.numbers + 4


def _count_words_per_column(max_words: int) -> int:
    """Return the number of target words whose links are in one column of an alignment."""
    return _BITS // max_words


def pack_phrases(words: Words, starts: Positions, lengths: Positions, layout: Layout) -> Columns:
    """Pack phrases into rows. The order of rows is the order of the phrases by the numbers of their words.

    Args:
        words: Numbers of the words of all sentences, from 1.
        starts: Position of the first word of each phrase.
        lengths: Number of words of each phrase.
        layout: The layout of the rows.
    """
    columns = np.zeros((layout.phrase_columns, len(starts)), np.uint64)
    for position in range(layout.max_words):
        kept = np.minimum(starts + position, len(words) - 1)
        numbers = np.where(position < lengths, words[kept], 0).astype(np.uint64)
        column, offset = divmod(position * layout.word_bits, _BITS)
        free = _BITS - offset - layout.word_bits
        if free >= 0:
            columns[column] |= numbers << np.uint64(free)
        else:
            columns[column] |= numbers >> np.uint64(-free)
            columns[column + 1] |= numbers << np.uint64(_BITS + free)
    return columns.T


def unpack_phrases(columns: Columns, layout: Layout) -> NDArray[np.int64]:
    """Return the word numbers of packed phrases, of shape (phrases, words), with 0 after the end of a phrase."""
    words = np.empty((len(columns), layout.max_words), np.int64)
    mask = np.uint64((1 << layout.word_bits) - 1)
    for position in range(layout.max_words):
        column, offset = divmod(position * layout.word_bits, _BITS)
        free = _BITS - offset - layout.word_bits
        if free >= 0:
            numbers = columns[:, column] >> np.uint64(free)
        else:
            numbers = (columns[:, column] << np.uint64(-free)) | (columns[:, column + 1] >> np.uint64(_BITS + free))
        words[:, position] = numbers & mask
    return words


def mask_links(links: Links, target_words: int) -> tuple[Positions, NDArray[np.uint64]]:
    """Represent the links of each target word as bits.

    Links that are 64 or more words after the first link are missing. No phrase pair contains words with such links.

    Args:
        links: The links, sorted by target and source.
        target_words: Number of target words.

    Returns:
        For each target word, the position of the first linked source word, and the links. Bit i is the link to the
        source word i words after the first one.
    """
    sources, targets = links
    first = np.zeros(target_words, np.int64)
    first[targets[::-1]] = sources[::-1]
    distances = sources - first[targets]
    fits = distances < _BITS
    bits = np.zeros(target_words, np.uint64)
    np.bitwise_or.at(bits, targets[fits], np.uint64(1) << distances[fits].astype(np.uint64))
    return first, bits


def pack_alignments(
    masks: tuple[Positions, NDArray[np.uint64]],
    source_starts: Positions,
    target_starts: Positions,
    lengths: Positions,
    layout: Layout,
) -> Columns:
    """Pack the links in phrase pairs: per target word, the linked words of the source phrase as bits.

    Args:
        masks: The result of `mask_links`.
        source_starts: Position of the first word of each source phrase.
        target_starts: Position of the first word of each target phrase.
        lengths: Number of words of each target phrase.
        layout: The layout of the rows.
    """
    first_links, link_bits = masks
    columns = np.zeros((layout.alignment_columns, len(lengths)), np.uint64)
    for position in range(layout.max_words):
        words = np.minimum(target_starts + position, len(link_bits) - 1)
        bits = link_bits[words]
        kept = (position < lengths) & (bits > 0)
        column, offset = divmod(position, _count_words_per_column(layout.max_words))
        shifts = np.where(kept, first_links[words] - source_starts, 0) + offset * layout.max_words
        columns[column] |= np.where(kept, bits << shifts.astype(np.uint64), np.uint64(0))
    return columns.T


def list_points(columns: Sequence[int], max_words: int) -> list[tuple[int, int]]:
    """List the links of a packed alignment as pairs of a source and a target position, sorted by target and source."""
    points: list[tuple[int, int]] = []
    mask = (1 << max_words) - 1
    for target in range(max_words):
        column, offset = divmod(target, _count_words_per_column(max_words))
        bits = columns[column] >> (offset * max_words) & mask
        if bits:
            points += [(source, target) for source in _list_set_bits(bits)]
    return points


@lru_cache(maxsize=1 << 12)
def _list_set_bits(bits: int) -> tuple[int, ...]:
    return tuple(position for position in range(bits.bit_length()) if bits >> position & 1)


def choose_alignments(
    alignments: Columns, counts: NDArray[np.int64], pair_starts: NDArray[np.int64], max_words: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose the most frequent alignment of each phrase pair, once for each direction.

    Among equally frequent alignments, we choose the greatest alignment, as Moses does. For the lexical weight of the
    target given the source, an alignment is compared by the lists of source words that each target word is linked to.
    For the lexical weight of the source given the target, it is compared by the lists of target words that each source
    word is linked to.

    Args:
        alignments: Packed alignments, sorted by phrase pair.
        counts: Number of occurrences of each alignment.
        pair_starts: First row of each phrase pair.
        max_words: Maximum number of words of a phrase.

    Returns:
        The chosen rows for the lexical weight of the target given the source, and for the lexical weight of the source
        given the target.
    """
    sizes = np.diff(np.append(pair_starts, len(counts)))
    largest = np.repeat(np.maximum.reduceat(counts, pair_starts), sizes)
    candidates = np.flatnonzero(counts == largest)
    pairs = np.repeat(np.arange(len(sizes)), sizes)[candidates]
    numbers = np.bincount(pairs, minlength=len(sizes))
    chosen = np.empty((2, len(sizes)), np.int64)
    chosen[:, pairs] = candidates
    tied = numbers[pairs] > 1
    if tied.any():
        rows = candidates[tied]
        distinct, positions = np.unique(alignments[rows], axis=0, return_inverse=True)
        codes = [tuple(code) for code in distinct.tolist()]
        for direction in range(2):
            keys = [_list_linked_words(code, max_words, by_source=direction == 1) for code in codes]
            rank_of_key = {key: rank for rank, key in enumerate(sorted(set(keys)))}
            ranks = np.array([rank_of_key[key] for key in keys], np.int64)[positions.ravel()]
            order = np.lexsort((ranks, pairs[tied]))
            chosen[direction, pairs[tied][order]] = rows[order]  # NumPy keeps the last row of each pair
    return chosen[0], chosen[1]


@lru_cache(maxsize=1 << 14)
def _list_linked_words(code: tuple[int, ...], max_words: int, *, by_source: bool) -> tuple[tuple[int, ...], ...]:
    """List the words that each target word (or each source word) is linked to."""
    linked_words: list[list[int]] = [[] for _ in range(max_words)]
    for source, target in list_points(code, max_words):
        if by_source:
            linked_words[source].append(target)
        else:
            linked_words[target].append(source)
    return tuple(map(tuple, linked_words))
