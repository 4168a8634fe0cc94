"""Words and their ids: sorted, in one piece, so that nothing has to be read to find a few of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

UNKNOWN = -1


class Vocabulary:
    """Sorted words; the id of a word is its place.

    Args:
        offsets: Where each word begins in the text, and where the last one ends.
        text: All words in UTF-8, one behind the other.
    """

    def __init__(self, offsets: NDArray[np.uint64], text: NDArray[np.uint8]) -> None:
        self.offsets, self.text = offsets, text
        self._bytes = text.data  # of which a slice takes half the time
        self._ids: dict[str, int] = {}  # of the few words that were asked for

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def find_words(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Ids of words, `UNKNOWN` for those that are not in it."""
        return np.array([self._ids[word] if word in self._ids else self._find(word) for word in words], np.int64)

    def get_word(self, number: int) -> str:
        """The word with an id; what is no text, or would tell a terminal what to do, is a replacement character."""
        word = self._get_bytes(number).decode(errors="replace")  # a stranger's file may hold anything
        return word if word.isprintable() else "".join(one if one.isprintable() else "\ufffd" for one in word)

    def _find(self, word: str) -> int:
        data = word.encode("utf-8", "surrogatepass")  # half a surrogate pair is just never found
        place = bisect_left(range(len(self)), data, key=self._get_bytes)
        found = place if place < len(self) and self._get_bytes(place) == data else UNKNOWN
        self._ids[word] = found
        return found

    def _get_bytes(self, number: int) -> bytes:
        return self._bytes[self.offsets.item(number) : self.offsets.item(number + 1)].tobytes()


def make_vocabulary(words: Iterable[str]) -> Vocabulary:
    """Put distinct words in order, which is the same by letters and by bytes of UTF-8."""
    encoded = [word.encode() for word in sorted(words)]
    offsets = np.zeros(len(encoded) + 1, np.uint64)
    np.cumsum([len(word) for word in encoded], out=offsets[1:])
    return Vocabulary(offsets, np.frombuffer(b"".join(encoded), np.uint8))
