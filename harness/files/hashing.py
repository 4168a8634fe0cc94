"""SHA-256 of files and of values."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pyramid_paraphrase.inputs import open_input

_CHUNK_BYTES = 1 << 20


def hash_file(path: Path) -> str:
    """Compute the SHA-256 of the bytes of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with open_input(path) as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def hash_values(values: object) -> str:
    """Compute the SHA-256 of a JSON value, independent of the order of keys."""
    return hashlib.sha256(json.dumps(values, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
