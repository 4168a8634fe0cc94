"""The content of a table of paraphrases as arrays, and the file of a compiled table.

The file has magic bytes, a header with sizes, and the arrays one after the other. Files are untrusted. First the sizes
are compared with the length of the file, then all offsets, nodes and ids are checked to be in the range of their
arrays. The arrays are memory-mapped instead of read into memory.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.writing import replacing
from harness.paraphrases.sorting import split_halves
from pyramid_paraphrase.errors import InputError, cannot_read
from pyramid_paraphrase.files.inputs import open_input


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
"""Types of the arrays, in the order of the file. The byte order is the same on all machines."""


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


MAGIC_LINE = b"\x89PARAPHRASES\r\n"
"""First line of a compiled table. Its first byte cannot begin a text in UTF-8."""
MAGIC = MAGIC_LINE + b"\x1a\n"
"""First bytes, as in PNG. A program that converts line breaks damages them, so the damage is detected."""

VERSION = 2
_ALIGNMENT = 64
_HEADER_BYTES = 1024
_BLOCK = 1 << 20
"""Number of edges that are checked at once. It bounds memory, because the two halves of edges are copied."""
_COMPILE_AGAIN = "compile the table again"


def write_table(path: Path, arrays: TableArrays) -> str:
    """Write a table to a file. Equal tables have equal files.

    Returns:
        The fingerprint of the table.

    Raises:
        OutputError: If the file cannot be written.
    """
    fingerprint = digest_arrays(arrays)
    sizes = {name: array.size for name, array in arrays._asdict().items()}
    header = json.dumps({"version": VERSION, "fingerprint": fingerprint, "sizes": sizes}).encode()
    with replacing(path) as file:
        file.write((MAGIC + header).ljust(_HEADER_BYTES))
        for name in DTYPES:
            array: NDArray[Any] = getattr(arrays, name)
            file.write(array.data)
            file.write(bytes(-array.nbytes % _ALIGNMENT))
    return fingerprint


def open_arrays(path: Path) -> tuple[TableArrays, str]:
    """Map the arrays of a compiled table to memory.

    Returns:
        The arrays, and the fingerprint of the table.

    Raises:
        InputError: If the file is not a compiled table, is damaged, or of another version.
    """
    try:
        with open_input(path) as file:
            beginning = file.read(_HEADER_BYTES)
            sizes, fingerprint = _parse_header(path, beginning)
            data = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    except OSError as error:
        raise cannot_read(path, error, "check the path") from None
    arrays = _cut(path, data, sizes)
    reason = _find_damage(arrays)
    if not reason and digest_arrays(arrays) != fingerprint:
        reason = "the content has changed"
    if reason:
        raise InputError(str(path), f"is damaged: {reason}", _COMPILE_AGAIN)
    return arrays, fingerprint


def _parse_header(path: Path, beginning: bytes) -> tuple[dict[str, int], str]:
    """Parse the sizes of the arrays and the fingerprint."""
    if not beginning.startswith(MAGIC):
        raise InputError(
            str(path), "is not a compiled table of paraphrases", "compile a table with `paraphrases compile`"
        )
    try:
        header = json.loads(beginning[len(MAGIC) :])
        version, sizes, fingerprint = header["version"], header["sizes"], header["fingerprint"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(str(path), "is damaged: the header cannot be read", _COMPILE_AGAIN) from None
    if version != VERSION:
        raise InputError(str(path), f"expected format version {VERSION}, found {version!r:.20}", _COMPILE_AGAIN)
    if not isinstance(sizes, dict) or set(sizes) != set(DTYPES) or not isinstance(fingerprint, str):
        raise InputError(str(path), "is damaged: the header has wrong keys", _COMPILE_AGAIN)
    if not all(type(size) is int and 0 <= size < 1 << 48 for size in sizes.values()):
        raise InputError(str(path), "is damaged: the header has impossible sizes", _COMPILE_AGAIN)
    return sizes, fingerprint


def _cut(path: Path, data: NDArray[np.uint8], sizes: dict[str, int]) -> TableArrays:
    """Cut the arrays out of a file. The length of the file must be equal to the total length of the arrays."""
    spans, position = {}, _HEADER_BYTES
    for name, kind in DTYPES.items():
        start, position = position, position + sizes[name] * kind.itemsize
        spans[name] = slice(start, position)
        position += -position % _ALIGNMENT
    if position != len(data):
        reason = f"expected {position:,} bytes, found {len(data):,}"
        raise InputError(str(path), reason, f"{_COMPILE_AGAIN}, or download the file again")
    return TableArrays(**{name: data[spans[name]].view(kind) for name, kind in DTYPES.items()})


def _find_damage(arrays: TableArrays) -> str:
    """Return a description of the first array with an invalid number, or ""."""
    phrases = len(arrays.phrase_nodes)
    sizes = (len(arrays.stem_nodes), len(arrays.stem_phrases), len(arrays.entry_offsets) - 1)
    if sizes != (phrases,) * 3 or len(arrays.paraphrases) != len(arrays.probabilities) or not phrases:
        return "inconsistent sizes"
    checks = {
        "words": _are_offsets(arrays.word_offsets, arrays.word_text),
        "stems": _are_offsets(arrays.stem_offsets, arrays.stem_text),
        "phrases": _is_trie(arrays.edges, len(arrays.word_offsets) - 1, arrays.phrase_nodes),
        "stems of phrases": _is_trie(arrays.stem_edges, len(arrays.stem_offsets) - 1, arrays.stem_nodes),
        "order of phrases": _is_ascending(arrays.phrase_nodes),
        "order of stems": int(arrays.stem_phrases.max()) < phrases
        and _is_ascending(arrays.stem_nodes[arrays.stem_phrases]),
        "entries": _are_offsets(arrays.entry_offsets, arrays.paraphrases),
        "paraphrases": bool(len(arrays.paraphrases)) and int(arrays.paraphrases.max()) < phrases,
        "probabilities": bool(((arrays.probabilities >= 0) & (arrays.probabilities <= 1)).all()),
    }
    return next((f"invalid {name}" for name, is_valid in checks.items() if not is_valid), "")


def _are_offsets(offsets: NDArray[np.uint64], content: NDArray[Any]) -> bool:
    if not len(offsets):
        return False
    return bool(offsets[0] == 0 and offsets[-1] == len(content)) and _is_ascending(offsets)


def _is_ascending(numbers: NDArray[Any]) -> bool:
    return bool((numbers[1:] >= numbers[:-1]).all())


def _is_trie(edges: NDArray[np.uint64], symbols: int, nodes: NDArray[np.uint32]) -> bool:
    """Return whether all nodes and symbols exist, and parents come before children, so that `spell_node` terminates."""
    if not len(edges) or not (edges[1:] > edges[:-1]).all():
        return False
    for start in range(0, len(edges), _BLOCK):
        parents, symbols_of_edges = split_halves(edges[start : start + _BLOCK])
        if (parents > np.arange(start, start + len(parents))).any() or symbols_of_edges.max() >= symbols:
            return False
    return bool(nodes.min() > 0 and nodes.max() <= len(edges))
