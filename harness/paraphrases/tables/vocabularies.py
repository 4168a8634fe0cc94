"""Vocabularies: sorted words in a single array, so that a binary search reads only a few of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

UNKNOWN = -1


class Vocabulary:
    """Sorted words. The id of a word is its position.

    Args:
        offsets: Start of each word in the text, and the end of the last word.
        text: All words in UTF-8, concatenated.
    """

    def __init__(self, offsets: NDArray[np.uint64], text: NDArray[np.uint8]) -> None:
        self.offsets, self.text = offsets, text
        self._bytes = text.data  # slices of a memoryview take half the time of slices of an array
        self._ids: dict[str, int] = {}  # cache of searched words

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def find_words(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Find the ids of words. Words that are not in the vocabulary have the id `UNKNOWN`."""
        return np.array([self._ids[word] if word in self._ids else self._find(word) for word in words], np.int64)

    def get_word(self, number: int) -> str:
        """Return the word with an id, with replacement characters for invalid UTF-8 and non-printable characters."""
        word = self._get_bytes(number).decode(errors="replace")  # files are untrusted
        if word.isprintable():
            return word
        return "".join(character if character.isprintable() else "\ufffd" for character in word)

    def _find(self, word: str) -> int:
        data = word.encode("utf-8", "surrogatepass")  # lone surrogates are allowed, but never found
        position = bisect_left(range(len(self)), data, key=self._get_bytes)
        is_in_vocabulary = position < len(self) and self._get_bytes(position) == data
        self._ids[word] = position if is_in_vocabulary else UNKNOWN
        return self._ids[word]

    def _get_bytes(self, number: int) -> bytes:
        return self._bytes[self.offsets.item(number) : self.offsets.item(number + 1)].tobytes()


def make_vocabulary(words: Iterable[str]) -> Vocabulary:
    """Make a vocabulary of distinct words. The order by code points is the same as the order by bytes of UTF-8."""
    encoded = [word.encode() for word in sorted(words)]
    offsets = np.zeros(len(encoded) + 1, np.uint64)
    np.cumsum([len(word) for word in encoded], out=offsets[1:])
    return Vocabulary(offsets, np.frombuffer(b"".join(encoded), np.uint8))
