"""Arrays in temporary files: a process writes a file, and other processes read it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyramid_paraphrase.errors import cannot_write


def save_arrays(path: Path, arrays: Sequence[NDArray[Any]]) -> None:
    """Write arrays one after another.

    Raises:
        OutputError: If the file cannot be written.
    """
    try:
        with path.open("wb") as file:
            for values in arrays:
                np.save(file, values, allow_pickle=False)
    except OSError as error:
        raise cannot_write(path.parent, error) from None


def load_arrays(path: Path, count: int) -> list[NDArray[Any]]:
    """Read a number of arrays that `save_arrays` wrote."""
    with path.open("rb") as file:
        return [np.load(file, allow_pickle=False) for _ in range(count)]


def map_array(path: Path) -> NDArray[Any]:
    """Map the only array of a file into memory, which processes share."""
    return np.load(path, mmap_mode="r", allow_pickle=False)


def save_rows(path: Path, rows: NDArray[np.uint64]) -> None:
    """Write rows of 64-bit numbers.

    Raises:
        OutputError: If the file cannot be written.
    """
    try:
        with path.open("wb") as file:
            np.ascontiguousarray(rows).tofile(file)
    except OSError as error:
        raise cannot_write(path.parent, error) from None


def load_rows(path: Path, width: int, first: int, behind: int) -> NDArray[np.uint64]:
    """Load the rows from `first` to before `behind` of a file that `save_rows` wrote."""
    count = (behind - first) * width
    return np.fromfile(path, np.uint64, count, offset=8 * width * first).reshape(-1, width)


def map_rows(path: Path, width: int) -> NDArray[np.uint64]:
    """Map rows that `save_rows` wrote into memory."""
    if not path.stat().st_size:
        return np.zeros((0, width), np.uint64)
    return np.memmap(path, np.uint64, "r").reshape(-1, width)
