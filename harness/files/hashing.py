"""SHA-256 of files and of values. Hashes of large files are remembered, so that each file is hashed once."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from harness.files.writing import find_cache, write_file
from pyramid_paraphrase.errors import InputError, PyramidParaphraseError
from pyramid_paraphrase.inputs import open_input, read_input

_CHUNK_BYTES = 1 << 20

_REMEMBERED_BYTES = 1 << 20
"""Size from which hashes are remembered. Smaller files are hashed in about a millisecond."""

_SETTLED_SECONDS = 10
"""Seconds after which a change of a file changes its times in any case. Some file systems count in steps of 2 s."""

_MOST_REMEMBERED = 5000
"""Number of hashes that are kept, the latest ones. They take less than a megabyte."""

_MEMORY_LINE = re.compile(r"([0-9a-f]+(?:-[0-9a-f]+){4}) ([0-9a-f]{64})")


def locate_memory() -> Path:
    """Return the path of the remembered hashes, in the user's cache."""
    return find_cache() / "hashes.txt"


def hash_file(path: Path) -> str:
    """Compute the SHA-256 of the bytes of a file, in hexadecimal.

    The hash of a large file is remembered under its device, inode, size, time of modification and time of status
    change. Every change of content or times sets the last of them to the time of the system, and no user can set it.

    Raises:
        InputError: If it is a pipe, a socket or a device.
        OSError: If it cannot be read.
    """
    with open_input(path) as file:
        state = _describe_state(file.fileno())
        if state is not None:
            known = _read_memory().get(state)
            if known is not None:
                return known
        digest = hashlib.sha256()
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
        if state is not None and _describe_state(file.fileno()) == state:
            _remember(state, digest.hexdigest())
    return digest.hexdigest()


def hash_files(root: Path, paths: Iterable[Path]) -> list[tuple[str, str]]:
    """Return the name of each file below a folder, and the SHA-256 of its content, in the order of the files.

    Raises:
        InputError: If a file is a pipe, a socket or a device.
        OSError: If a file cannot be read.
    """
    return [(path.relative_to(root).as_posix(), hash_file(path)) for path in paths]


def hash_values(values: object) -> str:
    """Compute the SHA-256 of a JSON value, independent of the order of keys."""
    return hashlib.sha256(json.dumps(values, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _describe_state(handle: int) -> str | None:
    """Describe an open file by values that change with its content. None if it is small or has just been changed."""
    status = os.fstat(handle)
    changed = max(status.st_ctime, status.st_mtime)
    if os.name == "nt" or status.st_size < _REMEMBERED_BYTES or time.time() - changed < _SETTLED_SECONDS:
        return None  # Windows has no time of status change
    values = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return "-".join(f"{value & (1 << 64) - 1:x}" for value in values)


def _read_memory() -> dict[str, str]:
    """Read the remembered hashes by state. Lines that another process has written in part are left out."""
    try:
        text = read_input(locate_memory()).decode("ascii", "replace")
    except (OSError, InputError):
        return {}
    matches = map(_MEMORY_LINE.fullmatch, text.splitlines())
    return {match[1]: match[2] for match in matches if match}


def _remember(state: str, digest: str) -> None:
    """Add a hash to the memory. If the memory has become large, only the latest hashes are kept."""
    path, known = locate_memory(), _read_memory()
    lines = [f"{state} {digest}" for state, digest in {**known, state: digest}.items()]
    with suppress(PyramidParaphraseError):
        write_file(path, "".join(f"{line}\n" for line in lines[-_MOST_REMEMBERED:]).encode())
