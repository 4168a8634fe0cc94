"""A small file in fastText's own binary format."""

from __future__ import annotations

import struct

import numpy as np

WORDS = ("</s>", "mill", "caf\u00e9", "the")
"""The frequency of each is 10, which is a line feed in the file."""

BUCKETS = 40
SKIPGRAM, SUPERVISED = 2, 3


def make_fasttext(
    *,
    version: int = 12,
    model: int = SKIPGRAM,
    lengths: tuple[int, int] = (3, 6),
    dimension: int = 2,
    buckets: int = BUCKETS,
    labels: tuple[str, ...] = (),
    pruned: int = -1,
    quantized: bool = False,
    rows: int | None = None,
    second: tuple[int, int] = (2, 2),
    end: bytes = b"",
) -> bytes:
    """Make a file whose row n is (n, n / 2, n / 4, ...). Words come before labels, as fastText sorts them."""
    count = len(WORDS) + buckets if rows is None else rows
    numbers = (793_712_314, version, dimension, 5, 5, 1, 5, 1, 2, model, buckets, *lengths, 100)
    data = struct.pack("<14id", *numbers, 1e-4)
    data += struct.pack("<iiiqq", len(WORDS) + len(labels), len(WORDS), len(labels), 9, pruned)
    for kind, names in enumerate((WORDS, labels)):
        data += b"".join(name.encode() + struct.pack("<xqb", 10, kind) for name in names)
    data += struct.pack("<?qq", quantized, count, dimension)
    data += np.outer(np.arange(count), 0.5 ** np.arange(dimension)).astype("<f4").tobytes()
    return data + struct.pack("<?qq", False, *second) + bytes(max(0, 4 * second[0] * second[1])) + end
