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
from pyramid_paraphrase.files.inputs import open_input, read_input

_CHUNK_BYTES = 1 << 20

_REMEMBERED_BYTES = 8 << 20
"""Size from which hashes are remembered. Smaller files are hashed faster than a full memory is read and written."""

_SETTLED_SECONDS = 10
"""Seconds after which a change of a file changes its times in any case. Some file systems count in steps of 2 s."""

_MOST_REMEMBERED = 5000
"""Number of hashes that are kept, the latest ones. They take less than a megabyte."""

_DATED_BY_SYSTEM = frozenset("btrfs ceph ext2 ext3 ext4 f2fs gpfs lustre nfs nfs4 tmpfs xfs zfs".split())
"""File systems whose time of status change is the time of the change. Others show the time of modification in its
place, such as images of containers (squashfs) and folders of other machines (sshfs). Those in layers (overlay) show the
times of the layer below."""

_MEMORY_LINE = re.compile(r"([0-9a-f]+(?:-[0-9a-f]+){4}) ([0-9a-f]{64})")


def locate_memory() -> Path:
    """Return the path of the remembered hashes, in the user's cache."""
    return find_cache() / "hashes.txt"


def hash_file(path: Path) -> str:
    """Compute the SHA-256 of the bytes of a file, in hexadecimal.

    The hash of a large file is remembered under its device, inode, size, time of modification and time of status
    change. Every change of content or times sets the last of them to the time of the system, and no user can set it.
    On file systems where this may not hold, the file is hashed each time.

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
    """Describe an open file by values that change with its content. None if it is small or has no such values.

    It has none if the file has just been changed, or if its file system does not set the time of status change to the
    time of the system. A read-only file system may be an image, in which a program has written all times.
    """
    status = os.fstat(handle)
    if status.st_size < _REMEMBERED_BYTES:
        return None
    kind, _, options = (*_describe_mount(handle).split(), "", "", "")[:3]
    if kind not in _DATED_BY_SYSTEM or "ro" in options.split(","):
        return None
    if time.time() - max(status.st_ctime, status.st_mtime) < _SETTLED_SECONDS:
        return None
    values = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return "-".join(f"{value & (1 << 64) - 1:x}" for value in values)


def _describe_mount(handle: int) -> str:
    """Return type, source and options of the file system of an open file, as in `/proc/self/mountinfo` (Linux).

    The options are those of the file system, not of the place where it is mounted. The device of a file does not tell
    its file system: on btrfs, it is not the device that is mounted.

    Returns:
        The description. Empty if it is unknown.
    """
    try:
        number = re.search(rb"^mnt_id:\s*(\d+)$", Path(f"/proc/self/fdinfo/{handle}").read_bytes(), re.MULTILINE)
        mounts = Path("/proc/self/mountinfo").read_bytes()
    except OSError:
        return ""
    line = number and re.search(rb"^" + number[1] + rb" .*? - (.*)", mounts, re.MULTILINE)
    return line[1].decode(errors="replace") if line else ""


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
