"""Sorted vocabularies and tries in arrays, which a binary search reads in a few places.

In a trie, node 0 is the root, and node n is the end of the n-th edge. An edge is a number with the parent node in the
upper half and the symbol in the lower half. Nodes are numbered by depth and sorted within a depth, so all edges are
sorted. A sequence is found by one binary search per symbol. The search is exact, because it uses no hashes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import TextList
from harness.paraphrases.sorting import join_halves

UNKNOWN = -1


class Vocabulary:
    """Sorted words. The id of a word is its position.

    Args:
        offsets: Start of each word in the text, and the end of the last word.
        text: All words in UTF-8, concatenated.
    """

    def __init__(self, offsets: NDArray[np.uint64], text: NDArray[np.uint8]) -> None:
        self._words = TextList(offsets, text)
        self._ids: dict[str, int] = {}  # cache of searched words

    def find_words(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Find the ids of words. Words that are not in the vocabulary have the id `UNKNOWN`."""
        for word in words:
            if word not in self._ids:
                data = word.encode("utf-8", "surrogatepass")  # lone surrogates are allowed, but never found
                position = self._words.find(data)
                is_in_vocabulary = position < len(self._words) and self._words[position] == data
                self._ids[word] = position if is_in_vocabulary else UNKNOWN
        return np.array([self._ids[word] for word in words], np.int64)

    def get_word(self, number: int) -> str:
        """Return the word with an id, with replacement characters for invalid UTF-8 and non-printable characters."""
        word = self._words[number].decode(errors="replace")  # files are untrusted
        if word.isprintable():
            return word
        return "".join(character if character.isprintable() else "\ufffd" for character in word)


def pack_words(words: Iterable[str]) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """Pack sorted words into the arrays of a `Vocabulary`. Code points have the same order as bytes of UTF-8."""
    encoded = [word.encode() for word in words]
    offsets = np.zeros(len(encoded) + 1, np.uint64)
    np.cumsum([len(word) for word in encoded], out=offsets[1:])
    return offsets, np.frombuffer(b"".join(encoded), np.uint8)


Edges = NDArray[np.uint64]
Numbers = NDArray[np.int64]


def build_trie(
    symbols: NDArray[np.uint32], starts: NDArray[np.integer], lengths: NDArray[np.integer]
) -> tuple[Edges, NDArray[np.uint32]]:
    """Build the trie of sequences.

    Args:
        symbols: The symbols of all sequences, fewer than 2**32.
        starts: Position of the first symbol of each sequence.
        lengths: Number of symbols of each sequence, at least 1.

    Returns:
        The edges to all nodes except the root, sorted. And the node at the end of each sequence. Equal sequences have
        the same node.
    """
    nodes = np.zeros(len(lengths), np.uint32)
    active = np.arange(len(lengths), dtype=np.uint32)
    levels = [np.zeros(0, np.uint64)]
    first_node = 1
    for depth in range(lengths.max(initial=0)):
        distinct, ranks = _rank(join_halves(nodes[active], symbols[starts[active] + depth]))
        nodes[active] = ranks + np.uint32(first_node)
        first_node += len(distinct)
        levels.append(distinct)
        active = active[lengths[active] > depth + 1]
    return np.concatenate(levels), nodes


def _rank(keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Return the distinct keys in order, and the rank of each key. `np.unique` takes twice the memory."""
    order = np.argsort(keys)
    keys = keys[order]
    is_first = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    ranks = np.empty(len(keys), np.uint32)
    ranks[order] = np.cumsum(is_first, dtype=np.uint32) - np.uint32(1)
    return keys[is_first], ranks


def follow_edges(edges: Edges, nodes: Numbers, symbols: Numbers) -> Numbers:
    """Follow one edge from each node.

    Args:
        edges: Edges of the trie.
        nodes: Nodes to start from.
        symbols: A symbol for each node, not negative.

    Returns:
        The nodes at the ends of the edges, or 0 where the edge does not exist.
    """
    wanted = join_halves(nodes, symbols)
    positions = np.searchsorted(edges, wanted)
    exists = edges[np.minimum(positions, len(edges) - 1)] == wanted
    return np.where(exists, positions + 1, 0)


def spell_node(edges: Edges, node: int) -> list[int]:
    """Return the symbols on the path from the root to a node."""
    symbols: list[int] = []
    while node:
        node, symbol = divmod(int(edges[node - 1]), 1 << 32)
        symbols.append(symbol)
    return symbols[::-1]
