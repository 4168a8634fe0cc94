"""All that a table holds, as arrays: what is written to a file, and what is searched."""

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
        word_offsets: Shape (W + 1): where words begin in `word_text`.
        word_text: The words in UTF-8, sorted.
        stem_offsets: Shape (S + 1): the same for the stems of the words.
        stem_text: The stems in UTF-8, sorted.
        edges: The tree of the phrases' words, see `tries`.
        phrase_nodes: Shape (P): node in which a phrase ends; ascending.
        stem_edges: The tree of the phrases' stems.
        stem_nodes: Shape (P): node in which the stems of a phrase end; several phrases may share one.
        stem_phrases: Shape (P): phrases in the order of their `stem_nodes`.
        entry_offsets: Shape (P + 1): where the entries of a phrase begin.
        paraphrases: Shape (E): phrase that each entry gives as paraphrase.
        probabilities: Shape (E): of the paraphrase given the phrase.
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
"""Types of the arrays in the order of files, the same on every machine."""


def make_arrays(**arrays: NDArray[Any]) -> TableArrays:
    """Bring arrays to their types."""
    return TableArrays(**{name: np.ascontiguousarray(arrays[name], kind) for name, kind in DTYPES.items()})


def digest_arrays(arrays: TableArrays) -> str:
    """SHA-256 of what a table says, which does not depend on where and in which order it stood.

    The stems are in it, though they follow from the words: whoever changed them would change scores.
    """
    digest = hashlib.sha256()
    for name, array in arrays._asdict().items():
        digest.update(f"{name} {array.size}\n".encode())
        digest.update(array.data)
    return digest.hexdigest()
