"""Arrays of SHA-256 digests: half as large as hexadecimal digits, in the same order, and without Python objects."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import numpy as np
import numpy.typing as npt

Digests = npt.NDArray[np.uint8]
Indices = npt.NDArray[np.int64]

DIGEST_BYTES = 32

_DIGESTS_AT_ONCE = 1 << 16


def make_digest_array(digests: Iterable[bytes], count: int, size: int = DIGEST_BYTES) -> Digests:
    """Collect digests, or prefixes that are long enough to be distinct, into an array.

    Args:
        digests: The digests, consumed one at a time.
        count: Number of digests.
        size: Number of bytes of each digest.

    Returns:
        Shape (count, size).
    """
    array = np.empty((count, size), dtype=np.uint8)
    remaining = iter(digests)
    for start in range(0, count, _DIGESTS_AT_ONCE):
        part = b"".join(islice(remaining, _DIGESTS_AT_ONCE))
        array[start : start + _DIGESTS_AT_ONCE] = np.frombuffer(part, dtype=np.uint8).reshape(-1, size)
    return array


def order_digests(digests: Digests) -> Indices:
    """Return the indices that sort digests in the order of their hexadecimal digits. The sort is stable."""
    # The first eight bytes almost always determine the order.
    prefixes = digests[:, :8].copy().view(">u8").astype(np.uint64).ravel()
    order = np.argsort(prefixes, kind="stable")
    ranked = prefixes[order]
    if (ranked[1:] == ranked[:-1]).any():
        order = np.lexsort(digests.T[::-1])
    return np.asarray(order, dtype=np.int64)
