"""The last build of a configuration in the cache of `datasets`.

All builds of a configuration with the same options are entries of one folder of the cache. A file next to them names
the last build, because the modification times of the entries are in the wrong order if the clock was set back. If this
package is not imported, `datasets` itself chooses the entry by these times, so they are set in the order of the builds.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import datasets

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.temporary import remove_abandoned, temporary_file

_NAME_FILE = "last_build"
_CLOCK_TICK = 2_000_000_000  # the coarsest resolution of file times among common file systems, in nanoseconds
_FINGERPRINT = re.compile(r"Fingerprint: ([0-9a-f]{64})$")
_OPTIONAL_DIGEST = re.compile(r" Optional columns: ([0-9a-f]{16})\.")
_MAX_NAME_BYTES = 256


def find_last_entry(folder: Path) -> Path | None:
    """Find the last build.

    Args:
        folder: The folder of the entries.

    Returns:
        The entry that is recorded as the last build. If none is recorded, the newest entry. None without entries.
    """
    name = _read_name(folder)
    if name and (folder / name).is_dir():
        return folder / name
    entries = [path.parent for path in folder.glob("*/" + datasets.config.DATASET_INFO_FILENAME)]
    return max(entries, key=lambda entry: (entry.stat().st_mtime_ns, entry.name), default=None)


def _read_name(folder: Path) -> str:
    """Read the name of the last build, or return "" if none is recorded or the record is damaged."""
    try:
        with (folder / _NAME_FILE).open("rb") as file:
            text = file.read(_MAX_NAME_BYTES)
    except OSError:
        return ""
    match = re.fullmatch(rb"([0-9a-f]{64})\n", text)
    return match[1].decode() if match else ""


def remember_entry(entry: Path) -> None:
    """Record an entry as the last build.

    Raises:
        OSError: If it cannot be recorded.
    """
    folder = entry.parent
    times = [path.stat().st_mtime_ns for path in folder.iterdir() if path != entry and path.is_dir()]
    latest = max([time.time_ns(), *(previous + _CLOCK_TICK for previous in times)])
    os.utime(entry, ns=(latest, latest))
    remove_abandoned(folder)
    with temporary_file(folder) as (ready, file):
        with file:
            file.write(f"{entry.name}\n".encode())
        ready.chmod(0o644)
        ready.replace(folder / _NAME_FILE)


def read_entry_info(entry: Path, remedy: str) -> datasets.DatasetInfo:
    """Read the description of an entry.

    Raises:
        InputError: If it is damaged.
    """
    try:
        info = datasets.DatasetInfo.from_directory(str(entry))
        find_fingerprint(info)
    except Exception:  # `datasets` does not check what it reads, so damage can cause any exception
        raise describe_damage(entry, "its description cannot be read", remedy) from None
    return info


def describe_damage(entry: str | os.PathLike[str], reason: str, remedy: str) -> InputError:
    """Describe a damaged entry, as an error to be raised by the caller."""
    return InputError(str(entry), f"is a damaged entry of the datasets cache ({reason})", remedy)


def find_fingerprint(info: datasets.DatasetInfo) -> str:
    """Find the fingerprint of the rows in the description of an entry.

    Raises:
        ValueError: If there is no fingerprint.
    """
    match = _FINGERPRINT.search(info.description)
    if match is None:
        raise ValueError("no fingerprint")
    return match[1]


def find_optional_digest(info: datasets.DatasetInfo) -> str:
    """Find the digest of the optional columns in the description of an entry, or return "" if its rows have none."""
    match = _OPTIONAL_DIGEST.search(info.description)
    return match[1] if match else ""
