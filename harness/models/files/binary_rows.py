"""Plausibility of the rows of binary word vectors.

The format has no marks between rows and does not say how its numbers are stored. A file with blanks in words, with
numbers in another byte order or of another size, or with a wrong dimension in its first line can be read to its end and
then gives wrong vectors. The bytes of its rows show it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FLOAT = np.dtype("<f4")

_MAX_PEAK, _MIN_PEAK = 1e10, 1e-30
"""Bounds of the largest absolute value of a row that is not zero. Trained vectors stay far within them. If the bytes of
a row are shifted or reversed, its exponents are random, and 37 % of them exceed the upper bound. Numbers of few digits
with reversed bytes are below the lower bound."""

_OTHER_NUMBERS = ((">f4", "big-endian numbers"), ("<f8", "numbers of 64 bits"))
_MIN_EVIDENCE = 8
"""Number of plausible numbers that show how they are stored. Half of all random bytes are a plausible number."""

_MIN_ODD_SHARE = 0.1
"""Smallest share of implausible numbers that shows that none is stored as it was read. A damaged byte spoils one
number. About 24 % of the numbers are implausible if numbers of 64 bits are read as 32 bits, and 48 % if bytes are
reversed."""

_REST = re.compile(rb"[^\0-\x1f\x7f]{0,80} ")
"""The bytes of a word after its first blank, up to the blank before its numbers."""

_HIGH = bytes(range(128, 256))
_ORDINARY = bytes({*range(32, 127), ord("\n")} - set(b":;<=>?@"))
"""The bytes of ordinary words in ASCII. A positive number from 0.0005 to 8 ends in one of the bytes `:;<=>?@`."""


def is_plausible(numbers: NDArray[np.floating]) -> bool:
    """Return whether numbers can be a row: all are finite, and the largest is within bounds, or all are 0."""
    peak = float(np.abs(numbers).max())
    return _MIN_PEAK <= peak <= _MAX_PEAK or peak == 0  # False if a number is NaN


def find_rest(data: bytes) -> bytes | None:
    """Find the rest of a word that contains a blank, if it was read as the first numbers of its row.

    Args:
        data: The bytes between the first blank of a row and its supposed end.

    Returns:
        The bytes of the word after its first blank, or None if the row is as it seems. After the rest, the bytes are
        plausible numbers. From the beginning, they are not, unless the rest and its blank have the size of whole
        numbers. The last of these is then about 1e-19, because a blank is its highest byte.
    """
    beginning = _REST.match(data)
    if beginning is None:
        return None
    is_odd = not is_plausible(np.frombuffer(data, FLOAT))
    for blank in re.finditer(b" ", beginning[0]):
        size = blank.end()
        count = (len(data) - size) // FLOAT.itemsize
        is_candidate = is_odd or size % FLOAT.itemsize == 0
        if is_candidate and count and is_plausible(np.frombuffer(data, FLOAT, count, size)):
            return data[: size - 1]
    return None


def name_other_numbers(data: bytes) -> str:
    """Name the way in which the numbers of an implausible row are stored, or return "" if the bytes do not show it."""
    sizes = np.abs(np.frombuffer(data, FLOAT))
    is_odd = ~((sizes >= _MIN_PEAK) & (sizes <= _MAX_PEAK)) & (sizes != 0)  # True if a number is NaN
    if is_odd.mean() < _MIN_ODD_SHARE:
        return ""
    for code, name in _OTHER_NUMBERS:
        dtype = np.dtype(code)
        count = len(data) // dtype.itemsize
        if count >= _MIN_EVIDENCE and is_plausible(np.frombuffer(data, dtype, count)):
            return name
    return ""


def find_odd_words(heads: Sequence[bytes]) -> list[int]:
    """Return the indices of words that may begin with the last bytes of the row before them.

    After a word with a blank, the next row begins too early. Its word then contains bytes of a number: control
    characters, bytes that are not UTF-8, or one of `:;<=>?@`. Few other words contain them.

    Args:
        heads: Words, each with a blank after it.
    """
    # All words are checked at once, because a check of each would add a third to the time of reading.
    if not _is_odd(b"".join(heads)):
        return []
    return [index for index, head in enumerate(heads) if _is_odd(head)]


def _is_odd(text: bytes) -> bool:
    unusual = text.translate(None, _ORDINARY)
    if not unusual:
        return False
    if unusual.translate(None, _HIGH):
        return True
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False
