"""The content of a table as arrays, which are written to a file and searched."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class TableArrays(NamedTuple):
    """A table of W words, S stems, P phrases and E entries.

    Phrases are numbered by length and then alphabet; entries are sorted by phrase and paraphrase. Equal tables have
    equal arrays, whatever they were read from.

    Attributes:
        word_offsets: Shape (W + 1): starts of the words in `word_text`.
        word_text: The words in UTF-8, sorted.
        stem_offsets: Shape (S + 1): starts of the stems in `stem_text`.
        stem_text: The stems in UTF-8, sorted.
        edges: The trie of the phrases' words, see `tries`.
        phrase_nodes: Shape (P): node in which a phrase ends; ascending.
        stem_edges: The trie of the phrases' stems.
        stem_nodes: Shape (P): node in which the stems of a phrase end; several phrases may share a node.
        stem_phrases: Shape (P): phrases in the order of their `stem_nodes`.
        entry_offsets: Shape (P + 1): starts of the entries of the phrases.
        paraphrases: Shape (E): the paraphrase of each entry, a phrase.
        probabilities: Shape (E): probability of the paraphrase given the phrase.
    """

    word_offsets: NDArray[np.uint64]
    word_text: NDArray[np.uint8]
    stem_offsets: NDArray[np.uint64]
    stem_text: NDArray[np.uint8]
    edges: NDArray[np.uint64]
    phrase_nodes: NDArray[np.uint32]
    stem_edges: NDArray[np.uint64]
    stem_nodes: NDArray[np.uint32]
    stem_phrases: NDArray[np.uint32]
    entry_offsets: NDArray[np.uint64]
    paraphrases: NDArray[np.uint32]
    probabilities: NDArray[np.float32]


_BYTES, _SINGLE, _NUMBER, _LONG = (np.dtype(code) for code in ("u1", "<f4", "<u4", "<u8"))

DTYPES: Mapping[str, np.dtype[Any]] = {
    "word_offsets": _LONG,
    "word_text": _BYTES,
    "stem_offsets": _LONG,
    "stem_text": _BYTES,
    "edges": _LONG,
    "phrase_nodes": _NUMBER,
    "stem_edges": _LONG,
    "stem_nodes": _NUMBER,
    "stem_phrases": _NUMBER,
    "entry_offsets": _LONG,
    "paraphrases": _NUMBER,
    "probabilities": _SINGLE,
}
"""Types of the arrays in the order of the file, the same on every machine."""


def make_arrays(**arrays: NDArray[Any]) -> TableArrays:
    """Make the arrays of a table, converted to their types."""
    return TableArrays(**{name: np.ascontiguousarray(arrays[name], kind) for name, kind in DTYPES.items()})


def digest_arrays(arrays: TableArrays) -> str:
    """Compute SHA-256 of the content of a table, which does not depend on the format and order of its source.

    The stems are included, although they follow from the words, because changed stems change scores.
    """
    digest = hashlib.sha256()
    for name, array in arrays._asdict().items():
        digest.update(f"{name} {array.size}\n".encode())
        digest.update(array.data)
    return digest.hexdigest()
