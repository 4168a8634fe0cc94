"""Runs of words as hashes of 8 bytes, and the search for such hashes in normalized text at the speed of NumPy.

A gram is `ORDER` words in succession, or all words of a text that has from `SHORTEST` to `ORDER` words. Words are runs
of letters, digits and marks after normal form KC and lower case, as those of `split_alphanumeric` in text in Latin
letters. A script without blanks between words is not divided further.

The upper `_ROLLED_BITS` bits of a hash are a polynomial of the words, which NumPy computes for all positions at once.
They select the positions that may match. The remaining bits are those of a keyed BLAKE2b, which confirms a match.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from harness.support.arrays import Indices

VERSION = 1
"""Version of the words and of the hashes. It changes whenever the hash of any text changes."""

ORDER, SHORTEST = 8, 4
"""Numbers of words of a gram. On DUC 2007, texts of 3 words occur in unrelated news, and those of 4 words do not."""

BLOCK_BYTES = 1 << 18
"""Largest number of bytes that are searched at once. Their sums fit into the cache of a processor."""

BOUNDARY = b" \xff "
"""Stands between texts in a block: a word that no text contains, since UTF-8 has no such byte."""

Hashes = npt.NDArray[np.uint64]

_ROLLED_BITS = 28
_SHIFT = np.uint64(64 - _ROLLED_BITS)
_CONFIRMED = (1 << (64 - _ROLLED_BITS)) - 1
_CELLS_PER_GRAM = 64
_MEMORY = 1 << 16
"""Number of grams whose confirmation is remembered."""

_CONTEXT = ORDER - 1
_LARGEST_BLOCK = BLOCK_BYTES + (1 << 12)
_PADDING, _BLANK = b" ", 0x20

_FIRST_OTHER = 0x80
_SEPARATING, _INVISIBLE = "PSZC", "Cf"
"""Categories of Unicode: punctuation, symbols, blanks and controls separate words. Format characters are removed."""


def _mix(values: Hashes) -> Hashes:
    """Mix the bits of hashes (the finalizer of MurmurHash3)."""
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return np.asarray(values ^ (values >> np.uint64(33)))


_BASE, _WORD_BASE = 0x9E3779B97F4A7C15, np.uint64(0xD1342543DE82EF95)
_VALUES = _mix(np.arange(1, 257, dtype=np.uint64))


@lru_cache(maxsize=1)
def _list_powers() -> tuple[Hashes, Hashes]:
    """Return the powers of the base of the polynomial, and their inverses modulo 2 ** 64."""
    size = _LARGEST_BLOCK + 2
    bases = (_BASE, pow(_BASE, -1, 1 << 64))
    powers, inverses = (np.cumprod(np.full(size, base, dtype=np.uint64), dtype=np.uint64) for base in bases)
    return powers, inverses


def _make_table() -> bytes:
    letters = b"0123456789abcdefghijklmnopqrstuvwxyz"
    table = bytearray(_PADDING * 256)
    for code in (*letters, *range(_FIRST_OTHER, 256)):
        table[code] = code
    for code in range(ord("A"), ord("Z") + 1):
        table[code] = code + 32
    return bytes(table)


_TABLE = _make_table()
"""Lower case of ASCII letters, and blanks in place of all other characters of ASCII but letters and digits."""


class _Others(dict[int, str]):
    """What becomes of characters beyond ASCII, by their codes: nothing, a blank, or the same character."""

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        if category == _INVISIBLE:
            self[code] = ""
        else:
            self[code] = " " if category[0] in _SEPARATING else chr(code)
        return self[code]


_OTHER_CHARACTERS = re.compile("[^\0-\x7f]+")
_OTHERS = _Others()
_REPLACEMENT = "\ufffd"


@lru_cache(maxsize=1 << 12)
def _separate(characters: str) -> str:
    return characters.translate(_OTHERS)


def normalize(text: str) -> bytes:
    """Return the words of a text in UTF-8, with one or more blanks between words."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower())
        text = _OTHER_CHARACTERS.sub(lambda match: _separate(match[0]), text)
    return text.encode("utf-8", "replace").translate(_TABLE)


def normalize_bytes(data: bytes) -> tuple[bytes, int]:
    """Normalize a part of a file.

    Args:
        data: The part, which begins and ends between two characters.

    Returns:
        Its words as `normalize` returns them, and the number of places that are not UTF-8, which separate words.
    """
    if data.isascii():
        return data.translate(_TABLE), 0
    text = data.decode("utf-8", "replace")
    return normalize(text), text.count(_REPLACEMENT) - data.count(_REPLACEMENT.encode())


def join_texts(texts: Iterable[bytes]) -> bytes:
    """Join normalized texts so that no gram crosses from a text to the next one."""
    return BOUNDARY.join(texts)


def divide_blocks(words: bytes, context: bytes = b"") -> Iterator[tuple[bytes, int]]:
    """Divide normalized text into blocks that overlap by the words in which grams may begin.

    Args:
        words: The normalized text.
        context: The last words before it, as `find_context` returns them.

    Yields:
        Blocks, each with the number of words that it shares with the block before.
    """
    start = 0
    while start < len(words):
        end = start + BLOCK_BYTES - len(context)
        if end < len(words) and (blank := words.rfind(_PADDING, start, end)) > start:
            end = blank
        block = context + _PADDING + words[start:end] if context else words[start:end]
        yield block, len(context.split())
        context, start = find_context(block), end


def find_context(words: bytes) -> bytes:
    """Return the last words of normalized text, with which grams can begin that end in the text after it."""
    last = words[-_LARGEST_BLOCK:].rsplit(None, _CONTEXT)[-_CONTEXT:]
    context = _PADDING.join(last)
    return context if len(context) < _LARGEST_BLOCK - BLOCK_BYTES else b""


def _roll(block: bytes) -> tuple[Indices, Indices, Hashes]:
    """Find the words of a block.

    Returns:
        Their starts and ends in the block, and a hash of each, which does not depend on its place.
    """
    powers, inverses = _list_powers()
    codes = np.frombuffer(_PADDING + block + _PADDING, dtype=np.uint8)
    is_letter = codes != _BLANK
    edges = np.flatnonzero(is_letter[1:] != is_letter[:-1])
    starts, ends = edges[::2], edges[1::2]  # of the letters in the block, which begins at 1 in `codes`
    sums = _VALUES[codes]
    sums *= powers[: len(sums)]
    np.cumsum(sums, out=sums)
    return starts, ends, _mix((sums[ends] - sums[starts]) * inverses[starts])


def _list_rolled(hashes: Hashes) -> Iterator[tuple[int, Hashes]]:
    """Yield each number of words of grams, and the upper bits of the grams that begin with each word."""
    rolled = hashes
    for words in range(2, min(ORDER, len(hashes)) + 1):
        rolled = rolled[:-1] * _WORD_BASE + hashes[words - 1 :]
        if words >= SHORTEST:
            yield words, (rolled * np.uint64(_BASE)) >> _SHIFT


def _confirm(gram: bytes, salt: bytes) -> int:
    """Return the lower bits of the hash of a gram, whose words are separated by one blank each."""
    return int.from_bytes(blake2b(gram, digest_size=8, key=salt).digest(), "little") & _CONFIRMED


def hash_text(text: str, salt: bytes) -> Hashes:
    """Return the different hashes of the grams of a text, ascending.

    Args:
        text: The text.
        salt: Key of at most 64 bytes.

    Returns:
        The hashes. None if the text has fewer than `SHORTEST` words.
    """
    block = normalize(text)[:BLOCK_BYTES]
    starts, ends, words = _roll(block)
    order, upper = SHORTEST, np.zeros(0, dtype=np.uint64)
    for order, upper in _list_rolled(words):  # noqa: B007 - the grams of most words remain
        pass
    hashes = [
        int(bits) << int(_SHIFT) | _confirm(_PADDING.join(block[start:end].split()), salt)
        for start, end, bits in zip(starts, ends[order - 1 :], upper, strict=False)
    ]
    return np.unique(np.array(hashes, dtype=np.uint64))


class GramIndex:
    """The hashes of several tests, in which the grams of blocks are looked up.

    Args:
        hashes: For each test, its different hashes.
        salts: For each test, its salt.
    """

    def __init__(self, hashes: Sequence[Hashes], salts: Sequence[bytes]) -> None:
        every = np.concatenate([*hashes, np.zeros(0, dtype=np.uint64)])
        tests = np.repeat(np.arange(len(hashes)), [len(part) for part in hashes])
        order = np.argsort(every, kind="stable")
        self._upper = every[order] >> _SHIFT
        self._entries: list[tuple[bytes, int, int]] = [
            (salts[test], int(every[entry]) & _CONFIRMED, entry)
            for test, entry in zip(tests[order].tolist(), order.tolist(), strict=True)
        ]
        bits = min(_ROLLED_BITS, max(16, (_CELLS_PER_GRAM * len(every)).bit_length()))
        self._cell_shift = np.uint64(_ROLLED_BITS - bits)
        self._is_occupied = np.zeros(1 << bits, dtype=np.bool_)
        self._is_occupied[self._upper >> self._cell_shift] = True
        self._known: dict[bytes, tuple[int, ...]] = {}

    def find(self, block: bytes) -> tuple[set[int], int]:
        """Look up all grams of a block.

        Args:
            block: Normalized text of at most `BLOCK_BYTES` and the context.

        Returns:
            The hashes that it contains, as indices into the hashes of all tests in a row, and its number of words.
        """
        starts, ends, words = _roll(block)
        found = set[int]()
        for order, upper in _list_rolled(words):
            places = np.flatnonzero(self._is_occupied[upper >> self._cell_shift])
            first = np.searchsorted(self._upper, upper[places])
            last = np.searchsorted(self._upper, upper[places], side="right")
            for place, low, high in zip(places.tolist(), first.tolist(), last.tolist(), strict=True):
                if low < high:
                    gram = _PADDING.join(block[starts[place] : ends[place + order - 1]].split())
                    found.update(self._look_up(gram, low, high))
        return found, len(words)

    def _look_up(self, gram: bytes, low: int, high: int) -> tuple[int, ...]:
        """Return the hashes among some entries that the keyed hash of a gram confirms."""
        known = self._known.get(gram)
        if known is None:
            entries = self._entries[low:high]
            known = tuple(entry for salt, lower, entry in entries if _confirm(gram, salt) == lower)
            if len(self._known) >= _MEMORY:
                self._known.clear()
            self._known[gram] = known
        return known
