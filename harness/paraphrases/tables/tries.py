"""Sequences of symbols as a tree of their beginnings, in one sorted array that is searched without being read.

Node 0 is the root, which is no symbol; node n is the n-th edge, and an edge is a number: its parent's node in the upper
half, its symbol in the lower. Nodes are numbered depth by depth and sorted within a depth, so all edges are sorted. A
sequence is found exactly, without hashing: a search per symbol.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_HALF = np.uint64(32)
_LOWER = np.uint64(0xFFFFFFFF)

Edges = NDArray[np.uint64]
Numbers = NDArray[np.int64]


class Trie(NamedTuple):
    """A tree of sequences.

    Attributes:
        edges: One per node but the root, sorted.
        depths: At which edge each depth begins, and where the last one ends.
    """

    edges: Edges
    depths: list[int]


def build_trie(symbols: NDArray[np.uint32], lengths: Numbers) -> tuple[Trie, Numbers]:
    """Make the tree of some sequences.

    Args:
        symbols: All sequences, one behind the other.
        lengths: How many symbols each has, at least one.

    Returns:
        The tree, and the node in which each sequence ends; it is the same for equal sequences.
    """
    starts = np.cumsum(lengths) - lengths
    nodes = np.zeros(len(lengths), np.int64)
    active = np.arange(len(lengths))
    levels: list[Edges] = []
    depths = [0]
    while len(active):
        depth = len(levels)
        keys = join_edges(nodes[active], symbols[starts[active] + depth])
        distinct, inverse = np.unique(keys, return_inverse=True)
        nodes[active] = inverse + depths[-1] + 1
        levels.append(distinct)
        depths.append(depths[-1] + len(distinct))
        active = active[lengths[active] > depth + 1]
    return Trie(np.concatenate([np.zeros(0, np.uint64), *levels]), depths), nodes


def map_trie(trie: Trie, mapping: NDArray[np.uint32]) -> tuple[Trie, Numbers]:
    """Make the tree of the same sequences after every symbol was replaced.

    Args:
        trie: The tree.
        mapping: What replaces each symbol; several may become equal.

    Returns:
        The new tree, and for each node of the old one, the root included, its node in the new one.
    """
    nodes = np.zeros(len(trie.edges) + 1, np.int64)
    levels: list[Edges] = []
    depths = [0]
    for start, end in zip(trie.depths[:-1], trie.depths[1:], strict=True):
        parents, symbols = split_edges(trie.edges[start:end])
        distinct, inverse = np.unique(join_edges(nodes[parents], mapping[symbols]), return_inverse=True)
        nodes[start + 1 : end + 1] = inverse + depths[-1] + 1
        levels.append(distinct)
        depths.append(depths[-1] + len(distinct))
    return Trie(np.concatenate([np.zeros(0, np.uint64), *levels]), depths), nodes


def join_edges(parents: Numbers, symbols: NDArray[np.integer]) -> Edges:
    """Edges from nodes by symbols."""
    edges: Edges = parents.astype(np.uint64) << _HALF | symbols.astype(np.uint64)
    return edges


def split_edges(edges: Edges) -> tuple[Numbers, Numbers]:
    """Parents and symbols of edges."""
    return (edges >> _HALF).astype(np.int64), (edges & _LOWER).astype(np.int64)


def follow_edges(edges: Edges, nodes: Numbers, symbols: Numbers) -> Numbers:
    """The nodes that some nodes lead to by a symbol each, 0 where there is none.

    Args:
        edges: Of the tree.
        nodes: Where to start.
        symbols: One for each of the nodes, not negative.
    """
    wanted = join_edges(nodes, symbols)
    places = np.searchsorted(edges, wanted)
    there = edges[np.minimum(places, len(edges) - 1)] == wanted
    return np.where(there, places + 1, 0)


def spell_node(edges: Edges, node: int) -> list[int]:
    """The symbols from the root to a node."""
    symbols: list[int] = []
    while node:
        edge = int(edges[node - 1])
        symbols.append(edge & int(_LOWER))
        node = edge >> int(_HALF)
    return symbols[::-1]
