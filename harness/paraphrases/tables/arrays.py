"""The content of a table of paraphrases as arrays, for storage and search."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class TableArrays(NamedTuple):
    """A table of W words, S stems, P phrases and E entries.

    Phrases are numbered by length and then in alphabetical order. Entries are sorted by phrase and paraphrase. Equal
    tables have equal arrays, even if they were read from different formats.

    Attributes:
        word_offsets: Shape (W + 1,): starts of the words in `word_text`, and the end of the last word.
        word_text: The words in UTF-8, sorted and concatenated.
        stem_offsets: Shape (S + 1,): starts of the stems in `stem_text`, and the end of the last stem.
        stem_text: The stems in UTF-8, sorted and concatenated.
        edges: The trie of the words of phrases (see `tries`).
        phrase_nodes: Shape (P,): node at the end of each phrase, ascending.
        stem_edges: The trie of the stems of phrases.
        stem_nodes: Shape (P,): node at the end of the stems of each phrase. Several phrases may have the same node.
        stem_phrases: Shape (P,): numbers of phrases, sorted by `stem_nodes`.
        entry_offsets: Shape (P + 1,): starts of the entries of each phrase, and the end of the last entry.
        paraphrases: Shape (E,): number of the paraphrase of each entry.
        probabilities: Shape (E,): probability of the paraphrase given the phrase, in [0, 1].
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
"""Types of the arrays in the order of the file. They have the same byte order on all machines."""


def make_arrays(**arrays: NDArray[Any]) -> TableArrays:
    """Make the arrays of a table, and convert them to the types of `DTYPES`."""
    return TableArrays(**{name: np.ascontiguousarray(arrays[name], kind) for name, kind in DTYPES.items()})


def digest_arrays(arrays: TableArrays) -> str:
    """Compute SHA-256 over the content of a table. It does not depend on the format and the order of the source.

    The stems are included, although they are computed from the words, because other stems would change scores.
    """
    digest = hashlib.sha256()
    for name, array in arrays._asdict().items():
        digest.update(f"{name} {array.size}\n".encode())
        digest.update(array.data)
    return digest.hexdigest()
