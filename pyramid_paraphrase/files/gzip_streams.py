"""Compression by gzip in pieces, with the same output as `gzip.compress` of all data."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterable

_HEADER_BYTES = 10
_LEVEL = 6
"""Compression level. Score files are 1 % larger than at level 9, and are compressed in half the time."""


def compress_pieces(pieces: Iterable[bytes]) -> bytes:
    """Compress data that comes in pieces, without a time stamp.

    Args:
        pieces: The data, consumed one piece at a time.

    Returns:
        The same bytes as ``gzip.compress(b"".join(pieces), compresslevel=6, mtime=0)``.
    """
    stream = zlib.compressobj(_LEVEL, wbits=-zlib.MAX_WBITS)
    # The bytes of the header differ between versions of Python.
    compressed = [gzip.compress(b"", compresslevel=_LEVEL, mtime=0)[:_HEADER_BYTES]]
    checksum, size = 0, 0
    for piece in pieces:
        compressed.append(stream.compress(piece))
        checksum, size = zlib.crc32(piece, checksum), size + len(piece)
    trailer = struct.pack("<LL", checksum, size & 0xFFFFFFFF)
    return b"".join([*compressed, stream.flush(), trailer])
